//! Rules by what they answer, and what they propose for a check.
//!
//! In: rules with what is known of each, then the diagnostics of a check. Out: fixes, best first: how often
//! a rule was right where it proposed something (in practice and on the examples), how much of its example
//! it keeps, and whether the grammar accepts what it makes. The number of diagnostics, rules and fixes is bounded.

use super::RULE;
use super::context::{Case, keys};
use super::edit::RuleEdit;
use super::fit::edits;
use super::learn::learn;
use super::rank::{Weighed, by_weight};
use super::replay::{KnownFixes, Prepared, Replay};
use super::rule::{FixExample, FixRule, RuleKey};
use crate::heal::{Fix, FixOrigin, FixSource, Sources, TextChange};
use salve_types::{Diagnostic, Language, Severity};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

// How many diagnostics are answered, and how many examples a rule is replayed on.
const ANSWERED: usize = 3;
const REPLAYED: usize = 256;
// How many rules that propose something are replayed before they are ordered.
const PROPOSING: usize = 64;
// What a rule of each level and width of key is worth before anything is known of it.
const PRIORS: [[f64; 3]; 4] =
    [[0.6, 0.5, 0.4], [0.5, 0.4, 0.3], [0.35, 0.25, 0.2], [0.2, 0.12, 0.08]];
// How many observations a prior counts for.
const PRIOR_WEIGHT: f64 = 2.0;
// What the second and later places of a rule are worth against the one before, and later diagnostics.
const NEXT_PLACE: f64 = 0.5;
const NEXT_DIAGNOSTIC: f64 = 0.4;

/// A rule and what is known of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleRecord {
    /// The rule.
    pub rule: FixRule,
    /// Whether a person pinned it.
    pub pinned: bool,
    /// How many of its proposals a check accepted.
    pub wins: u32,
    /// How many it refused.
    pub losses: u32,
    /// From how many accepted fixes it was learned.
    pub support: u32,
    /// What it does on the examples of its key, those that it was learned from alone left out.
    pub replay: Replay,
}

impl RuleRecord {
    /// Returns a rule of which nothing else is known.
    pub fn new(rule: FixRule) -> Self {
        Self { rule, pinned: false, wins: 0, losses: 0, support: 1, replay: Replay::default() }
    }
}

/// Rules by their keys.
#[derive(Debug, Clone, Default)]
pub struct RuleIndex {
    records: Vec<RuleRecord>,
    by_key: HashMap<RuleKey, Vec<usize>>,
    priors: [[f64; 3]; 4],
}

impl RuleIndex {
    /// Takes rules.
    pub fn new(records: Vec<RuleRecord>) -> Self {
        let mut index = Self { records, by_key: HashMap::new(), priors: PRIORS };
        for (at, record) in index.records.iter().enumerate() {
            index.by_key.entry(record.rule.key.clone()).or_default().push(at);
        }
        index.priors = index.learned_priors();
        index
    }

    /// Learns from fixes, and replays every rule on the examples of its key.
    pub fn learned(examples: &[FixExample]) -> Self {
        let mut records: BTreeMap<String, RuleRecord> = BTreeMap::new();
        for rule in examples.iter().flat_map(learn) {
            records
                .entry(rule.id.clone())
                .and_modify(|known| known.support += 1)
                .or_insert_with(|| RuleRecord::new(rule));
        }
        let mut prepared: HashMap<RuleKey, Vec<Prepared<'_>>> = HashMap::new();
        for example in examples {
            let Some(diagnostic) = example.diagnostics.first() else { continue };
            for key in keys(diagnostic) {
                prepared.entry(key).or_default().extend(Prepared::of(example));
            }
        }
        let mut records: Vec<RuleRecord> = records.into_values().collect();
        for record in &mut records {
            let same_key = prepared.get(&record.rule.key).map_or(&[][..], Vec::as_slice);
            let mut all = Replay::default();
            for example in same_key.iter().take(REPLAYED) {
                let one = example.replay(&record.rule);
                all.fired += one.fired;
                all.right += one.right;
            }
            // What a rule does on the only example it is from says nothing.
            if record.support == 1 {
                all.fired = all.fired.saturating_sub(1);
                all.right = all.right.saturating_sub(1);
            }
            record.replay = all;
        }
        Self::new(records)
    }

    /// Replays the rules that propose something for what a check said on accepted fixes. The example that a rule
    /// is from says nothing of it: it is its first win.
    #[must_use]
    pub fn replayed(
        mut self,
        diagnostics: &[Diagnostic],
        sources: &dyn Sources,
        examples: &[FixExample],
    ) -> Self {
        let mut found = self.weighed(diagnostics, sources, &|_| (0, 0));
        found.sort_by(|one, other| other.weight.total_cmp(&one.weight));
        let mut proposing: Vec<&str> = Vec::new();
        for author in found.iter().filter_map(|one| one.fix.author.strip_prefix(RULE)) {
            if proposing.len() < PROPOSING && !proposing.contains(&author) {
                proposing.push(author);
            }
        }
        let known = KnownFixes::of(examples);
        for record in &mut self.records {
            if !proposing.contains(&record.rule.id.as_str()) {
                continue;
            }
            let mut all = known.replay(&record.rule);
            if all.right > 0 {
                all.fired -= 1;
                all.right -= 1;
            }
            record.replay = all;
        }
        self.priors = self.learned_priors();
        self
    }

    /// Returns every rule with what is known of it.
    pub fn records(&self) -> &[RuleRecord] {
        &self.records
    }

    /// Proposes fixes for what a check said, best first. `wins` tells how often a rule was accepted and
    /// refused since the index was made.
    pub fn candidates(
        &self,
        diagnostics: &[Diagnostic],
        sources: &dyn Sources,
        wins: &dyn Fn(&str) -> (u32, u32),
    ) -> Vec<Fix> {
        by_weight(self.weighed(diagnostics, sources, wins), sources)
    }

    /// The same with what each is worth, in no order.
    pub(super) fn weighed(
        &self,
        diagnostics: &[Diagnostic],
        sources: &dyn Sources,
        wins: &dyn Fn(&str) -> (u32, u32),
    ) -> Vec<Weighed> {
        let mut found = Vec::new();
        let mut worth = 1.0;
        for index in answered(diagnostics) {
            let diagnostic = &diagnostics[index];
            let Some(path) = diagnostic.primary().map(|span| span.path.as_str()) else { continue };
            let (Some(language), Some(source)) = (Language::from_path(path), sources.read(path))
            else {
                continue;
            };
            let Some(case) = Case::of(diagnostic, &source, language) else { continue };
            for key in keys(diagnostic) {
                for &at in self.by_key.get(&key).map_or(&[][..], Vec::as_slice) {
                    let record = &self.records[at];
                    if record.rule.language != language {
                        continue;
                    }
                    let mut weight = worth * self.weight(record, wins(&record.rule.id));
                    for edit in edits(&record.rule, &case) {
                        let fix = fix(record, path, edit, index);
                        let (pinned, priority) = (record.pinned, record.rule.priority);
                        found.push(Weighed { fix, weight, pinned, priority });
                        weight *= NEXT_PLACE;
                    }
                }
            }
            worth *= NEXT_DIAGNOSTIC;
        }
        found
    }

    // How probable it is that the first proposal of a rule is right.
    fn weight(&self, record: &RuleRecord, (wins, losses): (u32, u32)) -> f64 {
        let prior = self.priors[level(record)][width(&record.rule.key)];
        let right = f64::from(record.replay.right + record.wins + wins);
        let fired = f64::from(record.replay.fired + record.wins + record.losses + wins + losses);
        (right + PRIOR_WEIGHT * prior) / (fired + PRIOR_WEIGHT)
    }

    // What rules of a level are worth, where many of them tell.
    fn learned_priors(&self) -> [[f64; 3]; 4] {
        let mut sums = [[Replay::default(); 3]; 4];
        for record in &self.records {
            let sum = &mut sums[level(record)][width(&record.rule.key)];
            sum.fired = sum.fired.saturating_add(record.replay.fired);
            sum.right = sum.right.saturating_add(record.replay.right);
        }
        let mut priors = PRIORS;
        for (row, sums) in priors.iter_mut().zip(sums) {
            for (prior, sum) in row.iter_mut().zip(sums) {
                let weight = 10.0;
                *prior = (f64::from(sum.right) + weight * *prior) / (f64::from(sum.fired) + weight);
            }
        }
        priors
    }
}

fn level(record: &RuleRecord) -> usize {
    usize::from(record.rule.level).min(3)
}

// 0 for the narrow class, 1 for the wide one, 2 for any.
fn width(key: &RuleKey) -> usize {
    match key.class.as_bytes().first() {
        None => 2,
        Some(b'~') => 1,
        Some(_) => 0,
    }
}

// The diagnostics that are answered: the first errors at different places, else the first of all.
fn answered(diagnostics: &[Diagnostic]) -> Vec<usize> {
    let worst = diagnostics.iter().map(|one| one.severity).min().unwrap_or(Severity::Error);
    let is_worst = |at: &usize| diagnostics[*at].severity == worst;
    (0..diagnostics.len()).filter(is_worst).take(ANSWERED).collect()
}

fn fix(record: &RuleRecord, path: &str, edit: RuleEdit, answers: usize) -> Fix {
    let RuleEdit { span, replacement } = edit;
    Fix {
        source: if record.pinned { FixSource::PinnedRule } else { FixSource::Rule },
        author: format!("{RULE}{}", record.rule.id),
        description: record.rule.description.clone(),
        origin: FixOrigin::Derived,
        changes: vec![TextChange { path: path.to_owned(), span, replacement }],
        commands: Vec::new(),
        answers: vec![answers],
    }
}

#[cfg(test)]
mod tests;
