//! What happened to a job, in order.
//!
//! In: what the engine wrote down. Out: events that are the same on every store. Never a text: ids,
//! names and numbers.

use crate::{CallKey, JobId, JobState, Json, Stage};
use salve_types::Timestamp;
use serde::{Deserialize, Serialize};

/// The number of an event; later ones have larger numbers.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct EventId(pub i64);

/// An event of one job.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JobEvent {
    /// Its number.
    pub id: EventId,
    /// The job.
    pub job: JobId,
    /// When it was written down.
    pub at: Timestamp,
    /// What it was.
    #[serde(flatten)]
    pub what: Happened,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Happened {
    /// A worker took it.
    Started {
        /// Its flow.
        flow: String,
    },
    /// Its flow said where it is.
    Stage {
        /// What it said.
        #[serde(flatten)]
        stage: Stage,
    },
    /// A step is to be done.
    StepScheduled {
        /// The name of the step.
        step: String,
        /// Its place in the flow.
        position: u32,
        /// Which attempt, from 1.
        attempt: u32,
        /// By what its paid call is known.
        key: CallKey,
    },
    /// A step gave a result.
    StepDone {
        /// The name of the step.
        step: String,
        /// Its place in the flow.
        position: u32,
        /// Which attempt.
        attempt: u32,
    },
    /// A step gave none.
    StepFailed {
        /// The name of the step.
        step: String,
        /// Its place in the flow.
        position: u32,
        /// Which attempt.
        attempt: u32,
        /// What went wrong.
        error: String,
    },
    /// A child was started.
    ChildStarted {
        /// The job that is the child.
        child: JobId,
    },
    /// A child ended.
    ChildEnded {
        /// The job that is the child.
        child: JobId,
        /// Why it has no result, if it has none.
        error: Option<String>,
    },
    /// It waits to be told something.
    Waiting {
        /// What for.
        signal: String,
    },
    /// It was told something.
    Signalled {
        /// The name of the signal.
        signal: String,
    },
    /// It sleeps.
    Sleeping {
        /// Until when.
        until: Timestamp,
    },
    /// It woke up.
    Woke,
    /// Someone wants it to stop.
    CancelRequested {
        /// The reason that was given.
        reason: String,
    },
    /// It began again with another input.
    Restarted,
    /// It ended; nothing follows.
    Ended {
        /// The state it ended in.
        #[serde(flatten)]
        state: JobState,
    },
    /// Something else that the engine wrote down.
    Other {
        /// Its word for it.
        kind: String,
        /// The rest.
        #[serde(default, skip_serializing_if = "Json::is_null")]
        detail: Json,
    },
}
