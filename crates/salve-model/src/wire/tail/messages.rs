//! The rest of a stream of Anthropic Messages.
//!
//! In: what the client saw, and what follows. Out: content blocks and the end of the message. Never
//! leaves a gap in the numbers of blocks: client libraries use them as places in a list.

use super::super::words::{finish_word, write_usage};
use super::{Delta, Dialect, SseFrame, rewritten, write_event};
use crate::reply::ToolCall;
use bytes::Bytes;
use salve_types::{FinishReason, Usage};
use serde_json::{Value, json};

#[derive(Debug, Default)]
pub(super) struct MessagesTail {
    pub(super) usage: Option<Usage>,
    // The provider's `message_start`.
    start: Option<SseFrame>,
    started: bool,
    // The number of the next block.
    next: u64,
    // The block the client sees open.
    open: Option<Open>,
    // How much the provider's numbers of blocks differ from the client's.
    shift: i64,
    reason: Option<FinishReason>,
    finished: bool,
    ended: bool,
}

#[derive(Debug, Clone, Copy)]
struct Open {
    index: u64,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Thinking,
    Other,
}

impl MessagesTail {
    pub(super) fn identify(&mut self, id: &str, model: &str, _: i64) {
        let message = json!({
            "id": id,
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": [],
            "stop_reason": null,
            "stop_sequence": null,
            "usage": {"input_tokens": 0, "output_tokens": 0},
        });
        let start = json!({"type": "message_start", "message": message});
        self.start = Some(SseFrame::of("message_start", &start.to_string()));
    }

    pub(super) fn opened_by(&mut self, frame: &SseFrame) {
        if self.start.is_none() {
            // A copy, because the frame would keep the whole piece it arrived in.
            self.start = Some(SseFrame::read(frame.raw.to_vec()));
        }
    }

    pub(super) fn forward(&mut self, frame: &SseFrame, deltas: &[Delta]) -> Bytes {
        let is_piece = |delta: &Delta| {
            matches!(
                delta,
                Delta::Text { .. } | Delta::Thinking { .. } | Delta::ToolArguments { .. }
            )
        };
        if frame.data.is_empty() {
            return frame.raw.clone();
        }
        let mut before = String::new();
        let quick = self.started && !deltas.is_empty() && deltas.iter().all(is_piece);
        if !quick && let Ok(event) = serde_json::from_slice::<Value>(&frame.data) {
            self.note(&event, &mut before);
        }
        let shift = self.shift;
        let bytes = if shift == 0 {
            frame.raw.clone()
        } else {
            rewritten(frame, |event| {
                let index = event.get("index").and_then(Value::as_i64);
                if let (Some(index), Some(event)) = (index, event.as_object_mut()) {
                    event.insert("index".to_owned(), json!(index.saturating_add(shift)));
                }
            })
        };
        if before.is_empty() { bytes } else { [before.into(), bytes].concat().into() }
    }

    // Notes what the client sees; what must come before the event goes to `before`.
    fn note(&mut self, event: &Value, before: &mut String) {
        let kind = event.get("type").and_then(Value::as_str).unwrap_or_default();
        if matches!(kind, "content_block_start" | "message_delta") {
            // A server that opens nothing is not taught to.
            self.started |= self.start.is_none();
            self.begin(before);
            self.close(before);
        }
        match kind {
            "message_start" => self.started = true,
            "content_block_start" => {
                let index = event.get("index").and_then(Value::as_i64).unwrap_or(0);
                self.shift = i64::try_from(self.next).unwrap_or(0).saturating_sub(index);
                let block = event.get("content_block").and_then(|block| block.get("type"));
                let kind = match block.and_then(Value::as_str) {
                    Some("text") => Kind::Text,
                    Some("thinking") => Kind::Thinking,
                    _ => Kind::Other,
                };
                self.open = Some(Open { index: self.next, kind });
                self.next += 1;
            }
            "content_block_stop" => self.open = None,
            "message_delta" => self.finished = true,
            "message_stop" | "error" => self.ended = true,
            _ => {}
        }
    }

    pub(super) fn text(&mut self, _: usize, text: &str) -> String {
        let delta = json!({"type": "text_delta", "text": text});
        self.piece(Kind::Text, text, &json!({"type": "text", "text": ""}), &delta)
    }

    pub(super) fn thinking(&mut self, _: usize, text: &str) -> String {
        let delta = json!({"type": "thinking_delta", "thinking": text});
        let block = json!({"type": "thinking", "thinking": "", "signature": ""});
        self.piece(Kind::Thinking, text, &block, &delta)
    }

    fn piece(&mut self, kind: Kind, text: &str, block: &Value, delta: &Value) -> String {
        let mut out = String::new();
        if text.is_empty() {
            return out;
        }
        self.begin(&mut out);
        let index = match self.open.filter(|open| open.kind == kind) {
            Some(open) => open.index,
            None => self.open_block(&mut out, kind, block),
        };
        write_delta(&mut out, index, delta);
        out
    }

    pub(super) fn tool_call(&mut self, _: usize, call: &ToolCall) -> String {
        let mut out = String::new();
        self.begin(&mut out);
        let made_up = format!("toolu_salve_{}", self.next);
        let id = if call.id.is_empty() { &made_up } else { &call.id };
        let block = json!({"type": "tool_use", "id": id, "name": call.name, "input": {}});
        let index = self.open_block(&mut out, Kind::Other, &block);
        let delta = json!({"type": "input_json_delta", "partial_json": call.arguments});
        write_delta(&mut out, index, &delta);
        self.close(&mut out);
        out
    }

    pub(super) fn finish(&mut self, _: usize, reason: &FinishReason) -> String {
        self.reason = Some(reason.clone());
        String::new()
    }

    pub(super) const fn usage(&mut self, usage: Usage) -> String {
        self.usage = Some(usage);
        String::new()
    }

    pub(super) fn end(&mut self) -> String {
        let mut out = String::new();
        if std::mem::replace(&mut self.ended, true) {
            return out;
        }
        self.begin(&mut out);
        self.close(&mut out);
        if !std::mem::replace(&mut self.finished, true) {
            // Nothing says that the answer is whole.
            let reason = self.reason.as_ref().unwrap_or(&FinishReason::Disconnect);
            let word = finish_word(Dialect::Messages, reason);
            let event = json!({
                "type": "message_delta",
                "delta": {"stop_reason": word, "stop_sequence": null},
                "usage": self.final_usage(),
            });
            write_event(&mut out, "message_delta", &event);
        }
        write_event(&mut out, "message_stop", &json!({"type": "message_stop"}));
        out
    }

    pub(super) fn error(&mut self, message: &str) -> String {
        self.ended = true;
        let mut out = String::new();
        let error = json!({"type": "api_error", "message": message, "code": super::ERROR_CODE});
        write_event(&mut out, "error", &json!({"type": "error", "error": error}));
        out
    }

    // Counts of the cache that the client has already add to those written here.
    fn final_usage(&self) -> Value {
        let start = self.start.as_ref();
        let start = start.and_then(|frame| serde_json::from_slice::<Value>(&frame.data).ok());
        let known = start.as_ref().and_then(|start| start.get("message")?.get("usage"));
        let mut usage = json!({});
        for key in ["cache_creation_input_tokens", "cache_read_input_tokens"] {
            if let Some(count) = known.and_then(|known| known.get(key)).filter(|it| it.is_u64()) {
                usage[key] = count.clone();
            }
        }
        write_usage(Dialect::Messages, &mut usage, self.usage.unwrap_or_default());
        usage
    }

    fn begin(&mut self, out: &mut String) {
        if std::mem::replace(&mut self.started, true) {
            return;
        }
        if self.start.is_none() {
            self.identify("msg_salve", "", 0);
        }
        let raw = self.start.as_ref().map(|frame| String::from_utf8_lossy(&frame.raw));
        out.push_str(&raw.unwrap_or_default());
    }

    fn open_block(&mut self, out: &mut String, kind: Kind, block: &Value) -> u64 {
        self.close(out);
        let index = self.next;
        self.next += 1;
        self.open = Some(Open { index, kind });
        let event = json!({"type": "content_block_start", "index": index, "content_block": block});
        write_event(out, "content_block_start", &event);
        index
    }

    fn close(&mut self, out: &mut String) {
        if let Some(open) = self.open.take() {
            let event = json!({"type": "content_block_stop", "index": open.index});
            write_event(out, "content_block_stop", &event);
        }
    }
}

fn write_delta(out: &mut String, index: u64, delta: &Value) {
    let event = json!({"type": "content_block_delta", "index": index, "delta": delta});
    write_event(out, "content_block_delta", &event);
}
