//! Anthropic Messages, as a server writes it.
//!
//! In: a reply. Out: a `message`, or its events up to `message_stop`. Arguments that were cut cannot
//! be an object; a whole body shows the members that came whole, as the provider's own does.

use super::{Chunk, Envelope, Frames, call_id};
use crate::reply::ModelReply;
use salve_types::{FinishReason, Usage};
use serde_json::{Map, Value, json};

pub(super) fn whole(envelope: &Envelope, reply: &ModelReply) -> Value {
    let mut content = Vec::new();
    if !reply.thinking.is_empty() {
        content.push(json!({
            "type": "thinking",
            "thinking": reply.thinking,
            "signature": signature(envelope),
        }));
    }
    if !reply.text.is_empty() {
        content.push(json!({ "type": "text", "text": reply.text }));
    }
    for (at, call) in reply.tool_calls.iter().enumerate() {
        content.push(json!({
            "type": "tool_use",
            "id": call_id("toolu_", envelope, 0, at, call),
            "name": call.name,
            "input": input(&call.arguments),
        }));
    }
    let mut message = message(envelope, reply.usage.map(usage_value));
    message["content"] = Value::Array(content);
    message["stop_reason"] = json!(reply.finish.as_ref().map(finish_name));
    message
}

fn message(envelope: &Envelope, usage: Option<Value>) -> Value {
    let mut message = json!({
        "id": format!("msg_{}", envelope.tag),
        "type": "message",
        "role": "assistant",
        "model": envelope.model,
        "content": [],
        "stop_reason": null,
        "stop_sequence": null,
    });
    // The clients cannot read a message without any usage; one that tells nothing tells zeros.
    message["usage"] = usage.unwrap_or_else(|| usage_value(Usage::default()));
    message
}

pub(super) fn stream(envelope: &Envelope, reply: &ModelReply, chunk: &Chunk) -> Frames {
    let mut writer = Writer { frames: Frames::default(), block: 0 };
    let usage = reply.usage.unwrap_or_default();
    let begun = Usage { output_tokens: usage.output_tokens.min(1), ..usage };
    let start = message(envelope, Some(usage_value(begun)));
    writer.frames.event(&json!({ "type": "message_start", "message": start }));
    writer.frames.event(&json!({ "type": "ping" }));
    writer.blocks(envelope, reply, chunk);
    writer.frames.words_end();
    writer.close();
    let mut delta = json!({
        "type": "message_delta",
        "delta": { "stop_reason": reply.finish.as_ref().map(finish_name), "stop_sequence": null },
    });
    delta["usage"] = json!({
        "output_tokens": usage.output_tokens,
        "output_tokens_details": { "thinking_tokens": usage.reasoning_tokens },
    });
    writer.frames.event(&delta);
    writer.frames.event(&json!({ "type": "message_stop" }));
    writer.frames
}

struct Writer {
    frames: Frames,
    // The number of blocks that were begun; the last one is open.
    block: usize,
}

impl Writer {
    fn blocks(&mut self, envelope: &Envelope, reply: &ModelReply, chunk: &Chunk) {
        if !reply.thinking.is_empty() {
            self.begin(&json!({ "type": "thinking", "thinking": "", "signature": "" }));
            for piece in chunk.pieces(&reply.thinking) {
                self.delta(&json!({ "type": "thinking_delta", "thinking": piece }));
            }
            self.delta(&json!({ "type": "signature_delta", "signature": signature(envelope) }));
        }
        if !reply.text.is_empty() {
            self.begin(&json!({ "type": "text", "text": "" }));
            for piece in chunk.pieces(&reply.text) {
                self.delta(&json!({ "type": "text_delta", "text": piece }));
            }
        }
        for (at, call) in reply.tool_calls.iter().enumerate() {
            let id = call_id("toolu_", envelope, 0, at, call);
            self.begin(&json!({ "type": "tool_use", "id": id, "name": call.name, "input": {} }));
            self.delta(&json!({ "type": "input_json_delta", "partial_json": "" }));
            for piece in chunk.pieces(&call.arguments) {
                self.delta(&json!({ "type": "input_json_delta", "partial_json": piece }));
            }
        }
    }

    fn begin(&mut self, block: &Value) {
        self.close();
        let start =
            json!({ "type": "content_block_start", "index": self.block, "content_block": block });
        self.frames.event(&start);
        self.block += 1;
    }

    fn delta(&mut self, delta: &Value) {
        let index = self.block.saturating_sub(1);
        self.frames
            .event(&json!({ "type": "content_block_delta", "index": index, "delta": delta }));
    }

    fn close(&mut self) {
        if let Some(index) = self.block.checked_sub(1) {
            self.frames.event(&json!({ "type": "content_block_stop", "index": index }));
        }
    }
}

fn signature(envelope: &Envelope) -> String {
    format!("sig{}", envelope.tag)
}

fn input(arguments: &str) -> Value {
    match serde_json::from_str(arguments) {
        Ok(Value::Object(object)) => Value::Object(object),
        _ => Value::Object(members_that_came_whole(arguments)),
    }
}

fn members_that_came_whole(arguments: &str) -> Map<String, Value> {
    let mut commas = Vec::new();
    let (mut depth, mut in_string, mut escaped) = (0_u32, false, false);
    for (at, byte) in arguments.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b',' if depth == 1 => commas.push(at),
            _ => {}
        }
    }
    let whole =
        commas.last().and_then(|&at| serde_json::from_str(&format!("{}}}", &arguments[..at])).ok());
    whole.unwrap_or_default()
}

fn finish_name(reason: &FinishReason) -> &str {
    match reason {
        FinishReason::Stop => "end_turn",
        FinishReason::Length => "max_tokens",
        FinishReason::ToolCalls => "tool_use",
        FinishReason::ContentFilter => "refusal",
        other => other.name(),
    }
}

fn usage_value(usage: Usage) -> Value {
    // The provider counts what came from a cache apart.
    json!({
        "input_tokens": usage.input_tokens.saturating_sub(usage.cached_tokens),
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": usage.cached_tokens,
        "output_tokens": usage.output_tokens,
        "output_tokens_details": { "thinking_tokens": usage.reasoning_tokens },
        "service_tier": "standard",
    })
}

pub(super) fn error_type(status: u16) -> &'static str {
    match status {
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        500.. => "api_error",
        _ => "invalid_request_error",
    }
}
