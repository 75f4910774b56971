//! Linters: eslint's list, ruff, flake8 and pylint in one line.
//!
//! In: a line, with the file above it where the tool groups by file. Out: one diagnostic with the
//! rule as its code.

use super::location::Located;
use super::log::{Log, place};
use super::{Reading, State};
use crate::diagnostics::classify;
use salve_types::{Diagnostic, Severity};

/// Remembers the file that eslint's list is about: a path on a line of its own above the list.
pub(crate) fn file_header(log: &Log<'_>, at: usize, state: &mut State) -> Option<Reading> {
    let line = log.line(at);
    let is_path = line.contains(['/', '\\', '.']) && !line.ends_with(':') && line.len() < 1024;
    if is_path && stylish_row(log.line(at + 1)).is_some() {
        state.file = Some(line.to_owned());
        return Some(Reading::nothing(at + 1));
    }
    None
}

/// Reads `  3:10  error  message  rule` of eslint's list.
pub(crate) fn stylish(log: &Log<'_>, at: usize, state: &State) -> Option<Reading> {
    let file = state.file.as_deref()?;
    let (line, column, severity, message, rule) = stylish_row(log.line(at))?;
    let mut diagnostic =
        Diagnostic::new("eslint", severity, classify("eslint", rule, message), message);
    diagnostic.code = rule.map(str::to_owned);
    diagnostic.spans.push(place(file, Some(line), Some(column)));
    diagnostic.raw = log.line(at).trim().to_owned();
    Some(Reading::one(diagnostic, at + 1))
}

fn stylish_row(line: &str) -> Option<(u32, u32, Severity, &str, Option<&str>)> {
    let trimmed = line.strip_prefix("  ")?.trim_start();
    let (location, rest) = trimmed.split_once("  ")?;
    let (number, column) = location.trim().split_once(':')?;
    let rest = rest.trim_start();
    let (severity, rest) = match rest.strip_prefix("error") {
        Some(rest) => (Severity::Error, rest),
        None => (Severity::Warning, rest.strip_prefix("warning")?),
    };
    let rest = rest.trim();
    let (message, rule) = match rest.rsplit_once("  ") {
        Some((message, rule)) if !rule.contains(' ') => (message.trim_end(), Some(rule)),
        _ => (rest, None),
    };
    Some((number.parse().ok()?, column.parse().ok()?, severity, message, rule))
}

/// Reads `a.py:1:8: F401 message` of ruff and flake8 and `a.py:1:0: C0114: message (name)` of pylint.
pub(crate) fn concise(located: &Located<'_>, log: &Log<'_>, at: usize) -> Option<Reading> {
    if !located.has_extension(&["py", "pyi", "ipynb"]) {
        return None;
    }
    let (code, message) = rule_and_message(located.text)?;
    let pylint = message.len() > 2
        && located.text.as_bytes().get(code.len()) == Some(&b':')
        && message.ends_with(')');
    let tool = if pylint { "pylint" } else { "ruff" };
    let mut diagnostic =
        Diagnostic::new(tool, Severity::Error, classify("ruff", Some(code), message), message);
    diagnostic.code = Some(code.to_owned());
    diagnostic.spans.push(place(located.path, Some(located.line), located.column));
    diagnostic.raw = log.line(at).to_owned();
    Some(Reading::one(diagnostic, at + 1))
}

/// Splits `F401 [*] message` and `C0114: message`.
pub(crate) fn rule_and_message(text: &str) -> Option<(&str, &str)> {
    let (code, message) = text.split_once(' ')?;
    let code = code.trim_end_matches(':');
    let letters = code.bytes().take_while(u8::is_ascii_uppercase).count();
    let digits = code.len() - letters;
    let is_rule = (1..=5).contains(&letters)
        && (3..=4).contains(&digits)
        && code[letters..].bytes().all(|byte| byte.is_ascii_digit());
    let syntax = code == "invalid-syntax" || code == "SyntaxError";
    (is_rule || syntax).then(|| (code, message.strip_prefix("[*] ").unwrap_or(message)))
}
