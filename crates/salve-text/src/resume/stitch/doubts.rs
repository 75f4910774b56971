//! Reasons to doubt a join that was chosen: signs that the texts may be meant to be joined otherwise.
//!
//! In: the texts and the join. Out: whether it is doubtful; then it is not called whole, which costs one more
//! question. Never chooses another join.

use super::{DropReason, Reading, Stitcher};
use crate::lines::{indent_of, last_line_start, width};
use crate::resume::weights;

// How many lines before and after the seam are near it.
const NEAR: usize = 24;
// How many characters on each side of a seam are compared with other places of the text.
const BEFORE_SEAM: usize = 3;
const AFTER_SEAM: usize = 2;
// How many characters that are repeated are no accident, wherever they begin.
const LONG_REPEAT: usize = 80;
// Signs that seldom begin a line.
const GOING_ON: &str = ":,.;?=+&|%>!";

impl Stitcher<'_> {
    /// Returns whether something speaks against the join.
    pub(super) fn is_doubtful(&self, best: &Reading) -> bool {
        self.sets_much_aside(best.side)
            || self.begins_as_no_line(best)
            || self.may_be_meant_twice(best)
            || self.keeps_foreign_break(best)
            || self.moves_half_a_line(best)
            || self.leaves_blanks_alone(best)
            || self.drops_a_row(best)
            || self.repeats_ends_of_rows(best)
    }

    // Whether the last break is kept, though it is of a kind that only what wrote the file uses.
    fn keeps_foreign_break(&self, best: &Reading) -> bool {
        let begins_line = self.content(best.side).starts_with(['\n', '\r']);
        self.has_foreign_break && best.side == 0 && !begins_line
    }

    // Whether a break is kept after nothing but an indentation, which is rather where the cut was.
    fn leaves_blanks_alone(&self, best: &Reading) -> bool {
        let kept = &self.partial[..self.sides[best.side].end];
        let Some(line) = kept.lines().next_back().filter(|_| kept.ends_with('\n')) else {
            return false;
        };
        let is_blank = !line.is_empty() && line.trim().is_empty();
        is_blank && !self.content(best.side).starts_with(['\n', '\r'])
    }

    // Whether a line is begun again that was ended: by the continuation, or before an indentation that was cut.
    // It may be followed by one that says the same and more, as rows do: the line before it is as deep and
    // begins alike.
    fn drops_a_row(&self, best: &Reading) -> bool {
        let (kept, taken_off) = self.partial.split_at(self.sides[best.side].end);
        let is_echo = best.candidate.drop > 0 || best.candidate.restarts_line;
        let is_ended = self.content(best.side).starts_with(['\n', '\r'])
            || (taken_off.contains('\n') && taken_off.ends_with([' ', '\t']));
        let begins = |line: &str| (indent_of(line).len(), line.trim_start().chars().next());
        let mut rows = kept.lines().rev().map(begins);
        let alike =
            matches!((rows.next(), rows.next()), (Some(last), Some(before)) if last == before);
        is_echo && is_ended && alike
    }

    // Whether little is dropped that begins within a line and ends in the next one: rows of a list end and
    // begin alike, and what a model repeats it repeats from the start of a line, or by many characters.
    fn repeats_ends_of_rows(&self, best: &Reading) -> bool {
        let kept = &self.partial[..self.sides[best.side].end];
        let dropped = &self.content(best.side)[..best.candidate.drop];
        let is_short = dropped.len() < LONG_REPEAT && dropped.trim_end().contains('\n');
        let before = kept.strip_suffix(dropped).unwrap_or_default();
        is_short && !before.trim_end_matches([' ', '\t']).is_empty() && !before.ends_with('\n')
    }

    // Whether the cut is in the indentation of a line, and the line is not as deep as it is written in
    // the continuation, or as the line after it wants it.
    fn moves_half_a_line(&self, best: &Reading) -> bool {
        let side = &self.sides[best.side];
        let begun = last_line_start(&self.partial[..side.end]);
        let half = &self.partial[begun..side.end];
        let kept = side.unwrapped.content.start + best.candidate.drop;
        let again = &self.continuation[side.unwrapped.content.start..kept];
        if half.is_empty() || !half.trim().is_empty() {
            return false;
        }
        let line = &best.text[begun..];
        if again.contains('\n') {
            let start = last_line_start(&self.continuation[..kept]);
            return indent_of(line) != indent_of(&self.continuation[start..]);
        }
        // It cannot be told how many of the blanks were sent twice.
        self.continuation[kept..].starts_with([' ', '\t']) && !is_as_deep_as_the_next_wants(line)
    }

    // Whether what is dropped from the middle of a line may be the next of several alike, such as
    // selectors, texts or numbers in a row: where it follows itself, the text reads as it does elsewhere.
    fn may_be_meant_twice(&self, best: &Reading) -> bool {
        if best.candidate.reason != Some(DropReason::RepeatedText) {
            return false;
        }
        let side = &self.sides[best.side];
        let start = side.unwrapped.content.start;
        let partial = &self.partial[..side.end];
        let dropped = &self.continuation[start..start + best.candidate.drop];
        let before = partial.char_indices().rev().nth(BEFORE_SEAM - 1).map(|(at, _)| at);
        let after = dropped.char_indices().nth(AFTER_SEAM).map(|(at, _)| at);
        let (Some(before), Some(after)) = (before, after) else { return false };
        let seam = format!("{}{}", &partial[before..], &dropped[..after]);
        !seam.contains('\n') && best.text.contains(&seam)
    }

    // Whether a break that may have been added is kept, and the line after it stands as deep as no line
    // near it does, or begins there with a sign that goes on with another line.
    fn begins_as_no_line(&self, best: &Reading) -> bool {
        let end = self.sides[best.side].end;
        let rest = best.text.get(end..).unwrap_or_default();
        let indent = indent_of(rest);
        let sign = rest[indent.len()..].chars().next();
        let sign = sign.filter(|sign| GOING_ON.contains(*sign));
        let begins = |line: &str| {
            indent_of(line) == indent
                && sign.is_none_or(|sign| line[indent.len()..].starts_with(sign))
        };
        let before = self.partial[..end].lines().rev().take(NEAR);
        let mut lines = before.chain(self.continuation.lines().skip(1).take(NEAR));
        let is_telling = sign.is_some() || !indent.is_empty();
        let is_kept = self.sides.len() > 1 && self.partial[..end].ends_with('\n');
        is_telling && is_kept && !lines.any(begins)
    }

    // Whether much was taken for talk with no fence to tell it from the content.
    fn sets_much_aside(&self, side: usize) -> bool {
        let dropped = &self.sides[side].unwrapped.dropped;
        let is = |wanted: DropReason| dropped.iter().filter(move |(_, why)| *why == wanted);
        let talk = is(DropReason::Preamble).chain(is(DropReason::Trailer));
        let length: usize = talk.map(|(span, _)| span.len()).sum();
        is(DropReason::Fence).next().is_none() && length > weights::LONG_TALK
    }
}

// Whether the first line of a text is as deep as an opening sign at its end, or a closing one at the
// start of the next line, has it.
fn is_as_deep_as_the_next_wants(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let (Some(first), Some(next)) = (lines.next(), lines.next()) else { return true };
    let opens = first.trim_end().ends_with(['{', '(', '[', ':', '>']);
    let closes = next.trim_start().starts_with(['}', ')', ']', '<']);
    let (first, next) = (width(indent_of(first)), width(indent_of(next)));
    match (opens, closes) {
        (true, false) => next > first,
        (false, true) => next < first,
        (true, true) | (false, false) => next == first,
    }
}
