//! The state of a job.
//!
//! In: what is known of it. Out: one state. Never more than one: a cancelled job that
//! still runs is cancelling.

use crate::CallKey;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The state of a job in the engine. What its flow says about it is its [`Stage`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
#[non_exhaustive]
pub enum JobState {
    /// No worker has taken it yet.
    Queued,
    /// It is being worked on.
    Running,
    /// It waits to be told something.
    Waiting {
        /// What for.
        signal: String,
    },
    /// It was told to stop and has not yet.
    Cancelling,
    /// It has a result.
    Done {
        /// The result.
        output: Value,
    },
    /// It has none and will not have one.
    Failed {
        /// What went wrong.
        error: JobError,
    },
    /// It was stopped.
    Cancelled {
        /// The reason that was given.
        reason: String,
    },
    /// One of its steps kills every worker that tries it; a person has to look.
    Stuck {
        /// Which step.
        step: String,
        /// How often it was tried.
        attempts: u32,
    },
}

impl JobState {
    /// Returns whether nothing more will happen.
    pub const fn is_terminal(&self) -> bool {
        matches!(
            self,
            Self::Done { .. } | Self::Failed { .. } | Self::Cancelled { .. } | Self::Stuck { .. }
        )
    }

    /// Returns whether it waits for a decision about a paid call whose end is unknown.
    pub fn is_in_doubt(&self) -> bool {
        matches!(self, Self::Waiting { signal } if CallKey::is_resolve_signal(signal))
    }

    /// Returns the word of it.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Waiting { .. } => "waiting",
            Self::Cancelling => "cancelling",
            Self::Done { .. } => "done",
            Self::Failed { .. } => "failed",
            Self::Cancelled { .. } => "cancelled",
            Self::Stuck { .. } => "stuck",
        }
    }
}

/// What a flow says about where it is.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Stage {
    /// A short word, such as a status.
    pub name: String,
    /// Small facts about it; ids, never texts.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub detail: Value,
}

/// Why a job ended without a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "why", rename_all = "snake_case")]
#[non_exhaustive]
pub enum JobError {
    /// Its flow said so.
    #[error("{message}")]
    Flow {
        /// What happened.
        message: String,
    },
    /// A call of it did not fit a budget.
    #[error("{message}")]
    OverBudget {
        /// What is left, and what it would take.
        message: String,
    },
    /// Its flow was changed under the same name, so its history does not fit any more.
    #[error(
        "flow {flow} was changed under its old name ({detail}): give the changed flow a new version \
         and register the old one beside it"
    )]
    FlowChanged {
        /// Which flow.
        flow: String,
        /// Where its history and the flow part.
        detail: String,
    },
    /// It was cancelled.
    #[error("cancelled: {reason}")]
    Cancelled {
        /// The reason that was given.
        reason: String,
    },
    /// One of its steps killed every worker that tried it.
    #[error("step {step} killed its worker {attempts} times")]
    Stuck {
        /// Which step.
        step: String,
        /// How often it was tried.
        attempts: u32,
    },
    /// The engine gave up.
    #[error("the engine could not go on: {message}")]
    Engine {
        /// What it said.
        message: String,
    },
}
