//! SEARCH/REPLACE blocks in the dialects of aider, Cline and Roo.
//!
//! In: a reply with blocks such as
//!
//! ```text
//! src/a.py
//! <<<<<<< SEARCH
//! old lines
//! =======
//! new lines
//! >>>>>>> REPLACE
//! ```
//!
//! Out: one file edit per path, with the blocks in their order. A block without a path of its own
//! belongs to the file named last. Never takes a half block, two separators that might both be the
//! one, or the markers of a merge conflict for an edit: the first such place ends the reading, and
//! the message says what would be right.
//!
//! A marker has five signs or more; three or four are taken with a note. Line numbers that are
//! proven to come from a listing are taken away here (see `numbers`), others are left to matching.

mod marker;
mod numbers;
mod section;
#[cfg(test)]
pub(super) mod shown;
#[cfg(test)]
mod tests;

pub(super) use numbers::strip_numbers;

use super::EditOptions;
use super::names::path_above;
use marker::{Fit, Form, Marker, read_marker};
use salve_types::{
    EditEnd, EditFormat, EditNote, EditNoteCode, EditSet, FileChange, FileEdit, Hunk, Span,
};
use section::{Fault, read_section};
use std::collections::HashMap;

/// Reads the format; `None` when the text is not in it.
pub(super) fn read(text: &str, options: &EditOptions) -> Option<EditSet> {
    let lines = split_lines(text);
    if !is_in_blocks(&lines) {
        return None;
    }
    let mut reader = Reader {
        lines: &lines,
        names: &options.files,
        path: None,
        files: Vec::new(),
        known: HashMap::new(),
        notes: Vec::new(),
    };
    let end = match reader.read() {
        Ok(()) => EditEnd::Complete,
        Err(end) => end,
    };
    let Reader { files, notes, .. } = reader;
    Some(EditSet { format: EditFormat::SearchReplace, files, end, notes, hashes: None })
}

/// A line of a reply.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    /// The line without its terminator.
    pub(super) text: &'a str,
    /// The line with its terminator, in bytes of the reply.
    pub(super) span: Span,
}

impl Line<'_> {
    fn indent(&self) -> usize {
        self.text.len() - self.text.trim_start().len()
    }
}

/// Splits a reply into its lines.
pub(super) fn split_lines(text: &str) -> Vec<Line<'_>> {
    let mut start = 0;
    text.split_inclusive('\n')
        .map(|line| {
            let span = Span::new(start, start + line.len());
            start = span.end;
            let body = line.strip_suffix('\n').unwrap_or(line);
            Line { text: body.strip_suffix('\r').unwrap_or(body), span }
        })
        .collect()
}

// A marker that opens a block is enough, unless it is the context line of a diff. A broken one is
// a comment of some language where no block is closed.
fn is_in_blocks(lines: &[Line<'_>]) -> bool {
    let (mut broken, mut closed, mut in_diff) = (false, false, false);
    for line in lines {
        in_diff |= line.text.starts_with("@@ ");
        match read_marker(line.text) {
            Some(Marker::Open(_)) if in_diff && line.indent() > 0 => {}
            Some(Marker::Open(form)) if form.fit == Fit::Broken => broken = true,
            Some(Marker::Open(_)) => return true,
            Some(Marker::Close(_)) => closed = true,
            _ => {}
        }
    }
    broken && closed
}

struct Reader<'a> {
    lines: &'a [Line<'a>],
    // The names that are known to be files.
    names: &'a [String],
    // The path that was named last.
    path: Option<String>,
    files: Vec<FileEdit>,
    // Which of the files has this path.
    known: HashMap<Option<String>, usize>,
    notes: Vec<EditNote>,
}

impl Reader<'_> {
    fn read(&mut self) -> Result<(), EditEnd> {
        // The first line after the last block: a path above it belongs to that block.
        let mut floor = 0;
        let mut at = 0;
        while let Some(line) = self.lines.get(at) {
            match read_marker(line.text) {
                Some(Marker::Open(form)) if form.fit != Fit::Broken => {
                    let end = self.block_end(at)?;
                    self.block(at, end, form, floor)?;
                    floor = end + 1;
                    at = end;
                }
                Some(Marker::Separator(_)) if !self.is_underline(at, floor) => {
                    return Err(self.out_of_place(at, "`<<<<<<< SEARCH`"));
                }
                Some(Marker::Open(_)) => return Err(self.broken(at)),
                Some(Marker::Close(_)) => {
                    return Err(self.out_of_place(at, "`<<<<<<< SEARCH`"));
                }
                Some(Marker::Conflict) => return Err(self.conflict(at)),
                Some(Marker::Separator(_)) | None => {}
            }
            at += 1;
        }
        match self.begun_marker(floor) {
            None => Ok(()),
            Some(at) => {
                let why = format!("line {}: the reply ends inside the marker of a block", at + 1);
                Err(EditEnd::Truncated { at: self.lines[at].span.start, why })
            }
        }
    }

    // The last line, where it is the beginning of a marker that opens a block. A row of strokes is one
    // only below the name of a file: elsewhere it is a rule.
    fn begun_marker(&self, floor: usize) -> Option<usize> {
        let said = |at: &usize| !self.lines[*at].text.trim().is_empty();
        let at = (floor..self.lines.len()).rev().find(said)?;
        let line = self.lines[at].text.trim();
        let sign = line.chars().next().filter(|sign| matches!(sign, '<' | '-'))?;
        let rest = line.trim_start_matches(sign);
        let word = rest.trim_start();
        let begun = line.len() - rest.len() >= 5 && "SEARCH".starts_with(word);
        let told = !word.is_empty()
            || sign == '<'
            || path_above(self.lines, at, floor, self.names).is_some();
        (begun && told).then_some(at)
    }

    // A row of equals signs under a line of talk is that line's underline.
    fn is_underline(&self, at: usize, floor: usize) -> bool {
        at > floor && !self.lines[at - 1].text.trim().is_empty()
    }

    // The line that closes the block opened at `open`.
    fn block_end(&self, open: usize) -> Result<usize, EditEnd> {
        let indent = self.lines[open].indent();
        let mut separated = false;
        for (at, line) in self.lines.iter().enumerate().skip(open + 1) {
            // What is further in than the opening marker is content.
            if line.indent() > indent {
                continue;
            }
            let expected = if separated { "`>>>>>>> REPLACE`" } else { "`=======`" };
            match read_marker(line.text) {
                None => {}
                Some(Marker::Separator(_)) => separated = true,
                Some(Marker::Open(form) | Marker::Close(form)) if is_content(form) => {}
                Some(Marker::Close(form)) if form.fit == Fit::Broken => {
                    return Err(self.broken(at));
                }
                Some(Marker::Close(_)) if separated => return Ok(at),
                Some(Marker::Open(_) | Marker::Close(_)) => {
                    return Err(self.out_of_place(at, expected));
                }
                Some(Marker::Conflict) => return Err(self.conflict(at)),
            }
        }
        let missing = if separated {
            "the block is not closed: no line `>>>>>>> REPLACE` follows"
        } else {
            "the block ends before its new text: no line `=======` follows"
        };
        let at = self.lines[open].span.start;
        Err(EditEnd::Truncated { at, why: format!("line {}: {missing}", open + 1) })
    }

    fn block(&mut self, open: usize, end: usize, form: Form, floor: usize) -> Result<(), EditEnd> {
        let close = &self.lines[end];
        let span = Span::new(self.lines[open].span.start, close.span.start + close.text.len());
        let section = read_section(&self.lines[open + 1..end], form, self.lines[open].indent())
            .map_err(|fault| self.fault(open + 1, &fault))?;
        let close = match read_marker(close.text) {
            Some(Marker::Close(close)) => close,
            _ => form,
        };
        if form.fit == Fit::Loose || close.fit == Fit::Loose || !is_pair(form, close) {
            let message = "the markers are not quite those of a dialect".to_owned();
            self.notes.push(EditNote { code: EditNoteCode::LooseMarker, message, span });
        }
        for message in section.remarks {
            self.notes.push(EditNote { code: EditNoteCode::LooseMarker, message, span });
        }
        if section.hunk.is_without_effect() {
            let message = "the old and the new text of the block are the same".to_owned();
            self.notes.push(EditNote { code: EditNoteCode::NoEffect, message, span });
        }
        if let Some(path) = path_above(self.lines, open, floor, self.names) {
            self.path = Some(path);
        }
        let hunk = section.hunk.into_hunk(span);
        self.add(hunk);
        Ok(())
    }

    // All blocks of one file are one edit: they are found in the same text.
    fn add(&mut self, hunk: Hunk) {
        let known = self.known.get(&self.path).and_then(|&at| self.files.get_mut(at));
        if let Some(file) = known
            && let FileChange::Patch(hunks) = &mut file.change
        {
            file.span.end = hunk.span.end;
            hunks.push(hunk);
            return;
        }
        let span = hunk.span;
        let change = FileChange::Patch(vec![hunk]);
        let path = self.path.clone();
        self.known.insert(path.clone(), self.files.len());
        self.files.push(FileEdit { path, change, rename_to: None, mode: None, span });
    }

    fn malformed(&self, at: usize, why: &str) -> EditEnd {
        let start = self.lines.get(at).map_or(0, |line| line.span.start);
        EditEnd::Malformed { at: start, why: format!("line {}: {why}", at + 1) }
    }

    fn fault(&self, first: usize, fault: &Fault) -> EditEnd {
        self.malformed(first + fault.line, &fault.why)
    }

    fn out_of_place(&self, at: usize, expected: &str) -> EditEnd {
        let found = self.lines[at].text.trim();
        self.malformed(
            at,
            &format!(
                "found `{found}` where {expected} was expected; a block is `<<<<<<< SEARCH`, the \
                 old lines, `=======`, the new lines, `>>>>>>> REPLACE`, and a line of the file \
                 that looks like one of these gets a backslash before it"
            ),
        )
    }

    fn broken(&self, at: usize) -> EditEnd {
        let found = self.lines[at].text.trim();
        self.malformed(
            at,
            &format!(
                "`{found}` is no marker; it needs five signs or more and a space before the word, \
                 as in `<<<<<<< SEARCH` and `>>>>>>> REPLACE`"
            ),
        )
    }

    fn conflict(&self, at: usize) -> EditEnd {
        let found = self.lines[at].text.trim();
        self.malformed(
            at,
            &format!(
                "`{found}` is a marker of a merge conflict; where the file has this line, write \
                 a backslash before it, in the old and in the new text"
            ),
        )
    }
}

// `-- SEARCH` is a comment where a block is already open.
const fn is_content(form: Form) -> bool {
    matches!(form.fit, Fit::Broken) && form.length < 3
}

const fn is_pair(open: Form, close: Form) -> bool {
    matches!((open.sign, close.sign), (b'<', b'>') | (b'-', b'+'))
}
