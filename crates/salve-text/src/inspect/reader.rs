//! Feeds the machine from pieces of any size and keeps what the verdict needs at the end.
//!
//! In: text in pieces. Out: the machine at the end, the last bytes, the number of lines. Never holds
//! more than one block of text, and shows the machine the same distances whatever the pieces were.

use super::machine::{LOOKAHEAD, Machine, View};
use memchr::memchr_iter;
use salve_types::Language;

/// Bytes held at most.
const BLOCK: usize = 16 * 1024;
/// Bytes of the end that the verdict may look at; more than the machine looks back.
pub(super) const TAIL: usize = 4 * 1024;

/// The state of one stream.
#[derive(Debug)]
pub(super) struct Reader {
    machine: Machine,
    buffer: Vec<u8>,
    base: usize,
    pos: usize,
    ink: Ink,
}

/// What is known when a text has ended.
pub(super) struct Read<'a> {
    pub(super) machine: Machine,
    /// The last bytes of the text.
    pub(super) tail: &'a [u8],
    /// Number of bytes of the text.
    pub(super) len: usize,
    /// Number of lines from the first to the last that are not blank.
    pub(super) lines: u32,
    /// Number of the last line that is not blank.
    pub(super) last_line: u32,
}

impl Reader {
    pub(super) fn new(language: Language) -> Self {
        Self {
            machine: Machine::new(language),
            buffer: Vec::new(),
            base: 0,
            pos: 0,
            ink: Ink::default(),
        }
    }

    /// Takes the next piece.
    pub(super) fn push(&mut self, piece: &str) {
        let mut rest = piece.as_bytes();
        while !rest.is_empty() {
            let take = rest.len().min(BLOCK - self.buffer.len());
            let (now, later) = rest.split_at(take);
            self.buffer.extend_from_slice(now);
            self.ink.survey(now);
            rest = later;
            if self.buffer.len() == BLOCK {
                self.work();
            }
        }
    }

    /// Ends the text and hands what was read to `conclude`.
    pub(super) fn finish<T>(self, conclude: impl FnOnce(Read<'_>) -> T) -> T {
        let Self { mut machine, buffer, base, pos, ink } = self;
        let view = View { bytes: &buffer, base, limit: buffer.len(), last: true };
        machine.run(&view, pos);
        conclude(read(machine, &buffer, base, &ink))
    }

    fn work(&mut self) {
        let limit = self.buffer.len().saturating_sub(LOOKAHEAD);
        let view = View { bytes: &self.buffer, base: self.base, limit, last: false };
        self.pos = self.machine.run(&view, self.pos);
        let gone = self.pos.saturating_sub(TAIL);
        self.buffer.drain(..gone);
        self.base += gone;
        self.pos -= gone;
    }
}

/// Reads a text that is there as a whole, without copying it.
pub(super) fn read_whole(text: &str, language: Language) -> Read<'_> {
    let bytes = text.as_bytes();
    let mut machine = Machine::new(language);
    let mut ink = Ink::default();
    ink.survey(bytes);
    machine.run(&View { bytes, base: 0, limit: bytes.len(), last: true }, 0);
    read(machine, bytes, 0, &ink)
}

fn read<'a>(machine: Machine, bytes: &'a [u8], base: usize, ink: &Ink) -> Read<'a> {
    let tail = &bytes[bytes.len().saturating_sub(TAIL)..];
    let first = ink.first.unwrap_or(0);
    let lines = ink.last.saturating_sub(first) + u32::from(ink.first.is_some());
    Read { machine, tail, len: base + bytes.len(), lines, last_line: ink.last + 1 }
}

/// Where the text that is not blank begins and ends, in lines.
#[derive(Debug, Default)]
struct Ink {
    newlines: u32,
    first: Option<u32>,
    last: u32,
}

impl Ink {
    fn survey(&mut self, piece: &[u8]) {
        let count =
            |bytes: &[u8]| u32::try_from(memchr_iter(b'\n', bytes).count()).unwrap_or(u32::MAX - 1);
        if let Some(end) = piece.iter().rposition(|byte| !byte.is_ascii_whitespace()) {
            if self.first.is_none() {
                let start = piece.iter().position(|byte| !byte.is_ascii_whitespace());
                self.first = Some(self.newlines + count(&piece[..start.unwrap_or(0)]));
            }
            self.last = self.newlines.saturating_add(count(&piece[..end]));
        }
        self.newlines = self.newlines.saturating_add(count(piece));
    }
}
