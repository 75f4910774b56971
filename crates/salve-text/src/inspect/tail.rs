//! The last statement: whether a text in which nothing is open still ends too early.
//!
//! In: the end of the text from the last place where nothing was open. Out: why the last statement
//! cannot be whole, or nothing. Never flags what could be the end of a real file.

use super::reader::Read;
use salve_types::{Span, TruncationKind};

/// Why the last statement is not whole.
#[derive(Debug)]
pub(super) struct Unfinished {
    pub(super) kind: TruncationKind,
    pub(super) message: String,
    pub(super) weight: f64,
    pub(super) span: Span,
    /// Line of what asks for more, if that is a block.
    pub(super) line: Option<u32>,
    pub(super) closing: String,
}

/// Looks at the last statement; `end` is where the sentinel starts in the tail, or its length.
pub(super) fn unfinished(read: &Read<'_>, end: usize) -> Option<Unfinished> {
    let _ = (read, end);
    None
}
