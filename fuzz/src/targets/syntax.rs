//! Grammars: any text has an answer, and every place in it exists.
//!
//! In: a byte that chooses the language, then text. Out: a panic when a problem or node points
//! outside the text or between the bytes of a character. Never judges whether a problem is real.

use crate::input;
use salve_types::{Language, Span};

pub(super) fn check(bytes: &[u8]) {
    let (language, text) = input::language_and_text(bytes);
    let report = salve_syntax::check_syntax(&text, language);
    assert_eq!(report.is_some(), salve_syntax::has_grammar(language));
    let Some(report) = report else { return };
    for problem in &report.problems {
        assert_inside(&text, problem.span, language);
    }
    assert_eq!(report.findings().len(), report.problems.len());
    assert!(report.problems.len() <= report.errors + report.missing);
    if let Some(tree) = salve_syntax::parse_nodes(&text, language) {
        for (index, node) in tree.nodes().iter().enumerate() {
            assert_inside(&text, node.span, language);
            assert!(node.parent.is_none_or(|parent| parent < index), "a parent stands first");
        }
        // The other way round does not hold: a tree may miss a token that grammars hide, such as
        // the line end after a directive, and there is nothing to report about that.
        assert!(tree.has_error() || report.is_clean(), "problems in a tree without errors");
    }
}

fn assert_inside(text: &str, span: Span, language: Language) {
    let slice = text.get(span.range());
    assert!(slice.is_some(), "{} is not a place in a text of {}", show(span), language.name());
}

fn show(span: Span) -> String {
    format!("{}..{}", span.start, span.end)
}
