//! What can go wrong: with a step, a flow, a job, the ledger, or the jobs as a whole.
//!
//! In: what happened. Out: errors that are kept in histories and shown to people. Never holds the
//! engine's own error types.

use salve_types::{BadName, CallKey, FlowName, JobError, JobId};
use serde::{Deserialize, Serialize};
use std::error::Error;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

/// Why a step did not give a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "why", rename_all = "snake_case")]
#[non_exhaustive]
pub enum StepError {
    /// It may work another time.
    #[error("{message}")]
    Retryable {
        /// What happened.
        message: String,
        /// Not before this long, if someone said so.
        after: Option<Duration>,
    },
    /// It will never work.
    #[error("{message}")]
    Fatal {
        /// What happened.
        message: String,
    },
    /// The call does not fit a budget, and was not made.
    #[error("{message}")]
    OverBudget {
        /// What is left, and what it would take.
        message: String,
    },
    /// A paid call was begun by a process that is gone: a person decides.
    #[error("the outcome of the paid call {key} is unknown; see `salve jobs resolve`")]
    InDoubt {
        /// The call.
        key: CallKey,
    },
    /// The job was cancelled.
    #[error("cancelled")]
    Cancelled,
    /// Its worker died each time it was tried.
    #[error("its worker died {attempts} times")]
    Poison {
        /// How often it was tried.
        attempts: u32,
    },
}

impl StepError {
    /// Makes an error that another attempt may not have.
    pub fn retryable(message: impl Into<String>) -> Self {
        Self::Retryable { message: message.into(), after: None }
    }

    /// Makes an error that every attempt will have.
    pub fn fatal(message: impl Into<String>) -> Self {
        Self::Fatal { message: message.into() }
    }
}

/// Why a flow ended without a result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FlowError {
    /// Something failed.
    #[error("{message}")]
    Failed {
        /// What happened.
        message: String,
    },
    /// A call of it, or of a child, did not fit a budget.
    #[error("{message}")]
    OverBudget {
        /// What is left, and what it would take.
        message: String,
    },
}

impl FlowError {
    /// Makes an error.
    pub fn new(message: impl Into<String>) -> Self {
        Self::Failed { message: message.into() }
    }

    /// Says more than the error itself does, of the same kind.
    #[must_use]
    pub fn said(self, message: String) -> Self {
        match self {
            Self::Failed { .. } => Self::Failed { message },
            Self::OverBudget { .. } => Self::OverBudget { message },
        }
    }
}

impl From<StepError> for FlowError {
    fn from(error: StepError) -> Self {
        match error {
            StepError::OverBudget { message } => Self::OverBudget { message },
            error => Self::new(error.to_string()),
        }
    }
}

impl From<JobError> for FlowError {
    fn from(error: JobError) -> Self {
        match error {
            JobError::OverBudget { message } => Self::OverBudget { message },
            error => Self::new(error.to_string()),
        }
    }
}

impl From<FlowError> for JobError {
    fn from(error: FlowError) -> Self {
        match error {
            FlowError::Failed { message } => Self::Flow { message },
            FlowError::OverBudget { message } => Self::OverBudget { message },
        }
    }
}

/// Why the ledger could not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerError {
    /// Its database cannot be reached now.
    #[error("the ledger cannot be reached")]
    Unreachable(#[source] Cause),
    /// It does not allow this.
    #[error("{0}")]
    Refused(String),
}

/// Why jobs could not be started, read or changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JobsError {
    /// The name is taken by a job with another flow or input.
    #[error("job {id} exists with another flow or input: choose another id, or leave it out")]
    Conflict {
        /// The job.
        id: JobId,
    },
    /// There is no such job.
    #[error("there is no job {id}: see `salve jobs list`")]
    NoSuchJob {
        /// The job.
        id: JobId,
    },
    /// There is no such call.
    #[error("there is no call {key} in doubt: see `salve jobs list --in-doubt`")]
    NoSuchCall {
        /// The call.
        key: CallKey,
    },
    /// There is no such flow here.
    #[error("there is no flow {flow} here; there is {known}")]
    NoSuchFlow {
        /// The flow.
        flow: FlowName,
        /// Those there are.
        known: String,
    },
    /// More was passed than a history should hold.
    #[error(
        "{what} has {bytes} bytes, the most is {most}: keep the text in the store and pass its id"
    )]
    TooLarge {
        /// What was passed.
        what: &'static str,
        /// How much it is.
        bytes: usize,
        /// How much it may be.
        most: usize,
    },
    /// A name cannot be used.
    #[error(transparent)]
    BadName(#[from] BadName),
    /// The ledger refused.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// What was asked for is not in this build.
    #[error("{0}")]
    Unsupported(String),
    /// A database could not be read or written.
    #[error("could not {doing}")]
    Database {
        /// What was being done.
        doing: &'static str,
        /// What it said.
        #[source]
        source: Cause,
    },
}

impl JobsError {
    /// Says that a database did not do what was asked of it.
    pub fn database(doing: &'static str, error: impl Into<Cause>) -> Self {
        Self::Database { doing, source: error.into() }
    }
}

/// What another crate said, with its own causes. It can be cloned, and is equal to what reads the
/// same.
#[derive(Debug, Clone)]
pub struct Cause(Arc<dyn Error + Send + Sync>);

impl Cause {
    /// Takes the words of an error whose type stays where it is.
    pub fn words(words: impl Into<String>) -> Self {
        let error: Box<dyn Error + Send + Sync> = words.into().into();
        Self(Arc::from(error))
    }
}

impl<E: Error + Send + Sync + 'static> From<E> for Cause {
    fn from(error: E) -> Self {
        Self(Arc::new(error))
    }
}

impl Deref for Cause {
    type Target = dyn Error + Send + Sync + 'static;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl PartialEq for Cause {
    fn eq(&self, other: &Self) -> bool {
        with_causes(&*self.0) == with_causes(&*other.0)
    }
}

impl Eq for Cause {}

/// Returns what an error says, with every cause after it, for where only text can be kept.
pub(crate) fn with_causes(error: &dyn Error) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        words = format!("{words}: {error}");
        cause = error.source();
    }
    words
}
