//! The ways in which servers write the same answer.
//!
//! In: the frames of a stream as the provider itself writes them. Out: the same frames without names,
//! with counts in every one, in parts, or without numbers. Never other words.

use fastrand::Rng;
use serde_json::{Value, json};

/// How a server writes its frames.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Style {
    /// Events have no names.
    nameless: bool,
    /// Every chunk of Chat says what was counted so far.
    counted: bool,
    /// Texts of Chat are lists of parts.
    in_parts: bool,
    /// Every step of Chat says whose turn it is.
    with_role: bool,
    /// Events of Responses have no numbers.
    pub(super) unnumbered: bool,
}

impl Style {
    /// Picks one; the provider's own is the most frequent.
    pub(super) fn any(rng: &mut Rng) -> Self {
        if rng.bool() {
            return Self::default();
        }
        let mut some = || rng.u8(..) < 80;
        Self {
            nameless: some(),
            counted: some(),
            in_parts: some(),
            with_role: some(),
            unnumbered: some(),
        }
    }

    /// Writes a frame in this style.
    pub(super) fn write(self, frame: &str) -> String {
        let Some((before, data)) = frame.split_once("data: ") else { return frame.to_owned() };
        let Ok(mut value) = serde_json::from_str::<Value>(data) else { return frame.to_owned() };
        let before = if self.nameless { "" } else { before };
        if let Some(event) = value.as_object_mut().filter(|_| self.unnumbered) {
            event.remove("sequence_number");
        }
        if self.counted && value["choices"].is_array() && value["usage"].is_null() {
            value["usage"] =
                json!({"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10});
        }
        if let Some(Value::Object(step)) = value.pointer_mut("/choices/0/delta") {
            if self.with_role && !step.is_empty() {
                step.insert("role".to_owned(), json!("assistant"));
            }
            let text = step.get("content").and_then(Value::as_str).filter(|text| !text.is_empty());
            if let Some(text) = text.filter(|_| self.in_parts).map(str::to_owned) {
                step.insert("content".to_owned(), json!([{"type": "text", "text": text}]));
            }
        }
        format!("{before}data: {value}\n\n")
    }
}
