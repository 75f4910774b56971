//! Which diagnostics of a run are its causes.
//!
//! In: all diagnostics. Out: the errors (the warnings when there is no error), without what a tool
//! only says because of an earlier one. Never drops the only diagnostic of a run.

use super::language::Language;
use salve_types::{Diagnostic, Severity};
use std::collections::HashSet;

/// Keeps the diagnostics that a run's signature is made of.
#[must_use]
pub fn primary_diagnostics(diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let worst = diagnostics.iter().map(|diagnostic| diagnostic.severity).min();
    let mut seen_functions = HashSet::new();
    let mut kept = Vec::new();
    let mut consequences = Vec::new();
    for diagnostic in diagnostics {
        if Some(diagnostic.severity) != worst {
            continue;
        }
        if is_consequence(&diagnostic) || repeats_in_function(&diagnostic, &mut seen_functions) {
            consequences.push(diagnostic);
        } else {
            kept.push(diagnostic);
        }
    }
    if kept.is_empty() { consequences } else { kept }
}

/// Leaves out what a tool says only because of what it said before, such as make's `Error 1`; all of it is
/// kept where there is nothing else.
#[must_use]
pub fn without_consequences(diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let (consequences, causes): (Vec<_>, Vec<_>) =
        diagnostics.into_iter().partition(is_consequence);
    if causes.is_empty() { consequences } else { causes }
}

// Sentences by which a tool ends a run that failed for a reason given before.
fn is_consequence(diagnostic: &Diagnostic) -> bool {
    const STARTS: &[&str] = &[
        "aborting due to",
        "could not compile",
        "ld returned",
        "linker command failed",
        "build failed",
        "test failed, to rerun",
        "doctest failed, to rerun",
        "process didn't exit successfully",
        "too many errors emitted",
        "compilation terminated",
        "`main` function not found",
    ];
    // The words of cargo, gcc, clang and rustc.
    let message = diagnostic.message.as_str();
    STARTS.iter().any(|start| message.starts_with(start))
        || matches!(diagnostic.tool.as_str(), "make" | "npm")
        || diagnostic.code.as_deref() == Some("ELIFECYCLE")
}

// After its first error in a function, a C compiler reads the rest of it by guessing.
fn repeats_in_function(diagnostic: &Diagnostic, seen: &mut HashSet<(String, String)>) -> bool {
    if !matches!(diagnostic.tool.as_str(), "gcc" | "g++" | "cc")
        || diagnostic.severity != Severity::Error
        || Language::of_tool(&diagnostic.tool) != Language::C
    {
        return false;
    }
    let function = diagnostic.notes.iter().find(|note| note.kind == "function");
    let path = diagnostic.primary().map_or("", |span| span.path.as_str());
    function.is_some_and(|function| !seen.insert((path.to_owned(), function.message.clone())))
}
