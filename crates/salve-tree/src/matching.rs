//! The matching ladder: where in a file a hunk belongs, or why that cannot be said.
//!
//! In: a file's text and hunks. Out: per hunk the place, the rung that found it and the lines it
//! touches, or a refusal with every candidate. Never: a guess; each rung needs uniqueness or
//! evidence.

use serde::Serialize;

/// What the ladder may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MatchOptions {
    /// Allows the scored rung, which is off unless asked for.
    pub scored: bool,
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
    /// But for Unicode punctuation, entities, escapes, leaked line numbers.
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

/// What became of one hunk.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum HunkOutcome {
    /// It has its place.
    Placed {
        /// How it was found.
        rung: Rung,
        /// 1-based first line of the old file it touches or, for a pure insertion, stands before.
        first_line: usize,
        /// 1-based last line, inclusive; below `first_line` for a pure insertion.
        last_line: usize,
        /// Similarity, 1 for all rungs but the scored one.
        score: f64,
    },
    /// The new text stands there already and the old does not.
    AlreadyApplied {
        /// 1-based first line.
        first_line: usize,
        /// 1-based last line, inclusive.
        last_line: usize,
    },
    /// It has no place, or more than one.
    Refused(HunkRefusal),
}

/// Why a hunk has no place.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HunkRefusal {
    /// The kind of reason.
    pub reason: RefusalReason,
    /// The reason in one sentence that a model can act on.
    pub message: String,
    /// Every place it could have meant, or the nearest ones.
    pub candidates: Vec<Candidate>,
}

/// The kinds of reasons for a refusal of one hunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RefusalReason {
    /// Nothing in the file is like it.
    NotFound,
    /// Several places fit equally.
    Ambiguous,
    /// The expected text is not what stands on those lines.
    ExpectedDiffers,
    /// The line is outside the file.
    OutOfRange,
    /// Two hunks want the same lines.
    Overlap,
    /// An insertion that nothing in the file locates.
    NoContext,
}

/// A place a hunk could have meant.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Candidate {
    /// 1-based first line.
    pub first_line: usize,
    /// 1-based last line, inclusive.
    pub last_line: usize,
    /// Similarity to what the hunk seeks, 0 to 1.
    pub score: f64,
    /// The lines as they stand in the file.
    pub text: String,
}
