//! Edits that wait, hunk by hunk, and what a person takes of them.
//!
//! In: verified edits, a choice by file and hunk. Out: what a face shows and decides about; the part of the edits
//! that was taken. Never takes what was not named, and nothing at all by a choice about other lines than these.

use salve_tree::{ChangeHunk, PlannedFile, ShownAs, VerifiedEdits};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The id of a file that comes, goes or only changes its mode: one decision.
pub const WHOLE_FILE: &str = "whole";

/// The most bytes of one hunk that are shown, and of all together.
const HUNK_BYTES: usize = 64 << 10;
const ALL_BYTES: usize = 1 << 20;

/// One change of a file that waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HeldHunk {
    /// The file, relative to the workspace.
    pub path: String,
    /// By what it is named in a choice.
    pub id: String,
    /// What happens to the file.
    pub kind: HeldKind,
    /// 1-based first line shown of the old content, 0 without any.
    pub old_first_line: usize,
    /// How many old lines are shown.
    pub old_lines: usize,
    /// 1-based first line shown of the new content, 0 without any.
    pub new_first_line: usize,
    /// How many new lines are shown.
    pub new_lines: usize,
    /// The lines, each behind ` `, `-` or `+`.
    pub text: String,
    /// Whether only a part of the lines is shown.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
}

/// What happens to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HeldKind {
    /// Some of its lines change.
    Change,
    /// It is new.
    Create,
    /// It goes.
    Delete,
    /// Its content stays; its mode changes, or it has no lines.
    Other,
}

/// What a person takes of edits that wait. A file that is not named is left.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct HunkChoice {
    /// By path.
    pub files: BTreeMap<String, FileChoice>,
}

/// What is taken of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileChoice {
    /// All of it.
    Keep,
    /// Nothing.
    Reject,
    /// The hunks with these ids.
    Hunks(BTreeSet<String>),
}

/// What a choice leaves of edits.
#[derive(Debug)]
#[must_use]
pub(super) enum Chosen {
    /// These.
    Some(VerifiedEdits),
    /// Nothing.
    None,
    /// The choice names a file or a hunk that is not here: the files changed since it was shown.
    Unknown(VerifiedEdits),
}

/// The ids of the hunks of each file that waits.
pub type HeldIds = BTreeMap<String, BTreeSet<String>>;

impl HunkChoice {
    /// Says of files that all of it is taken where every hunk is named.
    #[must_use]
    pub fn settled(mut self, held: &HeldIds) -> Self {
        for (path, choice) in &mut self.files {
            match choice {
                FileChoice::Hunks(ids) if ids.is_empty() => *choice = FileChoice::Reject,
                FileChoice::Hunks(ids) if held.get(path) == Some(ids) => *choice = FileChoice::Keep,
                _ => {}
            }
        }
        self
    }

    /// Tells whether all of a file is taken.
    #[must_use]
    pub fn keeps_all_of(&self, path: &str) -> bool {
        self.files.get(path) == Some(&FileChoice::Keep)
    }
}

/// Lists the ids of hunks, file by file.
pub(super) fn ids_of(hunks: &[HeldHunk]) -> HeldIds {
    let mut ids = HeldIds::new();
    for hunk in hunks {
        ids.entry(hunk.path.clone()).or_default().insert(hunk.id.clone());
    }
    ids
}

/// Lists the hunks of edits, file by file.
pub(super) fn held_hunks(edits: &VerifiedEdits) -> Vec<HeldHunk> {
    let mut room = ALL_BYTES;
    let mut held = Vec::new();
    for file in edits.files() {
        let hunks = file.single_changes();
        if hunks.is_empty() {
            held.push(held_file(file, &mut room));
        }
        held.extend(hunks.iter().map(|hunk| HeldHunk {
            path: file.path.as_str().to_owned(),
            id: hunk.id(),
            kind: HeldKind::Change,
            old_first_line: hunk.old_first_line,
            old_lines: hunk.old_lines,
            new_first_line: hunk.new_first_line,
            new_lines: hunk.new_lines,
            ..shown(&lines_of(hunk), &mut room)
        }));
    }
    held
}

fn held_file(file: &PlannedFile, room: &mut usize) -> HeldHunk {
    let (old, new) = (file.before.as_ref(), file.after.as_ref());
    let (old, new) = (old.map(|side| &side.bytes), new.map(|side| &side.bytes));
    let count = |side: Option<&Vec<u8>>| side.map_or(0, |bytes| lines(bytes).count());
    let (old_lines, new_lines) = (count(old), count(new));
    let (kind, text) = match (old, new) {
        (None, Some(new)) => (HeldKind::Create, marked('+', new)),
        (Some(old), None) => (HeldKind::Delete, marked('-', old)),
        _ => (HeldKind::Other, String::new()),
    };
    HeldHunk {
        path: file.path.as_str().to_owned(),
        id: WHOLE_FILE.to_owned(),
        kind,
        old_first_line: usize::from(old_lines > 0),
        old_lines,
        new_first_line: usize::from(new_lines > 0),
        new_lines,
        ..shown(&text, room)
    }
}

// As much of a text as there is room for.
fn shown(text: &str, room: &mut usize) -> HeldHunk {
    let most = text.len().min(*room).min(HUNK_BYTES);
    let end = (0..=most).rev().find(|&at| text.is_char_boundary(at)).unwrap_or_default();
    *room -= end;
    HeldHunk {
        path: String::new(),
        id: String::new(),
        kind: HeldKind::Other,
        old_first_line: 0,
        old_lines: 0,
        new_first_line: 0,
        new_lines: 0,
        text: text.get(..end).unwrap_or_default().to_owned(),
        cut: end < text.len(),
    }
}

/// Takes of edits what a choice names.
pub(super) fn take_chosen(edits: VerifiedEdits, choice: &HunkChoice) -> Chosen {
    let here: HeldIds = edits
        .files()
        .iter()
        .map(|file| {
            let hunks = file.single_changes();
            let ids = hunks.iter().map(ChangeHunk::id);
            let whole = hunks.is_empty().then(|| WHOLE_FILE.to_owned());
            (file.path.as_str().to_owned(), ids.chain(whole).collect())
        })
        .collect();
    let is_known = |(path, choice): (&String, &FileChoice)| match (here.get(path), choice) {
        (Some(ids), FileChoice::Hunks(named)) => named.is_subset(ids),
        (found, _) => found.is_some(),
    };
    if !choice.files.iter().all(is_known) {
        return Chosen::Unknown(edits);
    }
    let kept = edits.keep(|file, hunk| match choice.files.get(file.path.as_str()) {
        Some(FileChoice::Keep) => true,
        Some(FileChoice::Hunks(ids)) => ids.contains(&id_of(hunk)),
        Some(FileChoice::Reject) | None => false,
    });
    if kept.files().is_empty() { Chosen::None } else { Chosen::Some(kept) }
}

fn id_of(hunk: Option<&ChangeHunk>) -> String {
    hunk.map_or_else(|| WHOLE_FILE.to_owned(), ChangeHunk::id)
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split_inclusive(|&byte| byte == b'\n')
}

fn lines_of(hunk: &ChangeHunk) -> String {
    let mut text = String::new();
    for (kind, line) in &hunk.lines {
        let mark = match kind {
            ShownAs::Context => ' ',
            ShownAs::Removed => '-',
            ShownAs::Added => '+',
        };
        push_line(&mut text, mark, line);
    }
    text
}

fn marked(mark: char, bytes: &[u8]) -> String {
    let mut text = String::new();
    lines(bytes).for_each(|line| push_line(&mut text, mark, line));
    text
}

fn push_line(text: &mut String, mark: char, line: &[u8]) {
    let line = String::from_utf8_lossy(line);
    text.push(mark);
    text.push_str(line.strip_suffix('\n').unwrap_or(&line));
    text.push('\n');
}

#[cfg(test)]
mod tests;
