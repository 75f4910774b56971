//! The rung for hunks that were written without the file's blank lines, or with some it lacks.
//!
//! In: a hunk whose lines are in the file but for blank ones. Out: the one place where the lines that
//! are not blank follow each other, with the file's own blank lines between them kept. Never: a blank
//! line removed that the hunk does not have, nor lines put in where a blank line leaves two places.

use super::Rung;
use super::indent;
use super::index::{Index, Level};
use super::ladder::{Indentation, Search};
use super::pattern::{OldLine, Pattern, Run, weight};
use std::borrow::Cow;
use std::ops::Range;

/// What a hunk must say to be sought without its blank lines.
const SUBSTANTIAL: usize = 6;

/// Seeks the lines that are not blank.
pub(crate) fn seek<'h>(index: &Index<'_>, pattern: &Pattern<'h>) -> Option<Search<'h>> {
    let old = pattern.old.iter().enumerate();
    let (at, said): (Vec<usize>, Vec<&str>) =
        old.filter(|(_, line)| !is_blank(line)).map(|(at, line)| (at, line.text.as_ref())).unzip();
    let enough = said.iter().map(|line| weight(line)).sum::<usize>() >= SUBSTANTIAL;
    if pattern.is_noop() || pattern.at_end || said.len() < 2 || !enough {
        return None;
    }
    let levels =
        [(Level::Trailing, Indentation::AsWritten), (Level::Trimmed, Indentation::Uniform)];
    for (level, indentation) in levels {
        let places = index.find_said(level, &said);
        let [place] = &places[..] else {
            if places.is_empty() {
                continue;
            }
            return None;
        };
        let first = *place.first()?;
        let filled = fill(index, pattern, &at, place)?;
        let fits = indentation == Indentation::AsWritten
            || indent::uniform_shift(&filled, index.text(), first).is_some();
        return fits.then(|| Search {
            pattern: filled,
            rung: Rung::Fold,
            score: 1.0,
            places: vec![first],
            indentation,
        });
    }
    None
}

fn is_blank(line: &OldLine<'_>) -> bool {
    line.text.trim().is_empty()
}

// The hunk with the file's blank lines in the place of its own. `at` are its lines that say
// something, `place` the lines of the file they are.
fn fill<'h>(
    index: &Index<'_>,
    pattern: &Pattern<'h>,
    at: &[usize],
    place: &[usize],
) -> Option<Pattern<'h>> {
    let (first, last) = (*place.first()?, *place.last()?);
    let kept = |line| OldLine { text: Cow::from(index.text().line(line).to_owned()), kept: true };
    let mut old: Vec<OldLine<'h>> = (first..=last).map(kept).collect();
    for (&line, &found) in at.iter().zip(place) {
        old[found - first] = pattern.old[line].clone();
    }
    let runs = pattern
        .runs
        .iter()
        .map(|run| {
            let removed = match run.removed.is_empty() {
                true => insertion(pattern, run.removed.start, at, place, first)?,
                false => removal(&run.removed, at, place, first)?,
            };
            Some(Run { removed, new: run.new.clone() })
        })
        .collect::<Option<Vec<_>>>()?;
    Some(Pattern { old, runs, ..pattern.clone() })
}

// What goes must follow each other in the file too: a blank line between is not the hunk's.
fn removal(
    removed: &Range<usize>,
    at: &[usize],
    place: &[usize],
    first: usize,
) -> Option<Range<usize>> {
    let from = at.partition_point(|&line| line < removed.start);
    let to = at.partition_point(|&line| line < removed.end);
    let lines = place.get(from..to).filter(|lines| lines.len() == removed.len())?;
    let start = *lines.first()?;
    let together = lines.iter().enumerate().all(|(offset, line)| *line == start + offset);
    together.then(|| start - first..start - first + removed.len())
}

// New lines come between two lines that say something; with a blank line between them in the file,
// the hunk must have one there as well.
fn insertion(
    pattern: &Pattern<'_>,
    before: usize,
    at: &[usize],
    place: &[usize],
    first: usize,
) -> Option<Range<usize>> {
    let next = at.partition_point(|&line| line < before);
    let above = next.checked_sub(1).map(|above| (at[above], place[above]));
    let below = at.get(next).copied().zip(place.get(next).copied());
    let spot = match (above, below) {
        (Some((_, above)), Some((_, below))) if above + 1 == below => below,
        (Some((line, above)), _) if line + 1 == before => above + 1,
        (_, Some((line, below))) if line == before => below,
        _ => return None,
    };
    // Beside a line of the hunk on one side, and beside a blank line of it on the other.
    let open = matches!((above, below), (Some((_, up)), Some((_, down))) if up + 1 != down);
    let blank =
        |line: Option<usize>| line.and_then(|line| pattern.old.get(line)).is_some_and(is_blank);
    let told = !open || blank(before.checked_sub(1)) || blank(Some(before));
    told.then(|| spot - first..spot - first)
}
