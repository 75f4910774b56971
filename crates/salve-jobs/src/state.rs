//! A job as it is now.
//!
//! In: what the engine and the index of jobs know. Out: one snapshot. Never a text: ids, names and
//! numbers.

use salve_types::{FlowName, JobId, JobState, Stage, Timestamp};
use serde::Serialize;

/// A job as it is now.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JobSnapshot {
    /// Its name.
    pub id: JobId,
    /// Its flow.
    pub flow: FlowName,
    /// Its state.
    #[serde(flatten)]
    pub state: JobState,
    /// What its flow last said.
    pub stage: Option<Stage>,
    /// How often its flow has said something.
    pub stage_version: u64,
    /// When it was started.
    pub created_at: Timestamp,
}
