//! What `eslint --format json` says.
//!
//! In: an array of files, each with its messages and, where there are any, its source. Out: one
//! diagnostic for each message. A fix may be applied as it is; a suggestion may change what the
//! program does, which is why eslint keeps the two apart.

use super::json::{self, items, list, some_text, text};
use super::places::{Columns, Places, whole_file};
use super::{classify, concise};
use salve_types::{
    Applicability, Diagnostic, ErrorClass, Severity, SourceSpan, SuggestedEdit, Suggestion,
};
use serde_json::Value;

// How much of a crash of eslint itself is kept.
const SHOWN: usize = 4096;

pub(super) fn parse(stdout: &str, stderr: &str, places: &Places<'_>) -> Vec<Diagnostic> {
    let files = json::document(stdout, 4).or_else(|| json::document(stderr, 4));
    let Some(files) = files else { return crashed(stderr) };
    let mut found = Vec::new();
    for file in items(&files) {
        let written = text(file, "filePath");
        let path = places.path(written);
        if let Some(source) = some_text(file, "source") {
            places.learn(&path, source);
        }
        let messages = list(file, "messages");
        found.extend(messages.iter().map(|message| diagnostic(message, &path, places)));
    }
    found
}

fn diagnostic(message: &Value, path: &str, places: &Places<'_>) -> Diagnostic {
    let severity = match message.get("severity").and_then(Value::as_u64) {
        Some(1) => Severity::Warning,
        _ => Severity::Error,
    };
    let code = some_text(message, "ruleId");
    let words = text(message, "message");
    let fatal = message.get("fatal").and_then(Value::as_bool) == Some(true);
    let class = if fatal { ErrorClass::Syntax } else { classify("eslint", code, words) };
    let mut diagnostic = Diagnostic::new("eslint", severity, class, words);
    diagnostic.code = code.map(str::to_owned);
    let start = json::number(message, "line").zip(json::number(message, "column"));
    let end = json::number(message, "endLine").zip(json::number(message, "endColumn"));
    diagnostic.spans.push(match (start, end) {
        (Some(start), Some(end)) => places.range(path, start, end, Columns::Utf16),
        (start, _) => places.point(path, start, Columns::Utf16),
    });
    if let Some(fix) = message.get("fix").and_then(|fix| edit(fix, path, places)) {
        diagnostic.suggestions.push(suggestion(words, Applicability::MachineApplicable, fix));
    }
    for proposed in list(message, "suggestions") {
        if let Some(fix) = proposed.get("fix").and_then(|fix| edit(fix, path, places)) {
            let words = text(proposed, "desc");
            diagnostic.suggestions.push(suggestion(words, Applicability::MaybeIncorrect, fix));
        }
    }
    diagnostic.raw = concise(&diagnostic);
    diagnostic
}

// The range counts UTF-16 units from the start of the file: without the text it is only a number.
fn edit(fix: &Value, path: &str, places: &Places<'_>) -> Option<SuggestedEdit> {
    let range = list(fix, "range");
    let unit = |at: usize| usize::try_from(range.get(at)?.as_u64()?).ok();
    let (bytes, start, end) = places.text(path)?.utf16_span(unit(0)?, unit(1)?);
    let span = SourceSpan {
        start: Some(start),
        end: Some(end),
        bytes: Some(bytes),
        ..whole_file(path.to_owned())
    };
    Some(SuggestedEdit { span, replacement: text(fix, "text").to_owned() })
}

fn suggestion(message: &str, applicability: Applicability, edit: SuggestedEdit) -> Suggestion {
    Suggestion { message: message.to_owned(), applicability, edits: vec![edit] }
}

// Without JSON eslint itself failed: no configuration, a plugin that is not installed.
fn crashed(stderr: &str) -> Vec<Diagnostic> {
    let is_headline = |line: &&str| {
        let words = line.trim_start();
        words.starts_with("Error: ")
            || words.starts_with("ESLint couldn't find")
            || words.starts_with("Invalid option")
            || words.starts_with("No files matching")
    };
    let Some(line) = stderr.lines().find(is_headline) else { return Vec::new() };
    // The words of eslint and of node.
    let message = line.trim().trim_start_matches("Error: ");
    let missing =
        message.starts_with("Cannot find") || message.contains("couldn't find the plugin");
    let class = if missing { ErrorClass::Import } else { ErrorClass::Build };
    let mut diagnostic = Diagnostic::new("eslint", Severity::Error, class, message);
    diagnostic.raw = stderr.trim_end().chars().take(SHOWN).collect();
    vec![diagnostic]
}
