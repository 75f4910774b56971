//! What workers hand to each other: ordered segments, and a signal.
//!
//! In: content and its kind. Out: plain data under the names of the wire. Never: the loops that act
//! on it.

use serde::{Deserialize, Serialize};

/// One piece of a payload.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segment {
    /// A UUID.
    pub id: String,
    /// What it is.
    #[serde(rename = "type")]
    pub kind: SegmentKind,
    /// Its text.
    pub content: String,
    /// When it was made, ISO 8601 in UTC.
    pub timestamp: String,
}

/// What a segment is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[non_exhaustive]
pub enum SegmentKind {
    /// What a worker was asked to do.
    Request,
    /// What a model made.
    CodeOutput,
    /// Why it was not taken; the next run reads it.
    ValidationError,
    /// What was written to a file, and as which change.
    FileWritten,
    /// What a check found, or what a heal came to.
    CheckReport,
    /// What a command wrote.
    CommandOutput,
}

impl SegmentKind {
    /// Every kind.
    pub const ALL: [Self; 6] = [
        Self::Request,
        Self::CodeOutput,
        Self::ValidationError,
        Self::FileWritten,
        Self::CheckReport,
        Self::CommandOutput,
    ];

    /// Returns the name of the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Request => "REQUEST",
            Self::CodeOutput => "CODE_OUTPUT",
            Self::ValidationError => "VALIDATION_ERROR",
            Self::FileWritten => "FILE_WRITTEN",
            Self::CheckReport => "CHECK_REPORT",
            Self::CommandOutput => "COMMAND_OUTPUT",
        }
    }

    /// Returns the kind of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// How a piece of work ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Signal {
    /// The last segment is the result.
    #[serde(rename = "SIGNAL:SUCCESS")]
    Success,
    /// The output was refused by its schema; a note says why.
    #[serde(rename = "SIGNAL:VALIDATION_FAIL")]
    ValidationFail,
    /// It cannot go on.
    #[serde(rename = "SIGNAL:FAIL_DEFAULT")]
    FailDefault,
    /// The output ends before its end.
    #[serde(rename = "SIGNAL:TRUNCATED")]
    Truncated,
    /// A file is not what the output was made for.
    #[serde(rename = "SIGNAL:HASH_MISMATCH")]
    HashMismatch,
    /// A check is red, or a command failed.
    #[serde(rename = "SIGNAL:CHECK_FAIL")]
    CheckFail,
    /// A limit or a person interrupted it.
    #[serde(rename = "SIGNAL:BREAKER")]
    Breaker,
}

impl Signal {
    /// Every signal.
    pub const ALL: [Self; 7] = [
        Self::Success,
        Self::ValidationFail,
        Self::FailDefault,
        Self::Truncated,
        Self::HashMismatch,
        Self::CheckFail,
        Self::Breaker,
    ];

    /// Returns the name of the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Success => "SIGNAL:SUCCESS",
            Self::ValidationFail => "SIGNAL:VALIDATION_FAIL",
            Self::FailDefault => "SIGNAL:FAIL_DEFAULT",
            Self::Truncated => "SIGNAL:TRUNCATED",
            Self::HashMismatch => "SIGNAL:HASH_MISMATCH",
            Self::CheckFail => "SIGNAL:CHECK_FAIL",
            Self::Breaker => "SIGNAL:BREAKER",
        }
    }

    /// Returns the signal of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|signal| signal.name() == name)
    }
}

/// What a worker gives back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkerResult {
    /// The segments in order; the last one is the newest.
    pub new_payload: Vec<Segment>,
    /// How it ended.
    pub signal: Signal,
}
