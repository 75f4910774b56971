//! The files that fixers look at, each read and parsed once.
//!
//! In: paths and places as tools gave them. Out: texts, byte offsets, syntax trees. Never reads more than
//! its limits allow, and never a file that the sources do not give.

use super::super::{Sources, TextChange};
use salve_syntax::{NodeTree, parse_nodes};
use salve_types::{Language, Position, SourceSpan, Span};
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

/// The workspace during one call.
pub(super) struct View<'a> {
    sources: &'a dyn Sources,
    files: RefCell<HashMap<String, Option<Rc<SourceFile>>>>,
}

impl<'a> View<'a> {
    pub(super) fn new(sources: &'a dyn Sources) -> Self {
        Self { sources, files: RefCell::default() }
    }

    /// Returns a file of the workspace.
    pub(super) fn file(&self, path: &str) -> Option<Rc<SourceFile>> {
        if let Some(known) = self.files.borrow().get(path) {
            return known.clone();
        }
        let file = self.sources.read(path).map(|text| Rc::new(SourceFile::new(path, text)));
        self.files.borrow_mut().insert(path.to_owned(), file.clone());
        file
    }
}

/// One file.
pub(super) struct SourceFile {
    path: String,
    text: String,
    language: Language,
    line_starts: Vec<usize>,
    tree: OnceCell<Option<NodeTree>>,
}

impl SourceFile {
    fn new(path: &str, text: String) -> Self {
        let language = Language::from_path(path).unwrap_or_default();
        let ends =
            text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        let line_starts = std::iter::once(0).chain(ends).collect();
        Self { path: path.to_owned(), text, language, line_starts, tree: OnceCell::new() }
    }

    pub(super) fn path(&self) -> &str {
        &self.path
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn language(&self) -> Language {
        self.language
    }

    /// Returns its syntax tree, where its language has a grammar.
    pub(super) fn tree(&self) -> Option<&NodeTree> {
        self.tree.get_or_init(|| parse_nodes(&self.text, self.language)).as_ref()
    }

    /// Returns the bytes of a line, counted from 1, without its line break.
    pub(super) fn line(&self, line: u32) -> Option<Span> {
        let index = usize::try_from(line).ok()?.checked_sub(1)?;
        let start = *self.line_starts.get(index)?;
        let end = self.line_starts.get(index + 1).copied().unwrap_or(self.text.len());
        let kept = self.text.get(start..end)?.trim_end_matches(['\n', '\r']).len();
        Some(Span::new(start, start + kept))
    }

    /// Returns the line that a byte is in, counted from 1.
    pub(super) fn line_of(&self, offset: usize) -> u32 {
        let index = self.line_starts.partition_point(|&start| start <= offset);
        u32::try_from(index).unwrap_or(u32::MAX)
    }

    /// Returns the byte of a place; a column past the end of its line is that end.
    pub(super) fn offset(&self, place: Position) -> Option<usize> {
        let line = self.line(place.line)?;
        let column = usize::try_from(place.column).ok()?.checked_sub(1)?;
        let text = self.text.get(line.range())?;
        let at = text.char_indices().nth(column).map_or(text.len(), |(at, _)| at);
        Some(line.start + at)
    }

    /// Returns the bytes that a tool points at; nothing when it names no place in this file.
    pub(super) fn span(&self, span: &SourceSpan) -> Option<Span> {
        let start = span.start.and_then(|place| self.offset(place));
        if let Some(bytes) = span.bytes
            && self.text.get(bytes.range()).is_some()
            // A tool that counts other bytes than ours is believed in its lines and columns.
            && start.is_none_or(|start| start == bytes.start)
        {
            return Some(bytes);
        }
        let start = start?;
        let end = span.end.and_then(|place| self.offset(place)).unwrap_or(start);
        Some(Span::new(start, end.max(start)))
    }

    /// Makes a change of this file.
    pub(super) fn change(&self, span: Span, replacement: &str) -> TextChange {
        TextChange { path: self.path.clone(), span, replacement: replacement.to_owned() }
    }
}
