//! Python's tracebacks and syntax errors.
//!
//! In: `Traceback (most recent call last):`, or the `File "…"` line of a syntax error. Out: one
//! diagnostic with the innermost frame of the programmer's own files. Of a chain the first
//! exception is the cause and is the diagnostic; those that were raised because of it are notes.

use super::log::{Log, is_caret, is_foreign, note, place};
use super::{Reading, State, python_group};
use crate::diagnostics::classify;
use salve_types::{Diagnostic, Severity, SourceSpan};

/// Tells whether a traceback or a syntax error begins at a line.
pub(crate) fn begins(line: &str) -> bool {
    let trimmed = line.trim_start();
    trimmed.starts_with("Traceback (most recent call last)")
        || trimmed.starts_with("File \"")
        || trimmed.starts_with("+ Exception Group Traceback")
}

/// Reads a traceback and what was raised because of it.
pub(crate) fn read(log: &Log<'_>, at: usize, state: &mut State) -> Reading {
    if log.line(at).trim_start().starts_with('+') {
        return python_group::read(log, at, state);
    }
    let first = match Raised::read(log, at) {
        Ok(first) => first,
        Err(next) => return Reading::nothing(next),
    };
    let tool = if state.test.is_some() { "unittest" } else { "python" };
    let mut diagnostic = first.diagnostic(tool);
    if let Some(test) = &state.test {
        note(&mut diagnostic, "test", test);
    }
    let mut end = first.end;
    while let Some(next) = following(log, end) {
        let Ok(raised) = Raised::read(log, next) else { break };
        note(&mut diagnostic, "then raised", raised.headline);
        end = raised.end;
    }
    diagnostic.raw = log.raw(at, end);
    Reading::one(diagnostic, end)
}

// Between two exceptions of a chain is one of two sentences.
fn following(log: &Log<'_>, end: usize) -> Option<usize> {
    let mut lines = (end..end + 6).filter(|at| !log.line(*at).trim().is_empty());
    let sentence = log.line(lines.next()?);
    let chained = sentence.starts_with("The above exception was the direct cause")
        || sentence.starts_with("During handling of the above exception");
    chained.then(|| lines.next()).flatten()
}

struct Raised<'a> {
    headline: &'a str,
    frame: Option<Frame<'a>>,
    end: usize,
}

struct Frame<'a> {
    path: &'a str,
    line: u32,
    function: Option<&'a str>,
    source: Option<&'a str>,
}

impl<'a> Raised<'a> {
    // Without an exception at its end there is nothing to sign; then the line after the last frame
    // is returned, so that no frame is read twice.
    fn read(log: &Log<'a>, at: usize) -> Result<Self, usize> {
        let indent = indentation(log.line(at));
        let bare = log.line(at).trim_start().starts_with("File \"");
        let mut line = if bare { at } else { at + 1 };
        let (mut own, mut last) = (None, None);
        let (mut strangers, mut after_frames) = (0, at + 1);
        while line < log.len() {
            let text = log.line(line);
            if let Some(mut frame) = Frame::read(text) {
                let source = log.line(line + 1);
                let shown = indentation(source) > indentation(text)
                    && !source.trim().is_empty()
                    && Frame::read(source).is_none();
                frame.source = shown.then(|| source.trim());
                line += 1 + usize::from(shown);
                after_frames = line;
                // The innermost frame is the last; one in a library is taken only when all are.
                if is_foreign(frame.path) || frame.path.starts_with('<') {
                    last = Some(frame);
                } else {
                    own = Some(frame);
                }
                continue;
            }
            let shallow = indentation(text) <= indent;
            if shallow && is_exception(text.trim()) {
                return Ok(Self { headline: text.trim(), frame: own.or(last), end: line + 1 });
            }
            let belongs = text.trim().is_empty() || is_caret(text) || !shallow;
            strangers += usize::from(!belongs);
            // A syntax error is short; a traceback may be torn by lines of other processes.
            if strangers > 3 || (bare && line > after_frames + 6) || begins(text) && !bare {
                return Err(after_frames);
            }
            line += 1;
        }
        Err(after_frames)
    }

    fn diagnostic(&self, tool: &str) -> Diagnostic {
        let mut diagnostic = raised(tool, self.headline);
        if let Some(frame) = &self.frame {
            let mut span: SourceSpan = place(frame.path, Some(frame.line), None);
            span.line_text = frame.source.filter(|_| !is_foreign(frame.path)).map(str::to_owned);
            diagnostic.spans.push(span);
            if let Some(function) = frame.function {
                note(&mut diagnostic, "function", function);
            }
        }
        diagnostic
    }
}

/// Makes a diagnostic of an exception's line.
pub(crate) fn raised(tool: &str, headline: &str) -> Diagnostic {
    let (name, message) = headline.split_once(": ").unwrap_or((headline.trim_end_matches(':'), ""));
    let code = name.rsplit('.').next().unwrap_or(name);
    let mut diagnostic =
        Diagnostic::new(tool, Severity::Error, classify(tool, Some(code), message), message);
    diagnostic.code = Some(code.to_owned());
    diagnostic.raw = headline.to_owned();
    diagnostic
}

impl<'a> Frame<'a> {
    fn read(line: &'a str) -> Option<Self> {
        let (path, rest) = line.trim_start().strip_prefix("File \"")?.split_once('"')?;
        let rest = rest.strip_prefix(", line ")?;
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let function = rest[digits..].strip_prefix(", in ");
        Some(Self { path, line: rest[..digits].parse().ok()?, function, source: None })
    }
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Tells whether a line is an exception's: `ValueError: …`, `pkg.Error`, `KeyboardInterrupt`.
pub(crate) fn is_exception(line: &str) -> bool {
    let name = line.split(": ").next().unwrap_or(line).trim_end_matches(':');
    let last = name.rsplit('.').next().unwrap_or(name);
    let words = |text: &str| {
        text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'))
    };
    let known = ["Error", "Exception", "Interrupt", "Exit", "Warning", "Iteration", "Group"]
        .iter()
        .any(|end| last.ends_with(end));
    let level = matches!(
        last,
        "INFO" | "DEBUG" | "WARNING" | "ERROR" | "CRITICAL" | "TRACE" | "WARN" | "FATAL"
    );
    !name.is_empty()
        && name.len() < 200
        && words(name)
        && !level
        && last.starts_with(|letter: char| letter.is_ascii_uppercase())
        && (known || line.contains(": ") || name.contains('.'))
}
