//! Follows a job to its end, and where its files are on this machine, does its work meanwhile.
//!
//! In: a job and the last event that was seen. Out: the story on standard error, the result on
//! standard output, the exit code. Never takes a job along when it is interrupted: the job stays,
//! and another command goes on with it.

use super::live::Live;
use super::progress::only_a_person_sends;
use super::{ending, find, show};
use crate::arguments::{Format, JobsWatchArguments, PlaceArguments};
use crate::commands::worker::Busy;
use crate::failure::{CommandResult, Ending, Failure};
use crate::job_place::{self, OpenJobs};
use crate::{output, runtime};
use futures_util::StreamExt;
use salve_engine::jobs::JobStatus;
use salve_jobs::{EventId, Happened, JobEvent, JobId, JobSnapshot, JobState, WorkerOptions};
use std::collections::BTreeMap;
use std::time::Duration;

const TICK: Duration = Duration::from_millis(500);
const GRACE: Duration = Duration::from_secs(30);

/// How it is shown.
#[derive(Clone, Copy)]
pub(super) struct View {
    pub(super) format: Format,
    /// Whether it ends where only a person can go on.
    pub(super) until_person: bool,
}

/// Runs `salve jobs watch`.
pub(super) fn run(
    place: &PlaceArguments,
    options: &JobsWatchArguments,
    format: Format,
) -> CommandResult {
    job_place::with(place, "jobs", async |open| {
        let job = find(open, &options.id).await?;
        let lines = format != Format::Human;
        let view = View { format, until_person: false };
        let job = follow(open, &job.id, EventId(options.after), view, lines).await?;
        if !lines {
            say_how_it_stands(&job);
        }
        Ok(ending(&job))
    })
}

/// Does something while this process works on one job, where the jobs are on this machine and that is
/// wanted. What it lacks for that is found before anything is done.
pub(super) async fn while_running<T>(
    open: &OpenJobs<'_>,
    job: Option<&JobId>,
    act: impl AsyncFnOnce() -> Result<T, Failure>,
) -> Result<T, Failure> {
    let busy = Busy::default();
    let runner = match job.filter(|_| open.is_local()) {
        Some(job) => Some(open.run_watched(options(open, job), BTreeMap::new(), &busy).await?),
        None => None,
    };
    let done = act().await;
    if let Some(runner) = runner {
        // A step that was begun here may be paid already, so it is not thrown away.
        if !busy.running().is_empty() {
            output::story(&format!("Before it ends: {}. Ctrl-C ends now.\n", busy.words()));
        }
        tokio::select! {
            _ = runner.drain(GRACE) => {}
            ended = runtime::interrupted() => ended?,
        }
    }
    done
}

/// Follows a job, and prints the outcome.
pub(super) async fn follow_and_show(
    open: &OpenJobs<'_>,
    id: &JobId,
    after: EventId,
    view: View,
) -> CommandResult {
    let job = follow(open, id, after, view, false).await?;
    match view.format {
        Format::Human => {
            if let Some(text) = open.result(&job).await? {
                output::content(&text)?;
            }
        }
        _ => output::json(&show::document(open, &job).await?)?,
    }
    say_how_it_stands(&job);
    Ok(ending(&job))
}

// One job's own process: the caller waits for this job, and would wait for another one's steps too.
fn options(open: &OpenJobs<'_>, job: &JobId) -> WorkerOptions {
    WorkerOptions {
        worker: open.worker(),
        only: Some(job.clone()),
        steps_at_once: 4,
        flows_at_once: 2,
        ..WorkerOptions::default()
    }
}

async fn follow(
    open: &OpenJobs<'_>,
    id: &JobId,
    after: EventId,
    view: View,
    lines: bool,
) -> Result<JobSnapshot, Failure> {
    let mut live = Live::new(id.as_str(), lines);
    let mut events = open.jobs.watch(id, after);
    let mut tick = tokio::time::interval(TICK);
    let interrupted = runtime::interrupted();
    tokio::pin!(interrupted);
    loop {
        tokio::select! {
            event = events.next() => {
                let Some(event) = event.transpose()? else { break };
                live.take(&event);
                if lines {
                    output::json_line(&event)?;
                }
                if view.until_person && only_a_person_goes_on(open, id, &event).await? {
                    break;
                }
            }
            _ = tick.tick() => live.tick(),
            ended = &mut interrupted => {
                ended?;
                live.finish();
                output::story(&left(open, id));
                break;
            }
        }
    }
    live.finish();
    open.jobs.state(id).await?.ok_or_else(|| Failure::new(format!("job {id} is gone")))
}

// The event may be an old one, and answered since: what counts is the state of the job now.
async fn only_a_person_goes_on(
    open: &OpenJobs<'_>,
    id: &JobId,
    event: &JobEvent,
) -> Result<bool, Failure> {
    if !matches!(&event.what, Happened::Waiting { signal } if only_a_person_sends(signal)) {
        return Ok(false);
    }
    let job = open.jobs.state(id).await?;
    Ok(job.is_some_and(
        |job| matches!(&job.state, JobState::Waiting { signal } if only_a_person_sends(signal)),
    ))
}

fn left(open: &OpenJobs<'_>, id: &JobId) -> String {
    if open.is_local() {
        format!("Job {id} stays as it is; `salve worker` goes on with it.\n")
    } else {
        format!("Job {id} goes on; `salve jobs watch {id}` shows it again.\n")
    }
}

fn say_how_it_stands(job: &JobSnapshot) {
    let (id, status) = (&job.id, JobStatus::of(job));
    let more = match (&job.state, ending(job)) {
        (state, _) if state.is_in_doubt() => {
            "a paid call is in doubt: `salve jobs list --in-doubt`, then `salve jobs resolve`"
                .to_owned()
        }
        (JobState::Waiting { .. }, _) => format!(
            "`salve jobs show {id}` says why; `salve jobs retry {id}` sends it on, with \
             `--accept-partial` what there is becomes its end"
        ),
        (JobState::Failed { error }, _) => error.to_string(),
        (JobState::Cancelled { reason }, _) => reason.clone(),
        (JobState::Stuck { step, attempts }, _) => {
            format!("step {step} killed its worker {attempts} times")
        }
        (_, Ending::Clean) => return,
        _ => format!("`salve jobs show {id}` says more"),
    };
    output::story(&format!("job {id} is {status}: {more}\n"));
}
