//! One output item of a response, as the client sees it.
//!
//! In: events about it that were passed on, and what follows. Out: the events that go on with it or
//! close it, without their place and number. Never a call that is done and was not whole.

use serde_json::{Value, json};

#[derive(Debug)]
pub(super) struct Item {
    // The object as it was when it began, and as it is when it is done.
    value: Value,
    theirs: Option<u64>,
    kind: Kind,
    done: bool,
    // Parts that are closed.
    parts: Vec<Value>,
    part: Option<Part>,
    arguments: String,
    arguments_done: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Message,
    Call,
    Reasoning,
    Other,
}

// A part that is open.
#[derive(Debug)]
struct Part {
    value: Value,
    text: String,
    // The event with its whole text has gone out.
    told: bool,
}

impl Item {
    /// Starts with the object that was sent; `theirs` is its place as the provider counts.
    pub(super) fn begun(value: Value, theirs: Option<u64>) -> Self {
        let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
        let kind = match text("type") {
            "message" => Kind::Message,
            "function_call" => Kind::Call,
            "reasoning" => Kind::Reasoning,
            _ => Kind::Other,
        };
        let arguments = text("arguments").to_owned();
        let parts = value.get("content").and_then(Value::as_array).cloned().unwrap_or_default();
        Self {
            value,
            theirs,
            kind,
            done: false,
            parts,
            part: None,
            arguments,
            arguments_done: false,
        }
    }

    pub(super) const fn kind(&self) -> Kind {
        self.kind
    }

    pub(super) const fn is_done(&self) -> bool {
        self.done
    }

    pub(super) const fn theirs(&self) -> Option<u64> {
        self.theirs
    }

    pub(super) const fn value(&self) -> &Value {
        &self.value
    }

    /// The client got more text of the open part.
    pub(super) fn add_text(&mut self, text: &str) {
        let part = self.part.get_or_insert_with(|| Part::begun(text_part("")));
        part.text.push_str(text);
    }

    /// The client got more arguments.
    pub(super) fn add_arguments(&mut self, text: &str) {
        self.arguments.push_str(text);
    }

    /// The client got an event about this item.
    pub(super) fn note(&mut self, kind: &str, event: &Value) {
        let text = |key: &str| event.get(key).and_then(Value::as_str);
        match kind {
            "response.output_text.delta" | "response.refusal.delta" => {
                self.add_text(text("delta").unwrap_or_default());
            }
            "response.function_call_arguments.delta" => {
                self.add_arguments(text("delta").unwrap_or_default());
            }
            "response.content_part.added" | "response.reasoning_summary_part.added" => {
                self.part = Some(Part::begun(event.get("part").cloned().unwrap_or_default()));
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                let part = self.part.get_or_insert_with(|| Part::begun(summary_part("")));
                part.text.push_str(text("delta").unwrap_or_default());
            }
            "response.output_text.annotation.added" => {
                let annotation = event.get("annotation").cloned().unwrap_or_default();
                let annotations = self.part.as_mut().map(|part| &mut part.value);
                let annotations = annotations.and_then(|part| part.get_mut("annotations"));
                if let Some(annotations) = annotations.and_then(Value::as_array_mut) {
                    annotations.push(annotation);
                }
            }
            "response.output_text.done" | "response.reasoning_summary_text.done" => {
                let part = self.part.get_or_insert_with(|| Part::begun(text_part("")));
                part.told = true;
                part.text = text("text").map_or(std::mem::take(&mut part.text), str::to_owned);
            }
            "response.content_part.done" | "response.reasoning_summary_part.done" => {
                self.part = None;
                self.parts.extend(event.get("part").cloned());
            }
            "response.function_call_arguments.done" => {
                self.arguments_done = true;
                if let Some(arguments) = text("arguments") {
                    arguments.clone_into(&mut self.arguments);
                }
            }
            "response.output_item.done" => {
                self.done = true;
                if let Some(item) = event.get("item") {
                    self.value.clone_from(item);
                }
            }
            _ => {}
        }
    }

    /// Writes more text, in the open part or in a new one.
    pub(super) fn write_text(&mut self, text: &str, events: &mut Vec<Value>) {
        if self.part.as_ref().is_some_and(|part| part.told || !part.is("output_text")) {
            self.close_part(events);
        }
        if self.part.is_none() {
            let part = text_part("");
            let event = json!({
                "type": "response.content_part.added",
                "item_id": self.id(),
                "content_index": self.parts.len(),
                "part": part,
            });
            events.push(event);
            self.part = Some(Part::begun(part));
        }
        self.add_text(text);
        events.push(json!({
            "type": "response.output_text.delta",
            "item_id": self.id(),
            "content_index": self.parts.len(),
            "delta": text,
            "logprobs": [],
        }));
    }

    /// Writes more of a summary of reasoning.
    pub(super) fn write_thinking(&mut self, text: &str, events: &mut Vec<Value>) {
        if self.part.is_none() {
            let part = summary_part("");
            events.push(json!({
                "type": "response.reasoning_summary_part.added",
                "item_id": self.id(),
                "summary_index": self.parts.len(),
                "part": part,
            }));
            self.part = Some(Part::begun(part));
        }
        self.add_text(text);
        events.push(json!({
            "type": "response.reasoning_summary_text.delta",
            "item_id": self.id(),
            "summary_index": self.parts.len(),
            "delta": text,
        }));
    }

    /// Writes the arguments of a call that is whole, and its end.
    pub(super) fn write_call(&mut self, arguments: &str, events: &mut Vec<Value>) {
        events.push(json!({
            "type": "response.function_call_arguments.delta",
            "item_id": self.id(),
            "delta": arguments,
        }));
        self.add_arguments(arguments);
        self.tell_arguments(events);
        self.close(true, events);
    }

    /// Closes the item. A call whose arguments were not told to be whole is not whole.
    pub(super) fn close(&mut self, whole: bool, events: &mut Vec<Value>) {
        self.close_part(events);
        let whole = whole && (self.kind != Kind::Call || self.arguments_done);
        if self.kind == Kind::Call && !self.arguments_done {
            self.tell_arguments(events);
        }
        let list = if self.kind == Kind::Reasoning { "summary" } else { "content" };
        if let Some(value) = self.value.as_object_mut() {
            if value.contains_key("status") {
                let status = if whole { "completed" } else { "incomplete" };
                value.insert("status".to_owned(), json!(status));
            }
            match self.kind {
                Kind::Message | Kind::Reasoning if !self.parts.is_empty() => {
                    value.insert(list.to_owned(), json!(self.parts));
                }
                Kind::Call => {
                    value.insert("arguments".to_owned(), json!(self.arguments));
                }
                _ => {}
            }
        }
        self.done = true;
        events.push(json!({"type": "response.output_item.done", "item": self.value}));
    }

    fn tell_arguments(&mut self, events: &mut Vec<Value>) {
        self.arguments_done = true;
        events.push(json!({
            "type": "response.function_call_arguments.done",
            "item_id": self.id(),
            "name": self.value.get("name"),
            "arguments": self.arguments,
        }));
    }

    fn close_part(&mut self, events: &mut Vec<Value>) {
        let Some(part) = self.part.take() else { return };
        let index = self.parts.len();
        let (place, name) = match self.kind {
            Kind::Reasoning => ("summary_index", "reasoning_summary"),
            _ => ("content_index", "content"),
        };
        if !part.told {
            let (kind, key) = match part.kind() {
                "refusal" => ("response.refusal.done", "refusal"),
                "summary_text" => ("response.reasoning_summary_text.done", "text"),
                _ => ("response.output_text.done", "text"),
            };
            let mut event = json!({
                "type": kind,
                "item_id": self.id(),
                place: index,
                key: part.text,
            });
            if let Some(event) = event.as_object_mut().filter(|_| part.is("output_text")) {
                event.insert("logprobs".to_owned(), json!([]));
            }
            events.push(event);
        }
        let part = part.finished();
        events.push(json!({
            "type": format!("response.{name}_part.done"),
            "item_id": self.id(),
            place: index,
            "part": part,
        }));
        self.parts.push(part);
    }

    fn id(&self) -> &Value {
        self.value.get("id").unwrap_or(&Value::Null)
    }
}

impl Part {
    fn begun(value: Value) -> Self {
        let text = value.get("text").or_else(|| value.get("refusal")).and_then(Value::as_str);
        let text = text.unwrap_or_default().to_owned();
        Self { value, text, told: false }
    }

    fn kind(&self) -> &str {
        self.value.get("type").and_then(Value::as_str).unwrap_or_default()
    }

    fn is(&self, kind: &str) -> bool {
        self.kind() == kind
    }

    fn finished(self) -> Value {
        let key = if self.is("refusal") { "refusal" } else { "text" };
        let mut value = self.value;
        if let Some(value) = value.as_object_mut() {
            value.insert(key.to_owned(), json!(self.text));
        }
        value
    }
}

fn text_part(text: &str) -> Value {
    json!({"type": "output_text", "text": text, "annotations": [], "logprobs": []})
}

fn summary_part(text: &str) -> Value {
    json!({"type": "summary_text", "text": text})
}
