//! What the tools themselves propose to write.
//!
//! In: the suggestions of a diagnostic. Out: a batch of those a tool vouches for, a batch of the first of
//! each, and every one by itself. A suggestion that only silences (an underscore before an unused name, an
//! attribute that allows it) is left to the fixer that removes the name; one with a blank to fill is left out.

use super::draft::{Draft, Likelihood, collide, merged};
use super::imports::{kinship, rejoined};
use super::view::View;
use crate::heal::{FixOrigin, TextChange};
use salve_types::{Applicability, Diagnostic, Hint, Suggestion};

// More suggestions than these are choices.
const TOGETHER: usize = 3;

/// Drafts every suggestion of a diagnostic, imports among those that are there, and those that go together
/// as one.
pub(super) fn each(diagnostic: &Diagnostic, view: &View<'_>) -> Vec<Draft> {
    let draft = |suggestion| draft(diagnostic, suggestion, view);
    let mut drafts: Vec<Draft> = diagnostic.suggestions.iter().filter_map(draft).collect();
    nearest_first(&mut drafts, view);
    // Some belong together although the tool tells them apart: an import, and the path without it.
    let together = merged(drafts.iter().take(TOGETHER).map(|draft| (0, draft)));
    drafts.extend(together.map(|(draft, _)| Draft { likelihood: Likelihood::Fair, ..draft }));
    // The place that the tool chose for an import is left for where the better one does not hold.
    drafts.into_iter().flat_map(|draft| placed(&draft, view).into_iter().chain([draft])).collect()
}

// Of several imports that would do, the one most like those that the file has; the others stay in order.
fn nearest_first(drafts: &mut [Draft], view: &View<'_>) {
    let near = |draft: &Draft| match &draft.changes[..] {
        [change] if change.span.is_empty() => view
            .file(&change.path)
            .and_then(|file| kinship(&file, change.span.start, &change.replacement)),
        _ => None,
    };
    let places: Vec<usize> = (0..drafts.len()).filter(|&at| near(&drafts[at]).is_some()).collect();
    let mut imports: Vec<Draft> = places.iter().map(|&at| drafts[at].clone()).collect();
    imports.sort_by_key(|draft| std::cmp::Reverse(near(draft)));
    for (at, draft) in places.into_iter().zip(imports) {
        drafts[at] = draft;
    }
}

// The same with its imports among those of the file; nothing where it has none.
fn placed(draft: &Draft, view: &View<'_>) -> Option<Draft> {
    let mut is_moved = false;
    let mut changes: Vec<TextChange> = Vec::new();
    for change in &draft.changes {
        let moved = view
            .file(&change.path)
            .filter(|_| change.span.is_empty())
            .and_then(|file| rejoined(&file, change.span.start, &change.replacement, view));
        is_moved |= moved.is_some();
        let change = moved.unwrap_or_else(|| change.clone());
        if changes.iter().any(|other| collide(other, &change)) {
            return None;
        }
        changes.push(change);
    }
    is_moved.then(|| Draft { changes, ..draft.clone() })
}

/// Puts the suggestions of all diagnostics together: first those the tools vouch for, then the first of
/// each, whatever the tool thinks of it.
pub(super) fn batches(
    diagnostics: &[Diagnostic],
    looked_at: &[usize],
    view: &View<'_>,
) -> Vec<(Draft, Vec<usize>)> {
    let drafts: Vec<(usize, Draft)> = looked_at
        .iter()
        .flat_map(|&index| each(&diagnostics[index], view).into_iter().map(move |one| (index, one)))
        .collect();
    let vouched = drafts.iter().filter(|(_, draft)| draft.likelihood == Likelihood::Vouched);
    let mut last = None;
    let first_of_each = drafts.iter().filter(|(index, _)| last.replace(*index) != Some(*index));
    [
        merged(vouched.map(|(index, draft)| (*index, draft))),
        merged(first_of_each.map(|(index, draft)| (*index, draft))),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn draft(diagnostic: &Diagnostic, suggestion: &Suggestion, view: &View<'_>) -> Option<Draft> {
    let likelihood = match suggestion.applicability {
        Applicability::MachineApplicable => Likelihood::Vouched,
        Applicability::MaybeIncorrect | Applicability::Unspecified => Likelihood::Named,
        // rustc says so of suggestions that hold no blank as well; those are worth a try.
        Applicability::HasPlaceholders if has_blank(suggestion) => return None,
        Applicability::HasPlaceholders => Likelihood::Fair,
    };
    let mut changes: Vec<TextChange> = Vec::new();
    for edit in &suggestion.edits {
        let file = view.file(&edit.span.path)?;
        let change = file.change(file.span(&edit.span)?, &edit.replacement);
        // Tools repeat an edit that several of their messages share.
        if changes.contains(&change) {
            continue;
        }
        if changes.iter().any(|other| collide(other, &change)) {
            return None;
        }
        changes.push(change);
    }
    if changes.is_empty() || silences(diagnostic, &changes, view) {
        return None;
    }
    Some(Draft {
        author: author(&diagnostic.tool),
        description: suggestion.message.clone(),
        origin: FixOrigin::Tool,
        likelihood,
        changes,
        commands: Vec::new(),
    })
}

// What a tool writes where a person is to write something.
fn has_blank(suggestion: &Suggestion) -> bool {
    const BLANKS: [&str; 7] =
        ["/*", "todo!(", "unimplemented!(", "\"REASON\"", "...", "<expr>", "value_"];
    let is_blank = |text: &str| BLANKS.iter().any(|blank| text.contains(blank));
    suggestion.edits.iter().any(|edit| is_blank(&edit.replacement))
}

fn author(tool: &str) -> &'static str {
    match tool {
        "rustc" => "rustc-suggestion",
        "clippy" => "clippy-suggestion",
        "eslint" => "eslint-suggestion",
        "ruff" => "ruff-suggestion",
        "gcc" => "gcc-suggestion",
        "clang" => "clang-suggestion",
        "tsc" => "tsc-suggestion",
        _ => "tool-suggestion",
    }
}

// An unused name with an underscore before it, or an attribute, is as unused as before.
fn silences(diagnostic: &Diagnostic, changes: &[TextChange], view: &View<'_>) -> bool {
    let unused = diagnostic.hints.iter().any(|hint| matches!(hint, Hint::UnusedName { .. }));
    let underscores = |change: &TextChange| {
        let before = view
            .file(&change.path)
            .and_then(|file| file.text().get(change.span.range()).map(str::to_owned))
            .unwrap_or_default();
        change.replacement == format!("_{before}")
    };
    let allows = |change: &TextChange| {
        let written: String = change.replacement.split_whitespace().collect();
        ["#[allow(", "#![allow(", "#[expect(", "//eslint-disable", "#noqa", "//@ts-ignore"]
            .iter()
            .any(|mark| written.contains(mark))
    };
    changes.iter().any(allows) || (unused && changes.iter().all(underscores))
}
