//! A file's text with every byte accounted for.
//!
//! In: the bytes of a file. Out: its text, its lines with the terminator each of them really has,
//! and the way back to bytes in the same encoding with the same byte order mark. Never: a lossy
//! decoding; what does not come back byte for byte is refused.

use chardetng::EncodingDetector;
use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};
use memchr::{memchr, memchr_iter};
use std::ops::Range;

/// The text of a file and what is needed to write it back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileText {
    text: String,
    form: Form,
    lines: Vec<Line>,
}

/// Why bytes are no text that Salve edits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unreadable {
    /// The content is not text.
    #[error(
        "the file is binary: byte {at} is a control character; edit it with the tool that made it"
    )]
    Binary {
        /// Offset of the first byte that text does not have.
        at: usize,
    },
    /// The bytes do not survive decoding and encoding.
    #[error(
        "the file is not valid {encoding} and would not come back byte for byte; convert it to UTF-8 first"
    )]
    Undecodable {
        /// The encoding that fitted best.
        encoding: &'static str,
    },
    /// The new text has a character that the file's encoding lacks.
    #[error(
        "{character:?} cannot be written in {encoding}, the encoding of this file; use another character or convert the file to UTF-8 first"
    )]
    Unencodable {
        /// The first such character.
        character: char,
        /// The file's encoding.
        encoding: &'static str,
    },
}

/// How the bytes carry the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Utf8 { bom: bool },
    Utf16 { little: bool },
    Legacy(&'static Encoding),
}

/// One line: where its content begins and ends, and where the next line begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Line {
    start: usize,
    end: usize,
    next: usize,
}

impl FileText {
    /// Reads bytes as text, or says why they are none.
    pub fn read(bytes: &[u8]) -> Result<Self, Unreadable> {
        let (text, form) = decode(bytes)?;
        if let Some(at) = first_binary(text.as_bytes()) {
            return Err(Unreadable::Binary { at });
        }
        let lines = split_lines(&text);
        Ok(Self { text, form, lines })
    }

    /// Takes a text that is UTF-8 without a byte order mark, whatever it holds.
    pub(crate) fn plain(text: String) -> Self {
        let lines = split_lines(&text);
        Self { text, form: Form::Utf8 { bom: false }, lines }
    }

    /// Returns the text without its byte order mark.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Writes a text in the encoding of this file, with its byte order mark.
    pub fn encode(&self, new_text: &str) -> Result<Vec<u8>, Unreadable> {
        encode(new_text, self.form)
    }

    /// Returns the number of lines; an empty text has none.
    pub fn line_count(&self) -> usize {
        self.lines.len()
    }

    /// Returns a line without its terminator, counted from 0; nothing past the end.
    pub fn line(&self, index: usize) -> &str {
        self.lines.get(index).map_or("", |line| &self.text[line.start..line.end])
    }

    /// Returns the terminator of a line; empty for a last line that has none.
    pub fn terminator(&self, index: usize) -> &str {
        self.lines.get(index).map_or("", |line| &self.text[line.end..line.next])
    }

    /// Returns the lines without their terminators.
    pub fn lines(&self) -> impl ExactSizeIterator<Item = &str> {
        self.lines.iter().map(|line| &self.text[line.start..line.end])
    }

    /// Tells whether the last line has a terminator; an empty text counts as ended.
    pub fn ends_with_newline(&self) -> bool {
        self.lines.last().is_none_or(|line| line.end < line.next)
    }

    /// Returns the offset at which a line begins; the length of the text past the end.
    pub(crate) fn line_start(&self, index: usize) -> usize {
        self.lines.get(index).map_or(self.text.len(), |line| line.start)
    }

    /// Returns the lines, counted from 0, that a range of bytes touches.
    pub(crate) fn lines_of(&self, range: &Range<usize>) -> Range<usize> {
        let first = self.lines.partition_point(|line| line.next <= range.start);
        let last = self.lines.partition_point(|line| line.start < range.end);
        first..last.max(first)
    }

    /// Returns the terminator a new line beside this one takes: its own, that of the nearest line
    /// above, that of the nearest below, and a line feed in a file without any.
    pub(crate) fn terminator_near(&self, index: usize) -> &str {
        let above = (0..=index.min(self.lines.len())).rev().map(|index| self.terminator(index));
        let below = (index..self.lines.len()).map(|index| self.terminator(index));
        // Only the last line can lack a terminator, so that both walks end at once.
        above.chain(below).find(|terminator| !terminator.is_empty()).unwrap_or("\n")
    }
}

fn decode(bytes: &[u8]) -> Result<(String, Form), Unreadable> {
    let (body, form) = match bytes {
        [0xEF, 0xBB, 0xBF, body @ ..] => (body, Form::Utf8 { bom: true }),
        [0xFF, 0xFE, body @ ..] => (body, Form::Utf16 { little: true }),
        [0xFE, 0xFF, body @ ..] => (body, Form::Utf16 { little: false }),
        body => (body, Form::Utf8 { bom: false }),
    };
    let encoding = match form {
        Form::Utf8 { .. } => match std::str::from_utf8(body) {
            Ok(text) => return Ok((text.to_owned(), form)),
            Err(_) => guess(bytes)?,
        },
        Form::Utf16 { little: true } => UTF_16LE,
        Form::Utf16 { .. } => UTF_16BE,
        Form::Legacy(encoding) => encoding,
    };
    let form = if matches!(form, Form::Utf8 { .. }) { Form::Legacy(encoding) } else { form };
    let body = if matches!(form, Form::Legacy(_)) { bytes } else { body };
    let undecodable = || Unreadable::Undecodable { encoding: encoding.name() };
    let text = encoding
        .decode_without_bom_handling_and_without_replacement(body)
        .ok_or_else(undecodable)?
        .into_owned();
    if encode(&text, form).is_ok_and(|again| again == bytes) {
        Ok((text, form))
    } else {
        Err(undecodable())
    }
}

fn guess(bytes: &[u8]) -> Result<&'static Encoding, Unreadable> {
    if let Some(at) = memchr(0, bytes) {
        return Err(Unreadable::Binary { at });
    }
    let mut detector = EncodingDetector::new();
    detector.feed(bytes, true);
    Ok(detector.guess(None, false))
}

fn encode(text: &str, form: Form) -> Result<Vec<u8>, Unreadable> {
    match form {
        Form::Utf8 { bom: false } => Ok(text.as_bytes().to_vec()),
        Form::Utf8 { bom: true } => Ok([b"\xEF\xBB\xBF", text.as_bytes()].concat()),
        Form::Utf16 { little } => {
            let bytes = |unit: u16| if little { unit.to_le_bytes() } else { unit.to_be_bytes() };
            Ok(std::iter::once(0xFEFF).chain(text.encode_utf16()).flat_map(bytes).collect())
        }
        Form::Legacy(encoding) => {
            let (bytes, _, lossy) = encoding.encode(text);
            if !lossy {
                return Ok(bytes.into_owned());
            }
            let lost = |character: &char| encoding.encode(character.encode_utf8(&mut [0; 4])).2;
            let character = text.chars().find(lost).unwrap_or(char::REPLACEMENT_CHARACTER);
            Err(Unreadable::Unencodable { character, encoding: encoding.name() })
        }
    }
}

// Form feeds and escapes stand in real sources; other control characters in binaries only.
fn is_binary(byte: u8) -> bool {
    matches!(byte, 0..=0x06 | 0x0E..=0x1A | 0x1C..=0x1F)
}

// Whole chunks first: without an early end inside, the machine looks at many bytes at once.
fn first_binary(bytes: &[u8]) -> Option<usize> {
    const CHUNK: usize = 256;
    let holds = |chunk: &[u8]| chunk.iter().fold(false, |found, &byte| found | is_binary(byte));
    let chunk = bytes.chunks(CHUNK).position(holds)? * CHUNK;
    bytes[chunk..].iter().position(|&byte| is_binary(byte)).map(|at| chunk + at)
}

fn split_lines(text: &str) -> Vec<Line> {
    let bytes = text.as_bytes();
    // A carriage return alone ends a line only where nothing else does.
    let feed = if memchr(b'\n', bytes).is_some() { b'\n' } else { b'\r' };
    let mut lines = Vec::with_capacity(text.len() / 32 + 1);
    let mut start = 0;
    for at in memchr_iter(feed, bytes) {
        let before = bytes.get(at.wrapping_sub(1));
        let end = if feed == b'\n' && at > start && before == Some(&b'\r') { at - 1 } else { at };
        lines.push(Line { start, end, next: at + 1 });
        start = at + 1;
    }
    if start < text.len() {
        lines.push(Line { start, end: text.len(), next: text.len() });
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn utf16(text: &str, little: bool) -> Vec<u8> {
        let units = std::iter::once(0xFEFF).chain(text.encode_utf16());
        units.flat_map(|u: u16| if little { u.to_le_bytes() } else { u.to_be_bytes() }).collect()
    }

    #[test]
    fn lines_carry_their_own_terminators() {
        let text = FileText::read(b"a\r\nb\n\nc\r\r\nd").expect("text");
        let lines: Vec<_> = (0..text.line_count())
            .map(|index| (text.line(index), text.terminator(index)))
            .collect();
        assert_eq!(lines, [("a", "\r\n"), ("b", "\n"), ("", "\n"), ("c\r", "\r\n"), ("d", "")]);
        assert!(!text.ends_with_newline());
        let mac = FileText::read(b"a\rb\r").expect("text");
        assert_eq!((mac.line_count(), mac.line(1), mac.terminator(1)), (2, "b", "\r"));
        let empty = FileText::read(b"").expect("text");
        assert_eq!((empty.line_count(), empty.line(0), empty.terminator_near(0)), (0, "", "\n"));
    }

    #[test]
    fn encodings_and_marks_come_back_byte_for_byte() {
        let latin: Vec<u8> = b"na\xEFve caf\xE9, d\xE9j\xE0 vu: r\xE9sum\xE9\r\n".to_vec();
        let cases = [
            b"plain\n".to_vec(),
            b"\xEF\xBB\xBFusing System;\r\n".to_vec(),
            utf16("using System;\r\n\u{1F600}", true),
            utf16("using System;\n", false),
            latin,
            encoding_rs::SHIFT_JIS
                .encode("日本語のテキストです。\n設定を読み込みます。\n")
                .0
                .into_owned(),
        ];
        for bytes in cases {
            let text = FileText::read(&bytes).expect("text");
            assert!(!text.text().starts_with('\u{FEFF}'));
            assert_eq!(text.encode(text.text()), Ok(bytes));
        }
    }

    #[test]
    fn what_would_not_come_back_is_refused() {
        let cases: [(&[u8], bool); 6] = [
            (b"\x7fELF\x02\x01\x01\x00\x00", true),
            (b"text with a \x00 in it", true),
            (b"\x89PNG\r\n\x1a\n", true),
            (b"\xFF\xFEa\x00b", false),
            (b"\xFF\xFE\x00\xD8a\x00", false),
            (b"\xFF\xFE\x00\x00a\x00\x00\x00", true),
        ];
        for (bytes, binary) in cases {
            let refused = FileText::read(bytes).expect_err("refused");
            assert_eq!(matches!(refused, Unreadable::Binary { .. }), binary, "{refused}");
        }
        let latin = FileText::read(b"caf\xE9 cr\xE8me, d\xE9j\xE0\n").expect("text");
        let refused = latin.encode("日").expect_err("refused");
        assert!(matches!(refused, Unreadable::Unencodable { character: '日', .. }), "{refused}");
    }

    proptest! {
        #[test]
        fn whatever_is_read_is_written_back(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            if let Ok(text) = FileText::read(&bytes) {
                prop_assert_eq!(text.encode(text.text()), Ok(bytes));
            }
        }

        #[test]
        fn lines_and_terminators_make_the_text(text in "[a\r\n]{0,40}") {
            let file = FileText::plain(text.clone());
            let joined: String = (0..file.line_count())
                .map(|index| format!("{}{}", file.line(index), file.terminator(index)))
                .collect();
            prop_assert_eq!(joined, text);
        }
    }
}
