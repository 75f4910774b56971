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
