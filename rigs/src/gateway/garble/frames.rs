//! Streams of the three dialects, and the text a client makes of them.
//!
//! In: a text or the arguments of calls, and the sizes of its pieces. Out: frames as the providers send them; and back. Never
//! uses the product's own writers or readers.

use super::super::reading::Dialect;
use serde_json::{Value, json};

/// What is to be written: a text, or the arguments of calls of the tool `write`.
#[derive(Debug, Clone)]
pub(super) enum Answer {
    Text(String),
    Calls(Vec<String>),
}

impl Answer {
    /// Returns all its words.
    pub(super) fn words(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Calls(calls) => calls.concat(),
        }
    }
}

/// Writes the frames of an answer.
pub(super) fn of(dialect: Dialect, answer: &Answer, piece: usize) -> Vec<String> {
    match (dialect, answer) {
        (Dialect::Chat, Answer::Text(text)) => chat(&pieces(text, piece)),
        (Dialect::Messages, Answer::Text(text)) => messages(&pieces(text, piece)),
        (Dialect::Responses, Answer::Text(text)) => responses(text, &pieces(text, piece)),
        (dialect, Answer::Calls(calls)) => super::calls::of(dialect, calls, piece),
    }
}

/// Cuts a text into pieces.
pub(super) fn pieces(text: &str, piece: usize) -> Vec<&str> {
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

/// Writes a chunk of Chat.
pub(super) fn chunk(delta: &Value, reason: &Value) -> String {
    let choice = json!({ "index": 0, "delta": delta, "logprobs": null, "finish_reason": reason });
    let chunk = json!({ "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1,
        "model": "m", "choices": [choice] });
    format!("data: {chunk}\n\n")
}

fn chat(pieces: &[&str]) -> Vec<String> {
    let mut frames = vec![chunk(&json!({ "role": "assistant", "content": "" }), &Value::Null)];
    frames.extend(pieces.iter().map(|piece| chunk(&json!({ "content": piece }), &Value::Null)));
    frames.push(chunk(&json!({}), &json!("stop")));
    frames.push("data: [DONE]\n\n".to_owned());
    frames
}

/// Writes an event with its name.
pub(super) fn named(value: &Value) -> String {
    format!("event: {}\ndata: {value}\n\n", value["type"].as_str().unwrap_or_default())
}

fn messages(pieces: &[&str]) -> Vec<String> {
    let mut frames = vec![
        json!({ "type": "message_start", "message": { "id": "msg_1", "type": "message",
            "role": "assistant", "model": "m", "content": [], "stop_reason": null,
            "usage": { "input_tokens": 9, "output_tokens": 1 } } }),
        json!({ "type": "content_block_start", "index": 0,
            "content_block": { "type": "text", "text": "" } }),
        json!({ "type": "ping" }),
    ];
    frames.extend(pieces.iter().map(|piece| {
        json!({ "type": "content_block_delta", "index": 0,
            "delta": { "type": "text_delta", "text": piece } })
    }));
    frames.push(json!({ "type": "content_block_stop", "index": 0 }));
    frames.push(json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn",
        "stop_sequence": null }, "usage": { "output_tokens": pieces.len() } }));
    frames.push(json!({ "type": "message_stop" }));
    frames.iter().map(named).collect()
}

fn responses(text: &str, pieces: &[&str]) -> Vec<String> {
    let part = |text: &str| json!({ "type": "output_text", "annotations": [], "text": text });
    let item = |status: &str, content: Value| {
        json!({ "id": "msg_0", "type": "message", "status": status, "role": "assistant",
            "content": content })
    };
    let response = |status: &str, output: Value| {
        json!({ "id": "resp_1", "object": "response", "created_at": 1, "status": status,
            "error": null, "incomplete_details": null, "model": "m", "output": output,
            "usage": { "input_tokens": 9, "output_tokens": pieces.len() } })
    };
    let whole = item("completed", json!([part(text)]));
    let mut frames = vec![
        json!({ "type": "response.created", "response": response("in_progress", json!([])) }),
        json!({ "type": "response.in_progress", "response": response("in_progress", json!([])) }),
        json!({ "type": "response.output_item.added", "output_index": 0,
            "item": item("in_progress", json!([])) }),
        json!({ "type": "response.content_part.added", "item_id": "msg_0", "output_index": 0,
            "content_index": 0, "part": part("") }),
    ];
    frames.extend(pieces.iter().map(|piece| {
        json!({ "type": "response.output_text.delta", "item_id": "msg_0", "output_index": 0,
            "content_index": 0, "delta": piece })
    }));
    frames.extend([
        json!({ "type": "response.output_text.done", "item_id": "msg_0", "output_index": 0,
            "content_index": 0, "text": text }),
        json!({ "type": "response.content_part.done", "item_id": "msg_0", "output_index": 0,
            "content_index": 0, "part": part(text) }),
        json!({ "type": "response.output_item.done", "output_index": 0, "item": whole }),
        json!({ "type": "response.completed", "response": response("completed", json!([whole])) }),
    ]);
    for (number, frame) in frames.iter_mut().enumerate() {
        frame["sequence_number"] = json!(number);
    }
    frames.iter().map(named).collect()
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

/// Returns the text that a client has in the end.
pub(super) fn received(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let of_text = |frame: &&str| {
        let kind = data(frame).unwrap_or_default()["type"].clone();
        let kinds = ["response.output_text.delta", "response.function_call_arguments.delta"];
        kind.is_null() || kind == "content_block_delta" || kinds.iter().any(|it| kind == **it)
    };
    text.split("\n\n").filter(of_text).filter_map(words).collect()
}

/// Returns whether nothing of one text is missing in the other.
pub(super) fn is_subsequence(part: &str, of: &str) -> bool {
    let mut all = of.bytes();
    part.bytes().all(|byte| all.any(|other| other == byte))
}
