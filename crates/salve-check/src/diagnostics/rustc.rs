//! What cargo and rustc say in JSON, and what cargo says beside it.
//!
//! In: lines with one JSON object each, among lines for people. Out: one diagnostic for each message
//! of the compiler, told once even when several targets repeat it, and one for each complaint of
//! cargo itself. Summaries ("aborting due to …") are left out.

use super::json::{self, list, some_text, text};
use super::places::{Places, primary_first, whole_file};
use super::{cargo_text, classify};
use crate::signature::plain;
use salve_types::{
    Applicability, Diagnostic, DiagnosticNote, ErrorClass, Position, Severity, SourceSpan, Span,
    SuggestedEdit, Suggestion,
};
use serde_json::Value;
use std::collections::HashSet;

// A longer one is no path, and is not compared piece by piece.
const LONGEST_PATH: usize = 4096;
// How many macros are walked out of before the place counts as lost.
const EXPANSIONS: usize = 128;

pub(super) fn parse(stdout: &str, stderr: &str, places: &Places<'_>) -> Vec<Diagnostic> {
    let mut found = Compiled::default();
    let mut for_people = String::new();
    for line in stdout.lines().chain(stderr.lines()) {
        if !found.take(line, places) {
            for_people.push_str(line);
            for_people.push('\n');
        }
    }
    let mut diagnostics = found.diagnostics;
    cargo_text::add(&for_people, places, &mut diagnostics);
    diagnostics
}

/// The messages of the compiler, each once.
#[derive(Default)]
pub(super) struct Compiled {
    pub(super) diagnostics: Vec<Diagnostic>,
    seen: HashSet<String>,
}

impl Compiled {
    /// Takes a line if it is a JSON message of cargo or rustc; returns whether it was.
    pub(super) fn take(&mut self, line: &str, places: &Places<'_>) -> bool {
        let Some(value) = json::object_line(line, "{\"reason\":") else {
            return false;
        };
        let is_rustc = |value: &Value| value.get("level").is_some() && value.get("spans").is_some();
        let message = match text(&value, "reason") {
            "compiler-message" => value.get("message"),
            "" if is_rustc(&value) => Some(&value),
            "" => return value.get("$message_type").is_some(),
            _ => None,
        };
        let Some(message) = message.filter(|message| !is_summary(message)) else { return true };
        let package = some_text(&value, "manifest_path").map(parent).unwrap_or_default();
        let rendered = text(message, "rendered");
        let key = if rendered.is_empty() { message.to_string() } else { rendered.to_owned() };
        if self.seen.insert(key) {
            self.diagnostics.push(diagnostic(message, &Files { package, places }));
        }
        true
    }
}

fn is_summary(message: &Value) -> bool {
    let words = text(message, "message");
    text(message, "level") == "failure-note"
        || words.starts_with("aborting due to")
        || ((words.ends_with("warnings emitted") || words.ends_with("warning emitted"))
            && list(message, "spans").is_empty())
}

// rustc writes paths relative to the workspace, which may lie above the checked folder.
struct Files<'a> {
    package: &'a str,
    places: &'a Places<'a>,
}

impl Files<'_> {
    fn path(&self, written: &str) -> String {
        if !written.starts_with('/') && self.package.len() < LONGEST_PATH {
            // The longest tail of the package's folder that the path starts with tells where the
            // workspace is; without one the path is relative to the package itself or to the run.
            let tails = self.package.match_indices('/').map(|(at, _)| &self.package[at + 1..]);
            let under =
                |tail: &str| written.strip_prefix(tail).is_some_and(|rest| rest.starts_with('/'));
            if let Some(tail) = tails.filter(|tail| !tail.is_empty()).find(|tail| under(tail)) {
                let workspace = &self.package[..self.package.len() - tail.len()];
                let absolute = format!("{workspace}{written}");
                let relative = self.places.path(&absolute);
                return if relative == absolute { written.to_owned() } else { relative };
            }
        }
        self.places.path(written)
    }
}

fn diagnostic(message: &Value, files: &Files<'_>) -> Diagnostic {
    let code = message.get("code").and_then(|code| some_text(code, "code"));
    let tool =
        if code.is_some_and(|code| code.starts_with("clippy::")) { "clippy" } else { "rustc" };
    let words = text(message, "message");
    let severity = severity(text(message, "level"));
    let mut class = classify(tool, code, words);
    if class == ErrorClass::Syntax && code.is_none() && severity != Severity::Error {
        class = ErrorClass::Lint;
    }
    let mut diagnostic = Diagnostic::new(tool, severity, class, words);
    diagnostic.code = code.map(str::to_owned);
    diagnostic.raw = plain(text(message, "rendered")).trim_end().to_owned();
    let shown = shown_place(&diagnostic.raw);
    for value in list(message, "spans") {
        add_span(value, shown, files, &mut diagnostic.spans);
    }
    primary_first(&mut diagnostic.spans);
    suggestions(words, list(message, "spans"), files, &mut diagnostic.suggestions);
    for child in list(message, "children") {
        let words = text(child, "message");
        let before = diagnostic.suggestions.len();
        suggestions(words, list(child, "spans"), files, &mut diagnostic.suggestions);
        if diagnostic.suggestions.len() == before {
            let mut spans = Vec::new();
            list(child, "spans").iter().for_each(|span| add_span(span, "", files, &mut spans));
            let kind = text(child, "level").to_owned();
            diagnostic.notes.push(DiagnosticNote { kind, message: words.to_owned(), spans });
        }
    }
    diagnostic
}

fn severity(level: &str) -> Severity {
    match level {
        "warning" => Severity::Warning,
        "note" | "help" | "failure-note" => Severity::Note,
        _ => Severity::Error,
    }
}

// The place rustc shows people: `FILE:LINE:COLUMN` after the first arrow.
fn shown_place(rendered: &str) -> &str {
    let arrow = rendered.lines().find_map(|line| line.trim_start().strip_prefix("--> "));
    arrow.unwrap_or_default()
}

// A place inside a macro comes with the places that macro was used at, outwards. The one that people
// are shown counts, else the innermost of the project; the next one of the project follows it.
fn add_span(value: &Value, shown: &str, files: &Files<'_>, spans: &mut Vec<SourceSpan>) {
    let chain: Vec<&Value> =
        std::iter::successors(Some(value), |value| value.get("expansion")?.get("span"))
            .take(EXPANSIONS)
            .collect();
    let is_shown = |value: &&Value| {
        let number = |key: &str| json::number(value, key).unwrap_or_default();
        let place = (number("line_start"), number("column_start"));
        format!("{}:{}:{}", text(value, "file_name"), place.0, place.1) == shown
    };
    let places: Vec<SourceSpan> = chain.iter().map(|one| source_span(one, files)).collect();
    let own = || places.iter().position(|span| Places::is_inside(&span.path));
    let at = chain.iter().position(is_shown).or_else(own).unwrap_or(0);
    let (primary, label) = (places[0].primary, places[0].label.clone());
    let beside = (0..places.len()).find(|&other| {
        other != at
            && Places::is_inside(&places[other].path)
            && !same_place(&places[other], &places[at])
    });
    spans.push(SourceSpan { primary, label, ..places[at].clone() });
    if let Some(other) = beside {
        let words = if other > at { "in this macro invocation" } else { "in this macro" };
        let label = Some(words.to_owned());
        spans.push(SourceSpan { primary: false, label, ..places[other].clone() });
    }
}

fn same_place(one: &SourceSpan, other: &SourceSpan) -> bool {
    (&one.path, one.start, one.end) == (&other.path, other.start, other.end)
}

fn source_span(value: &Value, files: &Files<'_>) -> SourceSpan {
    let place = |line: &str, column: &str| {
        let (line, column) = (json::number(value, line)?, json::number(value, column)?);
        Some(Position { line: line.max(1), column: column.max(1) })
    };
    let start = place("line_start", "column_start");
    let end = place("line_end", "column_end").map(|end| start.map_or(end, |start| end.max(start)));
    let bytes = json::offset(value, "byte_start").zip(json::offset(value, "byte_end"));
    SourceSpan {
        start,
        end,
        bytes: bytes.map(|(start, end)| Span::new(start, end.max(start))),
        primary: value.get("is_primary").and_then(Value::as_bool).unwrap_or(false),
        label: some_text(value, "label").map(str::to_owned),
        line_text: list(value, "text").first().map(|line| text(line, "text").to_owned()),
        ..whole_file(files.path(text(value, "file_name")))
    }
}

// The replacements of one message belong together, unless they are for the same places: then they are
// choices.
fn suggestions(words: &str, spans: &[Value], files: &Files<'_>, into: &mut Vec<Suggestion>) {
    let mut edits = Vec::new();
    let mut applicability = None;
    for value in spans {
        let replacement = value.get("suggested_replacement").and_then(Value::as_str);
        if let Some(replacement) = replacement {
            let span = source_span(value, files);
            edits.push(SuggestedEdit { span, replacement: replacement.to_owned() });
            applicability.get_or_insert(vouched(text(value, "suggestion_applicability")));
        }
    }
    let Some(applicability) = applicability else { return };
    // The parts of one choice are for different places: a place that comes again begins the next choice.
    let place = |edit: &SuggestedEdit| {
        (edit.span.path.clone(), edit.span.bytes.map(|bytes| (bytes.start, bytes.end)))
    };
    let mut choice: Vec<SuggestedEdit> = Vec::new();
    let mut taken = HashSet::new();
    let mut tell = |edits: Vec<SuggestedEdit>| {
        into.push(Suggestion { message: words.to_owned(), applicability, edits });
    };
    for edit in edits {
        if !taken.insert(place(&edit)) {
            tell(std::mem::take(&mut choice));
            taken = HashSet::from([place(&edit)]);
        }
        choice.push(edit);
    }
    tell(choice);
}

fn vouched(applicability: &str) -> Applicability {
    match applicability {
        "MachineApplicable" => Applicability::MachineApplicable,
        "MaybeIncorrect" => Applicability::MaybeIncorrect,
        "HasPlaceholders" => Applicability::HasPlaceholders,
        _ => Applicability::Unspecified,
    }
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}
