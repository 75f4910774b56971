//! The names of failed tests, from the outputs of test runners that print for people.
//!
//! In: what jest, vitest, mocha, node, ctest, Maven, Gradle or a script printed. Out: a diagnostic for each
//! test that failed, with its name as a note of kind `test`. Never more than a bounded number, and
//! nothing for a text it does not know: the caller then keeps the end of the output.

use super::places::Places;
use salve_types::{Diagnostic, DiagnosticNote, ErrorClass, Severity};
use std::collections::BTreeSet;

/// The most failed tests that are told one by one.
const MOST: usize = 100;

pub(super) fn parse(stdout: &str, stderr: &str, _: &Places<'_>) -> Vec<Diagnostic> {
    let mut told = BTreeSet::new();
    let lines = stdout.lines().chain(stderr.lines());
    let failed = lines.filter_map(failed_test).filter(|name| told.insert(*name));
    failed.take(MOST).map(diagnostic).collect()
}

fn diagnostic(name: &str) -> Diagnostic {
    let message = format!("test failed: {name}");
    let mut found = Diagnostic::new("tests", Severity::Error, ErrorClass::Test, &message);
    let (kind, message) = ("test".to_owned(), name.to_owned());
    found.notes.push(DiagnosticNote { kind, message, spans: Vec::new() });
    found
}

fn failed_test(line: &str) -> Option<&str> {
    let text = line.trim();
    // jest: `  ● sum › adds`, but not the headings of its summary.
    if let Some(name) = text.strip_prefix("● ") {
        return Some(name).filter(|name| !name.ends_with(':') && !name.starts_with("Console"));
    }
    // node, tap: `not ok 2 - adds`; without the rest of the line, which is a directive.
    if let Some(rest) = text.strip_prefix("not ok ") {
        let name = rest.trim_start_matches(|letter: char| letter.is_ascii_digit());
        let name = name.trim_start().trim_start_matches("- ");
        let is_excused = name.contains("# TODO") || name.contains("# SKIP");
        return (!is_excused && !name.is_empty()).then_some(name);
    }
    // node's spec reporter, mocha with other reporters: `✖ adds (1.2ms)`.
    if let Some(name) = text.strip_prefix("✖ ") {
        return Some(without_time(name)).filter(|name| *name != "failing tests:");
    }
    // vitest: ` FAIL  src/a.test.ts > adds`.
    if let Some(name) = text.strip_prefix("FAIL  ") {
        return name.contains(" > ").then_some(name);
    }
    // ctest: `  1 - name (Failed)`.
    if let Some(name) = text.strip_suffix("(Failed)").or_else(|| text.strip_suffix("(Timeout)")) {
        let (number, name) = name.split_once(" - ")?;
        return number.trim().parse::<u32>().is_ok().then_some(name.trim());
    }
    // Gradle: `CalcTest > adds() FAILED`.
    if let Some(name) = text.strip_suffix(" FAILED") {
        return name.contains(" > ").then_some(name);
    }
    // Maven: `[ERROR]   CalcTest.adds:12 expected: <3> but was: <4>`.
    if let Some(rest) = text.strip_prefix("[ERROR]   ") {
        let (name, _) = rest.split_once([':', ' '])?;
        return is_method(name).then_some(name);
    }
    mocha(line)
}

// `adds (1.2ms)` is the same test whenever it is told.
fn without_time(name: &str) -> &str {
    match name.rsplit_once(" (") {
        Some((name, time)) if time.ends_with("ms)") => name,
        _ => name,
    }
}

fn is_method(name: &str) -> bool {
    let (class, method) = name.rsplit_once('.').unwrap_or(("", ""));
    let plain = |part: &str| {
        part.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '$' | '.'))
    };
    class.starts_with(char::is_uppercase) && !method.is_empty() && plain(class) && plain(method)
}

// mocha numbers what failed among what passed: `    1) adds`. The list at the end begins in the second
// column and repeats it with its suite.
fn mocha(line: &str) -> Option<&str> {
    let text = line.trim_start();
    if line.len() - text.len() < 4 {
        return None;
    }
    let (number, name) = text.split_once(") ")?;
    number.parse::<u32>().is_ok().then_some(name.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<&str> {
        text.lines().filter_map(failed_test).collect()
    }

    #[test]
    fn failed_tests_are_known_by_their_runners_words() {
        for (text, expected) in [
            ("FAIL ./sum.test.js\n  ● sum › adds\n\n    expect(received)\n", vec!["sum › adds"]),
            ("TAP version 13\nok 1 - a\nnot ok 2 - adds\n  ---\n", vec!["adds"]),
            ("not ok 3 - later # TODO\n", vec![]),
            ("✖ adds (1.2ms)\n✖ failing tests:\n", vec!["adds"]),
            (" FAIL  src/a.test.ts > adds\n", vec!["src/a.test.ts > adds"]),
            (" FAIL  src/a.test.ts\n", vec![]),
            ("  sum\n    ✓ is\n    1) adds\n\n  1) sum\n       adds:\n", vec!["adds"]),
            ("The following tests FAILED:\n\t  2 - parse (Failed)\n", vec!["parse"]),
            ("CalcTest > adds() FAILED\n    java.lang\n", vec!["CalcTest > adds()"]),
            ("[ERROR]   CalcTest.adds:12 expected: <3> but was: <4>\n", vec!["CalcTest.adds"]),
            ("[ERROR] Failed to execute goal\n", vec![]),
            ("12 passing\nall good\n", vec![]),
        ] {
            assert_eq!(names(text), expected, "{text:?}");
        }
    }
}
