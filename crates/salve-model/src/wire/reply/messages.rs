//! Whole replies of Anthropic Messages.
//!
//! In: a `message` object. Out: its answer, or the object with another one. Never touches thinking,
//! citations or blocks of the provider's own tools.

use super::super::Dialect;
use super::super::words::finish_word;
use super::pieces::{id_or_made_up, put_calls, put_text};
use super::{set_text, text_of};
use crate::reply::{ModelReply, ToolCall};
use salve_types::FinishReason;
use serde_json::{Map, Value, json};

pub(super) fn read(body: &Value) -> Option<Vec<ModelReply>> {
    let blocks = body.get("content")?.as_array()?;
    let all = |kind: &'static str, key: &'static str| -> String {
        let chosen = blocks.iter().filter(move |block| text_of(block, "type") == kind);
        chosen.map(move |block| text_of(block, key)).collect()
    };
    Some(vec![ModelReply {
        text: all("text", "text"),
        thinking: all("thinking", "thinking"),
        tool_calls: blocks.iter().filter_map(read_call).collect(),
        finish: finish(text_of(body, "stop_reason")),
        ..ModelReply::default()
    }])
}

fn finish(word: &str) -> Option<FinishReason> {
    (!word.is_empty()).then(|| FinishReason::from_name(word))
}

fn is_text(block: &Value) -> bool {
    text_of(block, "type") == "text"
}

fn read_call(block: &Value) -> Option<ToolCall> {
    (text_of(block, "type") == "tool_use").then(|| ToolCall {
        id: text_of(block, "id").to_owned(),
        name: text_of(block, "name").to_owned(),
        arguments: match block.get("input") {
            // A proxy that could not parse what the model wrote passes it as text.
            Some(Value::String(text)) => text.clone(),
            Some(Value::Null) | None => String::new(),
            Some(input) => input.to_string(),
        },
    })
}

pub(super) fn patch(body: &mut Map<String, Value>, replies: &[ModelReply]) {
    let Some(reply) = replies.first() else { return };
    let word = body.get("stop_reason").and_then(Value::as_str).unwrap_or_default();
    if let Some(reason) =
        reply.finish.as_ref().filter(|reason| finish(word).as_ref() != Some(*reason))
    {
        set_text(body, "stop_reason", finish_word(Dialect::Messages, reason));
    }
    let Some(blocks) = body.get_mut("content").and_then(Value::as_array_mut) else { return };
    let make = |text: &str| json!({"type": "text", "text": text});
    let before_calls = |blocks: &[Value]| {
        let call = blocks.iter().position(|block| read_call(block).is_some());
        call.unwrap_or(blocks.len())
    };
    put_text(blocks, &reply.text, is_text, make, before_calls);
    put_calls(blocks, &reply.tool_calls, read_call, write_call, make_call);
}

fn write_call(block: &mut Value, call: &ToolCall) {
    let unchanged = read_call(block).as_ref() == Some(call);
    if let Some(block) = block.as_object_mut().filter(|_| !unchanged) {
        set_text(block, "name", &call.name);
        block.insert("input".to_owned(), input_of(&call.arguments));
    }
}

fn make_call(call: &ToolCall, number: usize) -> Value {
    json!({
        "type": "tool_use",
        "id": id_or_made_up(call, number),
        "name": call.name,
        "input": input_of(&call.arguments),
    })
}

// Arguments that are no JSON stay visible as what they are, text.
fn input_of(arguments: &str) -> Value {
    if arguments.trim().is_empty() {
        return json!({});
    }
    serde_json::from_str(arguments).unwrap_or_else(|_| Value::from(arguments))
}
