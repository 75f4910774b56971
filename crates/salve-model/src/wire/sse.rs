//! Server-sent events, byte for byte.
//!
//! In: the bytes of a stream in any pieces. Out: frames that keep the bytes they were made of. Never
//! copies a frame that arrived in one piece, never looks at a byte twice.

use bytes::Bytes;

/// One event of a stream.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SseFrame {
    /// The bytes as they came, the blank line at the end included.
    pub raw: Bytes,
    /// The event's name, if it has one.
    pub event: Option<String>,
    /// The data lines, joined by line breaks; empty for a comment.
    pub data: Bytes,
}
