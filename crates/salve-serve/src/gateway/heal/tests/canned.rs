//! Replies in the three dialects, written by hand for the tests.
//!
//! In: an answer, how it ends, and the size of its pieces. Out: the frames of a stream or the bytes
//! of a body, as the real providers send them. Never uses the code under test, so that a mistake in
//! it cannot hide here.

use bytes::Bytes;
use salve_model::wire::Dialect;
use serde_json::{Value, json};

/// An answer to be written.
#[derive(Debug, Clone, Default)]
pub(super) struct Canned {
    pub(super) thinking: String,
    pub(super) text: String,
    pub(super) calls: Vec<(&'static str, String)>,
    pub(super) ending: Ending,
    /// Tokens of prompt and answer; counted from the text when absent.
    pub(super) usage: Option<(u64, u64)>,
    /// Bytes of each piece.
    pub(super) piece: usize,
    /// Whether Chat sends the usage in a chunk of its own.
    pub(super) include_usage: bool,
}

/// How a reply ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Ending {
    /// The model says it is done.
    #[default]
    Stop,
    /// The limit was reached.
    Length,
    /// No reason is given, the stream ends as usual.
    Missing,
    /// The connection ends after the last piece.
    Disconnect,
    /// The provider gives up with an error.
    Error,
}

pub(super) const INPUT_TOKENS: u64 = 10;

impl Canned {
    pub(super) fn text(text: &str) -> Self {
        Self { text: text.to_owned(), piece: 7, ..Self::default() }
    }

    pub(super) fn call(name: &'static str, arguments: &str) -> Self {
        Self { calls: vec![(name, arguments.to_owned())], piece: 7, ..Self::default() }
    }

    pub(super) fn ending(mut self, ending: Ending) -> Self {
        self.ending = ending;
        self
    }

    pub(super) fn with_call(mut self, name: &'static str, arguments: &str) -> Self {
        self.calls.push((name, arguments.to_owned()));
        self
    }

    pub(super) fn thinking(mut self, thinking: &str) -> Self {
        thinking.clone_into(&mut self.thinking);
        self
    }

    pub(super) fn tokens(&self) -> (u64, u64) {
        let bytes = self.text.len() + self.calls.iter().map(|call| call.1.len()).sum::<usize>();
        self.usage.unwrap_or((INPUT_TOKENS, bytes as u64 / 4 + 1))
    }

    /// Writes the body of a reply that is not streamed.
    pub(super) fn whole(&self, dialect: Dialect) -> Bytes {
        let value = match dialect {
            Dialect::Chat => chat_body(&[self]),
            Dialect::Responses => responses_object(self, false),
            Dialect::Messages => messages_body(self),
        };
        // Spaces that no serializer of ours would write: the caller that re-encodes is found out.
        Bytes::from(format!("{{ {}", &value.to_string()[1..]))
    }

    /// Writes the frames of a stream.
    pub(super) fn frames(&self, dialect: Dialect) -> Vec<String> {
        match dialect {
            Dialect::Chat => chat_frames(self),
            Dialect::Responses => responses_frames(self),
            Dialect::Messages => messages_frames(self),
        }
    }

    /// Writes a stream.
    pub(super) fn stream(&self, dialect: Dialect) -> Bytes {
        Bytes::from(self.frames(dialect).concat())
    }

    fn pieces<'t>(&self, text: &'t str) -> Vec<&'t str> {
        let mut pieces = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let at = rest.ceil_char_boundary(self.piece.max(1).min(rest.len()));
            let (piece, after) = rest.split_at(at);
            pieces.push(piece);
            rest = after;
        }
        pieces
    }

    fn dies(&self) -> bool {
        matches!(self.ending, Ending::Disconnect | Ending::Error)
    }
}

/// Writes several answers as one Chat body.
pub(super) fn chat_choices(answers: &[&Canned]) -> Bytes {
    Bytes::from(chat_body(answers).to_string())
}

fn data(value: &Value) -> String {
    format!("data: {value}\n\n")
}

fn named(value: &Value) -> String {
    format!("event: {}\ndata: {value}\n\n", value["type"].as_str().unwrap_or_default())
}

// Chat Completions.

fn chat_reason(canned: &Canned) -> Value {
    match canned.ending {
        Ending::Stop if !canned.calls.is_empty() => json!("tool_calls"),
        Ending::Stop => json!("stop"),
        Ending::Length => json!("length"),
        _ => Value::Null,
    }
}

fn chat_usage((input, output): (u64, u64)) -> Value {
    json!({"prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output,
        "prompt_tokens_details": {"cached_tokens": 0}})
}

fn chat_body(answers: &[&Canned]) -> Value {
    let choice = |(index, canned): (usize, &&Canned)| {
        let mut message = json!({"role": "assistant", "content": canned.text, "refusal": null});
        if !canned.calls.is_empty() {
            let call = |(at, (name, arguments)): (usize, &(&str, String))| {
                json!({"id": format!("call_{at}"), "type": "function",
                    "function": {"name": name, "arguments": arguments}})
            };
            message["tool_calls"] = canned.calls.iter().enumerate().map(call).collect();
            if canned.text.is_empty() {
                message["content"] = Value::Null;
            }
        }
        json!({"index": index, "message": message, "logprobs": null,
            "finish_reason": chat_reason(canned), "x_vendor": [index]})
    };
    let (mut input, mut output) = (0, 0);
    for canned in answers {
        input = canned.tokens().0;
        output += canned.tokens().1;
    }
    json!({"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m",
        "choices": answers.iter().enumerate().map(choice).collect::<Vec<_>>(),
        "usage": chat_usage((input, output)), "system_fingerprint": "fp", "x_unknown": {"kept": true}})
}

fn chat_chunk(delta: &Value, reason: &Value) -> String {
    data(&json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m",
        "system_fingerprint": "fp", "choices": [{"index": 0, "delta": delta, "logprobs": null,
        "finish_reason": reason}], "x_unknown": 1}))
}

fn chat_frames(canned: &Canned) -> Vec<String> {
    let mut frames = vec![": hello\n\n".to_owned()];
    frames.push(chat_chunk(&json!({"role": "assistant", "content": ""}), &Value::Null));
    for piece in canned.pieces(&canned.thinking) {
        frames.push(chat_chunk(&json!({"reasoning_content": piece}), &Value::Null));
    }
    for piece in canned.pieces(&canned.text) {
        frames.push(chat_chunk(&json!({"content": piece}), &Value::Null));
    }
    for (at, (name, arguments)) in canned.calls.iter().enumerate() {
        let start = json!({"index": at, "id": format!("call_{at}"), "type": "function",
            "function": {"name": name, "arguments": ""}});
        frames.push(chat_chunk(&json!({"tool_calls": [start]}), &Value::Null));
        for piece in canned.pieces(arguments) {
            let more = json!({"index": at, "function": {"arguments": piece}});
            frames.push(chat_chunk(&json!({"tool_calls": [more]}), &Value::Null));
        }
    }
    if canned.ending == Ending::Error {
        frames.push(data(&json!({"error": {"message": "overloaded", "type": "server_error"}})));
    }
    if canned.dies() {
        return frames;
    }
    if canned.ending != Ending::Missing {
        frames.push(chat_chunk(&json!({}), &chat_reason(canned)));
    }
    if canned.include_usage {
        frames.push(data(&json!({"id": "chatcmpl-1", "object": "chat.completion.chunk",
            "created": 1, "model": "m", "choices": [], "usage": chat_usage(canned.tokens())})));
    }
    frames.push("data: [DONE]\n\n".to_owned());
    frames
}

// Messages.

fn messages_reason(canned: &Canned) -> Value {
    match canned.ending {
        Ending::Stop if !canned.calls.is_empty() => json!("tool_use"),
        Ending::Stop => json!("end_turn"),
        Ending::Length => json!("max_tokens"),
        _ => Value::Null,
    }
}

fn messages_body(canned: &Canned) -> Value {
    let mut content = Vec::new();
    if !canned.thinking.is_empty() {
        content.push(json!({"type": "thinking", "thinking": canned.thinking, "signature": "sig"}));
    }
    if !canned.text.is_empty() {
        content.push(json!({"type": "text", "text": canned.text}));
    }
    for (at, (name, arguments)) in canned.calls.iter().enumerate() {
        // The provider's own body has the arguments as JSON; a cut one is what it could read of it.
        let input = serde_json::from_str(arguments).unwrap_or_else(|_| json!({}));
        content.push(json!({"type": "tool_use", "id": format!("call_{at}"), "name": name,
            "input": input}));
    }
    let (input, output) = canned.tokens();
    json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": content,
        "stop_reason": messages_reason(canned), "stop_sequence": null,
        "usage": {"input_tokens": input, "output_tokens": output, "cache_read_input_tokens": 0},
        "x_unknown": {"kept": true}})
}

fn messages_block(frames: &mut Vec<String>, start: &Value, deltas: &[Value], open: bool) {
    let index = frames.iter().filter(|frame| frame.contains("content_block_start")).count();
    frames.push(named(&json!({"type": "content_block_start", "index": index,
        "content_block": start})));
    for delta in deltas {
        frames.push(named(&json!({"type": "content_block_delta", "index": index, "delta": delta})));
    }
    if !open {
        frames.push(named(&json!({"type": "content_block_stop", "index": index})));
    }
}

fn messages_frames(canned: &Canned) -> Vec<String> {
    let (input, output) = canned.tokens();
    let mut frames = vec![named(&json!({"type": "message_start", "message": {"id": "msg_1",
        "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": null,
        "stop_sequence": null, "usage": {"input_tokens": input, "output_tokens": 1}}}))];
    frames.push(named(&json!({"type": "ping"})));
    let last = canned.calls.len() + usize::from(!canned.text.is_empty());
    let mut block = 0;
    if !canned.thinking.is_empty() {
        let mut deltas: Vec<Value> = canned
            .pieces(&canned.thinking)
            .iter()
            .map(|piece| json!({"type": "thinking_delta", "thinking": piece}))
            .collect();
        deltas.push(json!({"type": "signature_delta", "signature": "sig"}));
        let open = canned.dies() && last == 0;
        messages_block(&mut frames, &json!({"type": "thinking", "thinking": ""}), &deltas, open);
    }
    if !canned.text.is_empty() {
        block += 1;
        let deltas: Vec<Value> = canned
            .pieces(&canned.text)
            .iter()
            .map(|piece| json!({"type": "text_delta", "text": piece}))
            .collect();
        let open = canned.dies() && block == last;
        messages_block(&mut frames, &json!({"type": "text", "text": ""}), &deltas, open);
    }
    for (at, (name, arguments)) in canned.calls.iter().enumerate() {
        block += 1;
        let start = json!({"type": "tool_use", "id": format!("call_{at}"), "name": name,
            "input": {}});
        let deltas: Vec<Value> = canned
            .pieces(arguments)
            .iter()
            .map(|piece| json!({"type": "input_json_delta", "partial_json": piece}))
            .collect();
        let open = canned.dies() && block == last;
        messages_block(&mut frames, &start, &deltas, open);
    }
    if canned.ending == Ending::Error {
        frames.push(named(&json!({"type": "error", "error": {"type": "overloaded_error",
            "message": "overloaded"}})));
    }
    if canned.dies() {
        return frames;
    }
    if canned.ending != Ending::Missing {
        frames.push(named(&json!({"type": "message_delta", "delta": {"stop_reason":
            messages_reason(canned), "stop_sequence": null}, "usage": {"output_tokens": output}})));
    }
    frames.push(named(&json!({"type": "message_stop"})));
    frames
}

// Responses.

fn responses_object(canned: &Canned, in_progress: bool) -> Value {
    let cut = canned.ending == Ending::Length;
    let status = match canned.ending {
        _ if in_progress => "in_progress",
        Ending::Length => "incomplete",
        _ => "completed",
    };
    let details =
        if cut && !in_progress { json!({"reason": "max_output_tokens"}) } else { Value::Null };
    let (input, output) = canned.tokens();
    let usage = json!({"input_tokens": input, "output_tokens": output,
        "total_tokens": input + output, "input_tokens_details": {"cached_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0}});
    let items = if in_progress { Vec::new() } else { responses_items(canned) };
    json!({"id": "resp_1", "object": "response", "created_at": 1, "status": status, "error": null,
        "incomplete_details": details, "model": "m", "output": items, "previous_response_id":
        "resp_0", "usage": if in_progress { Value::Null } else { usage },
        "x_unknown": {"kept": true}})
}

fn responses_items(canned: &Canned) -> Vec<Value> {
    let status = if canned.ending == Ending::Length { "incomplete" } else { "completed" };
    let mut items = Vec::new();
    if !canned.thinking.is_empty() {
        items.push(json!({"id": "rs_0", "type": "reasoning", "summary":
            [{"type": "summary_text", "text": canned.thinking}], "encrypted_content": "secret"}));
    }
    if !canned.text.is_empty() {
        items.push(json!({"id": "msg_0", "type": "message", "status": status, "role": "assistant",
            "content": [{"type": "output_text", "annotations": [], "logprobs": [],
            "text": canned.text}]}));
    }
    for (at, (name, arguments)) in canned.calls.iter().enumerate() {
        items.push(json!({"id": format!("fc_{at}"), "type": "function_call", "status": status,
            "call_id": format!("call_{at}"), "name": name, "arguments": arguments}));
    }
    items
}

struct Numbered {
    frames: Vec<String>,
    next: u64,
}

impl Numbered {
    fn push(&mut self, mut value: Value) {
        value["sequence_number"] = json!(self.next);
        self.next += 1;
        self.frames.push(named(&value));
    }

    fn reasoning(&mut self, canned: &Canned, item: &Value, index: usize) {
        self.push(json!({"type": "response.output_item.added", "output_index": index,
            "item": {"id": "rs_0", "type": "reasoning", "summary": []}}));
        let at = json!({"item_id": "rs_0", "output_index": index, "summary_index": 0});
        self.push(with(
            &at,
            &json!({"type": "response.reasoning_summary_part.added",
            "part": {"type": "summary_text", "text": ""}}),
        ));
        for piece in canned.pieces(&canned.thinking) {
            self.push(with(
                &at,
                &json!({"type": "response.reasoning_summary_text.delta",
                "delta": piece}),
            ));
        }
        self.push(with(
            &at,
            &json!({"type": "response.reasoning_summary_text.done",
            "text": canned.thinking}),
        ));
        self.push(with(
            &at,
            &json!({"type": "response.reasoning_summary_part.done",
            "part": {"type": "summary_text", "text": canned.thinking}}),
        ));
        self.push(json!({"type": "response.output_item.done", "output_index": index,
            "item": item}));
    }

    fn message(&mut self, canned: &Canned, item: &Value, index: usize, open: bool) {
        self.push(json!({"type": "response.output_item.added", "output_index": index, "item":
            {"id": "msg_0", "type": "message", "status": "in_progress", "role": "assistant",
            "content": []}}));
        let at = json!({"item_id": "msg_0", "output_index": index, "content_index": 0});
        self.push(with(
            &at,
            &json!({"type": "response.content_part.added",
            "part": {"type": "output_text", "annotations": [], "logprobs": [], "text": ""}}),
        ));
        for piece in canned.pieces(&canned.text) {
            self.push(with(
                &at,
                &json!({"type": "response.output_text.delta", "delta": piece,
                "logprobs": []}),
            ));
        }
        if open {
            return;
        }
        self.push(with(
            &at,
            &json!({"type": "response.output_text.done", "text": canned.text,
            "logprobs": []}),
        ));
        self.push(with(
            &at,
            &json!({"type": "response.content_part.done",
            "part": item["content"][0]}),
        ));
        self.push(json!({"type": "response.output_item.done", "output_index": index,
            "item": item}));
    }

    fn call(&mut self, canned: &Canned, item: &Value, index: usize, open: bool) {
        let arguments = item["arguments"].as_str().unwrap_or_default();
        let mut added = item.clone();
        added["arguments"] = json!("");
        added["status"] = json!("in_progress");
        self.push(json!({"type": "response.output_item.added", "output_index": index,
            "item": added}));
        let at = json!({"item_id": item["id"], "output_index": index});
        for piece in canned.pieces(arguments) {
            self.push(with(
                &at,
                &json!({"type": "response.function_call_arguments.delta",
                "delta": piece}),
            ));
        }
        if open {
            return;
        }
        self.push(with(
            &at,
            &json!({"type": "response.function_call_arguments.done",
            "arguments": arguments}),
        ));
        self.push(json!({"type": "response.output_item.done", "output_index": index,
            "item": item}));
    }
}

fn with(base: &Value, more: &Value) -> Value {
    let mut all = more.clone();
    if let (Some(all), Some(base)) = (all.as_object_mut(), base.as_object()) {
        for (key, value) in base {
            all.insert(key.clone(), value.clone());
        }
    }
    all
}

fn responses_frames(canned: &Canned) -> Vec<String> {
    let mut out = Numbered { frames: Vec::new(), next: 0 };
    out.push(json!({"type": "response.created", "response": responses_object(canned, true)}));
    out.push(json!({"type": "response.in_progress", "response": responses_object(canned, true)}));
    let items = responses_items(canned);
    for (index, item) in items.iter().enumerate() {
        let open = canned.dies() && index + 1 == items.len();
        match item["type"].as_str() {
            Some("reasoning") => out.reasoning(canned, item, index),
            Some("message") => out.message(canned, item, index, open),
            _ => out.call(canned, item, index, open),
        }
    }
    if canned.ending == Ending::Error {
        out.push(json!({"type": "error", "code": "server_error", "message": "overloaded",
            "param": null}));
    }
    if canned.dies() {
        return out.frames;
    }
    let kind = match canned.ending {
        Ending::Length => "response.incomplete",
        _ => "response.completed",
    };
    if canned.ending != Ending::Missing {
        out.push(json!({"type": kind, "response": responses_object(canned, false)}));
    }
    out.frames
}
