//! The loop itself: which step comes next, and what its result means.
//!
//! In: options, and the result of each step. Out: the next step, until it is [`Step::Done`]. Sources
//! are asked in order, the free ones first; progress is kept and the next candidate made on top of it,
//! everything else is dropped. Never does anything: files, tools, models and clocks are the driver's.
//! All of it can be written down after any step and read back.

mod compare;
mod ending;
mod options;
mod record;
mod results;
mod rungs;
mod step;

pub use compare::ErrorGroup;
pub use options::{HealOptions, Strictness, TierPlan};
pub use record::{Attempt, AttemptResult, Flag};
pub use step::{
    AskTier, Candidate, Catastrophe, CheckSummary, Confidence, Confirmation, EarlierTry, ErrorSeen,
    Step, StepResult, TrialResult,
};

use super::{FixCommand, FixSource, HaltReason, Outcome, Patch};
use salve_model::Role;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A heal between two steps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[must_use]
pub struct Loop {
    options: HealOptions,
    step: Step,
    /// Where it goes on when it was interrupted.
    paused_at: Option<Step>,
    /// What is to be said once the part that went green was confirmed.
    ending: Option<Outcome>,
    /// The tree as it is.
    baseline: CheckSummary,
    /// What the next candidate is made on.
    best: HealState,
    accepted: Option<Accepted>,
    /// Signatures that are not new.
    known: BTreeSet<String>,
    /// Hashes of the states that were tried.
    seen: BTreeSet<String>,
    /// The source that is asked next, by its place in the order.
    free_at: usize,
    free_rounds: u32,
    free_tries: u32,
    /// The wave of agents that is asked next, by its place in the order.
    #[serde(default)]
    wave_at: usize,
    /// How many waves were asked.
    #[serde(default)]
    consults: u32,
    rung: Rung,
    tier: usize,
    tier_attempts: u32,
    asked: u32,
    restarts: usize,
    tokens: u64,
    failures: u32,
    rolled_back: bool,
    tree_changes: u32,
    orphans: u32,
    file_changes: BTreeMap<String, u32>,
    new_errors: u32,
    /// What the last model said of its confidence, when that was too low.
    low: Option<f64>,
    answered: bool,
    provider_error: Option<String>,
    /// What is wrong, as the last check said it.
    last_error: String,
    attempts: Vec<Attempt>,
    /// What failed for these errors in earlier heals.
    #[serde(default)]
    failed_before: Vec<EarlierTry>,
    flags: Vec<Flag>,
}

/// A state of the files that candidates are made on.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct HealState {
    /// How it differs from the user's tree.
    pub patch: Patch,
    /// What has to run in it before the check.
    pub commands: Vec<FixCommand>,
    /// What its check said.
    pub check: CheckSummary,
    /// The candidate that led to it; nothing for the tree as it is.
    pub candidate: Option<Candidate>,
    /// Whether no error of it is new against the tree as it is.
    pub strict: bool,
}

/// What is to be applied.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Accepted {
    /// The change.
    pub candidate: Candidate,
    /// Which attempt it was.
    pub attempt: u32,
    /// Whether errors remain: only some of the groups went green.
    pub partial: bool,
    /// Whether it needs a person's word, because its model was not sure of it.
    pub proposal: bool,
    /// What still fails of the project's own build and tests: it did so before.
    pub still_failing: BTreeSet<String>,
}

/// Where the candidates at hand are from.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
struct Rung {
    role: Option<Role>,
    /// Whether agents made them, who are few: they are not counted as free tries.
    #[serde(default)]
    by_agents: bool,
    /// Tokens that no attempt carries yet.
    tokens: u64,
    /// Those that were not tried yet.
    queue: Vec<Candidate>,
    /// Those that pass the failing check, the smallest first.
    green: Vec<Tried>,
    /// Those that made progress.
    better: Vec<Tried>,
    /// Whether any failed.
    failed: bool,
    /// Whether a failure counts towards a catastrophic rollback.
    counts: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Tried {
    candidate: Candidate,
    check: CheckSummary,
    /// Its record, by position.
    attempt: usize,
}

/// The driver answered a step with a result of another one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a heal was given a result that does not belong to its step")]
pub struct WrongResult;

/// The free sources, in order.
const FREE: [FixSource; 6] = [
    FixSource::Fixer,
    FixSource::Proposal,
    FixSource::PinnedRule,
    FixSource::Pattern,
    FixSource::Rule,
    FixSource::Memory,
];

impl Loop {
    /// Starts a heal.
    pub fn new(options: HealOptions) -> Self {
        Self {
            options,
            step: Step::Check,
            paused_at: None,
            ending: None,
            baseline: CheckSummary::default(),
            best: HealState::default(),
            accepted: None,
            known: BTreeSet::new(),
            seen: BTreeSet::new(),
            free_at: 0,
            free_rounds: 0,
            free_tries: 0,
            wave_at: 0,
            consults: 0,
            rung: Rung::default(),
            tier: 0,
            tier_attempts: 0,
            asked: 0,
            restarts: 0,
            tokens: 0,
            failures: 0,
            rolled_back: false,
            tree_changes: 0,
            orphans: 0,
            file_changes: BTreeMap::new(),
            new_errors: 0,
            low: None,
            answered: false,
            provider_error: None,
            last_error: String::new(),
            attempts: Vec::new(),
            failed_before: Vec::new(),
            flags: Vec::new(),
        }
    }

    /// Returns what is to be done next. Asking again gives the same.
    pub fn next(&self) -> Step {
        self.step.clone()
    }

    /// Notes fixes that failed for these errors in earlier heals: they are told to models and not tried
    /// again. Each is the hash of a candidate, and what it did.
    pub fn note_failed_before(&mut self, failed: impl IntoIterator<Item = (String, EarlierTry)>) {
        for (hash, earlier) in failed {
            if self.options.do_not_try.insert(hash) {
                self.failed_before.push(earlier);
            }
        }
    }

    /// Takes the result of the step.
    ///
    /// # Errors
    /// When it is not one of that step; nothing changed then.
    pub fn take(&mut self, result: StepResult) -> Result<(), WrongResult> {
        match (self.step.clone(), result) {
            // Found out when what was accepted is to be written.
            (Step::Done(_), StepResult::TreeChanged) if self.accepted.is_some() => {
                self.tree_changed();
            }
            (Step::Done(_), _) => return Err(WrongResult),
            (_, StepResult::Interrupted(reason)) => self.interrupted(reason),
            (_, StepResult::TreeChanged) => self.tree_changed(),
            (Step::Check, StepResult::Checked(check)) => self.checked(check),
            (Step::Propose(_) | Step::Consult(_), StepResult::Proposed(candidates)) => {
                self.proposed(candidates);
            }
            (Step::Try(candidates), StepResult::Tried(results))
                if candidates.len() == results.len() =>
            {
                self.tried(candidates, results);
            }
            (Step::Ask(ask), StepResult::Answered { candidates, unusable, tokens }) => {
                self.model_answered(&ask, candidates, unusable, tokens);
            }
            (Step::Ask(_), StepResult::NoAnswer { message, tokens }) => {
                self.no_answer(message, tokens);
            }
            (Step::Confirm(candidate), StepResult::Confirmed(confirmation)) => {
                self.confirmed(*candidate, &confirmation);
            }
            (Step::RollBack(_), StepResult::RolledBack { .. }) => self.rolled_back(),
            _ => return Err(WrongResult),
        }
        Ok(())
    }

    /// Goes on after an interruption, with more tokens where they were used up. Does nothing unless it
    /// is interrupted.
    pub fn resume(&mut self, more_tokens: u64) {
        if !matches!(self.step, Step::Done(Outcome::Paused { .. })) {
            return;
        }
        self.options.tokens = self.options.tokens.saturating_add(more_tokens);
        self.orphans = 0;
        self.tree_changes = 0;
        match self.paused_at.take() {
            Some(step) => self.step = step,
            None => self.advance(),
        }
    }

    /// Returns its options.
    pub const fn options(&self) -> &HealOptions {
        &self.options
    }

    /// Returns the check of the tree as it is.
    pub const fn baseline(&self) -> &CheckSummary {
        &self.baseline
    }

    /// Returns the state that the next candidate is made on.
    pub const fn best(&self) -> &HealState {
        &self.best
    }

    /// Returns what is to be applied, once it is over.
    pub const fn accepted(&self) -> Option<&Accepted> {
        self.accepted.as_ref()
    }

    /// Returns every attempt so far.
    pub fn attempts(&self) -> &[Attempt] {
        &self.attempts
    }

    /// Returns what a person should look at.
    pub fn flags(&self) -> &[Flag] {
        &self.flags
    }

    /// Returns how often a model was asked.
    pub const fn model_calls(&self) -> u32 {
        self.asked
    }

    /// Returns the tokens that models took.
    pub const fn tokens(&self) -> u64 {
        self.tokens
    }

    /// Returns how often each file was changed by a candidate.
    pub const fn file_changes(&self) -> &BTreeMap<String, u32> {
        &self.file_changes
    }

    fn interrupted(&mut self, reason: HaltReason) {
        if reason.is_pause() {
            self.paused_at = Some(self.step.clone());
            self.step = Step::Done(Outcome::Paused { reason });
        } else {
            self.halt(reason);
        }
    }
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
