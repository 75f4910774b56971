//! The SARIF that is written fits the standard's schema and can be read back.

use super::{CASES, read};
use proptest::prelude::*;
use salve_check::{CheckedFolder, OutputParser, parse_output, sarif_log};
use salve_types::{
    Applicability, Diagnostic, DiagnosticNote, ErrorClass, Position, Severity, SourceSpan, Span,
    SuggestedEdit, Suggestion,
};
use serde_json::Value;
use std::path::Path;
use std::sync::LazyLock;

static SCHEMA: LazyLock<jsonschema::Validator> = LazyLock::new(|| {
    // The pattern of a language code has a bracket that strict dialects refuse.
    let schema = include_str!("../../data/sarif/sarif-schema-2.1.0.json").replace("]?$", "\\\\]?$");
    let schema: Value = serde_json::from_str(&schema).expect("the schema is JSON");
    jsonschema::options().should_validate_formats(true).build(&schema).expect("a schema")
});

fn written(diagnostics: &[Diagnostic]) -> Value {
    let known_by =
        |one: &Diagnostic| vec![("salveClass/v1".to_owned(), one.class.name().to_owned())];
    let log = sarif_log(diagnostics, &known_by).expect("it can be written");
    serde_json::from_str(&log).expect("it is JSON")
}

fn complaints(log: &Value) -> Vec<String> {
    SCHEMA.iter_errors(log).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

#[test]
fn the_schema_refuses_what_is_no_sarif() {
    assert!(!complaints(&serde_json::json!({"version": "2.1.0"})).is_empty());
    let region = serde_json::json!({"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "x"}},
        "results": [{"message": {"text": "m"}, "locations": [{"physicalLocation": {"region": {"startLine": 0}}}]}]}]});
    assert!(!complaints(&region).is_empty());
}

#[test]
fn r26_every_real_output_becomes_valid_sarif_and_comes_back() {
    for &(name, parser) in CASES {
        let found = read(name, parser, Path::new("/project"));
        let log = written(&found);
        assert_eq!(complaints(&log), Vec::<String>::new(), "{name}");
        let folder = CheckedFolder::unread(Path::new("/project"));
        let again = parse_output(OutputParser::Sarif, &log.to_string(), "", folder);
        assert_eq!(again.len(), found.len(), "{name}");
        let mut sorted = found.clone();
        // One run for each tool: they come back together, the first tool first.
        let first = |tool: &String| found.iter().position(|one| one.tool == *tool);
        sorted.sort_by_key(|one| first(&one.tool));
        for (one, other) in sorted.iter().zip(&again) {
            assert_eq!(told(one), told(other), "{name}");
            assert_eq!(
                one.suggestions,
                without_bytes(&other.suggestions, &one.suggestions),
                "{name}"
            );
        }
    }
}

fn told(one: &Diagnostic) -> (&str, Severity, ErrorClass, Option<&str>, &str, Vec<String>) {
    let places = one.spans.iter().filter(|span| span.primary);
    let places = places.map(|span| format!("{}:{:?}-{:?}", span.path, span.start, span.end));
    let message = one.message.lines().next().unwrap_or_default().trim_end();
    (&one.tool, one.severity, one.class, one.code.as_deref(), message, places.collect())
}

// SARIF has no place for the source line and label of a replaced span.
fn without_bytes(read: &[Suggestion], written: &[Suggestion]) -> Vec<Suggestion> {
    let mut read = read.to_vec();
    for (one, other) in read.iter_mut().zip(written) {
        for (edit, original) in one.edits.iter_mut().zip(&other.edits) {
            edit.span.line_text.clone_from(&original.span.line_text);
            edit.span.label.clone_from(&original.span.label);
        }
    }
    read
}

fn any_span() -> impl Strategy<Value = SourceSpan> {
    let place = (1_u32.., 1_u32..).prop_map(|(line, column)| Position { line, column });
    let bytes = (0_usize..9999, 0_usize..99).prop_map(|(at, length)| Span::new(at, at + length));
    (
        "\\PC*",
        prop::option::of(place.clone()),
        prop::option::of(place),
        prop::option::of(bytes),
        any::<bool>(),
        prop::option::of("\\PC*"),
        prop::option::of(".*"),
    )
        .prop_map(|(path, start, end, bytes, primary, label, line_text)| SourceSpan {
            path,
            start,
            end,
            bytes,
            primary,
            label,
            line_text,
        })
}

prop_compose! {
    fn any_diagnostic()(
        tool in "[a-z]{0,3}",
        message in ".*",
        code in prop::option::of("\\PC*"),
        spans in prop::collection::vec(any_span(), 0..3),
        edited in prop::collection::vec(any_span(), 0..3),
        text in ".*",
    ) -> Diagnostic {
        let mut one = Diagnostic::new(&tool, Severity::Note, ErrorClass::Lint, &message);
        one.code = code;
        one.notes.push(DiagnosticNote { kind: "help".into(), message: text.clone(), spans: spans.clone() });
        one.spans = spans;
        let edits = edited.into_iter().map(|span| SuggestedEdit { span, replacement: text.clone() });
        one.suggestions.push(Suggestion {
            message: text.clone(),
            applicability: Applicability::HasPlaceholders,
            edits: edits.collect(),
        });
        one
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_diagnostic_becomes_valid_sarif(all in prop::collection::vec(any_diagnostic(), 0..4)) {
        let log = written(&all);
        prop_assert_eq!(complaints(&log), Vec::<String>::new());
    }
}
