//! How a heal ends, and what that does to the counters that outlive it.
//!
//! In: what was tried. Out: an outcome, and where only some groups went green and that is wanted, one
//! more confirmation before it. Never a success without a passing check.

use super::{CheckSummary, Flag, Loop, Step};
use crate::heal::breakers::{Breaker, BreakerChanges, BreakerState};
use crate::heal::{HaltReason, Outcome};

impl Loop {
    /// Ends with what is known once every model was asked.
    pub(super) fn spent(&mut self) {
        let compiler_error = self.last_error.clone();
        let outcome = match (self.low, self.provider_error.clone()) {
            (Some(confidence), _) => Outcome::RejectedLowConfidence { confidence, compiler_error },
            (None, Some(message)) if !self.answered => {
                Outcome::ProviderError { message, compiler_error }
            }
            _ => Outcome::Exhausted { attempts: self.tries(), compiler_error },
        };
        self.finish(outcome);
    }

    /// Ends, but first has the part that went green confirmed where that is to be kept.
    pub(super) fn finish(&mut self, outcome: Outcome) {
        let kept = self
            .best
            .candidate
            .clone()
            .filter(|_| self.options.partial && self.best.strict && self.groups_healed() > 0);
        self.step = match kept {
            Some(candidate) => {
                self.ending = Some(outcome);
                Step::Confirm(Box::new(candidate))
            }
            None => Step::Done(outcome),
        };
    }

    fn groups_healed(&self) -> usize {
        let key = |check: &CheckSummary| {
            let groups = check.groups().into_iter();
            groups.map(|group| (group.exact, group.path)).collect::<Vec<_>>()
        };
        let left = key(&self.best.check);
        key(&self.baseline).iter().filter(|group| !left.contains(group)).count()
    }

    pub(super) fn halt(&mut self, reason: HaltReason) {
        let compiler_error = self.last_error.clone();
        let outcome = Outcome::Halted { reason, compiler_error };
        if reason == HaltReason::Systemic {
            return self.finish(outcome);
        }
        self.step = Step::Done(outcome);
    }

    /// Interrupts it between two steps.
    pub(super) fn pause(&mut self, reason: HaltReason) {
        self.paused_at = None;
        self.step = Step::Done(Outcome::Paused { reason });
    }

    /// Tells whether heals of one of the errors ended unhealed too often.
    pub(super) fn is_systemic(&self) -> bool {
        self.same_error() >= self.options.breakers.same_error
    }

    // This sighting included.
    fn same_error(&self) -> u32 {
        let errors = self.best.check.errors.iter();
        let counts = errors.filter_map(|error| self.options.unhealed.get(&error.exact));
        counts.max().map_or(0, |count| count.saturating_add(1))
    }

    /// Returns what the durable counters are to become, once it is over.
    pub fn breaker_changes(&self) -> BreakerChanges {
        let Step::Done(outcome) = &self.step else { return BreakerChanges::default() };
        let before = self.baseline.signatures();
        if let Some(accepted) = &self.accepted {
            let left = if accepted.partial { self.best.check.signatures() } else { [].into() };
            return BreakerChanges {
                healed: before.difference(&left).cloned().collect(),
                unhealed: if counts_as_unhealed(outcome) { left } else { [].into() },
            };
        }
        if counts_as_unhealed(outcome) {
            return BreakerChanges { unhealed: before, ..BreakerChanges::default() };
        }
        BreakerChanges::default()
    }

    /// Returns the breakers as they are now.
    pub fn breakers(&self) -> Vec<BreakerState> {
        let limits = self.options.breakers;
        let most = self.file_changes.values().copied().max().unwrap_or_default();
        let flagged = self.flags.iter().any(|flag| matches!(flag, Flag::NewErrors { .. }));
        let paused = |reason| self.step == Step::Done(Outcome::Paused { reason });
        let same = self.same_error();
        Breaker::ALL
            .into_iter()
            .map(|breaker| {
                let (count, limit, tripped) = match breaker {
                    Breaker::SameError => {
                        (u64::from(same), u64::from(limits.same_error), same >= limits.same_error)
                    }
                    Breaker::Tokens => {
                        (self.tokens, self.options.tokens, paused(HaltReason::Tokens))
                    }
                    Breaker::FileChanges => (
                        u64::from(most),
                        u64::from(limits.file_changes),
                        most > limits.file_changes,
                    ),
                    Breaker::NewErrors => (u64::from(self.new_errors), 1, flagged),
                    Breaker::Orphans => (
                        u64::from(self.orphans),
                        u64::from(limits.orphans),
                        self.orphans >= limits.orphans,
                    ),
                };
                BreakerState { breaker, count, limit, tripped }
            })
            .collect()
    }
}

// What says nothing of the error (no model, nothing pinned, nobody answered) is no failed heal of it.
const fn counts_as_unhealed(outcome: &Outcome) -> bool {
    matches!(
        outcome,
        Outcome::Exhausted { .. }
            | Outcome::RejectedLowConfidence { .. }
            | Outcome::Halted { reason: HaltReason::Systemic | HaltReason::TimeLimit, .. }
    )
}
