//! What `go build` and `go vet` say, as text or as JSON.
//!
//! In: both streams. Out: one diagnostic for each complaint of the compiler, the loader or an
//! analyser of vet. Go has no codes; an analyser's name is one.

use super::json::{self, list, some_text, text};
use super::places::{Columns, Places, whole_file};
use super::{classify, concise};
use salve_types::{
    Applicability, Diagnostic, DiagnosticNote, Severity, SourceSpan, Span, SuggestedEdit,
    Suggestion,
};
use serde_json::Value;

pub(super) fn build(stdout: &str, stderr: &str, places: &Places<'_>) -> Vec<Diagnostic> {
    let mut spoken = String::new();
    for line in stdout.lines().chain(stderr.lines()) {
        match json::object_line(line, "{\"ImportPath\":") {
            // Since Go 1.24 the same text comes wrapped, piece by piece.
            Some(event) => spoken.push_str(text(&event, "Output")),
            None => {
                spoken.push_str(line);
                spoken.push('\n');
            }
        }
    }
    complaints("go", &spoken, places)
}

pub(super) fn vet(stdout: &str, stderr: &str, places: &Places<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for stream in [stdout, stderr] {
        for package in json::documents(stream, 4) {
            let analysers = package.as_object().into_iter().flatten();
            for (_, findings) in analysers {
                add_findings(findings, places, &mut found);
            }
        }
        // Lines of the document do not look like complaints, so the text can be read as it is.
        found.extend(complaints("go-vet", stream, places));
    }
    found
}

fn add_findings(findings: &Value, places: &Places<'_>, found: &mut Vec<Diagnostic>) {
    for (analyser, findings) in findings.as_object().into_iter().flatten() {
        for finding in json::items(findings) {
            let words = text(finding, "message");
            let class = classify("go-vet", Some(analyser), words);
            let mut diagnostic = Diagnostic::new("go-vet", Severity::Error, class, words);
            diagnostic.code = Some(analyser.clone());
            diagnostic.spans.extend(posn(finding, places));
            let fixes = list(finding, "suggested_fixes").iter();
            diagnostic.suggestions = fixes.filter_map(|fix| suggestion(fix, places)).collect();
            diagnostic.raw = concise(&diagnostic);
            found.push(diagnostic);
        }
        if let Some(error) = some_text(findings, "error") {
            found.push(Diagnostic::new(
                "go-vet",
                Severity::Error,
                classify("go", None, error),
                error,
            ));
        }
    }
}

fn posn(finding: &Value, places: &Places<'_>) -> Option<SourceSpan> {
    let start = place(text(finding, "posn"))?;
    let end = some_text(finding, "end").and_then(place);
    Some(match end.filter(|end| end.path == start.path) {
        Some(end) => places.range(start.path, start.at?, end.at?, Columns::Bytes),
        None => places.point(start.path, start.at, Columns::Bytes),
    })
}

fn suggestion(fix: &Value, places: &Places<'_>) -> Option<Suggestion> {
    let edit = |edit: &Value| {
        let (start, end) = (json::offset(edit, "start")?, json::offset(edit, "end")?);
        let path = places.path(text(edit, "filename"));
        let source = places.text(&path);
        let span = SourceSpan {
            start: source.as_ref().map(|text| text.position(start)),
            end: source.as_ref().map(|text| text.position(end)),
            bytes: Some(Span::new(start, end.max(start))),
            ..whole_file(path)
        };
        Some(SuggestedEdit { span, replacement: text(edit, "new").to_owned() })
    };
    let edits: Vec<SuggestedEdit> = list(fix, "edits").iter().map(edit).collect::<Option<_>>()?;
    let message = text(fix, "message").to_owned();
    let applicability = Applicability::Unspecified;
    (!edits.is_empty()).then_some(Suggestion { message, applicability, edits })
}

/// Reads the compiler's lines `FILE:LINE:COLUMN: MESSAGE`, with more indented below.
pub(super) fn complaints(tool: &str, text: &str, places: &Places<'_>) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    let mut open = false;
    for line in text.lines() {
        if let Some(last) = found.last_mut().filter(|_| open && line.starts_with('\t')) {
            last.raw.push('\n');
            last.raw.push_str(line);
            last.notes.push(note(line.trim()));
            continue;
        }
        let diagnostic = compiler_line(tool, line, places).or_else(|| loader_line(line));
        open = diagnostic.is_some();
        found.extend(diagnostic);
    }
    found
}

fn compiler_line(tool: &str, line: &str, places: &Places<'_>) -> Option<Diagnostic> {
    let spoken = line.strip_prefix("vet: ").unwrap_or(line);
    if spoken.starts_with([' ', '\t', '#', '{', '"']) {
        return None;
    }
    let (place_text, words) = split_place(spoken)?;
    let place = place(place_text).filter(|place| place.at.is_some())?;
    // "too many errors" and the like stand at no place and never come here.
    let mut diagnostic =
        Diagnostic::new(tool, Severity::Error, classify(tool, None, words), words.trim_end());
    diagnostic.spans.push(places.point(place.path, place.at, Columns::Bytes));
    diagnostic.raw = line.to_owned();
    Some(diagnostic)
}

// What the loader says has no line: `go: no such tool`, `stat /x: directory not found`.
fn loader_line(line: &str) -> Option<Diagnostic> {
    const STARTS: [&str; 7] =
        ["go: ", "stat ", "package ", "no required module", "pattern ", "no Go files", "link: "];
    const PROGRESS: [&str; 5] =
        ["go: downloading ", "go: finding ", "go: found ", "go: added ", "go: warning: "];
    let says = |starts: &[&str]| starts.iter().any(|start| line.starts_with(start));
    if !says(&STARTS) || says(&PROGRESS) {
        return None;
    }
    let words = line.strip_prefix("go: ").unwrap_or(line);
    let class = match classify("go", None, words) {
        salve_types::ErrorClass::Type => salve_types::ErrorClass::Build,
        class => class,
    };
    let mut diagnostic = Diagnostic::new("go", Severity::Error, class, words);
    diagnostic.raw = line.to_owned();
    Some(diagnostic)
}

/// A place as Go writes it.
pub(super) struct GoPlace<'a> {
    pub(super) path: &'a str,
    pub(super) at: Option<(u32, u32)>,
}

// Parts `a.go:3:2` from the message; a drive letter may stand in front.
fn split_place(line: &str) -> Option<(&str, &str)> {
    let after = line.find(".go:").or_else(|| line.find(".mod:"))?;
    let colon = line[after..].find(": ")? + after;
    Some((&line[..colon], &line[colon + 2..]))
}

/// Reads `FILE:LINE:COLUMN` or `FILE:LINE`.
pub(super) fn place(text: &str) -> Option<GoPlace<'_>> {
    let (before, last) = text.rsplit_once(':')?;
    let last: u32 = last.parse().ok()?;
    let with_column = before
        .rsplit_once(':')
        .and_then(|(path, line)| Some(GoPlace { path, at: Some((line.parse().ok()?, last)) }));
    Some(with_column.unwrap_or(GoPlace { path: before, at: Some((last, 1)) }))
}

fn note(words: &str) -> DiagnosticNote {
    DiagnosticNote { kind: "note".into(), message: words.to_owned(), spans: Vec::new() }
}
