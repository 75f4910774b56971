//! A text as an outline: lines, and below each the lines that are indented deeper.
//!
//! In: a text and the lines of it that stand for code. Out: a tree of items. Never: an opinion on
//! what the lines mean beyond their indentation and their brackets.

use super::Unresolved;
use super::markers::{Marker, MarkerKind};

/// Deeper outlines are not resolved; recursion stays bounded.
const MAX_DEPTH: usize = 200;
/// How wide a tabulator is.
const TAB_WIDTH: usize = 4;

/// A text and its items.
#[derive(Debug)]
pub(super) struct Outline<'a> {
    pub(super) lines: Vec<&'a str>,
    pub(super) items: Vec<Item>,
    /// Blank lines at the end.
    pub(super) end_blanks: usize,
}

/// A line, or a construct of several lines with bodies between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item {
    /// The index of its first line.
    pub(super) line: usize,
    /// One past the index of its last line.
    pub(super) end: usize,
    /// How many blank lines are before it.
    pub(super) blanks: usize,
    /// How far it is indented, or would be, were it no marker written at the margin.
    pub(super) indent: usize,
    /// What it stands for, when it is a marker.
    pub(super) marker: Option<MarkerKind>,
    /// The bodies below it, each with the line that closes it.
    pub(super) parts: Vec<Part>,
}

/// A body and the line that closes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) body: Vec<Item>,
    pub(super) closer: Option<Closer>,
}

/// A line that ends a body, and perhaps opens the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Closer {
    pub(super) line: usize,
    pub(super) blanks: usize,
}

impl<'a> Outline<'a> {
    /// Reads a text.
    pub(super) fn read(text: &'a str, markers: &[Marker]) -> Result<Self, Unresolved> {
        let lines: Vec<&str> = text.lines().collect();
        let mut kinds = vec![None; lines.len()];
        for marker in markers {
            if let Some(kind) = kinds.get_mut(marker.line) {
                *kind = Some(marker.kind);
            }
        }
        let mut reader = Reader { lines: &lines, kinds: &kinds, next: 0 };
        let items = reader.level(None, 0)?;
        let end_blanks = lines.len() - items.last().map_or(0, |item| item.end);
        Ok(Self { lines, items, end_blanks })
    }
}

impl Item {
    /// Tells whether a marker is anywhere below the item.
    pub(super) fn holds_marker(&self) -> bool {
        self.marker.is_some() || self.bodies().flatten().any(Self::holds_marker)
    }

    /// Returns the bodies.
    pub(super) fn bodies(&self) -> impl Iterator<Item = &[Item]> {
        self.parts.iter().map(|part| part.body.as_slice())
    }

    /// Tells whether something is below the item.
    pub(super) fn has_body(&self) -> bool {
        self.bodies().any(|body| !body.is_empty())
    }
}

struct Reader<'a> {
    lines: &'a [&'a str],
    kinds: &'a [Option<MarkerKind>],
    next: usize,
}

impl Reader<'_> {
    /// Reads the items deeper than `above`.
    fn level(&mut self, above: Option<usize>, depth: usize) -> Result<Vec<Item>, Unresolved> {
        if depth > MAX_DEPTH {
            return Err(Unresolved::TooLarge);
        }
        let mut items = Vec::new();
        while let Some((line, indent)) = self.peek() {
            if above.is_some_and(|above| indent <= above) {
                break;
            }
            let blanks = line - self.next;
            self.next = line + 1;
            let marker = self.kinds[line];
            let parts =
                if marker.is_some() { Vec::new() } else { self.parts(line, indent, depth)? };
            items.push(Item { line, end: self.next, blanks, indent, marker, parts });
        }
        Ok(items)
    }

    /// Reads the bodies of the item at `line`.
    fn parts(&mut self, line: usize, indent: usize, depth: usize) -> Result<Vec<Part>, Unresolved> {
        let mut parts = Vec::new();
        let mut head = line;
        loop {
            let body = self.level(Some(indent), depth + 1)?;
            let closer = self.peek().filter(|(next, next_indent)| {
                *next_indent == indent
                    && self.kinds[*next].is_none()
                    && closes(self.lines[*next].trim(), self.lines[head].trim(), !body.is_empty())
            });
            let Some((next, _)) = closer else {
                if !body.is_empty() {
                    parts.push(Part { body, closer: None });
                }
                return Ok(parts);
            };
            let blanks = next - self.next;
            self.next = next + 1;
            parts.push(Part { body, closer: Some(Closer { line: next, blanks }) });
            if !opens(self.lines[next].trim()) {
                return Ok(parts);
            }
            head = next;
        }
    }

    /// Returns the next line that is not blank, and its indentation.
    fn peek(&self) -> Option<(usize, usize)> {
        let line =
            (self.next..self.lines.len()).find(|line| !self.lines[*line].trim().is_empty())?;
        Some((line, self.indent(line)))
    }

    /// Measures the indentation of a line. A marker at the margin below a line that opens a body
    /// belongs into that body, as deep as the line after it.
    fn indent(&self, line: usize) -> usize {
        let own = indent_of(self.lines[line]);
        let Some(before) = line.checked_sub(1).filter(|_| self.kinds[line].is_some()) else {
            return own;
        };
        let above = indent_of(self.lines[before]);
        let opener = self.lines[before].trim_end().ends_with(['{', '(', '[', ':']);
        if !opener || own > above || self.kinds[before].is_some() {
            return own;
        }
        let next = self.lines.iter().skip(line + 1).find(|next| !next.trim().is_empty());
        let below = next.map_or(0, |next| indent_of(next));
        let alone = self.lines[before].trim_end().ends_with(':')
            || next.is_none_or(|next| next.trim_start().starts_with(['}', ')', ']']));
        // Where nothing is deeper, the text is not indented at all, and neither is the marker.
        if below > above || alone { below.max(above + 1) } else { own }
    }
}

/// Tells whether a line belongs to the construct whose last line at its depth is `head`.
fn closes(line: &str, head: &str, has_body: bool) -> bool {
    let closer = line.starts_with(['}', ')', ']'])
        || line.starts_with("</")
        || matches!(line, "end" | "end;" | "end," | "end)" | "fi" | "done" | "esac" | "endif");
    let brace = matches!(line, "{" | "begin" | "then" | "do") && !has_body;
    brace || (closer && (has_body || opens(head)))
}

/// Tells whether a line leaves a body open.
fn opens(line: &str) -> bool {
    line.ends_with(['{', '(', '['])
        || matches!(line, "begin" | "then" | "do" | "else")
        || (line.starts_with('<') && !line.starts_with("</") && !line.ends_with("/>"))
}

/// Measures the indentation of a line.
pub(super) fn indent_of(line: &str) -> usize {
    line.chars()
        .take_while(|character| character.is_whitespace())
        .map(|character| if character == '\t' { TAB_WIDTH } else { 1 })
        .sum()
}
