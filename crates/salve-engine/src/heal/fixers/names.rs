//! Misspelt names.
//!
//! In: a diagnostic that says that a name or a member is not known. Out: drafts that write a known name of
//! nearly the same letters: the one the tool names, one in scope, one that occurs in the file, a keyword or
//! a name of the language. Never a name that only the workspace knows: that one would need an import.

mod known;

use super::draft::{Draft, Likelihood};
use super::spelling::slips;
use super::view::{SourceFile, View};
pub(super) use known::keywords;
use known::{builtins, well_known_members};
use salve_syntax::SymbolKind;
use salve_types::{Diagnostic, Hint, Language, NameKind, Span};
use std::collections::HashSet;

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
        for span in diagnostic.spans.iter().filter(|span| span.primary).take(2) {
            let Some(file) = view.file(&span.path) else { continue };
            let Some(place) = written_at(&file, file.span(span), name) else { continue };
            drafts.extend(respelt(diagnostic, &file, place, name, wanted, view));
        }
    }
    drafts
}

/// What kind of name is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Name,
    Type,
    Member,
    Macro,
}

impl Wanted {
    const fn of(kind: NameKind) -> Self {
        match kind {
            NameKind::Type => Self::Type,
            NameKind::Argument => Self::Member,
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
    let similar = candidates(file, place, name, wanted, view);
    drafts.extend(
        similar.iter().take(2).filter_map(|(_, _, meant)| defined_as(file, name, meant, view)),
    );
    drafts
}

// The name is right wherever it is used, and misspelt where it is defined: nothing else uses that spelling.
fn defined_as(file: &SourceFile, name: &str, misspelt: &str, view: &View<'_>) -> Option<Draft> {
    let rename = |other: &SourceFile| {
        let mut found = other.words(misspelt);
        let (only, more) = (found.next()?, found.next());
        let symbol = other.symbols()?.symbols.iter().find(|symbol| symbol.span == only)?;
        (more.is_none() && symbol.kind != SymbolKind::Import).then(|| {
            let what = format!("define `{name}` instead of `{misspelt}`");
            let likelihood =
                if view.times_unknown(name) > 1 { Likelihood::Named } else { Likelihood::Fair };
            Draft::derived(AUTHOR, likelihood, what, vec![other.change(only, name)])
        })
    };
    rename(file).or_else(|| {
        let others = view.files_of(file.language()).filter(|other| other.path() != file.path());
        let mut holding = others.filter(|other| other.words(misspelt).next().is_some());
        let (only, more) = (holding.next()?, holding.next());
        let is_used_here = file.words(misspelt).next().is_some();
        (more.is_none() && !is_used_here).then(|| rename(&only)).flatten()
    })
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
            Wanted::Member => false,
        };
        let in_scope = symbols.in_scope(place.start);
        in_scope
            .iter()
            .filter(|symbol| fits(symbol.kind))
            .for_each(|symbol| names.add(&symbol.name, 0));
        if wanted == Wanted::Member {
            let is_member = |kind| matches!(kind, SymbolKind::Member | SymbolKind::Method);
            let defined = symbols.symbols.iter().filter(|symbol| is_member(symbol.kind));
            defined.for_each(|symbol| names.add(&symbol.name, 0));
            symbols.members.iter().for_each(|member| names.add(member, 1));
            well_known_members(language).iter().for_each(|member| names.add(member, 2));
            view.members(language).iter().for_each(|member| names.add(member, 3));
        } else {
            symbols.words.iter().for_each(|word| names.add(word, 2));
        }
    }
    if wanted != Wanted::Member {
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
