//! gcc, clang, javac, mypy, ruff and their like: `path:12:3: error: message` and an excerpt.
//!
//! In: a line and the log around it. Out: one diagnostic with its excerpt's line; notes go to the
//! diagnostic before. Also the linker's lines and the lines that say which function is meant.

use super::location::Located;
use super::log::{Log, gutter, is_caret, is_foreign, note, place};
use super::{Reading, State, lint};
use crate::diagnostics::classify;
use memchr::memmem::Finder;
use salve_types::{Diagnostic, DiagnosticNote, Severity};
use std::sync::LazyLock;

/// Reads a compiler's line.
pub(crate) fn read(
    tool: Option<&str>,
    log: &Log<'_>,
    at: usize,
    state: &mut State,
    earlier: &mut [Diagnostic],
) -> Option<Reading> {
    let line = log.line(at);
    if function_line(line, state) {
        return Some(Reading::nothing(at + 1));
    }
    let Some(located) = Located::read(line) else {
        return linker(log, at).or_else(|| driver(log, at));
    };
    if let Some(message) = located.text.strip_prefix("note: ") {
        add_note(earlier, &located, message);
        return Some(Reading::nothing(at + 1));
    }
    let Some((severity, message)) = severity(located.text) else {
        return lint::concise(&located, log, at)
            .or_else(|| undefined_reference(log, at, Some(&located)))
            .or_else(|| super::native::undefined_behaviour(&located, log, at));
    };
    let tool = speaker(tool, &located, log, at);
    let (message, code) = split_code(tool, message);
    let mut diagnostic = Diagnostic::new(tool, severity, classify(tool, code, message), message);
    diagnostic.code = code.map(str::to_owned);
    let mut span = place(located.path, Some(located.line), located.column);
    let excerpt = excerpt(log, at + 1, located.line);
    span.line_text = excerpt.line.filter(|_| !is_foreign(located.path)).map(str::to_owned);
    diagnostic.spans.push(span);
    if let Some((path, line)) = state.inlined.take().filter(|_| is_foreign(located.path)) {
        diagnostic.spans.insert(0, place(&path, Some(line), None));
    }
    if matches!(tool, "gcc" | "g++")
        && let Some(function) = &state.function
    {
        note(&mut diagnostic, "function", function);
    }
    let next = if tool == "javac" {
        javac_details(log, excerpt.end, &mut diagnostic)
    } else {
        excerpt.end
    };
    diagnostic.raw = log.raw(at, next);
    Some(Reading::one(diagnostic, next))
}

/// Reads `inlined from ‘main’ at prog.c:7:3:`.
pub(crate) fn inlined(line: &str, state: &mut State) -> Option<Reading> {
    let (_, place) = line.trim_start().strip_prefix("inlined from ")?.rsplit_once(" at ")?;
    let (path, line, _) = super::location::trailing(place.trim_end_matches([':', ',']))?;
    state.inlined = Some((path.to_owned(), line));
    None
}

// `prog.c: In function ‘main’:` and `prog.c: At top level:`.
fn function_line(line: &str, state: &mut State) -> bool {
    let Some((path, rest)) = line.split_once(": ") else { return false };
    if path.contains(['(', ' ']) && !path.contains('/') {
        return false;
    }
    if rest.starts_with("At top level") || rest.starts_with("At global scope") {
        state.function = None;
        return true;
    }
    let is_function = rest.starts_with("In ") && rest.ends_with(':') && !rest.contains("included");
    if is_function {
        let quoted = rest.split(['‘', '\'', '`']).nth(1).unwrap_or(rest);
        let name = quoted.split(['’', '\'']).next().unwrap_or(quoted);
        state.function = Some(name.to_owned());
    }
    is_function
}

fn severity(text: &str) -> Option<(Severity, &str)> {
    const STARTS: &[(&str, Severity)] = &[
        ("error: ", Severity::Error),
        ("fatal error: ", Severity::Error),
        ("warning: ", Severity::Warning),
        ("internal compiler error: ", Severity::Error),
        ("sorry, unimplemented: ", Severity::Error),
    ];
    STARTS.iter().find_map(|(start, severity)| Some((*severity, text.strip_prefix(start)?)))
}

// The extension says which compiler it is; clang shows its lines without a gutter, or says so.
fn speaker(tool: Option<&str>, located: &Located<'_>, log: &Log<'_>, at: usize) -> &'static str {
    if located.has_extension(&["java"]) {
        return "javac";
    }
    if located.has_extension(&["py", "pyi"]) {
        return "mypy";
    }
    if located.has_extension(&["sh", "bash"]) {
        return "shellcheck";
    }
    let bare = gutter(log.line(at + 1)).is_none() && is_caret(log.line(at + 2));
    if tool == Some("clang") || (bare && tool != Some("gcc")) { "clang" } else { "gcc" }
}

// `… [-Wunused-variable]` of C, `[unchecked] …` of Java, `…  [arg-type]` of mypy.
fn split_code<'a>(tool: &str, message: &'a str) -> (&'a str, Option<&'a str>) {
    if tool == "javac" {
        let code = message.strip_prefix('[').and_then(|rest| rest.split_once("] "));
        return code.map_or((message, None), |(code, message)| (message, Some(code)));
    }
    let split = message.strip_suffix(']').and_then(|rest| rest.rsplit_once(" ["));
    match split {
        Some((text, code)) if !code.is_empty() && !code.contains(' ') => {
            (text.trim_end(), Some(code))
        }
        _ => (message, None),
    }
}

struct Excerpt<'a> {
    line: Option<&'a str>,
    end: usize,
}

// The lines under a header: `12 | code` and its marks, or the bare line and a caret.
fn excerpt<'a>(log: &Log<'a>, from: usize, number: u32) -> Excerpt<'a> {
    if is_caret(log.line(from + 1)) && gutter(log.line(from)).is_none() {
        return Excerpt { line: Some(log.line(from)), end: from + 2 };
    }
    let (mut shown, mut first) = (None, None);
    let (mut end, mut strangers) = (from, 0);
    // A line of another process may stand between; two of them end the search.
    for at in from..(from + 24).min(log.len()) {
        let line = log.line(at);
        if let Some((this, text)) = gutter(line) {
            first = first.or(Some(text));
            if this == number && shown.is_none() {
                shown = Some(text);
            }
        } else if !line.trim_start().starts_with('|') {
            strangers += 1;
            if strangers > 1 || Located::read(line).is_some() || line.is_empty() {
                break;
            }
            continue;
        }
        end = at + 1;
    }
    Excerpt { line: shown.or(first), end }
}

// `  symbol:   variable x` and its like belong to what is wrong, `location:` to where.
fn javac_details(log: &Log<'_>, from: usize, diagnostic: &mut Diagnostic) -> usize {
    let mut at = from;
    while at < from + 8 {
        let Some((kind, text)) =
            log.line(at).strip_prefix("  ").and_then(|line| line.split_once(':'))
        else {
            break;
        };
        match kind.trim() {
            kind @ ("symbol" | "required" | "found" | "reason") => {
                diagnostic.message.push_str(&format!("\n{kind}: {}", text.trim()));
            }
            kind @ "location" => note(diagnostic, kind, text.trim()),
            _ => break,
        }
        at += 1;
    }
    at
}

fn add_note(earlier: &mut [Diagnostic], located: &Located<'_>, message: &str) {
    let Some(last) = earlier.last_mut() else { return };
    let mut span = place(located.path, Some(located.line), located.column);
    span.primary = false;
    last.notes.push(DiagnosticNote {
        kind: "note".to_owned(),
        message: message.to_owned(),
        spans: vec![span],
    });
}

// `/usr/bin/ld: x.o: in function `main': x.c:(.text+0x9): undefined reference to `foo'`.
fn linker(log: &Log<'_>, at: usize) -> Option<Reading> {
    let line = log.line(at);
    if let Some(reading) = undefined_reference(log, at, None) {
        return Some(reading);
    }
    // The words of ld, gold and lld.
    let (program, message) = line.split_once(": ")?;
    let is_linker =
        program.ends_with("ld") || program.ends_with("ld.lld") || program.ends_with("ld.gold");
    if !is_linker
        || !(message.contains("cannot find")
            || message.contains("error")
            || message.contains("multiple definition"))
    {
        return None;
    }
    let mut diagnostic =
        Diagnostic::new("ld", Severity::Error, classify("ld", None, message), message);
    diagnostic.raw = line.to_owned();
    Some(Reading::one(diagnostic, at + 1))
}

static UNDEFINED: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("undefined "));

fn undefined_reference(log: &Log<'_>, at: usize, located: Option<&Located<'_>>) -> Option<Reading> {
    let line = log.line(at);
    let start = UNDEFINED.find(line.as_bytes())?;
    let said = &line[start..];
    if !(said.starts_with("undefined reference to ") || said.starts_with("undefined symbol: ")) {
        return None;
    }
    let message = &line[start..];
    let mut diagnostic =
        Diagnostic::new("ld", Severity::Error, classify("ld", None, message), message);
    if let Some(located) = located {
        diagnostic.spans.push(place(located.path, Some(located.line), located.column));
    }
    diagnostic.raw = line.to_owned();
    Some(Reading::one(diagnostic, at + 1))
}

// `gcc: error: x.c: No such file or directory`, `collect2: error: ld returned 1 exit status`.
fn driver(log: &Log<'_>, at: usize) -> Option<Reading> {
    let line = log.line(at);
    let (program, rest) = line.split_once(": ")?;
    let name = program.rsplit('/').next().unwrap_or(program);
    let tool = match name {
        "gcc" | "cc1" | "cc1plus" | "collect2" | "cc" => "gcc",
        "g++" => "gcc",
        "clang" | "clang++" => "clang",
        _ => return None,
    };
    let (severity, message) = severity(rest)?;
    let mut diagnostic = Diagnostic::new(tool, severity, classify(tool, None, message), message);
    diagnostic.raw = line.to_owned();
    Some(Reading::one(diagnostic, at + 1))
}
