//! What pytest says with `-q --tb=short -rfE`.
//!
//! In: its report. Out: one diagnostic for each failed test and each error while collecting or
//! setting up, at the innermost place in the project. The node id is a note of kind `test`. The long
//! form of tracebacks is read as well, and a report cut short by its summary lines.

use super::places::{Columns, Places, primary_first};
use super::{classify, traceback};
use salve_types::{Diagnostic, DiagnosticNote, ErrorClass, Severity, SourceSpan};
use std::collections::{HashMap, VecDeque};

pub(super) fn parse(stdout: &str, stderr: &str, places: &Places<'_>) -> Vec<Diagnostic> {
    let lines: Vec<&str> = stdout.lines().chain(stderr.lines()).collect();
    let mut summary = Summary::read(&lines);
    let mut found = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let Some(title) = section_title(lines[at]) else {
            found.extend(usage_error(lines[at]));
            at += 1;
            continue;
        };
        let end = section_end(&lines, at + 1);
        let node = summary.take(title);
        found.push(failure(title, node.as_deref(), &lines[at + 1..end], places));
        at = end;
    }
    found.extend(summary.left(places));
    found
}

// `FAILED test_app.py::TestBox::test_inner - Failed: DID NOT RAISE`, by the title of the section.
struct Summary<'a> {
    by_title: HashMap<String, VecDeque<usize>>,
    entries: Vec<Option<(&'a str, &'a str)>>,
}

impl<'a> Summary<'a> {
    fn read(lines: &[&'a str]) -> Self {
        let mut summary = Summary { by_title: HashMap::new(), entries: Vec::new() };
        for line in lines {
            let failed = line.strip_prefix("FAILED ").map(|rest| (rest, false));
            let error = || line.strip_prefix("ERROR ").map(|rest| (rest, true));
            let Some((rest, is_error)) = failed.or_else(error) else { continue };
            let (node, words) = node_and_words(rest);
            let Some((file, name)) = node.split_once("::").or(Some((node, ""))) else { continue };
            if !file.contains('.') {
                continue;
            }
            let name = name.replace("::", ".");
            let titles = match (is_error, name.is_empty()) {
                (_, true) => vec![format!("ERROR collecting {file}")],
                (true, false) => {
                    vec![
                        format!("ERROR at setup of {name}"),
                        format!("ERROR at teardown of {name}"),
                    ]
                }
                (false, false) => vec![name],
            };
            for title in titles {
                summary.by_title.entry(title).or_default().push_back(summary.entries.len());
            }
            summary.entries.push(Some((node, words)));
        }
        summary
    }

    fn take(&mut self, title: &str) -> Option<String> {
        let waiting = self.by_title.get_mut(title)?;
        let index = waiting.pop_front()?;
        self.entries.get_mut(index)?.take().map(|(node, _)| node.to_owned())
    }

    // What only the summary tells: its section was cut or switched off.
    fn left(self, places: &Places<'_>) -> Vec<Diagnostic> {
        let told = |(node, words): (&str, &str)| {
            let (code, message) = headline(words);
            let message = if message.is_empty() { "the test failed" } else { message };
            let mut diagnostic = named(Some(node), code, message);
            let file = node.split("::").next().unwrap_or(node);
            diagnostic.spans.push(places.point(file, None, Columns::Characters));
            diagnostic.raw = format!("{node} - {words}").trim_end_matches([' ', '-']).to_owned();
            diagnostic
        };
        self.entries.into_iter().flatten().map(told).collect()
    }
}

// Arguments in brackets may hold anything, the separator included.
fn node_and_words(line: &str) -> (&str, &str) {
    let bracketed = line.find('[').filter(|&at| !line[..at].contains(" - "));
    match bracketed.and_then(|_| line.find("] - ")) {
        Some(at) => (&line[..=at], &line[at + 4..]),
        None if bracketed.is_some() && line.ends_with(']') => (line, ""),
        None => line.split_once(" - ").unwrap_or((line, "")),
    }
}

// `_____ test_wrong _____`; the form of a conftest that cannot be imported has no rule.
fn section_title(line: &str) -> Option<&str> {
    if line.starts_with("ImportError while loading conftest") {
        return Some(line);
    }
    let inner = line.strip_prefix('_')?.strip_suffix('_')?;
    let title = inner.trim_matches('_').trim();
    let spaced = inner.contains("_ ") && inner.contains(" _") || inner.starts_with(' ');
    (spaced && !title.is_empty() && line.len() > title.len() + 3).then_some(title)
}

fn section_end(lines: &[&str], from: usize) -> usize {
    let ends = |line: &&str| {
        let ruled = |rule: &str| line.starts_with(rule) && line.ends_with(rule);
        ruled("====") || ruled("!!!!") || section_title(line).is_some() && !is_divider(line)
    };
    lines[from..].iter().position(ends).map_or(lines.len(), |at| from + at)
}

// In the long form frames are parted by `_ _ _ _`.
fn is_divider(line: &str) -> bool {
    line.chars().all(|character| matches!(character, '_' | ' '))
}

fn failure(title: &str, node: Option<&str>, body: &[&str], places: &Places<'_>) -> Diagnostic {
    // Captured output follows the traceback and may look like anything.
    let captured = |line: &&str| line.starts_with("-----") && line.contains(" Captured ");
    let told = &body[..body.iter().position(captured).unwrap_or(body.len())];
    let errors = last_error_block(told);
    let mut spans = frames(told, places);
    let mut diagnostic = if let Some(mut syntax) = syntax_error(&errors, places) {
        spans = std::mem::take(&mut syntax.spans);
        syntax
    } else {
        let (code, message) = headline(errors.first().map_or("", |line| line.trim()));
        let message = if message.is_empty() { code.unwrap_or("the test failed") } else { message };
        let mut diagnostic = named(None, code, message);
        let more = errors.get(1..).unwrap_or_default().join("\n");
        if !more.trim().is_empty() {
            diagnostic.notes.push(note("note", more.trim_matches('\n').trim_end()));
        }
        diagnostic
    };
    primary_first(&mut spans);
    diagnostic.spans = spans;
    let kind = if title.starts_with("ImportError while") { "note" } else { "test" };
    diagnostic.notes.push(note(kind, node.unwrap_or(title)));
    diagnostic.raw = body.join("\n").trim().to_owned();
    diagnostic
}

// The lines marked `E` that follow each other, the last such block: earlier ones led to it.
fn last_error_block<'a>(body: &[&'a str]) -> Vec<&'a str> {
    let marked = |line: &&str| line.starts_with("E ") || *line == "E";
    let Some(end) = body.iter().rposition(&marked) else { return Vec::new() };
    let start = body[..end].iter().rposition(|line| !marked(line)).map_or(0, |at| at + 1);
    let lines = body[start..=end].iter().map(|line| line[1..].strip_prefix("  ").unwrap_or(""));
    lines.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect()
}

fn syntax_error(errors: &[&str], places: &Places<'_>) -> Option<Diagnostic> {
    let starts = |line: &&str| line.trim_start().starts_with("File \"");
    let at = errors.iter().position(starts)?;
    traceback::diagnostics("pytest", &errors[at..], places).pop()
}

// `AssertionError: dicts differ`, `assert 2 == 1`, `Failed: DID NOT RAISE ValueError`.
fn headline(words: &str) -> (Option<&str>, &str) {
    if words.starts_with("assert ") {
        return (Some("AssertionError"), words);
    }
    match traceback::exception(words) {
        Some((code, message)) if code.starts_with(char::is_uppercase) => (Some(code), message),
        _ => (None, words),
    }
}

// `test_app.py:5: in divide`, or in the long form `test_app.py:5: ZeroDivisionError`.
fn frames(body: &[&str], places: &Places<'_>) -> Vec<SourceSpan> {
    let mut spans: Vec<SourceSpan> = Vec::new();
    let mut shown = false;
    for line in body {
        if let Some(span) = frame(line, places) {
            spans.push(span);
            shown = false;
        } else if let Some(last) = spans.last_mut().filter(|_| !shown) {
            let code = line.strip_prefix("    ").filter(|code| !code.trim().is_empty());
            last.line_text = code.map(str::to_owned);
            shown = true;
        }
    }
    let at = Places::own_frame(spans.iter().map(|span| span.path.as_str()));
    for (index, span) in spans.iter_mut().enumerate() {
        span.primary = index == at;
    }
    spans.reverse();
    spans
}

fn frame(line: &str, places: &Places<'_>) -> Option<SourceSpan> {
    if line.starts_with([' ', 'E', '>']) && !line.contains(".py:") {
        return None;
    }
    let (path, rest) = line.split_once(".py:")?;
    let (number, rest) = rest.split_once(':')?;
    let at = number.parse().ok()?;
    let function = rest.strip_prefix(" in ");
    let plain = rest.is_empty() || (rest.starts_with(' ') && !rest.trim().contains(' '));
    if path.starts_with(' ') || !(function.is_some() || plain) {
        return None;
    }
    let mut span = places.point(&format!("{path}.py"), Some((at, 1)), Columns::Characters);
    let named = function.filter(|name| *name != "<module>");
    span.label = named.map(|name| format!("in {name}"));
    Some(span)
}

// `ERROR: file or directory not found: x`, `ERROR: usage: …`.
fn usage_error(line: &str) -> Option<Diagnostic> {
    let words = line.strip_prefix("ERROR: ")?;
    let mut diagnostic = Diagnostic::new("pytest", Severity::Error, ErrorClass::Build, words);
    diagnostic.raw = line.to_owned();
    Some(diagnostic)
}

fn named(node: Option<&str>, code: Option<&str>, message: &str) -> Diagnostic {
    let class = classify("pytest", code, message);
    let mut diagnostic = Diagnostic::new("pytest", Severity::Error, class, message);
    diagnostic.code = code.map(str::to_owned);
    diagnostic.notes.extend(node.map(|node| note("test", node)));
    diagnostic
}

fn note(kind: &str, message: &str) -> DiagnosticNote {
    DiagnosticNote { kind: kind.to_owned(), message: message.to_owned(), spans: Vec::new() }
}
