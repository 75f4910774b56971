//! The index in memory.
//!
//! In: jobs and what happened to them. Out: rows and events, in order. Never writes half a report.

use super::lock;
use crate::{
    EventId, Fut, Happened, JobEvent, JobFilter, JobId, JobIndex, JobRow, JobUpdate, JobsError,
    NewJob, Page, Registered,
};
use salve_types::{Clock, Timestamp};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::Notify;

/// An index that lives as long as its process.
pub struct MemoryJobIndex {
    clock: Arc<dyn Clock>,
    pages: Mutex<Pages>,
    news: Notify,
}

/// Rows by name with the order in which they came, and the events of all of them.
#[derive(Default)]
struct Pages {
    rows: BTreeMap<JobId, (u64, JobRow)>,
    events: BTreeMap<JobId, Vec<JobEvent>>,
    jobs_so_far: u64,
    events_so_far: i64,
}

impl MemoryJobIndex {
    /// Opens an empty index.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, pages: Mutex::default(), news: Notify::new() }
    }

    fn write_down(&self, job: NewJob) -> Registered {
        let mut pages = lock(&self.pages);
        if let Some((_, row)) = pages.rows.get(&job.id) {
            let same = row.flow == job.flow && row.input_hash == job.input_hash;
            return if same { Registered::Same } else { Registered::Conflict };
        }
        pages.jobs_so_far += 1;
        let order = pages.jobs_so_far;
        let row = JobRow {
            id: job.id.clone(),
            flow: job.flow,
            input_hash: job.input_hash,
            needs: job.needs,
            created_at: self.clock.now(),
            cancel_reason: None,
            reported: (0, 0),
            ended: None,
            ended_at: None,
        };
        pages.rows.insert(job.id, (order, row));
        Registered::New
    }

    fn take(&self, report: JobUpdate) -> bool {
        let taken = lock(&self.pages).take(report, self.clock.now());
        if taken {
            self.news.notify_waiters();
        }
        taken
    }

    fn page(&self, filter: &JobFilter, page: &Page) -> Vec<JobRow> {
        let pages = lock(&self.pages);
        let before = page.after.as_ref().and_then(|id| pages.rows.get(id)).map(|(order, _)| *order);
        let mut wanted: Vec<_> = pages
            .rows
            .values()
            .filter(|(order, row)| before.is_none_or(|before| *order < before) && fits(filter, row))
            .collect();
        wanted.sort_by_key(|(order, _)| std::cmp::Reverse(*order));
        let limit = usize::try_from(page.limit).unwrap_or(usize::MAX);
        wanted.into_iter().take(limit).map(|(_, row)| row.clone()).collect()
    }

    fn note_cancel(&self, id: &JobId, reason: &str) -> bool {
        let mut pages = lock(&self.pages);
        match pages.rows.get_mut(id) {
            Some((_, row)) if row.ended.is_none() => {
                row.cancel_reason.get_or_insert_with(|| reason.to_owned());
                true
            }
            _ => false,
        }
    }

    /// Returns why a job is to stop, itself or with one of its parents.
    pub(super) fn to_stop(&self, id: &JobId) -> Option<String> {
        let pages = lock(&self.pages);
        std::iter::successors(Some(id.clone()), JobId::parent)
            .find_map(|id| pages.rows.get(&id)?.1.cancel_reason.clone())
    }
}

impl Pages {
    fn take(&mut self, report: JobUpdate, now: Timestamp) -> bool {
        let Self { rows, events, events_so_far, .. } = self;
        let Some((_, row)) = rows.get_mut(&report.id) else { return false };
        if row.reported != report.from || row.ended.is_some() {
            return false;
        }
        row.reported = report.to;
        let written = events.entry(report.id.clone()).or_default();
        for what in report.happened {
            if let Happened::Ended { state } = &what {
                row.ended = Some(state.clone());
                row.ended_at = Some(now);
            }
            *events_so_far += 1;
            let id = EventId(*events_so_far);
            written.push(JobEvent { id, job: report.id.clone(), at: now, what });
        }
        true
    }
}

/// Returns whether a job is one of those that are wanted.
fn fits(filter: &JobFilter, row: &JobRow) -> bool {
    filter.within.as_ref().is_none_or(|root| is_within(&row.id, root))
        && filter.flow.as_deref().is_none_or(|flow| flow == row.flow.name())
        && filter.ended.is_none_or(|ended| ended == row.ended.is_some())
        && !(filter.roots_only && row.id.parent().is_some())
}

/// Returns whether a job is this one or below it.
pub(super) fn is_within(id: &JobId, root: &JobId) -> bool {
    id.as_str()
        .strip_prefix(root.as_str())
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

impl JobIndex for MemoryJobIndex {
    fn register(&self, job: NewJob) -> Fut<'_, Result<Registered, JobsError>> {
        Box::pin(async move { Ok(self.write_down(job)) })
    }

    fn find<'a>(&'a self, id: &'a JobId) -> Fut<'a, Result<Option<JobRow>, JobsError>> {
        Box::pin(async move { Ok(lock(&self.pages).rows.get(id).map(|(_, row)| row.clone())) })
    }

    fn list<'a>(
        &'a self,
        filter: &'a JobFilter,
        page: &'a Page,
    ) -> Fut<'a, Result<Vec<JobRow>, JobsError>> {
        Box::pin(async move { Ok(self.page(filter, page)) })
    }

    fn report(&self, report: JobUpdate) -> Fut<'_, Result<bool, JobsError>> {
        Box::pin(async move { Ok(self.take(report)) })
    }

    fn events<'a>(
        &'a self,
        id: &'a JobId,
        after: EventId,
        limit: u32,
    ) -> Fut<'a, Result<Vec<JobEvent>, JobsError>> {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        Box::pin(async move {
            let pages = lock(&self.pages);
            let events = pages.events.get(id).map_or(&[][..], Vec::as_slice);
            let first = events.partition_point(|event| event.id <= after);
            Ok(events[first..].iter().take(limit).cloned().collect())
        })
    }

    fn news(&self, longest: Duration) -> Fut<'_, ()> {
        // The wait begins now, not when the future is first polled: what is written in between is
        // not missed.
        let told = self.news.notified();
        Box::pin(async move {
            let _ = tokio::time::timeout(longest, told).await;
        })
    }

    fn request_cancel<'a>(
        &'a self,
        id: &'a JobId,
        reason: &'a str,
    ) -> Fut<'a, Result<bool, JobsError>> {
        Box::pin(async move { Ok(self.note_cancel(id, reason)) })
    }

    fn cancel_requested<'a>(
        &'a self,
        ids: &'a [JobId],
    ) -> Fut<'a, Result<Vec<(JobId, String)>, JobsError>> {
        Box::pin(async move {
            Ok(ids.iter().filter_map(|id| Some((id.clone(), self.to_stop(id)?))).collect())
        })
    }

    fn forget<'a>(&'a self, ids: &'a [JobId]) -> Fut<'a, Result<(), JobsError>> {
        Box::pin(async move {
            let mut pages = lock(&self.pages);
            for id in ids {
                pages.rows.remove(id);
                pages.events.remove(id);
            }
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests;
