//! What cargo says in its own voice, beside the JSON of the compiler.
//!
//! In: the lines that were not JSON. Out: one diagnostic for each `error:` or `warning:` of cargo or
//! of a documentation test's compiler. "could not compile" and "test failed" only repeat what others
//! said, so they are kept only when nothing else was said.

use super::classify;
use super::places::{Columns, Places};
use salve_types::{Diagnostic, DiagnosticNote, Severity};

/// Adds the complaints of cargo to `diagnostics`.
pub(super) fn add(text: &str, places: &Places<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let mut summaries = Vec::new();
    for block in blocks(text) {
        let diagnostic = complaint("cargo", block, places);
        if is_summary(&diagnostic) {
            summaries.push(diagnostic);
        } else {
            diagnostics.push(diagnostic);
        }
    }
    if diagnostics.iter().all(|diagnostic| diagnostic.severity != Severity::Error) {
        diagnostics.extend(summaries.into_iter().find(|one| one.severity == Severity::Error));
    }
}

/// Reads one block that begins with `error` or `warning`, as rustc and cargo write for people.
pub(super) fn complaint(tool: &str, block: &str, places: &Places<'_>) -> Diagnostic {
    let (first, rest) = block.split_once('\n').unwrap_or((block, ""));
    let (severity, code, message) = headline(first).unwrap_or((Severity::Error, None, first));
    let mut diagnostic =
        Diagnostic::new(tool, severity, classify(tool, code, message), message.trim());
    diagnostic.code = code.map(str::to_owned);
    diagnostic.raw = block.trim_end().to_owned();
    let mut caused_by = false;
    for line in rest.lines() {
        let trimmed = line.trim();
        if let Some(place) = trimmed.strip_prefix("--> ") {
            diagnostic.spans.extend(place_of(place, places));
        } else if trimmed == "Caused by:" {
            caused_by = true;
        } else if let Some(note) = trimmed.strip_prefix("= ") {
            let (kind, words) = note.split_once(": ").unwrap_or(("note", note));
            diagnostic.notes.push(note_of(kind, words));
        } else if !trimmed.is_empty() && diagnostic.spans.is_empty() {
            let kind = if caused_by { "caused by" } else { "note" };
            diagnostic.notes.push(note_of(kind, trimmed));
        }
    }
    // The words of cargo about a program that a signal ended.
    let killed = diagnostic.notes.iter().position(|note| note.message.contains("(signal: "));
    if let Some(at) = killed.filter(|_| tool == "cargo") {
        diagnostic.class = salve_types::ErrorClass::Runtime;
        // How it ended says more than which target it was.
        std::mem::swap(&mut diagnostic.message, &mut diagnostic.notes[at].message);
    }
    diagnostic
}

/// Returns the severity, code and message of `error[E0308]: mismatched types`.
pub(super) fn headline(line: &str) -> Option<(Severity, Option<&str>, &str)> {
    let (severity, rest) = match line.strip_prefix("error") {
        Some(rest) => (Severity::Error, rest),
        None => (Severity::Warning, line.strip_prefix("warning")?),
    };
    if let Some(message) = rest.strip_prefix(": ") {
        return Some((severity, None, message));
    }
    let (code, message) = rest.strip_prefix('[')?.split_once("]: ")?;
    Some((severity, Some(code), message))
}

fn is_summary(diagnostic: &Diagnostic) -> bool {
    const SUMMARIES: [&str; 9] = [
        "could not compile",
        "test failed, to rerun",
        "doctest failed, to rerun",
        "bench failed, to rerun",
        "build failed",
        "aborting due to",
        "unused manifest key",
        "no edition set",
        "virtual workspace defaulting",
    ];
    // The words of cargo.
    let message = diagnostic.message.as_str();
    let counts = message.ends_with("targets failed:")
        || message.ends_with("target failed:")
        || message.contains(") generated ");
    counts || SUMMARIES.iter().any(|start| message.starts_with(start))
}

/// Returns whether cargo speaks in this text at all.
pub(super) fn is_heard(text: &str) -> bool {
    text.lines().any(|line| headline(line).is_some() || is_progress(line))
}

fn blocks(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let ends = headline(line).is_some() || is_status(line);
        if ends && let Some(from) = start.take() {
            found.push(text[from..at].trim_end());
        }
        if headline(line).is_some() {
            start = Some(at);
        }
        at += line.len();
    }
    found.extend(start.map(|from: usize| text[from..].trim_end()));
    found
}

// What ends a complaint: `   Compiling util v0.1.0`, `running 5 tests`, `test a ... ok`.
fn is_status(line: &str) -> bool {
    is_progress(line)
        || line.starts_with("running ")
        || line.starts_with("test ")
        || line.starts_with("Some errors have")
        || line.starts_with("For more information about")
}

fn is_progress(line: &str) -> bool {
    const STATUS: [&str; 12] = [
        "Compiling ",
        "Checking ",
        "Finished ",
        "Running ",
        "Doc-tests ",
        "Updating ",
        "Downloading ",
        "Downloaded ",
        "Locking ",
        "Blocking ",
        "Building ",
        "Fresh ",
    ];
    let trimmed = line.trim_start();
    let indented = line.len() - trimmed.len() >= 3;
    indented && STATUS.iter().any(|word| trimmed.starts_with(word))
}

fn place_of(place: &str, places: &Places<'_>) -> Option<salve_types::SourceSpan> {
    let mut parts = place.rsplitn(3, ':');
    let column = parts.next()?.trim().parse().ok()?;
    let line = parts.next()?.parse().ok()?;
    Some(places.point(parts.next()?, Some((line, column)), Columns::Characters))
}

fn note_of(kind: &str, message: &str) -> DiagnosticNote {
    DiagnosticNote { kind: kind.to_owned(), message: message.to_owned(), spans: Vec::new() }
}
