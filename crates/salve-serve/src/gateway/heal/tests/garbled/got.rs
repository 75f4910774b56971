//! What a client has in the end, however a server writes its frames.
//!
//! In: the bytes that it received. Out: the text and the calls. Never the code under test.

use crate::gateway::heal::tests::canned::Canned;
use salve_model::wire::Dialect;
use serde_json::Value;
use std::collections::BTreeMap;

/// Words and calls.
#[derive(Debug, Default)]
pub(super) struct Got {
    text: String,
    calls: BTreeMap<u64, (String, String)>,
}

impl Got {
    /// Puts together what a client received.
    pub(super) fn of(dialect: Dialect, bytes: &[u8]) -> Self {
        let mut got = Self::default();
        for frame in String::from_utf8_lossy(bytes).split("\n\n") {
            let data = frame.lines().find_map(|line| line.strip_prefix("data:"));
            let event = serde_json::from_str(data.unwrap_or_default()).unwrap_or_default();
            match dialect {
                Dialect::Chat => got.chat(&event),
                Dialect::Messages => got.messages(&event),
                Dialect::Responses => got.responses(&event),
            }
        }
        got
    }

    /// Whether it is all of an answer and nothing else.
    pub(super) fn is(&self, truth: &Canned) -> bool {
        let calls = self.calls.values().map(|(name, all)| (name.as_str(), all.as_str()));
        self.text == truth.text
            && calls.eq(truth.calls.iter().map(|(name, all)| (*name, all.as_str())))
    }

    /// Whether nothing of an answer is missing.
    pub(super) fn has_all_of(&self, truth: &Canned) -> bool {
        let mut mine = self.calls.values();
        is_subsequence(&truth.text, &self.text)
            && truth.calls.iter().all(|(name, arguments)| {
                mine.any(|(tool, all)| tool == name && is_subsequence(arguments, all))
            })
    }

    fn chat(&mut self, event: &Value) {
        let delta = &event["choices"][0]["delta"];
        let parts = delta["content"].as_array().into_iter().flatten();
        parts.for_each(|part| self.text.push_str(said(&part["text"])));
        self.text.push_str(said(&delta["content"]));
        for call in delta["tool_calls"].as_array().into_iter().flatten() {
            let (name, arguments) =
                self.calls.entry(call["index"].as_u64().unwrap_or(0)).or_default();
            name.push_str(said(&call["function"]["name"]));
            arguments.push_str(said(&call["function"]["arguments"]));
        }
    }

    fn messages(&mut self, event: &Value) {
        let index = event["index"].as_u64().unwrap_or(0);
        let (block, delta) = (&event["content_block"], &event["delta"]);
        if block["type"] == "tool_use" {
            self.calls.insert(index, (said(&block["name"]).to_owned(), String::new()));
        }
        self.text.push_str(said(&delta["text"]));
        if let Some((_, arguments)) = self.calls.get_mut(&index) {
            arguments.push_str(said(&delta["partial_json"]));
        }
    }

    fn responses(&mut self, event: &Value) {
        let index = event["output_index"].as_u64().unwrap_or(0);
        match said(&event["type"]) {
            "response.output_text.delta" => self.text.push_str(said(&event["delta"])),
            "response.output_item.added" if event["item"]["type"] == "function_call" => {
                let name = said(&event["item"]["name"]).to_owned();
                self.calls.insert(index, (name, String::new()));
            }
            "response.function_call_arguments.delta" => {
                self.calls.entry(index).or_default().1.push_str(said(&event["delta"]));
            }
            _ => {}
        }
    }
}

fn said(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn is_subsequence(part: &str, of: &str) -> bool {
    let mut all = of.bytes();
    part.bytes().all(|byte| all.any(|other| other == byte))
}
