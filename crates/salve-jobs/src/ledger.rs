//! What makes a step paid once: the ledger, as steps see it.
//!
//! In: a call that is about to be paid. Out: leave to make it, or the outcome it had before. Never
//! two results for one key: the caller that comes late is written down as late, and not used.

use crate::{CallKey, Fut, InDoubtStep, JobFilter, Json, LedgerError, StepError};
use salve_types::{Timestamp, Usage, WorstCase};
use serde::{Deserialize, Serialize};

/// Where every paid call is written down before it is made.
pub trait CallLedger: Send + Sync {
    /// Asks for leave to make a call.
    fn reserve<'a>(
        &'a self,
        key: &'a CallKey,
        call: &'a StepCall,
    ) -> Fut<'a, Result<Reserve, LedgerError>>;

    /// Takes a call in doubt away from the process that began it, if that is not seen any more:
    /// from now on what the other one settles is late.
    fn take_over<'a>(
        &'a self,
        key: &'a CallKey,
        call: &'a StepCall,
    ) -> Fut<'a, Result<Reserve, LedgerError>>;

    /// Keeps bytes of the answer as they arrive. `epoch` is from the reservation.
    fn append<'a>(
        &'a self,
        key: &'a CallKey,
        epoch: u32,
        text: &'a str,
    ) -> Fut<'a, Result<(), LedgerError>>;

    /// Ends a call.
    fn settle<'a>(
        &'a self,
        key: &'a CallKey,
        epoch: u32,
        result: CallResult,
    ) -> Fut<'a, Result<Settlement, LedgerError>>;

    /// Returns the calls whose end is unknown.
    fn in_doubt<'a>(
        &'a self,
        filter: &'a JobFilter,
    ) -> Fut<'a, Result<Vec<InDoubtStep>, LedgerError>>;

    /// Decides about a call in doubt; false when there is none under this key.
    fn resolve<'a>(
        &'a self,
        key: &'a CallKey,
        decision: Decision,
    ) -> Fut<'a, Result<bool, LedgerError>>;
}

/// A call that a step is about to make.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StepCall {
    /// Why, in a word.
    pub purpose: String,
    /// Who is asked.
    pub provider: String,
    /// Which model.
    pub model: String,
    /// The session whose budget it counts in.
    pub session: Option<String>,
    /// The most it can take.
    pub worst: WorstCase,
}

/// The outcome of asking.
#[must_use]
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Reserve {
    /// Make the call, and settle it under this epoch.
    Fresh {
        /// Raised each time the call changes hands.
        epoch: u32,
        /// What had arrived for the process that had it before.
        partial: String,
    },
    /// It was made; this is the outcome.
    Done(CallResult),
    /// It was begun by another process, and it is unknown how it ended: it may have been paid.
    InDoubt {
        /// What had arrived.
        partial: String,
        /// When it was begun.
        since: Timestamp,
        /// By whom.
        worker: String,
        /// Whether that worker is still seen. It may yet settle.
        alive: bool,
    },
    /// A person decided that it is not to be made.
    Refused(String),
    /// It would not fit in a budget.
    OverBudget(String),
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct CallResult {
    /// Whether there was an answer at all.
    pub answered: bool,
    /// Its text, whole or not.
    pub text: String,
    /// What the provider counted.
    pub usage: Option<Usage>,
    /// What it cost in millionths of a dollar, if known.
    pub micro_dollars: Option<u64>,
    /// What else the step needs to go on from it, such as why it ended.
    pub note: Json,
}

// Where a note says why there is no answer.
const STEP_ERROR: &str = "step_error";

impl CallResult {
    /// Makes the result of a call without an answer, which is kept like an answer so that the same
    /// attempt has the same end each time it is done.
    pub fn failed(error: &StepError) -> Self {
        Self { note: serde_json::json!({ STEP_ERROR: error }), ..Self::default() }
    }

    /// Returns why there is no answer.
    pub fn failure(&self) -> Option<StepError> {
        let error = self.note.get(STEP_ERROR).filter(|_| !self.answered)?;
        let read = serde_json::from_value(error.clone());
        Some(read.unwrap_or_else(|_| StepError::fatal(format!("the call failed: {error}"))))
    }
}

/// The outcome of a settlement.
#[must_use]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settlement {
    /// It is the result.
    Counted,
    /// Another process had taken the call over: it was written down, and is not used.
    Late,
    /// It is safe on this machine, and the shared ledger will have it when it can be reached.
    Spooled,
}

/// What is decided about a call in doubt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Make it again; it may be paid twice.
    Retry,
    /// This is its result.
    UseResult(String),
    /// The step fails.
    Fail,
}

/// What a step does about a call in doubt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DoubtPolicy {
    /// Makes it again.
    Retry,
    /// Asks a person.
    Ask,
    /// Fails.
    Fail,
    /// Asks a person above this price in millionths of a dollar, and makes it again below.
    AskAbove(u64),
}

impl Default for DoubtPolicy {
    /// Ten cents.
    fn default() -> Self {
        Self::AskAbove(100_000)
    }
}
