//! Runs the job of a heal in this process and shows it.
//!
//! In: open jobs and what is to be healed. Out: the report. A heal of the same workspace, command and limits
//! that was killed or interrupted is gone on with. Never runs two heals of one workspace at a time.

use super::draw;
use crate::arguments::FormatChoice;
use crate::commands::jobs::history;
use crate::commands::worker::Busy;
use crate::failure::{CommandResult, Ending, Failure};
use crate::job_place::OpenJobs;
use crate::{output, runtime};
use futures_util::StreamExt;
use salve_check::project_files;
use salve_engine::heal::{HealInput, HealLock, HealReport, Locking, RepairError};
use salve_engine::host::Place;
use salve_engine::jobs::{HEAL_FLOW, HEAL_STAGE, HealHost, HealResume, JobStatus, RESUME_SIGNAL};
use salve_jobs::{
    EventId, FlowName, Happened, JobFilter, JobId, JobSnapshot, JobState, Needs, Page,
    StartOptions, WorkerOptions, fresh_job_id,
};
use salve_tree::ContentHash;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// How often the files are looked at while nothing is healed.
const BETWEEN_LOOKS: Duration = Duration::from_millis(500);
const GRACE: Duration = Duration::from_secs(30);
/// How many heals that have not ended are looked through.
const MOST_UNFINISHED: u32 = 500;

/// Heals, and shows what happens.
pub(super) async fn heal_and_follow(
    open: &OpenJobs<'_>,
    host: Arc<dyn HealHost>,
    input: HealInput,
    format: FormatChoice,
) -> Result<(JobId, HealReport), Failure> {
    let _lock = match HealLock::take(&input.root)? {
        Locking::Taken(lock) => lock,
        Locking::Held { process } => return Err(in_progress(process)),
    };
    let flow = FlowName::try_from(HEAL_FLOW.to_owned())?;
    let root = input.root.display().to_string();
    let name = name_of(&input);
    let before = unfinished(open, &name).await?;
    let id = match &before {
        Some(job) => job.id.clone(),
        None => JobId::new(&format!("{name}-{}", fresh_job_id()))?,
    };
    let options = WorkerOptions {
        worker: open.worker(),
        only: Some(id.clone()),
        steps_at_once: 4,
        flows_at_once: 2,
        roots: [root.clone()].into(),
        ..WorkerOptions::default()
    };
    let busy = Busy::default();
    let runner = open.run_healing(host, options, &busy).await?;
    if let Some(job) = &before {
        output::story(&format!("going on with {}, which was interrupted\n", job.id));
    }
    // One that has not begun may be one of which the engine has not heard: the process that wrote it down
    // died before. Started twice, it is started once.
    if before.as_ref().is_none_or(|job| matches!(job.state, JobState::Queued)) {
        let needs = Needs { root: Some(root), ..Needs::default() };
        let input = serde_json::to_value(&input)?;
        let _known = open.jobs.start(&flow, id.clone(), input, StartOptions { needs }).await?;
    }
    let seen = match before {
        Some(job) => go_on(open, &job, &input).await?,
        None => EventId(0),
    };
    if format == FormatChoice::Human {
        output::transient("checking");
    }
    let ended = follow(open, &id, seen, format).await;
    output::transient("");
    tokio::select! {
        _ = runner.drain(GRACE) => {}
        interrupted = runtime::interrupted() => interrupted?,
    }
    forget_ended(open).await;
    Ok((id, ended??))
}

// A process that was killed just after its heal was over could not remove what it kept of it.
async fn forget_ended(open: &OpenJobs<'_>) {
    let Ok(entries) = std::fs::read_dir(open.heal_folder()) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(id) = name.to_str().and_then(|name| JobId::new(name).ok()) else { continue };
        let job = open.jobs.state(&id).await;
        if matches!(job, Ok(Some(job)) if job.state.is_terminal()) {
            // What cannot be removed is tried again after the next heal.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

fn in_progress(process: Option<u32>) -> Failure {
    Failure::new(RepairError::Busy { process }.to_string()).hint(
        "Start it again when that one is over; `salve jobs list` shows it, `salve jobs cancel` ends it.",
    )
}

// The same for every heal of one workspace that does the same, so that one which was interrupted is found.
// More tokens or time are no other heal.
fn name_of(input: &HealInput) -> String {
    let options = &input.options;
    let may = json!([options.strictness, options.fixers, options.tiers, options.partial]);
    let what = json!([input.here, input.command, input.targets, input.scope, input.fail_on]);
    let what = json!([input.root, what, input.then, input.proposal, may]).to_string();
    let hash = ContentHash::of(what.as_bytes()).hex();
    format!("heal-{}", hash.get(..12).unwrap_or(&hash))
}

// The newest heal of this name that was begun and has not ended.
async fn unfinished(open: &OpenJobs<'_>, name: &str) -> Result<Option<JobSnapshot>, Failure> {
    let flow = HEAL_FLOW.split('@').next().map(str::to_owned);
    let filter = JobFilter { flow, ended: Some(false), roots_only: true, ..JobFilter::default() };
    let jobs = open.jobs.list(filter, Page { after: None, limit: MOST_UNFINISHED }).await?;
    let own = |job: &JobSnapshot| job.id.as_str().starts_with(name) && !job.state.is_terminal();
    Ok(jobs.into_iter().find(own))
}

// One that waits to be told is told; returns the last event from before.
async fn go_on(
    open: &OpenJobs<'_>,
    job: &JobSnapshot,
    input: &HealInput,
) -> Result<EventId, Failure> {
    let events = history(&*open.jobs, &job.id).await?;
    let seen = events.last().map_or(EventId(0), |event| event.id);
    let waits = matches!(job.state, JobState::Waiting { .. });
    if waits && JobStatus::of(job) == JobStatus::Paused {
        let with = serde_json::to_value(HealResume { tokens: Some(input.options.tokens) })?;
        let signal_id = format!("{RESUME_SIGNAL}-{}", seen.0);
        open.jobs.signal(&job.id, RESUME_SIGNAL, &signal_id, with).await?;
    }
    Ok(seen)
}

async fn follow(
    open: &OpenJobs<'_>,
    id: &JobId,
    after: EventId,
    format: FormatChoice,
) -> Result<Result<HealReport, Failure>, Failure> {
    let mut events = open.jobs.watch(id, after);
    let interrupted = runtime::interrupted();
    tokio::pin!(interrupted);
    loop {
        tokio::select! {
            event = events.next() => {
                let Some(event) = event.transpose()? else { break };
                let Happened::Stage { stage } = event.what else { continue };
                if stage.name == HEAL_STAGE {
                    tell(&stage.detail, format)?;
                } else if stage.name == JobStatus::Paused.name() {
                    return Ok(Ok(serde_json::from_value(stage.detail)?));
                }
            }
            ended = &mut interrupted => {
                ended?;
                output::story("Interrupted; nothing was changed. `salve heal` goes on with it.\n");
                return Ok(Err(Failure::new("interrupted")));
            }
        }
    }
    let job = open.jobs.state(id).await?;
    let job = job.ok_or_else(|| Failure::new(format!("job {id} is gone")))?;
    Ok(match job.state {
        JobState::Done { output } => Ok(serde_json::from_value(output)?),
        JobState::Failed { error } => Err(Failure::new(error)),
        JobState::Cancelled { reason } => Err(Failure::new(format!("cancelled: {reason}"))),
        other => Err(Failure::new(format!("the heal is {}", other.name()))),
    })
}

fn tell(events: &Value, format: FormatChoice) -> Result<(), Failure> {
    for event in events.as_array().into_iter().flatten() {
        match format {
            FormatChoice::Jsonl => output::json_line(event)?,
            FormatChoice::Human => {
                if let Some(waits) = draw::next(event) {
                    output::transient(&waits);
                } else if let Some(line) = draw::event(event) {
                    output::transient("");
                    output::story(&line);
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Heals after each change of the workspace, until it is interrupted.
pub(super) fn watch(place: &Place, heal: impl Fn() -> CommandResult) -> CommandResult {
    loop {
        let before = stamps(&place.root);
        let ending = match heal() {
            Ok(ending) => ending,
            Err(failure) => {
                output::story(&failure.render());
                Ending::Findings
            }
        };
        output::story("Waiting for a change of a file; Ctrl-C ends.\n");
        // What the heal itself wrote is no change of the user's; what was saved meanwhile is.
        let healed = stamps(&place.root);
        let settled = ending == Ending::Clean || healed == before;
        if settled && !runtime::run(changed(&place.root, &healed))?? {
            return Ok(ending);
        }
    }
}

type Stamps = Vec<(String, Option<SystemTime>)>;

fn stamps(root: &Path) -> Stamps {
    let files = project_files(root).unwrap_or_default();
    let time = |path: &String| root.join(path).symlink_metadata().ok()?.modified().ok();
    files.into_iter().map(|path| (path.clone(), time(&path))).collect()
}

// Looks twice a second; false when it was interrupted.
async fn changed(root: &Path, before: &Stamps) -> Result<bool, Failure> {
    let interrupted = runtime::interrupted();
    tokio::pin!(interrupted);
    loop {
        tokio::select! {
            ended = &mut interrupted => { ended?; return Ok(false) }
            () = tokio::time::sleep(BETWEEN_LOOKS) => {
                if stamps(root) != *before {
                    return Ok(true);
                }
            }
        }
    }
}
