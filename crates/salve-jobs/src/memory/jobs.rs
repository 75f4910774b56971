//! Jobs in memory.
//!
//! In: the same questions as for the engine. Out: the same answers. Never survives its process.

use super::desk::{Beginning, Desk};
use super::{MemoryBook, lock};
use crate::engine::envelope::{check_size, input_hash};
use crate::names::fresh_job_id;
use crate::{
    CallKey, CallLedger, Decision, EventId, FlowName, Flows, Fut, Happened, InDoubtStep, JobBook,
    JobEvent, JobFilter, JobId, JobRow, JobSnapshot, JobState, JobTree, Jobs, JobsError, Json,
    NewJob, Page, Registered, StartOptions, Started,
};
use futures_util::stream::{BoxStream, StreamExt};
use salve_types::Clock;
use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Jobs that live as long as their process. It is the runner as well.
pub struct MemoryJobs {
    desk: Arc<Desk>,
    known: Mutex<Option<BTreeSet<FlowName>>>,
}

const ALL: Page = Page { after: None, limit: u32::MAX };

impl MemoryJobs {
    /// Opens jobs over a book and a ledger.
    pub fn new(book: Arc<MemoryBook>, ledger: Arc<dyn CallLedger>, clock: Arc<dyn Clock>) -> Self {
        Self { desk: Arc::new(Desk::new(book, ledger, clock)), known: Mutex::default() }
    }

    pub(super) fn desk(&self) -> &Arc<Desk> {
        &self.desk
    }

    pub(super) fn know(&self, flows: &Flows) {
        let mut known = lock(&self.known);
        known.get_or_insert_default().extend(flows.iter().map(|(name, _)| name.clone()));
    }

    fn check_flow(&self, flow: &FlowName) -> Result<(), JobsError> {
        match &*lock(&self.known) {
            Some(known) if !known.contains(flow) => {
                let names: Vec<_> = known.iter().map(ToString::to_string).collect();
                Err(JobsError::NoSuchFlow { flow: flow.clone(), known: names.join(", ") })
            }
            _ => Ok(()),
        }
    }

    async fn begin(
        &self,
        flow: &FlowName,
        id: JobId,
        input: Json,
        options: StartOptions,
    ) -> Result<Started, JobsError> {
        self.check_flow(flow)?;
        check_size("the job's input", input.to_string().len())?;
        let (flow, needs) = (flow.clone(), options.needs);
        let input_hash = input_hash(&input);
        let row = NewJob { id: id.clone(), flow: flow.clone(), input_hash, needs: needs.clone() };
        match self.desk.book.register(row).await? {
            Registered::Conflict => Err(JobsError::Conflict { id }),
            Registered::Same => Ok(Started::Existing(self.found(&id).await?.state)),
            Registered::New => {
                self.desk.begin(Beginning { id, flow, needs, input }, None);
                Ok(Started::New)
            }
        }
    }

    async fn look_at(&self, id: &JobId) -> Result<Option<JobSnapshot>, JobsError> {
        match self.desk.book.find(id).await? {
            Some(row) => Ok(Some(self.snapshot(row).await?)),
            None => Ok(None),
        }
    }

    async fn found(&self, id: &JobId) -> Result<JobSnapshot, JobsError> {
        self.look_at(id).await?.ok_or(JobsError::NoSuchJob { id: id.clone() })
    }

    async fn snapshot(&self, row: JobRow) -> Result<JobSnapshot, JobsError> {
        let (mut stage, mut stage_version) = (None, 0);
        for event in self.desk.book.events(&row.id, EventId(0), u32::MAX).await? {
            if let Happened::Stage { stage: said } = event.what {
                stage = Some(said);
                stage_version += 1;
            }
        }
        let state = match (row.ended, row.cancel_reason) {
            (Some(state), _) => state,
            (None, Some(_)) => JobState::Cancelling,
            (None, None) => self.desk.standing(&row.id),
        };
        let (id, flow, created_at) = (row.id, row.flow, row.created_at);
        Ok(JobSnapshot { id, flow, state, stage, stage_version, created_at })
    }

    async fn snapshots(&self, rows: Vec<JobRow>) -> Result<Vec<JobSnapshot>, JobsError> {
        let mut jobs = Vec::new();
        for row in rows {
            jobs.push(self.snapshot(row).await?);
        }
        Ok(jobs)
    }

    async fn within(&self, root: &JobId) -> Result<Vec<JobRow>, JobsError> {
        let filter = JobFilter { within: Some(root.clone()), ..JobFilter::default() };
        self.desk.book.list(&filter, &ALL).await
    }

    async fn tree_of(&self, id: &JobId) -> Result<JobTree, JobsError> {
        let job = self.found(id).await?;
        let mut rows = self.within(id).await?;
        rows.reverse();
        rows.retain(|row| row.id != *id);
        Ok(crate::engine::grown(job, &mut self.snapshots(rows).await?))
    }

    async fn tell(
        &self,
        id: &JobId,
        name: &str,
        signal_id: &str,
        payload: Json,
    ) -> Result<(), JobsError> {
        check_size("the signal", payload.to_string().len())?;
        self.found(id).await?;
        self.desk.tell(id, name, signal_id, payload);
        Ok(())
    }

    async fn decide(&self, key: &CallKey, decision: Decision) -> Result<(), JobsError> {
        let Some(job) = key.job() else {
            return Err(JobsError::NoSuchCall { key: key.clone() });
        };
        let waits = JobState::Waiting { signal: key.resolve_signal() };
        let decided = self.desk.ledger.resolve(key, decision).await?;
        if !decided && self.desk.standing(&job) != waits {
            return Err(JobsError::NoSuchCall { key: key.clone() });
        }
        let once = fresh_job_id();
        self.desk.tell(&job, &key.resolve_signal(), once.as_str(), Json::Null);
        Ok(())
    }

    async fn stop(&self, id: &JobId, reason: &str) -> Result<(), JobsError> {
        if self.desk.book.request_cancel(id, reason).await? {
            self.desk.cancel(id, reason);
            return Ok(());
        }
        self.found(id).await.map(drop)
    }

    async fn purged(&self, filter: JobFilter, older_than: Duration) -> Result<u64, JobsError> {
        let age = i64::try_from(older_than.as_millis()).unwrap_or(i64::MAX);
        let before = self.desk.clock.now().plus_millis(age.saturating_neg());
        let filter = JobFilter { ended: Some(true), roots_only: true, ..filter };
        let mut purged = 0;
        for root in self.desk.book.list(&filter, &ALL).await? {
            let rows = self.within(&root.id).await?;
            let old = root.ended_at.is_some_and(|at| at <= before);
            if old && rows.iter().all(|row| row.ended.is_some()) {
                let ids: Vec<JobId> = rows.into_iter().map(|row| row.id).collect();
                self.desk.book.forget(&ids).await?;
                purged += u64::try_from(ids.len()).unwrap_or(u64::MAX);
            }
        }
        Ok(purged)
    }
}

impl Jobs for MemoryJobs {
    fn start<'a>(
        &'a self,
        flow: &'a FlowName,
        id: JobId,
        input: Json,
        options: StartOptions,
    ) -> Fut<'a, Result<Started, JobsError>> {
        Box::pin(self.begin(flow, id, input, options))
    }

    fn state<'a>(&'a self, id: &'a JobId) -> Fut<'a, Result<Option<JobSnapshot>, JobsError>> {
        Box::pin(self.look_at(id))
    }

    fn watch(&self, id: &JobId, after: EventId) -> BoxStream<'static, Result<JobEvent, JobsError>> {
        let book = Arc::clone(&self.desk.book);
        let watcher = Watcher { book, id: id.clone(), after, found: VecDeque::new(), over: false };
        let next = |mut watcher: Watcher| async move {
            let event = watcher.next().await.transpose()?;
            Some((event, watcher))
        };
        futures_util::stream::unfold(watcher, next).boxed()
    }

    fn history<'a>(
        &'a self,
        id: &'a JobId,
        after: EventId,
        limit: u32,
    ) -> Fut<'a, Result<Vec<JobEvent>, JobsError>> {
        self.desk.book.events(id, after, limit)
    }

    fn tree<'a>(&'a self, id: &'a JobId) -> Fut<'a, Result<JobTree, JobsError>> {
        Box::pin(self.tree_of(id))
    }

    fn list(&self, filter: JobFilter, page: Page) -> Fut<'_, Result<Vec<JobSnapshot>, JobsError>> {
        Box::pin(async move {
            let rows = self.desk.book.list(&filter, &page).await?;
            self.snapshots(rows).await
        })
    }

    fn in_doubt(&self, filter: JobFilter) -> Fut<'_, Result<Vec<InDoubtStep>, JobsError>> {
        Box::pin(async move { Ok(self.desk.ledger.in_doubt(&filter).await?) })
    }

    fn resolve<'a>(
        &'a self,
        key: &'a CallKey,
        decision: Decision,
    ) -> Fut<'a, Result<(), JobsError>> {
        Box::pin(self.decide(key, decision))
    }

    fn signal<'a>(
        &'a self,
        id: &'a JobId,
        name: &'a str,
        signal_id: &'a str,
        payload: Json,
    ) -> Fut<'a, Result<(), JobsError>> {
        Box::pin(self.tell(id, name, signal_id, payload))
    }

    fn cancel<'a>(&'a self, id: &'a JobId, reason: &'a str) -> Fut<'a, Result<(), JobsError>> {
        Box::pin(self.stop(id, reason))
    }

    fn purge(&self, filter: JobFilter, older_than: Duration) -> Fut<'_, Result<u64, JobsError>> {
        Box::pin(self.purged(filter, older_than))
    }
}

/// Somebody who follows a job.
struct Watcher {
    book: Arc<MemoryBook>,
    id: JobId,
    after: EventId,
    found: VecDeque<JobEvent>,
    over: bool,
}

impl Watcher {
    async fn next(&mut self) -> Result<Option<JobEvent>, JobsError> {
        while self.found.is_empty() && !self.over {
            let news = self.book.news(Duration::from_secs(60));
            let row = self.book.find(&self.id).await?;
            let row = row.ok_or_else(|| {
                self.over = true;
                JobsError::NoSuchJob { id: self.id.clone() }
            })?;
            self.found.extend(self.book.events(&self.id, self.after, u32::MAX).await?);
            self.over = self.found.is_empty() && row.ended.is_some();
            if self.found.is_empty() && !self.over {
                news.await;
            }
        }
        let event = self.found.pop_front();
        if let Some(event) = &event {
            self.after = event.id;
            self.over |= matches!(event.what, Happened::Ended { .. });
        }
        Ok(event)
    }
}
