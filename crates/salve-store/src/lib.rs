//! What Salve remembers: calls, events, statistics, keys and budgets, in one database.
//!
//! In: values; every text passes the redactor it was opened with. Out: rows, in order, after they
//! are safe. Never holds a secret, never loses a row it acknowledged.

mod audit;
mod backup;
mod call;
mod clean;
mod commit;
mod doubt;
mod error;
mod files;
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
mod store;
mod tables;
#[cfg(test)]
mod testing;
mod writer;

pub use call::{
    Call, CallDetail, CallFilter, CallId, CallState, CallTexts, CallTry, LateEnd, NewCall,
    Reservation, Resolution, Settled,
};
pub use doubt::{DoubtFilter, DoubtfulCall};
pub use error::{DatabaseError, StoreError};
pub use open_call::{OpenCall, Receipt};
pub use options::{Budgets, Durability, Retention, StoreOptions};
#[cfg(feature = "fleet")]
pub use postgres::PostgresOptions;
pub use read::Spending;
pub use redact::{Redact, RedactStream};
pub use spend::{BudgetScope, OverBudget};
pub use store::{Pruned, Store};
pub use tables::events::{Event, NewEvent, Subscription};
pub use tables::gateway_keys::{GatewayKey, KEY_PREFIX, KeyId, MadeKey, NewKey};
pub use tables::jobs::JobReport;
pub use tables::statistics::{CountedName, Counts, Inspection, InspectionOutcome, Statistics};

pub use salve_types::{
    BudgetUnit, CallKey, CallOutcome, JobFilter, JobId, JobRow, JobState, NewJob, Page, Registered,
    Spend, SpendLimit, WorstCase,
};
