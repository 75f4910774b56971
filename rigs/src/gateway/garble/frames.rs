//! Streams of the three dialects.
//!
//! In: an answer, and the sizes of its pieces. Out: frames as the providers send them. Never uses the
//! product's own writers.

use super::super::reading::Dialect;
use super::answers::{Answer, Block};
use serde_json::{Value, json};

/// Writes the frames of an answer.
pub(super) fn of(dialect: Dialect, answer: &Answer, piece: usize) -> Vec<String> {
    match dialect {
        Dialect::Chat => chat(answer, piece),
        Dialect::Messages => messages(answer, piece),
        Dialect::Responses => responses(answer, piece),
    }
}

fn pieces(text: &str, piece: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let mut at = piece.max(1).min(rest.len());
        while !rest.is_char_boundary(at) {
            at += 1;
        }
        pieces.push(&rest[..at]);
        rest = &rest[at..];
    }
    pieces
}

fn chunk(delta: &Value, reason: &Value) -> String {
    let choice = json!({ "index": 0, "delta": delta, "logprobs": null, "finish_reason": reason });
    let chunk = json!({ "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1,
        "model": "m", "choices": [choice] });
    format!("data: {chunk}\n\n")
}

fn chat(answer: &Answer, piece: usize) -> Vec<String> {
    let more = |delta: &Value| chunk(delta, &Value::Null);
    let content = if answer.begins_with_text() { json!("") } else { Value::Null };
    let mut frames = vec![more(&json!({ "role": "assistant", "content": content }))];
    let mut calls = 0;
    for block in &answer.0 {
        match block {
            Block::Text(text) => {
                let pieces = pieces(text, piece);
                frames.extend(pieces.iter().map(|piece| more(&json!({ "content": piece }))));
            }
            Block::Call(name, arguments) => {
                let start = json!({ "index": calls, "id": format!("call_{calls}"),
                    "type": "function", "function": { "name": name, "arguments": "" } });
                frames.push(more(&json!({ "tool_calls": [start] })));
                frames.extend(pieces(arguments, piece).iter().map(|piece| {
                    let step = json!({ "index": calls, "function": { "arguments": piece } });
                    more(&json!({ "tool_calls": [step] }))
                }));
                calls += 1;
            }
        }
    }
    let reason = if calls == 0 { "stop" } else { "tool_calls" };
    frames.push(chunk(&json!({}), &json!(reason)));
    frames.push("data: [DONE]\n\n".to_owned());
    frames
}

fn named(value: &Value) -> String {
    format!("event: {}\ndata: {value}\n\n", value["type"].as_str().unwrap_or_default())
}

fn messages(answer: &Answer, piece: usize) -> Vec<String> {
    let mut frames = vec![json!({ "type": "message_start", "message": { "id": "msg_1",
        "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": null,
        "usage": { "input_tokens": 9, "output_tokens": 1 } } })];
    for (at, block) in answer.0.iter().enumerate() {
        let (start, words, kind, key) = match block {
            Block::Text(text) => {
                (json!({ "type": "text", "text": "" }), text, "text_delta", "text")
            }
            Block::Call(name, arguments) => (
                json!({ "type": "tool_use", "id": format!("call_{at}"), "name": name,
                    "input": {} }),
                arguments,
                "input_json_delta",
                "partial_json",
            ),
        };
        frames.push(json!({ "type": "content_block_start", "index": at, "content_block": start }));
        if at == 0 {
            frames.push(json!({ "type": "ping" }));
        }
        frames.extend(pieces(words, piece).iter().map(|piece| {
            json!({ "type": "content_block_delta", "index": at,
                "delta": { "type": kind, key: piece } })
        }));
        frames.push(json!({ "type": "content_block_stop", "index": at }));
    }
    let reason = if answer.calls().is_empty() { "end_turn" } else { "tool_use" };
    frames.push(json!({ "type": "message_delta", "delta": { "stop_reason": reason,
        "stop_sequence": null }, "usage": { "output_tokens": 9 } }));
    frames.push(json!({ "type": "message_stop" }));
    frames.iter().map(named).collect()
}

fn responses(answer: &Answer, piece: usize) -> Vec<String> {
    let response = |status: &str, output: &[Value]| {
        json!({ "id": "resp_1", "object": "response", "created_at": 1, "status": status,
            "error": null, "incomplete_details": null, "model": "m", "output": output,
            "usage": { "input_tokens": 9, "output_tokens": 9 } })
    };
    let mut frames = vec![
        json!({ "type": "response.created", "response": response("in_progress", &[]) }),
        json!({ "type": "response.in_progress", "response": response("in_progress", &[]) }),
    ];
    let mut output = Vec::new();
    for (at, block) in answer.0.iter().enumerate() {
        let item = match block {
            Block::Text(text) => message_item(&mut frames, at, text, piece),
            Block::Call(name, arguments) => call_item(&mut frames, at, (name, arguments), piece),
        };
        output.push(item);
    }
    frames.push(json!({ "type": "response.completed",
        "response": response("completed", &output) }));
    for (number, frame) in frames.iter_mut().enumerate() {
        frame["sequence_number"] = json!(number);
    }
    frames.iter().map(named).collect()
}

fn message_item(frames: &mut Vec<Value>, at: usize, text: &str, piece: usize) -> Value {
    let id = format!("msg_{at}");
    let part = |text: &str| json!({ "type": "output_text", "annotations": [], "text": text });
    let item = |status: &str, content: Value| {
        json!({ "id": id, "type": "message", "status": status, "role": "assistant",
            "content": content })
    };
    let event = |kind: &str, key: &str, value: Value| json!({ "type": kind, "item_id": id, "output_index": at, "content_index": 0, key: value });
    frames.push(json!({ "type": "response.output_item.added", "output_index": at,
        "item": item("in_progress", json!([])) }));
    frames.push(event("response.content_part.added", "part", part("")));
    let delta = |piece: &&str| event("response.output_text.delta", "delta", json!(piece));
    frames.extend(pieces(text, piece).iter().map(delta));
    frames.push(event("response.output_text.done", "text", json!(text)));
    frames.push(event("response.content_part.done", "part", part(text)));
    let whole = item("completed", json!([part(text)]));
    frames.push(json!({ "type": "response.output_item.done", "output_index": at, "item": whole }));
    whole
}

fn call_item(
    frames: &mut Vec<Value>,
    at: usize,
    (name, arguments): (&str, &str),
    piece: usize,
) -> Value {
    let id = format!("fc_{at}");
    let item = |status: &str, arguments: &str| {
        json!({ "id": id, "type": "function_call", "status": status,
            "call_id": format!("call_{at}"), "name": name, "arguments": arguments })
    };
    frames.push(json!({ "type": "response.output_item.added", "output_index": at,
        "item": item("in_progress", "") }));
    frames.extend(pieces(arguments, piece).iter().map(|piece| {
        json!({ "type": "response.function_call_arguments.delta", "output_index": at,
            "item_id": id, "delta": piece })
    }));
    frames.push(json!({ "type": "response.function_call_arguments.done", "output_index": at,
        "item_id": id, "arguments": arguments }));
    let whole = item("completed", arguments);
    frames.push(json!({ "type": "response.output_item.done", "output_index": at, "item": whole }));
    whole
}

/// Returns the words of a frame, if it is one that has some.
pub(super) fn words(frame: &str) -> Option<String> {
    let value = data(frame)?;
    let places = [
        "/choices/0/delta/content",
        "/choices/0/delta/content/0/text",
        "/choices/0/delta/tool_calls/0/function/arguments",
        "/delta/text",
        "/delta/partial_json",
        "/delta",
    ];
    places.iter().find_map(|place| value.pointer(place)?.as_str().map(str::to_owned))
}

/// Returns the data of a frame, if it is JSON.
pub(super) fn data(frame: &str) -> Option<Value> {
    let data = frame.lines().find_map(|line| line.strip_prefix("data:"))?;
    serde_json::from_str(data).ok()
}
