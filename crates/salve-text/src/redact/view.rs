//! A window on a text that may still grow.
//!
//! In: the bytes that have come so far. Out: bytes, and whether someone asked for one that has not
//! come yet. Never answers a question about bytes to come by guessing: a verdict that touched the
//! edge is void, and is asked again when there is more. That is what makes every chunking alike.

use std::cell::Cell;

/// How far back a colour's sequence may begin.
const COLOUR: usize = 84;

/// How much of the output must stay visible for the questions about what is before a place.
pub(super) const CONTEXT: usize = COLOUR + 4;

/// The bytes so far, with a memory of whether their end was touched.
pub(super) struct View<'t> {
    bytes: &'t [u8],
    /// Bytes before this place were replaced or are gone.
    floor: usize,
    whole: bool,
    starved: Cell<bool>,
}

impl<'t> View<'t> {
    pub(super) const fn new(text: &'t str, floor: usize, whole: bool) -> Self {
        Self { bytes: text.as_bytes(), floor, whole, starved: Cell::new(false) }
    }

    /// Returns the byte at a place, or `None` past the end of the whole text.
    ///
    /// Past the end of what has come, the answer is `None` too, and the view is starved.
    pub(super) fn byte(&self, at: usize) -> Option<u8> {
        let byte = self.bytes.get(at).copied();
        if byte.is_none() && !self.whole {
            self.starved.set(true);
        }
        byte
    }

    /// Returns the byte `back` places before `at` as the reader of the output sees it.
    ///
    /// What was replaced before reads as the bracket that closes its marker.
    pub(super) fn before(&self, at: usize, back: usize) -> u8 {
        match at.checked_sub(back) {
            Some(place) if place >= self.floor => self.bytes.get(place).copied().unwrap_or(b']'),
            _ => b']',
        }
    }

    /// Returns whether the text goes on with `wanted` at a place.
    pub(super) fn starts_with(&self, at: usize, wanted: &str) -> bool {
        wanted.bytes().enumerate().all(|(offset, byte)| self.byte(at + offset) == Some(byte))
    }

    /// Returns the bytes from `start` to `end`, as far as they have come.
    pub(super) fn slice(&self, start: usize, end: usize) -> &'t [u8] {
        self.bytes.get(start..end.min(self.bytes.len())).unwrap_or_default()
    }

    /// Returns whether the end was touched since the last call.
    pub(super) fn take_starved(&self) -> bool {
        self.starved.take()
    }

    /// Returns whether the end was touched.
    pub(super) fn is_starved(&self) -> bool {
        self.starved.get()
    }

    /// Returns whether a token may start here: not in the middle of a word, and not with the letter
    /// of an escape.
    pub(super) fn token_may_start(&self, at: usize) -> bool {
        let one = self.before(at, 1);
        if one == b'\\' {
            let escapes =
                matches!(self.byte(at), Some(b'n' | b'r' | b't' | b'b' | b'f' | b'u' | b'x'));
            return !escapes || self.before(at, 2) == b'\\';
        }
        !one.is_ascii_alphanumeric() || self.follows_escape(at)
    }

    /// Returns whether an escape ends here: the letter of `\n`, the digits of `%20`, `\x20`, `\040` and
    /// `\u0020`, and the end of a colour's sequence do not belong to what follows.
    pub(super) fn follows_escape(&self, at: usize) -> bool {
        let back = |count| self.before(at, count);
        let hex = |count| (1..=count).all(|place| back(place).is_ascii_hexdigit());
        let octal = (1..=3).all(|place| matches!(back(place), b'0'..=b'7'));
        (back(2) == b'\\'
            && matches!(back(1), b'0' | b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v'))
            || (hex(2) && (back(3) == b'%' || (back(3) == b'x' && back(4) == b'\\')))
            || (octal && back(4) == b'\\')
            || (matches!(back(5), b'u' | b'U') && back(6) == b'\\' && hex(4))
            || (back(1) == b'm' && self.follows_colour(at))
    }

    // `ESC [ 1 ; 31 m`, with the escape character itself or as a text writes it.
    fn follows_colour(&self, at: usize) -> bool {
        let opening =
            (2..COLOUR).find(|&back| !matches!(self.before(at, back), b'0'..=b'9' | b';'));
        opening.is_some_and(|back| {
            let escape = self.before(at, back + 1);
            self.before(at, back) == b'[' && matches!(escape, 0x1B | b'b' | b'B' | b'e' | b'3')
        })
    }
}
