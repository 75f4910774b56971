//! Heal, from what heals tried, their jobs and the counts of errors that they left.
//!
//! In: the workspace. Out: the newest heals with their attempts, what they came to, breakers. Never more than a page.

use super::super::answer::{Answer, Fault};
use super::super::state::WorkbenchState;
use super::super::view::diff::hunks_between;
use super::super::view::screens::FileDiff;
use super::super::view::screens::heal::{
    AttemptView, BreakerView, HealView, HealsView, heal_screen,
};
use super::chosen::drawn;
use super::jobs::job_view;
use super::shell;
use axum::extract::State;
use axum::response::Response;
use salve_engine::heal::breakers::BreakerLimits;
use salve_engine::heal::{FixSource, HealReport, Outcome, Patch};
use salve_engine::host::OpenWorkspace;
use salve_engine::jobs::HEAL_FLOW;
use salve_jobs::{JobFilter, JobId, JobSnapshot, JobState, Page};
use salve_store::{HealAttempt, HealAttemptFilter, UnhealedError};
use salve_tree::{AdmitOptions, FileView, History, WorkspaceOptions};
use std::sync::Arc;
use std::time::Duration;

/// How many attempts are read.
const ATTEMPTS: u32 = 200;
/// How many heals are shown.
const HEALS: usize = 10;
/// How many errors are shown.
const BREAKERS: usize = 50;
/// Longer files are not compared.
const MOST_BYTES: usize = 512 * 1024;

/// Answers `GET /heal`.
pub(super) async fn heal(State(state): State<Arc<WorkbenchState>>) -> Answer<Response> {
    let root = state.root().display().to_string();
    let filter =
        HealAttemptFilter { workspace: Some(root.clone()), ..HealAttemptFilter::default() };
    let attempts = state.store().heal_attempts(filter, ATTEMPTS).await?;
    let errors = state.store().unhealed_errors(Some(&root)).await?;
    let view = HealsView {
        ladder: FixSource::ALL.iter().map(|source| source.name().to_owned()).collect(),
        heals: heals(&state, attempts).await?,
        breakers: errors.into_iter().take(BREAKERS).map(breaker).collect(),
    };
    drawn(shell(&state, "Heal"), move || heal_screen(&view)).await
}

fn breaker(error: UnhealedError) -> BreakerView {
    BreakerView {
        signature: error.signature,
        error: error.error,
        heals: error.heals,
        limit: BreakerLimits::default().same_error,
        at: error.at.0,
    }
}

async fn heals(state: &WorkbenchState, attempts: Vec<HealAttempt>) -> Answer<Vec<HealView>> {
    let jobs = state.conversation().jobs();
    let flow = HEAL_FLOW.split('@').next().map(str::to_owned);
    let open = JobFilter { flow, ended: Some(false), ..JobFilter::default() };
    let running = jobs.list(open, Page { after: None, limit: 5 }).await?;
    let mut found: Vec<HealView> = running.iter().map(|job| of_job(job).0).collect();
    let mut reports: Vec<(usize, HealReport)> = Vec::new();
    for attempt in attempts {
        let place = found.iter().position(|heal| heal.id == attempt.heal);
        let place = match place {
            Some(place) => place,
            None if found.len() >= HEALS => continue,
            None => {
                let (heal, report) = known(state, &attempt).await?;
                reports.extend(report.map(|report| (found.len(), report)));
                found.push(heal);
                found.len() - 1
            }
        };
        if let Some(heal) = found.get_mut(place) {
            heal.attempts.push(attempt_view(attempt));
        }
    }
    for heal in &mut found {
        heal.attempts.sort_by_key(|attempt| attempt.number);
    }
    with_diffs(state, &mut found, reports).await?;
    Ok(found)
}

// A heal whose job was forgotten has its attempts still.
async fn known(
    state: &WorkbenchState,
    attempt: &HealAttempt,
) -> Answer<(HealView, Option<HealReport>)> {
    let unknown = HealView {
        id: attempt.heal.clone(),
        status: "ended".to_owned(),
        at: attempt.at.0,
        ..HealView::default()
    };
    let Ok(id) = JobId::new(&attempt.heal) else { return Ok((unknown, None)) };
    let job = state.conversation().jobs().state(&id).await?;
    Ok(job.as_ref().map_or((unknown, None), of_job))
}

fn of_job(job: &JobSnapshot) -> (HealView, Option<HealReport>) {
    let line = job_view(job);
    let mut heal = HealView {
        id: line.id,
        status: line.status,
        stage: line.why,
        running: !line.ended,
        at: line.at,
        ..HealView::default()
    };
    let JobState::Done { output } = &job.state else { return (heal, None) };
    let Ok(report) = serde_json::from_value::<HealReport>(output.clone()) else {
        return (heal, None);
    };
    heal.status = match &report.ending {
        Outcome::Repaired { .. } => "healed".to_owned(),
        Outcome::FirstTrySuccess => "green".to_owned(),
        _ => report.outcome.clone(),
    };
    heal.errors = Some((report.errors_before as u64, report.errors_after as u64));
    heal.story = report.story.iter().chain(&report.learned).cloned().collect();
    heal.change.clone_from(&report.change);
    heal.held = report.held;
    (heal, Some(report))
}

fn attempt_view(attempt: HealAttempt) -> AttemptView {
    AttemptView {
        number: attempt.number,
        source: attempt.source,
        tier: attempt.tier,
        author: attempt.author,
        description: attempt.description,
        result: attempt.result,
        detail: attempt.detail,
        failed: attempt.failed,
        tokens: attempt.tokens,
        milliseconds: attempt.milliseconds,
    }
}

// What was checked in the shadow: as it was written, or as it would be.
async fn with_diffs(
    state: &WorkbenchState,
    heals: &mut [HealView],
    reports: Vec<(usize, HealReport)>,
) -> Answer<()> {
    if reports.is_empty() {
        return Ok(());
    }
    let place = state.config.place.clone();
    let read = move || {
        let options = WorkspaceOptions { wait: Duration::ZERO, ..WorkspaceOptions::default() };
        let Ok(opened) = OpenWorkspace::open_at(&place, options) else { return Vec::new() };
        let history = History::load(&opened.tree).ok();
        let diff = |report: &HealReport| match (&report.patch, &report.change, &history) {
            (Some(patch), ..) => of_patch(&opened, patch),
            (None, Some(change), Some(history)) => of_change(&opened, history, change),
            _ => Vec::new(),
        };
        reports.iter().map(|(at, report)| (*at, diff(report))).collect()
    };
    let diffs = tokio::task::spawn_blocking(read).await.map_err(|error| Fault::broken(&error))?;
    for (at, diff) in diffs {
        if let Some(heal) = heals.get_mut(at) {
            heal.diff = diff;
        }
    }
    Ok(())
}

fn of_patch(opened: &OpenWorkspace, patch: &Patch) -> Vec<FileDiff> {
    let view = opened.view(AdmitOptions::default());
    let now = |path: &str| Some(view.read(&view.admit(path).ok()?).ok()??.bytes);
    let file = |(path, text): (&String, &Option<String>)| {
        compared(path, now(path), text.as_ref().map(|text| text.clone().into_bytes()))
    };
    patch.files.iter().map(file).collect()
}

fn of_change(opened: &OpenWorkspace, history: &History, change: &str) -> Vec<FileDiff> {
    let Ok(exported) = history.export(&opened.tree, change) else { return Vec::new() };
    let file = |file: salve_tree::ExportedFile| {
        compared(&file.file_path, file.old_content, file.new_content)
    };
    exported.contents.into_iter().map(file).collect()
}

fn compared(path: &str, old: Option<Vec<u8>>, new: Option<Vec<u8>>) -> FileDiff {
    let text = |bytes: Option<Vec<u8>>| {
        let bytes = bytes.unwrap_or_default();
        if bytes.len() > MOST_BYTES { None } else { String::from_utf8(bytes).ok() }
    };
    match (text(old), text(new)) {
        (Some(old), Some(new)) => {
            FileDiff { path: path.to_owned(), hunks: hunks_between(&old, &new), note: None }
        }
        _ => FileDiff {
            path: path.to_owned(),
            hunks: Vec::new(),
            note: Some("The file is long, or no text: it is not shown.".to_owned()),
        },
    }
}
