//! What gcc says as JSON or SARIF; its text is read like clang's.
//!
//! In: the error stream of one or more compilations. Out: one diagnostic for each complaint, and
//! those of the linker. gcc counts both bytes and columns of a terminal; the bytes are used, since
//! only they can be turned into characters.

use super::json::{self, items, list, some_text, text};
use super::places::{Columns, Places};
use super::{c_text, classify, concise, sarif};
use salve_types::{
    Applicability, Diagnostic, DiagnosticNote, Severity, SourceSpan, SuggestedEdit, Suggestion,
};
use serde_json::Value;

pub(super) fn parse(stdout: &str, stderr: &str, places: &Places<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for stream in [stderr, stdout].into_iter().filter(|stream| stream.contains("\"runs\"")) {
        let logs = json::documents(stream, 5);
        found.extend(logs.iter().flat_map(|log| sarif::log(log, places)).map(of_gcc));
    }
    let mut for_people = String::new();
    for line in stderr.lines().chain(stdout.lines()) {
        match complaints(line) {
            Some(array) => found.extend(items(&array).iter().map(|one| diagnostic(one, places))),
            None => {
                for_people.push_str(line);
                for_people.push('\n');
            }
        }
    }
    found.extend(c_text::complaints("gcc", &for_people, places));
    c_text::without_summaries(found)
}

// In SARIF it calls itself by the language, and what has no option by its severity.
fn of_gcc(mut diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.tool = "gcc".to_owned();
    diagnostic.code = diagnostic.code.filter(|code| code.starts_with('-'));
    diagnostic.class = classify("gcc", diagnostic.code.as_deref(), &diagnostic.message);
    diagnostic.raw = concise(&diagnostic);
    diagnostic
}

// Each compilation writes its array on one line; one that was killed left it cut.
fn complaints(line: &str) -> Option<Value> {
    let start = line.trim_start();
    match start.as_bytes().first()? {
        b'[' if start.len() < 3 || start.starts_with("[{") => json::document(start, 2),
        _ => None,
    }
}

fn diagnostic(complaint: &Value, places: &Places<'_>) -> Diagnostic {
    let code = some_text(complaint, "option");
    let words = text(complaint, "message");
    let severity = severity(text(complaint, "kind"));
    let mut diagnostic = Diagnostic::new("gcc", severity, classify("gcc", code, words), words);
    diagnostic.code = code.map(str::to_owned);
    diagnostic.spans = spans(complaint, places);
    diagnostic.raw = concise(&diagnostic);
    diagnostic.suggestions.extend(fixits(complaint, words, places));
    for child in list(complaint, "children") {
        let message = text(child, "message").to_owned();
        diagnostic.suggestions.extend(fixits(child, &message, places));
        diagnostic.notes.push(DiagnosticNote {
            kind: text(child, "kind").to_owned(),
            message,
            spans: spans(child, places),
        });
    }
    diagnostic
}

fn severity(kind: &str) -> Severity {
    match kind {
        "warning" | "pedwarn" => Severity::Warning,
        "note" | "anachronism" => Severity::Note,
        _ => Severity::Error,
    }
}

// The first location is the complaint's own; its caret is what gcc prints as the place.
fn spans(complaint: &Value, places: &Places<'_>) -> Vec<SourceSpan> {
    let mut spans = Vec::new();
    for location in list(complaint, "locations") {
        let Some(caret) = location.get("caret") else { continue };
        let (path, Some(start)) = (text(caret, "file"), place(caret)) else { continue };
        let last = location.get("finish").and_then(place).filter(|last| *last >= start);
        let mut span = match last {
            // The finish is the last byte that belongs to it.
            Some((line, column)) => {
                places.range(path, start, (line, column.saturating_add(1)), Columns::Bytes)
            }
            None => places.point(path, Some(start), Columns::Bytes),
        };
        span.label = some_text(location, "label").map(str::to_owned);
        span.primary = spans.is_empty();
        spans.push(span);
    }
    spans
}

fn fixits(complaint: &Value, words: &str, places: &Places<'_>) -> Option<Suggestion> {
    let edit = |fixit: &Value| {
        let (start, next) = (fixit.get("start")?, fixit.get("next")?);
        let path = text(start, "file");
        let span = places.range(path, place(start)?, place(next)?, Columns::Bytes);
        Some(SuggestedEdit { span, replacement: text(fixit, "string").to_owned() })
    };
    let edits: Vec<SuggestedEdit> =
        list(complaint, "fixits").iter().map(edit).collect::<Option<_>>()?;
    let message = words.to_owned();
    let applicability = Applicability::Unspecified;
    (!edits.is_empty()).then_some(Suggestion { message, applicability, edits })
}

fn place(value: &Value) -> Option<(u32, u32)> {
    let column = json::number(value, "byte-column").or_else(|| json::number(value, "column"))?;
    Some((json::number(value, "line")?, column))
}
