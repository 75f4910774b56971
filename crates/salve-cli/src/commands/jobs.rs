//! `salve jobs`: work that survives a crash and is paid for once.
//!
//! In: the jobs of this machine, or of a fleet. Out: what was started, its state, its result, and a
//! decision where one was asked for. Never decides by itself what a person is asked.

mod decide;
mod follow;
mod list;
mod live;
mod progress;
mod show;
mod start;

use crate::arguments::{Format, JobsArguments, JobsCommand, JobsListArguments};
use crate::failure::{CommandResult, Ending, Failure};
use crate::job_place::OpenJobs;
use salve_engine::jobs::{JobStatus, is_over_budget};
use salve_jobs::{EventId, JobEvent, JobFilter, JobId, JobSnapshot, Jobs, Page};

/// How many events or jobs are fetched at a time.
const PAGE: u32 = 500;

/// Runs `salve jobs`.
pub(crate) fn run(arguments: &JobsArguments, format: Format) -> CommandResult {
    let place = &arguments.place;
    let Some(command) = &arguments.command else {
        return list::run(place, &JobsListArguments::default(), format);
    };
    match command {
        JobsCommand::Start(options) => start::run(place, options, format),
        JobsCommand::List(options) => list::run(place, options, format),
        JobsCommand::Show(options) => show::run(place, options, format),
        JobsCommand::Watch(options) => follow::run(place, options, format),
        JobsCommand::Cancel { id, reason } => decide::cancel(place, id, reason, format),
        JobsCommand::Resolve(options) => decide::resolve(place, options, format),
        JobsCommand::Retry(options) => decide::retry(place, options, format),
        JobsCommand::Pause { id } => decide::pause(place, id, true, format),
        JobsCommand::Resume { id } => decide::pause(place, id, false, format),
        JobsCommand::Purge(options) => decide::purge(place, options, format),
    }
}

/// Finds a job by its name, or by the beginning of it where that is enough.
async fn find(open: &OpenJobs<'_>, name: &str) -> Result<JobSnapshot, Failure> {
    let id = JobId::new(name)?;
    if let Some(found) = open.jobs.state(&id).await? {
        return Ok(found);
    }
    let recent = open.jobs.list(JobFilter::default(), Page { after: None, limit: PAGE }).await?;
    let mut fitting = recent.into_iter().filter(|job| job.id.as_str().starts_with(name));
    match (fitting.next(), fitting.next()) {
        (Some(only), None) => Ok(only),
        (Some(_), Some(_)) => Err(Failure::new(format!("several jobs begin with `{name}`"))
            .hint("`salve jobs list` shows the full names.")),
        (None, _) => Err(Failure::new(format!("there is no job `{name}`"))
            .hint("`salve jobs list` lists the jobs.")),
    }
}

/// Reads everything that happened to a job.
pub(super) async fn history(jobs: &dyn Jobs, id: &JobId) -> Result<Vec<JobEvent>, Failure> {
    let mut events: Vec<JobEvent> = Vec::new();
    loop {
        let after = events.last().map_or(EventId(0), |event| event.id);
        let page = jobs.history(id, after, PAGE).await?;
        let last = page.len() < PAGE as usize;
        events.extend(page);
        if last {
            return Ok(events);
        }
    }
}

/// Returns the exit code's meaning for the state of a job.
fn ending(job: &JobSnapshot) -> Ending {
    match (JobStatus::of(job), &job.state) {
        (JobStatus::Completed, _) => Ending::Clean,
        _ if is_over_budget(job) => Ending::LimitReached,
        (JobStatus::Paused, _) => Ending::NeedsApproval,
        (_, state) if state.is_in_doubt() => Ending::NeedsApproval,
        _ => Ending::Findings,
    }
}
