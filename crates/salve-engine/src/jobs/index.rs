//! The index of jobs, over the store's tables.
//!
//! In: rows and what happened to jobs. Out: the store's rows and events, and back. Never loses a fact
//! on the way: what was written is read as it was.

use super::jobs_error;
use salve_jobs::{
    EventId, Fut, Happened, JobEvent, JobFilter, JobId, JobIndex, JobRow, JobUpdate, JobsError,
    Json, NewJob, Page, Registered,
};
use salve_store::{Event, JobReport, NewEvent, Store};
use std::time::Duration;

/// The index of jobs in a store.
#[derive(Debug, Clone)]
pub struct StoreJobIndex {
    store: Store,
}

impl StoreJobIndex {
    /// Opens the index.
    pub const fn new(store: Store) -> Self {
        Self { store }
    }
}

impl JobIndex for StoreJobIndex {
    fn register(&self, job: NewJob) -> Fut<'_, Result<Registered, JobsError>> {
        Box::pin(async move {
            self.store.register_job(job).await.map_err(jobs_error("write a job down"))
        })
    }

    fn find<'a>(&'a self, id: &'a JobId) -> Fut<'a, Result<Option<JobRow>, JobsError>> {
        Box::pin(async move { self.store.job(id).await.map_err(jobs_error("read a job")) })
    }

    fn list<'a>(
        &'a self,
        filter: &'a JobFilter,
        page: &'a Page,
    ) -> Fut<'a, Result<Vec<JobRow>, JobsError>> {
        Box::pin(
            async move { self.store.jobs(filter, page).await.map_err(jobs_error("list jobs")) },
        )
    }

    fn report(&self, report: JobUpdate) -> Fut<'_, Result<bool, JobsError>> {
        Box::pin(async move {
            let doing = "write down what happened to a job";
            let report = job_report(report)?;
            self.store.report_job(report).await.map_err(jobs_error(doing))
        })
    }

    fn events<'a>(
        &'a self,
        id: &'a JobId,
        after: EventId,
        limit: u32,
    ) -> Fut<'a, Result<Vec<JobEvent>, JobsError>> {
        Box::pin(async move {
            let doing = "read the events of a job";
            let events = self.store.job_events(id, after.0, limit).await;
            Ok(events
                .map_err(jobs_error(doing))?
                .into_iter()
                .map(|it| read_event(id, it))
                .collect())
        })
    }

    fn news(&self, longest: Duration) -> Fut<'_, ()> {
        Box::pin(self.store.wait_for_events(longest))
    }

    fn request_cancel<'a>(
        &'a self,
        id: &'a JobId,
        reason: &'a str,
    ) -> Fut<'a, Result<bool, JobsError>> {
        Box::pin(async move {
            let asked = self.store.request_cancel(id, reason).await;
            asked.map_err(jobs_error("note that a job is to stop"))
        })
    }

    fn cancel_requested<'a>(
        &'a self,
        ids: &'a [JobId],
    ) -> Fut<'a, Result<Vec<(JobId, String)>, JobsError>> {
        Box::pin(async move {
            let asked = self.store.cancel_requested(ids).await;
            asked.map_err(jobs_error("read which jobs are to stop"))
        })
    }

    fn forget<'a>(&'a self, ids: &'a [JobId]) -> Fut<'a, Result<(), JobsError>> {
        Box::pin(
            async move { self.store.forget_jobs(ids).await.map_err(jobs_error("forget jobs")) },
        )
    }
}

/// Puts a report into the words of the store.
pub(super) fn job_report(report: JobUpdate) -> Result<JobReport, JobsError> {
    let JobUpdate { id, from, to, happened } = report;
    let ended = happened.iter().find_map(|happened| match happened {
        Happened::Ended { state } => Some(state.clone()),
        _ => None,
    });
    let events: Result<Vec<NewEvent>, JobsError> =
        happened.iter().map(|it| new_event(id.as_str(), it)).collect();
    Ok(JobReport { id, from, to, events: events?, ended })
}

fn new_event(subject: &str, happened: &Happened) -> Result<NewEvent, JobsError> {
    let mut body = to_json("write down what happened to a job", happened)?;
    // What it was is the kind of the event, so that others can follow jobs without their words.
    let what = body.as_object_mut().and_then(|fields| fields.remove("what"));
    let what = what.as_ref().and_then(Json::as_str).unwrap_or("other");
    Ok(NewEvent { kind: format!("{KIND}{what}"), subject: subject.to_owned(), body })
}

// An event that a newer Salve wrote is passed on under its own word.
fn read_event(job: &JobId, event: Event) -> JobEvent {
    let Event { id, at, kind, mut body, .. } = event;
    let what = kind.strip_prefix(KIND).unwrap_or(&kind).to_owned();
    let detail = body.clone();
    if let Some(fields) = body.as_object_mut() {
        fields.insert("what".to_owned(), Json::String(what.clone()));
    }
    let read = serde_json::from_value(body);
    let what = read.unwrap_or(Happened::Other { kind: what, detail });
    JobEvent { id: EventId(id), job: job.clone(), at, what }
}

const KIND: &str = "job.";

fn to_json<T: serde::Serialize>(doing: &'static str, value: &T) -> Result<Json, JobsError> {
    serde_json::to_value(value).map_err(|error| JobsError::database(doing, error))
}
