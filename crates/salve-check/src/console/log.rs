//! A tool's output as lines, without what logs add to them.
//!
//! In: text. Out: its lines, unwrapped, with the small questions that all readers ask. Never copies a
//! line that is not kept.

use super::wrapper::{container_prefix, unwrapped};
use salve_types::{Diagnostic, DiagnosticNote, Position, SourceSpan};

/// The lines of an output.
pub(crate) struct Log<'a> {
    lines: Vec<&'a str>,
}

impl<'a> Log<'a> {
    /// Splits a text that has no terminal control in it.
    pub(crate) fn new(text: &'a str) -> Self {
        Self { lines: unwrapped_lines(text) }
    }

    /// Makes a log of lines that were unwrapped already.
    pub(crate) const fn of_lines(lines: Vec<&'a str>) -> Self {
        Self { lines }
    }

    /// Returns how many lines there are.
    pub(crate) const fn len(&self) -> usize {
        self.lines.len()
    }

    /// Returns a line, empty past the end.
    pub(crate) fn line(&self, at: usize) -> &'a str {
        self.lines.get(at).copied().unwrap_or_default()
    }

    /// Returns the lines of a range joined, as people saw them.
    pub(crate) fn raw(&self, from: usize, to: usize) -> String {
        let to = to.min(self.lines.len());
        self.lines.get(from..to).unwrap_or_default().join("\n").trim_end().to_owned()
    }
}

/// Splits a text into lines and takes off what a logging system put before each.
pub(crate) fn unwrapped_lines(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = Vec::with_capacity(text.len() / 64);
    let mut rest = text;
    while let Some(end) = memchr::memchr(b'\n', rest.as_bytes()) {
        lines.push(&rest[..end]);
        rest = &rest[end + 1..];
    }
    if !rest.is_empty() {
        lines.push(rest);
    }
    if let Some(prefix) = container_prefix(&lines) {
        for line in &mut lines {
            *line = line
                .strip_prefix(prefix)
                .or_else(|| line.strip_prefix(prefix.trim_end()))
                .unwrap_or(line);
        }
    }
    for line in &mut lines {
        *line = unwrapped(line);
    }
    lines
}

/// Makes a primary place.
pub(crate) fn place(path: &str, line: Option<u32>, column: Option<u32>) -> SourceSpan {
    SourceSpan {
        path: path.to_owned(),
        start: line.map(|line| Position { line, column: column.unwrap_or(1) }),
        end: None,
        bytes: None,
        primary: true,
        label: None,
        line_text: None,
    }
}

/// Adds a note to a diagnostic.
pub(crate) fn note(diagnostic: &mut Diagnostic, kind: &str, message: &str) {
    diagnostic.notes.push(DiagnosticNote {
        kind: kind.to_owned(),
        message: message.to_owned(),
        spans: Vec::new(),
    });
}

/// A line of a tool's excerpt: `12 | code`.
pub(crate) fn gutter(line: &str) -> Option<(u32, &str)> {
    let trimmed = line.trim_start();
    let digits = trimmed.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = trimmed.split_at(digits);
    let rest = rest.trim_start_matches(' ').strip_prefix('|')?;
    Some((number.parse().ok()?, rest.strip_prefix(' ').unwrap_or(rest)))
}

/// Tells whether a line only points at the one above it: `   ^~~~`.
pub(crate) fn is_caret(line: &str) -> bool {
    let trimmed = line.trim();
    trimmed.contains(['^', '~'])
        && trimmed.bytes().all(|byte| matches!(byte, b'^' | b'~' | b'-' | b' '))
}

/// Tells whether a path is not the programmer's: a header of the system, a library's folder.
pub(crate) fn is_foreign(path: &str) -> bool {
    ["/usr/", "/lib/", "/opt/", "/rustc/", "node:", "<frozen", "internal/"]
        .iter()
        .any(|start| path.starts_with(start))
        || [
            "/site-packages/",
            "/dist-packages/",
            "/node_modules/",
            "/lib/python",
            "/.cargo/",
            "/.rustup/",
            "/libsanitizer/",
            "/sysdeps/",
        ]
        .iter()
        .any(|part| path.contains(part))
}
