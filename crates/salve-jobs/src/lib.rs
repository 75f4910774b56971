//! Durable jobs: work that survives a crash and is paid for once.
//!
//! In: flows (deterministic, replayed) and steps (anything, at least once). Out: jobs that end, with
//! a state and an event for everything that happened. Never lets a type of the engine through: it
//! could be another one tomorrow.

mod attempt;
mod context;
mod engine;
mod error;
mod event;
mod index;
mod jobs;
mod join;
mod ledger;
#[cfg(any(test, feature = "testing"))]
mod memory;
mod names;
mod paid;
mod runner;
mod spool;
mod state;

pub use context::{FlowCtx, Retry, StepCtx};
#[cfg(feature = "provider-test")]
pub use engine::provider_under_test;
pub use engine::{ENGINE_SCHEMA, EngineJobs, EngineStorage, StorageError, Stored, TurnNews};
pub use error::{Cause, FlowError, JobsError, LedgerError, StepError};
pub use event::{EventId, Happened, JobEvent};
pub use index::{JobIndex, JobUpdate};
pub use jobs::{InDoubtStep, JobTree, Jobs, StartOptions, Started};
pub use join::{join, join_limited, race};
pub use ledger::{CallLedger, CallResult, Decision, DoubtPolicy, Reserve, Settlement, StepCall};
#[cfg(any(test, feature = "testing"))]
pub use memory::{MemoryJobIndex, MemoryLedger};
pub use names::{fresh_job_id, step_key};
pub use paid::{PaidCall, paid_once};
pub use runner::{Flow, Flows, JobRunner, RunningRunner, Step, Steps, WorkerOptions};
pub use spool::{SpoolError, SpooledLedger};
pub use state::JobSnapshot;

pub use salve_types::{
    BadName, CallKey, FlowName, JobError, JobFilter, JobId, JobRow, JobState, Needs, NewJob, Page,
    Registered, Stage, StepName,
};

/// A boxed future, because these traits are used as objects.
pub type Fut<'a, T> = std::pin::Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What flows and steps take and give.
pub type Json = serde_json::Value;
