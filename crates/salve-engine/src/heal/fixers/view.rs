//! The files that fixers look at, each read and parsed once.
//!
//! In: paths and places as tools gave them. Out: texts, byte offsets, syntax trees. Never reads more than
//! its limits allow, and never a file that the sources do not give.

use super::super::{Sources, TextChange};
use super::draft::Draft;
use super::names::same_family;
use salve_syntax::{FileSymbols, NodeTree, SymbolKind, file_symbols, parse_nodes};
use salve_types::{Language, Position, SourceSpan, Span};
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

// What one call reads of a workspace at most.
const FILES: usize = 2_000;
const BYTES: usize = 24 << 20;
// How much of it definitions are collected from.
const INDEXED_BYTES: usize = 4 << 20;
// The most bytes of all texts that a grammar is asked about.
const PARSED_BYTES: usize = 48 << 20;

/// The workspace during one call.
pub(super) struct View<'a> {
    sources: &'a dyn Sources,
    files: RefCell<HashMap<String, Option<Rc<SourceFile>>>>,
    paths: OnceCell<Vec<String>>,
    members: RefCell<HashMap<Language, Rc<BTreeSet<String>>>>,
    parsed: Cell<usize>,
    /// What was drafted for a name that several diagnostics speak of.
    drafted: RefCell<HashMap<String, Vec<Draft>>>,
}

impl<'a> View<'a> {
    pub(super) fn new(sources: &'a dyn Sources) -> Self {
        Self {
            sources,
            files: RefCell::default(),
            paths: OnceCell::new(),
            members: RefCell::default(),
            parsed: Cell::new(0),
            drafted: RefCell::default(),
        }
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

    /// Returns the drafts for a name, made when it is asked for the first time.
    pub(super) fn once(&self, name: &str, make: impl FnOnce() -> Vec<Draft>) -> Vec<Draft> {
        if let Some(known) = self.drafted.borrow().get(name) {
            return known.clone();
        }
        let made = make();
        self.drafted.borrow_mut().insert(name.to_owned(), made.clone());
        made
    }

    /// Takes a text of this length from the budget for questions to a grammar.
    pub(super) fn may_parse(&self, bytes: usize) -> bool {
        let parsed = self.parsed.get().saturating_add(bytes.max(256));
        self.parsed.set(parsed);
        parsed <= PARSED_BYTES
    }

    /// Lists the files of the workspace.
    pub(super) fn paths(&self) -> &[String] {
        self.paths.get_or_init(|| self.sources.list())
    }

    /// Lists the files of a language and its relatives, up to the limits of one call.
    pub(super) fn files_of(&self, language: Language) -> impl Iterator<Item = Rc<SourceFile>> {
        let of_family = move |path: &&String| {
            Language::from_path(path).is_some_and(|other| same_family(language, other))
        };
        let mut left = BYTES;
        self.paths()
            .iter()
            .filter(of_family)
            .take(FILES)
            .filter_map(|path| self.file(path))
            .take_while(move |file| {
                let fits = left > file.text.len();
                left = left.saturating_sub(file.text.len());
                fits
            })
    }

    /// Lists the files of a language whose definitions are looked through.
    pub(super) fn indexed(&self, language: Language) -> Vec<Rc<SourceFile>> {
        let mut left = INDEXED_BYTES;
        let fits = |file: &Rc<SourceFile>| {
            left = left.saturating_sub(file.text.len());
            left > 0
        };
        self.files_of(language).take_while(fits).collect()
    }

    /// Returns the names of members that the workspace defines.
    pub(super) fn members(&self, language: Language) -> Rc<BTreeSet<String>> {
        if let Some(known) = self.members.borrow().get(&language) {
            return Rc::clone(known);
        }
        let mut names = BTreeSet::new();
        for file in self.indexed(language) {
            let symbols = file.symbols().into_iter().flat_map(|symbols| &symbols.symbols);
            let is_member = |kind| matches!(kind, SymbolKind::Member | SymbolKind::Method);
            names.extend(symbols.filter(|one| is_member(one.kind)).map(|one| one.name.clone()));
        }
        let names = Rc::new(names);
        self.members.borrow_mut().insert(language, Rc::clone(&names));
        names
    }
}

/// One file.
pub(super) struct SourceFile {
    path: String,
    text: String,
    language: Language,
    line_starts: Vec<usize>,
    tree: OnceCell<Option<NodeTree>>,
    symbols: OnceCell<Option<FileSymbols>>,
}

impl SourceFile {
    fn new(path: &str, text: String) -> Self {
        let language = Language::from_path(path).unwrap_or_default();
        let ends =
            text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        let line_starts = std::iter::once(0).chain(ends).collect();
        Self {
            path: path.to_owned(),
            text,
            language,
            line_starts,
            tree: OnceCell::new(),
            symbols: OnceCell::new(),
        }
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

    /// Returns the names it defines and uses, where its language has a grammar.
    pub(super) fn symbols(&self) -> Option<&FileSymbols> {
        self.symbols.get_or_init(|| file_symbols(&self.text, self.language)).as_ref()
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

    /// Returns the end of the text before its last line break.
    pub(super) fn offset_of_end(&self) -> Option<usize> {
        Some(self.text.trim_end().len()).filter(|&end| end > 0)
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

    /// Lists the places where a whole word is written.
    pub(super) fn words<'a>(&'a self, word: &'a str) -> impl Iterator<Item = Span> + 'a {
        let is_word = |one: char| one.is_alphanumeric() || one == '_';
        self.text.match_indices(word).map(move |(at, _)| Span::new(at, at + word.len())).filter(
            move |span| {
                let before = self.text[..span.start].chars().next_back();
                let after = self.text[span.end..].chars().next();
                !before.is_some_and(is_word) && !after.is_some_and(is_word)
            },
        )
    }

    /// Makes a change of this file.
    pub(super) fn change(&self, span: Span, replacement: &str) -> TextChange {
        TextChange { path: self.path.clone(), span, replacement: replacement.to_owned() }
    }
}
