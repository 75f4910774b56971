//! The status of a job, in the words people use.
//!
//! In: a job as the engine knows it, with the stage its flow published. Out: one status. Never says
//! completed of a job whose flow did not: the stage alone ends nothing.

use salve_jobs::{JobSnapshot, JobState, Json};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The status of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum JobStatus {
    /// It waits to be taken.
    Pending,
    /// Someone is asked.
    Running,
    /// What came is judged.
    Validating,
    /// The answer is cut, and its rest is asked for.
    NeedsContinuation,
    /// The answer is wrong, and another is asked for.
    NeedsRework,
    /// A person has to decide.
    NeedsAttention,
    /// It has a result, and the result is valid.
    Completed,
    /// It ended with what had been recovered.
    CompletedPartial,
    /// It was told to pause.
    Paused,
    /// It ended without a result.
    Failed,
    /// It was stopped.
    Cancelled,
}

impl JobStatus {
    /// Lists every status.
    pub const ALL: [Self; 11] = [
        Self::Pending,
        Self::Running,
        Self::Validating,
        Self::NeedsContinuation,
        Self::NeedsRework,
        Self::NeedsAttention,
        Self::Completed,
        Self::CompletedPartial,
        Self::Paused,
        Self::Failed,
        Self::Cancelled,
    ];

    /// Returns the word of it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Running => "running",
            Self::Validating => "validating",
            Self::NeedsContinuation => "needs_continuation",
            Self::NeedsRework => "needs_rework",
            Self::NeedsAttention => "needs_attention",
            Self::Completed => "completed",
            Self::CompletedPartial => "completed_partial",
            Self::Paused => "paused",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Returns the status of this word.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }

    /// Returns whether nothing more will happen.
    pub const fn is_end(self) -> bool {
        matches!(self, Self::Completed | Self::CompletedPartial | Self::Failed | Self::Cancelled)
    }

    /// Returns the status of a job.
    pub fn of(job: &JobSnapshot) -> Self {
        match &job.state {
            JobState::Queued => Self::Pending,
            JobState::Done { output } => done(output),
            JobState::Failed { .. } => Self::Failed,
            JobState::Cancelled { .. } => Self::Cancelled,
            JobState::Stuck { .. } => Self::NeedsAttention,
            // A paid call in doubt is for a person to decide, whatever the flow was doing.
            state if state.is_in_doubt() => Self::NeedsAttention,
            _ => staged(job),
        }
    }
}

impl fmt::Display for JobStatus {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(self.name())
    }
}

// A flow with partial results says which kind it was.
fn done(output: &Json) -> JobStatus {
    match output.get("status").and_then(Json::as_str).and_then(JobStatus::from_name) {
        Some(JobStatus::CompletedPartial) => JobStatus::CompletedPartial,
        _ => JobStatus::Completed,
    }
}

// An end that was announced has not come yet.
fn staged(job: &JobSnapshot) -> JobStatus {
    let said = job.stage.as_ref().and_then(|stage| JobStatus::from_name(&stage.name));
    said.filter(|status| !status.is_end()).unwrap_or(JobStatus::Running)
}

#[cfg(test)]
mod tests {
    use super::*;
    use salve_jobs::{FlowName, JobError, JobId, Stage};
    use salve_types::Timestamp;
    use serde_json::json;

    fn job(state: JobState, stage: Option<&str>) -> JobSnapshot {
        let stage = stage.map(|name| Stage { name: name.to_owned(), detail: Json::Null });
        JobSnapshot {
            id: JobId::new("a").unwrap(),
            flow: FlowName::new("Generate", 1).unwrap(),
            state,
            stage,
            stage_version: 1,
            created_at: Timestamp(0),
        }
    }

    #[test]
    fn x17_every_status_has_the_word_of_the_model_and_back() {
        let words = "pending running validating needs_continuation needs_rework needs_attention \
                     completed completed_partial paused failed cancelled";
        assert_eq!(JobStatus::ALL.map(JobStatus::name).join(" "), words);
        for status in JobStatus::ALL {
            assert_eq!(JobStatus::from_name(status.name()), Some(status));
            assert_eq!(json!(status), json!(status.name()));
        }
    }

    #[test]
    fn x17_the_engines_state_and_the_flows_stage_give_one_status() {
        let done = |output| JobState::Done { output };
        let waiting = |signal: &str| JobState::Waiting { signal: signal.to_owned() };
        let failed = JobState::Failed { error: JobError::Flow { message: "no".into() } };
        let stuck = JobState::Stuck { step: "generate.ask".into(), attempts: 10 };
        let cases = [
            (JobState::Queued, None, "pending"),
            (JobState::Running, None, "running"),
            (JobState::Running, Some("validating"), "validating"),
            (JobState::Running, Some("needs_continuation"), "needs_continuation"),
            (JobState::Running, Some("something of its own"), "running"),
            (JobState::Running, Some("completed"), "running"),
            (waiting("retry"), Some("needs_attention"), "needs_attention"),
            (waiting("resume"), Some("paused"), "paused"),
            (waiting("resolve.1f"), Some("running"), "needs_attention"),
            (JobState::Cancelling, Some("running"), "running"),
            (JobState::Cancelled { reason: "x".into() }, Some("running"), "cancelled"),
            (failed, Some("running"), "failed"),
            (stuck, Some("running"), "needs_attention"),
            (done(json!({"status": "completed_partial"})), None, "completed_partial"),
            (done(json!({"status": "completed"})), None, "completed"),
            (done(json!(7)), None, "completed"),
        ];
        for (state, stage, expected) in cases {
            let job = job(state, stage);
            assert_eq!(JobStatus::of(&job).name(), expected, "{job:?}");
        }
    }
}
