//! Counts lines and columns of a text that passes by in pieces.
//!
//! In: the bytes, in order. Out: the line and column of any offset that is still in sight. Never
//! looks at a byte twice on its way forward.

use memchr::{memchr_iter, memrchr};

/// A place in the text and the number of lines and characters before it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lines {
    /// Offset up to which everything is counted.
    counted: usize,
    line: u32,
    column: u32,
}

impl Lines {
    pub(super) const fn new() -> Self {
        Self { counted: 0, line: 1, column: 1 }
    }

    /// Counts on to `offset`; `bytes` begin at offset `base`.
    pub(super) fn advance(&mut self, bytes: &[u8], base: usize, offset: usize) {
        let from = self.counted.saturating_sub(base).min(bytes.len());
        let to = offset.saturating_sub(base).clamp(from, bytes.len());
        let piece = &bytes[from..to];
        match memrchr(b'\n', piece) {
            Some(last) => {
                self.line = self.line.saturating_add(number(memchr_iter(b'\n', piece).count()));
                self.column = 1 + characters(&piece[last + 1..]);
            }
            None => self.column = self.column.saturating_add(characters(piece)),
        }
        self.counted = base + to;
    }

    /// Returns line and column of `offset`, from 1, and remembers how far it counted.
    pub(super) fn place(&mut self, bytes: &[u8], base: usize, offset: usize) -> (u32, u32) {
        if offset >= self.counted {
            self.advance(bytes, base, offset);
            return (self.line, self.column);
        }
        let before = &bytes[..offset.saturating_sub(base).min(bytes.len())];
        let passed = &bytes[before.len()..self.counted.saturating_sub(base).min(bytes.len())];
        let line = self.line.saturating_sub(number(memchr_iter(b'\n', passed).count()));
        let start = memrchr(b'\n', before).map_or(0, |at| at + 1);
        (line, 1 + characters(&before[start..]))
    }
}

// Continuation bytes are not characters; counting the others counts characters.
fn characters(bytes: &[u8]) -> u32 {
    number(bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count())
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX - 1)
}
