//! The table of the stitch measurement.
//!
//! In: cases with their marks. Out: one line per kind, and the place of every case that went wrong.
//! Never rounds a failure away: the targets are compared with counts.

use super::generate::{Case, Kind};
use std::collections::BTreeMap;

/// The outcome of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// The joined text is the original.
    Equal,
    /// Nothing was joined.
    Refused,
    /// The joined text is another one, or a join was made where none is right.
    Wrong,
}

/// The cases of one kind, or of several.
#[derive(Default)]
pub(crate) struct Row {
    pub(crate) cases: usize,
    pub(crate) equal: usize,
    refused: usize,
    pub(crate) wrong: usize,
}

/// The counts so far and the failures in words.
pub(crate) struct Report {
    rows: BTreeMap<Kind, Row>,
    failures: Vec<String>,
    shown: usize,
}

impl Report {
    /// Starts a report that shows at most `shown` failures of each kind.
    pub(crate) fn new(shown: usize) -> Self {
        Self { rows: BTreeMap::new(), failures: Vec::new(), shown }
    }

    /// Counts a case; `seen` is what was joined around the first difference, or why it was refused.
    pub(crate) fn add(&mut self, case: &Case<'_>, mark: Mark, seen: &str) {
        let row = self.rows.entry(case.kind).or_default();
        row.cases += 1;
        match mark {
            Mark::Equal => row.equal += 1,
            Mark::Refused => row.refused += 1,
            Mark::Wrong => row.wrong += 1,
        }
        let failed = mark == Mark::Wrong || (mark == Mark::Refused && !case.kind.may_refuse());
        let told = if mark == Mark::Wrong { row.wrong } else { row.refused };
        if failed && told <= self.shown {
            self.failures.push(format!(
                "{} {mark:?} {}:{}\n  partial       {:?}\n  continuation  {:?}\n  seen          {seen:?}",
                case.kind.name(),
                case.file.name,
                case.partial.len(),
                end_of(&case.partial, 70),
                start_of(&case.continuation, 160),
            ));
        }
    }

    /// Prints failures and table.
    pub(crate) fn print(&self) {
        for failure in &self.failures {
            println!("{failure}");
        }
        println!("{:<18} {:>6} {:>6} {:>8} {:>6}", "kind", "cases", "equal", "refused", "wrong");
        for (kind, row) in &self.rows {
            println!(
                "{:<18} {:>6} {:>6} {:>8} {:>6}",
                kind.name(),
                row.cases,
                row.equal,
                row.refused,
                row.wrong
            );
        }
        let join = self.sum(|kind| !kind.may_refuse());
        let keep = self.sum(Kind::may_refuse);
        println!(
            "to be joined: {} of {} equal ({:.2} %), target 99 %",
            join.equal,
            join.cases,
            100.0 * join.equal as f64 / join.cases.max(1) as f64
        );
        println!(
            "to be kept or refused: {} of {} joined wrongly, target 0",
            keep.wrong, keep.cases
        );
    }

    /// Returns whether both targets are reached.
    pub(crate) fn reaches_targets(&self) -> bool {
        let join = self.sum(|kind| !kind.may_refuse());
        let keep = self.sum(Kind::may_refuse);
        join.equal * 100 >= join.cases * 99 && keep.wrong == 0
    }

    /// Returns the cases to be joined, and those to be kept or refused.
    pub(crate) fn totals(&self) -> (Row, Row) {
        (self.sum(|kind| !kind.may_refuse()), self.sum(Kind::may_refuse))
    }

    fn sum(&self, wanted: impl Fn(Kind) -> bool) -> Row {
        let mut total = Row::default();
        for (_, row) in self.rows.iter().filter(|(kind, _)| wanted(**kind)) {
            total.cases += row.cases;
            total.equal += row.equal;
            total.refused += row.refused;
            total.wrong += row.wrong;
        }
        total
    }
}

/// Returns the text around a byte, to show a seam.
pub(crate) fn around(text: &str, at: usize) -> String {
    let start = boundary(text, at.saturating_sub(30));
    let end = boundary(text, (at + 50).min(text.len()));
    text[start..end].to_owned()
}

fn end_of(text: &str, count: usize) -> &str {
    &text[boundary(text, text.len().saturating_sub(count))..]
}

fn start_of(text: &str, count: usize) -> &str {
    &text[..boundary(text, count.min(text.len()))]
}

/// Returns the last place at or before `at` where a character starts.
pub(crate) fn boundary(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (0..=at).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}
