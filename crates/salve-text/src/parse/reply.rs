//! The parse stage of the pipeline: a whole reply becomes a parsed one.
//!
//! In: a `WholeReply`, which nothing proves cut. Out: a sealed `ParsedReply` that carries the value
//! and what was repaired on the way. Never takes a cut reply: that is what the types are for.

use super::{ParseOptions, Parsed, parse_json};
use crate::inspect::WholeReply;
use salve_types::{Language, Verdict};

/// A reply that was cleaned, found whole, and read.
#[must_use]
#[derive(Debug)]
pub struct ParsedReply {
    reply: WholeReply,
    json: Option<Parsed>,
}

/// Reads the content of a whole reply: JSON into a tree, any other language as it is.
pub fn parse(reply: WholeReply, options: &ParseOptions) -> ParsedReply {
    let is_json = reply.verdict().language == Language::Json;
    let json = is_json.then(|| parse_json(reply.text(), options));
    ParsedReply { reply, json }
}

impl ParsedReply {
    /// Returns the content as text.
    pub fn text(&self) -> &str {
        self.reply.text()
    }

    /// Returns the content's value, where the content is JSON.
    pub fn json(&self) -> Option<&Parsed> {
        self.json.as_ref()
    }

    /// Returns the verdict that let the reply through.
    pub fn verdict(&self) -> &Verdict {
        self.reply.verdict()
    }

    /// Returns the whole reply the content is from.
    pub fn reply(&self) -> &WholeReply {
        &self.reply
    }

    /// Returns whether the content may be used as it is: a value that was closed or filled in by a
    /// repair may be shown, never written or executed.
    pub fn is_complete(&self) -> bool {
        self.json.as_ref().is_none_or(|parsed| parsed.complete)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clean::{CleanOptions, clean};
    use crate::inspect::{InspectOptions, Inspection, inspect};
    use salve_types::RawReply;

    fn received(text: &str) -> Inspection {
        let raw = RawReply::from_text(text);
        inspect(clean(&raw, &CleanOptions::default()), &InspectOptions::default())
    }

    #[test]
    fn x06_a_json_answer_needs_no_sentinel() {
        let text = "Here you are:\n```json\n{\"answer\": 42}\n```\n";
        let Inspection::Whole(whole) = received(text) else { panic!("found cut") };
        let parsed = parse(whole, &ParseOptions::default());
        let json = parsed.json().expect("the content is JSON");
        assert_eq!(json.value(), serde_json::json!({"answer": 42}));
        assert!(parsed.is_complete());
    }

    #[test]
    fn t40_a_cut_json_answer_never_reaches_the_parser() {
        assert!(matches!(received("```json\n{\"answer\": [4\n```\n"), Inspection::Cut(_)));
    }

    #[test]
    fn other_languages_pass_as_they_stand() {
        let Inspection::Whole(whole) = received("```rust\nfn main() {}\n```\n") else {
            panic!("found cut")
        };
        let parsed = parse(whole, &ParseOptions::default());
        assert!(parsed.json().is_none());
        assert_eq!(parsed.text(), "fn main() {}\n");
        assert!(parsed.is_complete());
    }
}
