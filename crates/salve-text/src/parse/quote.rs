//! The kinds of quotes, and the small questions about bytes that several readers ask.
//!
//! In: bytes and a place. Out: which quote, word or white space is there. Never looks further
//! than the character at hand.

use super::repair::RepairCode as Code;

/// The kinds of quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quote {
    Double,
    Single,
    Backtick,
    /// “ ” „ ‟ « »
    RoundDouble,
    /// ‘ ’ ‚ ‛ ´
    RoundSingle,
    /// `\"` at both ends.
    Escaped,
    /// Three double quotes at both ends.
    Triple,
}

impl Quote {
    /// Whether a string that this quote opened may be closed by the other.
    pub(super) fn is_closed_by(self, other: Self) -> bool {
        match self {
            Self::Double => other == Self::Double,
            Self::Single => other == Self::Single,
            Self::Backtick => {
                matches!(other, Self::Backtick | Self::RoundSingle | Self::Single)
            }
            Self::RoundDouble => matches!(other, Self::RoundDouble | Self::Double),
            Self::RoundSingle => matches!(other, Self::RoundSingle | Self::Single),
            Self::Escaped | Self::Triple => other == Self::Double,
        }
    }

    /// The code under which this quote is repaired.
    pub(super) const fn code(self) -> Code {
        match self {
            Self::Double | Self::Single | Self::Backtick => Code::SingleQuotes,
            Self::RoundDouble | Self::RoundSingle => Code::SpecialQuotes,
            Self::Escaped => Code::EscapedQuotes,
            Self::Triple => Code::DoubledQuote,
        }
    }
}

/// The kind and length of the quote at `at`, escaped ones apart.
pub(super) fn quote_of(bytes: &[u8], at: usize) -> Option<(Quote, usize)> {
    let next = |offset: usize| bytes.get(at + offset).copied().unwrap_or(0);
    match *bytes.get(at)? {
        b'"' => Some((Quote::Double, 1)),
        b'\'' => Some((Quote::Single, 1)),
        b'`' => Some((Quote::Backtick, 1)),
        0xC2 => match next(1) {
            0xB4 => Some((Quote::RoundSingle, 2)),
            0xAB | 0xBB => Some((Quote::RoundDouble, 2)),
            _ => None,
        },
        0xE2 if next(1) == 0x80 => match next(2) {
            0x9C..=0x9F => Some((Quote::RoundDouble, 3)),
            0x98..=0x9B => Some((Quote::RoundSingle, 3)),
            _ => None,
        },
        _ => None,
    }
}

pub(super) const fn utf8_length(first: u8) -> usize {
    match first {
        0..=0x7F => 1,
        0x80..=0xDF => 2,
        0xE0..=0xEF => 3,
        _ => 4,
    }
}

pub(super) const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'-') || byte >= 0x80
}

// The end of the text in `from..to` without the white space at its end.
pub(super) fn rskip_blank(bytes: &[u8], from: usize, mut to: usize) -> usize {
    while to > from && matches!(bytes[to - 1], b' ' | b'\n' | b'\r' | b'\t') {
        to -= 1;
    }
    to
}

pub(super) fn rskip_word(bytes: &[u8], from: usize, mut to: usize) -> usize {
    while to > from && is_word(bytes[to - 1]) {
        to -= 1;
    }
    to
}
