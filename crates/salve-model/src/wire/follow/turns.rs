//! Turns at the end of a conversation.
//!
//! In: the messages of a request and the turns that follow. Out: messages in which two speakers
//! take turns, because some providers and many templates of local models refuse anything else.
//! Never changes a message before the last one.

use crate::request::{Speaker, Turn};
use serde_json::{Value, json};

/// Adds turns. One that has no text is left out: providers refuse it.
pub(super) fn add_turns(messages: &mut Vec<Value>, turns: &[Turn]) {
    for turn in turns.iter().filter(|turn| !turn.text.is_empty()) {
        let role = match turn.speaker {
            Speaker::User => "user",
            Speaker::Assistant => "assistant",
        };
        let joined = messages.last_mut().filter(|last| is_plain(last, role));
        if !joined.is_some_and(|last| join(last, turn)) {
            messages.push(json!({"role": role, "content": turn.text}));
        }
    }
}

/// Takes the white space off the end of an answer that is to be continued, which the provider
/// refuses. Returns whether there is such an answer.
pub(super) fn trim_last_answer(messages: &mut [Value]) -> bool {
    let Some(last) = messages.last_mut().filter(|last| is_plain(last, "assistant")) else {
        return false;
    };
    let text = match last.get_mut("content") {
        Some(Value::Array(blocks)) => blocks.last_mut().and_then(|block| block.get_mut("text")),
        content => content,
    };
    if let Some(Value::String(text)) = text {
        text.truncate(text.trim_end().len());
    }
    true
}

// Spoken by this role, and not a call or an item of another type.
fn is_plain(message: &Value, role: &str) -> bool {
    let kind = message.get("type").and_then(Value::as_str).unwrap_or("message");
    let calls = message.get("tool_calls").is_some_and(|calls| !calls.is_null());
    message.get("role").and_then(Value::as_str) == Some(role) && kind == "message" && !calls
}

// What the model said goes on where it ended; what it is told is a paragraph of its own.
fn join(message: &mut Value, turn: &Turn) -> bool {
    let between = match turn.speaker {
        Speaker::User => "\n\n",
        Speaker::Assistant => "",
    };
    match message.get_mut("content") {
        Some(Value::String(text)) => {
            text.extend([between, &turn.text]);
            true
        }
        Some(Value::Array(parts)) => join_part(parts, turn),
        _ => false,
    }
}

fn join_part(parts: &mut Vec<Value>, turn: &Turn) -> bool {
    let kinds: Vec<&str> = parts.iter().filter_map(|part| part.get("type")?.as_str()).collect();
    // The kind of the parts that are there: Responses tells who speaks by it.
    let kind = match turn.speaker {
        Speaker::User if kinds.iter().any(|kind| kind.starts_with("input_")) => "input_text",
        Speaker::Assistant if kinds.contains(&"output_text") => "output_text",
        _ => "text",
    };
    if turn.speaker == Speaker::Assistant
        && let Some(Value::String(text)) = parts
            .last_mut()
            .filter(|part| part["type"] == kind)
            .and_then(|part| part.get_mut("text"))
    {
        text.push_str(&turn.text);
        return true;
    }
    parts.push(json!({"type": kind, "text": turn.text}));
    true
}
