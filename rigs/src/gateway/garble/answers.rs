//! The true answers, and what a client has of them in the end.
//!
//! In: a seed, or the bytes that a client received. Out: texts and calls, in the order of their
//! blocks; and whether all of one answer is in another. Never uses the product's own readers.

use super::super::reading::Dialect;
use super::frames::data;
use fastrand::Rng;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A part of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Block {
    Text(String),
    /// A tool and its arguments.
    Call(String, String),
}

/// All that is to be said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Answer(pub(super) Vec<Block>);

impl Answer {
    /// Picks one: a text, or up to three calls with texts before and between them.
    pub(super) fn any(rng: &mut Rng) -> Self {
        if rng.u8(..) >= 112 {
            return Self(vec![Block::Text(text(rng))]);
        }
        let mut blocks = Vec::new();
        for at in 0..rng.usize(1..4) {
            if rng.u8(..) < if at == 0 { 128 } else { 48 } {
                blocks.push(Block::Text(text(rng)));
            }
            blocks.push(call(rng));
        }
        Self(blocks)
    }

    /// Returns all its text.
    pub(super) fn text(&self) -> String {
        let text = |block: &Block| match block {
            Block::Text(text) => Some(text.clone()),
            Block::Call(..) => None,
        };
        self.0.iter().filter_map(text).collect()
    }

    /// Returns its calls.
    pub(super) fn calls(&self) -> Vec<(String, String)> {
        let call = |block: &Block| match block {
            Block::Text(_) => None,
            Block::Call(name, arguments) => Some((name.clone(), arguments.clone())),
        };
        self.0.iter().filter_map(call).collect()
    }

    /// Returns whether it begins with text.
    pub(super) fn begins_with_text(&self) -> bool {
        !matches!(self.0.first(), Some(Block::Call(..)))
    }

    /// Returns what follows so many bytes of its text; nothing of a call counts as said before them.
    pub(super) fn after_text(&self, mut said: usize) -> Self {
        let mut rest = Vec::new();
        let mut blocks = self.0.iter();
        for block in blocks.by_ref() {
            match block {
                Block::Text(text) if said >= text.len() => said -= text.len(),
                Block::Text(text) => {
                    rest.push(Block::Text(text[said..].to_owned()));
                    break;
                }
                Block::Call(..) if said == 0 => {
                    rest.push(block.clone());
                    break;
                }
                Block::Call(..) => {}
            }
        }
        rest.extend(blocks.cloned());
        if rest.is_empty() {
            rest.push(Block::Text(String::new()));
        }
        Self(rest)
    }

    /// Returns what follows so many of its calls.
    pub(super) fn after_calls(&self, said: usize) -> Self {
        let mut left = said;
        let skipped = self.0.iter().position(|block| {
            left = left.saturating_sub(usize::from(matches!(block, Block::Call(..))));
            left == 0
        });
        let from = if said == 0 { 0 } else { skipped.map_or(self.0.len(), |at| at + 1) };
        Self(self.0[from..].to_vec())
    }
}

/// The tools of all requests, with the schemas of their arguments.
pub(super) fn tools() -> [(&'static str, Value); 2] {
    let text = json!({ "type": "string" });
    let write = json!({ "type": "object", "properties": { "path": text, "text": text },
        "required": ["path", "text"] });
    let search = json!({ "type": "object", "properties": { "query": text, "limit":
        { "type": "integer" } }, "required": ["query"] });
    [("write", write), ("search", search)]
}

fn call(rng: &mut Rng) -> Block {
    if rng.u8(..) < 160 {
        let path = format!("src/{}.rs", rng.lowercase());
        let arguments = json!({ "path": path, "text": text(rng) });
        return Block::Call("write".to_owned(), arguments.to_string());
    }
    let query: String = (0..rng.usize(3..20)).map(|_| rng.lowercase()).collect();
    let arguments = json!({ "query": query, "limit": rng.u8(1..50) });
    Block::Call("search".to_owned(), arguments.to_string())
}

const PARTS: &[&str] = &[
    "The answer is NOT safe, because the lock is taken twice. ",
    "First we read the file, then we write it back.\n\n",
    "- one item of a list\n- another item, `with code`\n",
    "Überraschung: größer → kleiner, 日本語 too. ",
    "```python\ndef main(path):\n    with open(path) as handle:\n        return [line.strip() for line in handle]\n```\n\n",
    "```rust\nfn main() {\n    let list = vec![1, 2, 3];\n    println!(\"{list:?}\");\n}\n```\n",
    "| a | b |\n|---|---|\n| 1 | 2 |\n\n",
    "It is important that you do not skip this step. ",
    "## Heading\n\nSome words below it. ",
    "See https://example.org/a?b=c for more (or do not). ",
    "> quoted words\n\n",
    "Sure, that works as well: set `a = {\"b\": [1, 2]}` and go on. ",
];

const ENDS: &[&str] = &["Done.", "That is all.\n", "So be it!", "Is that clear?", "the end"];

fn text(rng: &mut Rng) -> String {
    let mut text = String::new();
    for _ in 0..rng.usize(1..8) {
        let part = rng.choice(PARTS).copied().unwrap_or_default();
        // What has a line of its own begins one.
        if part.starts_with(['`', '|', '#', '-', '>']) && !text.is_empty() {
            text.push_str("\n\n");
        }
        text.push_str(part);
        if rng.bool() {
            text.push_str(&format!("Number {} is {}. ", rng.u32(..), rng.u8(..)));
        }
        if rng.u8(..) < 40 {
            text.extend((0..rng.usize(1..30)).map(|_| rng.lowercase()));
            text.push(' ');
        }
    }
    text.push_str(rng.choice(ENDS).copied().unwrap_or_default());
    text
}

/// What a client has in the end.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Got {
    pub(super) text: String,
    pub(super) calls: Vec<(String, String)>,
}

impl Got {
    /// Puts together what a client received.
    pub(super) fn of(dialect: Dialect, body: &[u8]) -> Self {
        let body = String::from_utf8_lossy(body);
        let mut text = String::new();
        let mut calls: BTreeMap<u64, (String, String)> = BTreeMap::new();
        for event in body.split("\n\n").filter_map(data) {
            match dialect {
                Dialect::Chat => chat_event(&event, &mut text, &mut calls),
                Dialect::Messages => messages_event(&event, &mut text, &mut calls),
                Dialect::Responses => responses_event(&event, &mut text, &mut calls),
            }
        }
        Self { text, calls: calls.into_values().collect() }
    }

    /// Returns whether it is all of an answer and nothing else.
    pub(super) fn is(&self, truth: &Answer) -> bool {
        self.text == truth.text() && self.calls == truth.calls()
    }

    /// Returns whether nothing of an answer is missing.
    pub(super) fn has_all_of(&self, truth: &Answer) -> bool {
        let mut mine = self.calls.iter();
        is_subsequence(&truth.text(), &self.text)
            && truth.calls().iter().all(|(name, arguments)| {
                mine.any(|(tool, all)| tool == name && is_subsequence(arguments, all))
            })
    }
}

type Calls = BTreeMap<u64, (String, String)>;

fn said(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn chat_event(event: &Value, text: &mut String, calls: &mut Calls) {
    let delta = &event["choices"][0]["delta"];
    let parts = delta["content"].as_array().into_iter().flatten();
    parts.for_each(|part| text.push_str(said(&part["text"])));
    text.push_str(said(&delta["content"]));
    for call in delta["tool_calls"].as_array().into_iter().flatten() {
        let (name, arguments) = calls.entry(call["index"].as_u64().unwrap_or(0)).or_default();
        name.push_str(said(&call["function"]["name"]));
        arguments.push_str(said(&call["function"]["arguments"]));
    }
}

fn messages_event(event: &Value, text: &mut String, calls: &mut Calls) {
    let index = event["index"].as_u64().unwrap_or(0);
    let block = &event["content_block"];
    if block["type"] == "tool_use" {
        calls.insert(index, (said(&block["name"]).to_owned(), String::new()));
    }
    if event["type"] == "content_block_delta" {
        text.push_str(said(&event["delta"]["text"]));
        if let Some((_, arguments)) = calls.get_mut(&index) {
            arguments.push_str(said(&event["delta"]["partial_json"]));
        }
    }
}

fn responses_event(event: &Value, text: &mut String, calls: &mut Calls) {
    let index = event["output_index"].as_u64().unwrap_or(0);
    match said(&event["type"]) {
        "response.output_text.delta" => text.push_str(said(&event["delta"])),
        "response.output_item.added" if event["item"]["type"] == "function_call" => {
            calls.insert(index, (said(&event["item"]["name"]).to_owned(), String::new()));
        }
        "response.function_call_arguments.delta" => {
            let (_, arguments) = calls.entry(index).or_default();
            arguments.push_str(said(&event["delta"]));
        }
        _ => {}
    }
}

fn is_subsequence(part: &str, of: &str) -> bool {
    let mut all = of.bytes();
    part.bytes().all(|byte| all.any(|other| other == byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer() -> Answer {
        let call = |at: &str| Block::Call("write".to_owned(), format!("{{\"a\":\"{at}\"}}"));
        let text = |text: &str| Block::Text(text.to_owned());
        Answer(vec![text("one "), call("x"), text("two"), call("y"), call("x")])
    }

    #[test]
    fn what_follows_is_cut_where_it_was_said() {
        let all = answer();
        assert_eq!(all.after_text(2).0[0], Block::Text("e ".to_owned()));
        assert_eq!(all.after_text(4).0, all.0[1..]);
        assert_eq!(all.after_text(5).0[1..], all.0[3..]);
        assert_eq!(all.after_calls(0), all);
        assert_eq!(all.after_calls(1).0, all.0[2..]);
        assert_eq!(all.after_calls(2).0, all.0[4..]);
    }

    #[test]
    fn a_client_has_all_or_not() {
        let all = answer();
        for dialect in Dialect::ALL {
            let stream = super::super::frames::of(dialect, &all, 3).concat();
            let got = Got::of(dialect, stream.as_bytes());
            assert!(got.is(&all) && got.has_all_of(&all), "{dialect:?} {got:?}");
            let mut fewer = got.clone();
            fewer.calls.remove(1);
            assert!(!fewer.has_all_of(&all));
            let mut more = got;
            more.calls.insert(0, ("write".to_owned(), "{}".to_owned()));
            assert!(!more.is(&all) && more.has_all_of(&all));
        }
    }
}
