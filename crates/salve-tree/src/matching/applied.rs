//! Tells whether a change is in the file already.
//!
//! In: a hunk's lines that are not in the file, or the place of an insertion. Out: the lines on
//! which the new side is. Never: a claim from lines that say nothing, or that stand in several
//! places.

use super::index::{Index, Level};
use super::pattern::{OldLine, Pattern, weight};
use std::ops::Range;

/// An insertion whose lines say less than this may be meant a second time.
const SUBSTANTIAL: usize = 6;

/// Finds the one place where the new side is, for a hunk whose old side is nowhere.
pub(crate) fn stands(index: &Index<'_>, pattern: &Pattern<'_>) -> Option<Range<usize>> {
    if pattern.is_noop() || !proves(pattern) {
        return None;
    }
    let side = pattern.new_side();
    [Level::Exact, Level::Trailing].into_iter().find_map(|level| match index.find(level, &side)[..]
    {
        [first] => Some(first..first + side.len()),
        _ => None,
    })
}

/// Tells whether an insertion found at `first` would put in what is there already.
pub(crate) fn inserted(
    index: &Index<'_>,
    pattern: &Pattern<'_>,
    first: usize,
) -> Option<Range<usize>> {
    let new = pattern.runs.iter().flat_map(|run| &run.new);
    if !pattern.only_inserts() || new.map(|line| weight(line)).sum::<usize>() < SUBSTANTIAL {
        return None;
    }
    let lead = pattern.runs.first().filter(|run| run.removed.start == 0);
    let side = pattern.new_side();
    let first = first.checked_sub(lead.map_or(0, |run| run.new.len()))?;
    index.stands(Level::Trailing, &side, first).then(|| first..first + side.len())
}

// New lines that say something prove it. A mere removal is proved by lines on both sides of it that
// now stand together.
fn proves(pattern: &Pattern<'_>) -> bool {
    let adds = pattern.runs.iter().flat_map(|run| &run.new).any(|line| weight(line) > 0);
    let says = |lines: &[OldLine<'_>]| lines.iter().any(|line| line.kept && weight(&line.text) > 0);
    adds || pattern
        .runs
        .iter()
        .all(|run| says(&pattern.old[..run.removed.start]) && says(&pattern.old[run.removed.end..]))
}
