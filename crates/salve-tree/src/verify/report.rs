//! What verification decided, per file and per hunk, as data.
//!
//! In: the decisions. Out: plain values that serialise. Never: a decision.

use crate::change_hunks::{ChangeHunk, single_changes};
use crate::{ContentHash, HunkOutcome, PlannedFile, VerifiedEdits};
use serde::{Deserialize, Serialize};

/// The decisions about every file of a set.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Report {
    /// The files in the order of the reply.
    pub files: Vec<FileReport>,
}

/// The decisions about one file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FileReport {
    /// The admitted path, or the path as written where it was not admitted.
    pub path: String,
    /// Where the file goes, when it is moved.
    pub moved_to: Option<String>,
    /// What is done to it.
    pub operation: Operation,
    /// What was decided.
    pub outcome: FileOutcome,
    /// What was decided about each hunk, in the order of the reply.
    pub hunks: Vec<HunkOutcome>,
    /// The hash of the file as it is now.
    pub hash: Option<ContentHash>,
    /// The edit was made on an older version and was carried over to the present one.
    pub rebased: bool,
    /// What is worth knowing beside.
    pub notes: Vec<String>,
}

/// What is done to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Operation {
    /// It comes new.
    Create,
    /// Its content or its mode changes.
    Update,
    /// It is deleted.
    Delete,
    /// It is moved, and perhaps changed.
    Rename,
}

/// What was decided about one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
#[non_exhaustive]
pub enum FileOutcome {
    /// It is in the plan.
    Planned,
    /// No changes needed: the file is already as the edit wants it.
    NoChange,
    /// It fits, and a person left it out.
    Declined,
    /// It is not in the plan.
    Refused {
        /// The kind of reason.
        code: RefusalCode,
        /// The reason in its short form.
        message: &'static str,
        /// The reason in full, and what to do next.
        detail: String,
        /// Where the edit and a later change exclude each other.
        conflicts: Vec<SideOfConflict>,
    },
}

/// One place that both an edit and a later change touched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SideOfConflict {
    /// The lines as they are in the file now.
    pub present: String,
    /// The lines as the model saw them.
    pub base: String,
    /// The lines as the edit wants them.
    pub wanted: String,
}

/// Why edits do not fit.
#[must_use]
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Refusal {
    /// The kind of reason; of the first file that was refused, where files were.
    pub code: RefusalCode,
    /// The reason in its short form.
    pub message: String,
    /// The reason in full, and what to do next.
    pub detail: String,
    /// The decisions about every file.
    pub report: Report,
}

/// The kinds of reasons for a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RefusalCode {
    /// The reply was cut.
    Truncated,
    /// The reply cannot be read without guessing.
    Malformed,
    /// The reply holds no edit.
    NoEdits,
    /// A rule refuses the path.
    Path,
    /// The edit names no file.
    NoPath,
    /// The file cannot be read, or is not text.
    Unreadable,
    /// The file is not what the model saw.
    HashMismatch,
    /// A hash is demanded and absent.
    NoHashProvided,
    /// A new file is where one exists.
    AlreadyExists,
    /// There is no such file.
    MissingFile,
    /// A hunk has no place, or more than one.
    HunkRefused,
    /// What an omission stands for is not known.
    LazyUnresolved,
    /// Several edits of one file contradict each other.
    CarriersDisagree,
    /// Two paths of the set exclude each other.
    PathsCollide,
    /// The edit and a later change touch the same lines.
    Conflict,
    /// New text has a comment in the place of code.
    Omission,
    /// The file would lose more than half of its lines.
    Shrink,
    /// The grammar would see more errors than before.
    SyntaxErrors,
}

impl RefusalCode {
    /// Lists every code.
    pub const ALL: &[Self] = &[
        Self::Truncated,
        Self::Malformed,
        Self::NoEdits,
        Self::Path,
        Self::NoPath,
        Self::Unreadable,
        Self::HashMismatch,
        Self::NoHashProvided,
        Self::AlreadyExists,
        Self::MissingFile,
        Self::HunkRefused,
        Self::LazyUnresolved,
        Self::CarriersDisagree,
        Self::PathsCollide,
        Self::Conflict,
        Self::Omission,
        Self::Shrink,
        Self::SyntaxErrors,
    ];

    /// Returns the reason in its short form.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Truncated => "truncated response",
            Self::Malformed => "malformed edit",
            Self::NoEdits => "no edits found",
            Self::Path => "path refused",
            Self::NoPath => "no file named",
            Self::Unreadable => "file cannot be edited",
            Self::HashMismatch => "Hash mismatch",
            Self::NoHashProvided => "No hash provided",
            Self::AlreadyExists => "file exists already",
            Self::MissingFile => "no such file",
            Self::HunkRefused => "hunk does not fit",
            Self::LazyUnresolved => "omission cannot be resolved",
            Self::CarriersDisagree => "edits of one file disagree",
            Self::PathsCollide => "paths exclude each other",
            Self::Conflict => "conflict with a later change",
            Self::Omission => "code was left out",
            Self::Shrink => "file would lose most of its lines",
            Self::SyntaxErrors => "syntax errors would rise",
        }
    }
}

impl FileOutcome {
    /// Makes a refusal.
    pub(crate) fn refused(code: RefusalCode, detail: impl Into<String>) -> Self {
        let detail = detail.into();
        Self::Refused { code, message: code.label(), detail, conflicts: Vec::new() }
    }

    /// Tells whether the file was refused.
    pub const fn is_refused(&self) -> bool {
        matches!(self, Self::Refused { .. })
    }
}

impl Report {
    /// Takes note of what a person chose from the plan: what was left out is not done.
    pub fn note_choice(&mut self, chosen: &VerifiedEdits) {
        for file in self.files.iter_mut().filter(|file| file.outcome == FileOutcome::Planned) {
            let is_taken = |planned: &&PlannedFile| {
                let path = planned.path.as_str();
                path == file.path || file.moved_to.as_deref() == Some(path)
            };
            match chosen.files().iter().find(is_taken) {
                Some(taken) => file.note_taken(taken),
                None => {
                    file.outcome = FileOutcome::Declined;
                    file.hunks.iter_mut().for_each(HunkOutcome::decline);
                }
            }
        }
    }
}

impl FileReport {
    // A hunk is taken when the file changes where it is.
    fn note_taken(&mut self, taken: &PlannedFile) {
        let (Some(before), Some(after)) = (&taken.before, &taken.after) else { return };
        let changed: Vec<_> = single_changes(&before.bytes, &after.bytes)
            .iter()
            .map(ChangeHunk::changed_lines)
            .collect();
        for hunk in &mut self.hunks {
            let HunkOutcome::Placed { first_line, last_line, in_result: false, .. } = hunk else {
                continue;
            };
            let (first, last) = (*first_line, (*last_line).max(*first_line));
            let touches = changed.iter().any(|lines| lines.start <= last && first <= lines.end);
            if !touches {
                hunk.decline();
            }
        }
    }

    /// Counts the hunks that have a place or need none.
    pub fn fine_hunks(&self) -> usize {
        self.hunks.iter().filter(|hunk| !matches!(hunk, HunkOutcome::Refused(_))).count()
    }
}

impl Refusal {
    /// Refuses all of a reply that was cut.
    pub(super) fn truncated(changes: usize, why: &str) -> Self {
        // The reader may have met no path yet; the reply still held something that was cut.
        let changes = changes.max(1);
        Self {
            code: RefusalCode::Truncated,
            message: format!("🚫 BLOCKED: {changes} file change(s) from truncated response."),
            detail: format!(
                "The response was cut off mid-stream. NO changes have been applied.\n{why}"
            ),
            report: Report::default(),
        }
    }

    /// Refuses a set as a whole.
    pub(super) fn of_set(code: RefusalCode, why: &str) -> Self {
        let message = code.label().to_owned();
        Self { code, message, detail: why.to_owned(), report: Report::default() }
    }

    /// Refuses a set because of its files.
    pub(super) fn of_report(report: Report) -> Self {
        let first = report.files.iter().find_map(|file| match &file.outcome {
            FileOutcome::Refused { code, message, detail, .. } => {
                Some((*code, (*message).to_owned(), format!("{}: {detail}", file.path)))
            }
            _ => None,
        });
        let (code, message, detail) =
            first.unwrap_or((RefusalCode::NoEdits, String::new(), String::new()));
        Self { code, message, detail, report }
    }
}
