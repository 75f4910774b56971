//! What is recorded when a reply ends, whichever way.
//!
//! In: the report of a reply, or its client's going away. Out: counters and one line of the log. Never
//! counts a reply twice.

use super::Shared;
use super::heal::{HealReport, HealVerdict, StreamItem};
use super::reply::BodyError;
use bytes::Bytes;
use futures_util::Stream;
use salve_model::wire::Dialect;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

/// Records how one reply ended; dropped unfinished, that its client went away.
pub(crate) struct Ending {
    shared: Arc<Shared>,
    dialect: Dialect,
    model: String,
    begun: Instant,
    added: Duration,
    finished: bool,
}

impl Ending {
    /// Begins; `added` is the time the gateway took before it asked the upstream.
    pub(crate) fn new(
        shared: Arc<Shared>,
        dialect: Dialect,
        model: String,
        begun: Instant,
        added: Duration,
    ) -> Self {
        Self { shared, dialect, model, begun, added, finished: false }
    }

    /// Records the end; `after` is the time the gateway took after the upstream had answered.
    pub(crate) fn finish(mut self, report: &HealReport, status: u16, after: Duration) {
        self.record(report, status, after);
    }

    fn record(&mut self, report: &HealReport, status: u16, after: Duration) {
        self.finished = true;
        let metrics = &self.shared.metrics;
        let (dialect, verdict) = (self.dialect.name(), report.verdict.name());
        metrics.answered(dialect, verdict, status);
        metrics.healed(report);
        // Time spent on asking again is the upstream's.
        if report.calls <= 1 {
            metrics.added(self.added + after);
        }
        let took_ms = u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        let (resumes, reworks, retries) = (report.resumes, report.reworks, report.retries);
        if matches!(report.verdict, HealVerdict::Whole) {
            tracing::debug!(target: "salve::gateway", dialect, verdict, status, took_ms, "answered");
        } else {
            tracing::info!(
                target: "salve::gateway",
                dialect, verdict, status, took_ms, resumes, reworks, retries, "answered"
            );
        }
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        if !self.finished {
            self.shared.metrics.gone();
            tracing::info!(target: "salve::gateway", dialect = self.dialect.name(), "client gone");
        }
    }
}

/// A healed stream whose end is recorded.
pub(crate) struct Watching<S> {
    items: Pin<Box<S>>,
    ending: Ending,
}

impl<S> Watching<S> {
    /// Watches a stream until it ends or is dropped.
    pub(crate) fn new(items: S, ending: Ending) -> Self {
        ending.shared.metrics.active_streams.inc();
        Self { items: Box::pin(items), ending }
    }
}

impl<S: Stream<Item = StreamItem>> Stream for Watching<S> {
    type Item = Result<Bytes, BodyError>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        loop {
            match ready!(this.items.as_mut().poll_next(cx)) {
                Some(StreamItem::Bytes(bytes)) => return Poll::Ready(Some(Ok(bytes))),
                Some(StreamItem::Report(report)) => {
                    this.ending.record(&report, 200, Duration::ZERO)
                }
                None => return Poll::Ready(None),
            }
        }
    }
}

impl<S> Drop for Watching<S> {
    fn drop(&mut self) {
        self.ending.shared.metrics.active_streams.dec();
    }
}
