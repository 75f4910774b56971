//! A diff hunk with several changes, placed change by change.
//!
//! In: a hunk whose lines between its changes are not those of the file, and a base that is known.
//! Out: the hunk with the file's own lines between the changes, when every change has exactly one
//! place and the places stand in order and close together. Never: a place where a line that goes
//! away does not stand, nor one much larger than what was asked for.

use super::evidence::Claims;
use super::index::Index;
use super::ladder::{Indentation, Search};
use super::pattern::{OldLine, Pattern, weight};
use super::{MatchOptions, Rung, trimmed};
use std::borrow::Cow;

/// How much longer than asked for the whole may be: one and a half times, and a few lines.
const LONGER: usize = 4;

/// Seeks every change of a hunk by itself.
pub(crate) fn seek<'h>(
    index: &Index<'_>,
    pattern: &Pattern<'h>,
    options: &MatchOptions,
) -> Option<Search<'h>> {
    if !options.base_known || pattern.runs.len() < 2 {
        return None;
    }
    let claims = Claims { hint: None, anchors: &[], at_end: false };
    let mut joined: Option<Pattern<'h>> = None;
    let mut first = 0;
    for at in 0..pattern.runs.len() {
        let part = change(pattern, at);
        let search = trimmed::seek(index, &part, &claims, true, options)?;
        let &[place] = &search.places[..] else { return None };
        // Apart from the others a change needs a neighbour of its own that stays.
        let mut lines = search.pattern.old.iter();
        if !lines.any(|line| line.kept && weight(&line.text) > 0) {
            return None;
        }
        match &mut joined {
            None => (joined, first) = (Some(search.pattern), place),
            Some(joined) => append(index, joined, first, &search.pattern, place)?,
        }
    }
    let joined = joined?;
    let most = pattern.old.len() * 3 / 2 + LONGER;
    (joined.old.len() <= most).then(|| Search {
        pattern: Pattern { final_newline: pattern.final_newline, ..joined },
        rung: Rung::ContextTrimmed,
        score: 1.0,
        places: vec![first],
        indentation: Indentation::Nearest,
    })
}

// One change with the context up to its neighbours.
fn change<'h>(pattern: &Pattern<'h>, at: usize) -> Pattern<'h> {
    let start = at.checked_sub(1).map_or(0, |before| pattern.runs[before].removed.end);
    let end = pattern.runs.get(at + 1).map_or(pattern.old.len(), |next| next.removed.start);
    let mut part = Pattern { runs: vec![pattern.runs[at].clone()], ..pattern.clone() };
    part = part.part(start..end);
    part
}

// Joins a change that is after the others; lines that both know count once.
fn append<'h>(
    index: &Index<'_>,
    joined: &mut Pattern<'h>,
    first: usize,
    part: &Pattern<'h>,
    place: usize,
) -> Option<()> {
    let end = first + joined.old.len();
    let changed = joined.runs.last().map_or(first, |run| first + run.removed.end);
    let run = part.runs.first()?;
    if place + run.removed.start < changed {
        return None;
    }
    let kept = |line| OldLine { text: Cow::from(index.text().line(line).to_owned()), kept: true };
    joined.old.extend((end..place).map(kept));
    // The part may begin inside the context that is there already.
    joined.old.truncate(place.saturating_sub(first));
    if place < first {
        return None;
    }
    let offset = joined.old.len();
    joined.old.extend(part.old.iter().cloned());
    let mut run = run.clone();
    run.removed = offset + run.removed.start..offset + run.removed.end;
    joined.runs.push(run);
    Some(())
}
