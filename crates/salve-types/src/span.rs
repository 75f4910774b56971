//! Places in a text.
//!
//! In: byte offsets. Out: spans and line/column positions. Never: holds the text itself.

use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A half-open range of bytes in some text.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset just past the last byte.
    pub end: usize,
}

impl Span {
    /// Makes a span from its two offsets.
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// Returns the number of bytes covered.
    pub const fn len(self) -> usize {
        self.end - self.start
    }

    /// Returns whether no byte is covered.
    pub const fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Returns the span as a range, for slicing.
    pub const fn range(self) -> Range<usize> {
        self.start..self.end
    }
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Self {
        Self::new(range.start, range.end)
    }
}

/// A place as people count it: both numbers start at 1, columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

impl Position {
    /// Returns the position of byte `offset` in `text`, clamped to its end.
    pub fn of(text: &str, offset: usize) -> Self {
        let offset = offset.min(text.len());
        let before = &text.as_bytes()[..offset];
        let line = before.iter().filter(|&&byte| byte == b'\n').count();
        let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        // Continuation bytes are not characters; counting the others counts characters.
        let column = before[line_start..].iter().filter(|&&byte| byte & 0xC0 != 0x80).count();
        Self { line: number(line) + 1, column: number(column) + 1 }
    }
}

// A text with more than four thousand million lines keeps the last number that fits.
fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX - 1)
}
