//! The matching ladder: where in a file a hunk belongs, or why that cannot be said.
//!
//! In: a file's text and hunks. Out: per hunk the place, the rung that found it and the lines it
//! touches, or a refusal with every candidate. Never: a guess; each rung needs uniqueness or
//! evidence.

mod applied;
mod dependent;
mod elided;
mod evidence;
mod fold;
mod indent;
mod index;
mod ladder;
mod literal;
mod neighbours;
mod numbered;
mod parts;
mod pattern;
mod refusal;
mod reread;
mod resolve;
mod scored;
mod section;
mod similarity;
mod sorted;
mod spaced;
mod trimmed;
mod work;

pub(crate) use similarity::similarity;

use crate::FileText;
use salve_types::Hunk;
use serde::Serialize;

/// Places hunks in a text. All of them are placed in the same base, or the text stays as it is.
pub fn match_hunks(text: &FileText, hunks: &[Hunk], options: &MatchOptions) -> Matched {
    resolve::resolve(text, hunks, options)
}

/// The outcome of the hunks of one file.
#[must_use]
#[derive(Debug, Clone, PartialEq)]
pub struct Matched {
    /// One outcome per hunk, in order.
    pub outcomes: Vec<HunkOutcome>,
    /// The new text; nothing when a hunk was refused.
    pub text: Option<String>,
}

/// What the ladder may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MatchOptions {
    /// Allows the scored rung, which is off unless asked for.
    pub scored: bool,
    /// The hunks were written against exactly this text: its hash was named, or text and hunks were
    /// given together. Then a line number may choose between equal places, that of a diff where its
    /// other hunks show that the numbers are right, and a diff may be placed with less context than
    /// it has. Otherwise the file may have moved on since, and neither is
    /// proof: old numbers point at other copies, and the context that is gone may have been what
    /// told the place from another.
    pub base_known: bool,
    /// The line numbers are the caller's own, and not counted by the author of the diff.
    pub numbers_given: bool,
    /// The format has no way to say that a file ends without a line break, so a last line that it
    /// replaces gets one.
    pub whole_lines: bool,
}

/// The rungs, from proof to likelihood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Rung {
    /// By line number, expected text equal.
    Line,
    /// Exactly there, where the hunk says.
    AtHint,
    /// Exactly, in one place only.
    Exact,
    /// But for trailing space and line ends.
    TrailingSpace,
    /// But for a uniform shift of the indentation.
    Reindent,
    /// But for Unicode punctuation, entities, escapes, leaked line numbers, blank lines.
    Fold,
    /// With context lines taken off from the outside.
    ContextTrimmed,
    /// In segments around `...`.
    Elided,
    /// By similarity, with a margin.
    Scored,
    /// The whole file.
    Whole,
    /// Through the grammar's tree.
    Structure,
}

/// The outcome of one hunk.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum HunkOutcome {
    /// It has its place.
    Placed {
        /// How it was found.
        rung: Rung,
        /// 1-based first line of the old file it touches or, for a pure insertion, is before.
        first_line: usize,
        /// 1-based last line, inclusive; below `first_line` for a pure insertion.
        last_line: usize,
        /// Similarity, 1 for all rungs but the scored one.
        score: f64,
        /// The place was found in the result of the hunks before it, not in the file; the lines
        /// are lines of that result.
        in_result: bool,
    },
    /// The new text is there already and the old is not.
    AlreadyApplied {
        /// 1-based first line.
        first_line: usize,
        /// 1-based last line, inclusive.
        last_line: usize,
    },
    /// It has its place, and a person left it out.
    Declined {
        /// 1-based first line.
        first_line: usize,
        /// 1-based last line, inclusive; below `first_line` for a pure insertion.
        last_line: usize,
    },
    /// It has no place, or more than one.
    Refused(HunkRefusal),
}

impl HunkOutcome {
    /// Says that a person left it out.
    pub(crate) fn decline(&mut self) {
        if let Self::Placed { first_line, last_line, .. } = *self {
            *self = Self::Declined { first_line, last_line };
        }
    }
}

/// Why a hunk has no place.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HunkRefusal {
    /// The kind of reason.
    pub reason: HunkRefusalReason,
    /// The reason in one sentence that a model can act on.
    pub message: String,
    /// The places it could have meant, or the nearest ones; the first handful.
    pub candidates: Vec<MatchCandidate>,
    /// How many such places there are.
    pub total: usize,
}

/// The kinds of reasons for a refusal of one hunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum HunkRefusalReason {
    /// Nothing in the file is like it.
    NotFound,
    /// Several places fit equally.
    Ambiguous,
    /// The expected text is not what is on those lines.
    ExpectedDiffers,
    /// The line is outside the file.
    OutOfRange,
    /// Two hunks want the same lines.
    Overlap,
    /// An insertion that nothing in the file locates.
    NoContext,
    /// The heading that the hunk gives is no line of the file.
    AnchorAbsent,
    /// The result, read again, is not what the hunk asks for.
    NotAsMeant,
}

/// A place a hunk could have meant.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MatchCandidate {
    /// 1-based first line.
    pub first_line: usize,
    /// 1-based last line, inclusive.
    pub last_line: usize,
    /// Similarity to what the hunk seeks, 0 to 1.
    pub score: f64,
    /// The lines as they are in the file.
    pub text: String,
}

#[cfg(test)]
mod tests;
