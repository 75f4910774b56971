//! bash, make and npm.
//!
//! In: `bash: line 1: x: command not found`, `make: *** …`, `npm ERR! code X`. Out: one diagnostic;
//! the lines of one npm failure are one.

use super::Reading;
use super::log::{Log, place};
use crate::diagnostics::classify;
use salve_types::{Diagnostic, ErrorClass, Severity};

/// Reads a line of the shell or of make.
pub(crate) fn read(tool: Option<&str>, log: &Log<'_>, at: usize) -> Option<Reading> {
    let line = log.line(at);
    make(line, at).or_else(|| bash(tool, line, at))
}

/// Reads the lines of one failure of npm.
pub(crate) fn npm(log: &Log<'_>, at: usize) -> Option<Reading> {
    let text = |at: usize| {
        let line = log.line(at);
        line.strip_prefix("npm ERR!").or_else(|| line.strip_prefix("npm error")).map(str::trim)
    };
    text(at)?;
    let mut end = at;
    let (mut code, mut message) = (None, None);
    while let Some(line) = text(end) {
        if let Some(value) = line.strip_prefix("code ") {
            code = code.or(Some(value));
        } else if message.is_none() && !line.is_empty() && !is_property(line) {
            message = Some(line);
        }
        end += 1;
    }
    let message = message.unwrap_or_default();
    let mut diagnostic = Diagnostic::new("npm", Severity::Error, ErrorClass::Build, message);
    diagnostic.code = code.map(str::to_owned);
    diagnostic.raw = log.raw(at, end);
    Some(Reading::one(diagnostic, end))
}

// npm repeats the pieces of its sentence as single words.
fn is_property(line: &str) -> bool {
    [
        "errno",
        "syscall",
        "path",
        "lifecycle",
        "workspace",
        "location",
        "command",
        "dest",
        "A complete log",
    ]
    .iter()
    .any(|start| line.starts_with(start))
}

fn make(line: &str, at: usize) -> Option<Reading> {
    let (program, message) = line.split_once(": *** ")?;
    let name = program.rsplit('/').next().unwrap_or(program);
    if !(name.starts_with("make") || name.starts_with("gmake") || program.contains("akefile")) {
        return None;
    }
    // `[Makefile:3: all] Error 1` names the recipe; its line is a place and not the error.
    let message = message.trim_end_matches("  Stop.");
    let mut diagnostic = Diagnostic::new("make", Severity::Error, ErrorClass::Build, message);
    diagnostic.raw = line.to_owned();
    Some(Reading::one(diagnostic, at + 1))
}

fn bash(tool: Option<&str>, line: &str, at: usize) -> Option<Reading> {
    let (program, rest) = line.split_once(": ")?;
    let name = program.rsplit('/').next().unwrap_or(program).trim_start_matches('-');
    let is_shell = matches!(name, "bash" | "sh" | "dash" | "zsh" | "environment")
        || name.ends_with(".sh")
        || (tool == Some("bash") && !name.contains(' '));
    let rest = rest.strip_prefix("-c: ").unwrap_or(rest);
    let (number, message) = numbered(rest);
    if !is_shell || (number.is_none() && !known(message)) {
        return None;
    }
    let mut diagnostic =
        Diagnostic::new("bash", Severity::Error, classify("bash", None, message), message);
    diagnostic.spans.push(place(program, number, None));
    diagnostic.raw = line.to_owned();
    Some(Reading::one(diagnostic, at + 1))
}

// `line 3: message` of bash and `3: message` of dash.
fn numbered(rest: &str) -> (Option<u32>, &str) {
    let text = rest.strip_prefix("line ").unwrap_or(rest);
    match text.split_once(": ").and_then(|(number, message)| Some((number.parse().ok()?, message)))
    {
        Some((number, message)) => (Some(number), message),
        None => (None, rest),
    }
}

fn known(message: &str) -> bool {
    const WORDS: &[&str] = &[
        "command not found",
        "not found",
        "No such file",
        "Permission denied",
        "syntax error",
        "Syntax error",
        "unbound variable",
        "cannot",
    ];
    // The words of bash, dash and zsh.
    WORDS.iter().any(|word| message.contains(word))
}
