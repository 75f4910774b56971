//! Edits: what a model wants changed, whatever format it was written in.
//!
//! In: nothing; the parsers of salve-text fill these. Out: one plain model of a change to files
//! that salve-tree verifies. Never: a claim that an edit fits a file; that is verified later.

use crate::Span;
use serde::Serialize;
use std::collections::BTreeMap;

/// Everything one reply wants changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EditSet {
    /// The format that was recognised from the content.
    pub format: EditFormat,
    /// The files, in the order of the reply.
    pub files: Vec<FileEdit>,
    /// Whether the text ended where an edit may end.
    pub end: EditEnd,
    /// What the parser repaired or thought worth saying.
    pub notes: Vec<EditNote>,
    /// `fileHashes` of the carrier: path as written to hash as written. `None` when the carrier
    /// has no such field, so that a missing entry can be told from a missing field.
    pub hashes: Option<BTreeMap<String, String>>,
}

/// The formats in which models write edits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum EditFormat {
    /// `--- a/x`, `+++ b/x`, `@@`.
    UnifiedDiff,
    /// `*** Begin Patch` … `*** End Patch`.
    ApplyPatch,
    /// SEARCH/REPLACE blocks in any dialect.
    SearchReplace,
    /// A JSON tool call: old and new text, before and after, insert, whole content.
    JsonTool,
    /// Line operations: insert, replace, delete by 1-based line.
    LineOperations,
    /// Whole files, fenced or bare.
    WholeFile,
    /// Whole files in which "… existing code …" stands for lines of the old file.
    LazyFile,
    /// "ORIGINAL" and "CHANGED" blocks in prose.
    OriginalChanged,
    /// No edit was recognised.
    Unknown,
}

/// How the text of an edit set ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum EditEnd {
    /// Every construct that was opened is closed.
    Complete,
    /// The text stops inside a construct; the set must never be applied.
    Truncated {
        /// Byte offset of the construct that is not closed.
        at: usize,
        /// What is missing, in one sentence.
        why: String,
    },
    /// The text is no edit that can be read without guessing.
    Malformed {
        /// Byte offset of what cannot be read.
        at: usize,
        /// What is wrong and what would be right, in one sentence.
        why: String,
    },
}

/// Something the parser of an edit did or noticed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EditNote {
    /// What kind of thing it is; `salve explain CODE` tells more.
    pub code: EditNoteCode,
    /// What was done, in one sentence.
    pub message: String,
    /// Where, in bytes of the reply.
    pub span: Span,
}

/// The kinds of notes on an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[non_exhaustive]
pub enum EditNoteCode {
    /// The counts in a hunk header did not fit its lines; the lines were believed.
    HunkCount,
    /// A line of a hunk had no prefix and was read as context.
    MissingPrefix,
    /// `-old+new` on one line was read as two lines.
    MergedLine,
    /// The file header was absent or incomplete.
    MissingHeader,
    /// Markers differed from the dialect but could only mean one thing.
    LooseMarker,
    /// The edit changes nothing as written.
    NoEffect,
    /// The JSON around the edit was repaired without touching a value.
    JsonRepaired,
    /// The label said another format than the content.
    FormatMismatch,
}

/// What is to happen to one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileEdit {
    /// The path as written, without `a/` and `b/`. `None` when the reply names no file and the
    /// caller's target is meant.
    pub path: Option<String>,
    /// The change of the content.
    pub change: FileChange,
    /// The new path, when the file is moved too.
    pub rename_to: Option<String>,
    /// The permission bits the file is to have, when the edit says so.
    pub mode: Option<u32>,
    /// Where it is in the reply.
    pub span: Span,
}

/// The change of one file's content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FileChange {
    /// The content stays; only the name or the mode changes.
    Keep,
    /// A new file; it must not exist yet.
    Create(String),
    /// The whole content; creates the file or replaces it.
    Write(String),
    /// The whole content with omission markers that stand for lines of the old file.
    Lazy(String),
    /// Changes in places.
    Patch(Vec<Hunk>),
    /// The file is deleted.
    Delete,
}

/// One change in one place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Hunk {
    /// What is replaced by what.
    pub body: HunkBody,
    /// The 1-based line of the old file where the hunk claims to begin.
    pub hint: Option<u32>,
    /// Lines (or their beginnings) that stand above the place, outermost first: the text after
    /// `@@` of a diff or an envelope.
    pub anchors: Vec<String>,
    /// Which of several equal places is meant.
    pub occurrence: Occurrence,
    /// The hunk ends at the end of the file (`*** End of File`).
    pub at_end: bool,
    /// Where it is in the reply.
    pub span: Span,
}

/// What a hunk replaces by what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HunkBody {
    /// Lines of a diff.
    Lines(Vec<HunkLine>),
    /// Whole lines sought and whole lines put in their place. An empty `old` means an empty or
    /// absent file.
    Block {
        /// The lines sought, without terminators.
        old: Vec<String>,
        /// The lines put in their place.
        new: Vec<String>,
    },
    /// Literal text, which may begin and end inside a line.
    Text {
        /// The text sought. Empty means an empty or absent file.
        old: String,
        /// The text put in its place.
        new: String,
    },
    /// A change by line number.
    At(LineOperation),
}

/// One line of a diff's hunk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HunkLine {
    /// Kept, removed or added.
    pub kind: LineKind,
    /// The line without its prefix and without a terminator.
    pub text: String,
    /// `\ No newline at end of file` follows.
    pub no_newline: bool,
}

/// What happens to a line of a hunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LineKind {
    /// Stays; proves the place.
    Context,
    /// Goes away.
    Remove,
    /// Comes in.
    Add,
}

/// A change by line number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LineOperation {
    /// What is done.
    pub kind: LineOperationKind,
    /// 1-based first line. An insert is before this line; one past the last line appends.
    pub start: u32,
    /// 1-based last line, inclusive. Equal to `start` for an insert.
    pub end: u32,
    /// The text that must stand there (for an insert: on the line `start`), when the reply says.
    pub expected: Option<String>,
    /// The new lines as one text, without a final terminator.
    pub text: String,
}

/// The kinds of line operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LineOperationKind {
    /// Puts lines before a line.
    Insert,
    /// Puts lines in the place of lines.
    Replace,
    /// Takes lines away.
    Delete,
}

/// Which of several equal places a hunk means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Occurrence {
    /// Exactly one; several are ambiguous unless evidence decides.
    One,
    /// All of them.
    All,
}

impl Hunk {
    /// Reads removed lines that look like `-old+new` as the two lines they may have been.
    ///
    /// `None` when no line looks so. A reader of diffs keeps the lines as written, because
    /// `-x = a+b` is a legal line; who has the file may try this reading when the literal one has
    /// no place in it.
    pub fn split_merged(&self) -> Option<Self> {
        let HunkBody::Lines(lines) = &self.body else { return None };
        let mut read = Vec::with_capacity(lines.len() + 1);
        let mut rest = lines.as_slice();
        while let [line, after @ ..] = rest {
            let replaced = after.first().is_some_and(|next| next.kind == LineKind::Add);
            match line.merged_halves() {
                Some((old, new)) if !replaced => {
                    let half = |kind, text: &str| HunkLine {
                        kind,
                        text: text.to_owned(),
                        no_newline: line.no_newline,
                    };
                    read.push(half(LineKind::Remove, old));
                    read.push(half(LineKind::Add, new));
                }
                _ => read.push(line.clone()),
            }
            rest = after;
        }
        (read.len() > lines.len()).then(|| Self { body: HunkBody::Lines(read), ..self.clone() })
    }
}

impl HunkLine {
    /// Cuts a removed line at the `+` after which it seems to begin anew.
    fn merged_halves(&self) -> Option<(&str, &str)> {
        // Enough to be no accident, few enough to find `x = 1` again in `x = 1+x = 2`.
        const SHARED: usize = 4;
        const TRIED: usize = 32;
        if self.kind != LineKind::Remove {
            return None;
        }
        let mut best = (0, None);
        for (at, _) in self.text.match_indices('+').take(TRIED) {
            let (old, new) = (&self.text[..at], &self.text[at + 1..]);
            let (left, right) = (old.trim(), new.trim());
            let alike = left.bytes().zip(right.bytes()).take_while(|(a, b)| a == b).count();
            let shorter = left.len().min(right.len());
            if alike >= SHARED && alike * 3 >= shorter && alike > best.0 {
                best = (alike, Some((old, new)));
            }
        }
        best.1
    }
}

impl EditFormat {
    /// Lists every format that can be asked for.
    pub const ALL: &[Self] = &[
        Self::UnifiedDiff,
        Self::ApplyPatch,
        Self::SearchReplace,
        Self::JsonTool,
        Self::LineOperations,
        Self::WholeFile,
        Self::LazyFile,
        Self::OriginalChanged,
    ];

    /// Returns the name as it is on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::UnifiedDiff => "unified_diff",
            Self::ApplyPatch => "apply_patch",
            Self::SearchReplace => "search_replace",
            Self::JsonTool => "json_tool",
            Self::LineOperations => "line_operations",
            Self::WholeFile => "whole_file",
            Self::LazyFile => "lazy_file",
            Self::OriginalChanged => "original_changed",
            Self::Unknown => "unknown",
        }
    }
}

impl EditNoteCode {
    /// Lists every code.
    pub const ALL: &[Self] = &[
        Self::HunkCount,
        Self::MissingPrefix,
        Self::MergedLine,
        Self::MissingHeader,
        Self::LooseMarker,
        Self::NoEffect,
        Self::JsonRepaired,
        Self::FormatMismatch,
    ];

    /// Returns the code as it is on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::HunkCount => "HUNK_COUNT",
            Self::MissingPrefix => "MISSING_PREFIX",
            Self::MergedLine => "MERGED_LINE",
            Self::MissingHeader => "MISSING_HEADER",
            Self::LooseMarker => "LOOSE_MARKER",
            Self::NoEffect => "NO_EFFECT",
            Self::JsonRepaired => "JSON_REPAIRED",
            Self::FormatMismatch => "FORMAT_MISMATCH",
        }
    }
}
