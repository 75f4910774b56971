//! Which proposals of rules are tried first.
//!
//! In: proposals with what they are worth. Out: one list without doubles, best first, of bounded length. What
//! free fixers propose is no part of it: they are asked before any rule is.

use crate::heal::{Fix, Patch, Sources};
use salve_syntax::check_syntax;
use salve_types::Language;
use std::collections::{BTreeMap, HashMap};

// The most fixes of a list, and the most texts that a grammar is asked about.
const LISTED: usize = 24;
const ASKED: usize = 32;

/// A fix and how probable it is that it is the right one.
#[derive(Debug, Clone)]
pub(super) struct Weighed {
    pub(super) fix: Fix,
    pub(super) weight: f64,
    pub(super) pinned: bool,
    /// What its author says of it; that of a learned rule is 0.
    pub(super) priority: i32,
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
    priority: i32,
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
        let Weighed { fix, weight, pinned, priority } = one;
        Self { fix, weight, pinned, priority, made, order, size }
    }

    // Rules that agree are mostly one rule in several widths.
    fn add(&mut self, one: Weighed) {
        if one.weight > self.weight {
            self.fix = one.fix;
            self.weight = one.weight;
        }
        self.pinned |= one.pinned;
        self.priority = self.priority.max(one.priority);
    }
}

fn sort(groups: &mut [Group]) {
    groups.sort_by(|one, other| {
        (other.pinned.cmp(&one.pinned))
            .then(other.priority.cmp(&one.priority))
            .then(other.weight.total_cmp(&one.weight))
            .then(one.size.cmp(&other.size))
            .then(one.order.cmp(&other.order))
    });
}
