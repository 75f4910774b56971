//! pytest's failures and unittest's headings.
//!
//! In: `E   …` lines with the marked line and the place around them, `FAIL: test (…)`, and the
//! short summary. Out: one diagnostic for each failure; the summary is kept for when nothing else
//! is found.

use super::log::{Log, is_caret, note, place};
use super::python::is_exception;
use super::{Reading, State};
use crate::diagnostics::classify;
use salve_types::{Diagnostic, Severity};

/// Reads a line of pytest.
pub(crate) fn read(log: &Log<'_>, at: usize, state: &mut State) -> Option<Reading> {
    let line = log.line(at);
    if let Some(marked) = line.strip_prefix('>').filter(|rest| rest.starts_with("  ")) {
        state.marked = Some(marked.trim().to_owned());
        return Some(Reading::nothing(at + 1));
    }
    if let Some(name) = heading(line) {
        state.marked = None;
        state.test = Some(name.to_owned());
        return Some(Reading::nothing(at + 1));
    }
    if let Some(failed) = line.strip_prefix("FAILED ").or_else(|| line.strip_prefix("ERROR ")) {
        return summarised(failed, at, state);
    }
    let first = line.strip_prefix("E  ").filter(|rest| rest.starts_with(' '))?;
    // The progress line of an errored file begins with the same letter.
    if first.trim_start().starts_with('[') && first.trim_end().ends_with("%]") {
        return None;
    }
    let mut end = at + 1;
    while log.line(end).starts_with("E   ") || log.line(end) == "E" {
        end += 1;
    }
    let first = first.trim();
    let (code, message) = split_exception(first);
    let mut diagnostic = Diagnostic::new(
        "pytest",
        Severity::Error,
        classify("pytest", Some(code), message),
        message,
    );
    diagnostic.code = Some(code.to_owned());
    for line in (at + 1)..end {
        note(&mut diagnostic, "detail", log.line(line).trim_start_matches('E').trim());
    }
    add_place(log, at, end, state, &mut diagnostic);
    if let Some(test) = &state.test {
        note(&mut diagnostic, "test", test);
    }
    diagnostic.raw = log.raw(at, end);
    Some(Reading::one(diagnostic, end))
}

// `assert 1 == 2` without a name is pytest's own way to show an assertion.
fn split_exception(line: &str) -> (&str, &str) {
    match line.split_once(": ") {
        Some((name, message)) if is_exception(line) => {
            (name.rsplit('.').next().unwrap_or(name), message)
        }
        _ if is_exception(line) => (line, ""),
        _ => ("AssertionError", line),
    }
}

// The place is after the `E` lines in the long form and above the code in the short one.
fn add_place(log: &Log<'_>, at: usize, end: usize, state: &mut State, diagnostic: &mut Diagnostic) {
    let pointed = usize::from(is_caret(log.line(at.wrapping_sub(1))));
    let above = log.line(at.wrapping_sub(1 + pointed));
    let short = state.marked.is_none() && above.starts_with("    ");
    let line_text = state.marked.take().or_else(|| short.then(|| above.trim().to_owned()));
    let header = if short { log.line(at.wrapping_sub(2 + pointed)) } else { after_blank(log, end) };
    let located = header.split_once(": ").and_then(|(path, _)| super::location::trailing(path));
    let (path, line) = located.map_or(("", None), |(path, line, _)| (path, Some(line)));
    if line.is_some() || line_text.is_some() {
        let mut span = place(path, line, None);
        span.line_text = line_text;
        diagnostic.spans.push(span);
    }
}

fn after_blank<'a>(log: &Log<'a>, end: usize) -> &'a str {
    (end..end + 3).map(|at| log.line(at)).find(|line| !line.trim().is_empty()).unwrap_or_default()
}

// `____ test_name ____` of pytest, `FAIL: test_name (package.Class)` of unittest.
fn heading(line: &str) -> Option<&str> {
    if line.starts_with("____") {
        let name = line.trim_matches('_').trim().trim_start_matches("ERROR at setup of ");
        return (!name.is_empty() && !name.starts_with("ERROR collecting")).then_some(name);
    }
    let rest = line.strip_prefix("FAIL: ").or_else(|| line.strip_prefix("ERROR: "))?;
    rest.contains('(').then(|| rest.split(' ').next().unwrap_or(rest))
}

// `tests/a.py::test_x - AssertionError: assert 1 == 2`.
fn summarised(failed: &str, at: usize, state: &mut State) -> Option<Reading> {
    let (id, reason) = failed.split_once(" - ")?;
    let (path, test) = id.split_once("::")?;
    let (code, message) = split_exception(reason);
    let mut diagnostic = Diagnostic::new(
        "pytest",
        Severity::Error,
        classify("pytest", Some(code), message),
        message,
    );
    diagnostic.code = Some(code.to_owned());
    diagnostic.spans.push(place(path, None, None));
    note(&mut diagnostic, "test", test);
    diagnostic.raw = failed.to_owned();
    state.summary.push(diagnostic);
    Some(Reading::nothing(at + 1))
}
