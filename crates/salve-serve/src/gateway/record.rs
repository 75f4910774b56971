//! What is recorded when a reply ends, whichever way.
//!
//! In: the report of a reply, or its client's going away. Out: counters and one line of the log. Never
//! counts a reply twice.

use super::Shared;
use super::account::FirstCall;
use super::heal::{HealReport, HealVerdict, StreamItem};
use crate::http::body::BodyError;
use bytes::Bytes;
use futures_util::Stream;
use salve_engine::answer::{Truncation, TruncationOutcome};
use salve_engine::statistics::{malformed_inspection, uncut_inspection};
use salve_model::wire::Dialect;
use salve_store::{AnswerOutcome, AnswerStat, CallId, CallOutcome};
use serde::Serialize;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

/// Records how one reply ended; dropped unfinished, that its client went away.
pub(crate) struct ReplyRecord {
    shared: Arc<Shared>,
    dialect: Dialect,
    model: String,
    call: Option<CallId>,
    first_call: FirstCall,
    begun: Instant,
    added: Duration,
    finished: AtomicBool,
}

impl ReplyRecord {
    /// Begins; `added` is the time the gateway took before it asked the upstream.
    pub(crate) fn new(
        shared: Arc<Shared>,
        dialect: Dialect,
        (model, call): (String, Option<CallId>),
        first_call: FirstCall,
        begun: Instant,
        added: Duration,
    ) -> Self {
        let finished = AtomicBool::new(false);
        Self { shared, dialect, model, call, first_call, begun, added, finished }
    }

    /// Records the end; `after` is the time the gateway took after the upstream had answered.
    pub(crate) fn finish(self, report: &HealReport, status: u16, after: Duration) {
        self.note(report, status, after);
    }

    /// Notes that there is nothing to record: the reply cannot be read, and the client is told so.
    pub(crate) fn unread(&self) {
        self.finished.store(true, Ordering::Relaxed);
    }

    fn note(&self, report: &HealReport, status: u16, after: Duration) {
        self.unread();
        let metrics = &self.shared.metrics;
        let (dialect, verdict) = (self.dialect.name(), report.verdict.name());
        metrics.answered(dialect, verdict, status);
        metrics.healed(report);
        // Time spent on asking again is the upstream's.
        if report.calls <= 1 {
            metrics.added(self.added + after);
        }
        self.count(report);
        let took_ms = u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        let (resumes, reworks, retries) = (report.resumes, report.reworks, report.retries);
        let (model, call) = (shown_model(&self.model), self.call.map(|call| call.0));
        if matches!(report.verdict, HealVerdict::Whole) {
            tracing::debug!(
                target: "salve::gateway", dialect, verdict, status, took_ms, model, call, "answered"
            );
        } else {
            tracing::info!(
                target: "salve::gateway",
                dialect, verdict, status, took_ms, resumes, reworks, retries, model, call, "answered"
            );
        }
    }

    // One line of the statistics for each answer that was judged; the first goes with its call.
    fn count(&self, report: &HealReport) {
        let Some(store) = &self.shared.config.store else { return };
        let mut judged = self.counted(report).into_iter();
        let (first, outcome) = (judged.next(), call_outcome(report));
        if !self.first_call.judged(outcome, first.as_ref())
            && let Some(first) = first
        {
            store.count_answer(first);
        }
        for stat in judged {
            store.count_answer(stat);
        }
    }

    fn counted(&self, report: &HealReport) -> Vec<AnswerStat> {
        let of_cut = |cut: &Truncation| {
            let outcome = match cut.outcome {
                TruncationOutcome::Healed => AnswerOutcome::Healed,
                TruncationOutcome::FalseAlarm => AnswerOutcome::Whole,
                _ => AnswerOutcome::Incomplete,
            };
            AnswerStat {
                kind: (outcome != AnswerOutcome::Whole).then(|| word(&cut.kind)),
                model: cut.model.clone().unwrap_or_else(|| self.model.clone()),
                language: cut.language.name().to_owned(),
                outcome,
            }
        };
        if !report.truncations.is_empty() {
            return report.truncations.iter().map(of_cut).collect();
        }
        // Whole, or wrong without being cut.
        vec![match (&report.verdict, &report.why) {
            (_, None) => uncut_inspection(&self.model, AnswerOutcome::Whole),
            (HealVerdict::Healed, _) => malformed_inspection(&self.model, AnswerOutcome::Healed),
            _ => malformed_inspection(&self.model, AnswerOutcome::Incomplete),
        }]
    }
}

/// Returns the name of a model for a line of the log; what does not look like one is not shown.
pub(super) fn shown_model(model: &str) -> &str {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:/@".contains(&byte);
    let fits = model.len() <= 100 && model.bytes().all(is_name);
    if fits { model } else { "(not a name)" }
}

fn call_outcome(report: &HealReport) -> CallOutcome {
    match report.verdict {
        HealVerdict::Whole => CallOutcome::Whole,
        HealVerdict::Healed => CallOutcome::Healed,
        HealVerdict::Observed if report.why.is_none() => CallOutcome::Whole,
        HealVerdict::Observed | HealVerdict::Incomplete => CallOutcome::Incomplete,
    }
}

// The name a value has on the wire.
fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        _ => "unknown".to_owned(),
    }
}

impl Drop for ReplyRecord {
    fn drop(&mut self) {
        if !self.finished.load(Ordering::Relaxed) {
            self.shared.metrics.gone();
            let (model, call) = (shown_model(&self.model), self.call.map(|call| call.0));
            let dialect = self.dialect.name();
            tracing::info!(target: "salve::gateway", dialect, model, call, "client gone");
        }
    }
}

/// A healed stream whose end is recorded.
pub(crate) struct Watching<S> {
    items: Pin<Box<S>>,
    record: ReplyRecord,
}

impl<S> Watching<S> {
    /// Watches a stream until it ends or is dropped.
    pub(crate) fn new(items: S, record: ReplyRecord) -> Self {
        record.shared.metrics.active_streams.inc();
        Self { items: Box::pin(items), record }
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
                    this.record.note(&report, 200, Duration::ZERO);
                }
                None => return Poll::Ready(None),
            }
        }
    }
}

impl<S> Drop for Watching<S> {
    fn drop(&mut self) {
        self.record.shared.metrics.active_streams.dec();
    }
}
