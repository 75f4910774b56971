//! The ways in which a continuation may follow a partial text.
//!
//! In: both texts. Out: a handful of candidates, each with the evidence of the seam itself, and the
//! text a candidate makes. Never more than a fixed number of them, whatever the texts repeat.

use super::breaks::Habits;
use super::overlap::{Alignment, Overlap, overlaps};
use super::repetition::information;
use super::seam::{self, Vocabulary};
use super::stitch::{DropReason, Place};
use super::told::{begins_alike, says_something, told_by};
use super::weights;
use crate::lines::{ceil_boundary, indent_of, last_line_start, width};

/// One way to join.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Candidate {
    /// How many bytes at the start of the content are left out.
    pub(crate) drop: usize,
    /// Why they are left out.
    pub(crate) reason: Option<DropReason>,
    /// What is put between the texts.
    pub(crate) insert: &'static str,
    /// By how many columns the lines of the content are too deep.
    pub(crate) shift: i32,
    /// Whether the kept text starts a line whose indentation the partial may have begun.
    pub(crate) restarts_line: bool,
    /// Whether repeated lines showed that nothing was moved.
    pub(crate) unmoved: bool,
    /// Whether it is only a doubt: too little is repeated to drop it, and enough to ask.
    pub(crate) faint: bool,
    /// Whether what is dropped is the end of a word of the partial text, and nothing else.
    pub(crate) part_of_word: bool,
    /// Whether what is dropped is a word inside a line, and nothing else.
    pub(crate) one_word: bool,
    /// Whether what is dropped begins a line as the lines around it do.
    pub(crate) begins_alike: bool,
    /// How surprising it would be, in bits, if the dropped text were meant.
    pub(crate) told: f32,
    /// What speaks for it, in bits; the plain join without other evidence has none.
    pub(crate) bits: f32,
}

// How many overlaps of each kind are looked at.
const OVERLAPS: usize = 3;
const FAINT_OVERLAPS: usize = 4;

/// Lists the candidates for `content` after `partial`.
pub(crate) fn propose(
    partial: &str,
    content: &str,
    place: Place,
    loose: bool,
    vocabulary: &Vocabulary<'_>,
) -> Vec<Candidate> {
    let plain = Candidate {
        drop: 0,
        reason: None,
        insert: "",
        shift: 0,
        restarts_line: false,
        unmoved: false,
        faint: false,
        part_of_word: false,
        one_word: false,
        begins_alike: false,
        told: 0.0,
        bits: seam::fit(partial, content, place, vocabulary),
    };
    let mut found = vec![plain.clone()];
    found.extend(repeated_indent(partial, content, &plain));
    found.extend(missing_break(partial, content, place, loose, &plain));
    found.extend(extra_break(partial, content, place, vocabulary, &plain));
    let overlaps = overlaps(partial, content, OVERLAPS);
    let told = told_by(partial, content, &overlaps, place);
    for (overlap, told) in overlaps.iter().zip(told) {
        if says_something(&partial[overlap.from..]) && shows_no_move(overlap) {
            // Meant or not, the line is where it stood.
            found.iter_mut().for_each(|candidate| candidate.unmoved |= candidate.drop == 0);
        }
        found.extend(echo(partial, content, overlap, told, place, vocabulary));
    }
    found
}

/// Lists the repetitions of a few signs inside a line, each of which chance or an echo explains.
pub(crate) fn faint_echoes(
    partial: &str,
    content: &str,
    place: Place,
    habits: &Habits,
    vocabulary: &Vocabulary<'_>,
) -> Vec<Candidate> {
    let few = overlaps(partial, content, FAINT_OVERLAPS).into_iter();
    few.filter(|overlap| is_faint(partial, overlap))
        .map(|overlap| {
            let (repeated, rest) = content.split_at(overlap.drop);
            let told = habits.echo_bits(partial, repeated, rest);
            let fit = seam::fit(partial, rest, place, vocabulary);
            Candidate {
                drop: overlap.drop,
                reason: Some(DropReason::RepeatedText),
                insert: "",
                shift: 0,
                restarts_line: false,
                unmoved: true,
                faint: true,
                part_of_word: false,
                one_word: false,
                begins_alike: false,
                told: 0.0,
                bits: weights::FAINT_ECHO + told + fit,
            }
        })
        .collect()
}

// Whether an overlap inside a line is too short to be told from chance. A line break alone tells
// nothing: the next line may well start like the cut one.
fn is_faint(partial: &str, overlap: &Overlap) -> bool {
    let repeated = partial[overlap.from..].trim_start_matches(['\n', '\r']);
    overlap.alignment == Alignment::Inside && information(repeated) < weights::LEAST_INSIDE_LINE
}

/// Makes the text of a candidate; nothing when its shift does not fit every line.
pub(crate) fn assemble(partial: &str, content: &str, candidate: &Candidate) -> Option<String> {
    let rest = &content[candidate.drop..];
    let mut out = String::with_capacity(partial.len() + rest.len() + 64);
    out.push_str(partial);
    out.push_str(candidate.insert);
    let half = &partial[last_line_start(partial)..];
    let tabs = uses_tabs(partial);
    let starts_line = candidate.restarts_line
        || !candidate.insert.is_empty()
        || (candidate.drop == 0 && half.trim().is_empty());
    for (index, line) in rest.split_inclusive('\n').enumerate() {
        let is_first = index == 0;
        if is_first && !starts_line {
            out.push_str(line);
            continue;
        }
        let moved = shifted(line, candidate.shift, tabs)?;
        if is_first && candidate.restarts_line && !half.is_empty() {
            out.push_str(moved.strip_prefix(half)?);
        } else {
            out.push_str(&moved);
        }
    }
    Some(out)
}

// An overlap as a candidate: the more surprising its repetition would be, the likelier the echo.
fn echo(
    partial: &str,
    content: &str,
    overlap: &Overlap,
    told: f32,
    place: Place,
    vocabulary: &Vocabulary<'_>,
) -> Vec<Candidate> {
    let repeated = &partial[overlap.from..];
    if is_faint(partial, overlap) {
        return Vec::new();
    }
    let complete = !seam::is_mid_line(partial);
    let rest = &content[overlap.drop..];
    let (prior, reason) = match overlap.alignment {
        Alignment::Line if overlap.from == 0 => (weights::PREFILL, DropReason::PrefillEcho),
        Alignment::Line if overlap.lines > 0 => {
            (weights::REPEATED_LINES, DropReason::RepeatedLines)
        }
        Alignment::Line => (weights::REPEATED_HALF_LINE, DropReason::RepeatedHalfLine),
        Alignment::Inside => (weights::REPEATED_TEXT, DropReason::RepeatedText),
    };
    let fit = seam::fit(partial, rest, place, vocabulary);
    let plain = Candidate {
        drop: overlap.drop,
        reason: Some(reason),
        insert: "",
        shift: 0,
        restarts_line: overlap.to_line_start,
        unmoved: shows_no_move(overlap),
        faint: false,
        part_of_word: is_part_of_word(partial, overlap),
        one_word: overlap.alignment == Alignment::Inside && is_one_word(repeated),
        begins_alike: overlap.lines == 0 && begins_alike(partial, content),
        told,
        bits: prior + told + fit.max(weights::WORST_SEAM_AFTER_ECHO),
    };
    let moved = overlap.shift.is_some_and(|shift| shift != 0);
    let brackets = repeated.chars().all(|sign| "{}[]();, \t\r\n".contains(sign));
    if moved && overlap.lines > 0 && complete && brackets {
        // Closing brackets at another depth are other closing brackets.
        return Vec::new();
    }
    // The repeated lines show how far the model moved everything, so the move is all but certain.
    let Some(shift) = overlap.shift.filter(|&shift| shift != 0) else { return vec![plain] };
    let shifted = Candidate { shift, bits: plain.bits + weights::SHOWN_MOVE, ..plain.clone() };
    vec![shifted, Candidate { bits: plain.bits + weights::IGNORED_MOVE, ..plain }]
}

// Whether the repeated lines are where they stood. Text that is repeated byte for byte over the
// end of a line shows it as well.
fn shows_no_move(overlap: &Overlap) -> bool {
    match overlap.alignment {
        Alignment::Line => overlap.shift == Some(0) && (overlap.lines > 0 || overlap.same_indent),
        Alignment::Inside => overlap.lines > 0,
    }
}

// A word that is said twice may be two names, as in a path.
fn is_one_word(repeated: &str) -> bool {
    let words = repeated.split(|sign: char| !(sign.is_alphanumeric() || sign == '_'));
    words.filter(|word| !word.is_empty()).count() < 2
}

// Two names may end alike, and a line that begins with the shorter one is no echo of the longer one.
fn is_part_of_word(partial: &str, overlap: &Overlap) -> bool {
    let is_word = |sign: char| sign.is_alphanumeric() || sign == '_';
    let (before, repeated) = partial.split_at(overlap.from);
    before.ends_with(is_word) && repeated.chars().all(is_word)
}

// The partial stops in the indentation of a line, and the continuation writes it again.
fn repeated_indent(partial: &str, content: &str, plain: &Candidate) -> Option<Candidate> {
    let half = &partial[last_line_start(partial)..];
    let begins = !half.is_empty() && half.trim().is_empty() && content.starts_with(half);
    begins.then(|| Candidate {
        restarts_line: true,
        bits: plain.bits + weights::REPEATED_INDENT,
        ..plain.clone()
    })
}

// The partial stops after a complete line, and the continuation starts the next one without a
// line break: indentation, or a word right after a semicolon or a brace, is the evidence.
fn missing_break(
    partial: &str,
    content: &str,
    place: Place,
    loose: bool,
    plain: &Candidate,
) -> Option<Candidate> {
    if place != Place::Code || !seam::is_mid_line(partial) {
        return None;
    }
    let blanks = indent_of(content);
    let next = content[blanks.len()..].chars().next()?;
    let last = partial.chars().next_back()?;
    let starts = next.is_alphanumeric()
        || matches!(next, '_' | '#' | '@' | '/' | '}' | ')' | ']' | '<' | '"' | '.');
    let indented = blanks.len() >= 2 || blanks.starts_with('\t');
    // One blank is how the same line goes on, and the start of the cut line is an echo.
    let half = partial[last_line_start(partial)..].trim();
    if blanks == " " || content[blanks.len()..].starts_with(half) {
        return None;
    }
    let ends = matches!(last, ';' | '{' | '}' | ',' | ':' | ')' | '(' | '[' | '>');
    let bits = match (ends && starts, indented) {
        (true, true) => weights::BREAK_BEFORE_INDENT,
        (true, false) if matches!(last, ';' | '}') && !packed(partial) && next.is_alphabetic() => {
            weights::BREAK_AFTER_STATEMENT
        }
        (true, false) if loose && ends_lines(partial, last, next) => {
            weights::BREAK_AFTER_ANNOUNCEMENT
        }
        _ => return None,
    };
    let line_break = if partial.contains("\r\n") { "\r\n" } else { "\n" };
    Some(Candidate { insert: line_break, bits, ..plain.clone() })
}

// Whether this sign ends lines here, rather than standing right before more of them.
fn ends_lines(partial: &str, last: char, next: char) -> bool {
    if !matches!(last, ';' | '{' | '}' | ',') || (last == '{' && next == '}') {
        return false;
    }
    let follows = |after: u8| {
        let pairs = partial.as_bytes().windows(2);
        pairs.filter(|pair| char::from(pair[0]) == last && pair[1] == after).count()
    };
    let goes_on = u8::try_from(next).map_or(0, follows);
    !partial.ends_with("${") && !partial.ends_with("#{") && goes_on * 4 <= follows(b'\n')
}

// Whether the text itself writes words right after semicolons and braces.
fn packed(partial: &str) -> bool {
    partial
        .as_bytes()
        .windows(2)
        .any(|pair| matches!(pair[0], b';' | b'}') && pair[1].is_ascii_alphabetic())
}

// The partial stops inside a word, and the continuation goes on with it after a line break.
fn extra_break(
    partial: &str,
    content: &str,
    place: Place,
    vocabulary: &Vocabulary<'_>,
    plain: &Candidate,
) -> Option<Candidate> {
    let rest = content.trim_start_matches(['\n', '\r']);
    let drop = content.len() - rest.len();
    let (left, right) = (seam::last_word(partial), seam::first_word(rest));
    if drop == 0 || place != Place::Code || left.is_empty() || right.is_empty() {
        return None;
    }
    let joined = format!("{left}{right}");
    let decided = vocabulary.knows(&joined) && !vocabulary.knows(left) && !vocabulary.knows(right);
    decided.then(|| Candidate {
        drop,
        reason: Some(DropReason::LineBreak),
        bits: weights::BREAK_IN_WORD,
        ..plain.clone()
    })
}

fn uses_tabs(text: &str) -> bool {
    let start = ceil_boundary(text, text.len().saturating_sub(16 * 1024));
    let tabs = text[start..].matches("\n\t").count();
    tabs > 0 && tabs >= text[start..].matches("\n  ").count()
}

// A line moved to the left by `shift` columns, or to the right by a negative one.
fn shifted(line: &str, shift: i32, tabs: bool) -> Option<String> {
    if shift == 0 || line.trim().is_empty() {
        return Some(line.to_owned());
    }
    let indent = indent_of(line);
    if shift < 0 {
        let missing = usize::try_from(-shift).ok()?;
        let unit =
            if tabs && missing % 4 == 0 { "\t".repeat(missing / 4) } else { " ".repeat(missing) };
        return Some(format!("{unit}{line}"));
    }
    let mut removed = 0;
    for (at, byte) in indent.bytes().enumerate() {
        if removed == shift {
            return Some(line[at..].to_owned());
        }
        removed += if byte == b'\t' { 4 } else { 1 };
    }
    (removed == shift && width(indent) == shift).then(|| line[indent.len()..].to_owned())
}
