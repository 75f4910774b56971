//! What the two type checkers of Python say in JSON.
//!
//! In: mypy's lines of one object each, or pyright's one document. Out: one diagnostic for each
//! finding. Neither proposes changes. mypy counts columns in characters only where the line is plain
//! ASCII; beyond that its numbers are passed on as they are.

use super::json::{self, list, some_text, text};
use super::places::{Columns, Places};
use super::{classify, concise};
use salve_types::{Diagnostic, DiagnosticNote, ErrorClass, Severity};
use serde_json::Value;

pub(super) fn mypy(stdout: &str, stderr: &str, places: &Places<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for line in stdout.lines().chain(stderr.lines()) {
        match json::object_line(line, "{\"file\":") {
            Some(finding) => found.push(mypy_finding(&finding, places)),
            None => found.extend(mypy_text(line, places)),
        }
    }
    found
}

fn mypy_finding(finding: &Value, places: &Places<'_>) -> Diagnostic {
    let code = some_text(finding, "code");
    let words = text(finding, "message");
    let mut diagnostic = Diagnostic::new(
        "mypy",
        severity(text(finding, "severity")),
        classify("mypy", code, words),
        words,
    );
    diagnostic.code = code.map(str::to_owned);
    // Columns count from 0, but those of syntax errors, which come from the parser, from 1. An
    // unknown column is -1, and no number that fits.
    let first = u32::from(code != Some("syntax"));
    let place = |line: &str, column: &str| {
        let column = json::number(finding, column).map_or(1, |column| column.saturating_add(first));
        json::number(finding, line).map(|line| (line, column))
    };
    let path = text(finding, "file");
    let start = place("line", "column");
    diagnostic.spans.push(match (start, place("end_line", "end_column")) {
        (Some(start), Some(end)) => places.range(path, start, end, Columns::Characters),
        (start, _) => places.point(path, start, Columns::Characters),
    });
    diagnostic.notes.extend(some_text(finding, "hint").map(note));
    diagnostic.raw = concise(&diagnostic);
    diagnostic
}

// `mypy: can't read file 'x.py'` and `x.py: error: Duplicate module named "x"` come as text.
fn mypy_text(line: &str, places: &Places<'_>) -> Option<Diagnostic> {
    let (place, words) = match line.strip_prefix("mypy: ") {
        Some(words) => ("", words.strip_prefix("error: ").unwrap_or(words)),
        None => line.split_once(": error: ")?,
    };
    let (words, code) = match words.strip_suffix(']').and_then(|rest| rest.rsplit_once("  [")) {
        Some((words, code)) => (words, Some(code)),
        None => (words, None),
    };
    let class = classify("mypy", code, words);
    let mut diagnostic = Diagnostic::new("mypy", Severity::Error, class, words);
    diagnostic.code = code.map(str::to_owned);
    diagnostic.raw = line.to_owned();
    if !place.is_empty() {
        let (path, at) = match place.rsplit_once(':') {
            Some((path, number)) => (path, number.parse().ok().map(|line| (line, 1))),
            None => (place, None),
        };
        diagnostic.spans.push(places.point(path, at, Columns::Characters));
    }
    Some(diagnostic)
}

pub(super) fn pyright(stdout: &str, stderr: &str, places: &Places<'_>) -> Vec<Diagnostic> {
    let Some(document) = json::document(stdout, 3).or_else(|| json::document(stderr, 3)) else {
        return Vec::new();
    };
    let findings = list(&document, "generalDiagnostics").iter();
    findings.map(|finding| pyright_finding(finding, places)).collect()
}

fn pyright_finding(finding: &Value, places: &Places<'_>) -> Diagnostic {
    let rule = some_text(finding, "rule");
    let mut lines = text(finding, "message").lines();
    let words = lines.next().unwrap_or_default();
    let severity = severity(text(finding, "severity"));
    let mut class = classify("pyright", rule, words);
    if class == ErrorClass::Syntax && severity != Severity::Error {
        class = ErrorClass::Lint;
    }
    let mut diagnostic = Diagnostic::new("pyright", severity, class, words);
    diagnostic.code = rule.map(str::to_owned);
    let path = some_text(finding, "file").unwrap_or_else(|| text(finding, "uri"));
    let place = |key: &str| {
        let place = finding.get("range")?.get(key)?;
        let from_one = |key: &str| Some(json::number(place, key)?.saturating_add(1));
        Some((from_one("line")?, from_one("character")?))
    };
    diagnostic.spans.push(match (place("start"), place("end")) {
        (Some(start), Some(end)) => places.range(path, start, end, Columns::Utf16),
        (start, _) => places.point(path, start, Columns::Utf16),
    });
    diagnostic.notes.extend(lines.map(|line| note(line.trim())));
    diagnostic.raw = concise(&diagnostic);
    diagnostic
}

fn severity(word: &str) -> Severity {
    match word {
        "warning" => Severity::Warning,
        "note" | "information" => Severity::Note,
        _ => Severity::Error,
    }
}

fn note(words: &str) -> DiagnosticNote {
    DiagnosticNote { kind: "note".into(), message: words.to_owned(), spans: Vec::new() }
}
