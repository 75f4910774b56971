//! Panics of Rust programs and tests.
//!
//! In: `thread 'name' (123) panicked at src/a.rs:1:2:` and the message below, or the older form with
//! the message in quotes. Out: one diagnostic with the thread's name, which is the test's.

use super::location::trailing;
use super::log::{Log, note, place};
use super::{Reading, State};
use salve_types::{Diagnostic, ErrorClass, Severity};

/// Reads a panic.
pub(crate) fn read(log: &Log<'_>, at: usize, state: &State) -> Option<Reading> {
    let (thread, rest) = log.line(at).strip_prefix("thread '")?.split_once('\'')?;
    let (_, rest) = rest.split_once("panicked at ")?;
    let (message, location, next) = match rest.strip_prefix('\'') {
        // Before Rust 1.73: `panicked at 'message', src/a.rs:1:2`.
        Some(older) => {
            let (message, location) = older.rsplit_once("', ").unwrap_or((older, ""));
            (message.to_owned(), location, at + 1)
        }
        None => {
            let (message, next) = message(log, at + 1);
            (message, rest, next)
        }
    };
    // A runner names the thread of a test after it; programs have `main` and workers.
    let tested = log.line(at.wrapping_sub(2)).starts_with("---- ")
        || log.line(at.wrapping_sub(1)).starts_with("---- ")
        || state.test.is_some();
    let class = if tested { ErrorClass::Test } else { ErrorClass::Runtime };
    let mut diagnostic = Diagnostic::new("rust-test", Severity::Error, class, &message);
    diagnostic.code = Some("panic".to_owned());
    if let Some((path, line, column)) = trailing(location) {
        diagnostic.spans.push(place(path, Some(line), column));
    }
    note(&mut diagnostic, "test", thread);
    diagnostic.raw = log.raw(at, next);
    Some(Reading::one(diagnostic, next))
}

/// Reads a test that returned an error: `---- name stdout ----`, then `Error: …`.
pub(crate) fn read_returned(log: &Log<'_>, at: usize) -> Option<Reading> {
    let test = log.line(at).strip_prefix("---- ")?.strip_suffix(" stdout ----")?;
    let message = log.line(at + 1).strip_prefix("Error: ")?;
    let mut diagnostic = Diagnostic::new("rust-test", Severity::Error, ErrorClass::Test, message);
    diagnostic.code = Some("error".to_owned());
    note(&mut diagnostic, "test", test);
    diagnostic.raw = log.raw(at, at + 2);
    Some(Reading::one(diagnostic, at + 2))
}

// The message may have several lines; `left` and `right` of an assertion belong to it.
fn message(log: &Log<'_>, from: usize) -> (String, usize) {
    let mut message = log.line(from).to_owned();
    let mut at = from + 1;
    while at < (from + 6).min(log.len()) {
        let line = log.line(at);
        let value = line.trim_start();
        if !(value.starts_with("left: ") || value.starts_with("right: ") || value.starts_with(": "))
        {
            break;
        }
        message.push('\n');
        message.push_str(value);
        at += 1;
    }
    (message, at)
}
