//! Why a plan cannot be made or run.
//!
//! In: errors of what it is made of. Out: one of these. Never an outcome: what a plan came to is its report.

use crate::heal::RepairError;
use crate::plan::{DocumentError, GraphError};
use salve_jobs::{BadName, JobError, JobsError};
use salve_store::StoreError;

/// Why a plan cannot be made or run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OrchestratorError {
    /// There is none of this name.
    #[error("there is no plan `{0}`")]
    NoSuchPlan(String),
    /// It has no such task.
    #[error("plan `{plan}` has no sub-task `{task}`")]
    NoSuchTask {
        /// The plan.
        plan: String,
        /// The task.
        task: String,
    },
    /// It cannot be edited any more.
    #[error("plan `{0}` has begun and cannot be edited any more")]
    HasBegun(String),
    /// The model gave no plan.
    #[error("there is no plan: {0}")]
    NoPlan(String),
    /// A call did not fit a budget.
    #[error("there is no plan: {0}")]
    OverBudget(String),
    /// It was cancelled.
    #[error("cancelled: {0}")]
    Cancelled(String),
    /// Its job could not end.
    #[error(transparent)]
    Failed(JobError),
    /// Its job is in a state in which it says nothing.
    #[error("the plan is {0}")]
    Stopped(&'static str),
    /// A document is no plan.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// Its tasks are no graph.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The workspace cannot be worked on.
    #[error(transparent)]
    Repair(#[from] RepairError),
    /// The store refused.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The jobs cannot be reached.
    #[error(transparent)]
    Jobs(#[from] JobsError),
    /// A name cannot be one.
    #[error(transparent)]
    Name(#[from] BadName),
    /// A value cannot be read or written.
    #[error("a plan cannot be read")]
    Json(#[from] serde_json::Error),
}
