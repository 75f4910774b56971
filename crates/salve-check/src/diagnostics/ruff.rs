//! What `ruff check --output-format json` says.
//!
//! In: an array of findings. Out: one diagnostic for each, its fix with ruff's own word on how safe
//! it is.

use super::json::{self, items, list, some_text, text};
use super::places::{Columns, Places};
use super::{classify, concise};
use salve_types::{Applicability, Diagnostic, DiagnosticNote, Severity, SuggestedEdit, Suggestion};
use serde_json::Value;

pub(super) fn parse(stdout: &str, stderr: &str, places: &Places<'_>) -> Vec<Diagnostic> {
    let findings = json::document(stdout, 2).or_else(|| json::document(stderr, 2));
    let Some(findings) = findings else { return crashed(stderr) };
    items(&findings).iter().map(|finding| diagnostic(finding, places)).collect()
}

fn diagnostic(finding: &Value, places: &Places<'_>) -> Diagnostic {
    let code = some_text(finding, "code");
    let words = text(finding, "message");
    let severity = match text(finding, "severity") {
        "warning" => Severity::Warning,
        "info" => Severity::Note,
        _ => Severity::Error,
    };
    let mut diagnostic = Diagnostic::new("ruff", severity, classify("ruff", code, words), words);
    diagnostic.code = code.map(str::to_owned);
    let path = text(finding, "filename");
    diagnostic.spans.push(match (place(finding, "location"), place(finding, "end_location")) {
        (Some(start), Some(end)) => places.range(path, start, end, Columns::Characters),
        (start, _) => places.point(path, start, Columns::Characters),
    });
    if let Some(cell) = finding.get("cell").filter(|cell| !cell.is_null()) {
        let message = format!("in cell {cell}");
        diagnostic.notes.push(DiagnosticNote { kind: "note".into(), message, spans: Vec::new() });
    }
    diagnostic.suggestions.extend(finding.get("fix").and_then(|fix| suggestion(fix, path, places)));
    diagnostic.raw = concise(&diagnostic);
    diagnostic
}

fn suggestion(fix: &Value, path: &str, places: &Places<'_>) -> Option<Suggestion> {
    let edit = |edit: &Value| {
        let (start, end) = (place(edit, "location")?, place(edit, "end_location")?);
        let span = places.range(path, start, end, Columns::Characters);
        Some(SuggestedEdit { span, replacement: text(edit, "content").to_owned() })
    };
    // All of a fix or none of it.
    let edits: Vec<SuggestedEdit> = list(fix, "edits").iter().map(edit).collect::<Option<_>>()?;
    let applicability = match text(fix, "applicability") {
        "safe" | "automatic" | "always" => Applicability::MachineApplicable,
        "unsafe" | "suggested" | "sometimes" => Applicability::MaybeIncorrect,
        _ => Applicability::Unspecified,
    };
    let message = text(fix, "message").to_owned();
    (!edits.is_empty()).then_some(Suggestion { message, applicability, edits })
}

fn place(value: &Value, key: &str) -> Option<(u32, u32)> {
    let place = value.get(key)?;
    Some((json::number(place, "row")?, json::number(place, "column")?))
}

// Without JSON ruff did not get that far: `ruff failed`, `error: unexpected argument`.
fn crashed(stderr: &str) -> Vec<Diagnostic> {
    let mut lines = stderr.lines().filter(|line| !line.trim().is_empty());
    let told = lines.find(|line| *line == "ruff failed" || line.starts_with("error: "));
    let Some(first) = told else { return Vec::new() };
    let cause = lines.next().map(|line| line.trim().trim_start_matches("Cause: "));
    let words = first.strip_prefix("error: ").or(cause).unwrap_or(first);
    let mut diagnostic =
        Diagnostic::new("ruff", Severity::Error, salve_types::ErrorClass::Build, words);
    diagnostic.raw = [first, cause.unwrap_or_default()].join("\n").trim_end().to_owned();
    vec![diagnostic]
}
