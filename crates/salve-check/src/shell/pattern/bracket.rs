//! A bracket expression such as `[!a-z[:digit:]]`.
//!
//! In: the bytes after `[`. Out: the set of bytes it stands for. Never accepts a form whose meaning
//! depends on a locale.

use super::PatternError;

/// A set of bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bracket {
    holds: [bool; 256],
    is_negated: bool,
}

impl Bracket {
    /// Reads the expression that begins at `at`, after its `[`; returns where the pattern goes on.
    pub(super) fn read(bytes: &[u8], mut at: usize) -> Result<(Self, usize), PatternError> {
        let is_negated = matches!(bytes.get(at), Some(b'!' | b'^'));
        at += usize::from(is_negated);
        let mut bracket = Self { holds: [false; 256], is_negated };
        let mut is_first = true;
        loop {
            let Some(&byte) = bytes.get(at) else { return Err(PatternError::OpenBracket) };
            match (byte, bytes.get(at + 1)) {
                (b']', _) if !is_first => return Ok((bracket, at + 1)),
                (b'[', Some(b':')) => at = bracket.add_class(bytes, at + 2)?,
                (b'[', Some(b'.' | b'=')) => return Err(PatternError::UnknownClass),
                _ => at = bracket.add_range(bytes, at)?,
            }
            is_first = false;
        }
    }

    /// Returns whether a byte is matched.
    pub(super) fn takes(&self, byte: u8) -> bool {
        self.holds[usize::from(byte)] != self.is_negated
    }

    // One byte, or two with a `-` between them. A range that runs backwards holds nothing.
    fn add_range(&mut self, bytes: &[u8], at: usize) -> Result<usize, PatternError> {
        let (first, at) = member(bytes, at)?;
        let is_range = bytes.get(at) == Some(&b'-') && bytes.get(at + 1) != Some(&b']');
        if !is_range {
            self.holds[usize::from(first)] = true;
            return Ok(at);
        }
        if bytes.get(at + 1) == Some(&b'[') && matches!(bytes.get(at + 2), Some(b':' | b'.' | b'='))
        {
            return Err(PatternError::UnknownClass);
        }
        let (last, at) = member(bytes, at + 1)?;
        for byte in first..=last {
            self.holds[usize::from(byte)] = true;
        }
        Ok(at)
    }

    fn add_class(&mut self, bytes: &[u8], at: usize) -> Result<usize, PatternError> {
        let rest = bytes.get(at..).unwrap_or(&[]);
        let length = rest.windows(2).position(|pair| pair == b":]");
        let name = length.and_then(|length| rest.get(..length));
        let class = name.and_then(|name| CLASSES.iter().find(|(own, _)| own.as_bytes() == name));
        let Some((name, is_in)) = class else { return Err(PatternError::UnknownClass) };
        for byte in 0..=u8::MAX {
            self.holds[usize::from(byte)] |= is_in(byte);
        }
        Ok(at + name.len() + 2)
    }
}

fn member(bytes: &[u8], at: usize) -> Result<(u8, usize), PatternError> {
    match (bytes.get(at), bytes.get(at + 1)) {
        (Some(b'\\'), Some(&byte)) => Ok((byte, at + 2)),
        (Some(&byte), _) => Ok((byte, at + 1)),
        (None, _) => Err(PatternError::OpenBracket),
    }
}

type IsIn = fn(u8) -> bool;

// The classes of the C locale.
const CLASSES: &[(&str, IsIn)] = &[
    ("alnum", |byte| byte.is_ascii_alphanumeric()),
    ("alpha", |byte| byte.is_ascii_alphabetic()),
    ("ascii", |byte| byte.is_ascii()),
    ("blank", |byte| byte == b' ' || byte == b'\t'),
    ("cntrl", |byte| byte.is_ascii_control()),
    ("digit", |byte| byte.is_ascii_digit()),
    ("graph", |byte| byte.is_ascii_graphic()),
    ("lower", |byte| byte.is_ascii_lowercase()),
    ("print", |byte| byte.is_ascii_graphic() || byte == b' '),
    ("punct", |byte| byte.is_ascii_punctuation()),
    ("space", |byte| byte.is_ascii_whitespace() || byte == 0x0B),
    ("upper", |byte| byte.is_ascii_uppercase()),
    ("word", |byte| byte.is_ascii_alphanumeric() || byte == b'_'),
    ("xdigit", |byte| byte.is_ascii_hexdigit()),
];
