//! Which source comes next.
//!
//! In: what was asked and used so far. Out: the next step. Free sources in their order, again from the
//! first after each progress; then the registered agents, specialists before the others; then the tiers
//! of models, each attempt with its tokens held before it is asked. Never past a limit.

use super::record::AttemptResult;
use super::step::state_hash;
use super::{AskTier, Catastrophe, EarlierTry, FREE, Loop, Rung, Step, Strictness};
use crate::heal::{AgentWave, FixSource, HaltReason, Outcome};

/// This many earlier failures are told to a model, the newest.
const EARLIER: usize = 20;

impl Loop {
    /// Chooses the next step when no candidate is left.
    pub(super) fn advance(&mut self) {
        if self.orphans >= self.options.breakers.orphans {
            return self.pause(HaltReason::Orphans);
        }
        if self.failures >= self.options.catastrophic_after && !self.rolled_back {
            self.step = Step::RollBack(Catastrophe {
                failures: self.failures,
                patch: self.best.patch.clone(),
                compiler_error: self.last_error.clone(),
            });
            return;
        }
        match self.next_source() {
            Some(source) => {
                self.rung = Rung { counts: source != FixSource::Fixer, ..Rung::default() };
                self.step = Step::Propose(source);
            }
            None => match self.next_wave() {
                Some(wave) => {
                    self.rung = Rung { counts: true, by_agents: true, ..Rung::default() };
                    self.step = Step::Consult(wave);
                }
                None => self.ask(),
            },
        }
    }

    // Takes the next wave of agents, as often as they may be asked.
    fn next_wave(&mut self) -> Option<AgentWave> {
        let wave = AgentWave::ALL.get(self.wave_at).copied()?;
        if self.consults >= self.options.consults || !self.may_act(FixSource::Proposal) {
            return None;
        }
        self.wave_at += 1;
        self.consults += 1;
        Some(wave)
    }

    // Takes the next free source that may act.
    fn next_source(&mut self) -> Option<FixSource> {
        if self.free_tries >= self.options.free_tries {
            return None;
        }
        while let Some(source) = FREE.get(self.free_at) {
            self.free_at += 1;
            if self.may_act(*source) {
                return Some(*source);
            }
        }
        None
    }

    fn may_act(&self, source: FixSource) -> bool {
        let pinned_only = self.options.strictness == Strictness::Production;
        match source {
            FixSource::Fixer => self.options.fixers && !pinned_only,
            FixSource::Proposal | FixSource::Model => !pinned_only,
            FixSource::PinnedRule | FixSource::Pattern | FixSource::Rule | FixSource::Memory => {
                true
            }
        }
    }

    /// Asks the free sources again, from the first, as often as allowed.
    pub(super) fn restart_free(&mut self) {
        if self.free_rounds + 1 < self.options.free_rounds {
            self.free_rounds += 1;
            self.free_at = 0;
            self.wave_at = 0;
        }
    }

    // The ladder of models.
    fn ask(&mut self) {
        if self.options.tiers.is_empty() {
            let compiler_error = self.last_error.clone();
            return self.finish(Outcome::NoProvider { compiler_error });
        }
        if !self.may_act(FixSource::Model) {
            let compiler_error = self.last_error.clone();
            return self.finish(Outcome::ProductionBlocked { compiler_error });
        }
        if self.is_systemic() {
            return self.halt(HaltReason::Systemic);
        }
        let Some(tier) = self.next_tier() else { return self.spent() };
        if self.tokens.saturating_add(tier.tokens) > self.options.tokens {
            return self.pause(HaltReason::Tokens);
        }
        self.step = Step::Ask(AskTier {
            role: tier.role,
            strategy: tier.strategy,
            tokens: tier.tokens,
            number: self.asked + 1,
            groups: self.best.check.groups(),
            earlier: self.earlier(),
        });
    }

    fn next_tier(&mut self) -> Option<super::TierPlan> {
        while let Some(tier) = self.options.tiers.get(self.tier) {
            if self.tier_attempts < tier.attempts {
                return Some(*tier);
            }
            self.next_rung();
        }
        None
    }

    /// Leaves the tier.
    pub(super) fn next_rung(&mut self) {
        self.tier += 1;
        self.tier_attempts = 0;
    }

    fn earlier(&self) -> Vec<EarlierTry> {
        let failed = self.attempts.iter().filter(|attempt| !attempt.result.helped());
        let told = failed.map(|attempt| EarlierTry {
            description: attempt.description.clone(),
            failed: attempt.result.in_words(),
        });
        let mut earlier: Vec<EarlierTry> = self.failed_before.iter().cloned().chain(told).collect();
        earlier.drain(..earlier.len().saturating_sub(EARLIER));
        earlier
    }

    /// Takes the next candidates of the rung to be tried, or leaves it.
    pub(super) fn next_candidates(&mut self) {
        let mut chosen = Vec::new();
        while chosen.len() < self.options.parallel.max(1) {
            let is_free = self.rung.role.is_none() && !self.rung.by_agents;
            let round = chosen.first().map(|first: &super::Candidate| first.round);
            match self.rung.queue.first() {
                Some(next) if round.is_none_or(|round| next.round == round) => {}
                _ => break,
            }
            if is_free && self.free_tries >= self.options.free_tries {
                self.rung.queue.clear();
                break;
            }
            let candidate = self.rung.queue.remove(0);
            self.free_tries += u32::from(is_free);
            let hash = candidate.hash();
            if self.options.do_not_try.contains(&hash) || !self.seen.insert(hash) {
                self.record(&candidate, AttemptResult::Repeated, None);
                self.rung.failed = true;
                continue;
            }
            chosen.push(candidate);
        }
        if chosen.is_empty() {
            return self.leave_rung();
        }
        self.step = Step::Try(chosen);
    }

    // What the tools could only report thanks to a candidate counts when nothing better was found.
    fn leave_rung(&mut self) {
        let mut better = std::mem::take(&mut self.rung.better);
        better.sort_by_key(|tried| (tried.check.weight(), tried.candidate.changed_lines));
        if !better.is_empty() {
            return self.roll_forward(better);
        }
        if self.rung.failed && self.rung.counts {
            self.failures += 1;
        }
        self.advance();
    }

    /// Forgets what was made on another state.
    pub(super) fn reset_best(&mut self) {
        self.best = super::HealState {
            check: self.baseline.clone(),
            strict: true,
            ..super::HealState::default()
        };
        self.known = self.baseline.signatures();
        self.seen.insert(state_hash(&self.best.patch, &[]));
    }
}
