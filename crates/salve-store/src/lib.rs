//! What Salve remembers: calls, events, statistics, keys and budgets, in one database.
//!
//! In: values; every text passes the redactor it was opened with. Out: rows, in order, after they
//! are safe. Never holds a secret, never loses a row it acknowledged.

mod audit;
mod backup;
mod call;
mod clean;
mod doubt;
mod error;
mod events;
mod files;
mod gateway_keys;
mod jobs;
mod look;
mod migrations;
mod open_call;
mod options;
#[cfg(feature = "fleet")]
mod postgres;
mod raw;
mod read;
mod redact;
mod spend;
mod sql;
mod statistics;
mod store;
mod texts;
mod writer;

pub use call::{
    Call, CallDetail, CallFilter, CallId, CallKey, CallOutcome, CallState, CallTexts, CallTry,
    Decision, LateEnd, NewCall, Reservation, Settled,
};
pub use doubt::{DoubtFilter, DoubtfulCall};
pub use error::{DatabaseError, StoreError};
pub use events::{Event, NewEvent, Subscription};
pub use gateway_keys::{GatewayKey, KEY_PREFIX, KeyId, MadeKey, NewKey};
pub use jobs::{JobRegistration, JobReport, JobRow, JobRowFilter, JobRowPage, NewJobRow};
pub use open_call::{OpenCall, Receipt};
pub use options::{Budgets, Durability, Retention, SpendLimit, StoreOptions};
#[cfg(feature = "fleet")]
pub use postgres::PostgresOptions;
pub use read::Spending;
pub use redact::{Redact, RedactStream};
pub use spend::{BudgetScope, BudgetUnit, OverBudget, Spend, Worst};
pub use statistics::{CountedName, Counts, Inspection, InspectionOutcome, Statistics};
pub use store::{Pruned, Store};
