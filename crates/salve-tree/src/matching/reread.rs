//! Reads a result again: what was to go is gone, what was to come is there once, all else is as it
//! was.
//!
//! In: a file, hunks with their places, the text that came of them. Out: the hunks whose lines do not
//! add up. The lines are counted as the hunks were written, not as they were placed, so that a mistake
//! of a rung is seen whichever it is. Never: a look at where lines are.

use super::Rung;
use super::resolve::State;
use crate::FileText;
use crate::splice::Change;
use salve_types::{Hunk, HunkBody, LineKind, Occurrence};
use std::collections::HashMap;

/// How often lines are there, or by how much they become more.
type Counts<'t> = HashMap<&'t str, isize>;

/// Returns the hunks whose lines are not in the result as they were asked for.
pub(crate) fn not_as_meant(
    text: &FileText,
    hunks: &[Hunk],
    states: &[State<'_>],
    result: &str,
) -> Vec<usize> {
    let mut asked: Counts<'_> = HashMap::new();
    let mut counted: Vec<usize> = Vec::new();
    for (at, (hunk, state)) in hunks.iter().zip(states).enumerate() {
        let State::Settled(settled) = state else { continue };
        // Text inside of lines has no lines to count.
        if settled.changes.iter().any(|change| matches!(change, Change::Bytes { .. })) {
            return Vec::new();
        }
        if settled.rung <= Rung::Reindent && is_counted(hunk) {
            count_written(hunk, &mut asked);
            counted.push(at);
        } else {
            settled.changes.iter().for_each(|change| count_change(text, change, &mut asked));
        }
    }
    if counted.is_empty() {
        return Vec::new();
    }
    let mut became: Counts<'_> = HashMap::new();
    text.lines().for_each(|line| add(&mut became, line, -1));
    lines_of(result).for_each(|line| add(&mut became, line, 1));
    let differs = |line: &str| {
        let line = line.trim();
        asked.get(line).copied().unwrap_or(0) != became.get(line).copied().unwrap_or(0)
    };
    let all = asked.keys().chain(became.keys()).any(|line| differs(line));
    if !all {
        return Vec::new();
    }
    let own = |at: &usize| changed(&hunks[*at]).any(|(line, _)| differs(line));
    let guilty: Vec<usize> = counted.iter().copied().filter(own).collect();
    if guilty.is_empty() { counted } else { guilty }
}

fn is_counted(hunk: &Hunk) -> bool {
    hunk.occurrence == Occurrence::One
        && matches!(hunk.body, HunkBody::Lines(_) | HunkBody::Block { .. })
}

fn count_written<'t>(hunk: &'t Hunk, asked: &mut Counts<'t>) {
    changed(hunk).for_each(|(line, by)| add(asked, line, by));
}

// The lines of a hunk with what they are asked to become: one less, or one more.
fn changed(hunk: &Hunk) -> Box<dyn Iterator<Item = (&str, isize)> + '_> {
    match &hunk.body {
        HunkBody::Lines(lines) => Box::new(lines.iter().filter_map(|line| match line.kind {
            LineKind::Remove => Some((line.text.as_str(), -1)),
            LineKind::Add => Some((line.text.as_str(), 1)),
            LineKind::Context => None,
        })),
        HunkBody::Block { old, new } => {
            let gone = old.iter().map(|line| (line.as_str(), -1));
            Box::new(gone.chain(new.iter().map(|line| (line.as_str(), 1))))
        }
        HunkBody::Text { .. } | HunkBody::At(_) => Box::new(std::iter::empty()),
    }
}

fn count_change<'t>(text: &'t FileText, change: &'t Change, asked: &mut Counts<'t>) {
    if let Change::Lines { first, removed, new, .. } = change {
        (*first..first + removed).for_each(|line| add(asked, text.line(line), -1));
        new.iter().for_each(|line| add(asked, line, 1));
    }
}

fn add<'t>(counts: &mut Counts<'t>, line: &'t str, by: isize) {
    let line = line.trim();
    if !line.is_empty() {
        *counts.entry(line).or_default() += by;
    }
}

// Lines end as those of a file do.
fn lines_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(['\n', '\r'])
}
