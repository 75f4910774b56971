//! Go: build errors, failed tests and panics.
//!
//! In: `./a.go:1:2: message`, `--- FAIL: TestX (0.00s)` with the lines below, `panic: message` with
//! its goroutines. Out: one diagnostic for each.

use super::location::Located;
use super::log::{Log, note, place};
use super::{Reading, State};
use crate::diagnostics::classify;
use salve_types::{Diagnostic, ErrorClass, Severity};

/// Reads a line of the go command or of a program's end.
pub(crate) fn read(log: &Log<'_>, at: usize, state: &mut State) -> Option<Reading> {
    let line = log.line(at);
    if let Some(test) = line.trim_start().strip_prefix("--- FAIL: ") {
        state.test = Some(test.split(' ').next().unwrap_or(test).to_owned());
        return Some(Reading::nothing(at + 1));
    }
    if let Some(located) = Located::read(line.strip_prefix("vet: ").unwrap_or(line))
        .filter(|located| located.has_extension(&["go"]))
    {
        return Some(Reading::one(build(&located, "go", line), at + 1));
    }
    panic(log, at)
}

/// Reads the indented line by which a test says why it failed.
pub(crate) fn failed_line(log: &Log<'_>, at: usize, state: &State) -> Option<Reading> {
    let line = log.line(at);
    if let Some(test) = line.trim_start().strip_prefix("--- FAIL: ") {
        let _ = test;
        return None;
    }
    let test = state.test.as_ref()?;
    let located = Located::read(line).filter(|located| located.has_extension(&["go"]))?;
    let mut diagnostic = build(&located, "go-test", line.trim());
    diagnostic.class = ErrorClass::Test;
    note(&mut diagnostic, "test", test);
    Some(Reading::one(diagnostic, at + 1))
}

fn build(located: &Located<'_>, tool: &str, raw: &str) -> Diagnostic {
    let class = classify(tool, None, located.text);
    let mut diagnostic = Diagnostic::new(tool, Severity::Error, class, located.text);
    diagnostic.spans.push(place(located.path, Some(located.line), located.column));
    diagnostic.raw = raw.to_owned();
    diagnostic
}

// The message, then `goroutine 1 [running]:` and pairs of a function and its place.
fn panic(log: &Log<'_>, at: usize) -> Option<Reading> {
    let line = log.line(at);
    let (code, message) = match line.strip_prefix("panic: ") {
        Some(message) => ("panic", message),
        None => ("fatal error", line.strip_prefix("fatal error: ")?),
    };
    let running = (at + 1..at + 8).find(|at| log.line(*at).starts_with("goroutine "))?;
    let message = message.trim_end_matches(" [recovered]");
    let mut diagnostic = Diagnostic::new("go", Severity::Error, ErrorClass::Runtime, message);
    diagnostic.code = Some(code.to_owned());
    let mut end = running + 1;
    let mut own = false;
    while end + 1 < log.len() && log.line(end + 1).starts_with('\t') {
        let function = log.line(end).rsplit_once('(').map_or(log.line(end), |(name, _)| name);
        let location = log.line(end + 1).trim().split(" +0x").next().unwrap_or_default();
        let library = ["runtime.", "panic", "testing.", "created by "]
            .iter()
            .any(|start| function.starts_with(start));
        if !own
            && !library
            && let Some((path, number, _)) = super::location::trailing(location)
        {
            diagnostic.spans.push(place(path, Some(number), None));
            note(&mut diagnostic, "function", function);
            own = true;
        }
        end += 2;
    }
    diagnostic.raw = log.raw(at, end);
    Some(Reading::one(diagnostic, end))
}
