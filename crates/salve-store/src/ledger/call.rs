//! A call to a model, as the ledger knows it.
//!
//! In: what is about to be asked, and later the outcome. Out: plain data for the callers and for
//! export. Never holds a prompt: its hash is enough to know it again.

use super::spend::OverBudget;
use crate::{AnswerStat, KeyId};
use salve_types::{CallOutcome, Spend, Timestamp, Usage, WorstCase};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;

/// The number of a call; it is never used twice.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Default,
)]
#[serde(transparent)]
pub struct CallId(pub i64);

impl fmt::Display for CallId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

/// A call that is about to be made.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewCall {
    /// Why: `first`, `resume`, `rework`, `retry`, or a step's own word.
    pub purpose: String,
    /// The wire's dialect.
    pub dialect: String,
    /// Who is asked.
    pub provider: String,
    /// The provider's name of the model.
    pub model: String,
    /// The gateway key whose budget it counts in.
    pub key_id: Option<KeyId>,
    /// The session whose budget it counts in.
    pub session: Option<String>,
    /// The call whose answer it continues or corrects.
    pub parent: Option<CallId>,
    /// The most it can take.
    pub worst: WorstCase,
    /// The hash of the prompt.
    pub prompt_hash: Option<String>,
}

/// The outcome of a reservation.
#[must_use]
#[derive(Debug)]
#[non_exhaustive]
pub enum Reservation {
    /// This call was not made yet: make it, and settle it.
    Fresh(crate::OpenCall),
    /// It was made before; this is the outcome.
    Done(Box<CallDetail>),
    /// It was begun, and it is unknown how it ended: it may have been paid.
    InDoubt {
        /// Its number.
        id: CallId,
        /// What had arrived and was safe.
        partial: String,
        /// When it was reserved.
        since: Timestamp,
        /// By whom.
        worker: String,
        /// Whether that worker is still seen. It may yet settle.
        alive: bool,
    },
    /// A person decided that it is not to be made.
    Refused(String),
    /// It would not fit; nothing was reserved.
    OverBudget(OverBudget),
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Settled {
    /// The outcome.
    pub outcome: CallOutcome,
    /// What the provider counted; without it, it is estimated from what arrived.
    pub usage: Option<Usage>,
    /// What it cost in millionths of a dollar; without it, in proportion to the worst case.
    pub micro_dollars: Option<u64>,
    /// Why the provider said it ended.
    pub finish: Option<String>,
    /// The HTTP status.
    pub status: Option<u16>,
    /// Why it failed.
    pub error: Option<String>,
    /// What was made of what arrived. It is kept as the result if the outcome is whole or healed,
    /// and as partial otherwise: there is no way to keep half a text as a result.
    pub text: Option<String>,
    /// How the answer was judged, for the statistics.
    pub stat: Option<AnswerStat>,
    /// Anything else worth keeping, such as how often it was asked again.
    pub note: Option<Value>,
}

impl Settled {
    /// Says that the call failed before anything was used.
    pub fn failed(status: Option<u16>, error: impl Into<String>) -> Self {
        Self {
            outcome: CallOutcome::Failed,
            usage: Some(Usage::default()),
            micro_dollars: Some(0),
            status,
            error: Some(error.into()),
            ..Self::default()
        }
    }
}

/// What is decided about a call whose end is unknown.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Resolution {
    /// It never reached the provider: all of its budget goes back.
    NeverMade,
    /// It counts as what it can have taken at most.
    CountWorst,
    /// It took this much.
    Took(Spend),
    /// It is made again by the caller that asks for it next. It may be paid twice, so it counts as
    /// the most it can have taken until its owner says what it took.
    Retry,
    /// This is its result. It counts as with [`Retry`](Self::Retry).
    UseResult(String),
    /// It is not made again; a caller that asks gets the reason. It counts as with
    /// [`Retry`](Self::Retry).
    Fail(String),
}

/// The state of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CallState {
    /// A process that is alive is at it.
    Open,
    /// It was begun by a process that is not seen any more. It may have been paid.
    Unknown,
    /// It has ended.
    Settled,
}

impl CallState {
    /// Returns the word of it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Unknown => "unknown",
            Self::Settled => "settled",
        }
    }
}

/// A row of the ledger.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Call {
    /// Its number.
    pub id: CallId,
    /// By what it is known again.
    pub key: Option<String>,
    /// Its state.
    pub state: CallState,
    /// Who made it.
    pub worker: String,
    /// Raised each time it changes hands, from 1.
    #[serde(skip_serializing_if = "is_first")]
    pub epoch: u32,
    /// When it was reserved, by its present owner.
    pub reserved_at: Timestamp,
    /// When it was settled.
    pub settled_at: Option<Timestamp>,
    /// Why it was made.
    pub purpose: String,
    /// The wire's dialect.
    pub dialect: String,
    /// Who was asked.
    pub provider: String,
    /// The model.
    pub model: String,
    /// The gateway key.
    pub key_id: Option<KeyId>,
    /// The session.
    pub session: Option<String>,
    /// The call it continues or corrects.
    pub parent: Option<CallId>,
    /// The hash of its prompt.
    pub prompt_hash: Option<String>,
    /// The most it could take.
    pub worst: Spend,
    /// The outcome.
    pub outcome: Option<CallOutcome>,
    /// What it took.
    pub usage: Option<Usage>,
    /// What it cost in millionths of a dollar.
    pub micro_dollars: Option<u64>,
    /// Whether what it took is an estimate.
    pub estimated: bool,
    /// How many bytes arrived.
    pub raw_bytes: Option<u64>,
    /// Why the provider said it ended.
    pub finish: Option<String>,
    /// The HTTP status.
    pub status: Option<u16>,
    /// Why it failed.
    pub error: Option<String>,
    /// How it was judged to be cut.
    pub kind: Option<String>,
    /// The language of the answer.
    pub language: Option<String>,
    /// A person said that it was not cut.
    pub false_alarm: bool,
    /// What else was kept.
    pub note: Option<Value>,
    /// What a person decided about it: `retry`, `result` or `fail`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided: Option<String>,
}

/// The three texts of a call.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct CallTexts {
    /// What arrived, without secrets.
    pub raw: String,
    /// The best that was made of it, when that is not whole.
    pub partial: Option<String>,
    /// The whole, valid text.
    pub result: Option<String>,
}

/// A call with its texts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CallDetail {
    /// The row.
    #[serde(flatten)]
    pub call: Call,
    /// Its texts.
    pub texts: CallTexts,
    /// Tries at it that were taken from their owner, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tries: Vec<CallTry>,
}

/// A try at a call that was taken from its owner.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CallTry {
    /// Which try it was, from 1.
    pub epoch: u32,
    /// Who made it.
    pub worker: String,
    /// When it was reserved.
    pub reserved_at: Timestamp,
    /// What it counts for in budgets.
    pub counted: Spend,
    /// What had arrived; the whole answer once it is late.
    pub text: String,
    /// How it ended, once its owner said so.
    pub late: Option<LateEnd>,
}

impl CallTry {
    /// Returns the try as a call of its own.
    pub fn as_call(&self, of: &Call) -> Call {
        let late = self.late.as_ref();
        Call {
            state: if late.is_some() { CallState::Settled } else { CallState::Unknown },
            worker: self.worker.clone(),
            epoch: self.epoch,
            reserved_at: self.reserved_at,
            settled_at: late.map(|late| late.at),
            worst: self.counted,
            outcome: late.and_then(|late| late.outcome),
            usage: late.map(|late| late.usage),
            micro_dollars: Some(late.map_or(self.counted.micro_dollars, |late| late.micro_dollars)),
            estimated: late.is_none(),
            raw_bytes: Some(self.text.len() as u64),
            finish: None,
            status: None,
            error: None,
            kind: None,
            language: None,
            false_alarm: false,
            note: late.and_then(|late| late.note.clone()),
            decided: None,
            ..of.clone()
        }
    }
}

/// How a try ended whose owner came late.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LateEnd {
    /// When its owner said so.
    pub at: Timestamp,
    /// The outcome.
    pub outcome: Option<CallOutcome>,
    /// What it took.
    pub usage: Usage,
    /// What it cost in millionths of a dollar.
    pub micro_dollars: u64,
    /// What else was kept.
    pub note: Option<Value>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_first(epoch: &u32) -> bool {
    *epoch == 1
}

/// Which calls are wanted, newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallFilter {
    /// In this state only.
    pub state: Option<CallState>,
    /// Of this model only.
    pub model: Option<String>,
    /// Of this gateway key only.
    pub key_id: Option<KeyId>,
    /// Of this session only.
    pub session: Option<String>,
    /// Reserved at this moment or later.
    pub since: Option<Timestamp>,
    /// Older than this call.
    pub before: Option<CallId>,
    /// At most this many.
    pub limit: u32,
}

impl CallFilter {
    /// Returns whether a call is wanted.
    pub(super) fn fits(&self, call: &Call) -> bool {
        self.state.is_none_or(|state| state == call.state)
            && self.model.as_ref().is_none_or(|model| *model == call.model)
            && self.key_id.is_none_or(|key| Some(key) == call.key_id)
            && self.session.as_ref().is_none_or(|session| Some(session) == call.session.as_ref())
            && self.since.is_none_or(|since| call.reserved_at >= since)
            && self.before.is_none_or(|before| call.id < before)
    }
}

impl Default for CallFilter {
    fn default() -> Self {
        Self {
            state: None,
            model: None,
            key_id: None,
            session: None,
            since: None,
            before: None,
            limit: 50,
        }
    }
}
