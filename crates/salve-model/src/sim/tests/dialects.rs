//! What is said comes back in every dialect, whole and as a stream.

use super::client::{Answer, ask, question, start};
use crate::wire::Dialect;
use serde_json::{Value, json};

const SCRIPT: &str = r#"{"reply":{"thinking":"hmm, ünder","text":"Hello, wörld: \"x\"\n","tool_calls":[{"name":"write","arguments":{"path":"a.rs","n":1}},{"name":"read","arguments":"{}"}],"chunk":3}}"#;

/// What a dialect's body or events say.
fn said(dialect: Dialect, answer: &Answer, stream: bool) -> Value {
    match (dialect, stream) {
        (Dialect::Chat, false) => chat_whole(&answer.json()),
        (Dialect::Chat, true) => chat_stream(&answer.events()),
        (Dialect::Responses, false) => responses_whole(&answer.json()),
        (Dialect::Responses, true) => {
            let events = answer.events();
            let last = events.last().unwrap();
            assert_eq!(last["type"], "response.completed");
            let deltas = responses_deltas(&events);
            let whole = responses_whole(&last["response"]);
            assert_eq!(deltas, whole["said"], "deltas and the last event say the same");
            whole
        }
        (Dialect::Messages, false) => messages_whole(&answer.json()),
        (Dialect::Messages, true) => messages_stream(&answer.events()),
    }
}

fn chat_whole(body: &Value) -> Value {
    let choice = &body["choices"][0];
    let message = &choice["message"];
    let calls = message["tool_calls"].as_array().unwrap().iter();
    let calls: Vec<Value> = calls
        .map(|call| json!([call["function"]["name"], call["function"]["arguments"]]))
        .collect();
    let said = json!([message["reasoning_content"], message["content"], calls]);
    json!({ "said": said, "finish": choice["finish_reason"], "out": body["usage"]["completion_tokens"] })
}

fn chat_stream(events: &[Value]) -> Value {
    let (mut thinking, mut text) = (String::new(), String::new());
    let mut calls: Vec<(String, String)> = Vec::new();
    let mut finish = Value::Null;
    let mut out = Value::Null;
    for event in events {
        if !event["usage"].is_null() {
            out = event["usage"]["completion_tokens"].clone();
            continue;
        }
        let choice = &event["choices"][0];
        let delta = &choice["delta"];
        thinking.push_str(delta["reasoning_content"].as_str().unwrap_or(""));
        text.push_str(delta["content"].as_str().unwrap_or(""));
        for call in delta["tool_calls"].as_array().unwrap_or(&Vec::new()) {
            if let Some(name) = call["function"]["name"].as_str() {
                calls.push((name.to_owned(), String::new()));
            }
            let at = usize::try_from(call["index"].as_u64().unwrap()).unwrap();
            calls[at].1.push_str(call["function"]["arguments"].as_str().unwrap());
        }
        if !choice["finish_reason"].is_null() {
            finish = choice["finish_reason"].clone();
        }
    }
    json!({ "said": [thinking, text, calls], "finish": finish, "out": out })
}

fn responses_whole(body: &Value) -> Value {
    let items = body["output"].as_array().unwrap();
    let of = |kind: &'static str| items.iter().filter(move |item| item["type"] == kind);
    let calls: Vec<Value> =
        of("function_call").map(|call| json!([call["name"], call["arguments"]])).collect();
    let thinking = of("reasoning").map(|item| item["summary"][0]["text"].clone()).next();
    let text = of("message").map(|item| item["content"][0]["text"].clone()).next();
    json!({
        "said": [thinking, text, calls],
        "finish": body["status"],
        "out": body["usage"]["output_tokens"],
    })
}

fn responses_deltas(events: &[Value]) -> Value {
    let (mut thinking, mut text) = (String::new(), String::new());
    let mut calls: Vec<(Value, String)> = Vec::new();
    for (at, event) in events.iter().enumerate() {
        assert_eq!(event["sequence_number"], at);
        let delta = event["delta"].as_str().unwrap_or_default();
        match event["type"].as_str().unwrap() {
            "response.reasoning_summary_text.delta" => thinking.push_str(delta),
            "response.output_text.delta" => text.push_str(delta),
            "response.function_call_arguments.delta" => calls.last_mut().unwrap().1.push_str(delta),
            "response.output_item.added" if event["item"]["type"] == "function_call" => {
                calls.push((event["item"]["name"].clone(), String::new()));
            }
            _ => {}
        }
    }
    json!([thinking, text, calls])
}

fn messages_whole(body: &Value) -> Value {
    let blocks = body["content"].as_array().unwrap();
    let calls = blocks.iter().filter(|block| block["type"] == "tool_use");
    let calls: Vec<Value> =
        calls.map(|call| json!([call["name"], call["input"].to_string()])).collect();
    let out = &body["usage"]["output_tokens"];
    let said = json!([blocks[0]["thinking"], blocks[1]["text"], calls]);
    json!({ "said": said, "finish": body["stop_reason"], "out": out })
}

fn messages_stream(events: &[Value]) -> Value {
    assert_eq!(events[0]["type"], "message_start");
    assert_eq!(events.last().unwrap()["type"], "message_stop");
    let (mut thinking, mut text) = (String::new(), String::new());
    let mut calls: Vec<(Value, String)> = Vec::new();
    let mut end = Value::Null;
    for event in events {
        match event["type"].as_str().unwrap() {
            "content_block_start" if event["content_block"]["type"] == "tool_use" => {
                calls.push((event["content_block"]["name"].clone(), String::new()));
            }
            "content_block_delta" => {
                let delta = &event["delta"];
                thinking.push_str(delta["thinking"].as_str().unwrap_or(""));
                text.push_str(delta["text"].as_str().unwrap_or(""));
                if let Some(piece) = delta["partial_json"].as_str() {
                    calls.last_mut().unwrap().1.push_str(piece);
                }
            }
            "message_delta" => end = event.clone(),
            _ => {}
        }
    }
    let finish = &end["delta"]["stop_reason"];
    json!({ "said": [thinking, text, calls], "finish": finish, "out": end["usage"]["output_tokens"] })
}

#[tokio::test]
async fn every_dialect_says_the_same_whole_and_streamed() {
    let sim = start(SCRIPT).await;
    let calls = json!([["write", r#"{"path":"a.rs","n":1}"#], ["read", "{}"]]);
    let words = json!(["hmm, ünder", "Hello, wörld: \"x\"\n", calls]);
    let ends = ["tool_calls", "completed", "tool_use"];
    for (dialect, finish) in Dialect::ALL.into_iter().zip(ends) {
        for stream in [false, true] {
            let mut body = question(dialect, "hi", stream);
            body["stream_options"] = json!({ "include_usage": true });
            let answer = ask(&sim, dialect, &body).await;
            assert_eq!((answer.status, answer.is_whole), (200, true), "{}", answer.text());
            // 11 + 19 + 5 + 21 + 4 + 2 bytes, four a token.
            let expected = json!({ "said": words, "finish": finish, "out": 16 });
            assert_eq!(said(dialect, &answer, stream), expected, "{dialect:?} {stream}");
        }
    }
    let calls = sim.calls();
    assert_eq!((calls.calls, calls.unmatched, calls.in_flight, calls.aborted), (6, 0, 0, 0));
    assert_eq!(calls.paid.output_tokens, 6 * 16);
    sim.stop().await;
}
