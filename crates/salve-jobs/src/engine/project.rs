//! From the engine's history into the index.
//!
//! In: a job whose history may have grown. Out: its events, each once and in order, no matter who
//! looks and however often. Never changes the history.

use super::history::{News, news};
use super::wakeups::Wakeups;
use crate::{
    Cause, Happened, JobFilter, JobId, JobIndex, JobRow, JobUpdate, JobsError, NewJob, Page,
    Registered,
};
use duroxide::providers::{Provider, ProviderError};
use duroxide::{Event, EventKind};
use futures_util::StreamExt;
use std::sync::Arc;

// How many jobs a sweep looks at; with more open ones it goes on where it stopped.
const SWEPT_AT_ONCE: u32 = 64;
const AT_ONCE: usize = 8;

/// Writes down what happened.
#[derive(Clone)]
pub(super) struct Projector {
    pub(super) provider: Arc<dyn Provider>,
    pub(super) index: Arc<dyn JobIndex>,
    pub(super) wakeups: Arc<Wakeups>,
}

impl Projector {
    /// Writes down what happened to a job since it was last looked at.
    pub(super) async fn project(&self, id: &JobId) -> Result<(), JobsError> {
        // Another process may do the same at the same time; then what they wrote is read, and the
        // rest of it is written. Each round means that someone wrote, so a few are enough.
        for _ in 0..8 {
            let Some(row) = self.row(id).await? else { return Ok(()) };
            if row.ended.is_some() {
                return Ok(());
            }
            let (to, news) = self.since(id, row.reported).await?;
            if to == row.reported {
                return Ok(());
            }
            // Steps that lost a race need not wait until their lease tells them.
            news.cancelled.iter().for_each(|key| self.wakeups.running.cancel_call(key));
            for child in news.children {
                let _: Registered = self.index.register(child).await?;
            }
            let ended = matches!(news.happened.last(), Some(Happened::Ended { .. }));
            let report =
                JobUpdate { id: id.clone(), from: row.reported, to, happened: news.happened };
            if self.index.report(report).await? {
                if ended {
                    // The same for those that outlived their job.
                    self.wakeups.running.cancel(id);
                }
                return Ok(());
            }
        }
        Ok(())
    }

    /// Writes down what happened to all jobs that were touched in this process. Returns whether
    /// that was possible; what was not is touched still.
    pub(super) async fn project_touched(&self) -> bool {
        let failed: Vec<JobId> = futures_util::stream::iter(self.wakeups.take_touched())
            .map(|id| async move {
                let error = self.project(&id).await.err()?;
                tracing::warn!(job = %id, %error, "events could not be written down yet");
                Some(id)
            })
            .buffer_unordered(AT_ONCE)
            .filter_map(std::future::ready)
            .collect()
            .await;
        let whole = failed.is_empty();
        failed.into_iter().for_each(|id| self.wakeups.touched(id));
        whole
    }

    /// Looks at a page of open jobs after `after`, for those whose worker died before it could
    /// write anything down. Returns where to go on.
    pub(super) async fn sweep(&self, after: Option<JobId>) -> Result<Swept, JobsError> {
        let filter = JobFilter { ended: Some(false), ..JobFilter::default() };
        let page = Page { after, limit: SWEPT_AT_ONCE };
        let rows = self.index.list(&filter, &page).await?;
        let whole = rows.len() < SWEPT_AT_ONCE as usize;
        let next = if whole { None } else { rows.last().map(|row| row.id.clone()) };
        let mut to_cancel = Vec::new();
        for row in rows {
            if let Err(error) = self.project(&row.id).await {
                tracing::warn!(job = %row.id, %error, "events could not be written down yet");
            }
            // Only jobs that the engine knows are cancelled in it; see where jobs are cancelled.
            let reason = row.cancel_reason.filter(|_| row.reported != (0, 0));
            to_cancel.extend(reason.map(|reason| (row.id, reason)));
        }
        Ok(Swept { next, to_cancel })
    }

    // A child is in the index since its parent's history was looked at, or is put there now.
    async fn row(&self, id: &JobId) -> Result<Option<JobRow>, JobsError> {
        if let Some(row) = self.index.find(id).await? {
            return Ok(Some(row));
        }
        let events = self.read(id, 1).await?;
        let Some(child) = events.first().and_then(|event| adopted(id, event)) else {
            return Ok(None);
        };
        let _: Registered = self.index.register(child).await?;
        self.index.find(id).await
    }

    async fn since(&self, id: &JobId, from: (u64, u64)) -> Result<((u64, u64), News), JobsError> {
        let (mut execution, mut after, mut to) = (from.0.max(1), from.1, from);
        let mut all = News::default();
        loop {
            let events = self.read(id, execution).await?;
            if events.is_empty() {
                return Ok((to, all));
            }
            let found = news(&events, after);
            to = (execution, found.last);
            all.happened.extend(found.happened);
            all.children.extend(found.children);
            all.cancelled.extend(found.cancelled);
            if !goes_on(&events) {
                return Ok((to, all));
            }
            (execution, after) = (execution + 1, 0);
        }
    }

    pub(super) async fn read(&self, id: &JobId, execution: u64) -> Result<Vec<Event>, JobsError> {
        let read = self.provider.read_with_execution(id.as_str(), execution).await;
        read.map_err(|error| unreadable(&error))
    }
}

/// What a sweep found.
pub(super) struct Swept {
    /// Where the next one goes on.
    pub(super) next: Option<JobId>,
    /// Jobs that are to stop and have not; the process that asked may have died before the engine
    /// heard.
    pub(super) to_cancel: Vec<(JobId, String)>,
}

fn goes_on(events: &[Event]) -> bool {
    events.iter().any(|event| matches!(event.kind, EventKind::OrchestrationContinuedAsNew { .. }))
}

fn adopted(id: &JobId, started: &Event) -> Option<NewJob> {
    let EventKind::OrchestrationStarted { name, version, input, parent_instance, .. } =
        &started.kind
    else {
        return None;
    };
    parent_instance.as_ref()?;
    let given: super::envelope::FlowInput = serde_json::from_str(input).ok()?;
    Some(NewJob {
        id: id.clone(),
        flow: super::envelope::flow_name(name, version)?,
        input_hash: super::envelope::input_hash(&given.input),
        needs: given.needs,
    })
}

pub(super) fn unreadable(error: &ProviderError) -> JobsError {
    JobsError::database("read a job's history", Cause::words(error.to_string()))
}
