//! One file of a diff: its headers, its hunks, and what they come to.
//!
//! In: header lines and finished hunks. Out: one [`FileEdit`], or why there is none. Never: a
//! change that the headers name but this model cannot express (copies, links, binary content).

use super::hunk::{Closed, HunkDraft, joined};
use super::names::{self, Name};
use crate::edits::lines::Line;
use salve_types::{
    EditEnd, EditNote, EditNoteCode, FileChange, FileEdit, Hunk, HunkBody, HunkLine, LineKind, Span,
};

/// A file whose headers and hunks still arrive.
#[derive(Debug)]
pub(super) struct FileDraft {
    span: Span,
    git_line: Option<String>,
    old: Option<Name>,
    new: Option<Name>,
    created: Option<u32>,
    deleted: bool,
    mode: Option<u32>,
    rename: (Option<String>, Option<String>),
    copied: bool,
    binary: bool,
    // The blobs of an `index` line, where one came.
    index: Option<(String, String)>,
    broken_name: Option<usize>,
    hunks: Vec<Hunk>,
    had_hunk: bool,
    malformed: Option<(usize, String)>,
}

/// What a finished file is.
pub(super) enum Finished {
    /// Its edits: one, or two where the file is deleted and its lines are shown.
    Edits(Vec<FileEdit>),
    /// Headers whose hunks are missing.
    HeaderOnly(usize),
    /// Not readable, with the place and the reason.
    Malformed(usize, String),
    /// A stray `@@` that changes nothing and names nothing.
    Nothing,
}

impl FileDraft {
    pub(super) fn new(at: Line) -> Self {
        Self {
            span: Span::new(at.start, at.end),
            git_line: None,
            old: None,
            new: None,
            created: None,
            deleted: false,
            mode: None,
            rename: (None, None),
            copied: false,
            binary: false,
            index: None,
            broken_name: None,
            hunks: Vec::new(),
            had_hunk: false,
            malformed: None,
        }
    }

    pub(super) fn from_git(rest: &str, at: Line) -> Self {
        Self { git_line: Some(rest.to_owned()), ..Self::new(at) }
    }

    pub(super) const fn is_git(&self) -> bool {
        self.git_line.is_some()
    }

    pub(super) const fn has_names(&self) -> bool {
        self.old.is_some() || self.new.is_some()
    }

    pub(super) const fn has_old(&self) -> bool {
        self.old.is_some()
    }

    pub(super) const fn has_new(&self) -> bool {
        self.new.is_some()
    }

    pub(super) const fn had_hunk(&self) -> bool {
        self.had_hunk
    }

    pub(super) const fn start(&self) -> usize {
        self.span.start
    }

    /// Takes `--- name`.
    pub(super) fn set_old(&mut self, rest: &str, line: Line) {
        self.old = self.name(rest, line);
    }

    /// Takes `+++ name`.
    pub(super) fn set_new(&mut self, rest: &str, line: Line) {
        self.new = self.name(rest, line);
    }

    fn name(&mut self, rest: &str, line: Line) -> Option<Name> {
        self.span.end = line.end;
        let name = names::header_name(rest);
        if name.is_none() {
            self.broken_name = Some(line.start);
        }
        name
    }

    /// Takes an extended header of git; `false` when the line is none.
    pub(super) fn take_extended(&mut self, text: &str, line: Line) -> bool {
        let known = EXTENDED.iter().find_map(|(word, kind)| {
            text.strip_prefix(word).map(|rest| (*kind, rest.trim_start_matches(' ')))
        });
        let Some((kind, rest)) = known else { return false };
        match kind {
            Extended::Created => self.created = Some(read_mode(rest)),
            Extended::Deleted => self.deleted = true,
            Extended::NewMode => self.mode = Some(read_mode(rest)),
            Extended::RenameFrom => self.rename.0 = names::plain_name(rest),
            Extended::RenameTo => self.rename.1 = names::plain_name(rest),
            Extended::Copy => self.copied = true,
            Extended::Binary => self.binary = true,
            Extended::Index => self.index = read_index(rest),
            Extended::Ignored => {}
        }
        self.span.end = line.end;
        true
    }

    /// Takes a finished hunk.
    pub(super) fn take_hunk(&mut self, hunk: HunkDraft, in_fence: bool, notes: &mut Vec<EditNote>) {
        self.had_hunk = true;
        match hunk.close(in_fence, notes) {
            Closed::Hunk(hunk) => {
                self.span.end = hunk.span.end;
                self.hunks.push(hunk);
            }
            Closed::NoEffect(span) => {
                let message = "the hunk changes nothing and was left out".to_owned();
                notes.push(EditNote { code: EditNoteCode::NoEffect, message, span });
                self.span.end = span.end;
            }
            Closed::Malformed(at, why) => {
                self.malformed.get_or_insert((at, why));
            }
        }
    }

    /// Ends the file.
    pub(super) fn finish(mut self, notes: &mut Vec<EditNote>) -> Finished {
        if let Some((at, why)) = self.refusal() {
            return Finished::Malformed(at, why);
        }
        if !self.is_git() && !self.has_names() && self.hunks.is_empty() {
            return Finished::Nothing;
        }
        let says_more = self.created.is_some()
            || self.deleted
            || self.mode.is_some()
            || self.rename.0.is_some();
        if !self.had_hunk && (!says_more || self.promises_content()) {
            return Finished::HeaderOnly(self.span.start);
        }
        let path = match self.path() {
            Ok(path) => path,
            Err(why) => return Finished::Malformed(self.span.start, why),
        };
        if path.is_none() {
            let message = "the diff names no file; the target is meant".to_owned();
            notes.push(EditNote { code: EditNoteCode::MissingHeader, message, span: self.span });
        }
        let removed = if self.deleted { self.hunks.clone() } else { Vec::new() };
        let change = match self.change() {
            Ok(change) => change,
            Err(why) => return Finished::Malformed(self.span.start, why),
        };
        // Git knows only whether a file is executable; a plain new file is left to the system's
        // own default.
        let mode = self.mode.or_else(|| self.created.filter(|mode| mode & 0o111 != 0));
        let mode = mode.map(|mode| mode & 0o777);
        let rename_to = self.rename.1.take();
        let edit = FileEdit { path, change, rename_to, mode, span: self.span };
        if removed.is_empty() {
            return Finished::Edits(vec![edit]);
        }
        // A diff that deletes a file shows its lines. They are an edit of their own, so that they
        // are held against the file before it goes.
        let emptied = FileEdit { change: FileChange::Patch(removed), ..edit.clone() };
        Finished::Edits(vec![emptied, edit])
    }

    fn refusal(&mut self) -> Option<(usize, String)> {
        let at = self.span.start;
        let why = if self.binary {
            "a binary patch cannot be read as text; send the file itself"
        } else if self.copied {
            "a copied file has no content here; send it as a new file"
        } else if [self.created, self.mode].iter().flatten().any(|mode| !is_plain(*mode)) {
            "links and submodules are not changed by diffs; only plain files are"
        } else if self.rename.0.is_some() != self.rename.1.is_some() {
            "a rename needs `rename from` and `rename to`"
        } else if let Some(at) = self.broken_name {
            return Some((at, "the quoted file name is broken or not UTF-8".to_owned()));
        } else {
            return self.malformed.take();
        };
        Some((at, why.to_owned()))
    }

    // A blob that is not the empty one was created or deleted, so its lines must be somewhere.
    fn promises_content(&self) -> bool {
        let (Some((old, new)), true) = (&self.index, self.created.is_some() || self.deleted) else {
            return false;
        };
        let blob = if self.deleted { old } else { new };
        !EMPTY_BLOB.starts_with(blob.as_str())
    }

    fn path(&mut self) -> Result<Option<String>, String> {
        if let Some(from) = self.rename.0.take() {
            return Ok(Some(from));
        }
        match (self.old.take(), self.new.take()) {
            (Some(Name::Path(old)), Some(Name::Path(new))) => {
                let (old, new) = names::without_prefixes(&old, &new);
                Ok(Some(names::name_of_both(old, new)))
            }
            (Some(Name::Nothing), Some(Name::Nothing)) => {
                Err("both sides of the diff are /dev/null; name the file".to_owned())
            }
            (Some(Name::Nothing), Some(Name::Path(new))) => {
                self.created.get_or_insert(0o100_644);
                Ok(Some(names::without_prefix(&new)))
            }
            (Some(Name::Path(old)), Some(Name::Nothing)) => {
                self.deleted = true;
                Ok(Some(names::without_prefix(&old)))
            }
            (Some(Name::Path(one)), None) | (None, Some(Name::Path(one))) => {
                Ok(Some(names::without_prefix(&one)))
            }
            (Some(Name::Nothing), None) | (None, Some(Name::Nothing)) => {
                Err("the diff names /dev/null alone; name the file on the other side".to_owned())
            }
            (None, None) => match &self.git_line {
                Some(rest) => names::git_name(rest).map(Some).ok_or_else(|| {
                    format!("`diff --git {rest}` does not tell which file is meant")
                }),
                None => Ok(None),
            },
        }
    }

    fn change(&mut self) -> Result<FileChange, String> {
        let hunks = std::mem::take(&mut self.hunks);
        if self.deleted {
            let adds = hunks.iter().flat_map(lines_of).any(|line| line.kind == LineKind::Add);
            if adds {
                return Err("a deleted file gets no new lines".to_owned());
            }
            return Ok(FileChange::Delete);
        }
        if self.created.is_some() {
            return created_content(&hunks).map(FileChange::Create);
        }
        if hunks.is_empty() && !self.had_hunk {
            Ok(FileChange::Keep)
        } else {
            Ok(FileChange::Patch(hunks))
        }
    }
}

// A new file has no lines that could be context, so a line without `+` is content too.
fn created_content(hunks: &[Hunk]) -> Result<String, String> {
    let mut content = String::new();
    for hunk in hunks {
        match &hunk.body {
            HunkBody::Text { new, .. } => content.push_str(new),
            HunkBody::Lines(lines) => {
                if lines.iter().any(|line| line.kind == LineKind::Remove) {
                    return Err("a new file has no lines to remove".to_owned());
                }
                content.push_str(&joined(lines));
            }
            HunkBody::Block { .. } | HunkBody::At(_) => {}
        }
    }
    Ok(content)
}

fn lines_of(hunk: &Hunk) -> &[HunkLine] {
    match &hunk.body {
        HunkBody::Lines(lines) => lines,
        _ => &[],
    }
}

/// Turns headers without hunks into an end.
pub(super) fn header_only(at: usize, is_last: bool) -> EditEnd {
    if is_last {
        let why = "the file's header is there, its hunks are not".to_owned();
        return EditEnd::Truncated { at, why };
    }
    let why = "the header names a file but no hunk follows; write `@@` and the lines".to_owned();
    EditEnd::Malformed { at, why }
}

/// Returns whether a line is an extended header of git.
pub(super) fn is_extended(text: &str) -> bool {
    EXTENDED.iter().any(|(word, _)| text.starts_with(word))
}

#[derive(Debug, Clone, Copy)]
enum Extended {
    Created,
    Deleted,
    NewMode,
    RenameFrom,
    RenameTo,
    Copy,
    Binary,
    Index,
    Ignored,
}

const EXTENDED: &[(&str, Extended)] = &[
    ("new file mode ", Extended::Created),
    ("deleted file mode ", Extended::Deleted),
    ("old mode ", Extended::Ignored),
    ("new mode ", Extended::NewMode),
    ("rename from ", Extended::RenameFrom),
    ("rename to ", Extended::RenameTo),
    ("rename old ", Extended::RenameFrom),
    ("rename new ", Extended::RenameTo),
    ("copy from ", Extended::Copy),
    ("copy to ", Extended::Copy),
    ("similarity index ", Extended::Ignored),
    ("dissimilarity index ", Extended::Ignored),
    ("index ", Extended::Index),
    ("GIT binary patch", Extended::Binary),
    ("Binary files ", Extended::Binary),
];

// The name git gives to a file without content.
const EMPTY_BLOB: &str = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";

// A mode that is no number is none that a plain file has.
fn read_mode(text: &str) -> u32 {
    u32::from_str_radix(text.trim(), 8).unwrap_or(0)
}

// Models write `644` where git writes `100644`.
fn is_plain(mode: u32) -> bool {
    matches!(mode >> 9, 0o100) || (mode > 0 && mode <= 0o777)
}

fn read_index(text: &str) -> Option<(String, String)> {
    let (old, new) = text.split_whitespace().next()?.split_once("..")?;
    Some((old.to_owned(), new.to_owned()))
}
