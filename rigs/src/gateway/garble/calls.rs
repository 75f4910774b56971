//! Streams of calls in the three dialects.
//!
//! In: the arguments of each call and the sizes of their pieces. Out: frames as the providers send
//! them. Never uses the product's own writers.

use super::super::reading::Dialect;
use super::frames::{chunk, named, pieces};
use serde_json::{Value, json};

/// Writes the frames of calls of the tool `write`.
pub(super) fn of(dialect: Dialect, calls: &[String], piece: usize) -> Vec<String> {
    match dialect {
        Dialect::Chat => chat(calls, piece),
        Dialect::Messages => messages(calls, piece),
        Dialect::Responses => responses(calls, piece),
    }
}

fn chat(calls: &[String], piece: usize) -> Vec<String> {
    let mut frames = vec![chunk(&json!({ "role": "assistant", "content": null }), &Value::Null)];
    for (at, arguments) in calls.iter().enumerate() {
        let start = json!({ "index": at, "id": format!("call_{at}"), "type": "function",
            "function": { "name": "write", "arguments": "" } });
        frames.push(chunk(&json!({ "tool_calls": [start] }), &Value::Null));
        for piece in pieces(arguments, piece) {
            let more = json!({ "index": at, "function": { "arguments": piece } });
            frames.push(chunk(&json!({ "tool_calls": [more] }), &Value::Null));
        }
    }
    frames.push(chunk(&json!({}), &json!("tool_calls")));
    frames.push("data: [DONE]\n\n".to_owned());
    frames
}

fn messages(calls: &[String], piece: usize) -> Vec<String> {
    let mut frames = vec![json!({ "type": "message_start", "message": { "id": "msg_1",
        "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": null,
        "usage": { "input_tokens": 9, "output_tokens": 1 } } })];
    for (at, arguments) in calls.iter().enumerate() {
        frames.push(json!({ "type": "content_block_start", "index": at, "content_block": {
            "type": "tool_use", "id": format!("call_{at}"), "name": "write", "input": {} } }));
        frames.extend(pieces(arguments, piece).iter().map(|piece| {
            json!({ "type": "content_block_delta", "index": at,
                "delta": { "type": "input_json_delta", "partial_json": piece } })
        }));
        frames.push(json!({ "type": "content_block_stop", "index": at }));
    }
    frames.push(json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use",
        "stop_sequence": null }, "usage": { "output_tokens": 9 } }));
    frames.push(json!({ "type": "message_stop" }));
    frames.iter().map(named).collect()
}

fn responses(calls: &[String], piece: usize) -> Vec<String> {
    let item = |at: usize, status: &str, arguments: &str| {
        json!({ "id": format!("fc_{at}"), "type": "function_call", "status": status,
            "call_id": format!("call_{at}"), "name": "write", "arguments": arguments })
    };
    let response = |status: &str, output: Vec<Value>| {
        json!({ "id": "resp_1", "object": "response", "created_at": 1, "status": status,
            "error": null, "incomplete_details": null, "model": "m", "output": output,
            "usage": { "input_tokens": 9, "output_tokens": 9 } })
    };
    let mut frames = vec![
        json!({ "type": "response.created", "response": response("in_progress", Vec::new()) }),
        json!({ "type": "response.in_progress", "response": response("in_progress", Vec::new()) }),
    ];
    for (at, arguments) in calls.iter().enumerate() {
        frames.push(json!({ "type": "response.output_item.added", "output_index": at,
            "item": item(at, "in_progress", "") }));
        frames.extend(pieces(arguments, piece).iter().map(|piece| {
            json!({ "type": "response.function_call_arguments.delta", "output_index": at,
                "item_id": format!("fc_{at}"), "delta": piece })
        }));
        frames.push(json!({ "type": "response.function_call_arguments.done", "output_index": at,
            "item_id": format!("fc_{at}"), "arguments": arguments }));
        frames.push(json!({ "type": "response.output_item.done", "output_index": at,
            "item": item(at, "completed", arguments) }));
    }
    let all = calls.iter().enumerate().map(|(at, arguments)| item(at, "completed", arguments));
    frames.push(json!({ "type": "response.completed",
        "response": response("completed", all.collect()) }));
    for (number, frame) in frames.iter_mut().enumerate() {
        frame["sequence_number"] = json!(number);
    }
    frames.iter().map(named).collect()
}
