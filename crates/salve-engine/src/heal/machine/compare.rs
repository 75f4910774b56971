//! Whether a candidate helped: its errors against those of the state it was made on.
//!
//! In: two checks. Out: progress, none, or errors that are new. Fewer errors and none that is new is
//! progress. So is an error that a later phase of the tools reports elsewhere once what kept them from
//! getting there is gone, or of a file that they had not come to: it was there all the time. Never decides what is applied: only a check that
//! passes does.

use super::{CheckSummary, ErrorSeen};
use salve_check::ToolPhase;
use salve_types::ErrorClass;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// New errors this close to one that is gone, in lines, are of the fix and not uncovered by it.
const NEAR: u32 = 5;

/// How two checks compare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Comparison {
    /// Fewer errors, and none that is new.
    Progress,
    /// The tools got further, and report what they could not before.
    Uncovered,
    /// As many, or more of the same.
    NoProgress,
    /// These were not there before.
    NewErrors(Vec<String>),
}

/// Errors of one signature in one file: they are healed, or not, together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorGroup {
    /// The exact signature.
    pub exact: String,
    /// The file; empty when the tool names none.
    pub path: String,
    /// The headline of the first.
    pub message: String,
    /// The positions of its errors in [`CheckSummary::errors`].
    pub errors: Vec<usize>,
}

impl CheckSummary {
    /// Returns how much is wrong. A check that fails without a word is one error.
    pub(super) fn weight(&self) -> usize {
        if self.green { 0 } else { self.errors.len().max(1) }
    }

    /// Returns the exact signatures of its errors.
    pub fn signatures(&self) -> BTreeSet<String> {
        self.errors.iter().map(|error| error.exact.clone()).collect()
    }

    /// Returns its errors by signature and file, in the order in which they were reported.
    pub fn groups(&self) -> Vec<ErrorGroup> {
        let mut places: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        let mut groups: Vec<ErrorGroup> = Vec::new();
        for (position, error) in self.errors.iter().enumerate() {
            let at = *places.entry((&error.exact, &error.path)).or_insert_with(|| {
                groups.push(ErrorGroup {
                    exact: error.exact.clone(),
                    path: error.path.clone(),
                    message: error.message.clone(),
                    errors: Vec::new(),
                });
                groups.len() - 1
            });
            groups[at].errors.push(position);
        }
        groups
    }
}

/// Compares a check with that of the state before it. `known` are the signatures that are not new,
/// `changed` the files that lie between the two.
pub(super) fn compare(
    before: &CheckSummary,
    now: &CheckSummary,
    known: &BTreeSet<String>,
    changed: &[&str],
) -> Comparison {
    let new: Vec<&ErrorSeen> =
        now.errors.iter().filter(|error| !known.contains(&error.exact)).collect();
    if new.is_empty() {
        let fewer = now.weight() < before.weight();
        return if fewer { Comparison::Progress } else { Comparison::NoProgress };
    }
    let left = now.signatures();
    let gone: Vec<&ErrorSeen> =
        before.errors.iter().filter(|error| !left.contains(&error.exact)).collect();
    let is_uncovered =
        |error: &&ErrorSeen| is_uncovered(error, &gone) || is_of_another_unit(error, changed);
    if !gone.is_empty() && new.iter().all(is_uncovered) {
        return Comparison::Uncovered;
    }
    Comparison::NewErrors(new.iter().map(|error| error.message.clone()).collect())
}

// A C compiler reads one unit at a time, and make stops at the first that fails: a change of one cannot
// break another, unless it is in a header.
fn is_of_another_unit(new: &ErrorSeen, changed: &[&str]) -> bool {
    let is_unit = |path: &str| {
        let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
        matches!(extension, "c" | "cc" | "cpp" | "cxx" | "m" | "mm")
    };
    let apart = |path: &&str| is_unit(path) && *path != new.path;
    new.phase < ToolPhase::Run && is_unit(&new.path) && changed.iter().all(apart)
}

// Of a later phase than one that is gone, or further down where the tool had stopped reading.
fn is_uncovered(new: &ErrorSeen, gone: &[&ErrorSeen]) -> bool {
    let is_near = |old: &&&ErrorSeen| {
        let lines = new.line.zip(old.line);
        old.path == new.path && lines.is_none_or(|(new, old)| new.abs_diff(old) <= NEAR)
    };
    if gone.iter().any(|old| is_near(&old)) {
        return false;
    }
    gone.iter().any(|old| {
        let further = old.path == new.path && old.line < new.line;
        let stops = matches!(old.error_class, ErrorClass::Syntax | ErrorClass::Import);
        old.phase < new.phase || (stops && further && old.error_class == new.error_class)
    })
}
