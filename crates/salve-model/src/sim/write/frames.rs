//! The frames of a stream in one buffer.
//!
//! In: events, one after the other. Out: their bytes and where each ends. Never a frame that is cut:
//! that is done to the bytes later.

use serde_json::Value;

/// A stream, frame by frame.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Frames {
    /// All frames, one after the other.
    pub bytes: Vec<u8>,
    /// Where each frame ends.
    pub ends: Vec<usize>,
    /// How many frames come before the one that announces an end: what has been heard when a
    /// connection breaks after the last word.
    pub words: usize,
}

impl Frames {
    /// Returns the frames one by one.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.bytes[start..end])
    }

    /// Adds a frame with data only.
    pub(super) fn data(&mut self, data: &[u8]) {
        self.bytes.extend_from_slice(b"data: ");
        self.bytes.extend_from_slice(data);
        self.end();
    }

    /// Adds a frame with a name; the name is the data's `type`.
    pub(super) fn event(&mut self, data: &Value) {
        let name = data.get("type").and_then(Value::as_str).unwrap_or_default();
        self.named(name, data.to_string().as_bytes());
    }

    /// Adds a frame with a name.
    pub(super) fn named(&mut self, name: &str, data: &[u8]) {
        self.bytes.extend_from_slice(b"event: ");
        self.bytes.extend_from_slice(name.as_bytes());
        self.bytes.extend_from_slice(b"\ndata: ");
        self.bytes.extend_from_slice(data);
        self.end();
    }

    /// Notes that everything after this announces the end.
    pub(super) fn words_end(&mut self) {
        self.words = self.ends.len();
    }

    fn end(&mut self) {
        self.bytes.extend_from_slice(b"\n\n");
        self.ends.push(self.bytes.len());
    }
}
