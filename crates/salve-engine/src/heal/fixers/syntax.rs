//! Lost and doubled tokens.
//!
//! In: a diagnostic about the syntax of a file whose language has a grammar. Out: drafts that insert, delete
//! or replace one token near the places that the tool or the grammar names, so that the grammar objects to
//! less than before. Never a draft that the grammar was not asked about, and never more than its budget of
//! questions.

mod brackets;
mod edits;
mod quotes;
mod tokens;

use super::draft::{Draft, Likelihood};
use super::view::{SourceFile, View};
use edits::{Edit, near};
use salve_syntax::check_syntax;
use salve_types::{Diagnostic, ErrorClass, Hint, Language, Span};
use std::collections::HashSet;
use tokens::{Token, tokens};

const AUTHOR: &str = "syntax";
// The most texts that the grammar is asked about for one diagnostic, and the most that are proposed.
const ASKED: usize = 400;
const PROPOSED: usize = 9;

/// Drafts one-token repairs of a text that its grammar or its tool does not accept.
pub(super) fn fix(diagnostic: &Diagnostic, view: &View<'_>) -> Vec<Draft> {
    if !is_about_syntax(diagnostic) {
        return Vec::new();
    }
    let Some(span) = diagnostic.primary() else { return Vec::new() };
    let Some(file) = view.file(&span.path) else { return Vec::new() };
    let place = file.span(span).or_else(|| file.offset_of_end().map(|at| Span::new(at, at)));
    let (Some(place), Some(before)) = (place, objections(file.text(), file.language())) else {
        return Vec::new();
    };
    let Some(tokens) = tokens(&file) else { return Vec::new() };
    let edits = all_edits(diagnostic, &file, &tokens, place);
    judged(&file, edits, &before, view)
        .into_iter()
        .take(PROPOSED)
        .map(|(edit, left)| draft(&file, &edit, left, before.count))
        .collect()
}

fn is_about_syntax(diagnostic: &Diagnostic) -> bool {
    let is_token = |hint: &Hint| {
        matches!(
            hint,
            Hint::ExpectedToken { .. } | Hint::UnexpectedToken { .. } | Hint::Unclosed { .. }
        )
    };
    diagnostic.class == ErrorClass::Syntax || diagnostic.hints.iter().any(is_token)
}

/// What a grammar objects to.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Objections {
    count: usize,
    /// How many bytes it could not read.
    bytes: usize,
    places: Vec<Span>,
    /// Tokens that it misses.
    missing: Vec<String>,
}

fn objections(text: &str, language: Language) -> Option<Objections> {
    let report = check_syntax(text, language).filter(|report| report.unread.is_none())?;
    let missing = report.problems.iter().filter(|one| one.span.is_empty());
    Some(Objections {
        count: report.errors + report.missing,
        bytes: report.problems.iter().map(|one| one.span.len()).sum(),
        places: report.problems.iter().take(4).map(|one| one.span).collect(),
        missing: missing.flat_map(|one| one.expected.clone()).take(4).collect(),
    })
}

fn all_edits(
    diagnostic: &Diagnostic,
    file: &SourceFile,
    tokens: &[Token],
    place: Span,
) -> Vec<Edit> {
    let mut edits = near(diagnostic, file, tokens, place, 0);
    edits.extend(brackets::edits(file, tokens));
    edits.extend(quotes::edits(diagnostic, file, place));
    // The places of notes: where a bracket was opened.
    for span in diagnostic.spans.iter().filter(|span| !span.primary).take(2) {
        if let Some(other) = file.span(span).filter(|_| span.path == file.path()) {
            edits.extend(near(diagnostic, file, tokens, other, 40));
        }
    }
    if let Some(objections) = objections(file.text(), file.language()) {
        for other in &objections.places {
            edits.extend(near(diagnostic, file, tokens, Span::new(other.start, other.start), 20));
            edits.extend(near(diagnostic, file, tokens, Span::new(other.end, other.end), 60));
        }
        for edit in &mut edits {
            if objections.missing.contains(&edit.token) {
                edit.rank = edit.rank.saturating_sub(10);
            }
        }
    }
    edits
}

// The edits after which the grammar objects to less, the best first, with what it still objects to.
fn judged(
    file: &SourceFile,
    mut edits: Vec<Edit>,
    before: &Objections,
    view: &View<'_>,
) -> Vec<(Edit, usize)> {
    edits.sort_by_key(|edit| edit.rank);
    let mut seen = HashSet::new();
    edits.retain(|edit| seen.insert((edit.span, edit.replacement.clone())));
    let mut better: Vec<(Edit, usize, usize)> = Vec::new();
    let mut texts = HashSet::new();
    for edit in edits.into_iter().take(ASKED) {
        if !view.may_parse(file.text().len()) {
            break;
        }
        let Some(text) = edit.applied(file.text()) else { continue };
        if !texts.insert(text.clone()) {
            continue;
        }
        let Some(after) = objections(&text, file.language()) else { continue };
        // A grammar is more lenient than its compiler: a text it took before must only stay as good.
        let is_better = if before.count == 0 {
            after.count == 0 && (edit.is_hinted || edit.is_here)
        } else {
            (after.count, after.bytes) < (before.count, before.bytes)
        };
        if is_better {
            better.push((edit, after.count, after.bytes));
        }
    }
    better.sort_by_key(|(edit, count, _)| (*count, edit.rank));
    better.into_iter().map(|(edit, count, _)| (edit, count)).collect()
}

fn draft(file: &SourceFile, edit: &Edit, left: usize, before: usize) -> Draft {
    let likelihood = match (left, edit.is_hinted) {
        (0, true) => Likelihood::Strong,
        (0, false) => Likelihood::Fair,
        _ if left < before => Likelihood::Fair,
        _ => Likelihood::Weak,
    };
    let line = file.line_of(edit.span.start);
    let description = format!("{} in line {line}", edit.what);
    let changes = vec![file.change(edit.span, &edit.replacement)];
    Draft::derived(AUTHOR, likelihood, description, changes)
}

#[cfg(test)]
mod tests;
