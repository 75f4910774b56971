//! One chunk of an update in an envelope.
//!
//! In: the lines below `*** Update File:`. Out: hunks with their anchors, or why a line is none of
//! a chunk. Never: a line without prefix read as context.

use super::brief;
use crate::edits::lines::Line;
use crate::edits::unified::{Declared, has_no_effect, read_header};
use salve_types::{EditNote, EditNoteCode, Hunk, HunkBody, HunkLine, LineKind, Occurrence, Span};

/// A chunk whose lines still arrive.
#[derive(Debug)]
pub(super) struct Chunk {
    pub(super) lines: Vec<HunkLine>,
    blanks: usize,
    anchors: Vec<String>,
    declared: Option<Declared>,
    pub(super) at_end: bool,
    span: Span,
}

/// Takes a line of an update: the head of a chunk or one of its lines.
pub(super) fn take_changed(
    chunks: &mut Vec<Hunk>,
    chunk: &mut Option<Chunk>,
    content: &str,
    line: Line,
) -> Result<(), String> {
    if let Some((declared, section)) = read_header(content) {
        let stacked = chunk.as_ref().is_some_and(|chunk| chunk.lines.is_empty());
        if stacked && let Some(chunk) = chunk {
            chunk.anchors.extend(section);
            chunk.declared = declared.or(chunk.declared);
            return Ok(());
        }
        if let Some(done) = chunk.replace(Chunk::new(declared, section, line)) {
            chunks.push(done.finish()?);
        }
        return Ok(());
    }
    let is_first = chunks.is_empty() && chunk.is_none();
    if content.is_empty() {
        if let Some(chunk) = chunk {
            chunk.blanks += 1;
        }
        return Ok(());
    }
    if chunk.is_none() && !is_first || chunk.as_ref().is_some_and(|chunk| chunk.at_end) {
        return Err(format!("a chunk begins with `@@`, got `{}`", brief(content)));
    }
    let chunk = chunk.get_or_insert_with(|| Chunk::new(None, None, line));
    let kind = match content.as_bytes().first() {
        Some(b' ') => LineKind::Context,
        Some(b'+') => LineKind::Add,
        Some(b'-') => LineKind::Remove,
        _ => {
            return Err(format!(
                "every line of a change begins with a blank, `+` or `-`, got `{}`",
                brief(content)
            ));
        }
    };
    chunk.take(kind, content.get(1..).unwrap_or_default(), line);
    Ok(())
}

impl Chunk {
    fn new(declared: Option<Declared>, section: Option<String>, line: Line) -> Self {
        Self {
            lines: Vec::new(),
            blanks: 0,
            anchors: section.into_iter().collect(),
            declared,
            at_end: false,
            span: Span::new(line.start, line.end),
        }
    }

    fn take(&mut self, kind: LineKind, text: &str, line: Line) {
        for _ in 0..std::mem::take(&mut self.blanks) {
            let (kind, text) = (LineKind::Context, String::new());
            self.lines.push(HunkLine { kind, text, no_newline: false });
        }
        self.lines.push(HunkLine { kind, text: text.to_owned(), no_newline: false });
        self.span.end = line.end;
    }

    /// Ends the chunk; one without lines says nothing.
    pub(super) fn finish(self) -> Result<Hunk, String> {
        if self.lines.is_empty() {
            return Err("a hunk has no lines".to_owned());
        }
        let only_adds = self.lines.iter().all(|line| line.kind == LineKind::Add);
        // New lines without a place go to the end, as the format's own tools have it.
        let at_end = self.at_end || (only_adds && self.anchors.is_empty());
        Ok(Hunk {
            body: HunkBody::Lines(self.lines),
            hint: self.declared.and_then(Declared::hint),
            anchors: self.anchors,
            occurrence: Occurrence::One,
            at_end,
            span: self.span,
        })
    }
}

/// Leaves out chunks whose new lines are their old ones.
pub(super) fn with_effect(chunks: Vec<Hunk>, notes: &mut Vec<EditNote>) -> Vec<Hunk> {
    let (kept, idle): (Vec<Hunk>, Vec<Hunk>) =
        chunks.into_iter().partition(|chunk| match &chunk.body {
            HunkBody::Lines(lines) => !has_no_effect(lines),
            _ => true,
        });
    for chunk in idle {
        let message = "the chunk changes nothing and was left out".to_owned();
        notes.push(EditNote { code: EditNoteCode::NoEffect, message, span: chunk.span });
    }
    kept
}
