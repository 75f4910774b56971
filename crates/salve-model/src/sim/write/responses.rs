//! OpenAI Responses, as a server writes it.
//!
//! In: a reply. Out: a `response`, or its events up to `response.completed` (or `.incomplete`). A
//! finish that is never said is a stream without that last event.

use super::{Chunk, Envelope, Frames, call_id};
use crate::reply::{ModelReply, ToolCall};
use salve_types::{FinishReason, Usage};
use serde_json::{Value, json};

pub(super) fn whole(envelope: &Envelope, reply: &ModelReply) -> Value {
    response(envelope, reply, &outputs(envelope, reply), status(reply))
}

fn outputs(envelope: &Envelope, reply: &ModelReply) -> Vec<Value> {
    let mut output = Vec::new();
    // Only the last item of a cut reply is incomplete.
    let cut = item_status(reply);
    let calls = reply.tool_calls.len();
    if !reply.thinking.is_empty() {
        let is_last = reply.text.is_empty() && calls == 0;
        output.push(reasoning(envelope, &reply.thinking, if is_last { cut } else { "completed" }));
    }
    if !reply.text.is_empty() || (calls == 0 && reply.thinking.is_empty()) {
        let status = if calls == 0 { cut } else { "completed" };
        output.push(message(envelope, &reply.text, status));
    }
    for (at, call) in reply.tool_calls.iter().enumerate() {
        let status = if at + 1 == calls { cut } else { "completed" };
        output.push(function_call(envelope, at, call, &call.arguments, status));
    }
    output
}

fn reasoning(envelope: &Envelope, thinking: &str, status: &str) -> Value {
    json!({
        "id": format!("rs_{}", envelope.tag),
        "type": "reasoning",
        "summary": [{ "type": "summary_text", "text": thinking }],
        "status": status,
    })
}

fn message(envelope: &Envelope, text: &str, status: &str) -> Value {
    json!({
        "id": format!("msg_{}", envelope.tag),
        "type": "message",
        "status": status,
        "role": "assistant",
        "content": [part(text)],
    })
}

fn part(text: &str) -> Value {
    json!({ "type": "output_text", "text": text, "annotations": [], "logprobs": [] })
}

fn function_call(
    envelope: &Envelope,
    at: usize,
    call: &ToolCall,
    arguments: &str,
    status: &str,
) -> Value {
    json!({
        "id": format!("fc_{}{at}", envelope.tag),
        "type": "function_call",
        "status": status,
        "call_id": call_id("call_", envelope, 0, at, call),
        "name": call.name,
        "arguments": arguments,
    })
}

fn response(envelope: &Envelope, reply: &ModelReply, output: &[Value], status: &str) -> Value {
    let asked = |name: &str, otherwise: Value| {
        envelope.request.get(name).filter(|value| !value.is_null()).cloned().unwrap_or(otherwise)
    };
    let reason = (status == "incomplete").then(|| match &reply.finish {
        Some(FinishReason::ContentFilter) => "content_filter",
        Some(FinishReason::Other(word)) => word,
        _ => "max_output_tokens",
    });
    let ended = matches!(status, "completed" | "incomplete");
    json!({
        "id": format!("resp_{}", envelope.tag),
        "object": "response",
        "created_at": envelope.created,
        "status": status,
        "background": false,
        "error": null,
        "incomplete_details": reason.map(|reason| json!({ "reason": reason })),
        "instructions": asked("instructions", Value::Null),
        "max_output_tokens": asked("max_output_tokens", Value::Null),
        "model": envelope.model,
        "output": output,
        "parallel_tool_calls": asked("parallel_tool_calls", json!(true)),
        "previous_response_id": asked("previous_response_id", Value::Null),
        "reasoning": asked("reasoning", json!({ "effort": null, "summary": null })),
        "service_tier": "default",
        "store": asked("store", json!(true)),
        "temperature": asked("temperature", json!(1.0)),
        "text": asked("text", json!({ "format": { "type": "text" } })),
        "tool_choice": asked("tool_choice", json!("auto")),
        "tools": asked("tools", json!([])),
        "top_p": asked("top_p", json!(1.0)),
        "truncation": asked("truncation", json!("disabled")),
        "usage": reply.usage.filter(|_| ended).map(usage_value),
        "user": asked("user", Value::Null),
        "metadata": asked("metadata", json!({})),
    })
}

pub(super) fn stream(envelope: &Envelope, reply: &ModelReply, chunk: &Chunk) -> Frames {
    let mut writer = Writer { frames: Frames::default(), sequence: 0, envelope };
    for kind in ["response.created", "response.in_progress"] {
        let begun = response(envelope, reply, &[], "in_progress");
        writer.event(kind, json!({ "response": begun }));
    }
    let items = outputs(envelope, reply);
    let last = items.len().saturating_sub(1);
    for (at, item) in items.iter().enumerate() {
        writer.words(at, item, reply, chunk);
        if at == last {
            writer.frames.words_end();
        }
        writer.close(at, item);
    }
    let status = status(reply);
    if reply.finish.is_some() {
        let ended = response(envelope, reply, &items, status);
        writer.event(&format!("response.{status}"), json!({ "response": ended }));
    }
    writer.frames
}

struct Writer<'a> {
    frames: Frames,
    sequence: u64,
    envelope: &'a Envelope,
}

impl Writer<'_> {
    // Begins an item of the output and says its words.
    fn words(&mut self, at: usize, item: &Value, reply: &ModelReply, chunk: &Chunk) {
        let id = &item["id"];
        match item["type"].as_str() {
            Some("reasoning") => {
                let begun = json!({ "id": id, "type": "reasoning", "summary": [] });
                self.item("response.output_item.added", at, &begun);
                let part = json!({ "type": "summary_text", "text": "" });
                let place = json!({ "item_id": id, "output_index": at, "summary_index": 0 });
                self.at(&place, "response.reasoning_summary_part.added", json!({ "part": part }));
                for piece in chunk.pieces(&reply.thinking) {
                    let kind = "response.reasoning_summary_text.delta";
                    self.at(&place, kind, json!({ "delta": piece }));
                }
            }
            Some("function_call") => {
                let mut begun = item.clone();
                begun["arguments"] = json!("");
                begun["status"] = json!("in_progress");
                self.item("response.output_item.added", at, &begun);
                let place = json!({ "item_id": id, "output_index": at });
                for piece in chunk.pieces(item["arguments"].as_str().unwrap_or_default()) {
                    let kind = "response.function_call_arguments.delta";
                    self.at(&place, kind, json!({ "delta": piece }));
                }
            }
            _ => {
                let mut begun = message(self.envelope, "", "in_progress");
                begun["content"] = json!([]);
                self.item("response.output_item.added", at, &begun);
                let place = json!({ "item_id": id, "output_index": at, "content_index": 0 });
                self.at(&place, "response.content_part.added", json!({ "part": part("") }));
                for piece in chunk.pieces(&reply.text) {
                    let more = json!({ "delta": piece, "logprobs": [] });
                    self.at(&place, "response.output_text.delta", more);
                }
            }
        }
    }

    // Repeats what was said, and ends the item.
    fn close(&mut self, at: usize, item: &Value) {
        let id = &item["id"];
        match item["type"].as_str() {
            Some("reasoning") => {
                let place = json!({ "item_id": id, "output_index": at, "summary_index": 0 });
                let part = &item["summary"][0];
                let text = json!({ "text": part["text"] });
                self.at(&place, "response.reasoning_summary_text.done", text);
                self.at(&place, "response.reasoning_summary_part.done", json!({ "part": part }));
            }
            Some("function_call") => {
                let place = json!({ "item_id": id, "output_index": at });
                let done = json!({ "arguments": item["arguments"], "name": item["name"] });
                self.at(&place, "response.function_call_arguments.done", done);
            }
            _ => {
                let place = json!({ "item_id": id, "output_index": at, "content_index": 0 });
                let part = &item["content"][0];
                let text = json!({ "text": part["text"], "logprobs": [] });
                self.at(&place, "response.output_text.done", text);
                self.at(&place, "response.content_part.done", json!({ "part": part }));
            }
        }
        self.item("response.output_item.done", at, item);
    }

    fn item(&mut self, kind: &str, at: usize, item: &Value) {
        self.event(kind, json!({ "output_index": at, "item": item }));
    }

    fn at(&mut self, place: &Value, kind: &str, more: Value) {
        let mut event = place.clone();
        merge(&mut event, more);
        self.event(kind, event);
    }

    fn event(&mut self, kind: &str, fields: Value) {
        let mut event = json!({ "type": kind, "sequence_number": self.sequence });
        merge(&mut event, fields);
        self.sequence += 1;
        self.frames.event(&event);
    }
}

fn merge(into: &mut Value, more: Value) {
    if let (Value::Object(into), Value::Object(more)) = (into, more) {
        into.extend(more);
    }
}

fn status(reply: &ModelReply) -> &'static str {
    match &reply.finish {
        None => "in_progress",
        Some(FinishReason::Stop | FinishReason::ToolCalls) => "completed",
        Some(_) => "incomplete",
    }
}

fn item_status(reply: &ModelReply) -> &'static str {
    if status(reply) == "incomplete" { "incomplete" } else { "completed" }
}

fn usage_value(usage: Usage) -> Value {
    let mut value = json!({
        "input_tokens": usage.input_tokens,
        "input_tokens_details": { "cached_tokens": usage.cached_tokens, "cache_write_tokens": 0 },
        "output_tokens": usage.output_tokens,
        "output_tokens_details": { "reasoning_tokens": usage.reasoning_tokens },
        "total_tokens": usage.total(),
    });
    if usage.search_calls > 0 {
        let searched = json!({ "document_search_calls": usage.search_calls });
        value["server_side_tool_usage_details"] = searched;
    }
    value
}
