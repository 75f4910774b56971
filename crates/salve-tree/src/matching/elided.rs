//! The rung for hunks that leave lines out with `...`.
//!
//! In: a hunk some of whose kept lines stand for lines that are not written. Out: the one way in
//! which its segments stand in the file in order, with the lines between them kept. Never: a removal
//! of lines that were not written, and no choice between several ways.

use super::Rung;
use super::index::{Index, Level};
use super::ladder::{Indentation, Search};
use super::pattern::{OldLine, Pattern, weight};
use std::borrow::Cow;
use std::ops::Range;

/// Seeks the segments of a hunk in order.
pub(crate) fn seek<'h>(index: &Index<'_>, pattern: &Pattern<'h>) -> Option<Search<'h>> {
    let elided: Vec<bool> = pattern.old.iter().map(|line| is_elision(&line.text)).collect();
    let goes = pattern.old.iter().zip(&elided).any(|(line, elided)| *elided && !line.kept);
    let comes = pattern.runs.iter().flat_map(|run| &run.new).any(|line| is_elision(line));
    let written = pattern.old.iter().any(|line| weight(&line.text) > 0);
    if !elided.contains(&true) || goes || comes || !written {
        return None;
    }
    let segments = segments(&elided);
    let changed: Vec<_> =
        segments.iter().filter(|segment| touches(pattern, segment)).cloned().collect();
    [segments, changed].into_iter().find_map(|segments| {
        let places = only_chain(index, pattern, &segments)?;
        filled(index, pattern, &segments, &places)
    })
}

/// Tells whether a line stands for lines that are left out.
pub(crate) fn is_elision(line: &str) -> bool {
    let body = line.trim().trim_start_matches(['/', '#', '*', '<', '!', '-', ';', '%', '{', ' ']);
    let body = body.trim_end_matches(['/', '*', '>', '-', '}', ' ']);
    body == "..." || body == "…"
}

fn segments(elided: &[bool]) -> Vec<Range<usize>> {
    let mut segments: Vec<Range<usize>> = Vec::new();
    for (line, elided) in elided.iter().enumerate() {
        match segments.last_mut() {
            _ if *elided => {}
            Some(segment) if segment.end == line => segment.end += 1,
            _ => segments.push(line..line + 1),
        }
    }
    segments
}

fn touches(pattern: &Pattern<'_>, segment: &Range<usize>) -> bool {
    pattern.runs.iter().any(|run| {
        let range = &run.removed;
        range.start <= segment.end && range.end >= segment.start
    })
}

// The places of the segments, when there is exactly one way to have them in order.
fn only_chain(
    index: &Index<'_>,
    pattern: &Pattern<'_>,
    segments: &[Range<usize>],
) -> Option<Vec<usize>> {
    let old = pattern.old_side();
    let mut chain = Vec::new();
    // From the last segment to the first: the places from which the rest can be reached, each with
    // the number of ways, of which only one or more than one matters.
    let mut reachable: Vec<(usize, u8)> = vec![(usize::MAX, 1)];
    for segment in segments.iter().rev() {
        let sought = &old[segment.clone()];
        let places = index.find(Level::Trailing, sought);
        let mut ways = 0_u8;
        let mut rest = reachable.iter().rev().peekable();
        let mut next = Vec::new();
        for &place in places.iter().rev() {
            while let Some((_, more)) = rest.next_if(|(later, _)| *later >= place + sought.len()) {
                ways = ways.saturating_add(*more).min(2);
            }
            if ways > 0 {
                next.push((place, ways));
            }
        }
        next.reverse();
        chain.push(next.clone());
        reachable = next;
    }
    let total: u8 = reachable.iter().fold(0, |sum, (_, ways)| sum.saturating_add(*ways).min(2));
    if total != 1 || segments.is_empty() {
        return None;
    }
    let mut from = 0;
    let mut places = Vec::new();
    for (reachable, segment) in chain.iter().rev().zip(segments) {
        let (place, _) = reachable.iter().find(|(place, ways)| *place >= from && *ways == 1)?;
        places.push(*place);
        from = place + segment.len();
    }
    Some(places)
}

// The same hunk with the file's own lines where it left them out.
fn filled<'h>(
    index: &Index<'_>,
    pattern: &Pattern<'h>,
    segments: &[Range<usize>],
    places: &[usize],
) -> Option<Search<'h>> {
    let start = *places.first()?;
    let mut old: Vec<OldLine<'h>> = Vec::new();
    let mut moved = vec![None; pattern.old.len() + 1];
    for (segment, &place) in segments.iter().zip(places) {
        let between = start + old.len()..place;
        let kept =
            |line| OldLine { text: Cow::from(index.text().line(line).to_owned()), kept: true };
        // What is before an elision keeps standing before the lines that were left out.
        if let Some(before) = segment.start.checked_sub(1).filter(|_| !old.is_empty()) {
            moved[before] = moved[before].or(Some(old.len()));
        }
        old.extend(between.map(kept));
        for line in segment.clone() {
            moved[line] = Some(old.len());
            old.push(pattern.old[line].clone());
        }
        moved[segment.end] = Some(old.len());
    }
    let mut filled = Pattern { old, ..pattern.clone() };
    for run in &mut filled.runs {
        let length = run.removed.len();
        let at = moved[run.removed.start]?;
        run.removed = at..at + length;
    }
    Some(Search {
        pattern: filled,
        rung: Rung::Elided,
        score: 1.0,
        places: vec![start],
        indentation: Indentation::AsWritten,
    })
}
