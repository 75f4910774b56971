//! Changes that prose announces: "ORIGINAL LINES … CHANGED LINES …", "Before: … After: …".
//!
//! In: a reply in which headings stand over the old and the new text, in fences or bare. Out: one
//! block per pair of them. Never pairs what is not in order (an old text, then its new text), and
//! never takes a bare paragraph under a weak heading such as "With:" for code.

mod heading;
mod sentence;
#[cfg(test)]
mod tests;

use super::EditOptions;
use super::blocks::{Line, split_lines, strip_numbers};
use super::names::path_above;
use crate::clean::{blank_thinking, is_fence_line};
use crate::markdown::{Fence, Lead};
use heading::{Side, read_heading};
use salve_types::{
    EditEnd, EditFormat, EditNote, EditNoteCode, EditSet, FileChange, FileEdit, Hunk, HunkBody,
    Occurrence, Span,
};

/// Reads the format; `None` when the text is not in it.
pub(super) fn read(text: &str, options: &EditOptions) -> Option<EditSet> {
    let said = blank_thinking(text);
    let lines = split_lines(&said);
    let parts = find_parts(&lines);
    let has = |side| parts.iter().any(|part| part.side == side);
    if !has(Side::Old) || !(has(Side::New) || parts.iter().all(|part| part.shouted)) {
        return sentence::read(&lines);
    }
    let mut builder = Builder::default();
    let end = match pair_up(&lines, &parts, &options.files, &mut builder) {
        Ok(()) => EditEnd::Complete,
        Err(end) => end,
    };
    Some(builder.into_set(end))
}

// One announced text.
struct Part {
    side: Side,
    heading: usize,
    // The lines of the text, without fences and without blank lines around it.
    first: usize,
    end: usize,
    closed: bool,
    fenced: bool,
    // No one writes `ORIGINAL LINES:` in passing.
    shouted: bool,
}

// Finds the headings, and the text that follows each of them up to the next one.
fn find_parts(lines: &[Line<'_>]) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let Some(heading) = read_heading(lines[at].text) else {
            at += 1;
            continue;
        };
        let body = skip_blank(lines, at + 1);
        let fence = lines.get(body).filter(|line| is_fence_line(line.text));
        if fence.is_none() && !heading.firm {
            at += 1;
            continue;
        }
        let shouted = lines[at].text.contains("LINES") || lines[at].text.contains("CODE");
        let (first, end, next, closed) = match fence {
            Some(fence) => fenced_body(lines, body, fence.text),
            None => bare_body(lines, body),
        };
        let fenced = fence.is_some();
        parts.push(Part { side: heading.side, heading: at, first, end, closed, fenced, shouted });
        at = next.max(at + 1);
    }
    parts
}

fn skip_blank(lines: &[Line<'_>], from: usize) -> usize {
    let blank = |line: &&Line<'_>| line.text.trim().is_empty();
    from + lines.get(from..).unwrap_or_default().iter().take_while(blank).count()
}

// Gives the first and the end of the content, where to go on, and whether the fence is closed.
fn fenced_body(lines: &[Line<'_>], opener: usize, fence: &str) -> (usize, usize, usize, bool) {
    let fence = Fence::read(fence, Lead::Blanks);
    let closes = |line: &Line<'_>| fence.is_some_and(|fence| fence.is_closed_by(line.text));
    let first = opener + 1;
    match lines.get(first..).unwrap_or_default().iter().position(closes) {
        Some(found) => (first, first + found, first + found + 1, true),
        None => (first, lines.len(), lines.len(), false),
    }
}

fn bare_body(lines: &[Line<'_>], first: usize) -> (usize, usize, usize, bool) {
    let rest = lines.get(first..).unwrap_or_default();
    let stops = |line: &Line<'_>| read_heading(line.text).is_some() || is_fence_line(line.text);
    let next = first + rest.iter().position(stops).unwrap_or(rest.len());
    let mut end = next;
    while end > first && lines[end - 1].text.trim().is_empty() {
        end -= 1;
    }
    (first, end, next, true)
}

fn pair_up(
    lines: &[Line<'_>],
    parts: &[Part],
    files: &[String],
    builder: &mut Builder,
) -> Result<(), EditEnd> {
    let start_of = |part: &Part| lines[part.heading].span.start;
    let mut floor = 0;
    let mut rest = parts.iter();
    while let Some(old) = rest.next() {
        if old.side == Side::New {
            let why = "a new text is there without the old text it replaces".to_owned();
            return Err(EditEnd::Malformed { at: start_of(old), why });
        }
        let unclosed = |part: &Part| EditEnd::Truncated {
            at: start_of(part),
            why: "the text under this heading is not closed".to_owned(),
        };
        if !old.closed {
            return Err(unclosed(old));
        }
        let Some(new) = rest.next() else {
            let why = "the old text is not followed by the new text".to_owned();
            return Err(EditEnd::Truncated { at: start_of(old), why });
        };
        if new.side == Side::Old {
            let why = "an old text is followed by another old text".to_owned();
            return Err(EditEnd::Malformed { at: start_of(new), why });
        }
        if !new.closed {
            return Err(unclosed(new));
        }
        if new.first >= new.end && !new.fenced {
            let why = "nothing is under this heading".to_owned();
            return Err(EditEnd::Truncated { at: start_of(new), why });
        }
        if old.first >= old.end {
            let why = "the old text is empty, so that its place is unknown".to_owned();
            return Err(EditEnd::Malformed { at: start_of(old), why });
        }
        let path = path_above(lines, old.heading, floor, files);
        builder.add(lines, old, new, path);
        floor = new.end;
    }
    Ok(())
}

/// Collects the hunks of files.
#[derive(Default)]
struct Builder {
    files: Vec<FileEdit>,
    notes: Vec<EditNote>,
}

impl Builder {
    fn add(&mut self, lines: &[Line<'_>], old: &Part, new: &Part, path: Option<String>) {
        let start = lines[old.heading].span.start;
        let last = new.end.max(new.heading + 1) - 1;
        let span = Span::new(start, lines.get(last).map_or(start, |line| line.span.end));
        let text = |part: &Part| -> Vec<String> {
            let part = lines.get(part.first..part.end).unwrap_or_default();
            part.iter().map(|line| line.text.to_owned()).collect()
        };
        let (mut old, mut new) = (text(old), text(new));
        let hint = strip_numbers(&mut old, &mut new, None);
        if hint.is_some() {
            let message = "line numbers before the lines were taken away".to_owned();
            self.notes.push(EditNote { code: EditNoteCode::LooseMarker, message, span });
        }
        if old == new {
            let message = "the old and the new text are the same".to_owned();
            self.notes.push(EditNote { code: EditNoteCode::NoEffect, message, span });
        }
        self.push(path, HunkBody::Block { old, new }, hint, span);
    }

    // A pair without a path of its own belongs to the file of the pair before.
    fn push(&mut self, path: Option<String>, body: HunkBody, hint: Option<u32>, span: Span) {
        let hunk = Hunk {
            body,
            hint,
            anchors: Vec::new(),
            occurrence: Occurrence::One,
            at_end: false,
            span,
        };
        if let Some(file) = self.files.last_mut()
            && (path.is_none() || file.path == path)
            && let FileChange::Patch(hunks) = &mut file.change
        {
            file.span.end = span.end;
            hunks.push(hunk);
            return;
        }
        let change = FileChange::Patch(vec![hunk]);
        self.files.push(FileEdit { path, change, rename_to: None, mode: None, span });
    }

    fn into_set(self, end: EditEnd) -> EditSet {
        let Self { files, notes } = self;
        EditSet { format: EditFormat::OriginalChanged, files, end, notes, hashes: None }
    }
}
