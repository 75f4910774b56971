//! Whole replies of OpenAI Responses.
//!
//! In: a `response` object. Out: its answer, or the object with another one. Never touches
//! reasoning items, annotations or calls of the provider's own tools.

use super::super::Dialect;
use super::super::words::{finish_word, unless_refused};
use super::pieces::{id_or_made_up, put_calls, put_text};
use super::{set_text, text_of};
use crate::reply::{ModelReply, ToolCall};
use salve_types::FinishReason;
use serde_json::{Map, Value, json};

pub(super) fn read(body: &Value) -> Option<Vec<ModelReply>> {
    let items = body.get("output")?.as_array()?;
    let tool_calls: Vec<ToolCall> = items.iter().filter_map(read_call).collect();
    let finish = finish(body.as_object()?, items);
    Some(vec![ModelReply {
        text: all_text(items),
        thinking: items.iter().map(thinking).collect(),
        finish,
        tool_calls,
        ..ModelReply::default()
    }])
}

fn finish(body: &Map<String, Value>, items: &[Value]) -> Option<FinishReason> {
    let reason = body.get("incomplete_details").map(|details| text_of(details, "reason"));
    let calls = items.iter().any(|item| read_call(item).is_some());
    let contents = items.iter().filter_map(|item| item.get("content")?.as_array());
    let refused = contents.flatten().any(|part| text_of(part, "type") == "refusal");
    let status = body.get("status").and_then(Value::as_str).unwrap_or_default();
    let reason = finish_of(status, reason, calls)?;
    Some(unless_refused(reason, refused))
}

/// Returns why a response ended: its status, the reason it gives when it is incomplete, and whether
/// it asks for tools, for which the dialect has no word.
pub(in super::super) fn finish_of(
    status: &str,
    reason: Option<&str>,
    calls: bool,
) -> Option<FinishReason> {
    match (status, reason) {
        ("" | "in_progress" | "queued", _) => None,
        ("completed", _) if calls => Some(FinishReason::ToolCalls),
        ("completed", _) => Some(FinishReason::Stop),
        ("incomplete", Some(reason)) if !reason.is_empty() => Some(FinishReason::from_name(reason)),
        ("incomplete", _) => Some(FinishReason::Length),
        (status, _) => Some(FinishReason::Other(status.to_owned())),
    }
}

fn is_message(item: &Value) -> bool {
    text_of(item, "type") == "message"
}

fn parts(item: &Value) -> impl Iterator<Item = &Value> {
    let parts = item.get("content").and_then(Value::as_array).into_iter().flatten();
    parts.filter(|part| is_text(part))
}

fn is_text(part: &Value) -> bool {
    text_of(part, "type") == "output_text"
}

fn part_text(part: &Value) -> &str {
    text_of(part, "text")
}

fn thinking(item: &Value) -> String {
    if text_of(item, "type") != "reasoning" {
        return String::new();
    }
    let lists = ["summary", "content"].iter().filter_map(|key| item.get(*key)?.as_array());
    lists.flatten().map(part_text).collect()
}

fn read_call(item: &Value) -> Option<ToolCall> {
    (text_of(item, "type") == "function_call").then(|| {
        let id = [text_of(item, "call_id"), text_of(item, "id")];
        ToolCall {
            id: id.iter().find(|id| !id.is_empty()).unwrap_or(&"").to_string(),
            name: text_of(item, "name").to_owned(),
            arguments: text_of(item, "arguments").to_owned(),
        }
    })
}

pub(super) fn patch(body: &mut Map<String, Value>, replies: &[ModelReply]) {
    let Some(reply) = replies.first() else { return };
    let before = body.get("output").and_then(Value::as_array).and_then(|it| finish(body, it));
    let Some(items) = body.get_mut("output").and_then(Value::as_array_mut) else { return };
    let old = all_text(items);
    patch_text(items, &old, &reply.text);
    put_calls(items, &reply.tool_calls, read_call, write_call, make_call);
    // A field of some servers and of the client libraries, which holds the text once more.
    if body.get("output_text").is_some_and(|text| *text == old) {
        set_text(body, "output_text", &reply.text);
    }
    if let Some(reason) = reply.finish.as_ref().filter(|_| reply.finish != before) {
        patch_finish(body, reason);
    }
}

fn all_text(items: &[Value]) -> String {
    items.iter().filter(|item| is_message(item)).flat_map(parts).map(part_text).collect()
}

// The text of an answer may stand in several messages, and each message may have several parts.
fn patch_text(items: &mut Vec<Value>, old: &str, text: &str) {
    if old == text {
        return;
    }
    let make = |text: &str| json!({"type": "output_text", "text": text, "annotations": [], "logprobs": []});
    let count = items.iter().filter(|item| is_message(item)).count();
    let goes_on = text.strip_prefix(old);
    let mut seen = 0;
    for item in items.iter_mut().filter(|item| is_message(item)) {
        seen += 1;
        let part_of_it: String = parts(item).map(part_text).collect();
        // What is new goes to the last message if the old text stays, and to the first if not.
        let wanted = match goes_on {
            Some(rest) if seen == count => part_of_it + rest,
            Some(_) => continue,
            None if seen == 1 => text.to_owned(),
            None => String::new(),
        };
        let Some(item) = item.as_object_mut() else { continue };
        let content = item.entry("content").or_insert_with(|| json!([]));
        if let Some(parts) = content.as_array_mut() {
            put_text(parts, &wanted, is_text, make, <[Value]>::len);
        }
    }
    if count == 0 {
        let call = items.iter().position(|item| read_call(item).is_some());
        let message = json!({
            "type": "message",
            "id": "msg_salve_0",
            "status": "completed",
            "role": "assistant",
            "content": [make(text)],
        });
        items.insert(call.unwrap_or(items.len()), message);
    }
}

fn write_call(item: &mut Value, call: &ToolCall) {
    if let Some(item) = item.as_object_mut() {
        set_text(item, "name", &call.name);
        set_text(item, "arguments", &call.arguments);
    }
}

fn make_call(call: &ToolCall, number: usize) -> Value {
    json!({
        "type": "function_call",
        "id": format!("fc_salve_{number}"),
        "call_id": id_or_made_up(call, number),
        "name": call.name,
        "arguments": call.arguments,
        "status": "completed",
    })
}

fn complete(item: &mut Value) {
    let kind = text_of(item, "type");
    if matches!(kind, "message" | "function_call")
        && text_of(item, "status") == "incomplete"
        && let Some(item) = item.as_object_mut()
    {
        set_text(item, "status", "completed");
    }
}

fn patch_finish(body: &mut Map<String, Value>, reason: &FinishReason) {
    write_finish(body, reason);
    let whole = matches!(reason, FinishReason::Stop | FinishReason::ToolCalls);
    let items = body.get_mut("output").and_then(Value::as_array_mut).filter(|_| whole);
    items.into_iter().flatten().for_each(complete);
}

/// Writes the status of a response and, where it is incomplete, why.
pub(in super::super) fn write_finish(body: &mut Map<String, Value>, reason: &FinishReason) {
    let (status, details) = match reason {
        FinishReason::Stop | FinishReason::ToolCalls => ("completed", Value::Null),
        FinishReason::Other(status) if matches!(status.as_str(), "failed" | "cancelled") => {
            (status.as_str(), Value::Null)
        }
        reason => ("incomplete", json!({"reason": finish_word(Dialect::Responses, reason)})),
    };
    set_text(body, "status", status);
    if !details.is_null() || body.contains_key("incomplete_details") {
        body.insert("incomplete_details".to_owned(), details);
    }
}
