//! Whole replies of OpenAI Chat Completions.
//!
//! In: a `chat.completion` object. Out: its choices, or the object with other ones. Never makes up
//! a choice that is not there.

use super::super::Dialect;
use super::super::words::{finish_word, unless_refused};
use super::pieces::{id_or_made_up, put_calls, put_text};
use super::{set_text, text_of};
use crate::reply::{ModelReply, ToolCall};
use salve_types::FinishReason;
use serde_json::{Map, Value, json};

pub(super) fn read(body: &Value) -> Option<Vec<ModelReply>> {
    let choices = body.get("choices")?.as_array()?;
    Some(choices.iter().map(read_choice).collect())
}

fn read_choice(choice: &Value) -> ModelReply {
    let null = Value::Null;
    let message = choice.get("message").unwrap_or(&null);
    let thinking = [text_of(message, "reasoning_content"), text_of(message, "reasoning")];
    let calls = message.get("tool_calls").and_then(Value::as_array).into_iter().flatten();
    let older = message.get("function_call").and_then(|function| read_function("", function));
    ModelReply {
        text: content(message),
        thinking: thinking.iter().find(|text| !text.is_empty()).unwrap_or(&"").to_string(),
        tool_calls: calls.filter_map(read_call).chain(older).collect(),
        finish: finish(choice),
        ..ModelReply::default()
    }
}

fn finish(choice: &Value) -> Option<FinishReason> {
    let word = text_of(choice, "finish_reason");
    let refused = choice.get("message").is_some_and(|it| !text_of(it, "refusal").is_empty());
    (!word.is_empty()).then(|| unless_refused(FinishReason::from_name(word), refused))
}

// A text, or a list of parts that have one.
fn content(message: &Value) -> String {
    match message.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            parts.iter().filter(|part| is_text(part)).map(|part| text_of(part, "text")).collect()
        }
        _ => String::new(),
    }
}

fn is_text(part: &Value) -> bool {
    text_of(part, "type") == "text"
}

// Custom tools take free text, which cannot be proven whole.
fn read_call(call: &Value) -> Option<ToolCall> {
    let is_function = call.get("type").is_none_or(|kind| kind.is_null() || kind == "function");
    let function = call.get("function").filter(|_| is_function)?;
    read_function(text_of(call, "id"), function)
}

fn read_function(id: &str, function: &Value) -> Option<ToolCall> {
    function.as_object()?;
    // Some servers send the arguments as an object.
    let arguments = match function.get("arguments") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Null) | None => String::new(),
        Some(object) => object.to_string(),
    };
    Some(ToolCall { id: id.to_owned(), name: text_of(function, "name").to_owned(), arguments })
}

pub(super) fn patch(body: &mut Map<String, Value>, replies: &[ModelReply]) {
    let choices = body.get_mut("choices").and_then(Value::as_array_mut);
    for (choice, reply) in choices.into_iter().flatten().zip(replies) {
        patch_choice(choice, reply);
    }
}

fn patch_choice(choice: &mut Value, reply: &ModelReply) {
    if let Some(reason) = &reply.finish
        && finish(choice).as_ref() != Some(reason)
        && let Some(choice) = choice.as_object_mut()
    {
        set_text(choice, "finish_reason", finish_word(Dialect::Chat, reason));
    }
    let Some(choice) = choice.as_object_mut() else { return };
    if !choice.contains_key("message") && reply.text.is_empty() && reply.tool_calls.is_empty() {
        return;
    }
    let message = choice.entry("message").or_insert_with(|| json!({"role": "assistant"}));
    if content(message) != reply.text {
        patch_content(message, &reply.text);
    }
    let Some(message) = message.as_object_mut() else { return };
    let calls = patch_older_call(message, &reply.tool_calls);
    patch_calls(message, calls);
}

fn patch_content(message: &mut Value, text: &str) {
    match message.get_mut("content") {
        Some(Value::Array(parts)) => {
            let make = |text: &str| json!({"type": "text", "text": text});
            put_text(parts, text, is_text, make, <[Value]>::len);
        }
        _ => {
            if let Some(message) = message.as_object_mut() {
                set_text(message, "content", text);
            }
        }
    }
}

// The older form has one call, without an id; it was read as the last one. The others are returned.
fn patch_older_call<'a>(message: &mut Map<String, Value>, calls: &'a [ToolCall]) -> &'a [ToolCall] {
    let Some(function) = message.get_mut("function_call").filter(|call| call.is_object()) else {
        return calls;
    };
    match calls.split_last() {
        Some((call, others)) if call.id.is_empty() => {
            write_function(function, call);
            others
        }
        _ => {
            message.shift_remove("function_call");
            calls
        }
    }
}

fn patch_calls(message: &mut Map<String, Value>, calls: &[ToolCall]) {
    if calls.is_empty() && !message.contains_key("tool_calls") {
        return;
    }
    let place = message.entry("tool_calls").or_insert_with(|| json!([]));
    if !place.is_array() {
        if calls.is_empty() {
            return;
        }
        *place = json!([]);
    }
    let Some(parts) = place.as_array_mut() else { return };
    let had_some = !parts.is_empty();
    put_calls(parts, calls, read_call, write_call, make_call);
    // An empty list of calls is an error for some clients.
    if parts.is_empty() && had_some {
        message.shift_remove("tool_calls");
    }
}

fn write_call(part: &mut Value, call: &ToolCall) {
    if let Some(function) = part.get_mut("function") {
        write_function(function, call);
    }
}

fn write_function(function: &mut Value, call: &ToolCall) {
    let unchanged = read_function(&call.id, function).as_ref() == Some(call);
    if let Some(function) = function.as_object_mut().filter(|_| !unchanged) {
        set_text(function, "name", &call.name);
        set_text(function, "arguments", &call.arguments);
    }
}

fn make_call(call: &ToolCall, number: usize) -> Value {
    json!({
        "id": id_or_made_up(call, number),
        "type": "function",
        "function": {"name": call.name, "arguments": call.arguments},
    })
}
