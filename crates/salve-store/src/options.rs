//! How a store is opened.
//!
//! In: a clock, a redactor, limits. Out: plain data. Never read from anywhere: the caller
//! passes them.

use crate::Redact;
use salve_types::{Clock, SpendLimit};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// How a store is opened.
#[derive(Clone)]
pub struct StoreOptions {
    /// Gives the time of rows, and the day of budgets.
    pub clock: Arc<dyn Clock>,
    /// Takes secrets out of every text before it is kept.
    pub redactor: Arc<dyn Redact>,
    /// When a call in the ledger counts as safe; one of a job, before it is made and when it is settled,
    /// always with [`Durability::Full`]. What people decide, sessions, jobs and keys are always kept with
    /// [`Durability::Full`], events with [`Durability::Normal`].
    pub durability: Durability,
    /// Who writes, for people; the store adds what makes it unlike any other process of that name.
    pub worker: String,
    /// The process it runs in, as its machine names it; empty where nobody can tell.
    pub process: String,
    /// What may be spent by all, and by one session.
    pub budgets: Budgets,
    /// What is forgotten, and when.
    pub retention: Retention,
    /// A worker that was not seen for this long is taken for dead, and its open calls are in doubt. One
    /// that has open calls says four times as often that it is alive.
    pub silence: Duration,
}

impl StoreOptions {
    /// Makes options with the usual durability, no limits, and the usual retention.
    pub fn new(
        clock: Arc<dyn Clock>,
        redactor: Arc<dyn Redact>,
        worker: impl Into<String>,
    ) -> Self {
        Self {
            clock,
            redactor,
            durability: Durability::Normal,
            worker: worker.into(),
            process: String::new(),
            budgets: Budgets::default(),
            retention: Retention::default(),
            silence: Duration::from_secs(20),
        }
    }
}

impl fmt::Debug for StoreOptions {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("StoreOptions")
            .field("worker", &self.worker)
            .field("durability", &self.durability)
            .field("budgets", &self.budgets)
            .field("retention", &self.retention)
            .field("silence", &self.silence)
            .finish_non_exhaustive()
    }
}

/// When a row counts as safe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    /// When it would survive the death of the process. A loss of power may take the last moments.
    #[default]
    Normal,
    /// When it would survive a loss of power.
    Full,
}

/// Limits that do not belong to a gateway key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Budgets {
    /// Of everything together, in a day in UTC.
    pub day: SpendLimit,
    /// Of one session, as long as it lasts.
    pub session: SpendLimit,
}

/// What is forgotten, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// Days a settled call is listed, and what a heal tried. Open and unknown calls stay.
    pub call_days: u32,
    /// Days its texts are kept; those of jobs, since they were last put. Those of sessions stay.
    pub text_days: u32,
    /// Days an event is kept.
    pub event_days: u32,
    /// The most events that are kept.
    pub events: u64,
    /// Bytes that are kept of what arrived for one call.
    pub raw_bytes: usize,
    /// Bytes of prompts and answers that the audit of one session keeps; the oldest go first.
    pub audit_bytes: u64,
    /// Backups that are kept.
    pub backups: usize,
}

impl Default for Retention {
    fn default() -> Self {
        Self {
            call_days: 90,
            text_days: 14,
            event_days: 30,
            events: 1_000_000,
            raw_bytes: 4 << 20,
            audit_bytes: 18_000_000,
            backups: 3,
        }
    }
}
