//! Reads whole replies, and writes healed ones back into them.
//!
//! In: the JSON body of a reply. Out: what it says; or the same body with other text, arguments,
//! reason and usage. Never touches anything else: ids, probabilities, annotations, reasoning and
//! unknown fields stay as they came.

mod chat;
mod messages;
mod pieces;
mod responses;

pub(super) use responses::{finish_of, write_finish};

use super::words::write_usage;
use super::{Dialect, WireError};
use crate::reply::ModelReply;
use salve_types::Usage;
use serde_json::{Map, Value};

/// Reads a reply: one value for each of its answers, in the order of the body. What was counted is
/// in the first one, because it was counted for all of them.
///
/// # Errors
/// When the body has none of the parts that a reply of this dialect has.
pub fn read_reply(dialect: Dialect, body: &Value) -> Result<Vec<ModelReply>, WireError> {
    let (wanted, read) = match dialect {
        Dialect::Chat => ("a list `choices`", chat::read(body)),
        Dialect::Responses => ("a list `output`", responses::read(body)),
        Dialect::Messages => ("a list `content`", messages::read(body)),
    };
    let mut replies = read.ok_or_else(|| WireError {
        message: format!(
            "the body is no reply of the {} dialect: {wanted} is missing",
            dialect.name()
        ),
    })?;
    for reply in &mut replies {
        reply.model = body.get("model").and_then(Value::as_str).map(str::to_owned);
    }
    if let Some(first) = replies.first_mut() {
        first.usage = body.get("usage").and_then(|usage| super::words::read_usage(dialect, usage));
    }
    Ok(replies)
}

/// Writes replies back into the body they were read from. The usage is the sum of theirs. A body of
/// another form is left as it is.
pub fn patch_reply(dialect: Dialect, body: &mut Value, replies: &[ModelReply]) {
    let Some(object) = body.as_object_mut() else { return };
    match dialect {
        Dialect::Chat => chat::patch(object, replies),
        Dialect::Responses => responses::patch(object, replies),
        Dialect::Messages => messages::patch(object, replies),
    }
    let counted = replies.iter().filter_map(|reply| reply.usage);
    if let Some(usage) = counted.reduce(|sum: Usage, usage| sum + usage) {
        write_usage(dialect, object.entry("usage").or_insert(Value::Null), usage);
    }
}

// Sets a text unless it is there already.
fn set_text(object: &mut Map<String, Value>, key: &str, text: &str) {
    if object.get(key).and_then(Value::as_str) != Some(text) {
        object.insert(key.to_owned(), Value::from(text));
    }
}

fn text_of<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests;
