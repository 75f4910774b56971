//! OpenAI Chat Completions, as a server writes it.
//!
//! In: replies, one for each choice. Out: a `chat.completion`, or its chunks up to `[DONE]`. A
//! finish that is never said leaves its chunk out; the stream still ends.

use super::{Chunk, Envelope, Frames, call_id, usage};
use crate::reply::{ModelReply, ToolCall};
use salve_types::{FinishReason, Usage};
use serde_json::{Value, json};

pub(super) fn whole(envelope: &Envelope, replies: &[ModelReply]) -> Value {
    let choices: Vec<Value> = replies
        .iter()
        .enumerate()
        .map(|(at, reply)| {
            json!({
                "index": at,
                "message": message(envelope, at, reply),
                "logprobs": null,
                "finish_reason": reply.finish.as_ref().map(finish_name),
            })
        })
        .collect();
    let mut body = json!({
        "id": format!("chatcmpl-{}", envelope.tag),
        "object": "chat.completion",
        "created": envelope.created,
        "model": envelope.model,
        "choices": choices,
        "service_tier": "default",
        "system_fingerprint": "fp_sim",
    });
    if let Some(usage) = usage(replies) {
        body["usage"] = usage_value(usage);
    }
    body
}

fn message(envelope: &Envelope, choice: usize, reply: &ModelReply) -> Value {
    // A reply that only calls tools has no content, not an empty one.
    let content = (!reply.text.is_empty() || reply.tool_calls.is_empty()).then_some(&reply.text);
    let mut message =
        json!({ "role": "assistant", "content": content, "refusal": null, "annotations": [] });
    if !reply.thinking.is_empty() {
        message["reasoning_content"] = json!(reply.thinking);
    }
    if !reply.tool_calls.is_empty() {
        let calls = reply.tool_calls.iter().enumerate();
        let calls: Vec<Value> = calls
            .map(|(at, call)| {
                json!({
                    "id": call_id("call_", envelope, choice, at, call),
                    "type": "function",
                    "function": { "name": call.name, "arguments": call.arguments },
                })
            })
            .collect();
        message["tool_calls"] = Value::Array(calls);
    }
    message
}

pub(super) fn stream(envelope: &Envelope, replies: &[ModelReply], chunk: &Chunk) -> Frames {
    let mut writer = Writer { frames: Frames::default(), envelope };
    for (choice, reply) in replies.iter().enumerate() {
        writer.choice(choice, reply, chunk);
    }
    writer.frames.words_end();
    for (choice, reply) in replies.iter().enumerate() {
        if let Some(finish) = &reply.finish {
            writer.delta(choice, &json!({}), Some(finish_name(finish)));
        }
    }
    if let Some(usage) = usage(replies).filter(|_| envelope.include_usage) {
        writer.chunk(&json!([]), &usage_value(usage));
    }
    writer.frames.data(b"[DONE]");
    writer.frames
}

struct Writer<'a> {
    frames: Frames,
    envelope: &'a Envelope,
}

impl Writer<'_> {
    fn choice(&mut self, choice: usize, reply: &ModelReply, chunk: &Chunk) {
        let starts_with_call = reply.text.is_empty() && !reply.tool_calls.is_empty();
        let content = if starts_with_call { Value::Null } else { json!("") };
        let start = json!({ "role": "assistant", "content": content, "refusal": null });
        self.delta(choice, &start, None);
        for piece in chunk.pieces(&reply.thinking) {
            self.delta(choice, &json!({ "reasoning_content": piece }), None);
        }
        for piece in chunk.pieces(&reply.text) {
            self.delta(choice, &json!({ "content": piece }), None);
        }
        for (at, call) in reply.tool_calls.iter().enumerate() {
            self.call(choice, at, call, chunk);
        }
    }

    fn call(&mut self, choice: usize, at: usize, call: &ToolCall, chunk: &Chunk) {
        let id = call_id("call_", self.envelope, choice, at, call);
        let function = json!({ "name": call.name, "arguments": "" });
        let start = json!({ "index": at, "id": id, "type": "function", "function": function });
        self.delta(choice, &json!({ "tool_calls": [start] }), None);
        for piece in chunk.pieces(&call.arguments) {
            let more = json!({ "index": at, "function": { "arguments": piece } });
            self.delta(choice, &json!({ "tool_calls": [more] }), None);
        }
    }

    fn delta(&mut self, choice: usize, delta: &Value, finish: Option<&str>) {
        let choices = json!([{
            "index": choice,
            "delta": delta,
            "logprobs": null,
            "finish_reason": finish,
        }]);
        self.chunk(&choices, &Value::Null);
    }

    fn chunk(&mut self, choices: &Value, usage: &Value) {
        let mut chunk = json!({
            "id": format!("chatcmpl-{}", self.envelope.tag),
            "object": "chat.completion.chunk",
            "created": self.envelope.created,
            "model": self.envelope.model,
            "service_tier": "default",
            "system_fingerprint": "fp_sim",
            "choices": choices,
        });
        if self.envelope.include_usage {
            chunk["usage"] = usage.clone();
        }
        self.frames.data(chunk.to_string().as_bytes());
    }
}

fn finish_name(reason: &FinishReason) -> &str {
    reason.name()
}

fn usage_value(usage: Usage) -> Value {
    let mut value = json!({
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "total_tokens": usage.total(),
        "prompt_tokens_details": { "cached_tokens": usage.cached_tokens, "audio_tokens": 0 },
        "completion_tokens_details": {
            "reasoning_tokens": usage.reasoning_tokens,
            "audio_tokens": 0,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        },
    });
    if usage.search_calls > 0 {
        let searched = json!({ "document_search_calls": usage.search_calls });
        value["server_side_tool_usage_details"] = searched;
    }
    value
}

pub(super) fn error_type(status: u16) -> &'static str {
    match status {
        401 => "authentication_error",
        403 => "permission_error",
        429 => "rate_limit_error",
        500.. => "server_error",
        _ => "invalid_request_error",
    }
}

pub(super) fn error_code(status: u16) -> Option<&'static str> {
    match status {
        401 => Some("invalid_api_key"),
        404 => Some("not_found"),
        429 => Some("rate_limit_exceeded"),
        _ => None,
    }
}
