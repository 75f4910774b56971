//! Definitions that the errors name, from the symbols of the workspace.
//!
//! In: diagnostics and files. Out: for each name of a message, and then of the lines that are pointed at,
//! where the workspace defines it. Reads and parses within limits: only files that hold one of the names.
//! Never a local variable, never what another excerpt shows already.

use super::excerpt::{Excerpt, whole_lines};
use crate::heal::Sources;
use crate::heal::gates::words;
use salve_syntax::{Symbol, SymbolKind, file_symbols};
use salve_types::{Diagnostic, Language, Severity, Span};

/// How many names are looked for.
const NAMES: usize = 40;
/// How many definitions of one name are shown.
const EACH: usize = 3;
/// How many files are read, and how many bytes of them in all.
const FILES: usize = 2_000;
const BYTES: usize = 24 << 20;
/// How many bytes are shown to a grammar.
const PARSED_BYTES: usize = 4 << 20;
/// The part of the room that one definition may take; of a longer one the beginning is shown.
const SHARE: usize = 6;

/// Finds the definitions that the errors name, in the order of the names.
pub(super) fn definitions(
    diagnostics: &[Diagnostic],
    sources: &dyn Sources,
    room: usize,
    shown: &[Excerpt],
) -> Vec<Excerpt> {
    let names = names(diagnostics);
    let languages: Vec<Language> = diagnostics
        .iter()
        .filter_map(|one| Language::from_path(&one.primary()?.path))
        .filter(|language| *language != Language::Text)
        .collect();
    let mut paths = sources.list();
    paths.retain(|path| {
        let language = Language::from_path(path);
        language.is_some_and(|language| languages.contains(&language))
    });
    let mut found: Vec<(usize, Excerpt)> = Vec::new();
    let (mut bytes, mut parsed) = (BYTES, PARSED_BYTES);
    for path in paths.into_iter().take(FILES) {
        let Some(text) = sources.read(&path) else { continue };
        let Some(left) = bytes.checked_sub(text.len()) else { break };
        bytes = left;
        if !names.iter().any(|name| text.contains(name.as_str())) {
            continue;
        }
        let Some(left) = parsed.checked_sub(text.len()) else { break };
        parsed = left;
        found.extend(in_file(&path, &text, &names, room / SHARE));
    }
    found.sort_by_key(|(rank, _)| *rank);
    let mut taken: Vec<(usize, Excerpt)> = Vec::new();
    for (rank, excerpt) in found {
        let of_name = taken.iter().filter(|(other, _)| *other == rank).count();
        let is_shown = |other: &Excerpt| other.covers(&excerpt);
        if of_name < EACH
            && !shown.iter().any(is_shown)
            && !taken.iter().any(|(_, one)| is_shown(one))
        {
            taken.push((rank, excerpt));
        }
    }
    taken.into_iter().map(|(_, excerpt)| excerpt).collect()
}

fn in_file(path: &str, text: &str, names: &[String], most: usize) -> Vec<(usize, Excerpt)> {
    let language = Language::from_path(path).unwrap_or_default();
    let Some(symbols) = file_symbols(text, language) else { return Vec::new() };
    let defined = symbols.symbols.iter().filter_map(|symbol| {
        let rank = names.iter().position(|name| *name == symbol.name)?;
        let item = match symbol.kind {
            SymbolKind::Function
            | SymbolKind::Method
            | SymbolKind::Type
            | SymbolKind::Constant
            | SymbolKind::Macro => symbol.item,
            // A field is told by the type that it is in.
            SymbolKind::Member => symbols.symbols.get(symbol.parent?)?.item,
            _ => return None,
        };
        Some((rank, excerpt(path, text, symbol, beginning(text, item, most))))
    });
    defined.collect()
}

fn excerpt(path: &str, text: &str, symbol: &Symbol, span: Span) -> Excerpt {
    let before = text.get(..span.start).unwrap_or_default();
    Excerpt {
        path: path.to_owned(),
        from_line: Some(before.matches('\n').count() + 1),
        text: text.get(span.start..span.end).unwrap_or_default().to_owned(),
        defines: Some(symbol.name.clone()),
    }
}

// Whole lines of an item, from its first.
fn beginning(text: &str, item: Span, most: usize) -> Span {
    let whole = whole_lines(text, item);
    let lines = text.get(whole.start..whole.end).unwrap_or_default().split_inclusive('\n');
    let mut length = 0;
    for line in lines {
        if length > 0 && length + line.len() > most {
            break;
        }
        length += line.len();
    }
    Span::new(whole.start, whole.start + length)
}

// Names in messages first, then those in the lines that are pointed at; each once.
fn names(diagnostics: &[Diagnostic]) -> Vec<String> {
    let failing = || diagnostics.iter().filter(|one| one.severity == Severity::Error);
    let said = failing().flat_map(|one| {
        let labels = one.spans.iter().filter_map(|span| span.label.as_deref());
        let notes = one.notes.iter().map(|note| note.message.as_str());
        std::iter::once(one.message.as_str()).chain(labels).chain(notes)
    });
    let pointed = failing().flat_map(|one| {
        let lines = one.spans.iter().filter(|span| span.primary);
        lines.filter_map(|span| span.line_text.as_deref())
    });
    let mut names: Vec<String> = Vec::new();
    for word in said.chain(pointed).flat_map(words) {
        if names.len() == NAMES {
            break;
        }
        if !names.iter().any(|name| name == word) {
            names.push(word.to_owned());
        }
    }
    names
}
