//! Definitions that are misspelt themselves.
//!
//! In: a name that is not known. Out: drafts that give this name to a definition of nearly the same letters
//! that nothing uses. Where the name is used again and again, that is more probable than that all those uses
//! are wrong. Never touches a definition whose own name is used anywhere.

use super::super::draft::{Draft, Likelihood};
use super::super::spelling::slips;
use super::super::view::{SourceFile, View};
use super::AUTHOR;
use salve_syntax::{FileSymbols, SymbolKind};
use salve_types::{Language, Span};
use std::collections::BTreeSet;
use std::rc::Rc;

// The most definitions that are tried for one name.
const TRIED: usize = 2;

/// Drafts definitions that get the name.
pub(super) fn corrected(language: Language, name: &str, view: &View<'_>) -> Vec<Draft> {
    let name = name.rsplit("::").next().unwrap_or(name);
    view.once(name, || {
        let mut found: Vec<(usize, Rc<SourceFile>, Span, String)> = Vec::new();
        for file in view.indexed(language).into_iter().filter(|file| has_similar(file, name)) {
            let symbols = file.symbols().into_iter().flat_map(|symbols| &symbols.symbols);
            for symbol in symbols.filter(|symbol| symbol.kind != SymbolKind::Import) {
                if let Some(slips) = slips(&symbol.name, name) {
                    found.push((slips, Rc::clone(&file), symbol.span, symbol.name.clone()));
                }
            }
        }
        found.retain(|(.., misspelt)| times(language, misspelt, view) == 1);
        found.sort_by_key(|(slips, ..)| *slips);
        // One place is the one that the diagnostic is about.
        let is_common = times(language, name, view) > 1;
        let likelihood = if is_common { Likelihood::Cause } else { Likelihood::Fair };
        let rename = |(_, file, span, misspelt): &(usize, Rc<SourceFile>, Span, String)| {
            let what = format!("define `{name}` instead of `{misspelt}`");
            Draft::derived(AUTHOR, likelihood, what, vec![file.change(*span, name)])
        };
        found.iter().take(TRIED).map(rename).collect()
    })
}

// Whether any word of the file is nearly the name: most files are told apart without a grammar.
fn has_similar(file: &SourceFile, name: &str) -> bool {
    let is_word = |one: char| one.is_alphanumeric() || one == '_';
    let mut words = file.text().split(|one: char| !is_word(one));
    let is_near = |word: &str| word.len().abs_diff(name.len()) <= name.len() / 3 + 2;
    words.any(|word| is_near(word) && slips(word, name).is_some())
}

// How often a name is written in the workspace.
fn times(language: Language, name: &str, view: &View<'_>) -> usize {
    view.files_of(language).map(|file| file.words(name).count()).sum()
}

/// Lists what the headers define that a file includes.
pub(super) fn included(file: &SourceFile, view: &View<'_>) -> BTreeSet<String> {
    let is_included = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        let ends = |mark: char| file.text().contains(&format!("{name}{mark}"));
        ends('"') || ends('>')
    };
    let headers = view.indexed(file.language()).into_iter().filter(|other| {
        let is_header = [".h", ".hpp", ".hh"].iter().any(|end| other.path().ends_with(end));
        is_header && is_included(other.path())
    });
    let of_all = |kind| !matches!(kind, SymbolKind::Member | SymbolKind::Method);
    headers
        .flat_map(|header| {
            let symbols = header.symbols().into_iter().flat_map(FileSymbols::top_level);
            symbols.filter(|one| of_all(one.kind)).map(|one| one.name.clone()).collect::<Vec<_>>()
        })
        .collect()
}
