//! What the gateway counts, in the text format of Prometheus.
//!
//! In: what happened to each request. Out: one page of numbers. Labels are words of ours, never
//! anything a client sent, so that their number stays small and they hold no secret.

use super::heal::HealReport;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Registry, Unit};
use std::time::Duration;

/// The labels of a request.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    dialect: &'static str,
    verdict: &'static str,
    status: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct KindLabels {
    kind: &'static str,
}

/// Counters of one gateway.
#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<RequestLabels, Counter>,
    refusals: Family<KindLabels, Counter>,
    asked_again: Family<KindLabels, Counter>,
    attempts: Counter,
    tokens: Family<KindLabels, Counter>,
    client_gone: Counter,
    /// Streams that are open.
    pub(crate) active_streams: Gauge,
    /// Connections that are open.
    pub(crate) connections: Gauge,
    upstream_seconds: Histogram,
    added_seconds: Histogram,
}

impl Metrics {
    /// Makes the counters.
    pub(crate) fn new() -> Self {
        let mut metrics = Self {
            registry: Registry::with_prefix("salve_gateway"),
            requests: Family::default(),
            refusals: Family::default(),
            asked_again: Family::default(),
            attempts: Counter::default(),
            tokens: Family::default(),
            client_gone: Counter::default(),
            active_streams: Gauge::default(),
            connections: Gauge::default(),
            upstream_seconds: Histogram::new(exponential_buckets(0.001, 2.0, 18)),
            added_seconds: Histogram::new(exponential_buckets(0.000_025, 2.0, 16)),
        };
        metrics.register();
        metrics
    }

    fn register(&mut self) {
        let registry = &mut self.registry;
        registry.register("requests", "Requests that were answered", self.requests.clone());
        registry.register(
            "refusals",
            "Requests that were refused, by reason",
            self.refusals.clone(),
        );
        registry.register(
            "asked_again",
            "Calls made to heal a reply: resume, rework, retry",
            self.asked_again.clone(),
        );
        registry.register(
            "attempts_repeated",
            "Calls made again because they failed before their first byte",
            self.attempts.clone(),
        );
        registry.register("tokens", "Tokens by kind, as providers count them", self.tokens.clone());
        registry.register(
            "client_gone",
            "Replies whose client went away before their end",
            self.client_gone.clone(),
        );
        registry.register("active_streams", "Streams that are open", self.active_streams.clone());
        registry.register("connections", "Connections that are open", self.connections.clone());
        registry.register_with_unit(
            "upstream",
            "Time until the head of an upstream's reply",
            Unit::Seconds,
            self.upstream_seconds.clone(),
        );
        registry.register_with_unit(
            "added",
            "Time the gateway added before the upstream was asked and after it answered",
            Unit::Seconds,
            self.added_seconds.clone(),
        );
    }

    /// Counts a request that was answered.
    pub(crate) fn answered(&self, dialect: &'static str, verdict: &'static str, status: u16) {
        self.requests.get_or_create(&RequestLabels { dialect, verdict, status }).inc();
    }

    /// Counts a request that was refused.
    pub(crate) fn refused(&self, reason: &'static str) {
        self.refusals.get_or_create(&KindLabels { kind: reason }).inc();
    }

    /// Counts what healing took.
    pub(crate) fn healed(&self, report: &HealReport) {
        let asked =
            [("resume", report.resumes), ("rework", report.reworks), ("retry", report.retries)];
        for (kind, count) in asked {
            if count > 0 {
                self.asked_again.get_or_create(&KindLabels { kind }).inc_by(u64::from(count));
            }
        }
        if let Some(usage) = report.usage {
            let tokens = [("input", usage.input_tokens), ("output", usage.output_tokens)];
            for (kind, count) in tokens {
                self.tokens.get_or_create(&KindLabels { kind }).inc_by(count);
            }
        }
    }

    /// Counts a call that is made again.
    pub(crate) fn repeated(&self) {
        self.attempts.inc();
    }

    /// Counts a client that went away.
    pub(crate) fn gone(&self) {
        self.client_gone.inc();
    }

    /// Counts how long the upstream took to begin.
    pub(crate) fn upstream_took(&self, time: Duration) {
        self.upstream_seconds.observe(time.as_secs_f64());
    }

    /// Counts how long the gateway itself took.
    pub(crate) fn added(&self, time: Duration) {
        self.added_seconds.observe(time.as_secs_f64());
    }

    /// Writes the page.
    pub(crate) fn page(&self) -> String {
        let mut page = String::new();
        // Writing to a string does not fail.
        let _ = encode(&mut page, &self.registry);
        page
    }
}
