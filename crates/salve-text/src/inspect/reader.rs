//! Feeds the machine from pieces of any size and keeps what the verdict needs at the end.
//!
//! In: text in pieces. Out: the machine at the end, the last bytes, the number of lines. Never holds
//! more than one block of text, and shows the machine the same distances whatever the pieces were.

use super::machine::{LOOKAHEAD, Machine, View};
use crate::detect::{LanguageHints, detect_language};
use memchr::memchr_iter;
use salve_types::Language;

/// Bytes held at most.
const BLOCK: usize = 16 * 1024;
/// Bytes of the end that the verdict may look at; more than the machine looks back.
pub(super) const TAIL: usize = 4 * 1024;

/// The state of one stream.
#[derive(Debug)]
pub(super) struct Reader {
    // Nothing until the language is known: from the caller or from the first block.
    machine: Option<Machine>,
    // The file that the text is meant for, where it may tell the language.
    path: Option<String>,
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
    pub(super) fn new(language: Option<Language>, path: Option<String>) -> Self {
        Self {
            machine: language.map(Machine::new),
            path: path.filter(|_| language.is_none()),
            buffer: Vec::with_capacity(BLOCK),
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

    /// Returns the bytes held outside the struct itself.
    pub(super) fn heap_bytes(&self) -> usize {
        self.buffer.capacity()
            + self.path.as_ref().map_or(0, String::capacity)
            + self.machine.as_ref().map_or(0, Machine::heap_bytes)
    }

    /// Ends the text and hands what was read to `conclude`.
    pub(super) fn finish<T>(self, conclude: impl FnOnce(Read<'_>) -> T) -> T {
        let Self { machine, path, buffer, base, pos, ink } = self;
        let mut machine = machine.unwrap_or_else(|| machine_for(&buffer, path.as_deref()));
        let view = View { bytes: &buffer, base, limit: buffer.len(), last: true };
        machine.run(&view, pos);
        conclude(read(machine, &buffer, base, &ink))
    }

    fn work(&mut self) {
        let limit = self.buffer.len().saturating_sub(LOOKAHEAD);
        let view = View { bytes: &self.buffer, base: self.base, limit, last: false };
        let path = self.path.as_deref();
        let machine = self.machine.get_or_insert_with(|| machine_for(&self.buffer, path));
        self.pos = machine.run(&view, self.pos);
        let gone = self.pos.saturating_sub(TAIL);
        self.buffer.drain(..gone);
        self.base += gone;
        self.pos -= gone;
    }
}

// The language by the name and the content of the first block, which is more than the detector looks at.
fn machine_for(start: &[u8], path: Option<&str>) -> Machine {
    let valid = start.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    Machine::new(detect_language(valid, &LanguageHints { path, ..LanguageHints::default() }))
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
    let from = bytes.len().saturating_sub(TAIL);
    let whole = bytes[from..].iter().take(4).position(|&byte| byte & 0xC0 != 0x80).unwrap_or(0);
    let tail = &bytes[from + whole..];
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
