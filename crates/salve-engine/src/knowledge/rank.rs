//! Which proposals are tried first, those of rules and of fixers together.
//!
//! In: proposals of rules with what they are worth, and those of the free fixers. Out: one list without
//! doubles, best first. What a fixer is worth is learned like what a rule is worth: by how often its first,
//! second, … proposal for a class of error was the accepted fix. Never drops a proposal of a fixer.

use super::RULE;
use super::context::rule_classes;
use super::index::RuleIndex;
use super::replay::{Prepared, Replay};
use super::rule::FixExample;
use crate::heal::{Fix, Patch, Sources};
use salve_syntax::check_syntax;
use salve_types::{Diagnostic, Language};
use std::collections::{BTreeMap, HashMap};

// The most fixes of a list, and the most texts that a grammar is asked about.
const LISTED: usize = 24;
const ASKED: usize = 32;
// What a proposal of a fixer is worth before anything is known: its first, second, …
const FIRST: [f64; 4] = [0.3, 0.15, 0.08, 0.04];
const PRIOR_WEIGHT: f64 = 3.0;

/// A fix and how probable it is that it is the right one.
#[derive(Debug, Clone)]
pub(super) struct Weighed {
    pub(super) fix: Fix,
    pub(super) weight: f64,
    pub(super) pinned: bool,
}

/// How often the proposals of one fixer were right.
pub type FixerRecord = Replay;

/// What is known of the free fixers.
#[derive(Debug, Clone, Default)]
pub struct Ranking {
    fixers: HashMap<(String, String, usize), FixerRecord>,
}

impl Ranking {
    /// Learns from an accepted fix and what the fixers had proposed for the broken text.
    pub fn learn(&mut self, example: &FixExample, proposed: &[Fix]) {
        let Some(prepared) = Prepared::of(example) else { return };
        let sources = OneFile { path: &example.path, text: &example.before };
        let mut counts = Orders::default();
        for fix in proposed {
            let order = counts.next(&fix.author);
            let Some(diagnostic) = answered(fix, &example.diagnostics) else { continue };
            let made = made(fix, &sources);
            let right = made.is_some_and(|(_, text)| prepared.is_fixed(&text));
            for class in rule_classes(diagnostic) {
                let key = (fix.author.clone(), class, order);
                let record = self.fixers.entry(key).or_default();
                record.fired += 1;
                record.right += u32::from(right);
            }
        }
    }

    /// Puts the proposals of rules and fixers into one list, best first.
    pub fn order(
        &self,
        index: &RuleIndex,
        fixers: Vec<Fix>,
        diagnostics: &[Diagnostic],
        sources: &dyn Sources,
    ) -> Vec<Fix> {
        let mut all = index.weighed(diagnostics, sources, &|_| (0, 0));
        let mut counts = Orders::default();
        for fix in fixers {
            let order = counts.next(&fix.author);
            let weight = answered(&fix, diagnostics)
                .map_or(0.0, |diagnostic| self.weight(&fix.author, diagnostic, order));
            all.push(Weighed { fix, weight, pinned: false });
        }
        by_weight(all, sources)
    }

    // From the widest class to the narrowest, each counting as far as it has been seen.
    fn weight(&self, author: &str, diagnostic: &Diagnostic, order: usize) -> f64 {
        let mut weight = FIRST[order.min(FIRST.len() - 1)];
        for class in rule_classes(diagnostic).into_iter().rev() {
            let key = (author.to_owned(), class, order);
            let known = self.fixers.get(&key).copied().unwrap_or_default();
            weight = (f64::from(known.right) + PRIOR_WEIGHT * weight)
                / (f64::from(known.fired) + PRIOR_WEIGHT);
        }
        weight
    }
}

#[derive(Default)]
struct Orders(HashMap<String, usize>);

impl Orders {
    fn next(&mut self, author: &str) -> usize {
        let count = self.0.entry(author.to_owned()).or_default();
        *count += 1;
        (*count - 1).min(FIRST.len() - 1)
    }
}

fn answered<'a>(fix: &Fix, diagnostics: &'a [Diagnostic]) -> Option<&'a Diagnostic> {
    fix.answers.first().and_then(|&at| diagnostics.get(at))
}

struct OneFile<'a> {
    path: &'a str,
    text: &'a str,
}

impl Sources for OneFile<'_> {
    fn read(&self, path: &str) -> Option<String> {
        (path == self.path).then(|| self.text.to_owned())
    }

    fn list(&self) -> Vec<String> {
        vec![self.path.to_owned()]
    }
}

// The one file that a fix makes, with its text; nothing when it makes several, or runs a command.
fn made(fix: &Fix, sources: &dyn Sources) -> Option<(String, String)> {
    if !fix.commands.is_empty() {
        return None;
    }
    let patch = Patch::default().with(&fix.changes, sources).ok()?;
    let mut files = patch.files.into_iter();
    let (path, text) = files.next()?;
    files.next().is_none().then_some((path, text?))
}

/// Sorts fixes by what they are worth, those that make the same of the files as one. What a grammar likes
/// less than the broken text is tried late.
pub(super) fn by_weight(all: Vec<Weighed>, sources: &dyn Sources) -> Vec<Fix> {
    let mut groups: BTreeMap<String, Group> = BTreeMap::new();
    for (order, one) in all.into_iter().enumerate() {
        let made = made(&one.fix, sources);
        let key = match &made {
            Some((path, text)) => format!("{path}\0{}", told_apart(path, text, sources)),
            None => format!("\0{order}"),
        };
        match groups.get_mut(&key) {
            Some(group) => group.add(one),
            None => {
                groups.insert(key, Group::new(one, made, order));
            }
        }
    }
    let mut groups: Vec<Group> = groups.into_values().collect();
    sort(&mut groups);
    groups.truncate(ASKED);
    let mut before: HashMap<String, usize> = HashMap::new();
    for group in &mut groups {
        let Some((path, text)) = &group.made else { continue };
        let Some(language) = Language::from_path(path) else { continue };
        let old = *before
            .entry(path.clone())
            .or_insert_with(|| sources.read(path).map_or(0, |text| objections(&text, language)));
        group.weight *= liking(old, objections(text, language));
    }
    sort(&mut groups);
    groups.into_iter().take(LISTED).map(|group| group.fix).collect()
}

// Two texts that differ in blanks are one fix, but where blanks are what is fixed, or carry meaning.
fn told_apart(path: &str, text: &str, sources: &dyn Sources) -> String {
    let plain =
        |text: &str| -> String { text.chars().filter(|one| !one.is_whitespace()).collect() };
    let made = plain(text);
    let is_about_blanks =
        matches!(Language::from_path(path), Some(Language::Python | Language::Yaml) | None)
            || sources.read(path).is_some_and(|before| plain(&before) == made);
    if is_about_blanks { text.to_owned() } else { made }
}

fn objections(text: &str, language: Language) -> usize {
    check_syntax(text, language).map_or(0, |report| report.errors + report.missing)
}

fn liking(before: usize, after: usize) -> f64 {
    match (before, after) {
        (_, 0) => 1.0,
        (0, _) => 0.1,
        _ if after < before => 0.9,
        _ if after == before => 0.5,
        _ => 0.1,
    }
}

struct Group {
    fix: Fix,
    weight: f64,
    pinned: bool,
    by_rule: bool,
    made: Option<(String, String)>,
    order: usize,
    size: usize,
}

impl Group {
    fn new(one: Weighed, made: Option<(String, String)>, order: usize) -> Self {
        let size = one
            .fix
            .changes
            .iter()
            .map(|change| change.span.len().max(change.replacement.len()))
            .sum();
        let by_rule = one.fix.author.starts_with(RULE);
        Self { fix: one.fix, weight: one.weight, pinned: one.pinned, by_rule, made, order, size }
    }

    // Rules that agree are mostly one rule in several widths; a rule and a fixer are two witnesses.
    fn add(&mut self, one: Weighed) {
        let by_rule = one.fix.author.starts_with(RULE);
        if by_rule == self.by_rule {
            if one.weight > self.weight {
                self.fix = one.fix;
                self.weight = one.weight;
            }
        } else {
            let together = 1.0 - (1.0 - self.weight) * (1.0 - one.weight);
            if one.weight > self.weight {
                self.fix = one.fix;
                self.by_rule = by_rule;
            }
            self.weight = together;
        }
        self.pinned |= one.pinned;
    }
}

fn sort(groups: &mut [Group]) {
    groups.sort_by(|one, other| {
        (other.pinned.cmp(&one.pinned))
            .then(other.weight.total_cmp(&one.weight))
            .then(one.size.cmp(&other.size))
            .then(one.order.cmp(&other.order))
    });
}
