//! Rule files, as people and strangers write them.
//!
//! In: a text. Out: a panic when a file that is read does not read back the same, or when its rule makes an
//! edit that does not fit the diagnosed text, answers another file, or changes nothing. Never judges
//! whether a rule is wise: the gates and the check do.

use crate::input;
use salve_engine::knowledge::{apply_rule, read_rule, rule_text};
use salve_types::{Diagnostic, ErrorClass, Language, Position, Severity, SourceSpan};

const TEXT: &str = "int main() {\n  int a = 1\n  if (a == 2 { f(a, \"s\"); }\n  return a;\n}\n";

pub(super) fn check(bytes: &[u8]) {
    let text = input::text(bytes);
    let Ok((rule, examples)) = read_rule(&text) else { return };
    let written = rule_text(&rule, &examples);
    assert_eq!(read_rule(&written), Ok((rule.clone(), examples)), "a rule does not read back");
    let paths = ["a.c", "a.rs", "a.py", "a.ts", "a.js", "a.go", "a.java", "a.cpp", "a.sh", "a.css"];
    let is_its = |path: &&str| Language::from_path(path) == Some(rule.language);
    let Some(path) = paths.into_iter().find(is_its) else { return };
    for (line, column) in [(1, 1), (2, 12), (3, 13), (5, 2), (9, 9)] {
        let said = said(&rule.key.tool, path, Position { line, column });
        assert!(apply_rule(&rule, &said, "b.c", TEXT).is_empty(), "another file is edited");
        for edit in apply_rule(&rule, &said, path, TEXT) {
            let made = edit.applied(TEXT).expect("an edit fits its text");
            assert_ne!(made, TEXT, "an edit changes nothing");
        }
    }
}

fn said(tool: &str, path: &str, start: Position) -> Diagnostic {
    let message = "expected ';' before 'if'";
    let mut said = Diagnostic::new(tool, Severity::Error, ErrorClass::Syntax, message);
    said.spans.push(SourceSpan {
        path: path.to_owned(),
        start: Some(start),
        end: None,
        bytes: None,
        primary: true,
        label: None,
        line_text: None,
    });
    said
}
