//! Imports that are missing.
//!
//! In: a diagnostic that a name is not known, that a module is not found or does not offer a name. Out:
//! drafts that import the name as another file of the workspace does, from the file that defines it, from
//! the standard library, or by a list that the file has already; and other spellings of a module. For Rust
//! only the place: its compiler proposes the imports itself.

mod groups;
mod known;
mod lists;
mod modules;
mod order;
mod place;
mod statement;

use super::draft::{Draft, Likelihood};
use super::names::written_at;
use super::spelling::slips;
use super::view::{SourceFile, View};
use crate::heal::TextChange;
use groups::{groups, header};
use lists::{joined, lists};
use modules::{module_file, module_names, module_path};
use place::{common, inserted, inserted_at};
use salve_syntax::SymbolKind;
use salve_types::{Diagnostic, Hint, Language, NameKind};
use statement::{Statement, imported_as};
use std::rc::Rc;

const AUTHOR: &str = "missing-import";
// The most ways to import one name that are tried.
const TRIED: usize = 5;

/// Drafts the imports that a diagnostic asks for.
pub(super) fn fix(diagnostic: &Diagnostic, view: &View<'_>) -> Vec<Draft> {
    let Some(span) = diagnostic.primary() else { return Vec::new() };
    let Some(file) = view.file(&span.path).filter(|file| file.language() != Language::Rust) else {
        return Vec::new();
    };
    let mut drafts = Vec::new();
    for hint in &diagnostic.hints {
        match hint {
            Hint::UnknownName { kind: NameKind::Argument, .. } => {}
            Hint::UnknownName { name, .. } => drafts.extend(of_name(&file, name, view)),
            Hint::Include { name } => {
                let statement = Statement::whole(file.language(), name);
                drafts.push(draft(&file, &statement, Likelihood::Named, view));
            }
            Hint::NotExported { module, name } => {
                drafts.extend(offered(diagnostic, &file, module, name, view));
            }
            Hint::UnknownModule { name } => {
                drafts.extend(other_module(diagnostic, &file, name, view));
            }
            Hint::UnknownMember { owner: Some(owner), name } => {
                drafts.extend(submodule(&file, owner, name, view));
            }
            _ => {}
        }
    }
    drafts
}

/// Returns the place for an import that the compiler of Rust proposes, among those that are there: in their
/// list, or in their order. Nothing for anything else than an import.
pub(super) fn rejoined(
    file: &SourceFile,
    offset: usize,
    written: &str,
    view: &View<'_>,
) -> Option<TextChange> {
    inserted_at(file, proposed_path(file, written)?, offset, view)
}

// The path of `use PATH;`.
fn proposed_path<'a>(file: &SourceFile, written: &'a str) -> Option<&'a str> {
    let path = written.trim().strip_prefix("use ")?.strip_suffix(';')?.trim();
    let is_path = path.chars().all(|one| one.is_alphanumeric() || matches!(one, '_' | ':' | ' '));
    let is_one = is_path && (!path.contains(' ') || path.contains(" as "));
    (file.language() == Language::Rust && is_one).then_some(path)
}

/// Returns how near the import that the compiler of Rust proposes is to those that the file has: how many
/// parts of its path are those of another one. Nothing for anything else than an import.
pub(super) fn kinship(file: &SourceFile, offset: usize, written: &str) -> Option<usize> {
    let path = proposed_path(file, written)?;
    let all = groups(file, offset);
    let lines = all.iter().flat_map(|group| &group.lines);
    Some(lines.map(|line| common(&line.module, path)).max().unwrap_or(0))
}

fn draft(
    file: &SourceFile,
    statement: &Statement,
    likelihood: Likelihood,
    view: &View<'_>,
) -> Draft {
    let changes = vec![inserted(file, statement, view)];
    Draft::derived(AUTHOR, likelihood, format!("add `{}`", statement.written()), changes)
}

fn of_name(file: &SourceFile, name: &str, view: &View<'_>) -> Vec<Draft> {
    let name = name.split(['.', ':']).next().unwrap_or(name);
    let mut found: Vec<(Statement, Likelihood)> = Vec::new();
    let mut add = |statement: Statement, likelihood| {
        if !found.iter().any(|(other, _)| *other == statement) {
            found.push((statement, likelihood));
        }
    };
    for other in view.files_of(file.language()).filter(|other| other.path() != file.path()) {
        if !other.text().contains(name) {
            continue;
        }
        imported_as(&other, name, file).into_iter().for_each(|one| add(one, Likelihood::Strong));
        if let Some(one) = defined_in(file, &other, name, view) {
            add(one, Likelihood::Strong);
        }
    }
    let known = known::statements(file.language(), name);
    known.into_iter().for_each(|one| add(one, Likelihood::Strong));
    for path in view.paths() {
        let module = module_path(path, file.language());
        let last = module.as_deref().and_then(|module| module.rsplit('.').next());
        if file.language() == Language::Python && last == Some(name) && path != file.path() {
            add(Statement::of_module(module.unwrap_or_default(), name), Likelihood::Fair);
        }
    }
    included_elsewhere(file, name, view).into_iter().for_each(|one| add(one, Likelihood::Fair));
    // What the file imports from already is more probable than anything else.
    let modules: Vec<String> = lists(file).into_iter().map(|list| list.module).collect();
    found.sort_by_key(|(one, likelihood)| (*likelihood, !modules.contains(&one.module())));
    let mut drafts: Vec<Draft> = found
        .iter()
        .take(TRIED)
        .map(|(one, likelihood)| draft(file, one, *likelihood, view))
        .collect();
    if found.iter().all(|(_, likelihood)| *likelihood != Likelihood::Strong) {
        drafts.extend(by_own_lists(file, name, view));
    }
    drafts
}

// Nothing says where the name is from: a list of the file may have lost it.
fn by_own_lists(file: &SourceFile, name: &str, view: &View<'_>) -> Vec<Draft> {
    let join = |list: &lists::NameList| {
        let what = format!("import `{name}` from `{}`, too", list.module);
        Draft::derived(AUTHOR, Likelihood::Fair, what, vec![joined(file, list, name)])
    };
    if file.language() == Language::Rust {
        return Vec::new();
    }
    // What can be looked up was looked up.
    let is_open = |list: &&lists::NameList| {
        !known::is_without(file.language(), &list.module, name)
            && module_file(view, file, &list.module).is_none()
    };
    lists(file).iter().filter(is_open).take(TRIED).map(join).collect()
}

// Headers of other files that use the name, and that this file does not include; the most common first.
fn included_elsewhere(file: &SourceFile, name: &str, view: &View<'_>) -> Vec<Statement> {
    if !matches!(file.language(), Language::C | Language::Cpp) {
        return Vec::new();
    }
    let includes = |file: &SourceFile| -> Vec<String> {
        let all = groups(file, 0);
        let lines = all.iter().flat_map(|group| &group.lines).map(|line| line.text);
        lines.filter(|line| header(line).is_some()).map(str::to_owned).collect()
    };
    let own = includes(file);
    let mut counts: Vec<(usize, String)> = Vec::new();
    let mut users = 0;
    for other in view.files_of(file.language()) {
        if other.path() == file.path() || other.words(name).next().is_none() {
            continue;
        }
        users += 1;
        for line in includes(&other).into_iter().filter(|line| !own.contains(line)) {
            match counts.iter_mut().find(|(_, known)| *known == line) {
                Some((count, _)) => *count += 1,
                None => counts.push((1, line)),
            }
        }
    }
    // What not every user of the name includes is not what brings it.
    counts.retain(|(count, _)| *count == users);
    let include = |line: &str| {
        line.trim_start_matches('#')
            .trim()
            .strip_prefix("include")
            .map(|header| Statement::Include(header.trim().to_owned()))
    };
    counts.iter().take(TRIED).filter_map(|(_, line)| include(line)).collect()
}

// `import a` does not bring `a.b`; `import a.b` does.
fn submodule(file: &SourceFile, owner: &str, name: &str, view: &View<'_>) -> Vec<Draft> {
    let module = format!("{owner}.{name}");
    let is_word = |one: char| one.is_alphanumeric() || matches!(one, '_' | '.');
    let is_used = file.text().contains(&module) && module.chars().all(is_word);
    if file.language() != Language::Python || !is_used {
        return Vec::new();
    }
    vec![draft(file, &Statement::PythonModule(module), Likelihood::Fair, view)]
}

// An import of what another file defines for all.
fn defined_in(
    file: &SourceFile,
    other: &Rc<SourceFile>,
    name: &str,
    view: &View<'_>,
) -> Option<Statement> {
    let is_it =
        |kind| !matches!(kind, SymbolKind::Import | SymbolKind::Member | SymbolKind::Method);
    let symbols = other.symbols()?;
    symbols.top_level().find(|one| one.name == name && is_it(one.kind) && one.is_exported)?;
    Statement::from_file(file, other.path(), name, view)
}

// A module is there and the name is not: another name of that module, or the module that has the name.
fn offered(
    diagnostic: &Diagnostic,
    file: &SourceFile,
    module: &str,
    name: &str,
    view: &View<'_>,
) -> Vec<Draft> {
    let place = diagnostic.primary().and_then(|span| file.span(span));
    let Some(place) = written_at(file, place, name) else { return Vec::new() };
    let mut names: Vec<(usize, String)> = Vec::new();
    if let Some(path) = module_file(view, file, module)
        && let Some(other) = view.file(&path)
        && let Some(symbols) = other.symbols()
    {
        let offered = symbols.top_level().map(|symbol| &symbol.name);
        names.extend(offered.filter_map(|meant| Some((slips(name, meant)?, meant.clone()))));
    }
    names.sort();
    names.dedup();
    let similar = diagnostic.hints.iter().filter_map(|hint| match hint {
        Hint::SimilarName { name } => Some((0, name.clone())),
        _ => None,
    });
    let write = |(slips, meant): (usize, String)| {
        let likelihood = match slips {
            0 => Likelihood::Named,
            1 => Likelihood::Strong,
            _ => Likelihood::Fair,
        };
        let what = format!("import `{meant}` instead of `{name}`");
        // What is imported under another name is used under that name, too.
        let mut changes = vec![file.change(place, &meant)];
        changes.extend(uses(file, name, place.start).map(|span| file.change(span, &meant)));
        Draft::derived(AUTHOR, likelihood, what, changes)
    };
    let all: Vec<(usize, String)> = similar.chain(names.into_iter().take(TRIED)).collect();
    let mut drafts: Vec<Draft> = all.iter().cloned().map(write).collect();
    // A slip in the import alone: the uses are right already.
    let alone = all.into_iter().map(|(slips, meant)| {
        let likelihood = if slips == 0 { Likelihood::Named } else { Likelihood::Strong };
        let what = format!("import `{meant}` instead of `{name}`");
        Draft::derived(AUTHOR, likelihood, what, vec![file.change(place, &meant)])
    });
    drafts.splice(0..0, alone);
    drafts
}

// Other places of the file where the name is written.
fn uses<'a>(
    file: &'a SourceFile,
    name: &'a str,
    but: usize,
) -> impl Iterator<Item = salve_types::Span> + 'a {
    file.words(name).filter(move |span| span.start != but)
}

fn other_module(
    diagnostic: &Diagnostic,
    file: &SourceFile,
    module: &str,
    view: &View<'_>,
) -> Vec<Draft> {
    let place = diagnostic.primary().and_then(|span| file.span(span));
    let mut names: Vec<(usize, String)> = module_names(view, file)
        .into_iter()
        .filter_map(|meant| Some((slips(module, &meant)?, meant)))
        .collect();
    names.extend(diagnostic.hints.iter().filter_map(|hint| match hint {
        Hint::SimilarName { name } => Some((1, name.clone())),
        _ => None,
    }));
    names.sort();
    names.dedup();
    let Some(line) = place.and_then(|place| file.line(file.line_of(place.start))) else {
        return Vec::new();
    };
    let text = file.text().get(line.range()).unwrap_or_default();
    let Some(at) = text.find(module) else { return Vec::new() };
    let span = salve_types::Span::new(line.start + at, line.start + at + module.len());
    let write = |(slips, meant): (usize, String)| {
        let likelihood = if slips == 1 { Likelihood::Strong } else { Likelihood::Fair };
        let what = format!("import `{meant}` instead of `{module}`");
        Draft::derived(AUTHOR, likelihood, what, vec![file.change(span, &meant)])
    };
    names.into_iter().take(TRIED).map(write).collect()
}

#[cfg(test)]
mod generated;
#[cfg(test)]
mod tests;
