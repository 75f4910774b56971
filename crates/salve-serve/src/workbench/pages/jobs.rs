//! Jobs and calls, from the book of jobs and the ledger.
//!
//! In: which page of each, and perhaps a call. Out: what is in doubt, jobs, calls. Never more than a page of each.

use super::super::answer::{Answer, Fault};
use super::super::state::WorkbenchState;
use super::super::view::screens::jobs::{
    CallDetailView, CallView, DoubtView, JobView, JobsView, jobs_screen,
};
use super::chosen::{drawn, shown};
use super::shell;
use axum::extract::{Query, State};
use axum::response::Response;
use salve_engine::jobs::JobStatus;
use salve_jobs::{JobFilter, JobId, JobSnapshot, JobState, Page};
use salve_store::{Call, CallFilter, CallId, DoubtFilter, DoubtfulCall};
use serde::Deserialize;
use std::sync::Arc;

/// How many jobs and calls a page has.
const SHOWN: u32 = 30;
/// How many calls in doubt are shown.
const DOUBTS: u32 = 20;
/// How many bytes of a text are shown.
const MOST_BYTES: usize = 64 * 1024;

/// What is wanted.
#[derive(Debug, Clone, Default, Deserialize)]
pub(super) struct Wanted {
    /// Jobs after this one, that is: older.
    after: Option<String>,
    /// Calls older than this one.
    before: Option<i64>,
    /// A call in full.
    call: Option<i64>,
}

/// Answers `GET /jobs`.
pub(super) async fn jobs(
    State(state): State<Arc<WorkbenchState>>,
    Query(wanted): Query<Wanted>,
) -> Answer<Response> {
    let store = state.store();
    let doubts = store.in_doubt(&DoubtFilter { limit: DOUBTS, ..DoubtFilter::default() }).await?;
    let after = wanted.after.as_deref().map(JobId::new).transpose();
    let after = after.map_err(|error| Fault::invalid(error.to_string()))?;
    let filter = JobFilter { roots_only: true, ..JobFilter::default() };
    let jobs = state.conversation().jobs().list(filter, Page { after, limit: SHOWN }).await?;
    let before = wanted.before.map(CallId);
    let calls = store.calls(&CallFilter { before, limit: SHOWN, ..CallFilter::default() }).await?;
    let call = match wanted.call {
        Some(id) => Some(detail(&state, CallId(id)).await?),
        None => None,
    };
    let full = |count: usize| count == usize::try_from(SHOWN).unwrap_or(usize::MAX);
    let older_jobs = jobs.last().filter(|_| full(jobs.len()));
    let older_calls = calls.last().filter(|_| full(calls.len()));
    let view = JobsView {
        doubts: doubts.iter().map(doubt_view).collect(),
        older_jobs: older_jobs
            .map(|job| format!("/jobs?after={}#jobs", query_text(job.id.as_str()))),
        jobs: jobs.iter().map(job_view).collect(),
        call,
        older_calls: older_calls.map(|call| format!("/jobs?before={}#calls", call.id)),
        calls: calls.iter().map(call_view).collect(),
    };
    drawn(shell(&state, "Jobs"), move || jobs_screen(&view)).await
}

// Names of jobs hold letters, digits and a few signs; what an address gives a meaning is written by its number.
fn query_text(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    text.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

pub(super) fn job_view(job: &JobSnapshot) -> JobView {
    let why = match &job.state {
        JobState::Failed { error } => error.to_string(),
        JobState::Cancelled { reason } => reason.clone(),
        JobState::Waiting { signal } => format!("waits for {signal}"),
        JobState::Stuck { step, attempts } => {
            format!("step {step} ended its worker {attempts} times")
        }
        _ => String::new(),
    };
    JobView {
        id: job.id.to_string(),
        flow: job.flow.to_string(),
        status: JobStatus::of(job).name().to_owned(),
        stage: job.stage.as_ref().map(|stage| stage.name.clone()).unwrap_or_default(),
        why,
        ended: job.state.is_terminal(),
        at: job.created_at.0,
    }
}

fn doubt_view(doubt: &DoubtfulCall) -> DoubtView {
    DoubtView {
        key: doubt.key.to_string(),
        job: doubt.key.job().map(|job| job.to_string()).unwrap_or_default(),
        worker: doubt.worker.clone(),
        bytes: doubt.partial_bytes,
        micro_dollars: doubt.worst.micro_dollars,
        since: doubt.since.0,
    }
}

fn call_view(call: &Call) -> CallView {
    CallView {
        id: call.id.0,
        purpose: call.purpose.clone(),
        model: call.model.clone(),
        outcome: call.outcome.map_or(call.state.name(), salve_types::CallOutcome::name).to_owned(),
        finish: call.finish.clone().unwrap_or_default(),
        kind: call.kind.clone().unwrap_or_default(),
        tokens: call.usage.map(|usage| (usage.input_tokens, usage.output_tokens)),
        micro_dollars: call.micro_dollars,
        estimated: call.estimated,
        error: call.error.clone().unwrap_or_default(),
        at: call.reserved_at.0,
    }
}

async fn detail(state: &WorkbenchState, id: CallId) -> Answer<CallDetailView> {
    let found = state.store().call(id).await?;
    let found = found.ok_or_else(|| Fault::missing("no_such_call", "there is no such call"))?;
    Ok(CallDetailView {
        call: call_view(&found.call),
        prompt_hash: found.call.prompt_hash.clone(),
        parent: found.call.parent.map(|parent| parent.0),
        raw: shown(&found.texts.raw, MOST_BYTES),
        partial: found.texts.partial.map(|text| shown(&text, MOST_BYTES)),
        result: found.texts.result.map(|text| shown(&text, MOST_BYTES)),
    })
}
