//! The order and the limits of proposals, and that each fits its files.

use super::testing::{Files, fixed, proposals};
use super::*;
use salve_types::{
    Applicability, ErrorClass, Hint, Position, SourceSpan, SuggestedEdit, Suggestion,
};

fn at(path: &str, line: u32, from: u32, to: u32) -> SourceSpan {
    SourceSpan {
        path: path.to_owned(),
        start: Some(Position { line, column: from }),
        end: Some(Position { line, column: to }),
        bytes: None,
        primary: true,
        label: None,
        line_text: None,
    }
}

fn suggestion(applicability: Applicability, edits: &[(SourceSpan, &str)]) -> Suggestion {
    let edit = |(span, replacement): &(SourceSpan, &str)| SuggestedEdit {
        span: span.clone(),
        replacement: (*replacement).to_owned(),
    };
    let message = "write it so".to_owned();
    Suggestion { message, applicability, edits: edits.iter().map(edit).collect() }
}

fn said(suggestions: Vec<Suggestion>) -> Diagnostic {
    let mut diagnostic = Diagnostic::new("rustc", Severity::Error, ErrorClass::Type, "wrong");
    diagnostic.suggestions = suggestions;
    diagnostic
}

#[test]
fn what_tools_vouch_for_is_tried_together_and_then_alone() {
    use Applicability::{HasPlaceholders, MachineApplicable, MaybeIncorrect};
    let files = Files::new(&[("a.rs", "one two three\n")]);
    let diagnostics = [
        said(vec![suggestion(MachineApplicable, &[(at("a.rs", 1, 1, 4), "ONE")])]),
        said(vec![suggestion(MaybeIncorrect, &[(at("a.rs", 1, 5, 8), "TWO")])]),
        said(vec![suggestion(MachineApplicable, &[(at("a.rs", 1, 9, 14), "THREE")])]),
        said(vec![suggestion(HasPlaceholders, &[(at("a.rs", 1, 9, 14), "/* value */")])]),
    ];
    assert_eq!(
        proposals(&diagnostics, &files, "a.rs"),
        [
            "ONE two THREE\n",
            "ONE TWO THREE\n",
            "ONE two three\n",
            "one TWO three\n",
            "one two THREE\n"
        ]
    );
    assert_eq!(propose(&diagnostics, &files)[0].answers, [0, 2]);
}

#[test]
fn suggestions_that_overlap_are_never_in_one_fix() {
    use Applicability::MachineApplicable;
    let files = Files::new(&[("a.rs", "one two\n")]);
    let diagnostics = [
        said(vec![suggestion(MachineApplicable, &[(at("a.rs", 1, 1, 4), "ONE")])]),
        said(vec![suggestion(MachineApplicable, &[(at("a.rs", 1, 1, 8), "both")])]),
        said(vec![suggestion(MachineApplicable, &[(at("elsewhere.rs", 1, 1, 8), "x")])]),
    ];
    for fix in propose(&diagnostics, &files) {
        fixed(&fix, &files, "a.rs");
    }
    assert_eq!(proposals(&diagnostics, &files, "a.rs"), ["ONE two\n", "both\n"]);
}

#[test]
fn an_unused_name_is_never_underscored() {
    let files = Files::new(&[("a.rs", "fn f(x: u8) {}\n")]);
    let mut unused = said(vec![
        suggestion(Applicability::MachineApplicable, &[(at("a.rs", 1, 6, 7), "_x")]),
        suggestion(Applicability::MaybeIncorrect, &[(at("a.rs", 1, 1, 1), "#[allow(unused)]\n")]),
    ]);
    unused.hints.push(Hint::UnusedName { name: "x".to_owned() });
    for text in proposals(&[unused], &files, "a.rs") {
        assert!(!text.contains("_x") && !text.contains("allow"), "{text}");
    }
}

#[test]
fn warnings_count_only_where_there_is_no_error() {
    let files = Files::new(&[("a.rs", "one two\n")]);
    let edit = |from, to, text| {
        said(vec![suggestion(Applicability::MachineApplicable, &[(at("a.rs", 1, from, to), text)])])
    };
    let mut diagnostics = vec![edit(1, 4, "ONE"), edit(5, 8, "TWO")];
    diagnostics[1].severity = Severity::Warning;
    assert_eq!(proposals(&diagnostics, &files, "a.rs"), ["ONE two\n"]);
    diagnostics.remove(0);
    assert_eq!(proposals(&diagnostics, &files, "a.rs"), ["one TWO\n"]);
}
