//! The tables: each file has how it is made, all that is written to it, and all that is read from it.
//!
//! In: values. Out: methods of the store. Never a batch: each operation is a transaction (see
//! `commit.rs`). Only the calls to models are written otherwise.
//!
//! A new table is a file here with a `TABLE`, and a line in [`TABLES`]: by that it is made in old and new
//! databases, on SQLite and Postgres, and is in the tests of every table.

mod decisions;
mod engine;
mod events;
pub(crate) mod gateway_keys;
mod heal_attempts;
mod heal_breakers;
mod jobs;
mod knowledge;
mod plans;
mod sessions;
mod statistics;
mod texts;
mod uploads;

pub use decisions::{
    ChangedDecision, DecisionChange, DecisionFilter, DecisionPin, DecisionRecord, DecisionScope,
    DecisionType, NewChoice, NewDecision,
};
pub use engine::EngineTables;
pub use events::{Event, NewEvent, Subscription};
pub use gateway_keys::{GatewayKey, KEY_PREFIX, KeyId, MadeKey, NewKey};
pub use heal_attempts::{
    FailedFix, HealAttempt, HealAttemptCounts, HealAttemptFilter, NewHealAttempt,
};
pub use heal_breakers::{HealCount, UnhealedError};
pub use jobs::JobReport;
pub use knowledge::{
    ExampleRecord, FixKind, FixRecord, FixResult, FixRung, HealCost, ImportedFix, ImportedPattern,
    KeptFix, KnowledgeDay, KnowledgeScope, KnowledgeStats, KnownFix, KnownFixes, NewExample,
    NewFixOutcome, NewHealCost, NewRule, PatternFilter, PatternKey, PatternRecord, RuleFilter,
    RuleOutcome, RulePin, RuleState, StoredRule, TeamPin,
};
pub use plans::{NewPlan, PlanNote, PlanRecord, PlanTook, SubTaskNote, SubTaskRecord};
pub use sessions::{
    AuditEntry, EventNews, HANDED_OVER, MovedChanges, NewAudit, NewHandoff, NewSession,
    NewSessionEvent, NewTurn, SessionFilter, SessionMove, SessionRecord, SessionUpdate,
    SessionWrite, TurnRecord, TurnUpdate, WrittenSession,
};
pub use statistics::{AnswerOutcome, AnswerStat, CountedCut, CountedName, Counts, Statistics};
pub use uploads::{NewUpload, UploadRecord, UploadState};

use crate::ledger;
use crate::migrations::Migration;

/// A table, or several that belong together.
pub(crate) struct Table {
    /// Their names in the database.
    #[cfg_attr(not(test), expect(dead_code, reason = "tests ask for it"))]
    pub(crate) names: &'static [&'static str],
    /// What made them, and what changed them since.
    pub(crate) migrations: &'static [Migration],
    /// Writes to all of them and reads it back, with a text that holds a secret.
    #[cfg(test)]
    pub(crate) conforms: for<'a> fn(&'a crate::Store, &'a str) -> Conforming<'a>,
}

#[cfg(test)]
pub(crate) type Conforming<'a> = std::pin::Pin<Box<dyn Future<Output = ()> + 'a>>;

/// Every table.
pub(crate) const TABLES: &[Table] = &[
    ledger::TABLE,
    gateway_keys::TABLE,
    events::TABLE,
    statistics::TABLE,
    jobs::TABLE,
    texts::TABLE,
    engine::TABLE,
    heal_attempts::TABLE,
    decisions::TABLE,
    heal_breakers::TABLE,
    knowledge::PATTERNS,
    knowledge::RULES,
    knowledge::HEALS,
    sessions::TABLE,
    plans::TABLE,
    uploads::TABLE,
];

#[cfg(test)]
mod tests;
