//! Patterns of one path component, as `bash` matches them in the C locale with default options.
//!
//! In: a component with `*`, `?`, `[…]` and backslashes before what was quoted. Out: whether a name
//! matches, byte by byte. Never looks at a folder, never treats a leading dot as matched by a
//! pattern, and takes at most pattern × name steps. What shells disagree on (collating symbols,
//! open brackets) is no pattern at all.

mod bracket;

use bracket::Bracket;

/// A compiled pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    pieces: Vec<Piece>,
    /// How many bytes a name has at least.
    shortest: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Byte(u8),
    AnyByte,
    AnyBytes,
    OneOf(Box<Bracket>),
}

/// Why a text is no pattern that every shell reads alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PatternError {
    /// A `[` without its `]`.
    #[error("an unquoted `[` has no `]`")]
    OpenBracket,
    /// `[.x.]`, `[=x=]` or a class that does not exist.
    #[error("a bracket holds a collating symbol or an unknown class")]
    UnknownClass,
    /// A `/` inside a component, or two in a row, which shells keep or drop as they like.
    #[error("a pattern has one `/` between two names")]
    Separator,
}

impl Pattern {
    /// Compiles one component of a path.
    ///
    /// # Errors
    ///
    /// Fails when the text is no pattern that every shell reads alike.
    pub fn new(component: &str) -> Result<Self, PatternError> {
        let bytes = component.as_bytes();
        if bytes.contains(&b'/') {
            return Err(PatternError::Separator);
        }
        let mut pieces = Vec::new();
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            at += 1;
            match byte {
                // Two stars are one: there is no `globstar` by default.
                b'*' if pieces.last() == Some(&Piece::AnyBytes) => {}
                b'*' => pieces.push(Piece::AnyBytes),
                b'?' => pieces.push(Piece::AnyByte),
                b'[' => {
                    let (bracket, after) = Bracket::read(bytes, at)?;
                    pieces.push(Piece::OneOf(Box::new(bracket)));
                    at = after;
                }
                b'\\' => {
                    pieces.push(Piece::Byte(bytes.get(at).copied().unwrap_or(b'\\')));
                    at += 1;
                }
                _ => pieces.push(Piece::Byte(byte)),
            }
        }
        let shortest = pieces.iter().filter(|piece| **piece != Piece::AnyBytes).count();
        Ok(Self { pieces, shortest })
    }

    /// Returns the one name that matches, when nothing in the pattern is live.
    pub fn literal(&self) -> Option<String> {
        let byte = |piece: &Piece| match piece {
            Piece::Byte(byte) => Some(*byte),
            Piece::AnyByte | Piece::AnyBytes | Piece::OneOf(_) => None,
        };
        let bytes: Vec<u8> = self.pieces.iter().map(byte).collect::<Option<_>>()?;
        String::from_utf8(bytes).ok()
    }

    /// Returns whether a name matches.
    ///
    /// The last star is the only one that ever has to be tried again, so that this takes at most
    /// pattern × name steps; and a pattern that needs more bytes than the name has takes none.
    pub fn matches(&self, name: &str) -> bool {
        let name = name.as_bytes();
        let has_dot = name.first() == Some(&b'.');
        if name.len() < self.shortest
            || (has_dot && self.pieces.first() != Some(&Piece::Byte(b'.')))
        {
            return false;
        }
        let (mut at, mut piece) = (0, 0);
        let mut star: Option<(usize, usize)> = None;
        loop {
            match (self.pieces.get(piece), name.get(at)) {
                (None, None) => return true,
                (Some(Piece::AnyBytes), _) => {
                    star = Some((piece, at));
                    piece += 1;
                }
                (Some(one), Some(&byte)) if one.takes(byte) => {
                    piece += 1;
                    at += 1;
                }
                // The star takes one byte more, and what follows it is tried again.
                _ => match star {
                    Some((star_piece, taken)) if taken < name.len() => {
                        star = Some((star_piece, taken + 1));
                        piece = star_piece + 1;
                        at = taken + 1;
                    }
                    _ => return false,
                },
            }
        }
    }
}

impl Piece {
    fn takes(&self, byte: u8) -> bool {
        match self {
            Self::Byte(own) => *own == byte,
            Self::AnyByte => true,
            Self::OneOf(bracket) => bracket.takes(byte),
            Self::AnyBytes => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_in_bash() {
        for (pattern, yes, no) in [
            ("*", "a ab a.b", ".a ."),
            ("*.rs", "a.rs é.rs", ".rs a.r a.rsx"),
            (".*", ".a ..x", "a"),
            ("\\.*", ".a", "a"),
            ("?", "a", "é ab ."),
            ("[.]a", "", ".a"),
            ("a[b-d]e", "abe ade", "aee a-e"),
            ("a[!b]c", "aac a!c", "abc"),
            ("a[^b]c", "aac a^c", "abc"),
            ("[]a]x", "]x ax", "bx"),
            ("[!]a]x", "bx", "]x ax"),
            ("[a-]", "a -", "b"),
            ("[z-a]", "", "a m z"),
            ("[[:digit:]x]*", "1 x1", "a"),
            ("[[:upper:]]", "A", "a"),
            ("[:alpha:]", ": a l p h", "b ["),
            ("\\*", "*", "a"),
            ("a\\?b", "a?b", "acb"),
            ("**a**", "a xax", "x"),
            ("*a*b*c", "abc xaxbxc aabbcc", "acb abcd"),
        ] {
            let compiled = Pattern::new(pattern).expect(pattern);
            for name in yes.split_whitespace() {
                assert!(compiled.matches(name), "{pattern} matches {name}");
            }
            for name in no.split_whitespace() {
                assert!(!compiled.matches(name), "{pattern} does not match {name}");
            }
        }
    }

    #[test]
    fn what_shells_disagree_on_is_no_pattern() {
        for (pattern, error) in [
            ("[", PatternError::OpenBracket),
            ("[]", PatternError::OpenBracket),
            ("a[!]", PatternError::OpenBracket),
            ("[a-", PatternError::OpenBracket),
            ("[[.a.]]", PatternError::UnknownClass),
            ("[[=a=]]", PatternError::UnknownClass),
            ("[[:nope:]]", PatternError::UnknownClass),
            ("[[:alpha]", PatternError::UnknownClass),
            ("[a-[:digit:]]", PatternError::UnknownClass),
            ("a/b", PatternError::Separator),
        ] {
            assert_eq!(Pattern::new(pattern), Err(error), "{pattern}");
        }
    }

    #[test]
    fn a_hostile_pattern_is_bounded() {
        let pattern = Pattern::new(&"*a".repeat(120)).expect("a pattern");
        let name = format!("{}b", "a".repeat(254));
        assert!(!pattern.matches(&name));
        let longer_than_any_name = Pattern::new(&"*a".repeat(8000)).expect("a pattern");
        assert!(!longer_than_any_name.matches(&name));
        assert_eq!(Pattern::new("a\\*b").expect("a pattern").literal().as_deref(), Some("a*b"));
        assert_eq!(Pattern::new("a*").expect("a pattern").literal(), None);
    }
}
