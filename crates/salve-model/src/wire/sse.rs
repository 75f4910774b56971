//! Server-sent events, byte for byte.
//!
//! In: the bytes of a stream in any pieces. Out: frames that keep the bytes they were made of; all
//! of them together are the stream. Never copies a frame that arrived in one piece, never searches
//! a byte twice for the end of a frame, never gives other frames for another cutting.

use super::WireError;
use bytes::{Buf, Bytes};
use memchr::memchr2;
use std::collections::VecDeque;

/// One event of a stream.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SseFrame {
    /// The bytes as they came, the blank line at the end included.
    pub raw: Bytes,
    /// The event's name; empty when it has none.
    pub event: Bytes,
    /// The data lines, joined by line breaks; empty for a comment.
    pub data: Bytes,
    // Whether a line is no line of an event, or the event lost its data.
    damaged: bool,
}

impl SseFrame {
    /// Takes one frame apart, whether its blank line is there or not.
    pub fn read(raw: impl Into<Bytes>) -> Self {
        let raw = raw.into();
        let mut frame = Self::default();
        let mut lines_of_data = 0;
        let mut events = 0;
        let mut joined = Vec::new();
        let mut at = if raw.starts_with(BOM) { BOM.len() } else { 0 };
        while at < raw.len() {
            let end = memchr2(b'\n', b'\r', &raw[at..]).map_or(raw.len(), |length| at + length);
            match field(&raw[at..end]) {
                Some((b"data", value)) => {
                    lines_of_data += 1;
                    if lines_of_data == 2 {
                        joined.extend_from_slice(&frame.data);
                    }
                    if lines_of_data > 1 {
                        joined.push(b'\n');
                        joined.extend_from_slice(&raw[at + value..end]);
                    } else {
                        frame.data = raw.slice(at + value..end);
                    }
                }
                Some((b"event", value)) => {
                    events += 1;
                    frame.event = raw.slice(at + value..end);
                }
                Some((b"", _)) => {}
                Some((b"id", value)) => frame.damaged |= hides_data(&raw[at + value..end]),
                Some((b"retry", value)) => {
                    let pause = raw[at + value..end].trim_ascii();
                    frame.damaged |= !pause.iter().all(u8::is_ascii_digit);
                }
                Some(_) => frame.damaged = true,
                None => frame.damaged |= !is_ours(&raw[at..end]) && hides_data(&raw[at..end]),
            }
            at = end + 1;
        }
        if lines_of_data > 1 {
            frame.data = Bytes::from(joined);
        }
        let named = events > 0 && !HEARTBEATS.contains(&&*frame.event);
        frame.damaged |= events > 1;
        frame.damaged |= frame.data.is_empty() && (named || lines_of_data > 0);
        frame.raw = raw;
        frame
    }

    /// Makes a frame of an event's name, which may be empty, and one line of data.
    pub fn of(event: &str, data: &str) -> Self {
        let mut raw = String::with_capacity(event.len() + data.len() + 18);
        if !event.is_empty() {
            raw.extend(["event: ", event, "\n"]);
        }
        raw.extend(["data: ", data, "\n\n"]);
        Self::read(raw)
    }

    /// Returns the event's name, if it has one that is text.
    pub fn event_name(&self) -> Option<&str> {
        std::str::from_utf8(&self.event).ok().filter(|name| !name.is_empty())
    }

    /// Tells whether its lines are those of an event or a comment. A line of another kind, a second
    /// name or a name without data is what is left of an event that was damaged on its way.
    pub const fn is_sound(&self) -> bool {
        !self.damaged
    }

    /// Tells whether the blank line came that ends a frame. Without it a client waits for more.
    pub fn is_ended(&self) -> bool {
        matches!(&*self.raw, [.., b'\n', b'\n'] | [.., b'\n' | b'\r', b'\r'] | [b'\n' | b'\r'])
            || self.raw.ends_with(b"\n\r\n")
            || self.raw.ends_with(b"\r\r\n")
            || &*self.raw == b"\r\n"
    }
}

const BOM: &[u8] = b"\xEF\xBB\xBF";

// Events that some servers send without data.
const HEARTBEATS: [&[u8]; 4] = [b"ping", b"keepalive", b"keep-alive", b"heartbeat"];

// Whether a comment or an id is what is left of another line: it has the signs of JSON in it, the
// name of another line, or bytes that are no text. Comments that keep a connection alive are words.
fn hides_data(line: &[u8]) -> bool {
    const NAMES: [&[u8]; 5] = [b"ata:", b"event:", b"content_block_", b"response.", b"[DONE]"];
    let sign = |byte: &u8| b"{}\"\\".contains(byte) || byte.is_ascii_control() && *byte != b'\t';
    line.iter().any(sign)
        || NAMES.into_iter().any(|name| memchr::memmem::find(line, name).is_some())
        || std::str::from_utf8(line).is_err()
}

// The report of a gateway like this one further up is a comment with JSON in it.
fn is_ours(comment: &[u8]) -> bool {
    comment.starts_with(b": salve {") && comment.ends_with(b"}")
}

// The name of a line's field and where its value begins; none for comments.
fn field(line: &[u8]) -> Option<(&[u8], usize)> {
    match memchr::memchr(b':', line) {
        Some(0) => None,
        Some(colon) => {
            let space = usize::from(line.get(colon + 1) == Some(&b' '));
            Some((&line[..colon], colon + 1 + space))
        }
        None => Some((line, line.len())),
    }
}

/// Cuts a stream into frames.
#[derive(Debug)]
pub struct SseSplitter {
    // What was pushed and not yet given out; the first begins where the open frame goes on.
    chunks: VecDeque<Bytes>,
    // The start of the open frame, from chunks before.
    carry: Vec<u8>,
    // How far the first chunk was searched.
    searched: usize,
    end_of_line: EndOfLine,
    // Nothing but line ends since the last line end.
    line_is_empty: bool,
    limit: usize,
    too_long: bool,
}

// What the last carriage return may still mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EndOfLine {
    // Nothing is open.
    Settled,
    // The last line ended by a carriage return alone.
    Bare,
    // The last line ended by a carriage return; a line feed may belong to it.
    LineFeedMayFollow,
    // The frame is over, but a line feed may belong to its last carriage return.
    FrameWaitsForLineFeed,
}

impl Default for SseSplitter {
    fn default() -> Self {
        Self::with_limit(Self::DEFAULT_LIMIT)
    }
}

impl SseSplitter {
    /// The longest frame that is taken unless something else is said: 16 MiB.
    pub const DEFAULT_LIMIT: usize = 16 << 20;

    /// Starts a stream whose frames have at most this many bytes.
    pub fn with_limit(limit: usize) -> Self {
        Self {
            chunks: VecDeque::new(),
            carry: Vec::new(),
            searched: 0,
            end_of_line: EndOfLine::Settled,
            line_is_empty: true,
            limit,
            too_long: false,
        }
    }

    /// Takes the next bytes of the stream.
    pub fn push(&mut self, chunk: impl Into<Bytes>) {
        let chunk = chunk.into();
        if !chunk.is_empty() {
            self.chunks.push_back(chunk);
        }
    }

    /// Returns the next whole frame, or none when more bytes are needed for it.
    ///
    /// # Errors
    /// When the frame is longer than the limit; nothing of the stream can be read after that.
    pub fn next_frame(&mut self) -> Result<Option<SseFrame>, WireError> {
        loop {
            if self.too_long {
                return Err(self.error());
            }
            let Some(chunk) = self.chunks.front() else { return Ok(None) };
            match self.search(&chunk.clone()) {
                Some(end) => {
                    self.check_length(end);
                    if !self.too_long {
                        return Ok(Some(self.take(end)));
                    }
                }
                None => {
                    let end = self.chunks.front().map_or(0, Bytes::len);
                    self.check_length(end);
                    self.carry_over();
                }
            }
        }
    }

    /// Ends the stream; what is left is a frame whose blank line never came.
    pub fn finish(mut self) -> Option<SseFrame> {
        for chunk in std::mem::take(&mut self.chunks) {
            self.carry.extend_from_slice(&chunk);
        }
        (!self.carry.is_empty()).then(|| SseFrame::read(self.carry))
    }

    // Returns where the open frame ends in this chunk, or remembers how far the search came.
    fn search(&mut self, chunk: &[u8]) -> Option<usize> {
        loop {
            let next = *chunk.get(self.searched)?;
            let after = self.searched + usize::from(next == b'\n');
            match self.end_of_line {
                EndOfLine::FrameWaitsForLineFeed => return Some(after),
                EndOfLine::LineFeedMayFollow => {
                    let bare = after == self.searched;
                    self.end_of_line = if bare { EndOfLine::Bare } else { EndOfLine::Settled };
                    self.searched = after;
                    continue;
                }
                EndOfLine::Settled | EndOfLine::Bare => {}
            }
            let Some(length) = memchr2(b'\n', b'\r', &chunk[self.searched..]) else {
                self.line_is_empty = false;
                self.end_of_line = EndOfLine::Settled;
                self.searched = chunk.len();
                return None;
            };
            let blank = self.line_is_empty && length == 0;
            // The line before this one ended by a carriage return alone: so does this one.
            let bare = blank && self.end_of_line == EndOfLine::Bare;
            self.searched += length + 1;
            self.line_is_empty = true;
            let is_return = chunk[self.searched - 1] == b'\r';
            self.end_of_line = match (is_return, blank) {
                (false, _) => EndOfLine::Settled,
                (true, false) => EndOfLine::LineFeedMayFollow,
                (true, true) => EndOfLine::FrameWaitsForLineFeed,
            };
            if blank && (!is_return || bare) {
                return Some(self.searched);
            }
        }
    }

    fn take(&mut self, end: usize) -> SseFrame {
        self.searched = 0;
        self.line_is_empty = true;
        self.end_of_line = EndOfLine::Settled;
        let Some(chunk) = self.chunks.front_mut() else { return SseFrame::default() };
        let raw = if self.carry.is_empty() {
            chunk.split_to(end)
        } else {
            self.carry.extend_from_slice(&chunk[..end]);
            chunk.advance(end);
            Bytes::from(std::mem::take(&mut self.carry))
        };
        if chunk.is_empty() {
            self.chunks.pop_front();
        }
        SseFrame::read(raw)
    }

    fn carry_over(&mut self) {
        self.searched = 0;
        if let Some(chunk) = self.chunks.pop_front() {
            self.carry.extend_from_slice(&chunk);
        }
    }

    fn check_length(&mut self, end: usize) {
        self.too_long |= self.carry.len() + end > self.limit;
    }

    fn error(&self) -> WireError {
        let message = format!("a frame of the stream is longer than {} bytes", self.limit);
        WireError { message }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(chunks: &[&[u8]]) -> Vec<SseFrame> {
        let mut splitter = SseSplitter::default();
        let mut found = Vec::new();
        for chunk in chunks {
            splitter.push(Bytes::copy_from_slice(chunk));
            while let Some(frame) = splitter.next_frame().unwrap() {
                found.push(frame);
            }
        }
        found.extend(splitter.finish());
        found
    }

    fn shown(frames: &[SseFrame]) -> Vec<(String, String)> {
        let text = |bytes: &Bytes| String::from_utf8_lossy(bytes).into_owned();
        frames.iter().map(|frame| (text(&frame.event), text(&frame.data))).collect()
    }

    #[test]
    fn frames_are_what_the_standard_says() {
        let cases: &[(&str, &[(&str, &str)])] = &[
            ("data: a\n\ndata: b\n\n", &[("", "a"), ("", "b")]),
            ("event: x\r\ndata: a\r\n\r\ndata:b\r\n\r\n", &[("x", "a"), ("", "b")]),
            ("data: a\r\rdata: b\r\r", &[("", "a"), ("", "b")]),
            ("data: a\r\r\ndata: b\n\n", &[("", "a"), ("", ""), ("", "b")]),
            (": ping\n\ndata: a\n\n", &[("", ""), ("", "a")]),
            ("data: a\ndata:  b\ndata\n\n", &[("", "a\n b\n")]),
            ("\u{feff}data: a\n\n", &[("", "a")]),
            ("data: a\n\ndata: cut", &[("", "a"), ("", "cut")]),
            ("\n\ndata: a\n\n", &[("", ""), ("", ""), ("", "a")]),
            ("id: 1\nretry: 2\nevent: e\nevent: f\ndata: \u{0}\n\n", &[("f", "\u{0}")]),
            ("", &[]),
        ];
        for (stream, expected) in cases {
            let found = frames(&[stream.as_bytes()]);
            let expected: Vec<_> =
                expected.iter().map(|(e, d)| ((*e).to_owned(), (*d).to_owned())).collect();
            assert_eq!(shown(&found), expected, "{stream:?}");
            let single: Vec<&[u8]> = stream.as_bytes().chunks(1).collect();
            assert_eq!(frames(&single), found, "byte by byte: {stream:?}");
            let raw: Vec<u8> = found.iter().flat_map(|frame| frame.raw.to_vec()).collect();
            assert_eq!(raw, stream.as_bytes(), "bytes were lost");
        }
    }

    #[test]
    fn damaged_lines_are_told_from_events_and_comments() {
        let sound = [
            "data: a\n\n",
            "event: x\nid: 1\nretry: 2\ndata: a\n\n",
            ": comment\n\n",
            ": data follows\n\n",
            ":\n\n",
            ": OPENROUTER PROCESSING\n\n",
            ": ping - 2026-01-01 10:00:00.123456+00:00\n\n",
            ": salve {\"verdict\":\"whole\"}\n\n",
            "id: msg_01:5\n\n",
            "id\ndata: a\n\n",
            "event: ping\n\n",
            "\n\n",
            "data: a\ndata\n\n",
            "\u{feff}data: a\r\n\r\n",
        ];
        for frame in sound {
            assert!(frames(&[frame.as_bytes()]).iter().all(SseFrame::is_sound), "{frame:?}");
        }
        let damaged = [
            "dbta: a\n\n",
            "data {}\n\n",
            ":data: {}\n\n",
            ":ata: {}\n\n",
            ": {\"id\":1}\n\n",
            ":qx{\"id\":1}\n\n",
            ":ta:{\"id\":1}\n\n",
            ":\"NOT \"}}]}\n\n",
            ": content_block_delta\n\n",
            ": content_block_delta\n: {\"type\":\"content_block_delta\"}\n\n",
            "event: ping\n: {\"type\":\"content_block_delta\"}\n\n",
            "id: {\"id\":1}\n\n",
            "retry: {\"id\":1}\n\n",
            "retry: soon\n\n",
            "{}\n\n",
            "data:\n\n",
            "data: \n\n",
            "event: x\n\n",
            "event: xdata: {}\n\n",
            "event: x\nevent: x\ndata: a\n\n",
            "event: x\ndata: \n{}\n\n",
        ];
        for frame in damaged {
            assert!(frames(&[frame.as_bytes()]).iter().any(|it| !it.is_sound()), "{frame:?}");
        }
    }

    #[test]
    fn a_frame_in_one_chunk_is_not_copied() {
        let chunk = Bytes::from_static(b"data: first\n\nevent: e\ndata: second\n\n");
        let mut splitter = SseSplitter::default();
        splitter.push(chunk.clone());
        let inside = chunk.as_ptr_range();
        while let Some(frame) = splitter.next_frame().unwrap() {
            assert!(inside.contains(&frame.raw.as_ptr()));
            assert!(inside.contains(&frame.data.as_ptr()));
        }
    }

    #[test]
    fn a_frame_beyond_the_limit_is_an_error_after_the_frames_before_it() {
        for size in [1, 7, 4096] {
            let stream = format!("data: ok\n\ndata: {}\n\ndata: never\n\n", "x".repeat(100));
            let mut splitter = SseSplitter::with_limit(64);
            let mut outcomes = Vec::new();
            for chunk in stream.as_bytes().chunks(size) {
                splitter.push(Bytes::copy_from_slice(chunk));
                loop {
                    match splitter.next_frame() {
                        Ok(Some(frame)) => outcomes.push(Ok(frame.data)),
                        Ok(None) => break,
                        Err(error) => {
                            outcomes.push(Err(error.message));
                            break;
                        }
                    }
                }
            }
            outcomes.dedup();
            let message = "a frame of the stream is longer than 64 bytes".to_owned();
            assert_eq!(outcomes, [Ok(Bytes::from_static(b"ok")), Err(message)], "chunks of {size}");
        }
    }

    #[test]
    fn a_frame_of_eight_mebibytes_in_bytes_of_one_is_linear() {
        let mut stream = b"data: ".to_vec();
        stream.resize(8 << 20, b'x');
        stream.extend_from_slice(b"\n\n");
        let stream = Bytes::from(stream);
        let mut splitter = SseSplitter::default();
        let mut found = 0;
        for at in 0..stream.len() {
            splitter.push(stream.slice(at..=at));
            if let Some(frame) = splitter.next_frame().unwrap() {
                assert_eq!(frame.raw.len(), stream.len());
                found += 1;
            }
        }
        assert_eq!(found, 1);
    }

    #[test]
    fn only_a_blank_line_ends_a_frame() {
        let cases = [
            ("data: a\n\n", true),
            ("data: a\r\n\r\n", true),
            ("data: a\r\r", true),
            ("data: a\n\r", true),
            ("\n", true),
            ("\r\n", true),
            ("data: a\n", false),
            ("data: a\r\n", false),
            ("data: a", false),
        ];
        for (raw, ended) in cases {
            assert_eq!(
                SseFrame::read(Bytes::from_static(raw.as_bytes())).is_ended(),
                ended,
                "{raw:?}"
            );
        }
    }
}
