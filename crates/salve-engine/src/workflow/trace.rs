//! What a block did: the payload before and after, the signal, and what was removed from an output.
//!
//! In: a run of a block. Out: plain data for a report. Never a decision.

use salve_text::CleanReply;
use salve_types::{Segment, Signal, Spend};
use serde::{Deserialize, Serialize};

/// One run of a block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BlockRun {
    /// Which run of the flow, from 1.
    pub number: u32,
    /// The block.
    pub block: String,
    /// Its node, where it is in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// Who did it.
    pub worker: String,
    /// Which run of this block, from 1.
    pub run: u32,
    /// What was done, in order: execute, clean, validate, transition.
    pub stages: Vec<String>,
    /// How it ended.
    pub signal: Signal,
    /// The signal whose transition was taken, where there was none for `signal`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_way_of: Option<Signal>,
    /// The block that is next; none where the flow ended here.
    pub next: Option<String>,
    /// Why it did not succeed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// What was set aside of an output, with its place in the raw text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<Removed>,
    /// The change that was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<String>,
    /// What models took.
    pub spent: Spend,
    /// The payload that the block was given.
    pub before: Vec<Segment>,
    /// The payload that it left.
    pub after: Vec<Segment>,
}

/// A part of an output that was set aside.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Removed {
    /// Why.
    pub reason: String,
    /// The first byte in the raw text.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
    /// The text.
    pub text: String,
}

impl Removed {
    /// Lists what cleaning set aside.
    pub fn of(cleaned: &CleanReply) -> Vec<Self> {
        let one = |aside: &salve_text::Aside| {
            let reason = serde_json::to_value(aside.reason).ok();
            Self {
                reason: reason.and_then(|it| it.as_str().map(str::to_owned)).unwrap_or_default(),
                start: aside.span.start,
                end: aside.span.end,
                text: cleaned.aside_text(aside).to_owned(),
            }
        };
        cleaned.aside().iter().map(one).collect()
    }
}
