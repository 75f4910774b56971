//! What an overlap tells: whether the same text twice can be on purpose.
//!
//! In: both texts and where they overlap. Out: a number of bits: how surprising it would be if the text
//! were there twice. Never more than a few bits where the texts around say the same in rounds.

use super::overlap::{Alignment, Overlap};
use super::repetition::{information, surprise};
use super::seam;
use super::stitch::Place;
use super::weights;
use crate::lines::{ceil_boundary, indent_of, last_line_start};

/// Returns how surprising it would be, in bits, if each of these overlaps, longest first, were meant.
///
/// What one repeats beyond a shorter one, or beyond none, is no surprise as far as the same lines already
/// are right before it or come again right after it: a text that says them twice may say them three times.
pub(crate) fn told_by(
    partial: &str,
    content: &str,
    overlaps: &[Overlap],
    place: Place,
) -> Vec<f32> {
    let mut told = vec![0.0; overlaps.len()];
    for (index, overlap) in overlaps.iter().enumerate().rev() {
        let mut own = told_alone(partial, content, overlap, place);
        let shorter = overlaps.iter().zip(&told).skip(index + 1);
        let shorter = shorter.map(|(it, told)| (it.from, it.drop, *told));
        let nothing = comes_to_same_place(partial, overlap).then_some((partial.len(), 0, 0.0));
        for (from, drop, least) in shorter.chain(nothing) {
            if from > overlap.from && drop < overlap.drop {
                let further = beyond(partial, content, overlap, (from, drop));
                own = own.min(further.map_or(own, |further| least + further));
            }
        }
        told[index] = own;
    }
    told
}

// How surprising it is that an overlap goes on beyond a shorter one, where the lines around it say the same.
fn beyond(partial: &str, content: &str, overlap: &Overlap, shorter: (usize, usize)) -> Option<f32> {
    let (from, drop) = shorter;
    let (before, further) = partial[..from].split_at(overlap.from);
    let (said, after) = content.split_at(ceil_boundary(content, overlap.drop - drop));
    let known_before = lines_shared_at_end(before, further);
    let known_after = lines_shared_at_start(after, said);
    let fresh = [
        (known_before > 0).then(|| &further[..further.len() - known_before]),
        (known_after > 0).then(|| &said[known_after..]),
    ];
    let surprises = fresh.into_iter().flatten().map(|fresh| surprise(fresh, true));
    surprises.min_by(f32::total_cmp).map(|least| least + weights::MOST_IN_PERIOD)
}

// Whether the cut line has come to the place at which, in its own line, the overlap starts, so that what
// follows goes on with one as well as with the other.
fn comes_to_same_place(partial: &str, overlap: &Overlap) -> bool {
    let begun = &partial[last_line_start(&partial[..overlap.from])..overlap.from];
    begun.trim_start() == partial[last_line_start(partial)..].trim_start()
}

// How many bytes of whole lines `text` ends with as `before` does; nothing where they say nothing.
fn lines_shared_at_end(before: &str, text: &str) -> usize {
    let pairs = before.bytes().rev().zip(text.bytes().rev());
    let same = pairs.take_while(|(one, other)| one == other).count();
    let start = ceil_boundary(text, text.len() - same);
    let at_line = start == 0 || text.as_bytes()[start - 1] == b'\n';
    let next = text[start..].find('\n').map_or(text.len(), |at| start + at + 1);
    let start = if at_line { start } else { next };
    if says_something(&text[start..]) { text.len() - start } else { 0 }
}

// How many bytes of whole lines `text` starts with as `after` does; nothing where they say nothing.
fn lines_shared_at_start(after: &str, text: &str) -> usize {
    let pairs = after.bytes().zip(text.bytes());
    let same = pairs.take_while(|(one, other)| one == other).count();
    let end =
        text.as_bytes()[..same].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    if says_something(&text[..end]) { end } else { 0 }
}

/// Returns whether a text is more than signs and a letter or two.
pub(crate) fn says_something(text: &str) -> bool {
    information(text.trim()) > weights::LEAST_TO_SHOW_NO_MOVE
}

/// Returns whether the cut line begins as both the line before it and the line after it do, by half or
/// more: in a list, an item that starts with all of the one before it is no surprise.
pub(crate) fn begins_alike(partial: &str, content: &str) -> bool {
    let start = last_line_start(partial);
    let half = partial[start..].trim();
    let is_alike = |line: &str| {
        let pairs = half.char_indices().zip(line.chars());
        let end = pairs.take_while(|((_, one), other)| one == other).last();
        let shared = information(&half[..end.map_or(0, |((at, sign), _)| at + sign.len_utf8())]);
        shared > 0.0 && shared * 2.0 >= information(half)
    };
    let before = partial[..start].lines().rev().map(str::trim).find(|line| !line.is_empty());
    let after = content.lines().skip(1).map(str::trim).find(|line| !line.is_empty());
    before.is_some_and(is_alike) && after.is_some_and(is_alike)
}

// The same for an overlap by itself.
fn told_alone(partial: &str, content: &str, overlap: &Overlap, place: Place) -> f32 {
    let repeated = &partial[overlap.from..];
    let complete = !seam::is_mid_line(partial);
    let half = &partial[last_line_start(partial)..];
    let mut told = surprise(repeated, complete);
    if overlap.alignment == Alignment::Inside && overlap.lines > 0 {
        // A line that starts in the middle of another one was not written on purpose, unless the cut
        // line has come to the same place.
        let first = repeated.lines().next().unwrap_or_default();
        let goes_on = !half.trim().is_empty() && comes_to_same_place(partial, overlap);
        let broken = if goes_on { 0.0 } else { information(first) };
        told += broken.min(weights::MOST_OF_BROKEN_LINE);
    }
    if overlap.same_indent {
        told += weights::SAME_INDENT;
    }
    let again = indent_of(content);
    if complete && overlap.lines == 1 && !again.is_empty() && again != indent_of(repeated) {
        // `try:` in `try:`, or `break` after `break`: the same line at another depth is a block
        // in a block, or the end of one.
        told = told.min(weights::MOST_AT_OTHER_DEPTH);
    }
    let as_deep =
        overlap.same_indent || (indent_of(half).is_empty() && indent_of(content).is_empty());
    if as_deep && overlap.alignment == Alignment::Line && is_comment_sign(half) {
        // ` * ` or `// ` again, as deep as before: the line of a comment starts over.
        told += weights::COMMENT_SIGN_AGAIN;
    }
    if repeats_around(partial, overlap, content) || is_periodic(partial, overlap, content) {
        told = told.min(weights::MOST_IN_PERIOD);
    }
    let one_line = repeated.trim().lines().count() == 1 && overlap.alignment == Alignment::Line;
    if place == Place::Words && complete && one_line {
        // Free text follows no rule that a line is there only once.
        told = told.min(weights::MOST_OF_LINE_IN_WORDS);
    }
    told
}

fn is_comment_sign(half: &str) -> bool {
    matches!(half.trim(), "*" | "//" | "///" | "//!" | "--" | "/**" | "/*" | "<!--")
}

// Whether the repeated text also is right before its place in the partial, or right after its
// place in the continuation: then repeating is what these texts do.
fn repeats_around(partial: &str, overlap: &Overlap, content: &str) -> bool {
    let repeated = &partial[overlap.from..];
    let bare = repeated.trim();
    !bare.is_empty()
        && (partial[..overlap.from].trim_end().ends_with(bare)
            || content[overlap.drop..].trim_start().starts_with(bare))
}

// Whether text inside a line goes on with the same period before or after the overlap.
fn is_periodic(partial: &str, overlap: &Overlap, content: &str) -> bool {
    if overlap.alignment != Alignment::Inside || overlap.lines > 0 {
        return false;
    }
    let (before, repeated) = partial.split_at(overlap.from);
    let backward = before.chars().rev().zip(repeated.chars().rev());
    let shared: String = backward.take_while(|(one, other)| one == other).map(|it| it.0).collect();
    let forward = content[overlap.drop..].chars().zip(repeated.chars());
    let again: String = forward.take_while(|(one, other)| one == other).map(|it| it.0).collect();
    information(&shared).max(information(&again)) >= weights::LEAST_INSIDE_LINE
}
