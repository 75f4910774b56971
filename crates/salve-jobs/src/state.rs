//! Where a job stands.
//!
//! In: what the engine and the book know. Out: one state. Never more than one: a cancelled job that
//! still runs is cancelling.

use crate::{FlowName, JobError, JobId, Json};
use salve_types::Timestamp;
use serde::{Deserialize, Serialize};

/// Where a job stands in the engine. What its flow says about it is its [`Stage`].
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
        output: Json,
    },
    /// It has none and will not have one.
    Failed {
        /// Why.
        error: JobError,
    },
    /// It was stopped.
    Cancelled {
        /// Why.
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
    #[serde(default, skip_serializing_if = "Json::is_null")]
    pub detail: Json,
}

/// A job as it is now.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JobSnapshot {
    /// Its name.
    pub id: JobId,
    /// Its flow.
    pub flow: FlowName,
    /// Where it stands.
    #[serde(flatten)]
    pub state: JobState,
    /// What its flow last said.
    pub stage: Option<Stage>,
    /// How often its flow has said something.
    pub stage_version: u64,
    /// When it was started.
    pub created_at: Timestamp,
}
