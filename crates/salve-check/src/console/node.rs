//! Errors of Node.js: the excerpt, the error's line and the stack.
//!
//! In: `/path/a.js:2`, the source line, a caret and the error; or an error with its stack alone. Out:
//! one diagnostic; of an error with a cause, the deepest cause.

use super::Reading;
use super::location::trailing;
use super::log::{Log, is_caret, is_foreign, note, place};
use crate::diagnostics::classify;
use salve_types::{Diagnostic, Severity, SourceSpan};

/// Reads an error of Node.
pub(crate) fn read(log: &Log<'_>, at: usize) -> Option<Reading> {
    match excerpt(log, at) {
        Some((span, from)) => read_error(log, at, from, Some(span)),
        None if headline(log.line(at)).is_some() && stack_follows(log, at + 1) => {
            read_error(log, at, at, None)
        }
        None => None,
    }
}

// `path:2`, the line, a caret under it and a blank.
fn excerpt(log: &Log<'_>, at: usize) -> Option<(SourceSpan, usize)> {
    let line = log.line(at);
    if !line.ends_with(|letter: char| letter.is_ascii_digit()) {
        return None;
    }
    let path = line.strip_prefix("file://").unwrap_or(line);
    let (path, number, None) = trailing(path)? else { return None };
    let caret = (at + 2..at + 4).find(|at| is_caret(log.line(*at)))?;
    let mut span = place(path, Some(number), None);
    span.line_text = Some(log.line(at + 1).trim().to_owned()).filter(|_| !is_foreign(path));
    let from = (caret + 1..caret + 3).find(|at| !log.line(*at).trim().is_empty())?;
    Some((span, from))
}

fn read_error(
    log: &Log<'_>,
    start: usize,
    from: usize,
    span: Option<SourceSpan>,
) -> Option<Reading> {
    let mut lines = Vec::new();
    let mut at = from;
    // The message goes on until the stack; what a module was required by is not part of it.
    while at < (from + 12).min(log.len()) && !is_frame(log.line(at)) {
        lines.push(log.line(at));
        at += 1;
    }
    if !is_frame(log.line(at)) {
        lines.truncate(1);
        at = from + 1;
    }
    let (code, mut message) =
        headline(lines.first()?).unwrap_or((None, (*lines.first()?).to_owned()));
    for line in lines.iter().skip(1).take_while(|line| !line.starts_with("Require stack:")) {
        message.push('\n');
        message.push_str(line.trim());
    }
    let (frames, mut end) = frames(log, at);
    let properties = Properties::read(log, end);
    end = properties.end;
    let (code, message) = properties.cause.unwrap_or((code.map(str::to_owned), message));
    let mut diagnostic = Diagnostic::new(
        "node",
        Severity::Error,
        classify("node", code.as_deref(), &message),
        message.trim_end(),
    );
    diagnostic.code = code;
    if diagnostic.code.as_deref() == Some("SyntaxError") {
        diagnostic.class = salve_types::ErrorClass::Syntax;
    }
    add_places(&mut diagnostic, span, frames);
    diagnostic.raw = log.raw(start, end);
    Some(Reading::one(diagnostic, end))
}

// The excerpt's place when it is the programmer's, else the innermost frame that is.
fn add_places(
    diagnostic: &mut Diagnostic,
    span: Option<SourceSpan>,
    frame: Option<(&str, SourceSpan)>,
) {
    let own = span.filter(|span| !is_foreign(&span.path));
    if let Some((function, _)) = &frame {
        note(diagnostic, "function", function);
    }
    diagnostic.spans.extend(own.or(frame.map(|(_, span)| span)));
}

/// Splits `TypeError [ERR_X]: message` into the most telling name and the message.
fn headline(line: &str) -> Option<(Option<&str>, String)> {
    let line = line.strip_prefix("Uncaught ").unwrap_or(line);
    let (name, message) = line.split_once(": ").unwrap_or((line, ""));
    let (class, code) = match name.split_once(" [") {
        Some((class, code)) => (class, Some(code.trim_end_matches(']'))),
        None => (name, None),
    };
    let is_class = class.ends_with("Error") || class.ends_with("Exception");
    let plain =
        class.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') && class.len() < 100;
    (is_class && plain && class.starts_with(|letter: char| letter.is_ascii_uppercase()))
        .then(|| (Some(code.unwrap_or(class)), message.to_owned()))
}

fn is_frame(line: &str) -> bool {
    line.trim_start().starts_with("at ") && line.starts_with("    ")
}

fn stack_follows(log: &Log<'_>, from: usize) -> bool {
    (from..from + 12).take_while(|at| headline(log.line(*at)).is_none()).any(|at| {
        let line = log.line(at);
        is_frame(line) && !line.contains(".java:") && !line.contains("(Native Method)")
    })
}

// Skips the stack and returns the innermost frame in the programmer's files.
fn frames<'a>(log: &Log<'a>, from: usize) -> (Option<(&'a str, SourceSpan)>, usize) {
    let mut own = None;
    let mut at = from;
    while is_frame(log.line(at)) {
        let text = log.line(at).trim().trim_start_matches("at ").trim_end_matches(" {");
        let (function, location) = text.rsplit_once(" (").unwrap_or(("", text));
        let location = location.trim_end_matches(')').trim_start_matches("file://");
        if own.is_none()
            && !is_foreign(location)
            && let Some((path, line, column)) = trailing(location)
        {
            let name = function.trim_start_matches("async ").trim_start_matches("new ");
            own = Some((name, place(path, Some(line), column)));
        }
        at += 1;
    }
    (own, at)
}

// What node prints after the stack in braces: `code: 'X'`, and the error that caused it.
struct Properties {
    cause: Option<(Option<String>, String)>,
    end: usize,
}

impl Properties {
    fn read(log: &Log<'_>, from: usize) -> Self {
        let mut properties = Self { cause: None, end: from };
        if !log.line(from.wrapping_sub(1)).ends_with('{') {
            return properties;
        }
        let mut at = from;
        while at < log.len() && log.line(at).starts_with(' ') {
            if let Some(cause) = log.line(at).trim_start().strip_prefix("[cause]: ")
                && let Some((code, message)) = headline(cause)
            {
                properties.cause = Some((code.map(str::to_owned), message));
            }
            at += 1;
        }
        properties.end = at;
        properties
    }
}
