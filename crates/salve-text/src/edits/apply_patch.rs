//! `apply_patch` envelopes: `*** Begin Patch` … `*** End Patch`.
//!
//! In: the lines of a reply, one after the other. Out: the files the envelope changes, or the line
//! that cannot be read. Never: a guess at a line without prefix; the format's own tools refuse it
//! and so do we, with the number of the line.
//!
//! Read as the tools that made the format read it: markers may be padded with blanks, the first
//! chunk of a file may lack its `@@`, an empty line is empty context, a chunk that only adds and
//! names no place goes to the end of the file.

mod chunk;

use super::carriers::Carrier;
use super::lines::{Line, OpenFence};
use chunk::{Chunk, take_changed, with_effect};
use salve_types::{
    EditEnd, EditFormat, EditNote, EditNoteCode, EditSet, FileChange, FileEdit, Hunk, Span,
};

/// Reads envelopes line by line.
#[derive(Debug, Default)]
pub(super) struct EnvelopeReader {
    files: Vec<FileEdit>,
    notes: Vec<EditNote>,
    malformed: Option<EditEnd>,
    open: Option<Envelope>,
    file: Option<FileDraft>,
    // What is from a begin marker to its end, read or not.
    regions: Vec<Span>,
    fence: Option<OpenFence>,
    line_number: usize,
    // The last line came whole.
    ended: bool,
    // The envelope ended with a padded marker, which a context line may look like.
    padded_end: bool,
}

// An envelope that has begun.
#[derive(Debug)]
struct Envelope {
    begin: usize,
    files_before: usize,
    // No marker began it: a file header did.
    implied: bool,
}

#[derive(Debug)]
struct FileDraft {
    path: String,
    kind: Kind,
    span: Span,
    header_line: usize,
}

#[derive(Debug)]
enum Kind {
    Add { content: String, blanks: usize },
    Delete,
    Update { move_to: Option<String>, chunks: Vec<Hunk>, chunk: Option<Chunk> },
}

/// A line that structures an envelope.
enum Marker<'t> {
    Begin,
    End,
    Add(&'t str),
    Update(&'t str),
    Delete(&'t str),
    MoveTo(&'t str),
    EndOfFile,
    Environment,
}

impl EnvelopeReader {
    /// Takes the next line.
    pub(super) fn line(&mut self, text: &str, line: Line) {
        self.line_number += 1;
        let raw = line.of(text);
        self.ended = line.is_terminated();
        if self.open.is_none() && self.track_fence(raw, line) {
            return;
        }
        // Only a fence can end an envelope that has no markers.
        let implied = self.open.as_ref().is_some_and(|open| open.implied);
        if implied && self.fence.is_some_and(|open| open.fence.is_closed_by(raw)) {
            self.end_envelope(line);
            self.fence = None;
            return;
        }
        let content = self.fence.map_or(raw, |open| open.fence.content(raw));
        match (marker(content), self.open.is_some()) {
            (Some(Marker::Begin), false) => {
                self.padded_end = false;
                self.begin(line, false);
            }
            (Some(Marker::Begin), true) if implied => {
                self.fail(line, "`*** Begin Patch` is below the file header it belongs above");
            }
            (Some(Marker::End), false) if self.padded_end => {
                self.fail(line, "`*** End Patch` is here twice; write it once, unpadded");
            }
            (Some(Marker::Add(_) | Marker::Update(_) | Marker::Delete(_)), false)
                if content.starts_with('*') =>
            {
                self.begin(line, true);
                self.take(marker(content), content, line, line.terminator(text));
            }
            (_, false) => {}
            (Some(Marker::End), true) => {
                self.padded_end = content.starts_with(' ');
                self.end_envelope(line);
            }
            (found, true) => self.take(found, content, line, line.terminator(text)),
        }
    }

    /// Ends the text; `None` when no envelope stood in it.
    pub(super) fn finish(mut self, length: usize) -> Option<Carrier> {
        if let Some(Envelope { begin, implied: true, .. }) = self.open
            && self.fence.is_none()
            && self.ended
        {
            let next = length;
            self.end_envelope(Line { start: begin, end: length, next });
        }
        if let Some(Envelope { begin: at, .. }) = self.open {
            self.end_file();
            self.regions.push(Span::new(at, length));
            let why = "`*** Begin Patch` has no `*** End Patch`".to_owned();
            return Some(self.into_carrier(EditEnd::Truncated { at, why }));
        }
        if self.regions.is_empty() {
            return None;
        }
        let end = self.malformed.take().unwrap_or(EditEnd::Complete);
        Some(self.into_carrier(end))
    }

    fn into_carrier(self, end: EditEnd) -> Carrier {
        let (files, notes) = (self.files, self.notes);
        let set = EditSet { format: EditFormat::ApplyPatch, files, end, notes, hashes: None };
        Carrier { set, claims: self.regions }
    }

    // Fences matter only for the blanks before them.
    fn track_fence(&mut self, raw: &str, line: Line) -> bool {
        match &self.fence {
            Some(open) if open.fence.is_closed_by(raw) => self.fence = None,
            None => match OpenFence::read(raw, line.start) {
                Some(fence) => self.fence = Some(fence),
                None => return false,
            },
            Some(_) => return false,
        }
        true
    }

    fn take(&mut self, found: Option<Marker<'_>>, content: &str, line: Line, terminator: &str) {
        let number = self.line_number;
        // Inside a chunk a padded marker is a line of the file.
        let in_chunk = self.file.as_ref().is_some_and(FileDraft::is_in_chunk);
        let found = found.filter(|_| !in_chunk || content.starts_with('*'));
        match (found, &mut self.file) {
            (Some(Marker::Add(path)), _) => {
                let kind = Kind::Add { content: String::new(), blanks: 0 };
                self.begin_file(path, kind, line);
            }
            (Some(Marker::Delete(path)), _) => self.begin_file(path, Kind::Delete, line),
            (Some(Marker::Update(path)), _) => {
                let kind = Kind::Update { move_to: None, chunks: Vec::new(), chunk: None };
                self.begin_file(path, kind, line);
            }
            (Some(Marker::Environment), None) => {
                let message = "the environment id is not used here".to_owned();
                let span = Span::new(line.start, line.end);
                self.notes.push(EditNote { code: EditNoteCode::LooseMarker, message, span });
            }
            (found, Some(file)) => {
                if let Err(why) = file.take(found.as_ref(), content, line, terminator, number) {
                    self.fail(line, &why);
                }
            }
            (_, None) if content.trim().is_empty() => {}
            (_, None) => self.fail(line, &not_a_header(content)),
        }
    }

    fn begin_file(&mut self, path: &str, kind: Kind, line: Line) {
        self.end_file();
        let span = Span::new(line.start, line.end);
        let (path, header_line) = (path.to_owned(), self.line_number);
        self.file = Some(FileDraft { path, kind, span, header_line });
    }

    fn end_file(&mut self) {
        let Some(file) = self.file.take() else { return };
        let (at, number) = (file.span.start, file.header_line);
        match file.finish(&mut self.notes) {
            Ok(edit) => self.files.push(edit),
            Err(why) => {
                let why = format!("line {number}: {why}");
                self.malformed.get_or_insert(EditEnd::Malformed { at, why });
            }
        }
    }

    fn begin(&mut self, line: Line, implied: bool) {
        let files_before = self.files.len();
        self.open = Some(Envelope { begin: line.start, files_before, implied });
        if implied {
            let message = "the patch has no `*** Begin Patch`".to_owned();
            let span = Span::new(line.start, line.end);
            self.notes.push(EditNote { code: EditNoteCode::LooseMarker, message, span });
        }
    }

    fn end_envelope(&mut self, line: Line) {
        self.end_file();
        let Some(envelope) = self.open.take() else { return };
        self.regions.push(Span::new(envelope.begin, line.end));
        if envelope.files_before == self.files.len() && self.malformed.is_none() {
            let why = format!("line {}: the patch changes no file", self.line_number);
            self.malformed = Some(EditEnd::Malformed { at: envelope.begin, why });
        }
    }

    fn fail(&mut self, line: Line, why: &str) {
        let why = format!("line {}: {why}", self.line_number);
        self.malformed.get_or_insert(EditEnd::Malformed { at: line.start, why });
    }
}

impl FileDraft {
    const fn is_in_chunk(&self) -> bool {
        matches!(self.kind, Kind::Update { chunk: Some(_), .. })
    }

    fn take(
        &mut self,
        found: Option<&Marker<'_>>,
        content: &str,
        line: Line,
        terminator: &str,
        number: usize,
    ) -> Result<(), String> {
        let is_first = number == self.header_line + 1;
        if !content.is_empty() {
            self.span.end = line.end;
        }
        match (&mut self.kind, found) {
            (Kind::Update { move_to, .. }, Some(Marker::MoveTo(path)))
                if is_first && !path.is_empty() =>
            {
                *move_to = Some((*path).to_owned());
                Ok(())
            }
            (Kind::Update { chunk: Some(chunk), .. }, Some(Marker::EndOfFile))
                if !chunk.lines.is_empty() =>
            {
                chunk.at_end = true;
                Ok(())
            }
            (_, Some(Marker::EndOfFile)) => Err("the hunk above has no lines".to_owned()),
            (Kind::Add { content: text, blanks }, None) => {
                take_added(text, blanks, content, terminator)
            }
            (Kind::Update { chunks, chunk, .. }, None) if !content.starts_with('*') => {
                take_changed(chunks, chunk, content, line)
            }
            _ if content.trim().is_empty() => Ok(()),
            _ => Err(not_a_header(content)),
        }
    }

    fn finish(self, notes: &mut Vec<EditNote>) -> Result<FileEdit, String> {
        if self.path.is_empty() {
            return Err("the file header names no file".to_owned());
        }
        let (change, rename_to) = match self.kind {
            Kind::Delete => (FileChange::Delete, None),
            // The format's own tools let `Add File` replace a file that exists, and models rely on
            // it to rewrite one, so this is a whole write and not a creation. The guards on whole
            // writes apply to it.
            Kind::Add { content, .. } => (FileChange::Write(content), None),
            Kind::Update { move_to, mut chunks, chunk } => {
                if let Some(chunk) = chunk {
                    chunks.push(chunk.finish()?);
                }
                let change = match (chunks.is_empty(), &move_to) {
                    (true, Some(_)) => FileChange::Keep,
                    (true, None) => {
                        return Err(format!("the update of `{}` is empty", self.path));
                    }
                    (false, _) => FileChange::Patch(with_effect(chunks, notes)),
                };
                (change, move_to)
            }
        };
        Ok(FileEdit { path: Some(self.path), change, rename_to, mode: None, span: self.span })
    }
}

// An empty line between added lines has lost its `+`; before a marker it only parts.
fn take_added(
    text: &mut String,
    blanks: &mut usize,
    content: &str,
    terminator: &str,
) -> Result<(), String> {
    let Some(added) = content.strip_prefix('+') else {
        if content.is_empty() {
            *blanks += 1;
            return Ok(());
        }
        return Err(format!("every line of a new file begins with `+`, got `{}`", brief(content)));
    };
    for _ in 0..std::mem::take(blanks) {
        text.push('\n');
    }
    text.push_str(added);
    text.push_str(if terminator == "\r\n" { "\r\n" } else { "\n" });
    Ok(())
}

fn marker(line: &str) -> Option<Marker<'_>> {
    let rest = line.trim().strip_prefix("*** ")?;
    match rest {
        "Begin Patch" => return Some(Marker::Begin),
        "End Patch" => return Some(Marker::End),
        "End of File" => return Some(Marker::EndOfFile),
        _ => {}
    }
    let (word, path) = rest.split_once(':')?;
    let path = path.trim();
    match word {
        "Add File" => Some(Marker::Add(path)),
        "Update File" => Some(Marker::Update(path)),
        "Delete File" => Some(Marker::Delete(path)),
        "Move to" => Some(Marker::MoveTo(path)),
        "Environment ID" => Some(Marker::Environment),
        _ => None,
    }
}

fn not_a_header(content: &str) -> String {
    format!(
        "`{}` is no file header; write `*** Add File: PATH`, `*** Update File: PATH` or \
         `*** Delete File: PATH`",
        brief(content)
    )
}

// Enough of a line to find it again.
fn brief(line: &str) -> String {
    let short: String = line.trim().chars().take(60).collect();
    if short.len() < line.trim().len() { format!("{short}…") } else { short }
}

#[cfg(test)]
mod tests;
