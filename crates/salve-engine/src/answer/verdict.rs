//! What one look at an answer says.
//!
//! In: nothing but the names. Out: the verdict the ladder acts on, with its evidence. Never an
//! error: an answer that is wrong is a finding about someone's text.

use salve_types::{Evidence, FinishReason, Verdict};
use serde::{Deserialize, Serialize};

/// Whether an answer is what was wanted.
#[must_use]
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum AnswerVerdict {
    /// Nothing is missing and nothing is wrong.
    Whole(WholeAnswer),
    /// It ends before its end.
    Cut(Box<AnswerCut>),
    /// It has an end, and is not what was wanted.
    Malformed(Box<Fault>),
    /// The output limit went into reasoning before any answer began.
    ThinkingOnly,
    /// Plain text that ends at the caller's own limit: as it was asked for.
    AtOwnLimit,
    /// A filter or a refusal ended it; asking again would argue with the provider.
    Refused,
}

/// An answer that is whole, and what has to be put right around it.
#[derive(Debug, Clone, PartialEq)]
pub struct WholeAnswer {
    /// The text alone, where talk or a fence was around the JSON that was wanted.
    pub clean: Option<String>,
    /// Tool calls, by index, that left out the arguments of a tool which needs none.
    pub without_arguments: Vec<usize>,
    /// The finish reason that the bytes prove, where another one or none was said.
    pub wrong_finish: Option<WrongFinish>,
    /// What counted.
    pub evidence: Vec<Evidence>,
}

/// A finish reason that the bytes disprove.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrongFinish {
    /// What the provider said, if anything.
    pub said: Option<FinishReason>,
    /// What the bytes prove.
    pub proven: FinishReason,
}

/// Which part of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Its text.
    Text,
    /// A tool call, by its index.
    Tool(usize),
}

/// An answer that ends before its end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnswerCut {
    /// The part of the answer.
    pub part: Part,
    /// The text to go on from, where talk or a fence was before it.
    pub clean: Option<String>,
    /// What is open, and the evidence.
    pub verdict: Verdict,
    /// Whether it cannot be used in part: code, JSON, arguments of a tool.
    pub structured: bool,
    /// Whether the bytes themselves prove the cut. Without that, a model that has nothing to add
    /// has settled the question.
    pub proven: bool,
}

/// What is wrong with an answer that has an end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What kind of fault, for decisions.
    pub kind: FaultKind,
    /// Which part.
    pub part: Part,
    /// Where in it, such as `$.files[2].path`.
    pub path: String,
    /// What should be there.
    pub expected: String,
    /// What is there, shortened.
    pub got: String,
    /// The fault in words.
    pub message: String,
}

/// What kind of fault an answer has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FaultKind {
    /// No continuation makes it JSON.
    NotJson {
        /// The line of the error, from 1.
        line: u32,
    },
    /// It is JSON of another shape than was wanted.
    Misfit,
    /// It has no end, and cannot be continued.
    Unfinished,
    /// There is nothing.
    Empty,
    /// It calls a tool that does not exist.
    UnknownTool,
}

impl Fault {
    /// Returns the fault in one line: what is wrong, where, what was expected and what was found.
    pub fn line(&self) -> String {
        format!("{} (at {}: expected {}, got {})", self.message, self.path, self.expected, self.got)
    }
}
