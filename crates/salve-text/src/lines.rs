//! Lines with their places and their indentation, and places that split no character.
//!
//! In: a text. Out: its lines as byte ranges, with and without the line break; its head. Never copies
//! text.

/// One line of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Line {
    /// Offset of its first byte.
    pub(crate) start: usize,
    /// Offset just past its last byte, before the line break.
    pub(crate) end: usize,
    /// Offset of the next line; equal to `end` when no line break follows.
    pub(crate) next: usize,
}

impl Line {
    /// Returns the line without its break.
    pub(crate) fn of(self, text: &str) -> &str {
        text.get(self.start..self.end).unwrap_or_default()
    }

    /// Returns the line break as written; empty for a last line without one.
    pub(crate) fn terminator(self, text: &str) -> &str {
        text.get(self.end..self.next).unwrap_or_default()
    }

    /// Returns whether a line break follows.
    pub(crate) const fn is_terminated(self) -> bool {
        self.end < self.next
    }
}

/// Walks over the lines of `text`; a text that ends with a line break has no empty line after it.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = Line> {
    let mut start = 0;
    text.split_inclusive('\n').map(move |piece| {
        let next = start + piece.len();
        let bare = piece.strip_suffix('\n').unwrap_or(piece);
        let bare = bare.strip_suffix('\r').unwrap_or(bare);
        let line = Line { start, end: start + bare.len(), next };
        start = next;
        line
    })
}

/// Returns the longest head of `text` that has at most `limit` bytes and splits no character.
pub(crate) fn head(text: &str, limit: usize) -> &str {
    &text[..floor_boundary(text, limit)]
}

/// Returns the last place at or before `at` that splits no character.
pub(crate) fn floor_boundary(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (0..=at).rev().find(|&place| text.is_char_boundary(place)).unwrap_or(0)
}

/// Returns the first place at or after `at` that splits no character.
pub(crate) fn ceil_boundary(text: &str, at: usize) -> usize {
    (at..=text.len()).find(|&place| text.is_char_boundary(place)).unwrap_or(text.len())
}

/// Returns the offset at which the last line of `text` starts; the end after a line break.
pub(crate) fn last_line_start(text: &str) -> usize {
    text.rfind('\n').map_or(0, |at| at + 1)
}

/// Returns the spaces and tabs a line starts with.
pub(crate) fn indent_of(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Returns the width of an indentation, with a tab as wide as four spaces.
pub(crate) fn width(indent: &str) -> i32 {
    indent.bytes().map(|byte| if byte == b'\t' { 4 } else { 1 }).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t27_lines_keep_their_places() {
        let text = "a\r\n\n  b";
        let found: Vec<&str> = lines(text).map(|line| line.of(text)).collect();
        assert_eq!(found, ["a", "", "  b"]);
        assert_eq!(lines(text).map(|line| line.next).collect::<Vec<_>>(), [3, 4, 7]);
        assert_eq!(last_line_start(text), 4);
        assert_eq!(last_line_start("a\n"), 2);
        assert_eq!(indent_of(" \tx"), " \t");
    }
}
