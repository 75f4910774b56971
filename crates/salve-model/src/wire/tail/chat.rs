//! The rest of a stream of OpenAI Chat Completions.
//!
//! In: what the client saw, and what follows. Out: `chat.completion.chunk` objects like the ones
//! before. Never says the role twice: client libraries would join the two.

use super::super::asked::MOST_CHOICES;
use super::super::words::{finish_word, write_usage};
use super::{Delta, Dialect, SseFrame, rewritten, write_event};
use crate::reply::ToolCall;
use bytes::Bytes;
use salve_types::{FinishReason, Usage};
use serde_json::{Map, Value, json};

#[derive(Debug, Default)]
pub(super) struct ChatTail {
    pub(super) include_usage: bool,
    pub(super) older_calls: bool,
    // The first chunk of the provider; its fields are those of every chunk.
    first: Option<Bytes>,
    envelope: Option<Map<String, Value>>,
    seen: Vec<Seen>,
    usage_sent: bool,
    ended: bool,
}

// What the client has of one answer.
#[derive(Debug, Clone, Default)]
struct Seen {
    started: bool,
    role: Role,
    finished: bool,
    calls: usize,
    // How much the provider's numbers of calls differ from the client's.
    shift: i64,
}

// What is known of the role of one answer. Some providers never say it, and are not taught to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Role {
    #[default]
    Unsaid,
    // The provider said it, and the client has not heard it.
    Due,
    // The client has it from the provider.
    Passed,
    // The client has it from here.
    Written,
}

// Some providers count in every frame; the sum is still owed then.
fn is_last_usage(deltas: &[Delta]) -> bool {
    deltas.len() == 1 || deltas.iter().any(|delta| matches!(delta, Delta::Finish { .. }))
}

impl ChatTail {
    pub(super) fn identify(&mut self, id: &str, model: &str, created: i64) {
        let envelope = json!({
            "id": id,
            "object": "chat.completion.chunk",
            "created": created,
            "model": model,
        });
        self.envelope = envelope.as_object().cloned();
    }

    pub(super) fn opened_by(&mut self, frame: &SseFrame) {
        if self.first.is_none() {
            // A copy, because the frame would keep the whole piece it arrived in.
            self.first = Some(Bytes::copy_from_slice(&frame.data));
        }
    }

    pub(super) fn role_said(&mut self, choice: u64) {
        let role = &mut self.seen(usize::try_from(choice).unwrap_or(usize::MAX)).role;
        if *role == Role::Unsaid {
            *role = Role::Due;
        }
    }

    pub(super) fn forward(&mut self, frame: &SseFrame, deltas: &[Delta]) -> Bytes {
        if deltas.is_empty() && !frame.data.is_empty() {
            self.note_silent(&frame.data);
        }
        let mut shifted = false;
        for delta in deltas {
            match delta {
                Delta::Text { choice, .. } | Delta::Thinking { choice, .. } => {
                    self.seen(*choice).started = true;
                }
                Delta::ToolStart { choice, call, .. } => {
                    let seen = self.seen(*choice);
                    seen.started = true;
                    let numbers = (i64::try_from(seen.calls), i64::try_from(*call));
                    if let (Ok(ours), Ok(theirs)) = numbers {
                        seen.shift = ours - theirs;
                    }
                    seen.calls += 1;
                    shifted |= seen.shift != 0;
                }
                Delta::ToolArguments { choice, .. } => shifted |= self.seen(*choice).shift != 0,
                Delta::Finish { choice, .. } => self.seen(*choice).finished = true,
                Delta::Usage(_) => self.usage_sent |= is_last_usage(deltas),
                Delta::End | Delta::Error { .. } => self.ended = true,
                Delta::BlockEnd { .. } | Delta::Lost { .. } => {}
            }
        }
        let settled = self.settle_roles(&frame.data);
        match settled {
            None if !shifted => frame.raw.clone(),
            settled => rewritten(frame, |chunk| {
                if let Some(settled) = settled {
                    *chunk = settled;
                }
                self.renumber(chunk);
            }),
        }
    }

    // The chunk with the role that was in a frame that was left out, and without one that the client
    // has from here; none when it needs no change.
    fn settle_roles(&mut self, data: &[u8]) -> Option<Value> {
        let any = |role| self.seen.iter().any(|seen| seen.role == role);
        let says_role = || memchr::memmem::find(data, b"\"role\"").is_some();
        let open = any(Role::Due) || any(Role::Written) && says_role();
        if !open {
            return None;
        }
        let mut chunk: Value = serde_json::from_slice(data).ok()?;
        let choices = chunk.get_mut("choices").and_then(Value::as_array_mut);
        let mut changed = false;
        for choice in choices.into_iter().flatten() {
            let index = choice.get("index").and_then(Value::as_u64).unwrap_or(0);
            let role = &mut self.seen(usize::try_from(index).unwrap_or(usize::MAX)).role;
            let Some(delta) = choice.get_mut("delta").and_then(Value::as_object_mut) else {
                continue;
            };
            match (*role, delta.get("role").is_some_and(Value::is_string)) {
                (Role::Due, true) => *role = Role::Passed,
                (Role::Due, false) => {
                    delta.shift_insert(0, "role".to_owned(), json!("assistant"));
                    *role = Role::Written;
                    changed = true;
                }
                (Role::Written, true) => {
                    delta.shift_remove("role");
                    changed = true;
                }
                _ => {}
            }
        }
        changed.then_some(chunk)
    }

    // The first chunk of most providers has a role and nothing else.
    fn note_silent(&mut self, data: &[u8]) {
        let Ok(chunk) = serde_json::from_slice::<Value>(data) else { return };
        let choices = chunk.get("choices").and_then(Value::as_array).into_iter().flatten();
        let indices = choices.filter_map(|choice| choice.get("index")?.as_u64());
        for index in indices.filter_map(|index| usize::try_from(index).ok()) {
            self.seen(index).started = true;
        }
    }

    fn renumber(&mut self, chunk: &mut Value) {
        let choices = chunk.get_mut("choices").and_then(Value::as_array_mut);
        for choice in choices.into_iter().flatten() {
            let index = choice.get("index").and_then(Value::as_u64).unwrap_or(0);
            let shift = self.seen(usize::try_from(index).unwrap_or(usize::MAX)).shift;
            let calls = choice.get_mut("delta").and_then(|delta| delta.get_mut("tool_calls"));
            for call in calls.and_then(Value::as_array_mut).into_iter().flatten() {
                let number = call.get("index").and_then(Value::as_i64);
                if let (Some(number), Some(call)) = (number, call.as_object_mut()) {
                    call.insert("index".to_owned(), json!(number.saturating_add(shift)));
                }
            }
        }
    }

    pub(super) fn text(&mut self, choice: usize, text: &str) -> String {
        if text.is_empty() {
            return String::new();
        }
        self.step(choice, "content", text)
    }

    pub(super) fn thinking(&mut self, choice: usize, text: &str) -> String {
        if text.is_empty() {
            return String::new();
        }
        self.step(choice, "reasoning_content", text)
    }

    fn step(&mut self, choice: usize, key: &str, text: &str) -> String {
        let mut out = String::new();
        let mut delta = self.opening(choice);
        delta.insert(key.to_owned(), json!(text));
        self.write_chunk(&mut out, choice, &delta, &Value::Null);
        out
    }

    pub(super) fn tool_call(&mut self, choice: usize, call: &ToolCall) -> String {
        let mut out = String::new();
        let mut start = self.opening(choice);
        let mut arguments = Map::new();
        if self.older_calls && call.id.is_empty() {
            start.insert("function_call".to_owned(), json!({"name": call.name, "arguments": ""}));
            arguments.insert("function_call".to_owned(), json!({"arguments": call.arguments}));
        } else {
            let index = self.seen(choice).calls;
            let made_up = format!("call_salve_{choice}_{index}");
            let id = if call.id.is_empty() { &made_up } else { &call.id };
            let function = json!({"name": call.name, "arguments": ""});
            let begun =
                json!([{"index": index, "id": id, "type": "function", "function": function}]);
            start.insert("tool_calls".to_owned(), begun);
            let rest = json!([{"index": index, "function": {"arguments": call.arguments}}]);
            arguments.insert("tool_calls".to_owned(), rest);
        }
        self.seen(choice).calls += 1;
        self.write_chunk(&mut out, choice, &start, &Value::Null);
        self.write_chunk(&mut out, choice, &arguments, &Value::Null);
        out
    }

    pub(super) fn finish(&mut self, choice: usize, reason: &FinishReason) -> String {
        let mut out = String::new();
        if !std::mem::replace(&mut self.seen(choice).finished, true) {
            let delta = self.opening(choice);
            let older = self.older_calls && *reason == FinishReason::ToolCalls;
            let word = if older { "function_call" } else { finish_word(Dialect::Chat, reason) };
            self.write_chunk(&mut out, choice, &delta, &json!(word));
        }
        out
    }

    pub(super) fn usage(&mut self, usage: Usage) -> String {
        let mut out = String::new();
        if self.include_usage && !std::mem::replace(&mut self.usage_sent, true) {
            let mut chunk = self.envelope().clone();
            let mut counts = Value::Null;
            write_usage(Dialect::Chat, &mut counts, usage);
            chunk.insert("choices".to_owned(), json!([]));
            chunk.insert("usage".to_owned(), counts);
            write_event(&mut out, "", &Value::Object(chunk));
        }
        out
    }

    pub(super) fn end(&mut self) -> String {
        let over = std::mem::replace(&mut self.ended, true);
        if over { String::new() } else { "data: [DONE]\n\n".to_owned() }
    }

    pub(super) fn error(&mut self, message: &str) -> String {
        let mut out = String::new();
        let error = json!({
            "message": message,
            "type": "upstream_error",
            "param": null,
            "code": super::ERROR_CODE,
        });
        write_event(&mut out, "", &json!({"error": error}));
        out + &self.end()
    }

    // The role, if the client lacks it: it has nothing of this answer, or not the frame that said it.
    fn opening(&mut self, choice: usize) -> Map<String, Value> {
        let mut delta = Map::new();
        let seen = self.seen(choice);
        let started = std::mem::replace(&mut seen.started, true);
        if !started || seen.role == Role::Due {
            delta.insert("role".to_owned(), json!("assistant"));
            seen.role = Role::Written;
        }
        delta
    }

    fn write_chunk(
        &mut self,
        out: &mut String,
        choice: usize,
        delta: &Map<String, Value>,
        finish: &Value,
    ) {
        let mut chunk = self.envelope().clone();
        let choice = json!([{
            "index": choice,
            "delta": delta,
            "logprobs": null,
            "finish_reason": finish,
        }]);
        chunk.insert("choices".to_owned(), choice);
        write_event(out, "", &Value::Object(chunk));
    }

    fn envelope(&mut self) -> &Map<String, Value> {
        let first = self.first.as_ref();
        self.envelope.get_or_insert_with(|| {
            let first = first.and_then(|data| serde_json::from_slice(data).ok());
            let mut fields: Map<String, Value> = first.unwrap_or_default();
            fields.entry("id").or_insert_with(|| json!("chatcmpl-salve"));
            fields.entry("object").or_insert_with(|| json!("chat.completion.chunk"));
            fields.entry("created").or_insert_with(|| json!(0));
            fields.entry("model").or_insert_with(|| json!(""));
            fields.shift_remove("obfuscation");
            if let Some(usage) = fields.get_mut("usage") {
                *usage = Value::Null;
            }
            fields
        })
    }

    // Numbers beyond what a provider allows share one place, so that a number takes no memory.
    fn seen(&mut self, choice: usize) -> &mut Seen {
        let choice = choice.min(MOST_CHOICES);
        if self.seen.len() <= choice {
            self.seen.resize(choice + 1, Seen::default());
        }
        &mut self.seen[choice]
    }
}
