//! Misspelt names.
//!
//! In: a diagnostic that says that a name or a member is not known. Out: drafts that write a known name of
//! nearly the same letters: the one the tool names, one in scope, one that occurs in the file, a keyword or
//! a name of the language; and drafts that correct the definition where that is what is misspelt. Never a
//! name that only the workspace knows: that one would need an import.

mod definitions;
mod known;

use super::draft::{Draft, Likelihood};
use super::spelling::slips;
use super::view::{SourceFile, View};
pub(super) use known::keywords;
use known::{builtins, well_known_members};
use salve_syntax::SymbolKind;
use salve_types::{Diagnostic, Hint, Language, NameKind, Span};
use std::collections::HashSet;
use std::rc::Rc;

/// Lists the keywords of a language and the names it has without an import.
pub(crate) fn language_words(language: Language) -> impl Iterator<Item = &'static str> {
    keywords(language).iter().chain(builtins(language)).copied()
}

/// Tells whether a word is one of them.
pub(crate) fn is_language_word(language: Language, word: &str) -> bool {
    language_words(language).any(|one| one == word)
}

// The most names that are tried for one misspelt name.
const TRIED: usize = 6;
const AUTHOR: &str = "misspelt-name";

/// Drafts another spelling for each name that the tool does not know.
pub(super) fn fix(diagnostic: &Diagnostic, view: &View<'_>) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for hint in &diagnostic.hints {
        let (name, wanted) = match hint {
            Hint::UnknownName { name, kind } => (name, Wanted::of(*kind)),
            Hint::UnknownMember { name, .. } => (name, Wanted::Member),
            _ => continue,
        };
        let places = places(diagnostic, name, view);
        for (file, place) in places.iter().take(2) {
            drafts.extend(respelt(diagnostic, file, *place, name, wanted, view));
        }
        // The place that a tool names need not be one where the name is written.
        let named = diagnostic.primary().and_then(|span| Language::from_path(&span.path));
        let language = places.first().map(|(file, _)| file.language()).or(named);
        if let Some(language) = language {
            drafts.extend(definitions::corrected(language, name, view));
        }
    }
    drafts
}

// Where the name is written. A linker names no place: every place of a program that it links is one.
fn places(diagnostic: &Diagnostic, name: &str, view: &View<'_>) -> Vec<(Rc<SourceFile>, Span)> {
    let primary = diagnostic.spans.iter().filter(|span| span.primary);
    let told: Vec<(Rc<SourceFile>, Span)> = primary
        .filter_map(|span| {
            let file = view.file(&span.path)?;
            let place = written_at(&file, file.span(span), name)?;
            Some((file, place))
        })
        .collect();
    if !told.is_empty() || diagnostic.tool != "ld" {
        return told;
    }
    let uses = view.files_of(Language::C).filter_map(|file| {
        let place = file.words(name).next()?;
        Some((file, place))
    });
    uses.take(TRIED).collect()
}

/// What kind of name is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Name,
    Type,
    Member,
    /// A keyword argument or a field.
    Argument,
    Macro,
}

impl Wanted {
    const fn of(kind: NameKind) -> Self {
        match kind {
            NameKind::Type => Self::Type,
            NameKind::Argument => Self::Argument,
            NameKind::Macro => Self::Macro,
            _ => Self::Name,
        }
    }
}

/// Returns where `name` is written at the place a tool points at: there, in the span, or in its line.
pub(super) fn written_at(file: &SourceFile, span: Option<Span>, name: &str) -> Option<Span> {
    // A path is misspelt in its last part unless the tool says otherwise.
    let name = name.rsplit("::").next().unwrap_or(name);
    let span = span?;
    let text = file.text();
    let line = file.line(file.line_of(span.start))?;
    let at = |start: usize| Span::new(start, start + name.len());
    if text.get(span.start..).is_some_and(|rest| rest.starts_with(name))
        && is_whole(text, at(span.start))
    {
        return Some(at(span.start));
    }
    let within = Span::new(line.start, line.end.max(span.end));
    let searched = text.get(within.range())?;
    let found = searched.match_indices(name).map(|(offset, _)| at(within.start + offset));
    found.filter(|&place| is_whole(text, place)).min_by_key(|place| {
        // A place before the span is less probable than one after it.
        let before = span.start.saturating_sub(place.start);
        (before * 2).max(place.start.saturating_sub(span.start))
    })
}

// Whether the span is a whole word.
fn is_whole(text: &str, span: Span) -> bool {
    let word = |one: char| one.is_alphanumeric() || one == '_';
    let before = text.get(..span.start).and_then(|before| before.chars().next_back());
    let after = text.get(span.end..).and_then(|after| after.chars().next());
    !before.is_some_and(word) && !after.is_some_and(word)
}

fn respelt(
    diagnostic: &Diagnostic,
    file: &SourceFile,
    place: Span,
    name: &str,
    wanted: Wanted,
    view: &View<'_>,
) -> Vec<Draft> {
    let name = name.rsplit("::").next().unwrap_or(name);
    let mut drafts = Vec::new();
    let mut write = |meant: &str, likelihood| {
        let description = format!("write `{meant}` instead of `{name}`");
        let changes = vec![file.change(place, meant)];
        drafts.push(Draft::derived(AUTHOR, likelihood, description, changes));
    };
    for hint in &diagnostic.hints {
        if let Hint::SimilarName { name: meant } = hint {
            write(meant, Likelihood::Named);
        }
    }
    for (slips, _, meant) in candidates(file, place, name, wanted, view).iter().take(TRIED) {
        write(meant, if *slips == 1 { Likelihood::Strong } else { Likelihood::Fair });
    }
    drafts
}

// Slips, how far the name is from the place, and the name; the best first.
fn candidates(
    file: &SourceFile,
    place: Span,
    name: &str,
    wanted: Wanted,
    view: &View<'_>,
) -> Vec<(usize, usize, String)> {
    let mut names = Candidates { misspelt: name, found: Vec::new(), seen: HashSet::new() };
    let language = file.language();
    if let Some(symbols) = file.symbols() {
        let fits = |kind: SymbolKind| match wanted {
            Wanted::Name => true,
            Wanted::Type => {
                matches!(kind, SymbolKind::Type | SymbolKind::Import | SymbolKind::Module)
            }
            Wanted::Macro => matches!(kind, SymbolKind::Macro | SymbolKind::Import),
            Wanted::Argument => kind == SymbolKind::Variable,
            Wanted::Member => false,
        };
        let in_scope = symbols.in_scope(place.start);
        in_scope
            .iter()
            .filter(|symbol| fits(symbol.kind))
            .for_each(|symbol| names.add(&symbol.name, 0));
        let is_member = matches!(wanted, Wanted::Member | Wanted::Argument);
        if matches!(language, Language::C | Language::Cpp) && !is_member {
            definitions::included(file, view).iter().for_each(|name| names.add(name, 1));
        }
        if is_member {
            let is_it = |kind| matches!(kind, SymbolKind::Member | SymbolKind::Method);
            let defined = symbols.symbols.iter().filter(|symbol| is_it(symbol.kind));
            defined.for_each(|symbol| names.add(&symbol.name, 0));
            symbols.members.iter().for_each(|member| names.add(member, 1));
            well_known_members(language).iter().for_each(|member| names.add(member, 2));
            view.members(language).iter().for_each(|member| names.add(member, 3));
        } else {
            symbols.words.iter().for_each(|word| names.add(word, 2));
        }
    }
    if wanted == Wanted::Argument {
        for other in view.indexed(language) {
            let symbols = other.symbols().into_iter().flat_map(|symbols| &symbols.symbols);
            let parameters = symbols.filter(|symbol| symbol.kind == SymbolKind::Variable);
            parameters.for_each(|symbol| names.add(&symbol.name, 3));
        }
    } else if wanted != Wanted::Member {
        builtins(language).iter().for_each(|word| names.add(word, 1));
        keywords(language).iter().for_each(|word| names.add(word, 2));
    }
    let mut found = names.found;
    // The misspelt name itself may occur more than once.
    found.sort_by_key(|one| (one.0, one.1));
    found
}

struct Candidates<'a> {
    misspelt: &'a str,
    found: Vec<(usize, usize, String)>,
    seen: HashSet<String>,
}

impl Candidates<'_> {
    fn add(&mut self, name: &str, distance: usize) {
        if let Some(slips) = slips(self.misspelt, name)
            && self.seen.insert(name.to_owned())
        {
            self.found.push((slips, distance, name.to_owned()));
        }
    }
}

/// Whether two languages may name each other's definitions.
pub(super) fn same_family(one: Language, other: Language) -> bool {
    let family = |language| match language {
        Language::TypeScript | Language::Tsx | Language::JavaScript | Language::Jsx => 1,
        Language::C | Language::Cpp => 2,
        _ => 0,
    };
    one == other || (family(one) != 0 && family(one) == family(other))
}

#[cfg(test)]
mod tests;
