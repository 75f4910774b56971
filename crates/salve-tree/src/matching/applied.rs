//! Tells whether a change is in the file already.
//!
//! In: a hunk's lines that are not in the file, or the place of an insertion. Out: the lines on
//! which the new side is. Never: a claim from lines that say nothing, that stand in several places,
//! or that stand around what the hunk wants gone: the neighbours of a removal are no proof of it.

use super::index::{Index, Level};
use super::pattern::{OldLine, Pattern, weight};
use std::ops::Range;

/// An insertion whose lines say less than this may be meant a second time.
const SUBSTANTIAL: usize = 6;
/// A line this much like one that shall go may be that line.
const ALIKE: f64 = 0.7;
/// Lines that say something, that many of them, are not elsewhere by chance.
const ENOUGH_LINES: usize = 4;
/// How many lines around a removal are compared, and by how many lines what is between them may differ
/// in length from what shall go.
const NEAR: usize = 2;

/// Finds the one place where the new side is, for a hunk whose old side is nowhere.
pub(crate) fn stands(index: &Index<'_>, pattern: &Pattern<'_>) -> Option<Range<usize>> {
    if pattern.is_noop() || !proves(index, pattern) {
        return None;
    }
    let side = pattern.new_side();
    [Level::Exact, Level::Trailing].into_iter().find_map(|level| match index.find(level, &side)[..]
    {
        [first] => Some(first..first + side.len()),
        _ => None,
    })
}

/// Tells whether an insertion found at `first` would put in what is there already, compared at the
/// level at which it was found.
pub(crate) fn inserted(
    index: &Index<'_>,
    pattern: &Pattern<'_>,
    first: usize,
    level: Level,
) -> Option<Range<usize>> {
    if !pattern.only_inserts() {
        return None;
    }
    let lead = pattern.runs.first().filter(|run| run.removed.start == 0);
    let side = pattern.new_side();
    let first = first.checked_sub(lead.map_or(0, |run| run.new.len()))?;
    let new = pattern.runs.iter().flat_map(|run| &run.new);
    // What is put at the end and is the end already is there, however little it says.
    let says = new.map(|line| weight(line)).sum::<usize>() >= SUBSTANTIAL
        || first + side.len() == index.text().line_count();
    (says && index.stands(level, &side, first)).then(|| first..first + side.len())
}

/// Finds the new side apart from the place where the old one is: the change may have been made there,
/// and the place found is a copy. `named` is where the hunk says its new side begins. Elsewhere, it is
/// believed only with new lines among many that say something.
pub(crate) fn elsewhere(
    index: &Index<'_>,
    pattern: &Pattern<'_>,
    place: &Range<usize>,
    named: Option<usize>,
) -> Option<Range<usize>> {
    let side = pattern.new_side();
    let says = side.iter().filter(|line| weight(line) > 0).count();
    if pattern.is_noop() || says < 2 {
        return None;
    }
    let told = says >= ENOUGH_LINES && has_new_lines(pattern);
    let is_named = |first: usize| named.is_some_and(|named| named.abs_diff(first) <= 1);
    let places = index.find(Level::Trailing, &side).into_iter();
    places
        .filter(|&first| told || is_named(first))
        .map(|first| first..first + side.len())
        .find(|lines| lines.end <= place.start || place.end <= lines.start)
}

fn has_new_lines(pattern: &Pattern<'_>) -> bool {
    let mut new = pattern.runs.iter().flat_map(|run| &run.new);
    new.any(|line| weight(line) > 0 && !pattern.old.iter().any(|old| old.text == *line))
}

// New lines that say something and that the old side lacks prove it. A mere removal is proved by
// lines on both sides of it that are now neighbours, while nothing like what goes is left.
fn proves(index: &Index<'_>, pattern: &Pattern<'_>) -> bool {
    if has_new_lines(pattern) {
        return true;
    }
    let says = |lines: &[OldLine<'_>]| lines.iter().any(|line| line.kept && weight(&line.text) > 0);
    let apart = pattern.runs.iter().all(|run| {
        says(&pattern.old[..run.removed.start]) && says(&pattern.old[run.removed.end..])
    });
    apart && is_gone(index, pattern) && !has_rival(index, pattern)
}

fn is_gone(index: &Index<'_>, pattern: &Pattern<'_>) -> bool {
    let mut told = false;
    for line in pattern.old.iter().filter(|line| !line.kept && weight(&line.text) > 0) {
        let there = !index.places(Level::Folded, &line.text).is_empty();
        // What cannot be looked for any more is not claimed to be gone.
        let may_be =
            || !index.work().has_comparisons() || !index.alike(&line.text, ALIKE).is_empty();
        if there || may_be() {
            return false;
        }
        told = true;
    }
    told
}

// The same neighbours with other lines between them: what shall go may be those, written otherwise.
fn has_rival(index: &Index<'_>, pattern: &Pattern<'_>) -> bool {
    let text = |line: &OldLine<'_>| line.text.to_string();
    pattern.runs.iter().filter(|run| run.new.is_empty()).any(|run| {
        let (start, end) = (run.removed.start, run.removed.end);
        let above: Vec<String> =
            pattern.old[start.saturating_sub(NEAR)..start].iter().map(text).collect();
        let below: Vec<String> = pattern.old[end..].iter().take(NEAR).map(text).collect();
        let above: Vec<&str> = above.iter().map(String::as_str).collect();
        let below: Vec<&str> = below.iter().map(String::as_str).collect();
        let gone = run.removed.len();
        index.find(Level::Trimmed, &above).into_iter().any(|first| {
            let from = first + above.len();
            (gone.saturating_sub(NEAR).max(1)..=gone + NEAR)
                .any(|between| index.stands(Level::Trimmed, &below, from + between))
        })
    })
}
