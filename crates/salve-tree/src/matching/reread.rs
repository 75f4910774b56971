//! Reads a result again: what was to go is gone, what was to come is there once, all else is as it
//! was.
//!
//! In: a file, hunks with their places, the text that came of them. Out: the hunks whose lines are not
//! as they were asked for. The result is expected line by line, in order: lines that no hunk changes
//! byte for byte; the lines of a hunk whose lines were found as they are, as it was written; those of
//! the other hunks as they were placed, and then only lines that the hunk shows. Never: a look at how
//! the result was made.

mod expected;
mod shown;

use super::Rung;
use super::indent::indent;
use super::resolve::State;
use crate::FileText;
use crate::splice::Wanted;
use expected::{Expected, Segment};
use salve_types::Hunk;

/// Returns the hunks whose lines are not in the result as they were asked for. `sorted` are their
/// changes in the order of the file.
pub(crate) fn not_as_meant(
    text: &FileText,
    hunks: &[Hunk],
    states: &[State<'_>],
    sorted: &[Wanted],
    result: &str,
) -> Vec<usize> {
    let mut guilty = shown::unshown(text, hunks, states);
    let segments = expected::segments(text, hunks, states, sorted);
    if !is_plainly_so(text, &segments, result) {
        let result = FileText::plain(result.to_owned());
        guilty.extend(first_difference(text, &segments, &result));
    }
    guilty.sort_unstable();
    guilty.dedup();
    guilty
}

// Whether the result is byte for byte what is asked for: what is between two hunks is compared at once
// and no line is looked for. Where it is not, or a line ends otherwise than by a line feed, lines tell.
fn is_plainly_so(text: &FileText, segments: &[Segment<'_>], result: &str) -> bool {
    let source = text.text();
    if memchr::memchr(b'\r', source.as_bytes()).is_some() || result.contains('\r') {
        return false;
    }
    let (mut line, mut rest) = (0, result);
    for segment in segments {
        let kept = source.get(text.line_start(line)..text.line_start(segment.first));
        let Some(after) = kept.and_then(|kept| rest.strip_prefix(kept)) else { return false };
        rest = after;
        for expected in &segment.new {
            let written = match expected {
                Expected::Written(_, Rung::Reindent) => return false,
                Expected::Written(line, _) => line,
                Expected::Placed(line) => line.as_ref(),
            };
            let after = rest.strip_prefix(written).and_then(|rest| rest.strip_prefix('\n'));
            let Some(after) = after else { return false };
            rest = after;
        }
        line = segment.first + segment.removed;
    }
    source.get(text.line_start(line)..) == Some(rest)
}

// Walks the file and the result side by side and returns the hunk at which they part.
fn first_difference(text: &FileText, segments: &[Segment<'_>], result: &FileText) -> Option<usize> {
    let (mut old, mut new) = (0, 0);
    for (number, segment) in segments.iter().enumerate() {
        // What is between two hunks is blamed on the one above.
        let above = number.checked_sub(1).map_or(segment.hunk, |above| segments[above].hunk);
        while old < segment.first {
            if !same_line(text, old, result, new) {
                return Some(above);
            }
            (old, new) = (old + 1, new + 1);
        }
        if !is_there(segment, result, new) {
            return Some(segment.hunk);
        }
        (old, new) = (segment.first + segment.removed, new + segment.new.len());
    }
    let last = segments.last()?;
    let rest = text.line_count().checked_sub(old);
    let whole = rest == result.line_count().checked_sub(new);
    let same = |at: usize| same_line(text, old + at, result, new + at);
    (!whole || !(0..rest.unwrap_or(0)).all(same)).then_some(last.hunk)
}

// The end of a file that had none may get a line break when lines come after it.
fn same_line(text: &FileText, old: usize, result: &FileText, new: usize) -> bool {
    let ends = [text.terminator(old), result.terminator(new)];
    let at_an_end = old + 1 == text.line_count() || new + 1 == result.line_count();
    text.line(old) == result.line(new)
        && (ends[0] == ends[1] || (at_an_end && (ends[0].is_empty() || ends[1].is_empty())))
}

fn is_there(segment: &Segment<'_>, result: &FileText, first: usize) -> bool {
    let there = |at: usize| result.line(first + at);
    if first + segment.new.len() > result.line_count() {
        return false;
    }
    segment.new.iter().enumerate().all(|(at, expected)| match expected {
        Expected::Placed(line) => there(at) == line.as_ref(),
        Expected::Written(line, Rung::Reindent) => there(at).trim() == line.trim(),
        Expected::Written(line, _) => there(at).trim_end() == line.trim_end(),
    }) && keeps_its_shape(segment, result, first)
}

// Lines that were shifted are as deep against each other as they were written: what was deeper than
// the line above still is.
fn keeps_its_shape(segment: &Segment<'_>, result: &FileText, first: usize) -> bool {
    let shifted = segment.new.iter().enumerate().filter_map(|(at, expected)| match expected {
        Expected::Written(line, Rung::Reindent) if !line.trim().is_empty() => {
            Some((indent(line), indent(result.line(first + at))))
        }
        _ => None,
    });
    let depths: Vec<(&str, &str)> = shifted.collect();
    depths.windows(2).all(|pair| {
        let ((above, found_above), (below, found_below)) = (pair[0], pair[1]);
        let deeper =
            |above: &str, below: &str| below.len() > above.len() && below.starts_with(above);
        // Of blanks and tabs that mix, nothing is said.
        (above != below || found_above == found_below)
            && (!deeper(above, below) || found_below.len() > found_above.len())
            && (!deeper(below, above) || found_below.len() < found_above.len())
    })
}

#[cfg(test)]
mod tests;
