//! What jobs need written down beside the engine: who asked for what, what happened, who is to
//! stop.
//!
//! In: rows. Out: rows, in order. Never decides anything; the engine's history is the truth, and
//! this is what people and other programs read of it.

use crate::{EventId, Fut, Happened, JobEvent, JobsError};
use salve_types::{JobFilter, JobId, JobRow, NewJob, Page, Registered};

/// Where jobs and their events are written down; the store, or memory.
pub trait JobIndex: Send + Sync {
    /// Writes a job down before it is started.
    fn register(&self, job: NewJob) -> Fut<'_, Result<Registered, JobsError>>;

    /// Returns a job.
    fn find<'a>(&'a self, id: &'a JobId) -> Fut<'a, Result<Option<JobRow>, JobsError>>;

    /// Returns jobs, newest first.
    fn list<'a>(
        &'a self,
        filter: &'a JobFilter,
        page: &'a Page,
    ) -> Fut<'a, Result<Vec<JobRow>, JobsError>>;

    /// Writes events of a job down, if what was known of its history before is what the report
    /// says; otherwise another process has done it, nothing is written, and false is returned. All
    /// of it or nothing.
    fn report(&self, report: JobUpdate) -> Fut<'_, Result<bool, JobsError>>;

    /// Returns at most `limit` events of a job after an event.
    fn events<'a>(
        &'a self,
        id: &'a JobId,
        after: EventId,
        limit: u32,
    ) -> Fut<'a, Result<Vec<JobEvent>, JobsError>>;

    /// Waits until there may be new events, or this long.
    fn news(&self, longest: std::time::Duration) -> Fut<'_, ()>;

    /// Notes that a job is to stop. The first reason stays; false when it is unknown or has ended.
    fn request_cancel<'a>(
        &'a self,
        id: &'a JobId,
        reason: &'a str,
    ) -> Fut<'a, Result<bool, JobsError>>;

    /// Returns those of these jobs that are to stop, themselves or with one of their parents.
    fn cancel_requested<'a>(
        &'a self,
        ids: &'a [JobId],
    ) -> Fut<'a, Result<Vec<(JobId, String)>, JobsError>>;

    /// Forgets jobs with their events.
    fn forget<'a>(&'a self, ids: &'a [JobId]) -> Fut<'a, Result<(), JobsError>>;
}

/// Events of one job that are to be written down.
#[derive(Debug, Clone, PartialEq)]
pub struct JobUpdate {
    /// The job.
    pub id: JobId,
    /// How far its history was written down before.
    pub from: (u64, u64),
    /// How far it is afterwards.
    pub to: (u64, u64),
    /// What happened in between. An [`Ended`](Happened::Ended) at the end closes the job.
    pub happened: Vec<Happened>,
}
