//! tsc, plain and pretty.
//!
//! In: `a.ts(1,2): error TS2304: message` or `a.ts:1:2 - error TS2304: message`, and the indented
//! chain below. Out: one diagnostic. The excerpt of the pretty form is kept, but the plain form has
//! none, so no signature depends on it.

use super::Reading;
use super::log::{Log, place};
use crate::diagnostics::classify;
use memchr::memmem::Finder;
use salve_types::{Diagnostic, Severity, SourceSpan};
use std::sync::LazyLock;

static CODE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(" TS"));

/// Reads a line of tsc and the chain below it.
pub(crate) fn read(log: &Log<'_>, at: usize) -> Option<Reading> {
    let line = log.line(at);
    let mark = CODE.find(line.as_bytes())?;
    let (before, rest) = line.split_at(mark);
    let (code, message) = rest.trim_start().split_once(": ")?;
    if code.len() < 4 || !code[2..].bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (before, severity) = match before.strip_suffix("error") {
        Some(before) => (before, Severity::Error),
        None => (before.strip_suffix("warning")?, Severity::Warning),
    };
    let mut diagnostic =
        Diagnostic::new("tsc", severity, classify("tsc", Some(code), message), message);
    diagnostic.code = Some(code.to_owned());
    let mut next = at + 1;
    while next < log.len() && log.line(next).starts_with("  ") && !log.line(next).trim().is_empty()
    {
        diagnostic.message.push('\n');
        diagnostic.message.push_str(log.line(next).trim());
        next += 1;
    }
    if let Some(mut span) = location(before) {
        span.line_text = pretty_line(log, next, &span);
        diagnostic.spans.push(span);
    }
    diagnostic.raw = log.raw(at, next);
    Some(Reading::one(diagnostic, next))
}

fn location(before: &str) -> Option<SourceSpan> {
    let before = before.trim_end().trim_end_matches(['-', ':']).trim_end();
    if let Some(plain) = before.strip_suffix(')') {
        let (path, place_text) = plain.rsplit_once('(')?;
        let (line, column) = place_text.split_once(',')?;
        return Some(place(path, Some(line.parse().ok()?), column.parse().ok()));
    }
    let (path, line, column) = super::location::trailing(before)?;
    Some(place(path, Some(line), column))
}

// After a blank line: the number, a blank, the line.
fn pretty_line(log: &Log<'_>, from: usize, span: &SourceSpan) -> Option<String> {
    let number = span.start?.line.to_string();
    let line = log.line(from + 1).strip_prefix(&number).filter(|_| log.line(from).is_empty())?;
    line.strip_prefix(' ').map(str::to_owned)
}
