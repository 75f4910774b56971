//! What a heal can be learned from: one step from a red state to a better one.
//!
//! In: the texts of the files before and after a fix that helped, and the diagnostics that it ended. Out:
//! plain data that patterns and rules are made of, once the heal's change is in the tree. Never made of a fix
//! that was refused, rolled back or only shown.

use super::Names;
use crate::heal::{FixCommand, FixSource, Sources};
use salve_tree::{ChangeHunk, ShownAs, single_changes};
use salve_types::{Diagnostic, Position};
use serde::{Deserialize, Serialize};

/// A step of a heal that helped.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lesson {
    /// Where the fix is from.
    pub source: FixSource,
    /// Who made it.
    pub author: String,
    /// What it does.
    pub description: String,
    /// The hash of what it does.
    pub hash: String,
    /// What was wrong before and is not after.
    pub diagnostics: Vec<Diagnostic>,
    /// The files that it changed, with both texts.
    pub files: Vec<LessonFile>,
    /// The commands that it ran.
    pub commands: Vec<FixCommand>,
}

/// A file that a fix changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LessonFile {
    /// The path, relative to the workspace.
    pub path: String,
    /// Its text before.
    pub before: String,
    /// Its text after.
    pub after: String,
}

/// A fix as it is remembered: what it changed, told by the lines and not by the place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredFix {
    /// The message of the diagnostic it is a fix of.
    pub message: String,
    /// The line the diagnostic pointed at.
    pub line: String,
    /// What it changed.
    pub files: Vec<StoredFile>,
    /// What it ran.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<FixCommand>,
}

/// What a remembered fix changed in one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredFile {
    /// Whether it is the file that the diagnostic is about, whatever its path is the next time.
    pub diagnosed: bool,
    /// Its path at the time.
    pub path: String,
    /// The changed places, in order.
    pub hunks: Vec<StoredHunk>,
}

/// One changed place. Lines are without their terminators.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StoredHunk {
    /// The line above it; nothing at the top of the file.
    pub above: Option<String>,
    /// The lines that went.
    pub old: Vec<String>,
    /// The lines that came.
    pub new: Vec<String>,
    /// The line below it; nothing at the end of the file.
    pub below: Option<String>,
    /// How far below the diagnosed line its first line is.
    pub delta: i64,
}

/// Fixes of more changed places than this are not remembered as such: they are no answer to one error.
const MOST_HUNKS: usize = 12;
/// The same for changed lines.
const MOST_LINES: usize = 120;

impl Lesson {
    /// Makes what is remembered of this step for one of its diagnostics; nothing where it would be no fix
    /// of that error elsewhere.
    pub fn stored(&self, diagnostic: &Diagnostic) -> Option<StoredFix> {
        let place = diagnostic.primary();
        let diagnosed = place.map(|span| span.path.as_str()).unwrap_or_default();
        let line = place.and_then(|span| span.start).map_or(1, |start: Position| start.line);
        let files: Vec<StoredFile> =
            self.files.iter().map(|file| stored_file(file, diagnosed, line)).collect();
        let hunks = || files.iter().flat_map(|file| &file.hunks);
        let lines: usize = hunks().map(|hunk| hunk.old.len() + hunk.new.len()).sum();
        let is_empty = hunks().next().is_none() && self.commands.is_empty();
        if is_empty || hunks().count() > MOST_HUNKS || lines > MOST_LINES {
            return None;
        }
        let shown = self.files.iter().find(|file| file.path == diagnosed).and_then(|file| {
            file.before.lines().nth(usize::try_from(line).ok()?.checked_sub(1)?).map(str::to_owned)
        });
        Some(StoredFix {
            message: diagnostic.message.clone(),
            line: shown
                .or_else(|| place.and_then(|span| span.line_text.clone()))
                .unwrap_or_default(),
            files,
            commands: self.commands.clone(),
        })
    }

    /// Collects the files by which two states differ; nothing when one of them is new, gone or no text.
    pub fn files_between<'a>(
        changed: impl Iterator<Item = (&'a String, &'a Option<String>)>,
        before: &dyn Sources,
    ) -> Option<Vec<LessonFile>> {
        let file = |(path, after): (&String, &Option<String>)| {
            let (before, after) = (before.read(path)?, after.clone()?);
            Some(LessonFile { path: path.clone(), before, after })
        };
        changed.map(file).collect()
    }
}

impl StoredFix {
    /// Returns the names that its message and its line hold, for the names of another sighting.
    pub(super) fn names(&self) -> Names<'_> {
        Names::of([self.message.as_str(), self.line.as_str()])
    }
}

fn stored_file(file: &LessonFile, diagnosed: &str, line: u32) -> StoredFile {
    let hunks = single_changes(file.before.as_bytes(), file.after.as_bytes());
    StoredFile {
        diagnosed: file.path == diagnosed,
        path: file.path.clone(),
        hunks: hunks.iter().map(|hunk| stored_hunk(hunk, i64::from(line))).collect(),
    }
}

fn stored_hunk(hunk: &ChangeHunk, diagnosed: i64) -> StoredHunk {
    let text = |line: &[u8]| without_end(&String::from_utf8_lossy(line)).to_owned();
    let of = |kind: ShownAs| {
        let lines = hunk.lines.iter().filter(move |(shown, _)| *shown == kind);
        lines.map(|(_, line)| text(line)).collect::<Vec<String>>()
    };
    let is_context = |line: &&(ShownAs, Vec<u8>)| line.0 == ShownAs::Context;
    let above = hunk.lines.iter().take_while(is_context);
    let below = hunk.lines.iter().rev().take_while(is_context);
    // Of an empty file nothing is shown, and its first line is line one.
    let first = hunk.old_first_line.max(1) + above.clone().count();
    StoredHunk {
        above: above.last().map(|(_, line)| text(line)),
        old: of(ShownAs::Removed),
        new: of(ShownAs::Added),
        below: below.last().map(|(_, line)| text(line)),
        delta: i64::try_from(first).unwrap_or(i64::MAX).saturating_sub(diagnosed),
    }
}

/// Returns a line without its terminator.
pub(super) fn without_end(line: &str) -> &str {
    line.strip_suffix('\n').map_or(line, |line| line.strip_suffix('\r').unwrap_or(line))
}
