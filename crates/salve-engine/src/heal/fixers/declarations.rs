//! Assignments to names that nothing declares.
//!
//! In: a diagnostic that a name is not known, where the name is given a value. Out: drafts that make a
//! declaration of the assignment: `const` or `let` in scripts, `int` for the counter of a C loop, `:=` in Go.
//! Rust is left out: its compiler proposes `let` itself.

use super::draft::{Draft, Likelihood};
use super::names::written_at;
use super::view::{SourceFile, View};
use salve_types::{Diagnostic, Hint, Language, Span};

const AUTHOR: &str = "missing-declaration";

/// Drafts declarations of names that are assigned to.
pub(super) fn fix(diagnostic: &Diagnostic, view: &View<'_>) -> Vec<Draft> {
    let Some(span) = diagnostic.primary() else { return Vec::new() };
    let Some(file) = view.file(&span.path) else { return Vec::new() };
    let mut drafts = Vec::new();
    for hint in &diagnostic.hints {
        let Hint::UnknownName { name, .. } = hint else { continue };
        if let Some(place) = written_at(&file, file.span(span), name) {
            drafts.extend(declared(&file, place, name));
        }
    }
    drafts
}

fn declared(file: &SourceFile, place: Span, name: &str) -> Vec<Draft> {
    let text = file.text();
    let before = text.get(..place.start).unwrap_or_default();
    let after = text.get(place.end..).unwrap_or_default().trim_start_matches([' ', '\t']);
    let is_assigned =
        after.starts_with('=') && !after.starts_with("==") && !after.starts_with("=>");
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let lead = before.get(line_start..).unwrap_or_default().trim();
    let in_loop = before.trim_end().ends_with('(')
        && before.trim_end().trim_end_matches('(').trim_end().ends_with("for");
    let starts = lead.is_empty() || lead.ends_with([';', '{', '}']);
    let words: &[&str] = match file.language() {
        Language::C | Language::Cpp if in_loop && is_assigned => &["int "],
        Language::TypeScript | Language::Tsx | Language::JavaScript | Language::Jsx
            if is_assigned && in_loop =>
        {
            &["let "]
        }
        Language::TypeScript | Language::Tsx | Language::JavaScript | Language::Jsx
            if is_assigned && starts =>
        {
            &["const ", "let "]
        }
        Language::Go if is_assigned && starts => {
            let at = text.len() - text.get(place.end..).unwrap_or_default().len();
            let sign = text.get(at..).and_then(|rest| rest.find('=')).map_or(at, |more| at + more);
            let change = file.change(Span::new(sign, sign), ":");
            let what = format!("declare `{name}`");
            return vec![Draft::derived(AUTHOR, Likelihood::Strong, what, vec![change])];
        }
        _ => &[],
    };
    let at = Span::new(place.start, place.start);
    let draft = |word: &&str| {
        let what = format!("declare `{name}` with `{}`", word.trim());
        Draft::derived(AUTHOR, Likelihood::Strong, what, vec![file.change(at, word)])
    };
    words.iter().map(draft).collect()
}

#[cfg(test)]
mod tests {
    use crate::heal::fixers::testing::{Files, proposals, said};

    #[test]
    fn an_assignment_to_an_unknown_name_becomes_a_declaration() {
        for (tool, path, text, message, place, wanted) in [
            (
                "tsc",
                "a.ts",
                "total = 1;\nf(total);\n",
                "Cannot find name 'total'.",
                (1, 1),
                "const total = 1;\nf(total);\n",
            ),
            (
                "gcc",
                "a.c",
                "int f() {\n  for (i = 0; ; ) {}\n}\n",
                "‘i’ undeclared (first use in this function)",
                (2, 8),
                "int f() {\n  for (int i = 0; ; ) {}\n}\n",
            ),
            (
                "go",
                "a.go",
                "package a\nfunc f() {\n\ttotal = 1\n}\n",
                "undefined: total",
                (3, 2),
                "package a\nfunc f() {\n\ttotal := 1\n}\n",
            ),
        ] {
            let files = Files::new(&[(path, text)]);
            let made = proposals(&[said(tool, message, path, place)], &files, path);
            assert!(made.iter().any(|text| text == wanted), "{tool}: {message}: {made:?}");
        }
        let files = Files::new(&[("a.ts", "if (total == 1) {}\n")]);
        let said = said("tsc", "Cannot find name 'total'.", "a.ts", (1, 5));
        assert!(proposals(&[said], &files, "a.ts").is_empty());
    }
}
