//! `salve jobs cancel`, `resolve`, `retry` and `purge`: what only a person decides.
//!
//! In: a job or a call, and the decision. Out: that it was taken, and how the job goes on. Twice the
//! same decision is once.

use super::follow::{self, View};
use super::{find, history};
use crate::arguments::{
    Format, JobsPurgeArguments, JobsResolveArguments, JobsRetryArguments, PlaceArguments,
    ResolveWith,
};
use crate::failure::{CommandResult, Ending, Failure};
use crate::job_place::{self, OpenJobs};
use crate::{input, output};
use salve_engine::jobs::{CONTINUE_SIGNAL, JobStatus, PAUSE_SIGNAL, RESUME_SIGNAL, RETRY_SIGNAL};
use salve_jobs::{CallKey, Decision, EventId, JobFilter, JobId, JobSnapshot, JobState};
use serde_json::json;
use std::time::Duration;

/// How long a job that is cancelled may take to settle before it is left to its worker.
const SETTLED_WITHIN: Duration = Duration::from_secs(10);

/// Runs `salve jobs cancel`.
pub(super) fn cancel(
    place: &PlaceArguments,
    name: &str,
    reason: &str,
    format: Format,
) -> CommandResult {
    job_place::with(place, "jobs", async |open| {
        let job = find(open, name).await?;
        let id = &job.id;
        if job.state.is_terminal() {
            say(format, id, "ended", &format!("job {id} has ended: {}", JobStatus::of(&job)))?;
            return Ok(Ending::Clean);
        }
        open.jobs.cancel(id, reason).await?;
        // A fleet's workers settle it; on one machine there may be none, and none is needed for that.
        if open.is_local() && open.settle(id, SETTLED_WITHIN).await? {
            say(format, id, "cancelled", &format!("job {id} is cancelled"))?;
            return Ok(Ending::Clean);
        }
        say(format, id, "cancelling", &format!("job {id} is to stop; its worker stops it"))?;
        Ok(Ending::Clean)
    })
}

/// Runs `salve jobs resolve`.
pub(super) fn resolve(
    place: &PlaceArguments,
    options: &JobsResolveArguments,
    format: Format,
) -> CommandResult {
    let decision = match options.decision {
        ResolveWith::Retry => Decision::Retry,
        ResolveWith::Fail => Decision::Fail,
        ResolveWith::Use => Decision::UseResult(input::text(options.file.as_deref())?),
    };
    let key = CallKey::new(&options.key);
    job_place::with(place, "jobs", async |open| {
        let Some(id) = key.job() else {
            return Err(Failure::new(format!("`{key}` is not a call"))
                .hint("`salve jobs list --in-doubt` lists the calls that can be resolved."));
        };
        let root = root_of(&id);
        let seen = last_event(open, &root).await?;
        open.jobs.resolve(&key, decision).await?;
        go_on(open, &root, seen, options.detach, "decided", format).await
    })
}

/// Runs `salve jobs retry`.
pub(super) fn retry(
    place: &PlaceArguments,
    options: &JobsRetryArguments,
    format: Format,
) -> CommandResult {
    job_place::with(place, "jobs", async |open| {
        let job = find(open, &options.id).await?;
        waits_for_word(&job)?;
        let seen = last_event(open, &job.id).await?;
        let (signal, word) = match options.accept_partial {
            true => (CONTINUE_SIGNAL, "accepted"),
            false => (RETRY_SIGNAL, "retrying"),
        };
        // The round it is about: a word that comes too late for it is not taken for the next.
        let round = job.stage.as_ref().and_then(|stage| stage.detail["round"].as_u64());
        let signal_id = format!("{signal}-{}", seen.0);
        open.jobs.signal(&job.id, signal, &signal_id, json!({ "round": round })).await?;
        let ended = go_on(open, &job.id, seen, options.detach, word, format).await?;
        let now = open.jobs.state(&job.id).await?;
        let accepted = options.accept_partial
            && now.is_some_and(|job| JobStatus::of(&job) == JobStatus::CompletedPartial);
        Ok(if accepted { Ending::Clean } else { ended })
    })
}

fn waits_for_word(job: &JobSnapshot) -> Result<(), Failure> {
    let (id, status) = (&job.id, JobStatus::of(job));
    match &job.state {
        state if state.is_in_doubt() => Err(Failure::new(format!(
            "job {id} is waiting for a decision about a paid call"
        ))
        .hint("`salve jobs list --in-doubt` shows the call, `salve jobs resolve` settles it.")),
        JobState::Waiting { .. } => Ok(()),
        JobState::Stuck { step, .. } => {
            Err(Failure::new(format!("step {step} of job {id} crashes its worker every time"))
                .hint("Start it again under another name once that is fixed."))
        }
        _ => Err(Failure::new(format!("job {id} is {status} and does not need attention"))
            .hint("`salve jobs list --status needs_attention` shows those that do.")),
    }
}

/// Runs `salve jobs pause` and `salve jobs resume`.
pub(super) fn pause(
    place: &PlaceArguments,
    name: &str,
    pause: bool,
    format: Format,
) -> CommandResult {
    job_place::with(place, "jobs", async |open| {
        let job = find(open, name).await?;
        let id = &job.id;
        if job.state.is_terminal() {
            let status = JobStatus::of(&job);
            return Err(Failure::new(format!("job {id} has ended: {status}")));
        }
        let (signal, word, words) = match pause {
            true => (PAUSE_SIGNAL, "pausing", "makes no further call until `salve jobs resume`"),
            false => (RESUME_SIGNAL, "resuming", "goes on"),
        };
        let seen = last_event(open, id).await?;
        let signal_id = format!("{signal}-{}", seen.0);
        open.jobs.signal(id, signal, &signal_id, json!(null)).await?;
        say(format, id, word, &format!("job {id} {words}"))?;
        Ok(Ending::Clean)
    })
}

/// Runs `salve jobs purge`.
pub(super) fn purge(
    place: &PlaceArguments,
    options: &JobsPurgeArguments,
    format: Format,
) -> CommandResult {
    let age = Duration::from_secs(u64::from(options.older_than) * 86_400);
    let filter = JobFilter { flow: options.flow.clone(), ..JobFilter::default() };
    let gone = job_place::look(place, async |open| Ok(open.jobs.purge(filter, age).await?))?;
    let gone = gone.unwrap_or_default();
    match format {
        Format::Human => {
            let count = output::counted(usize::try_from(gone).unwrap_or(usize::MAX), "job");
            output::result(&format!("deleted {count}\n"))?;
        }
        _ => output::json_line(&json!({ "forgotten": gone }))?,
    }
    Ok(Ending::Clean)
}

async fn go_on(
    open: &OpenJobs<'_>,
    id: &JobId,
    seen: EventId,
    detach: bool,
    word: &str,
    format: Format,
) -> CommandResult {
    if detach {
        say(format, id, word, &format!("job {id}: {word}"))?;
        return Ok(Ending::Clean);
    }
    let view = View { format, until_person: true };
    follow::while_running(open, Some(id), async || {
        follow::follow_and_show(open, id, seen, view).await
    })
    .await
}

async fn last_event(open: &OpenJobs<'_>, id: &JobId) -> Result<EventId, Failure> {
    let events = history(&*open.jobs, id).await?;
    Ok(events.last().map_or(EventId(0), |event| event.id))
}

// A child's call is resolved for the job that people know.
fn root_of(id: &JobId) -> JobId {
    let mut root = id.clone();
    while let Some(parent) = root.parent() {
        root = parent;
    }
    root
}

fn say(format: Format, id: &JobId, word: &str, words: &str) -> Result<(), Failure> {
    match format {
        Format::Human => output::result(&format!("{words}\n")),
        _ => output::json_line(&json!({ "id": id, "did": word })),
    }
}
