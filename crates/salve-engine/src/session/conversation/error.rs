//! Why a conversation cannot go on.
//!
//! In: errors of the parts. Out: one type, with a variant for each thing that a face does differently. Never the
//! end of a turn that ended by itself: that is its report.

use crate::heal::RepairError;
use crate::session::SaveError;
use salve_jobs::{BadName, JobError, JobId, JobsError};
use salve_store::StoreError;

/// Why a turn could not be run to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConversationError {
    /// Another process works on the workspace.
    #[error(transparent)]
    Workspace(#[from] RepairError),
    /// What is remembered cannot be reached.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The jobs cannot be reached.
    #[error(transparent)]
    Jobs(#[from] JobsError),
    /// A name is none.
    #[error(transparent)]
    Name(#[from] BadName),
    /// A value cannot be written or read.
    #[error(transparent)]
    Value(#[from] serde_json::Error),
    /// The job of the turn could not end; its session says so.
    #[error("{0}")]
    Failed(JobError),
    /// The turn was cancelled.
    #[error("cancelled: {0}")]
    Cancelled(String),
    /// The job of the turn is not there any more.
    #[error("job {0} is gone")]
    Gone(JobId),
    /// The job of the turn stopped where a turn does not stop.
    #[error("the turn is {0}")]
    Stopped(&'static str),
    /// The session has no such image.
    #[error("the session has no image {0}")]
    NoSuchImage(String),
    /// Images cannot be saved.
    #[error(transparent)]
    Save(#[from] SaveError),
    /// More turns wait than are taken.
    #[error("{0} turns wait already; try again when some are over")]
    Full(usize),
    /// The process is about to end.
    #[error("the server is stopping")]
    Stopping,
}
