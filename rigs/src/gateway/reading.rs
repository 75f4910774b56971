//! What a client makes of a reply, read independently of the product.
//!
//! In: the bytes of a body or a stream in one of the dialects. Out: the text, the tool calls, the
//! reason it ended and the usage; or why a strict client would give up. Never tolerant: a stream
//! without its end, a frame that is no JSON or a delta for a block that was not opened is malformed.

use anyhow::{Context, bail, ensure};
use serde_json::Value;

/// The three dialects, by their paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    Chat,
    Responses,
    Messages,
}

impl Dialect {
    pub(crate) const ALL: [Self; 3] = [Self::Chat, Self::Responses, Self::Messages];

    pub(crate) fn path(self) -> &'static str {
        match self {
            Self::Chat => "/v1/chat/completions",
            Self::Responses => "/v1/responses",
            Self::Messages => "/v1/messages",
        }
    }
}

/// What a client has in the end.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) text: String,
    /// Name and arguments.
    pub(crate) tools: Vec<(String, String)>,
    pub(crate) finish: String,
    pub(crate) output_tokens: u64,
    /// An error event or body, in the dialect's own shape.
    pub(crate) error: Option<String>,
}

/// Reads a whole body.
pub(crate) fn whole(dialect: Dialect, body: &[u8]) -> anyhow::Result<Seen> {
    let body: Value = serde_json::from_slice(body).context("the body is not JSON")?;
    let mut seen = Seen::default();
    if !body["error"].is_null() {
        seen.error = Some(body["error"].to_string());
        return Ok(seen);
    }
    match dialect {
        Dialect::Chat => {
            let choice = &body["choices"][0];
            text_of(&mut seen.text, &choice["message"]["content"]);
            for call in list(&choice["message"]["tool_calls"]) {
                let function = &call["function"];
                seen.tools.push((owned(&function["name"]), owned(&function["arguments"])));
            }
            seen.finish = owned(&choice["finish_reason"]);
            seen.output_tokens = number(&body["usage"]["completion_tokens"]);
        }
        Dialect::Responses => responses_object(&mut seen, &body),
        Dialect::Messages => {
            for block in list(&body["content"]) {
                match block["type"].as_str() {
                    Some("text") => text_of(&mut seen.text, &block["text"]),
                    Some("tool_use") => {
                        seen.tools.push((owned(&block["name"]), block["input"].to_string()));
                    }
                    _ => {}
                }
            }
            seen.finish = owned(&body["stop_reason"]);
            seen.output_tokens = number(&body["usage"]["output_tokens"]);
        }
    }
    ensure!(!seen.finish.is_empty(), "the reply says no reason why it ended");
    Ok(seen)
}

/// Reads a stream to its end.
pub(crate) fn streamed(dialect: Dialect, body: &[u8]) -> anyhow::Result<Seen> {
    let body = std::str::from_utf8(body).context("the stream is not UTF-8")?;
    ensure!(body.ends_with("\n\n"), "the stream ends inside a frame");
    let mut seen = Seen::default();
    let mut state = State::default();
    for frame in body.split("\n\n").filter(|frame| !frame.is_empty()) {
        let mut data = String::new();
        for line in frame.split('\n') {
            if let Some(rest) = line.strip_prefix("data:") {
                data.push_str(rest.trim_start());
            }
        }
        if data.is_empty() {
            continue;
        }
        ensure!(!state.ended, "a frame after the end: {data}");
        if data == "[DONE]" {
            state.ended = true;
            continue;
        }
        let event: Value =
            serde_json::from_str(&data).with_context(|| format!("a frame is not JSON: {data}"))?;
        match dialect {
            Dialect::Chat => chat_event(&mut seen, &event),
            Dialect::Responses => responses_event(&mut seen, &mut state, &event)?,
            Dialect::Messages => messages_event(&mut seen, &mut state, &event)?,
        }
    }
    if seen.error.is_some() {
        return Ok(seen);
    }
    ensure!(state.ended, "the stream has no end");
    ensure!(!seen.finish.is_empty(), "the stream says no reason why it ended");
    Ok(seen)
}

#[derive(Default)]
struct State {
    ended: bool,
    open: Option<u64>,
    blocks: u64,
    sequence: Option<u64>,
    streamed_text: String,
}

fn chat_event(seen: &mut Seen, event: &Value) {
    if !event["error"].is_null() {
        seen.error = Some(event["error"].to_string());
    }
    if !event["usage"].is_null() {
        seen.output_tokens = number(&event["usage"]["completion_tokens"]);
    }
    let choice = &event["choices"][0];
    text_of(&mut seen.text, &choice["delta"]["content"]);
    for call in list(&choice["delta"]["tool_calls"]) {
        let at = number(&call["index"]) as usize;
        while seen.tools.len() <= at && at < 64 {
            seen.tools.push(Default::default());
        }
        let Some((name, arguments)) = seen.tools.get_mut(at) else { continue };
        text_of(name, &call["function"]["name"]);
        text_of(arguments, &call["function"]["arguments"]);
    }
    if let Some(reason) = choice["finish_reason"].as_str() {
        seen.finish = reason.to_owned();
    }
}

fn messages_event(seen: &mut Seen, state: &mut State, event: &Value) -> anyhow::Result<()> {
    let index = number(&event["index"]);
    match event["type"].as_str().unwrap_or_default() {
        "content_block_start" => {
            ensure!(state.open.is_none(), "a block opens inside another");
            ensure!(index == state.blocks, "block {index} opens, {} was due", state.blocks);
            state.open = Some(index);
            state.blocks += 1;
            let block = &event["content_block"];
            if block["type"] == "tool_use" {
                seen.tools.push((owned(&block["name"]), String::new()));
            }
            text_of(&mut seen.text, &block["text"]);
        }
        "content_block_delta" => {
            ensure!(state.open == Some(index), "a delta for block {index}, which is not open");
            text_of(&mut seen.text, &event["delta"]["text"]);
            if let Some((_, arguments)) = seen.tools.last_mut() {
                text_of(arguments, &event["delta"]["partial_json"]);
            }
        }
        "content_block_stop" => {
            ensure!(state.open == Some(index), "block {index} ends and was not open");
            state.open = None;
        }
        "message_delta" => {
            ensure!(state.open.is_none(), "the message ends with an open block");
            text_of(&mut seen.finish, &event["delta"]["stop_reason"]);
            seen.output_tokens = number(&event["usage"]["output_tokens"]);
        }
        "message_stop" => state.ended = true,
        "error" => seen.error = Some(event["error"].to_string()),
        _ => {}
    }
    Ok(())
}

fn responses_event(seen: &mut Seen, state: &mut State, event: &Value) -> anyhow::Result<()> {
    if let Some(sequence) = event["sequence_number"].as_u64() {
        let due = state.sequence.map_or(sequence, |last| last + 1);
        ensure!(sequence == due, "sequence number {sequence}, {due} was due");
        state.sequence = Some(sequence);
    }
    match event["type"].as_str().unwrap_or_default() {
        "response.output_text.delta" => text_of(&mut state.streamed_text, &event["delta"]),
        "response.completed" | "response.incomplete" => {
            responses_object(seen, &event["response"]);
            state.ended = true;
            if seen.text != state.streamed_text {
                bail!("the deltas and the finished response hold different texts");
            }
        }
        "response.failed" => seen.error = Some(event["response"]["error"].to_string()),
        "error" => seen.error = Some(event.to_string()),
        _ => {}
    }
    Ok(())
}

fn responses_object(seen: &mut Seen, response: &Value) {
    for item in list(&response["output"]) {
        match item["type"].as_str() {
            Some("message") => {
                for part in list(&item["content"]) {
                    text_of(&mut seen.text, &part["text"]);
                }
            }
            Some("function_call") => {
                seen.tools.push((owned(&item["name"]), owned(&item["arguments"])));
            }
            _ => {}
        }
    }
    seen.finish = owned(&response["status"]);
    seen.output_tokens = number(&response["usage"]["output_tokens"]);
}

fn text_of(into: &mut String, value: &Value) {
    into.push_str(value.as_str().unwrap_or_default());
}

fn owned(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_default()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(events: &[&str]) -> Vec<u8> {
        events.iter().flat_map(|event| format!("data: {event}\n\n").into_bytes()).collect()
    }

    #[test]
    fn a_stream_is_read_as_a_strict_client_does() {
        let chat = frames(&[
            r#"{"choices":[{"delta":{"content":"a"}}]}"#,
            r#"{"choices":[{"delta":{"content":"b"},"finish_reason":"stop"}]}"#,
            r#"{"choices":[],"usage":{"completion_tokens":2}}"#,
            "[DONE]",
        ]);
        let seen = streamed(Dialect::Chat, &chat).unwrap();
        let right =
            Seen { text: "ab".into(), finish: "stop".into(), output_tokens: 2, ..Seen::default() };
        assert_eq!(seen, right);
        let tool = frames(&[
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","name":"f"}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"partial_json":"{}"}}"#,
            r#"{"type":"content_block_stop","index":0}"#,
            r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":1}}"#,
            r#"{"type":"message_stop"}"#,
        ]);
        let seen = streamed(Dialect::Messages, &tool).unwrap();
        assert_eq!(seen.tools, [("f".to_owned(), "{}".to_owned())]);
    }

    #[test]
    fn a_malformed_stream_is_refused() {
        let end = r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#;
        let block = r#"{"type":"content_block_delta","index":0,"delta":{"text":"a"}}"#;
        let done = r#"{"type":"response.completed","response":{"status":"completed","output":[]}}"#;
        let delta = r#"{"type":"response.output_text.delta","delta":"lost"}"#;
        for (dialect, events) in [
            (Dialect::Chat, &[end][..]),
            (Dialect::Chat, &["{", "[DONE]"]),
            (Dialect::Chat, &[end, "[DONE]", end]),
            (Dialect::Chat, &["[DONE]"]),
            (Dialect::Messages, &[block]),
            (Dialect::Responses, &[delta, done]),
        ] {
            assert!(streamed(dialect, &frames(events)).is_err(), "{dialect:?} {events:?}");
        }
        assert!(streamed(Dialect::Chat, b"data: {}").is_err(), "ends inside a frame");
    }
}
