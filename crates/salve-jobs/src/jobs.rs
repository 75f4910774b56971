//! The jobs, from outside: start, look, watch, decide, cancel.
//!
//! In: names and small values. Out: states and events. Never does the work: a runner does, here or
//! on another machine.

use crate::{
    CallKey, Decision, EventId, FlowName, Fut, JobEvent, JobFilter, JobId, JobSnapshot, JobState,
    JobsError, Json, Needs, Page,
};
use futures_util::stream::BoxStream;
use salve_types::Timestamp;
use serde::Serialize;
use std::time::Duration;

/// Jobs, wherever they run.
pub trait Jobs: Send + Sync {
    /// Starts a job. The same id never runs twice: with the same flow and input it is the job there
    /// is, with another it is a conflict.
    fn start<'a>(
        &'a self,
        flow: &'a FlowName,
        id: JobId,
        input: Json,
        options: StartOptions,
    ) -> Fut<'a, Result<Started, JobsError>>;

    /// Returns a job as it is now.
    fn state<'a>(&'a self, id: &'a JobId) -> Fut<'a, Result<Option<JobSnapshot>, JobsError>>;

    /// Follows a job from an event on: in order, without gap or repeat, until it has ended.
    fn watch(&self, id: &JobId, after: EventId) -> BoxStream<'static, Result<JobEvent, JobsError>>;

    /// Returns at most `limit` events of a job after an event.
    fn history<'a>(
        &'a self,
        id: &'a JobId,
        after: EventId,
        limit: u32,
    ) -> Fut<'a, Result<Vec<JobEvent>, JobsError>>;

    /// Returns a job and its children.
    fn tree<'a>(&'a self, id: &'a JobId) -> Fut<'a, Result<JobTree, JobsError>>;

    /// Returns jobs, newest first.
    fn list(&self, filter: JobFilter, page: Page) -> Fut<'_, Result<Vec<JobSnapshot>, JobsError>>;

    /// Returns the paid calls that were begun and whose end is unknown.
    fn in_doubt(&self, filter: JobFilter) -> Fut<'_, Result<Vec<InDoubtStep>, JobsError>>;

    /// Decides about a call in doubt. Twice the same is once.
    fn resolve<'a>(
        &'a self,
        key: &'a CallKey,
        decision: Decision,
    ) -> Fut<'a, Result<(), JobsError>>;

    /// Tells a job something. Kept if it does not wait for it yet; the same `signal_id` counts
    /// once.
    fn signal<'a>(
        &'a self,
        id: &'a JobId,
        name: &'a str,
        signal_id: &'a str,
        payload: Json,
    ) -> Fut<'a, Result<(), JobsError>>;

    /// Cancels a job and its children. One that has ended stays as it is.
    fn cancel<'a>(&'a self, id: &'a JobId, reason: &'a str) -> Fut<'a, Result<(), JobsError>>;

    /// Forgets jobs that ended longer ago than this, and returns how many.
    fn purge(&self, filter: JobFilter, older_than: Duration) -> Fut<'_, Result<u64, JobsError>>;
}

/// How a job is started.
#[derive(Debug, Clone, Default)]
pub struct StartOptions {
    /// What a worker must have to do its steps.
    pub needs: Needs,
}

/// The outcome of starting.
#[must_use]
#[derive(Debug, Clone, PartialEq)]
pub enum Started {
    /// It was started.
    New,
    /// It had been started before.
    Existing(JobState),
}

/// A job and its children.
#[derive(Debug, Clone, Serialize)]
pub struct JobTree {
    /// The job.
    #[serde(flatten)]
    pub job: JobSnapshot,
    /// Its children, in the order in which they were written down: of those that were started
    /// together, any may be first.
    pub children: Vec<JobTree>,
}

/// A paid call that was begun and whose end is unknown.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct InDoubtStep {
    /// By what it is known.
    pub key: CallKey,
    /// Its job.
    pub job: Option<JobId>,
    /// When it was begun.
    pub since: Timestamp,
    /// By whom.
    pub worker: String,
    /// How many bytes of an answer had arrived.
    pub partial_bytes: u64,
    /// The most it can have cost, in millionths of a dollar.
    pub worst_micro_dollars: u64,
}
