//! What Node says when it cannot read or finish a program.
//!
//! In: the error stream of `node --check FILE` or of a program. Out: one diagnostic for each error
//! that was not caught: where the program stood, and why.

use super::classify;
use super::places::{Columns, Places, characters, number, primary_first};
use salve_types::{Diagnostic, DiagnosticNote, ErrorClass, Position, Severity, SourceSpan};

// How far above an error's headline Node shows the place.
const PLACE_ABOVE: usize = 8;
// Frames beyond these tell nothing new about the place.
const FRAMES: usize = 64;

pub(super) fn parse(stdout: &str, stderr: &str, places: &Places<'_>) -> Vec<Diagnostic> {
    let lines: Vec<&str> = stderr.lines().chain(stdout.lines()).collect();
    let mut found: Vec<Diagnostic> = Vec::new();
    let mut from = 0;
    let mut at = 0;
    while at < lines.len() {
        let Some(headline) = headline(lines[at]) else {
            at += 1;
            continue;
        };
        let shown = from.max(at.saturating_sub(PLACE_ABOVE));
        let end = error_end(&lines, at + 1);
        found.push(diagnostic(&headline, &lines[shown..at], &lines[at..end], places));
        (from, at) = (end, end);
    }
    found
}

struct Headline<'a> {
    name: &'a str,
    code: Option<&'a str>,
    message: &'a str,
}

// `TypeError: x is not a function`, `Error [ERR_MODULE_NOT_FOUND]: Cannot find package`.
fn headline(line: &str) -> Option<Headline<'_>> {
    let line = line.strip_prefix("Uncaught ").unwrap_or(line);
    let (title, message) = line.split_once(": ").unwrap_or((line, ""));
    let (name, code) = match title.split_once(" [") {
        Some((name, code)) => (name, Some(code.strip_suffix(']')?)),
        None => (title, None),
    };
    let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    (plain && name.ends_with("Error") && name.starts_with(char::is_uppercase)).then_some(Headline {
        name,
        code,
        message,
    })
}

// The frames, and what else belongs to the error, up to a line that is none of it.
fn error_end(lines: &[&str], from: usize) -> usize {
    let ends = |line: &&str| {
        line.starts_with("Node.js v") || headline(line).is_some() || shown_place(line).is_some()
    };
    lines[from..].iter().position(ends).map_or(lines.len(), |at| from + at)
}

fn diagnostic(
    headline: &Headline<'_>,
    above: &[&str],
    error: &[&str],
    places: &Places<'_>,
) -> Diagnostic {
    let inner_code = error.iter().find_map(|line| {
        line.trim().strip_prefix("code: '")?.trim_end_matches(',').strip_suffix('\'')
    });
    let code = headline.code.or(inner_code);
    let class = match (headline.name, classify("node", code, headline.message)) {
        ("SyntaxError", ErrorClass::Runtime) => ErrorClass::Syntax,
        ("AssertionError", ErrorClass::Runtime) => ErrorClass::Test,
        (_, class) => class,
    };
    let mut diagnostic = Diagnostic::new("node", Severity::Error, class, headline.message);
    diagnostic.code = Some(code.unwrap_or(headline.name).to_owned());
    let start = above.iter().rposition(|line| shown_place(line).is_some());
    let shown = start.map_or(&[][..], |at| &above[at..]);
    diagnostic.raw = [shown, error].concat().join("\n").trim().to_owned();
    diagnostic.spans.extend(place_above(shown, places));
    diagnostic.spans.extend(importer(headline.message, error, places));
    let frames = error.iter().filter_map(|line| frame(line, places)).take(FRAMES);
    for span in frames {
        let told = diagnostic.spans.iter_mut().find(|known| {
            let line = |span: &SourceSpan| span.start.map(|at| at.line);
            known.path == span.path && (known.start.is_none() || line(known) == line(&span))
        });
        match told {
            Some(known) => {
                known.start = span.start.or(known.start);
                known.end = known.end.filter(|end| known.start.is_some_and(|start| start <= *end));
            }
            None => diagnostic.spans.push(span),
        }
    }
    // Node writes the innermost first.
    let paths = diagnostic.spans.iter().rev().map(|span| span.path.as_str());
    let own = diagnostic.spans.len().saturating_sub(1 + Places::own_frame(paths));
    for (index, span) in diagnostic.spans.iter_mut().enumerate() {
        span.primary = index == own;
    }
    primary_first(&mut diagnostic.spans);
    let causes = error.iter().skip(1).take_while(|line| !line.trim_start().starts_with("at "));
    let more: Vec<&str> = causes.copied().filter(|line| !line.trim().is_empty()).collect();
    if !more.is_empty() {
        let message = more.join("\n");
        diagnostic.notes.push(DiagnosticNote { kind: "note".into(), message, spans: Vec::new() });
    }
    diagnostic
}

// `FILE:LINE` alone on its line; Node's own files do not count.
fn shown_place(line: &str) -> Option<(&str, u32)> {
    let (path, number) = line.rsplit_once(':')?;
    let own = path.starts_with("node:") || path.starts_with(' ') || path.is_empty();
    let digits = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    (!own && digits && !path.contains(": ")).then_some((path, number.parse().ok()?))
}

// The place, the source line, and markers below it.
fn place_above(shown: &[&str], places: &Places<'_>) -> Option<SourceSpan> {
    let (path, line) = shown_place(shown.first()?)?;
    let mut span = places.point(path, Some((line, 1)), Columns::Utf16);
    let source = shown.get(1)?;
    span.line_text = Some((*source).to_owned());
    if let Some(markers) = shown.get(2)
        && let Some(first) = markers.find('^')
    {
        let column = |units: usize| {
            let column = characters(source, number(units).saturating_add(1), Columns::Utf16);
            column.map(|column| Position { line: line.max(1), column })
        };
        span.start = column(first).or(span.start);
        span.end = column(markers.trim_end().len());
    }
    Some(span)
}

// Who asked for a module that is not there.
fn importer(message: &str, error: &[&str], places: &Places<'_>) -> Option<SourceSpan> {
    let from = message.split_once(" imported from ").map(|(_, path)| path);
    let required = || {
        let at = error.iter().position(|line| *line == "Require stack:")?;
        error.get(at + 1)?.strip_prefix("- ")
    };
    from.or_else(required).map(|path| places.point(path, None, Columns::Utf16))
}

// `    at outer (/project/throws.cjs:3:16)`, `    at file:///project/a.mjs:1:7`.
fn frame(line: &str, places: &Places<'_>) -> Option<SourceSpan> {
    let called = line.trim_start().strip_prefix("at ")?;
    let (function, place) = match called.strip_suffix(')').and_then(|rest| rest.rsplit_once(" (")) {
        Some((function, place)) => (Some(function), place),
        None => (None, called),
    };
    let mut parts = place.rsplitn(3, ':');
    let column = parts.next()?.parse().ok()?;
    let line = parts.next()?.parse().ok()?;
    let path = parts.next().filter(|path| !path.starts_with("node:"))?;
    let mut span = places.point(path, Some((line, column)), Columns::Utf16);
    let named = function.filter(|name| !name.contains("<anonymous>"));
    span.label = named.map(|name| format!("in {name}"));
    Some(span)
}
