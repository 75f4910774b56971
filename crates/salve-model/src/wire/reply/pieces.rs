//! Lists in which texts and calls stand between other things.
//!
//! In: a list of parts, and the text or the calls it is to hold. Out: the list, changed where it
//! must be. Never moves or drops a part of another kind.

use crate::reply::ToolCall;
use serde_json::Value;

/// Puts a text into the parts that `is_text` knows; `make` makes one where there is none, and
/// `place` says where. A text that goes on from what is there is added to the last part, so that
/// what belongs to the earlier ones stays true.
pub(super) fn put_text(
    parts: &mut Vec<Value>,
    text: &str,
    is_text: impl Fn(&Value) -> bool,
    make: impl FnOnce(&str) -> Value,
    place: impl FnOnce(&[Value]) -> usize,
) {
    let text_of = |part: &Value| super::text_of(part, "text").to_owned();
    let old: String = parts.iter().filter(|part| is_text(part)).map(text_of).collect();
    if old == text {
        return;
    }
    let set = |part: &mut Value, text: String| {
        if let Some(part) = part.as_object_mut() {
            part.insert("text".to_owned(), Value::from(text));
        }
    };
    if let (Some(rest), Some(last)) =
        (text.strip_prefix(&old), parts.iter_mut().rfind(|part| is_text(part)))
    {
        let longer = text_of(last) + rest;
        set(last, longer);
        return;
    }
    let mut first = true;
    parts.retain_mut(|part| {
        if !is_text(part) {
            return true;
        }
        let keep = std::mem::take(&mut first) && !text.is_empty();
        if keep {
            set(part, text.to_owned());
        }
        keep
    });
    if first && !text.is_empty() {
        let at = place(parts).min(parts.len());
        parts.insert(at, make(text));
    }
}

/// Puts calls into the places of the calls that are there. A call keeps the object it was read
/// from, found by its id; others are made new, and those that are no longer wanted go.
pub(super) fn put_calls(
    parts: &mut Vec<Value>,
    calls: &[ToolCall],
    read: impl Fn(&Value) -> Option<ToolCall>,
    write: impl Fn(&mut Value, &ToolCall),
    make: impl Fn(&ToolCall, usize) -> Value,
) {
    let old: Vec<ToolCall> = parts.iter().filter_map(&read).collect();
    if old == calls {
        return;
    }
    let mut sources: Vec<Option<Value>> =
        parts.iter().filter(|part| read(part).is_some()).cloned().map(Some).collect();
    let mut made = calls.iter().enumerate().map(|(number, call)| {
        let same_id = old.iter().enumerate().position(|(at, old)| {
            old.id == call.id
                && sources.get(at).is_some_and(Option::is_some)
                && (!call.id.is_empty() || at == number)
        });
        match same_id.and_then(|at| sources.get_mut(at)?.take()) {
            Some(mut part) => {
                write(&mut part, call);
                part
            }
            None => make(call, number),
        }
    });
    let before = std::mem::take(parts);
    for part in before {
        if read(&part).is_none() {
            parts.push(part);
        } else {
            parts.extend(made.next());
        }
    }
    parts.extend(made);
}

/// Returns the id of a call, or one that is made up where the provider gave none.
pub(super) fn id_or_made_up(call: &ToolCall, number: usize) -> String {
    if call.id.is_empty() { format!("call_salve_{number}") } else { call.id.clone() }
}
