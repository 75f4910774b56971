//! Fixes for tests of the rules: a text before and after, and what a tool said of it.

use super::rule::{FixExample, FixRule};
use super::{apply_rule, learn};
use salve_types::{Diagnostic, ErrorClass, Position, Severity, SourceSpan};

/// Makes what a tool says at a place.
pub(super) fn said(tool: &str, message: &str, path: &str, place: (u32, u32)) -> Diagnostic {
    let mut diagnostic = Diagnostic::new(tool, Severity::Error, ErrorClass::Syntax, message);
    diagnostic.spans.push(SourceSpan {
        path: path.to_owned(),
        start: Some(Position { line: place.0, column: place.1 }),
        end: None,
        bytes: None,
        primary: true,
        label: None,
        line_text: None,
    });
    diagnostic
}

/// Makes an accepted fix of a C file that gcc spoke of.
pub(super) fn fixed_c(message: &str, place: (u32, u32), before: &str, after: &str) -> FixExample {
    FixExample {
        language: None,
        path: "a.c".to_owned(),
        before: before.to_owned(),
        after: after.to_owned(),
        diagnostics: vec![said("gcc", message, "a.c", place)],
    }
}

/// Returns the first text that a rule makes for a diagnostic of gcc.
pub(super) fn made(rule: &FixRule, message: &str, place: (u32, u32), text: &str) -> Option<String> {
    let diagnostic = said("gcc", message, "a.c", place);
    apply_rule(rule, &diagnostic, "a.c", text).first()?.applied(text)
}

/// Learns from a fix, and returns for each level the first text that a rule of it makes elsewhere.
pub(super) fn by_level(
    example: &FixExample,
    message: &str,
    place: (u32, u32),
    text: &str,
) -> [Option<String>; 4] {
    let rules = learn(example);
    [0, 1, 2, 3].map(|level| {
        let mut of_level = rules.iter().filter(|rule| rule.level == level);
        of_level.find_map(|rule| made(rule, message, place, text))
    })
}
