//! Stack traces of Java programs.
//!
//! In: `Exception in thread "main" a.b.C: message` or `a.b.CException: message`, then `at` lines and
//! causes. Out: one diagnostic of the deepest cause, with the first method of the programmer's own.

use super::Reading;
use super::log::{Log, note, place};
use salve_types::{Diagnostic, ErrorClass, Severity};

/// Reads a stack trace, and the places that maven prints.
pub(crate) fn read(log: &Log<'_>, at: usize) -> Option<Reading> {
    let line = log.line(at);
    if let Some(reading) = maven(line, at) {
        return Some(reading);
    }
    let thread = line.strip_prefix("Exception in thread \"");
    let first = match thread {
        Some(rest) => rest.split_once("\" ")?.1,
        None => line,
    };
    let (mut name, mut message) = exception(first)?;
    let is_trace = thread.is_some() || (at + 1..at + 4).any(|at| is_frame(log.line(at)));
    if !is_trace {
        return None;
    }
    let mut end = at + 1;
    let mut own = None;
    while end < log.len() {
        let text = log.line(end).trim_start();
        if let Some(cause) = text.strip_prefix("Caused by: ").and_then(exception) {
            (name, message) = cause;
            own = None;
        } else if is_frame(log.line(end)) {
            own = own.or_else(|| frame(text));
        } else if !(text.starts_with("... ") || text.starts_with("Suppressed: ")) {
            break;
        }
        end += 1;
    }
    let mut diagnostic = Diagnostic::new("java", Severity::Error, ErrorClass::Runtime, message);
    diagnostic.code = Some(name.rsplit('.').next().unwrap_or(name).to_owned());
    if let Some((method, file, number)) = own {
        diagnostic.spans.push(place(file, number, None));
        note(&mut diagnostic, "function", method);
    }
    diagnostic.raw = log.raw(at, end);
    Some(Reading::one(diagnostic, end))
}

fn exception(text: &str) -> Option<(&str, &str)> {
    let (name, message) = text.split_once(": ").unwrap_or((text, ""));
    let dotted = name.contains('.') || name.ends_with("Exception") || name.ends_with("Error");
    let plain =
        name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'$' | b'_'));
    (dotted && plain && !name.is_empty() && name.len() < 300).then_some((name, message))
}

fn is_frame(line: &str) -> bool {
    let trimmed = line.trim_start();
    trimmed.starts_with("at ")
        && trimmed.ends_with(')')
        && (trimmed.contains(".java:")
            || trimmed.contains(".kt:")
            || trimmed.contains("(Native Method)")
            || trimmed.contains("(Unknown Source)")
            || trimmed.contains(".scala:"))
}

// `at a.B.method(B.java:12)`; the library's own frames are passed over.
fn frame(text: &str) -> Option<(&str, &str, Option<u32>)> {
    let (method, location) = text.strip_prefix("at ")?.split_once('(')?;
    let library = ["java.", "javax.", "jdk.", "sun.", "java.base/", "kotlin."];
    if library.iter().any(|start| method.starts_with(start)) {
        return None;
    }
    let (file, line) = location.trim_end_matches(')').split_once(':')?;
    Some((method, file, line.parse().ok()))
}

// `/a/B.java:[12,3] cannot find symbol`.
fn maven(line: &str, at: usize) -> Option<Reading> {
    let (path, rest) = line.split_once(".java:[")?;
    let (numbers, message) = rest.split_once("] ")?;
    let (number, column) = numbers.split_once(',')?;
    let message = message.strip_prefix("error: ").unwrap_or(message);
    let class = crate::diagnostics::classify("javac", None, message);
    let mut diagnostic = Diagnostic::new("javac", Severity::Error, class, message);
    diagnostic.spans.push(place(&format!("{path}.java"), number.parse().ok(), column.parse().ok()));
    diagnostic.raw = line.to_owned();
    Some(Reading::one(diagnostic, at + 1))
}
