//! A whole answer that says "nothing" in other ways than the schema does.
//!
//! In: an answer that is strict JSON and does not fit. Out: the same without what says nothing: `null` for a
//! field that may be missing, a plain string for a task or a section, a negative place. Never a value that the
//! answer does not have, and never a text of which a part is missing.

use crate::pipeline::content_of;
use salve_types::Language;
use serde_json::{Map, Value, json};

/// Returns the answer in the form that the schema has; nothing when it is not strict JSON.
pub(super) fn in_form(text: &str) -> Option<String> {
    let content = content_of(text, Some(Language::Json));
    let Value::Object(mut fields) = serde_json::from_str(&content).ok()? else { return None };
    without_nulls(&mut fields);
    for (name, list) in &mut fields {
        let as_text = match name.as_str() {
            "todos" => Some("text"),
            "sections" => Some("content"),
            "fileChanges" | "commands" | "nextSteps" => None,
            "fileHashes" => {
                list.as_object_mut().into_iter().for_each(without_nulls);
                continue;
            }
            _ => continue,
        };
        for item in list.as_array_mut().into_iter().flatten() {
            tidy(item, as_text);
        }
    }
    Some(Value::Object(fields).to_string())
}

fn tidy(item: &mut Value, as_text: Option<&str>) {
    match (item, as_text) {
        (Value::Object(fields), _) => {
            without_nulls(fields);
            if fields.get("todoIndex").and_then(Value::as_i64).is_some_and(|index| index < 0) {
                fields.remove("todoIndex");
            }
        }
        (item @ Value::String(_), Some(key)) => {
            let text = item.take();
            *item = json!({ key: text });
        }
        _ => {}
    }
}

fn without_nulls(fields: &mut Map<String, Value>) {
    fields.retain(|_, value| !value.is_null());
}
