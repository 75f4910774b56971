//! rustc, cargo and clippy as people see them.
//!
//! In: a line `error[E0425]: message` and the block below it. Out: one diagnostic with the source
//! line its arrow points to. A bare `error:` without an arrow counts only when it is cargo's own.

use super::Reading;
use super::location::trailing;
use super::log::{Log, gutter, note, place};
use crate::diagnostics::classify;
use salve_types::{Diagnostic, Severity};

/// Reads a block of rustc.
pub(crate) fn read(tool: Option<&str>, log: &Log<'_>, at: usize) -> Option<Reading> {
    let header = Header::read(log.line(at))?;
    let arrow = find_arrow(log, at);
    if arrow.is_none() && header.code.is_none() && !is_cargos(tool, header.message) {
        return None;
    }
    let Some(arrow) = arrow else {
        let name = if header.code.is_some() { "rustc" } else { "cargo" };
        return Some(Reading::one(header.diagnostic(name, log.raw(at, at + 1)), at + 1));
    };
    let mut diagnostic = header.diagnostic("rustc", String::new());
    // A message of several lines goes on until the arrow.
    for line in (at + 1)..arrow {
        diagnostic.message.push('\n');
        diagnostic.message.push_str(log.line(line).trim());
    }
    let end = block(log, arrow, &mut diagnostic);
    diagnostic.class = classify("rustc", diagnostic.code.as_deref(), &diagnostic.message);
    diagnostic.raw = log.raw(at, end);
    Some(Reading::one(diagnostic, end))
}

/// Reads a block of ruff's full form, which is drawn like rustc's: `F401 [*] message`, then an arrow.
pub(crate) fn lint_header(log: &Log<'_>, at: usize) -> Option<Reading> {
    let (code, message) = super::lint::rule_and_message(log.line(at))?;
    let arrow = find_arrow(log, at)?;
    let mut diagnostic =
        Diagnostic::new("ruff", Severity::Error, classify("ruff", Some(code), message), message);
    diagnostic.code = Some(code.to_owned());
    let end = block(log, arrow, &mut diagnostic);
    diagnostic.raw = log.raw(at, end);
    Some(Reading::one(diagnostic, end))
}

struct Header<'a> {
    severity: Severity,
    code: Option<&'a str>,
    message: &'a str,
}

impl<'a> Header<'a> {
    fn read(line: &'a str) -> Option<Self> {
        let (severity, rest) = match line.strip_prefix("error") {
            Some(rest) => (Severity::Error, rest),
            None => (Severity::Warning, line.strip_prefix("warning")?),
        };
        if let Some(message) = rest.strip_prefix(": ") {
            return Some(Self { severity, code: None, message });
        }
        let (code, message) = rest.strip_prefix('[')?.split_once("]: ")?;
        Some(Self { severity, code: Some(code), message })
    }

    fn diagnostic(&self, tool: &str, raw: String) -> Diagnostic {
        let class = classify(tool, self.code, self.message);
        let mut diagnostic = Diagnostic::new(tool, self.severity, class, self.message);
        diagnostic.code = self.code.map(str::to_owned);
        diagnostic.raw = raw;
        diagnostic
    }
}

// The arrow follows the message at once, or after the message's further lines.
fn find_arrow(log: &Log<'_>, at: usize) -> Option<usize> {
    ((at + 1)..(at + 12).min(log.len()))
        .take_while(|line| {
            let text = log.line(*line);
            !text.is_empty() && Header::read(text).is_none()
        })
        .find(|line| log.line(*line).trim_start().starts_with("--> "))
}

fn is_cargos(tool: Option<&str>, message: &str) -> bool {
    const STARTS: &[&str] = &[
        "aborting due to",
        "could not compile",
        "linking with",
        "failed to parse manifest",
        "no matching package",
        "failed to select a version",
        "could not find `",
        "test failed, to rerun",
        "doctest failed, to rerun",
        "failed to resolve",
        "failed to run custom build command",
        "process didn't exit successfully",
        "package ID specification",
        "no bin target named",
        "the lock file",
    ];
    // The words of cargo.
    matches!(tool, Some("rustc" | "cargo" | "clippy" | "rust-test"))
        || STARTS.iter().any(|start| message.starts_with(start))
}

// Reads from the arrow to the end of the block: the excerpt, labels, notes and helps.
fn block(log: &Log<'_>, arrow: usize, diagnostic: &mut Diagnostic) -> usize {
    let (path, line, column) =
        trailing(log.line(arrow).trim_start().trim_start_matches("--> ")).unwrap_or(("", 0, None));
    let mut span = place(path, (line > 0).then_some(line), column);
    let mut at = arrow + 1;
    let mut aside = false;
    while at < log.len() {
        let text = log.line(at);
        let trimmed = text.trim_start();
        if trimmed.is_empty() || (!text.starts_with(' ') && Header::read(text).is_some()) {
            break;
        }
        if let Some((number, source)) = gutter(text) {
            if number == line && span.line_text.is_none() && !aside {
                span.line_text = Some(without_bracket(source).to_owned());
            }
        } else if let Some((kind, message)) = sentence(trimmed.trim_start_matches("= ")) {
            aside |= !trimmed.starts_with('=');
            note(diagnostic, kind, message);
        } else if !text
            .starts_with([' ', '|', '.', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9'])
        {
            // A line of another program.
            break;
        }
        at += 1;
    }
    diagnostic.spans.push(span);
    at
}

// In a drawing that brackets several lines, the first one begins with `/`.
fn without_bracket(source: &str) -> &str {
    source.strip_prefix("/ ").or_else(|| source.strip_prefix("| ")).unwrap_or(source)
}

fn sentence(line: &str) -> Option<(&str, &str)> {
    ["note", "help", "warning"]
        .into_iter()
        .find_map(|kind| Some((kind, line.strip_prefix(kind)?.strip_prefix(": ")?)))
}
