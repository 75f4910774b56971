//! `salve jobs list`: the jobs, and the paid calls whose outcome is unknown.
//!
//! In: a filter. Out: a table or JSON. Never creates a database in order to read it.

use super::progress::{Progress, lost_words};
use crate::arguments::{Format, JobsListArguments, PlaceArguments};
use crate::commands::gateway_keys::dollars;
use crate::commands::history::ago;
use crate::failure::{CommandResult, Ending, Failure};
use crate::job_place::{self, OpenJobs};
use crate::table::{Align, table};
use crate::{environment, output};
use salve_engine::jobs::JobStatus;
use salve_jobs::{InDoubtStep, JobFilter, JobId, JobSnapshot, Page};
use salve_types::Timestamp;
use serde::Serialize;

/// A job in the list.
#[derive(Debug, Serialize)]
struct Row {
    #[serde(flatten)]
    job: JobSnapshot,
    status: JobStatus,
    waits_for: Option<String>,
    in_doubt: usize,
}

/// Runs `salve jobs list`.
pub(super) fn run(
    place: &PlaceArguments,
    options: &JobsListArguments,
    format: Format,
) -> CommandResult {
    if options.in_doubt {
        return in_doubt(place, options, format);
    }
    let status = options.status.as_deref().map(known_status).transpose()?;
    let rows = job_place::look(place, async |open| rows(open, options, status).await)?;
    let rows = rows.unwrap_or_default();
    match format {
        Format::Human if rows.is_empty() => output::result("no jobs\n")?,
        Format::Human => {
            output::result(&drawn(&rows))?;
            say_what_is_in_doubt(rows.iter().map(|row| row.in_doubt).sum());
        }
        _ => output::values(format, &rows)?,
    }
    Ok(Ending::Clean)
}

fn known_status(name: &str) -> Result<JobStatus, Failure> {
    JobStatus::from_name(name).ok_or_else(|| {
        let known = JobStatus::ALL.map(JobStatus::name).join(", ");
        Failure::new(format!("there is no status `{name}`")).hint(format!("Known: {known}."))
    })
}

async fn rows(
    open: &OpenJobs<'_>,
    options: &JobsListArguments,
    status: Option<JobStatus>,
) -> Result<Vec<Row>, Failure> {
    let ended = match (options.open, options.ended) {
        (true, _) => Some(false),
        (_, true) => Some(true),
        _ => None,
    };
    let filter = JobFilter {
        flow: options.flow.clone(),
        ended,
        roots_only: !options.children,
        ..JobFilter::default()
    };
    let doubts = open.jobs.in_doubt(JobFilter::default()).await?;
    let mut after = options.after.as_deref().map(JobId::new).transpose()?;
    let limit = options.limit as usize;
    let mut rows = Vec::new();
    // A status is more than the index filters by, so pages are read until there are enough.
    while rows.len() < limit {
        let page = Page { after: after.take(), limit: options.limit };
        let jobs = open.jobs.list(filter.clone(), page).await?;
        let last = jobs.len() < limit;
        after = jobs.last().map(|job| job.id.clone());
        for job in jobs {
            let is = JobStatus::of(&job);
            if status.is_none_or(|wanted| wanted == is) && rows.len() < limit {
                rows.push(row(open, job, is, &doubts).await?);
            }
        }
        if last {
            break;
        }
    }
    Ok(rows)
}

async fn row(
    open: &OpenJobs<'_>,
    job: JobSnapshot,
    status: JobStatus,
    doubts: &[InDoubtStep],
) -> Result<Row, Failure> {
    let waits_for = if job.state.is_terminal() {
        None
    } else {
        let mut progress = Progress::default();
        for event in super::history(&*open.jobs, &job.id).await? {
            progress.take(&event);
        }
        progress.waiting_on(environment::now())
    };
    let of_this = |step: &&InDoubtStep| step.job.as_ref().is_some_and(|id| belongs(id, &job.id));
    let in_doubt = doubts.iter().filter(of_this).count();
    Ok(Row { job, status, waits_for, in_doubt })
}

fn belongs(id: &JobId, to: &JobId) -> bool {
    let rest = id.as_str().strip_prefix(to.as_str());
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn drawn(rows: &[Row]) -> String {
    let columns = [
        ("job", Align::Left),
        ("status", Align::Left),
        ("started", Align::Right),
        ("flow", Align::Left),
        ("waits for", Align::Left),
    ];
    let cells: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            let mark = if row.in_doubt > 0 { " (!)" } else { "" };
            vec![
                row.job.id.to_string(),
                format!("{}{mark}", row.status),
                age(row.job.created_at),
                row.job.flow.to_string(),
                row.waits_for.clone().unwrap_or_default(),
            ]
        })
        .collect();
    table(&columns, &cells)
}

/// Says how long ago something was.
pub(super) fn age(at: Timestamp) -> String {
    ago(u64::try_from(environment::now().0 - at.0).unwrap_or_default())
}

fn say_what_is_in_doubt(count: usize) {
    if count > 0 {
        output::story(&format!(
            "(!) {count} paid {} started by a worker that is gone, and may have been charged: \
             `salve jobs list --in-doubt` shows them, `salve jobs resolve` settles them.\n",
            if count == 1 { "call was" } else { "calls were" }
        ));
    }
}

fn in_doubt(place: &PlaceArguments, options: &JobsListArguments, format: Format) -> CommandResult {
    let filter = JobFilter { flow: options.flow.clone(), ..JobFilter::default() };
    let found = job_place::look(place, async |open| {
        Ok((open.jobs.in_doubt(filter).await?, open.lost_calls().await?))
    })?;
    let (mut found, lost) = found.unwrap_or_default();
    found.truncate(options.limit as usize);
    match format {
        Format::Human if found.is_empty() => output::result("no paid call is in doubt\n")?,
        Format::Human => output::result(&drawn_calls(&found))?,
        _ => output::values(format, &found)?,
    }
    if let Some(words) = lost_words(lost).filter(|_| format == Format::Human) {
        output::story(&format!(
            "(!) {words}; what to do about that is decided, and `salve calls` shows it.\n"
        ));
    }
    Ok(Ending::Clean)
}

/// Draws paid calls in doubt.
pub(super) fn drawn_calls(calls: &[InDoubtStep]) -> String {
    let columns = [
        ("call", Align::Left),
        ("begun", Align::Right),
        ("by", Align::Left),
        ("arrived", Align::Right),
        ("at most", Align::Right),
    ];
    let cells: Vec<Vec<String>> = calls
        .iter()
        .map(|call| {
            vec![
                call.key.to_string(),
                age(call.since),
                call.worker.clone(),
                format!("{} B", call.partial_bytes),
                dollars(call.worst_micro_dollars),
            ]
        })
        .collect();
    table(&columns, &cells)
}
