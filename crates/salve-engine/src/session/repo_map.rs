//! A map of the repository for a model: which file defines what, the most telling first.
//!
//! In: an index of the workspace's files with their words and symbols, the words that a request mentions, a
//! budget in tokens. Out: a text within the budget, or nothing where nothing is known. A symbol counts by how
//! many files use its name and by whether the request mentions it. The same index, words and budget give the
//! same text. Never reads a file; names with control characters are shown escaped.

mod rank;
mod show;
mod store;
mod words;

pub(crate) use rank::{Mentioned, file_order};
pub(crate) use store::{decode, encode};
pub(crate) use words::word_hashes;

use salve_syntax::{FileSymbols, SymbolKind};
use show::MapText;

/// The most symbols of one file that a map shows.
const EACH: usize = 24;
/// The most symbols that are kept of one file.
const KEPT: usize = 400;
/// The longest line of a definition that is kept.
const LONGEST_LINE: usize = 120;

/// What a file was when it was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct MapStamp {
    pub(crate) seconds: i64,
    pub(crate) nanoseconds: u32,
    pub(crate) size: u64,
}

/// One definition, as a map shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MapSymbol {
    pub(crate) name: String,
    pub(crate) kind: SymbolKind,
    pub(crate) is_exported: bool,
    pub(crate) depth: u8,
    /// Counted from 1.
    pub(crate) line: u32,
    /// The line of its name, without the space before it.
    pub(crate) shown: String,
}

/// One file of an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MapFile {
    pub(crate) path: String,
    pub(crate) stamp: MapStamp,
    /// The hashes of the words in it, sorted.
    pub(crate) words: Vec<u32>,
    /// Its definitions; `None` where it was not parsed.
    pub(crate) symbols: Option<Vec<MapSymbol>>,
}

/// The files of a workspace with their words, and the symbols of those that were parsed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MapIndex {
    /// Sorted by path.
    pub(crate) files: Vec<MapFile>,
    /// The files whose symbols a map shows: as many, in the order of their rank, as the limits let in.
    pub(crate) chosen: Vec<usize>,
}

impl MapIndex {
    /// Lists the symbols with the files that define them.
    pub fn definitions(&self) -> impl Iterator<Item = (&str, &str)> {
        self.shown().flat_map(|(_, file, symbols)| {
            symbols.iter().map(|symbol| (symbol.name.as_str(), file.path.as_str()))
        })
    }

    /// Returns how many files it knows.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Tells whether it knows no file.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    fn shown(&self) -> impl Iterator<Item = (usize, &MapFile, &[MapSymbol])> {
        self.chosen.iter().filter_map(|&at| {
            let file = self.files.get(at)?;
            Some((at, file, file.symbols.as_deref()?))
        })
    }
}

/// Draws the map.
pub fn repository_map(index: &MapIndex, mentions: &[String], budget_tokens: u64) -> String {
    let mentioned = Mentioned::new(mentions);
    let ranked = rank::symbols(index, &mentioned);
    let mut text = MapText::new(budget_tokens, index.files.len());
    // Files that the request names come first, even without a symbol.
    for (at, file) in index.files.iter().enumerate().filter(|(_, file)| mentioned.names(&file.path))
    {
        text.file(at, &file.path);
    }
    for one in ranked {
        let file = &index.files[one.file];
        let Some(symbol) = file.symbols.as_ref().and_then(|all| all.get(one.symbol)) else {
            continue;
        };
        text.symbol(one.file, &file.path, symbol, EACH);
    }
    // What is left of the budget shows which other files there are.
    let others = if text.is_full() { Vec::new() } else { file_order(&index.files, &mentioned) };
    for at in others {
        if !text.file(at, &index.files[at].path) {
            break;
        }
    }
    text.finish()
}

/// Returns the definitions of a text that are worth a line of a map.
pub(crate) fn map_symbols(text: &str, found: &FileSymbols) -> Vec<MapSymbol> {
    let mut kept: Vec<MapSymbol> = Vec::new();
    let (mut line, mut at) = (1_u32, 0_usize);
    for symbol in found.symbols.iter().filter(|symbol| is_telling(text, found, symbol)) {
        let start = symbol.span.start.min(text.len());
        if start < at {
            continue;
        }
        line +=
            u32::try_from(text.as_bytes()[at..start].iter().filter(|&&byte| byte == b'\n').count())
                .unwrap_or(0);
        at = start;
        kept.push(MapSymbol {
            name: symbol.name.clone(),
            kind: symbol.kind,
            is_exported: symbol.is_exported,
            depth: u8::from(symbol.parent.is_some()),
            line,
            shown: shown_line(text, start, symbol.kind),
        });
        if kept.len() == KEPT {
            break;
        }
    }
    kept
}

// Local names, fields and parameters of types say little about a repository.
fn is_telling(text: &str, found: &FileSymbols, symbol: &salve_syntax::Symbol) -> bool {
    let parent = symbol.parent.and_then(|at| found.symbols.get(at)).map(|parent| parent.kind);
    let in_function = matches!(parent, Some(SymbolKind::Function | SymbolKind::Method));
    match symbol.kind {
        SymbolKind::Function | SymbolKind::Method | SymbolKind::Macro => !in_function,
        SymbolKind::Constant | SymbolKind::Module => parent.is_none(),
        SymbolKind::Type => {
            let item = text.get(symbol.item.range()).unwrap_or_default();
            !in_function && (parent.is_none() || item.contains(['{', '\n']))
        }
        _ => false,
    }
}

// The value of a constant is no part of its definition, and may be a secret.
fn shown_line(text: &str, at: usize, kind: SymbolKind) -> String {
    let line = line_around(text, at);
    match line.split_once('=') {
        Some((name, _)) if kind == SymbolKind::Constant => name.trim_end().to_owned(),
        _ => line,
    }
}

fn line_around(text: &str, at: usize) -> String {
    let from = text[..at].rfind('\n').map_or(0, |found| found + 1);
    let to = text[at..].find('\n').map_or(text.len(), |found| at + found);
    let line = text[from..to].trim().trim_end_matches(['{', ':']).trim_end();
    line.chars().take(LONGEST_LINE).collect()
}

#[cfg(test)]
mod tests;
