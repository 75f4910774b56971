//! A generation as people ask for it: status, result, partial, error.
//!
//! In: a job and the store with its texts. Out: the three slots apart. Never shows a partial text
//! as a result.

use super::super::JobStatus;
use super::input::{GenerateOutput, Progress, StopCode, is_zero};
use salve_jobs::{JobError, JobId, JobSnapshot, JobState};
use salve_store::{Store, StoreError};
use serde::Serialize;

/// A generation job with its texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Generation {
    /// The job.
    pub id: JobId,
    /// Its state.
    pub status: JobStatus,
    /// The answer; only of a completed job.
    pub code_result: Option<String>,
    /// The answer as far as it came, when it is not whole.
    pub partial_output: Option<String>,
    /// The rest: what is wrong, how often was asked, what it took. Its texts are ids.
    #[serde(flatten)]
    pub facts: GenerationFacts,
}

/// What is known of a generation beside its texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GenerationFacts {
    /// What is wrong with the answer.
    pub validation_error: Option<super::ValidationError>,
    /// Why a person has to decide, or why it failed.
    pub why: Option<String>,
    /// The same as a code, where a program acts on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<super::StopCode>,
    /// Which round, from 1.
    pub round: u32,
    /// Calls of this round.
    pub calls: u32,
    /// Those that continued a cut answer.
    pub continuations: u32,
    /// Those that corrected a wrong one.
    pub reworks: u32,
    /// Calls of all rounds that were begun by a worker that died, and may have been charged.
    #[serde(skip_serializing_if = "is_zero")]
    pub lost_calls: u32,
    /// Tokens of all rounds.
    pub tokens: u64,
    /// Their price in millionths of a dollar.
    pub micro_dollars: u64,
}

impl Generation {
    /// Looks at a job of the flow `Generate`.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn of(job: &JobSnapshot, store: &Store) -> Result<Self, StoreError> {
        let status = JobStatus::of(job);
        let (result, progress) = known(job);
        let code_result = match result {
            Some(id) if status == JobStatus::Completed => store.text(&id).await?,
            _ => None,
        };
        let partial_output = match &progress.partial_output {
            Some(id) if status != JobStatus::Completed => store.text(id).await?,
            _ => None,
        };
        let facts = GenerationFacts {
            validation_error: progress.validation_error,
            why: progress.why,
            code: progress.code,
            round: progress.round,
            calls: progress.calls,
            continuations: progress.continuations,
            reworks: progress.reworks,
            lost_calls: progress.lost_calls,
            tokens: progress.tokens,
            micro_dollars: progress.micro_dollars,
        };
        Ok(Self { id: job.id.clone(), status, code_result, partial_output, facts })
    }
}

/// Tells whether a job waits or failed because a call of it did not fit a budget.
pub fn is_over_budget(job: &JobSnapshot) -> bool {
    matches!(&job.state, JobState::Failed { error: JobError::OverBudget { .. } })
        || known(job).1.code == Some(StopCode::OverBudget)
}

// A job that has ended says it in its output, all others in their last stage.
fn known(job: &JobSnapshot) -> (Option<String>, Progress) {
    if let JobState::Done { output } = &job.state
        && let Ok(output) = serde_json::from_value::<GenerateOutput>(output.clone())
    {
        return (output.code_result, output.progress);
    }
    let stage = job.stage.as_ref().map(|stage| stage.detail.clone()).unwrap_or_default();
    (None, serde_json::from_value(stage).unwrap_or_default())
}
