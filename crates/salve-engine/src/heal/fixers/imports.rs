//! Imports that are missing.
//!
//! In: a diagnostic that a name is not known, that a module is not found or does not offer a name. Out:
//! drafts that import the name as another file of the workspace does, from the file that defines it, or from
//! the standard library; and other spellings of a module. Rust is left out: its compiler proposes imports
//! itself.

mod known;
mod modules;
mod place;
mod statement;

use super::draft::{Draft, Likelihood};
use super::names::written_at;
use super::spelling::slips;
use super::view::{SourceFile, View};
use modules::{module_file, module_names, module_path};
use place::inserted;
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
                drafts.push(draft(&file, &statement, Likelihood::Named));
            }
            Hint::NotExported { module, name } => {
                drafts.extend(offered(diagnostic, &file, module, name, view));
            }
            Hint::UnknownModule { name } => {
                drafts.extend(other_module(diagnostic, &file, name, view));
            }
            _ => {}
        }
    }
    drafts
}

fn draft(file: &SourceFile, statement: &Statement, likelihood: Likelihood) -> Draft {
    let changes = vec![inserted(file, statement)];
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
    let known = known::statement(file.language(), name);
    for other in view.files_of(file.language()).filter(|other| other.path() != file.path()) {
        if !other.text().contains(name) {
            continue;
        }
        imported_as(&other, name, file.path())
            .into_iter()
            .for_each(|one| add(one, Likelihood::Strong));
        if let Some(one) = defined_in(file, &other, name) {
            add(one, Likelihood::Strong);
        }
    }
    known.into_iter().for_each(|one| add(one, Likelihood::Strong));
    for path in view.paths() {
        let module = module_path(path, file.language());
        let last = module.as_deref().and_then(|module| module.rsplit('.').next());
        if file.language() == Language::Python && last == Some(name) && path != file.path() {
            add(Statement::of_module(module.unwrap_or_default(), name), Likelihood::Fair);
        }
    }
    found.iter().take(TRIED).map(|(one, likelihood)| draft(file, one, *likelihood)).collect()
}

// An import of what another file defines for all.
fn defined_in(file: &SourceFile, other: &Rc<SourceFile>, name: &str) -> Option<Statement> {
    let is_it =
        |kind| !matches!(kind, SymbolKind::Import | SymbolKind::Member | SymbolKind::Method);
    let symbols = other.symbols()?;
    symbols.top_level().find(|one| one.name == name && is_it(one.kind) && one.is_exported)?;
    Statement::from_file(file, other.path(), name)
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
mod tests;
