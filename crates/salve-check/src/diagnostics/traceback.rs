//! Tracebacks of Python, as the interpreter writes them.
//!
//! In: lines. Out: each traceback with its frames, its exception and the exceptions it came from;
//! syntax errors, which have a place and no frames, are the same thing. Never recurses.

use super::classify;
use super::places::{Columns, Places, characters, number};
use salve_types::{Diagnostic, DiagnosticNote, Position, Severity, SourceSpan};

/// Reads every traceback in `lines` as said by `tool`.
pub(super) fn diagnostics(tool: &str, lines: &[&str], places: &Places<'_>) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    let mut chained = false;
    let mut at = 0;
    while at < lines.len() {
        let (one, end) = traceback(tool, lines, at, places);
        if let Some(one) = one {
            match found.last_mut().filter(|_| chained) {
                // The first exception is the cause; the others were raised because of it.
                Some(cause) => {
                    let code = one.code.as_deref().unwrap_or("Exception");
                    let message = format!("{code}: {}", one.message);
                    cause.raw.push_str("\n\n");
                    cause.raw.push_str(&one.raw);
                    let spans = one.spans;
                    cause.notes.push(DiagnosticNote { kind: "then raised".into(), message, spans });
                }
                None => found.push(one),
            }
            chained = false;
            at = end;
            continue;
        }
        if lines[at].starts_with("The above exception was the direct cause")
            || lines[at].starts_with("During handling of the above exception")
        {
            chained = true;
        } else if let Some(sorry) = lines[at].strip_prefix("Sorry: ") {
            found.extend(one_line(tool, sorry, places));
        }
        at = end.max(at + 1);
    }
    found
}

// A frame or the text of a syntax error: `  File "x.py", line 3, in main`.
struct Frame {
    span: SourceSpan,
    has_function: bool,
}

// Reads the traceback that starts at `start`, if one does; returns where to go on, too.
fn traceback(
    tool: &str,
    lines: &[&str],
    start: usize,
    places: &Places<'_>,
) -> (Option<Diagnostic>, usize) {
    let headed = lines[start].trim_start().starts_with("Traceback (most recent call last)");
    let mut at = start + usize::from(headed);
    let mut frames: Vec<Frame> = Vec::new();
    while let Some(line) = lines.get(at) {
        if let Some(frame) = frame(line, places) {
            frames.push(frame);
        } else if line.starts_with("    ") && !frames.is_empty() {
            shown(line, frames.last_mut(), places);
        } else if !line.starts_with("  ") || frames.is_empty() {
            break;
        }
        at += 1;
    }
    let told = lines.get(at).filter(|_| headed || !frames.is_empty());
    // Frames that end in no exception were cut or are something else: passed over as a whole.
    let Some((code, words)) = told.and_then(|line| exception(line)) else { return (None, at) };
    let end = message_end(lines, at + 1);
    let mut diagnostic =
        Diagnostic::new(tool, Severity::Error, classify(tool, Some(code), words), words);
    diagnostic.code = Some(code.to_owned());
    diagnostic.raw = lines[start..end].join("\n").trim_end().to_owned();
    diagnostic.spans = in_order(frames);
    let more = lines[at + 1..end].join("\n");
    if !more.trim().is_empty() {
        let message = more.trim().to_owned();
        diagnostic.notes.push(DiagnosticNote { kind: "note".into(), message, spans: Vec::new() });
    }
    (Some(diagnostic), end)
}

// The innermost frame of the project is where it is wrong; the others tell how it got there.
fn in_order(frames: Vec<Frame>) -> Vec<SourceSpan> {
    // The place of a syntax error has no function and is always the one.
    let syntax = frames.iter().rposition(|frame| !frame.has_function);
    let at = syntax
        .unwrap_or_else(|| Places::own_frame(frames.iter().map(|frame| frame.span.path.as_str())));
    let mut spans: Vec<SourceSpan> = frames.into_iter().map(|frame| frame.span).collect();
    for (index, span) in spans.iter_mut().enumerate() {
        span.primary = index == at;
    }
    // Innermost first, as people read for the cause.
    spans.reverse();
    super::places::primary_first(&mut spans);
    spans
}

fn frame(line: &str, places: &Places<'_>) -> Option<Frame> {
    let rest = line.trim_start().strip_prefix("File \"")?;
    let (path, rest) = rest.split_once("\", line ")?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let line: u32 = rest.get(..digits)?.parse().ok()?;
    let function = rest[digits..].strip_prefix(", in ");
    let mut span = places.point(path, Some((line, 1)), Columns::Characters);
    span.label = function.filter(|name| *name != "<module>").map(|name| format!("in {name}"));
    Some(Frame { span, has_function: function.is_some() })
}

// The source line of a frame, indented by four, or the markers below it.
fn shown(line: &str, frame: Option<&mut Frame>, places: &Places<'_>) {
    let Some(span) = frame.map(|frame| &mut frame.span) else { return };
    let text = &line[4..];
    let Some(printed) = span.line_text.clone() else {
        span.line_text = Some(text.to_owned());
        return;
    };
    let marker = |character: char| matches!(character, '^' | '~' | ' ');
    let Some(first) = text.find(['^', '~']).filter(|_| text.chars().all(marker)) else { return };
    let marks = text.trim_end().len() - first;
    let Some(start) = span.start else { return };
    // The interpreter prints the line without its indentation, which only the file knows.
    let source = places.text(&span.path);
    let indentation = source.as_ref().and_then(|text| {
        let line = text.line(start.line)?;
        Some(line.chars().take_while(|character| character.is_whitespace()).count())
    });
    let printed_indent = printed.chars().take_while(|character| character.is_whitespace()).count();
    let before = indentation.unwrap_or(0).saturating_sub(printed_indent);
    let Some(column) = characters(&printed, number(first).saturating_add(1), Columns::Characters)
    else {
        return;
    };
    let column = column.saturating_add(number(before));
    span.start = Some(Position { line: start.line, column });
    let end = column.saturating_add(number(marks));
    span.end = Some(Position { line: start.line, column: end });
}

/// Splits `ValueError: bad value` into the exception and its message.
pub(super) fn exception(line: &str) -> Option<(&str, &str)> {
    let (name, words) = match line.split_once(": ") {
        Some((name, words)) => (name, words),
        None => (line.trim_end().trim_end_matches(':'), ""),
    };
    let named = !name.is_empty()
        && name.starts_with(|first: char| first.is_alphabetic() || first == '_')
        && name.chars().all(|one| one.is_alphanumeric() || one == '_' || one == '.');
    let last = name.rsplit('.').next().unwrap_or(name);
    named.then_some((last, words.trim()))
}

// A message may have more lines; it ends at a blank line or at the next traceback.
fn message_end(lines: &[&str], from: usize) -> usize {
    let ends = |line: &&str| {
        line.trim().is_empty()
            || line.starts_with("Traceback (")
            || line.starts_with("  File \"")
            || line.starts_with("*** Error")
            || line.starts_with("Sorry: ")
            || line.starts_with("=====")
            || line.starts_with("-----")
    };
    lines[from..].iter().position(ends).map_or(lines.len(), |at| from + at)
}

// `IndentationError: expected an indented block (x.py, line 2)`, all that py_compile says of it.
fn one_line(tool: &str, line: &str, places: &Places<'_>) -> Option<Diagnostic> {
    let (code, words) = exception(line)?;
    let place = words.strip_suffix(')').and_then(|rest| rest.rsplit_once(" ("));
    let place = place.and_then(|(words, place)| {
        let (path, line) = place.rsplit_once(", line ")?;
        Some((words, path, line.parse::<u32>().ok()?))
    });
    let words = place.map_or(words, |(words, ..)| words);
    let mut diagnostic =
        Diagnostic::new(tool, Severity::Error, classify(tool, Some(code), words), words);
    diagnostic.code = Some(code.to_owned());
    diagnostic.raw = line.to_owned();
    diagnostic.spans.extend(
        place.map(|(_, path, line)| places.point(path, Some((line, 1)), Columns::Characters)),
    );
    Some(diagnostic)
}
