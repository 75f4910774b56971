//! Diagnostics as commands of a GitHub workflow.
//!
//! In: diagnostics. Out: one line `::error file=…,line=…::message` for each, which the workflow shows
//! at the line in a pull request. Never writes a line break or a separator that came from a message:
//! no tool can speak a command of its own through it.

use super::message_with_notes;
use salve_types::{Diagnostic, Severity};
use std::fmt::Write as _;

/// Writes one workflow command for each diagnostic.
#[must_use]
pub fn github_commands(diagnostics: &[Diagnostic]) -> String {
    let mut commands = String::new();
    for diagnostic in diagnostics {
        commands.push_str(match diagnostic.severity {
            Severity::Error => "::error ",
            Severity::Warning => "::warning ",
            Severity::Note => "::notice ",
        });
        commands.push_str(&properties(diagnostic));
        commands.push_str("::");
        commands.push_str(&escaped_data(&message_with_notes(diagnostic)));
        commands.push('\n');
    }
    commands
}

fn properties(diagnostic: &Diagnostic) -> String {
    let mut text = String::new();
    if let Some(span) = diagnostic.primary() {
        _ = write!(text, "file={},", escaped_property(&span.path));
        if let Some(start) = span.start {
            _ = write!(text, "line={},", start.line);
            let end = span.end.filter(|end| end.line > start.line || end.column > start.column);
            match end {
                // Columns are understood only within one line.
                Some(end) if end.line != start.line => _ = write!(text, "endLine={},", end.line),
                Some(end) => {
                    _ = write!(text, "col={},endColumn={},", start.column, end.column - 1);
                }
                None => _ = write!(text, "col={},", start.column),
            }
        }
    }
    let title = match &diagnostic.code {
        Some(code) => format!("{} {code}", diagnostic.tool),
        None => diagnostic.tool.clone(),
    };
    _ = write!(text, "title={}", escaped_property(&title));
    text
}

fn escaped_data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn escaped_property(text: &str) -> String {
    escaped_data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use salve_types::{ErrorClass, Position, SourceSpan};

    fn sample(message: &str, path: &str) -> Diagnostic {
        let mut diagnostic = Diagnostic::new("tsc", Severity::Error, ErrorClass::Type, message);
        diagnostic.code = Some("TS2322".to_owned());
        diagnostic.spans.push(SourceSpan {
            path: path.to_owned(),
            start: Some(Position { line: 3, column: 5 }),
            end: Some(Position { line: 3, column: 9 }),
            bytes: None,
            primary: true,
            label: None,
            line_text: None,
        });
        diagnostic
    }

    #[test]
    fn commands_carry_the_place_and_nothing_breaks_out() {
        let mut diagnostic = sample("50% of\n::error::me, too", "a,b:c%.ts");
        diagnostic.severity = Severity::Warning;
        insta::assert_snapshot!(github_commands(&[diagnostic]), @"::warning file=a%2Cb%3Ac%25.ts,line=3,col=5,endColumn=8,title=tsc TS2322::50%25 of%0A::error::me, too");
        let mut note = Diagnostic::new("cargo", Severity::Note, ErrorClass::Build, "said");
        note.spans = vec![SourceSpan {
            start: None,
            end: None,
            ..sample("", "Cargo.toml").spans[0].clone()
        }];
        insta::assert_snapshot!(github_commands(&[note]), @"::notice file=Cargo.toml,title=cargo::said");
    }

    proptest! {
        #[test]
        fn each_diagnostic_is_one_line_and_one_command(message in "\\PC*|[\\s%:,é]*", path in "\\PC*|[\\r\\n:,%]*") {
            let text = github_commands(&[sample(&message, &path), sample(&path, &message)]);
            prop_assert_eq!(text.matches('\n').count(), 2);
            prop_assert!(!text.contains('\r'));
            for line in text.lines() {
                let rest = line.strip_prefix("::error ").unwrap();
                let (properties, _) = rest.split_once("::").unwrap();
                prop_assert_eq!(properties.split(',').count(), 5, "{}", properties);
            }
        }
    }
}
