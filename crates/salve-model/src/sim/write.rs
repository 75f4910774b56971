//! Replies as the providers spell them: whole bodies, streams of events, errors, lists of models.
//!
//! In: replies and the few facts around them. Out: bytes that the providers' own clients read
//! strictly. Never judges a reply: a cut one is written as cut, a lie as a lie.

mod chat;
mod frames;
mod messages;
mod responses;

pub use frames::Frames;

use super::script::Chunk;
use crate::reply::{ModelReply, ToolCall};
use crate::wire::Dialect;
use salve_types::Usage;
use serde_json::{Value, json};

/// What is around the words of a reply.
#[derive(Debug, Clone, PartialEq)]
pub struct Envelope {
    /// The end of every id in the reply; letters and digits.
    pub tag: String,
    /// The model's name.
    pub model: String,
    /// Seconds since 1970 at which the reply says it was made.
    pub created: u64,
    /// Whether a stream tells its usage (Chat only; the others always do).
    pub include_usage: bool,
    /// The request. Responses repeat some of its settings.
    pub request: Value,
}

/// Writes replies as one body. More than one reply is possible in Chat only; elsewhere the first
/// counts.
pub fn write_reply(dialect: Dialect, envelope: &Envelope, replies: &[ModelReply]) -> Vec<u8> {
    let body = match dialect {
        Dialect::Chat => chat::whole(envelope, replies),
        Dialect::Responses => responses::whole(envelope, first(replies)),
        Dialect::Messages => messages::whole(envelope, first(replies)),
    };
    body.to_string().into_bytes()
}

/// Writes replies as the events of a stream.
pub fn write_stream(
    dialect: Dialect,
    envelope: &Envelope,
    replies: &[ModelReply],
    chunk: &Chunk,
) -> Frames {
    match dialect {
        Dialect::Chat => chat::stream(envelope, replies, chunk),
        Dialect::Responses => responses::stream(envelope, first(replies), chunk),
        Dialect::Messages => messages::stream(envelope, first(replies), chunk),
    }
}

/// Writes an error as the dialect has it.
pub fn write_error(dialect: Dialect, status: u16, message: &str) -> Vec<u8> {
    let body = match dialect {
        Dialect::Messages => json!({
            "type": "error",
            "error": { "type": messages::error_type(status), "message": message },
            "request_id": "req_sim",
        }),
        Dialect::Chat | Dialect::Responses => json!({
            "error": {
                "message": message,
                "type": chat::error_type(status),
                "param": null,
                "code": chat::error_code(status),
            }
        }),
    };
    body.to_string().into_bytes()
}

/// Writes the list of models, in a form that both providers' clients read.
pub(super) fn write_models(names: &[String], created: u64) -> Vec<u8> {
    let data: Vec<Value> = names.iter().map(|name| model(name, created)).collect();
    let (first, last) = (names.first(), names.last());
    json!({ "object": "list", "data": data, "has_more": false, "first_id": first, "last_id": last })
        .to_string()
        .into_bytes()
}

/// Returns one model of the list.
pub(super) fn model(name: &str, created: u64) -> Value {
    json!({
        "id": name,
        "object": "model",
        "created": created,
        "owned_by": "salve-sim",
        "type": "model",
        "display_name": name,
        "lifecycle": "active",
        "created_at": "2024-01-01T00:00:00Z",
    })
}

fn first(replies: &[ModelReply]) -> &ModelReply {
    static NOTHING: std::sync::LazyLock<ModelReply> = std::sync::LazyLock::new(ModelReply::default);
    replies.first().unwrap_or(&NOTHING)
}

// The sum over all answers; none when it is not told.
fn usage(replies: &[ModelReply]) -> Option<Usage> {
    replies.iter().filter_map(|reply| reply.usage).reduce(|one, other| one + other)
}

// The id of a call: its own, or one made up from the envelope.
fn call_id(prefix: &str, envelope: &Envelope, choice: usize, at: usize, call: &ToolCall) -> String {
    if call.id.is_empty() {
        format!("{prefix}{}{choice}{at}", envelope.tag)
    } else {
        call.id.clone()
    }
}
