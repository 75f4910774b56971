//! What Salve remembers: calls, budgets, keys, events, statistics, jobs, texts, heals, decisions, knowledge,
//! sessions, and what the durable engine keeps, in one database.
//!
//! In: values; every text passes the redactor it was opened with. Out: rows, in order, after they
//! are safe. Never holds a secret, never loses a row it acknowledged.

mod backup;
mod commit;
mod error;
mod files;
mod integrity;
mod ledger;
mod migrations;
mod options;
mod pattern_file;
mod poll;
#[cfg(feature = "fleet")]
mod postgres;
mod redact;
mod redacted;
mod retention;
mod sql;
mod store;
mod tables;
#[cfg(test)]
mod testing;
mod writer;

pub use error::{DatabaseError, StoreError};
pub use ledger::{
    BudgetScope, Call, CallDetail, CallFilter, CallId, CallState, CallTexts, CallTry, DaySpending,
    DoubtFilter, DoubtfulCall, LateEnd, NewCall, OpenCall, OverBudget, Receipt, Reservation,
    Resolution, Settled, Spending,
};
pub use options::{Budgets, Durability, Retention, StoreOptions};
pub use pattern_file::{PATTERN_FILE, PatternFileError, pattern_file, read_pattern_file};
#[cfg(feature = "fleet")]
pub use postgres::PostgresOptions;
pub use redact::{Redact, StreamRedactor};
pub use retention::Pruned;
pub use store::Store;
pub use tables::{
    AnswerOutcome, AnswerStat, AuditEntry, ChangedDecision, CountedCut, CountedName, Counts,
    DecisionChange, DecisionFilter, DecisionPin, DecisionRecord, DecisionScope, DecisionType,
    EngineTables, Event, EventNews, ExampleRecord, FailedFix, FixKind, FixRecord, FixResult,
    FixRung, GatewayKey, HANDED_OVER, HealAttempt, HealAttemptCounts, HealAttemptFilter, HealCost,
    HealCount, ImportedFix, ImportedPattern, JobReport, KEY_PREFIX, KeptFix, KeyId, KnowledgeDay,
    KnowledgeScope, KnowledgeStats, KnownFix, KnownFixes, MadeKey, MovedChanges, NewAudit,
    NewChoice, NewDecision, NewEvent, NewExample, NewFixOutcome, NewHandoff, NewHealAttempt,
    NewHealCost, NewKey, NewPlan, NewRule, NewSession, NewSessionEvent, NewTurn, NewUpload,
    PatternFilter, PatternKey, PatternRecord, PlanNote, PlanRecord, PlanTook, RuleFilter,
    RuleOutcome, RulePin, RuleState, SessionFilter, SessionMove, SessionRecord, SessionUpdate,
    SessionWrite, Statistics, StoredRule, SubTaskNote, SubTaskRecord, Subscription, TeamPin,
    TurnRecord, TurnUpdate, UnhealedError, UploadRecord, UploadState, WrittenSession,
};

pub use salve_types::{
    BudgetUnit, CallKey, CallOutcome, JobFilter, JobId, JobRow, JobState, NewJob, Page, Registered,
    Spend, SpendLimit, WorstCase,
};
