//! The ladder: resume, rework, retry, and an honest end.
//!
//! In: an answer, what was wanted, and how often may be asked again; then one reply at a time. Out:
//! the next thing to ask for, or the answer: whole, or as far as it came with the reason. The state
//! is a plain value that can be stored between any two calls; the same replies lead to the same
//! state. Never asks anyone: the caller does, and gives the reply to [`Ladder::take`].

use super::climb::Climb;
use super::completed::Completed;
use super::judge::judge;
use super::rungs::Rung;
use super::verdict::AnswerVerdict;
use super::{AlreadySent, AskError, Caps, Wanted};
use salve_model::{FollowUp, ModelReply, Purpose};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// An answer on its way to being whole.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Ladder {
    climb: Climb,
    stage: Stage,
}

/// What a ladder needs next.
#[must_use]
#[derive(Debug, Clone, PartialEq)]
pub enum LadderAction {
    /// A reply to this, on top of the first request.
    Ask(FollowUp),
    /// Nothing: this is the outcome of the answer.
    Done(Box<Completed>),
}

/// Where a ladder is between two calls.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) enum Stage {
    /// The reply to this is awaited, and will be taken for what the rung says.
    Asking { follow_up: FollowUp, rung: Rung },
    /// Nothing is awaited.
    Done(Box<Completed>),
}

impl Ladder {
    /// Judges an answer and decides what follows.
    pub fn new(
        first: ModelReply,
        wanted: impl Into<Arc<Wanted>>,
        caps: Caps,
        sent: AlreadySent,
    ) -> Self {
        let wanted = wanted.into();
        let verdict = judge(&first, &wanted);
        Self::judged(verdict, first, wanted, caps, sent)
    }

    /// As [`Ladder::new`], for an answer that was judged while it arrived.
    pub fn judged(
        verdict: AnswerVerdict,
        first: ModelReply,
        wanted: impl Into<Arc<Wanted>>,
        caps: Caps,
        sent: AlreadySent,
    ) -> Self {
        let mut climb = Climb::new(first, wanted.into(), caps, sent);
        let contradicted = sent.text > climb.answer.text.len();
        let next = if contradicted { climb.contradicted() } else { climb.decide(verdict) };
        let stage = climb.go_on(next);
        Self { climb, stage }
    }

    /// Returns what is needed next. It stays the same until a reply is taken.
    pub fn next(&self) -> LadderAction {
        match &self.stage {
            Stage::Asking { follow_up, .. } => LadderAction::Ask(follow_up.clone()),
            Stage::Done(completed) => LadderAction::Done(completed.clone()),
        }
    }

    /// Takes the reply to what was asked for, or the reason why there is none. A reply that broke
    /// off is a reply with `Disconnect`. What was not asked for is not looked at.
    pub fn take(&mut self, reply: Result<ModelReply, AskError>) {
        let Stage::Asking { follow_up, rung } = &self.stage else { return };
        let next = match reply {
            Ok(reply) => self.climb.taken(rung, reply),
            Err(error) => self.climb.unanswered(follow_up.purpose, rung, error),
        };
        self.stage = self.climb.go_on(next);
    }

    /// Returns the answer as far as it came; it may be shown, never used before the ladder is done.
    pub fn answer(&self) -> &ModelReply {
        match &self.stage {
            Stage::Asking { .. } => &self.climb.answer,
            Stage::Done(completed) => &completed.reply,
        }
    }

    /// Counts the calls of a rung that a reply or a failure was taken for.
    pub fn count(&self, purpose: Purpose) -> u32 {
        match &self.stage {
            Stage::Asking { .. } => self.climb.count(purpose),
            Stage::Done(completed) => completed.count(purpose),
        }
    }
}
