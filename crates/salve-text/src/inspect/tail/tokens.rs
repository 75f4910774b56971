//! The tokens of the last statement, with everything between brackets or quotes as one token.
//!
//! In: a stretch of text in which nothing is open at the end. Out: words, numbers, signs, and one
//! token per string, bracket or block. Never reads a language itself: the machine does.

use super::super::machine::{Machine, View};
use super::super::stack::Kind;
use super::super::strings::is_word;
use salve_types::Language;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::inspect) enum Is {
    Word,
    Number,
    /// A string, character, regular expression, template or element.
    Literal,
    /// A closed bracket, by its opener.
    Group(u8),
    /// A closed block of keywords.
    Block,
    /// One sign; `Token::joined` tells whether it touches the one before.
    Sign(u8),
    /// A preprocessor line.
    Directive,
    /// The end of a line.
    Line,
}

/// A token of the last statement.
#[derive(Debug, Clone, Copy)]
pub(in crate::inspect) struct Token<'a> {
    pub(in crate::inspect) is: Is,
    pub(in crate::inspect) text: &'a [u8],
    /// Whether nothing is between this token and the one before.
    pub(in crate::inspect) joined: bool,
}

impl Token<'_> {
    /// Returns whether it can be where a value is.
    pub(in crate::inspect) const fn is_operand(&self) -> bool {
        matches!(self.is, Is::Word | Is::Number | Is::Literal | Is::Group(_) | Is::Block)
    }

    /// Returns whether it is this word.
    pub(in crate::inspect) fn is_word(&self, word: &[u8]) -> bool {
        self.is == Is::Word && self.text == word
    }

    /// Returns whether it is this sign.
    pub(in crate::inspect) fn is_sign(&self, sign: u8) -> bool {
        self.is == Is::Sign(sign)
    }
}

/// Reads the tokens of `bytes`.
pub(in crate::inspect) fn tokens(bytes: &[u8], language: Language) -> Vec<Token<'_>> {
    let mut machine = Machine::new(language);
    let view = View { bytes, base: 0, limit: bytes.len(), last: true };
    let mut list = Vec::new();
    let mut at = 0;
    // Where the construct that is being read began, and what it is.
    let mut outer: Option<(usize, Kind, u8)> = None;
    while at < bytes.len() {
        let next = machine.step(&view, at).max(at);
        let first = machine.stack.frames().next().copied();
        match (outer, first) {
            (None, Some(frame)) => {
                plain(bytes, at, frame.offset.clamp(at, bytes.len()), &mut list);
                let opener = bytes.get(frame.offset).copied().unwrap_or(0);
                outer = Some((frame.offset, frame.kind, opener));
            }
            (None, None) => plain(bytes, at, next.min(bytes.len()), &mut list),
            (Some((start, kind, opener)), None) => {
                push_construct(bytes, start, next.min(bytes.len()), kind, opener, &mut list);
                outer = None;
            }
            (Some(_), Some(_)) => {}
        }
        at = next;
    }
    if let Some((start, kind, opener)) = outer {
        push_construct(bytes, start, bytes.len(), kind, opener, &mut list);
    }
    list
}

fn push_construct<'a>(
    bytes: &'a [u8],
    start: usize,
    end: usize,
    kind: Kind,
    opener: u8,
    list: &mut Vec<Token<'a>>,
) {
    let is = match kind {
        // Code of PHP ends with its statement where text begins.
        Kind::Opaque if bytes[start..].starts_with(b"?>") => Is::Sign(b';'),
        Kind::LineComment | Kind::StarComment | Kind::MarkupComment | Kind::Opaque => return,
        Kind::Paren | Kind::Bracket | Kind::Brace => Is::Group(opener),
        Kind::Hole => Is::Literal,
        Kind::Block => Is::Block,
        Kind::Directive | Kind::Define => Is::Directive,
        _ => Is::Literal,
    };
    push(list, is, bytes, start, end);
}

// Splits plain code into words and signs.
fn plain<'a>(bytes: &'a [u8], from: usize, to: usize, list: &mut Vec<Token<'a>>) {
    let mut at = from;
    while at < to {
        let byte = bytes[at];
        let start = at;
        at += 1;
        if byte == b'\n' {
            push(list, Is::Line, bytes, start, at);
        } else if is_word(byte) || byte == b'$' {
            let digits = byte.is_ascii_digit();
            // The point belongs to a number unless it starts a range.
            let point = |at: usize| digits && bytes[at] == b'.' && bytes.get(at + 1) != Some(&b'.');
            while at < to && (is_word(bytes[at]) || bytes[at] == b'$' || point(at)) {
                at += 1;
            }
            let is = if digits { Is::Number } else { Is::Word };
            push(list, is, bytes, start, at);
        } else if byte == b'\''
            && to - start > 2
            && bytes[start..to].iter().skip(1).take(5).any(|&b| b == b'\'')
        {
            // A character literal that the machine passed over in one go.
            while at < to && bytes[at] != b'\'' {
                at += 1;
            }
            at = (at + 1).min(to);
            push(list, Is::Literal, bytes, start, at);
        } else if !byte.is_ascii_whitespace() {
            push(list, Is::Sign(byte), bytes, start, at);
        }
    }
}

fn push<'a>(list: &mut Vec<Token<'a>>, is: Is, bytes: &'a [u8], start: usize, end: usize) {
    let joined = start > 0 && !bytes[start - 1].is_ascii_whitespace();
    list.push(Token { is, text: &bytes[start..end.max(start)], joined });
}
