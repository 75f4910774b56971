//! The rung that gives up context from the outside.
//!
//! In: a hunk whose lines do not all stand together. Out: the places where everything from its
//! first to its last change is, with the most context around it. Never: a place where a line that
//! goes away does not stand; a loss of lines that say something while the file may have moved on,
//! for those lines may be all that told the place from another.

use super::evidence::Claims;
use super::index::{Index, Level};
use super::ladder::{Indentation, Search};
use super::pattern::{Pattern, weight};
use super::{MatchOptions, Rung};
use std::ops::Range;

/// An insertion needs neighbours that say at least this much.
const SUBSTANTIAL: usize = 4;

/// Seeks the changes of a hunk with less context than it has.
pub(crate) fn seek<'h>(
    index: &Index<'_>,
    pattern: &Pattern<'h>,
    claims: &Claims<'_>,
    is_diff: bool,
    options: &MatchOptions,
) -> Option<Search<'h>> {
    let first = pattern.runs.first()?.removed.start;
    let last = pattern.runs.last()?.removed.end;
    let speechless = |line: usize| pattern.old[line].text.trim().is_empty();
    if is_diff && options.base_known {
        return around(index, pattern, first..last, claims);
    }
    // Blank lines alone tell hardly one place from another; a brace may.
    let start = (0..first).take_while(|&line| speechless(line)).count();
    let end = pattern.old.len()
        - (last..pattern.old.len()).rev().take_while(|&line| speechless(line)).count();
    let says = pattern.old[start..end].iter().any(|line| weight(&line.text) > 0);
    if (start == 0 && end == pattern.old.len()) || !says {
        return None;
    }
    // Of lines that say nothing as few go as possible: first those at the end, then those above.
    let parts =
        (end..pattern.old.len()).rev().map(|end| 0..end).chain((1..=start).map(|start| start..end));
    parts.take(16).find_map(|part| {
        let part = pattern.part(part);
        let (places, indentation) = find(index, &part.old_side())?;
        Some(found(part, places, indentation))
    })
}

// The places of the core, from the first change to the last, that have the most context around.
fn around<'h>(
    index: &Index<'_>,
    pattern: &Pattern<'h>,
    changed: Range<usize>,
    claims: &Claims<'_>,
) -> Option<Search<'h>> {
    let removes = pattern.old[changed.clone()].iter().any(|line| weight(&line.text) > 0);
    let mut cores = vec![];
    if removes {
        cores.push(changed.clone());
    } else {
        // Nothing that says something goes away: a neighbour must stand for the place.
        let above = (0..changed.start).rev().find(|&line| weight(&pattern.old[line].text) > 0);
        let below =
            (changed.end..pattern.old.len()).find(|&line| weight(&pattern.old[line].text) > 0);
        cores.extend(above.map(|line| line..changed.end));
        cores.extend(below.map(|line| changed.start..line + 1));
    }
    let mut best: Vec<(Range<usize>, usize, Indentation)> = Vec::new();
    let mut most = 0;
    for core in cores {
        let core_part = pattern.part(core.clone());
        let Some((places, indentation)) = find(index, &core_part.old_side()) else { continue };
        for place in places {
            let part = widened(index, pattern, &core, place);
            let said: usize = pattern.old[part.clone()].iter().map(|line| weight(&line.text)).sum();
            let enough = removes || said >= SUBSTANTIAL;
            let first = place - (core.start - part.start);
            if enough && said >= most {
                if said > most {
                    best.clear();
                }
                most = said;
                if !best.iter().any(|(_, other, _)| *other + part.start == first + best[0].0.start)
                {
                    best.push((part, first, indentation));
                }
            }
        }
    }
    let (part, ..) = best.first()?.clone();
    best.retain(|(other, ..)| *other == part);
    let indentation =
        best.iter().map(|(.., indentation)| *indentation).max_by_key(|it| *it as u8)?;
    let mut places: Vec<_> = best.into_iter().map(|(_, first, _)| first).collect();
    places.sort_unstable();
    if let (Some(hint), true) = (claims.hint, places.len() > 1) {
        let exact = hint + part.start;
        if places.contains(&exact) {
            places = vec![exact];
        }
    }
    Some(found(pattern.part(part), places, indentation))
}

// How far context matches on both sides of a core that is at `place`.
fn widened(
    index: &Index<'_>,
    pattern: &Pattern<'_>,
    core: &Range<usize>,
    place: usize,
) -> Range<usize> {
    let text = index.text();
    let same = |old: usize, line: usize| {
        line < text.line_count()
            && Level::Folded.key(&pattern.old[old].text) == Level::Folded.key(text.line(line))
    };
    let above = (1..=core.start.min(place)).take_while(|&up| same(core.start - up, place - up));
    let below =
        (core.end..pattern.old.len()).take_while(|&old| same(old, place + (old - core.start)));
    core.start - above.count()..core.end + below.count()
}

fn find(index: &Index<'_>, sought: &[&str]) -> Option<(Vec<usize>, Indentation)> {
    let levels = [(Level::Trailing, Indentation::AsWritten), (Level::Folded, Indentation::Nearest)];
    levels.into_iter().find_map(|(level, indentation)| {
        let places = index.find(level, sought);
        (!places.is_empty()).then_some((places, indentation))
    })
}

fn found<'h>(pattern: Pattern<'h>, places: Vec<usize>, indentation: Indentation) -> Search<'h> {
    Search { pattern, rung: Rung::ContextTrimmed, score: 1.0, places, indentation }
}
