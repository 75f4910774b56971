//! Durable jobs: work that survives a crash and is paid for once.
//!
//! In: flows (deterministic, replayed) and steps (anything, at least once). Out: jobs that end, with
//! a state and an event for everything that happened. Never lets a type of the engine through: it
//! could be another one tomorrow.

mod attempt;
mod book;
mod context;
mod engine;
mod error;
mod event;
mod jobs;
mod join;
mod ledger;
mod memory;
mod names;
mod paid;
mod runner;
mod spool;
mod state;

pub use book::{JobBook, JobRow, NewJob, Registered, Report};
pub use context::{FlowCtx, Retry, StepCtx};
pub use engine::{ENGINE_SCHEMA, EngineJobs};
pub use error::{FlowError, JobError, JobsError, LedgerError, StepError};
pub use event::{EventId, Happened, JobEvent};
pub use jobs::{InDoubtStep, JobFilter, JobTree, Jobs, Page, StartOptions, Started};
pub use join::{join, join_limited, race};
pub use ledger::{CallLedger, CallResult, Decision, DoubtPolicy, Reserve, Settlement, StepCall};
pub use memory::{MemoryBook, MemoryJobs, MemoryLedger};
pub use names::{BadName, CallKey, FlowName, JobId, StepName};
pub use paid::{PaidCall, paid_once};
pub use runner::{Flow, Flows, JobRunner, Needs, RunnerOptions, RunningRunner, Step, Steps};
pub use spool::{SpoolError, SpooledLedger};
pub use state::{JobSnapshot, JobState, Stage};

/// A boxed future, because these traits are used as objects.
pub type Fut<'a, T> = std::pin::Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What flows and steps take and give.
pub type Json = serde_json::Value;
