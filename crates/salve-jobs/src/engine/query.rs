//! Looks at jobs: one, many, as a tree, as they go on; and forgets those that ended long ago.
//!
//! In: the index's rows and the engine's histories. Out: snapshots and events. Never changes a job
//! that has not ended.

use super::history::standing;
use super::project::{Projector, unreadable};
use super::{EngineJobs, failed};
use crate::{
    EventId, Happened, JobEvent, JobFilter, JobId, JobRow, JobSnapshot, JobState, JobTree,
    JobsError, Page, Stage,
};
use duroxide::client::ClientError;
use duroxide::providers::Provider;
use futures_util::stream::{BoxStream, StreamExt};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

const PAGE: u32 = 200;
const EVENTS: u32 = 256;
const NEWS: Duration = Duration::from_millis(500);
// After this long without an event the watcher looks into the history itself: the worker that
// should have written it down may be gone.
const QUIET: Duration = Duration::from_secs(2);

impl EngineJobs {
    pub(super) async fn query_job(&self, id: &JobId) -> Result<Option<JobSnapshot>, JobsError> {
        match self.index.find(id).await? {
            Some(row) => self.snapshot(row).await.map(Some),
            None => Ok(None),
        }
    }

    async fn snapshot(&self, row: JobRow) -> Result<JobSnapshot, JobsError> {
        let (stage, stage_version) = self.stage_of(&row.id).await?;
        let state = match row.ended {
            Some(state) => state,
            None => self.unended(&row.id, row.cancel_reason.is_some()).await?,
        };
        let (id, flow, created_at) = (row.id, row.flow, row.created_at);
        Ok(JobSnapshot { id, flow, state, stage, stage_version, created_at })
    }

    async fn unended(&self, id: &JobId, cancelled: bool) -> Result<JobState, JobsError> {
        let events = self.engine.read(id.as_str()).await.map_err(|error| unreadable(&error))?;
        let state = standing(&events);
        if state.is_terminal() {
            // What is shown as ended is to be ended in the index, no matter who reads that next.
            self.projector().project(id).await?;
            return Ok(state);
        }
        Ok(if cancelled { JobState::Cancelling } else { state })
    }

    async fn stage_of(&self, id: &JobId) -> Result<(Option<Stage>, u64), JobsError> {
        let status = self.engine.get_custom_status(id.as_str(), 0).await;
        let Some((text, version)) = status.map_err(|error| unreadable(&error))? else {
            return Ok((None, 0));
        };
        Ok((text.and_then(|text| serde_json::from_str(&text).ok()), version))
    }

    pub(super) async fn listed(
        &self,
        filter: JobFilter,
        page: Page,
    ) -> Result<Vec<JobSnapshot>, JobsError> {
        let mut jobs = Vec::new();
        for row in self.index.list(&filter, &page).await? {
            jobs.push(self.snapshot(row).await?);
        }
        Ok(jobs)
    }

    async fn rows(&self, filter: JobFilter) -> Result<Vec<JobRow>, JobsError> {
        let mut all: Vec<JobRow> = Vec::new();
        loop {
            let page = Page { after: all.last().map(|row| row.id.clone()), limit: PAGE };
            let rows = self.index.list(&filter, &page).await?;
            let last = rows.len() < PAGE as usize;
            all.extend(rows);
            if last {
                return Ok(all);
            }
        }
    }

    pub(super) async fn tree_of(&self, id: &JobId) -> Result<JobTree, JobsError> {
        let job = self.query_job(id).await?.ok_or(JobsError::NoSuchJob { id: id.clone() })?;
        let mut rows =
            self.rows(JobFilter { within: Some(id.clone()), ..JobFilter::default() }).await?;
        // The index gives the newest first; children are wanted in the order of their start.
        rows.reverse();
        let mut jobs = Vec::new();
        for row in rows.into_iter().filter(|row| row.id != *id) {
            jobs.push(self.snapshot(row).await?);
        }
        Ok(grown(job, &mut jobs))
    }

    pub(super) async fn purged(
        &self,
        filter: JobFilter,
        older_than: Duration,
    ) -> Result<u64, JobsError> {
        let age = i64::try_from(older_than.as_millis()).unwrap_or(i64::MAX);
        let before = self.clock.now().plus_millis(age.saturating_neg());
        // The engine forgets a job with all its children, or not at all.
        let filter = JobFilter { ended: Some(true), roots_only: true, ..filter };
        let mut purged = 0;
        for row in self.rows(filter).await? {
            if row.ended_at.is_some_and(|at| at <= before) {
                purged += self.forget(&row.id).await?;
            }
        }
        Ok(purged)
    }

    async fn forget(&self, root: &JobId) -> Result<u64, JobsError> {
        let rows =
            self.rows(JobFilter { within: Some(root.clone()), ..JobFilter::default() }).await?;
        if rows.iter().any(|row| row.ended.is_none()) {
            return Ok(0);
        }
        match self.client.delete_instance(root.as_str(), false).await {
            Ok(_) | Err(ClientError::InstanceNotFound { .. }) => {}
            Err(ClientError::InstanceStillRunning { .. }) => return Ok(0),
            Err(error) => return Err(failed("forget the job", &error)),
        }
        let mut ids: Vec<JobId> = rows.into_iter().map(|row| row.id).collect();
        if !ids.contains(root) {
            ids.push(root.clone());
        }
        self.index.forget(&ids).await?;
        Ok(ids.len() as u64)
    }
}

/// Makes a tree of a job and those below it, which are in the order of their start.
fn grown(job: JobSnapshot, others: &mut Vec<JobSnapshot>) -> JobTree {
    let is_child = |other: &JobSnapshot| other.id.parent().as_ref() == Some(&job.id);
    let (own, mut rest): (Vec<_>, Vec<_>) = others.drain(..).partition(is_child);
    let children = own.into_iter().map(|child| grown(child, &mut rest)).collect();
    *others = rest;
    JobTree { job, children }
}

/// Follows a job until it has ended.
pub(super) fn watch(
    projector: Projector,
    id: JobId,
    after: EventId,
) -> BoxStream<'static, Result<JobEvent, JobsError>> {
    let watcher = Watcher { projector, id, after, found: VecDeque::new(), over: false };
    futures_util::stream::unfold(watcher, |mut watcher| async move {
        let event = watcher.next().await.transpose()?;
        Some((event, watcher))
    })
    .boxed()
}

struct Watcher {
    projector: Projector,
    id: JobId,
    after: EventId,
    found: VecDeque<JobEvent>,
    over: bool,
}

impl Watcher {
    async fn next(&mut self) -> Result<Option<JobEvent>, JobsError> {
        let mut quiet_since = Instant::now();
        while self.found.is_empty() && !self.over {
            // An error ends it: the caller that watches asks again after the last event it has.
            let found = self.look(&mut quiet_since).await;
            self.over |= found.is_err();
            found?;
        }
        let event = self.found.pop_front();
        if let Some(event) = &event {
            self.after = event.id;
            self.over |= matches!(event.what, Happened::Ended { .. });
        }
        Ok(event)
    }

    async fn look(&mut self, quiet_since: &mut Instant) -> Result<(), JobsError> {
        let index = &self.projector.index;
        // In this order: if it had ended before, then what is found after is all there is.
        let row =
            index.find(&self.id).await?.ok_or(JobsError::NoSuchJob { id: self.id.clone() })?;
        self.found.extend(index.events(&self.id, self.after, EVENTS).await?);
        if !self.found.is_empty() {
            return Ok(());
        }
        if row.ended.is_some() {
            self.over = true;
            return Ok(());
        }
        index.news(NEWS).await;
        if quiet_since.elapsed() >= QUIET {
            self.projector.project(&self.id).await?;
            *quiet_since = Instant::now();
        }
        Ok(())
    }
}
