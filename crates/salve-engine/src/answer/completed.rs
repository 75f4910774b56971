//! What the ladder gives back.
//!
//! In: nothing but the names. Out: the reply, whether it is whole, every step that was taken and
//! what it took. Never calls an answer whole that the bytes do not prove or the model did not end.

use super::verdict::WrongFinish;
use salve_model::{ModelReply, Purpose};
use salve_text::RefusalReason;
use salve_types::{Language, Signal, TruncationKind, Usage};
use serde::{Deserialize, Serialize};

/// An answer after the ladder.
#[must_use]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Completed {
    /// The answer: whole, or as far as it came. Tool calls that are not whole are not in it.
    pub reply: ModelReply,
    /// Whether it is whole.
    pub state: Completion,
    /// What was asked again, in order.
    pub steps: Vec<LadderStep>,
    /// The sum over all pieces; `None` when no provider counted.
    pub usage: Option<Usage>,
    /// The text of each piece as it came, the first included. Empty when nothing was asked again:
    /// then the caller's own reply is the raw text.
    pub raw: Vec<String>,
    /// The caller's own limit and the tokens the answer took, where that is more.
    pub continued_past_limit: Option<(u64, u64)>,
    /// The finish reason the provider gave, where the bytes prove another.
    pub wrong_finish: Option<WrongFinish>,
    /// The note that was last sent about a wrong answer.
    pub note: Option<String>,
    /// Every cut that was found, for statistics.
    pub truncations: Vec<Truncation>,
    /// Whether the reply differs from the one that came.
    pub changed: bool,
}

/// Whether an answer is whole.
#[must_use]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Completion {
    /// It is.
    Whole,
    /// It passes as it came, on purpose.
    Passed(PassedBecause),
    /// It is not, and nothing more can be done.
    Incomplete {
        /// The reason as a code.
        code: IncompleteCode,
        /// The reason in words.
        why: String,
    },
}

/// Why an answer passes as it came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PassedBecause {
    /// Plain text that ends at the caller's own limit.
    OwnLimit,
    /// A filter or a refusal.
    Refused,
}

/// Why an answer is not whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum IncompleteCode {
    /// It was cut, and its continuations did not complete it.
    StillCut,
    /// It is wrong, and its corrections are wrong too.
    StillWrong,
    /// Reasoning took the whole output, twice.
    ThinkingOnly,
    /// The caller's own limit, with all that may be added to it, was reached.
    LimitReached,
    /// The next call does not fit the budget.
    OverBudget,
    /// The model failed twice in a row.
    AskerFailed,
    /// What is wrong was already passed on.
    AlreadySent,
}

impl IncompleteCode {
    /// Returns the code as it is on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::StillCut => "still_cut",
            Self::StillWrong => "still_wrong",
            Self::ThinkingOnly => "thinking_only",
            Self::LimitReached => "limit_reached",
            Self::OverBudget => "over_budget",
            Self::AskerFailed => "asker_failed",
            Self::AlreadySent => "already_sent",
        }
    }
}

/// One call on the ladder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LadderStep {
    /// Which rung.
    pub purpose: Purpose,
    /// The outcome.
    pub outcome: StepOutcome,
    /// What it took, if the provider counted.
    pub usage: Option<Usage>,
}

/// The outcome of one call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum StepOutcome {
    /// The continuation was joined.
    Joined,
    /// The reply took the place of the one before, or of a part of it.
    Replaced,
    /// The continuation could not be joined.
    Refused(RefusalReason),
    /// The reply was of no use.
    Useless,
    /// There was no reply.
    Failed(String),
    /// The call was not made: it does not fit the budget.
    OverBudget(String),
}

/// A cut that was found, for statistics.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Truncation {
    /// How it was cut.
    pub kind: TruncationKind,
    /// The model that answered, if it is known.
    pub model: Option<String>,
    /// What was cut.
    pub language: Language,
    /// The outcome.
    pub outcome: TruncationOutcome,
}

/// The outcome of a cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TruncationOutcome {
    /// The answer is whole in the end.
    Healed,
    /// It is not.
    Incomplete,
    /// The model had nothing to add: it was no cut.
    FalseAlarm,
}

impl Completed {
    /// Returns the text that may be used: only of a whole answer.
    pub fn result(&self) -> Option<&str> {
        (self.state == Completion::Whole).then_some(self.reply.text.as_str())
    }

    /// Returns the text of an answer that is not whole; it may be shown.
    pub fn partial(&self) -> Option<&str> {
        (self.state != Completion::Whole).then_some(self.reply.text.as_str())
    }

    /// Returns whether it is whole, or passes as it came on purpose.
    pub fn is_good(&self) -> bool {
        !matches!(self.state, Completion::Incomplete { .. })
    }

    /// Counts the calls of one rung.
    pub fn count(&self, purpose: Purpose) -> u32 {
        count_of(&self.steps, purpose)
    }

    /// Returns the signal for a caller that runs this as a piece of work.
    pub fn signal(&self) -> Signal {
        if self.is_good() { Signal::Success } else { Signal::FailDefault }
    }
}

/// Counts the calls of one rung.
pub(super) fn count_of(steps: &[LadderStep], purpose: Purpose) -> u32 {
    let count = steps.iter().filter(|step| step.purpose == purpose).count();
    u32::try_from(count).unwrap_or(u32::MAX)
}
