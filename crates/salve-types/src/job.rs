//! Jobs as they are listed: who asked for what, how far it is, how it ended.
//!
//! In: names, hashes and moments. Out: rows, and which of them are wanted. Never decides anything:
//! the engine's history is the truth, and this is what is read of it.

use crate::{FlowName, JobId, JobState, Timestamp};
use serde::{Deserialize, Serialize};

/// What a worker must have to do the steps of a job.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Needs {
    /// A toolchain, such as `rust`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub toolchain: Option<String>,
    /// A root: the name of a workspace that must be on the worker's disk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
}

impl Needs {
    /// Returns whether any worker will do.
    pub const fn is_nothing(&self) -> bool {
        self.toolchain.is_none() && self.root.is_none()
    }
}

/// A job that is about to be started.
#[derive(Debug, Clone, PartialEq)]
pub struct NewJob {
    /// Its name.
    pub id: JobId,
    /// Its flow.
    pub flow: FlowName,
    /// The hash of its input, by which the same start is known again.
    pub input_hash: String,
    /// What its steps need.
    pub needs: Needs,
}

/// The outcome of writing a job down.
#[must_use]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Registered {
    /// It is new.
    New,
    /// It was there, with the same flow and input.
    Same,
    /// It was there, with another.
    Conflict,
}

/// A job in the book.
#[derive(Debug, Clone, PartialEq)]
pub struct JobRow {
    /// Its name.
    pub id: JobId,
    /// Its flow.
    pub flow: FlowName,
    /// The hash of its input.
    pub input_hash: String,
    /// What its steps need.
    pub needs: Needs,
    /// When it was started.
    pub created_at: Timestamp,
    /// Why it is to stop, if it is.
    pub cancel_reason: Option<String>,
    /// How far into its history events were written down: the execution and the event in it.
    pub reported: (u64, u64),
    /// How it ended, if it has.
    pub ended: Option<JobState>,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
}

/// Which jobs are wanted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JobFilter {
    /// This one and its children only.
    pub within: Option<JobId>,
    /// Of this flow (any version) only.
    pub flow: Option<String>,
    /// Whether they have ended.
    pub ended: Option<bool>,
    /// Without children.
    pub roots_only: bool,
}

/// Which part of a list is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// After this job in the list, that is: older.
    pub after: Option<JobId>,
    /// At most this many.
    pub limit: u32,
}

impl Default for Page {
    fn default() -> Self {
        Self { after: None, limit: 50 }
    }
}
