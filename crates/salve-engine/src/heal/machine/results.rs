//! What the result of a step means.
//!
//! In: what the driver found out. Out: records, the best state so far, and the next step. Never takes a
//! candidate that was not checked, nor one that breaks something that worked.

use super::compare::{Comparison, compare};
use super::{
    Accepted, AskTier, Attempt, AttemptResult, Candidate, CheckSummary, Confidence, Confirmation,
    Flag, HealState, Loop, Rung, Step, Strictness, TrialResult, Tried,
};
use crate::heal::{FixSource, HaltReason, Outcome};

impl Loop {
    pub(super) fn checked(&mut self, check: CheckSummary) {
        self.orphans += check.orphans;
        self.baseline = check;
        self.reset_best();
        if self.baseline.green {
            self.step = Step::Done(Outcome::FirstTrySuccess);
            return;
        }
        self.last_error.clone_from(&self.baseline.text);
        self.advance();
    }

    pub(super) fn proposed(&mut self, mut candidates: Vec<Candidate>) {
        if self.options.strictness == Strictness::Production {
            candidates.retain(|one| one.pinned || one.source == FixSource::PinnedRule);
        }
        candidates.sort_by_key(|candidate| candidate.round);
        self.rung.queue = candidates;
        self.next_candidates();
    }

    pub(super) fn tried(&mut self, candidates: Vec<Candidate>, results: Vec<TrialResult>) {
        let mut better = Vec::new();
        for (mut candidate, result) in candidates.into_iter().zip(results) {
            let check = match result {
                TrialResult::Checked(check) => check,
                TrialResult::Grown { check, written } => {
                    candidate.patch.files.extend(written.files);
                    self.seen.insert(candidate.hash());
                    check
                }
                TrialResult::NeedsApproval(commands) => {
                    self.failed(&candidate, AttemptResult::NeedsApproval(commands), None);
                    continue;
                }
                TrialResult::Refused(refusal) => {
                    self.failed(&candidate, AttemptResult::Refused(refusal), None);
                    continue;
                }
                TrialResult::NotTried(why) => {
                    self.failed(&candidate, AttemptResult::NotTried(why), None);
                    continue;
                }
            };
            self.orphans += check.orphans;
            let changed = self.changed_files(&candidate);
            self.count_changes(&changed);
            if check.green {
                let attempt = self.record(&candidate, AttemptResult::Helped, Some(&check));
                self.rung.green.push(Tried { candidate, check, attempt });
                continue;
            }
            self.last_error.clone_from(&check.text);
            let changed: Vec<&str> = changed.iter().map(String::as_str).collect();
            match compare(&self.best.check, &check, &self.known, &changed) {
                Comparison::Progress => {
                    let attempt = self.record(&candidate, AttemptResult::Helped, Some(&check));
                    better.push(Tried { candidate, check, attempt });
                }
                Comparison::Uncovered => {
                    let attempt = self.record(&candidate, AttemptResult::Helped, Some(&check));
                    self.rung.better.push(Tried { candidate, check, attempt });
                }
                Comparison::NoProgress => {
                    self.failed(&candidate, AttemptResult::NoProgress, Some(&check));
                }
                Comparison::NewErrors(new) => {
                    self.new_errors += 1;
                    let result = AttemptResult::NewErrors(new.clone());
                    let attempt = self.failed(&candidate, result, Some(&check));
                    self.flags.push(Flag::NewErrors { attempt, errors: new });
                }
            }
        }
        self.rung.green.sort_by_key(|tried| tried.candidate.changed_lines);
        better.sort_by_key(|tried| (tried.check.weight(), tried.candidate.changed_lines));
        if self.rung.green.is_empty() {
            return self.keep(better);
        }
        // Should none of those that pass be confirmed, these are still progress.
        self.rung.better.extend(better);
        self.confirm_next();
    }

    fn keep(&mut self, better: Vec<Tried>) {
        if better.is_empty() { self.next_candidates() } else { self.roll_forward(better) }
    }

    fn confirm_next(&mut self) {
        match self.rung.green.first() {
            Some(tried) => self.step = Step::Confirm(Box::new(tried.candidate.clone())),
            None => self.next_candidates(),
        }
    }

    /// Keeps the first of these, and has the next candidates made on top of it.
    pub(super) fn roll_forward(&mut self, better: Vec<Tried>) {
        let Some(Tried { candidate, check, attempt }) = better.into_iter().next() else { return };
        self.attempts[attempt].result = AttemptResult::Progress;
        let groups = self.best.check.groups().len();
        let strict = check.errors.iter().all(|error| self.known.contains(&error.exact));
        self.known.extend(check.signatures());
        self.best = HealState {
            patch: candidate.patch.clone(),
            commands: candidate.commands.clone(),
            strict: self.best.strict && strict,
            candidate: Some(candidate),
            check,
        };
        self.failures = 0;
        let by_model = self.rung.role.is_some();
        self.rung = Rung::default();
        // A group that a model healed is done: the next one starts with the cheapest again.
        let fewer = self.best.check.groups().len() < groups;
        if by_model && fewer && self.restarts < self.baseline.groups().len() {
            self.restarts += 1;
            self.tier = 0;
            self.tier_attempts = 0;
        }
        self.restart_free();
        self.advance();
    }

    pub(super) fn model_answered(
        &mut self,
        ask: &AskTier,
        candidates: Vec<Candidate>,
        unusable: Option<String>,
        tokens: u64,
    ) {
        self.begin_answer(ask, tokens);
        self.answered = true;
        if candidates.is_empty() {
            let why = unusable.unwrap_or_else(|| "it is empty".to_owned());
            self.record_empty(ask, AttemptResult::NoFix(why));
            self.failures += 1;
            return self.advance();
        }
        let mut lowest_veto = None;
        for candidate in candidates {
            match self.doubt(&candidate.confidence) {
                None => self.rung.queue.push(candidate),
                Some(doubt) => {
                    if let AttemptResult::LowConfidence(number) = doubt {
                        lowest_veto = Some(number);
                    }
                    self.record(&candidate, doubt, None);
                }
            }
        }
        if !self.rung.queue.is_empty() {
            return self.next_candidates();
        }
        if lowest_veto.is_some() {
            self.next_rung();
        } else {
            self.failures += 1;
        }
        self.low = lowest_veto;
        self.advance();
    }

    pub(super) fn no_answer(&mut self, message: String, tokens: u64) {
        self.tokens = self.tokens.saturating_add(tokens);
        self.asked += 1;
        self.provider_error = Some(message);
        self.next_rung();
        self.advance();
    }

    fn begin_answer(&mut self, ask: &AskTier, tokens: u64) {
        self.tokens = self.tokens.saturating_add(tokens);
        self.asked += 1;
        self.tier_attempts += 1;
        self.low = None;
        self.rung = Rung { role: Some(ask.role), tokens, counts: true, ..Rung::default() };
    }

    // What a model says of itself is a veto, never a recommendation.
    fn doubt(&self, confidence: &Confidence) -> Option<AttemptResult> {
        match confidence {
            Confidence::Unstated => None,
            Confidence::Unusable(said) => Some(AttemptResult::UnusableConfidence(said.clone())),
            Confidence::Stated(number) if self.is_sure(*number) => None,
            Confidence::Stated(_) if self.options.strictness == Strictness::Sketch => None,
            Confidence::Stated(number) => Some(AttemptResult::LowConfidence(*number)),
        }
    }

    fn is_sure(&self, number: f64) -> bool {
        number >= self.options.confidence
    }

    pub(super) fn confirmed(&mut self, candidate: Candidate, confirmation: &Confirmation) {
        for name in &confirmation.flaky {
            let flag = Flag::Flaky { name: name.clone() };
            if !self.flags.contains(&flag) {
                self.flags.push(flag);
            }
        }
        let names: Vec<String> = confirmation.newly_failing().cloned().collect();
        if let Some(ending) = self.ending.take() {
            if names.is_empty() {
                self.accept(candidate, self.best_attempt(), confirmation, true);
            }
            self.step = Step::Done(ending);
            return;
        }
        let at = self.rung.green.remove(0).attempt;
        if names.is_empty() {
            self.attempts[at].result = AttemptResult::Healed;
            self.accept(candidate, self.attempts[at].number, confirmation, false);
            let attempts = self.tries();
            self.step = Step::Done(Outcome::Repaired { attempts, rule_added: false });
            return;
        }
        self.last_error = format!("now fails: {}", names.join(", "));
        self.attempts[at].result = AttemptResult::BreaksOthers(names.clone());
        self.flags.push(Flag::BreaksOthers { attempt: self.attempts[at].number, names });
        self.rung.failed = true;
        self.confirm_next();
    }

    fn accept(
        &mut self,
        candidate: Candidate,
        attempt: u32,
        confirmation: &Confirmation,
        partial: bool,
    ) {
        let unsure =
            matches!(candidate.confidence, Confidence::Stated(number) if !self.is_sure(number));
        self.accepted = Some(Accepted {
            partial,
            proposal: unsure && candidate.source == FixSource::Model,
            still_failing: confirmation.after.clone(),
            candidate,
            attempt,
        });
    }

    fn best_attempt(&self) -> u32 {
        let progress = |attempt: &&Attempt| attempt.result == AttemptResult::Progress;
        self.attempts.iter().rev().find(progress).map_or(0, |attempt| attempt.number)
    }

    pub(super) fn rolled_back(&mut self) {
        self.rolled_back = true;
        self.failures = 0;
        self.reset_best();
        self.advance();
    }

    pub(super) fn tree_changed(&mut self) {
        self.tree_changes += 1;
        self.accepted = None;
        if self.tree_changes > self.options.tree_changes {
            return self.halt(HaltReason::TreeChanges);
        }
        // A whole text of before is no fix of what is there now, and what failed then may hold now.
        self.rung = Rung::default();
        self.ending = None;
        self.seen.clear();
        self.best = HealState::default();
        self.restart_free();
        self.step = Step::Check;
    }

    fn failed(
        &mut self,
        candidate: &Candidate,
        result: AttemptResult,
        check: Option<&CheckSummary>,
    ) -> u32 {
        self.rung.failed = true;
        let at = self.record(candidate, result, check);
        self.attempts[at].number
    }

    /// Writes down an attempt and returns its position.
    pub(super) fn record(
        &mut self,
        candidate: &Candidate,
        result: AttemptResult,
        check: Option<&CheckSummary>,
    ) -> usize {
        let left = |check: &CheckSummary| u32::try_from(check.weight()).unwrap_or(u32::MAX);
        self.attempts.push(Attempt {
            number: self.tries() + 1,
            source: candidate.source,
            role: self.rung.role,
            author: candidate.author.clone(),
            description: candidate.description.clone(),
            hash: candidate.hash(),
            confidence: candidate.confidence.clone(),
            result,
            errors_left: check.map(left),
            tokens: std::mem::take(&mut self.rung.tokens),
            milliseconds: 0,
        });
        self.attempts.len() - 1
    }

    fn record_empty(&mut self, ask: &AskTier, result: AttemptResult) {
        self.attempts.push(Attempt {
            number: self.tries() + 1,
            source: FixSource::Model,
            role: Some(ask.role),
            author: ask.role.name().to_owned(),
            description: String::new(),
            hash: String::new(),
            confidence: Confidence::Unstated,
            result,
            errors_left: None,
            tokens: std::mem::take(&mut self.rung.tokens),
            milliseconds: 0,
        });
    }

    /// Notes a proposal in which there is no fix, and why.
    pub fn note_unusable(&mut self, source: FixSource, author: &str, why: String) {
        self.attempts.push(Attempt {
            number: self.tries() + 1,
            source,
            role: None,
            author: author.to_owned(),
            description: String::new(),
            hash: String::new(),
            confidence: Confidence::Unstated,
            result: AttemptResult::NoFix(why),
            errors_left: None,
            tokens: 0,
            milliseconds: 0,
        });
    }

    /// Notes how long attempts took in milliseconds, from this one on.
    pub fn note_durations(&mut self, from: usize, milliseconds: &[u64]) {
        let attempts = self.attempts.iter_mut().skip(from);
        attempts.zip(milliseconds).for_each(|(attempt, time)| attempt.milliseconds += time);
    }

    /// Returns how many attempts there were.
    pub(super) fn tries(&self) -> u32 {
        u32::try_from(self.attempts.len()).unwrap_or(u32::MAX)
    }

    // Against the state it was made on.
    fn changed_files(&self, candidate: &Candidate) -> Vec<String> {
        let (before, after) = (&self.best.patch.files, &candidate.patch.files);
        let changed = after.iter().filter(|(path, text)| before.get(*path) != Some(*text));
        changed.map(|(path, _)| path.clone()).collect()
    }

    fn count_changes(&mut self, changed: &[String]) {
        for path in changed {
            let count = self.file_changes.entry(path.clone()).or_default();
            *count += 1;
            if *count == self.options.breakers.file_changes + 1 {
                self.flags.push(Flag::ManyChanges { path: path.clone() });
            }
        }
    }
}
