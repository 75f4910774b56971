//! What ends or interrupts a heal that does more harm than good.
//!
//! In: limits, and counts of earlier heals. Out: counts of this one, and what the durable counters are
//! to become. Never forgets: a catastrophic rollback leaves them as they are.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// When breakers trip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct BreakerLimits {
    /// At this sighting of an error whose heals all ended unhealed, no model is asked any more.
    pub same_error: u32,
    /// A file that is changed more often is flagged.
    pub file_changes: u32,
    /// With this many processes left behind by commands, the heal is interrupted.
    pub orphans: u32,
}

impl Default for BreakerLimits {
    fn default() -> Self {
        Self { same_error: 3, file_changes: 5, orphans: 3 }
    }
}

/// One breaker, as people see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BreakerState {
    /// Which.
    pub breaker: Breaker,
    /// How far it has counted.
    pub count: u64,
    /// Where it trips.
    pub limit: u64,
    /// Whether it has tripped.
    pub tripped: bool,
}

/// The breakers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Breaker {
    /// The same error is not healed again and again: ends the heal.
    SameError,
    /// Tokens: interrupts it.
    Tokens,
    /// One file is changed again and again: flags it.
    FileChanges,
    /// Fixes bring new errors: they are rolled back and flagged.
    NewErrors,
    /// Processes are left behind: interrupts it.
    Orphans,
}

impl Breaker {
    /// Lists them all.
    pub const ALL: [Self; 5] =
        [Self::SameError, Self::Tokens, Self::FileChanges, Self::NewErrors, Self::Orphans];

    /// Returns its name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SameError => "same_error",
            Self::Tokens => "tokens",
            Self::FileChanges => "file_changes",
            Self::NewErrors => "new_errors",
            Self::Orphans => "orphans",
        }
    }
}

/// What a heal does to the durable counters, by exact signature.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BreakerChanges {
    /// One more heal ended without healing these.
    pub unhealed: BTreeSet<String>,
    /// These were healed: their counters start again.
    pub healed: BTreeSet<String>,
}
