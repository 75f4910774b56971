//! The rest of a stream of OpenAI Responses.
//!
//! In: what the client saw, and what follows. Out: output items and the final response with all of
//! them. Never repeats or skips a sequence number, never ends with an item that is not done.

mod item;

use super::super::lax::{self, Lax, LaxText, lax_object};
use super::super::reply::write_finish;
use super::super::words::write_usage;
use super::{Delta, Dialect, SseFrame, rewritten, write_event};
use crate::reply::ToolCall;
use bytes::Bytes;
use item::{Item, Kind};
use salve_types::{FinishReason, Usage};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Debug, Default)]
pub(super) struct ResponsesTail {
    pub(super) usage: Option<Usage>,
    // The provider's `response.created` and what follows before the first item.
    opening: Vec<SseFrame>,
    started: bool,
    items: Vec<Item>,
    // The number of the next event, as soon as the provider has numbered one.
    next: Option<u64>,
    forwarded: u64,
    reason: Option<FinishReason>,
    ended: bool,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Numbers<'a> {
    #[serde(borrow)]
    r#type: LaxText<'a>,
    sequence_number: Lax<u64>,
    output_index: Lax<u64>,
}

lax_object!(Numbers<'a>);

// No provider opens a response with more events than this.
const MOST_OPENING: usize = 4;

impl ResponsesTail {
    pub(super) fn identify(&mut self, id: &str, model: &str, created: i64) {
        let response = json!({
            "id": id,
            "object": "response",
            "created_at": created,
            "status": "in_progress",
            "error": null,
            "incomplete_details": null,
            "instructions": null,
            "metadata": {},
            "model": model,
            "output": [],
            "parallel_tool_calls": true,
            "temperature": 1.0,
            "tool_choice": "auto",
            "tools": [],
            "top_p": 1.0,
            "usage": null,
        });
        let event = |kind: &str, number: u64| {
            let event = json!({"type": kind, "response": response, "sequence_number": number});
            SseFrame::of(kind, &event.to_string())
        };
        self.opening = vec![event("response.created", 0), event("response.in_progress", 1)];
    }

    pub(super) fn opened_by(&mut self, frame: &SseFrame) {
        // Once the client has the first, it is needed only for the end; the others are not.
        let most = if self.started { 1 } else { MOST_OPENING };
        if self.opening.len() < most {
            // A copy, because the frame would keep the whole piece it arrived in.
            self.opening.push(SseFrame::read(frame.raw.to_vec()));
        }
    }

    pub(super) fn forward(&mut self, frame: &SseFrame, deltas: &[Delta]) -> Bytes {
        let mut spare = None;
        let numbers = lax::parse::<Numbers<'_>>(&frame.data, &mut spare);
        let Some(numbers) = numbers.filter(|_| !frame.data.is_empty()) else {
            return frame.raw.clone();
        };
        let kind = numbers.r#type.text().unwrap_or_default();
        let mut before = String::new();
        if kind.starts_with("response.") && !is_opening(kind) {
            // A server that opens nothing is not taught to.
            self.started |= self.opening.is_empty();
            self.begin(&mut before);
        }
        let index = numbers.output_index.0;
        let ours = match (kind, deltas) {
            ("response.output_text.delta", [Delta::Text { text, .. }]) => {
                self.item(index).map(|(at, item)| {
                    item.add_text(text);
                    at
                })
            }
            ("response.function_call_arguments.delta", [Delta::ToolArguments { text, .. }]) => {
                self.item(index).map(|(at, item)| {
                    item.add_arguments(text);
                    at
                })
            }
            _ => self.note(frame, kind, index, &mut before),
        };
        let ours = ours.and_then(|at| u64::try_from(at).ok()).or(index);
        let number = numbers.sequence_number.0.map(|number| self.number(Some(number)));
        self.forwarded += u64::from(number.is_none());
        if number == numbers.sequence_number.0 && ours == index && before.is_empty() {
            return frame.raw.clone();
        }
        let bytes = rewritten(frame, |event| {
            if let Some(event) = event.as_object_mut() {
                let set = |key: &str, number: Option<u64>| {
                    (key.to_owned(), number.map_or(Value::Null, Value::from))
                };
                let numbers = [set("output_index", ours), set("sequence_number", number)];
                event.extend(numbers.into_iter().filter(|(_, number)| !number.is_null()));
            }
        });
        [before.into(), bytes].concat().into()
    }

    // Notes what the client sees, and returns the place of the item that the event is about.
    fn note(
        &mut self,
        frame: &SseFrame,
        kind: &str,
        index: Option<u64>,
        before: &mut String,
    ) -> Option<usize> {
        match kind {
            kind if is_opening(kind) => {
                self.started = true;
                self.opening.truncate(1);
                return None;
            }
            "response.completed" | "response.incomplete" | "response.failed" | "error" => {
                self.ended = true;
                return None;
            }
            _ => {}
        }
        let event: Value = serde_json::from_slice(&frame.data).ok()?;
        if kind == "response.output_item.added" {
            self.close(before);
            self.items.push(Item::begun(event.get("item")?.clone(), index));
            return Some(self.items.len() - 1);
        }
        let (at, item) = self.item(index)?;
        item.note(kind, &event);
        Some(at)
    }

    pub(super) fn text(&mut self, _: usize, text: &str) -> String {
        let mut out = String::new();
        if text.is_empty() {
            return out;
        }
        self.begin(&mut out);
        if self.items.last().is_none_or(|item| item.is_done() || item.kind() != Kind::Message) {
            let id = self.new_id("msg");
            let item = json!({
                "id": id,
                "type": "message",
                "status": "in_progress",
                "role": "assistant",
                "content": [],
            });
            self.add(&mut out, item);
        }
        self.on_last(&mut out, |item, events| item.write_text(text, events));
        out
    }

    pub(super) fn thinking(&mut self, _: usize, text: &str) -> String {
        let mut out = String::new();
        if text.is_empty() {
            return out;
        }
        self.begin(&mut out);
        if self.items.last().is_none_or(|item| item.is_done() || item.kind() != Kind::Reasoning) {
            let id = self.new_id("rs");
            self.add(&mut out, json!({"id": id, "type": "reasoning", "summary": []}));
        }
        self.on_last(&mut out, |item, events| item.write_thinking(text, events));
        out
    }

    pub(super) fn tool_call(&mut self, _: usize, call: &ToolCall) -> String {
        let mut out = String::new();
        self.begin(&mut out);
        let id = self.new_id("fc");
        let made_up = format!("call_salve_{}", self.items.len());
        let item = json!({
            "id": id,
            "type": "function_call",
            "status": "in_progress",
            "arguments": "",
            "call_id": if call.id.is_empty() { &made_up } else { &call.id },
            "name": call.name,
        });
        self.add(&mut out, item);
        self.on_last(&mut out, |item, events| item.write_call(&call.arguments, events));
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
        // Nothing says that the answer is whole.
        let reason = self.reason.clone().unwrap_or(FinishReason::Disconnect);
        let response = self.final_response(&reason, Value::Null);
        let status = response.get("status").and_then(Value::as_str).unwrap_or("incomplete");
        let kind = match status {
            "completed" => "response.completed",
            "failed" => "response.failed",
            _ => "response.incomplete",
        };
        self.write(&mut out, json!({"type": kind, "response": response}));
        out
    }

    pub(super) fn error(&mut self, message: &str) -> String {
        let mut out = String::new();
        self.begin(&mut out);
        self.close(&mut out);
        self.ended = true;
        let code = super::ERROR_CODE;
        let event = json!({"type": "error", "code": code, "message": message, "param": null});
        self.write(&mut out, event);
        let error = json!({"code": code, "message": message});
        let failed = FinishReason::Other("failed".to_owned());
        let response = self.final_response(&failed, error);
        self.write(&mut out, json!({"type": "response.failed", "response": response}));
        out
    }

    fn final_response(&self, reason: &FinishReason, error: Value) -> Value {
        let opening = self.opening.first();
        let event = opening.and_then(|frame| serde_json::from_slice::<Value>(&frame.data).ok());
        let mut response = event.and_then(|mut event| Some(event.get_mut("response")?.take()));
        let response = response.get_or_insert_with(|| json!({}));
        let Some(fields) = response.as_object_mut() else { return response.take() };
        write_finish(fields, reason);
        let output = self.items.iter().map(|item| item.value().clone()).collect();
        fields.insert("output".to_owned(), Value::Array(output));
        fields.insert("error".to_owned(), error);
        if let Some(usage) = self.usage {
            write_usage(Dialect::Responses, fields.entry("usage").or_insert(Value::Null), usage);
        }
        response.take()
    }

    fn begin(&mut self, out: &mut String) {
        if std::mem::replace(&mut self.started, true) {
            return;
        }
        if self.opening.is_empty() {
            self.identify("resp_salve", "", 0);
        }
        for frame in self.opening.clone() {
            let bytes = self.forward(&frame, &[]);
            out.push_str(&String::from_utf8_lossy(&bytes));
        }
    }

    // The id of a new item, made of the response's own so that it is unique.
    fn new_id(&self, prefix: &str) -> String {
        let opening = self.opening.first();
        let event = opening.and_then(|frame| serde_json::from_slice::<Value>(&frame.data).ok());
        let id = event.as_ref().and_then(|event| event.get("response")?.get("id")?.as_str());
        let id = id.unwrap_or("salve");
        let id = id.strip_prefix("resp_").unwrap_or(id);
        format!("{prefix}_{id}_{}", self.items.len())
    }

    fn add(&mut self, out: &mut String, item: Value) {
        self.close(out);
        let index = self.items.len();
        let event = json!({
            "type": "response.output_item.added",
            "output_index": index,
            "item": item,
        });
        self.write(out, event);
        self.items.push(Item::begun(item, None));
    }

    fn close(&mut self, out: &mut String) {
        let whole =
            matches!(self.reason, None | Some(FinishReason::Stop | FinishReason::ToolCalls));
        if self.items.last().is_some_and(|item| !item.is_done()) {
            self.on_last(out, |item, events| item.close(whole, events));
        }
    }

    // Lets the last item make its events, and writes them with their place and number.
    fn on_last(&mut self, out: &mut String, act: impl FnOnce(&mut Item, &mut Vec<Value>)) {
        let index = self.items.len().saturating_sub(1);
        let mut events = Vec::new();
        if let Some(item) = self.items.last_mut() {
            act(item, &mut events);
        }
        for mut event in events {
            if let Some(event) = event.as_object_mut() {
                event.insert("output_index".to_owned(), json!(index));
            }
            self.write(out, event);
        }
    }

    fn write(&mut self, out: &mut String, mut event: Value) {
        let number = self.number(None);
        if let Some(event) = event.as_object_mut() {
            event.insert("sequence_number".to_owned(), json!(number));
        }
        let kind = event.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
        write_event(out, &kind, &event);
    }

    // The number of the next event: the provider's own for the first one that has a number.
    fn number(&mut self, theirs: Option<u64>) -> u64 {
        let number = self.next.or(theirs).unwrap_or(self.forwarded);
        self.next = Some(number.saturating_add(1));
        number
    }

    // The item that the provider has at this place; without one the last that the client saw.
    fn item(&mut self, theirs: Option<u64>) -> Option<(usize, &mut Item)> {
        let found = self.items.iter().rposition(|item| item.theirs() == theirs);
        let at = found.or_else(|| self.items.len().checked_sub(1))?;
        self.items.get_mut(at).map(|item| (at, item))
    }
}

fn is_opening(kind: &str) -> bool {
    matches!(kind, "response.created" | "response.in_progress" | "response.queued")
}
