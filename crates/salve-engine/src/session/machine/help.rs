//! Help of other models: a plan before, an answer written again, a result in the caller's shape after.
//!
//! In: what was asked for already. Out: whether it is asked for now. Each helper is asked once for one thing, and
//! a turn goes on without any of them; only a shape that the caller wants can fail it. Never beyond the budget.

use super::{
    AnswerFacts, AttentionCode, DrawWish, HelpWhy, TurnEnding, TurnMachine, TurnOptions, TurnStep,
};
use serde::{Deserialize, Serialize};

/// What was asked for already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Helped {
    /// The number of the last answer that was to be written again.
    cleaned: u32,
    /// Whether the result was asked for by itself.
    shape_asked: bool,
    /// Whether the result has the shape.
    shaped: bool,
}

/// Returns the first step of a turn.
pub(super) const fn first_step(options: &TurnOptions) -> TurnStep {
    match options.draw {
        DrawWish::Unsure => TurnStep::Intent,
        DrawWish::Direct => TurnStep::Draw,
        DrawWish::Prompted => TurnStep::Help(HelpWhy::Prompts),
        DrawWish::No if options.plan => TurnStep::Help(HelpWhy::Plan),
        DrawWish::No => TurnStep::Plan,
    }
}

/// Returns the step in which the help is used.
pub(super) const fn after(why: HelpWhy) -> TurnStep {
    match why {
        HelpWhy::Plan => TurnStep::Plan,
        HelpWhy::Clean => TurnStep::Read,
        HelpWhy::Shape => TurnStep::Shape,
        HelpWhy::Prompts => TurnStep::Draw,
    }
}

impl TurnMachine {
    /// Returns whether an answer with these facts is written again before anything is made of it. One that was cut
    /// has lost something that no model can bring back.
    pub fn is_to_be_cleaned(&self, facts: AnswerFacts) -> bool {
        let is_new = self.help.cleaned < self.asked;
        let is_wanted = self.options.clean && self.whole && facts.unformed;
        is_wanted && is_new && self.has_budget()
    }

    pub(super) const fn clean(&mut self) -> TurnStep {
        self.help.cleaned = self.asked;
        TurnStep::Help(HelpWhy::Clean)
    }

    /// Puts the result into the caller's shape before a turn is called completed.
    pub(super) fn shaped_first(&self, next: TurnStep) -> TurnStep {
        let is_owed = self.options.shape && !self.help.shaped;
        match next {
            // Images have no shape; a caller that wants one is never given images.
            TurnStep::Done(TurnEnding::Completed) if is_owed && self.draws() => next,
            TurnStep::Done(TurnEnding::Completed) if is_owed => TurnStep::Shape,
            next => next,
        }
    }

    pub(super) fn was_shaped(&mut self, fits: bool) -> TurnStep {
        if fits {
            self.help.shaped = true;
            return TurnStep::Done(TurnEnding::Completed);
        }
        if self.help.shape_asked {
            return TurnStep::Done(TurnEnding::NeedsAttention(AttentionCode::Misshapen));
        }
        let ask = TurnStep::Help(HelpWhy::Shape);
        if !self.has_budget() {
            self.paused_at = Some(TurnStep::Shape);
            return TurnStep::Done(TurnEnding::OverBudget);
        }
        self.help.shape_asked = true;
        ask
    }

    fn has_budget(&self) -> bool {
        let left = self.left();
        left.tokens != Some(0) && left.micro_dollars != Some(0)
    }
}
