//! Decodes the inside of a JSON string.
//!
//! In: the bytes between the quotes, escapes as JSON writes them. Out: the text, borrowed where it
//! holds no escape. Never fails: an escape that is not valid stays as it is, half a surrogate
//! pair becomes U+FFFD.

use std::borrow::Cow;

/// Decodes the escapes of `raw`.
pub(super) fn decode_string(raw: &str) -> Cow<'_, str> {
    let Some(first) = memchr::memchr(b'\\', raw.as_bytes()) else { return Cow::Borrowed(raw) };
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    let mut next = Some(first);
    while let Some(at) = next {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let (decoded, used) = decode_escape(rest);
        match decoded {
            Some(character) => out.push(character),
            None => out.push_str(&rest[..used]),
        }
        rest = &rest[used..];
        next = memchr::memchr(b'\\', rest.as_bytes());
    }
    out.push_str(rest);
    Cow::Owned(out)
}

// Reads the escape at the start of `text`; gives the character and the number of bytes used.
fn decode_escape(text: &str) -> (Option<char>, usize) {
    let simple = |character| (Some(character), 2);
    match text.as_bytes().get(1) {
        Some(b'"') => simple('"'),
        Some(b'\\') => simple('\\'),
        Some(b'/') => simple('/'),
        Some(b'b') => simple('\u{8}'),
        Some(b'f') => simple('\u{c}'),
        Some(b'n') => simple('\n'),
        Some(b'r') => simple('\r'),
        Some(b't') => simple('\t'),
        Some(b'u') => decode_unicode(text),
        _ => (None, 1),
    }
}

fn decode_unicode(text: &str) -> (Option<char>, usize) {
    let Some(high) = hex4(text.as_bytes().get(2..6)) else { return (None, 1) };
    if (0xD800..0xDC00).contains(&high)
        && text.as_bytes().get(6..8) == Some(b"\\u")
        && let Some(low) = hex4(text.as_bytes().get(8..12)).filter(|low| is_low_surrogate(*low))
    {
        let code = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
        return (Some(char::from_u32(code).unwrap_or('\u{FFFD}')), 12);
    }
    (Some(char::from_u32(high).unwrap_or('\u{FFFD}')), 6)
}

pub(super) fn is_low_surrogate(code: u32) -> bool {
    (0xDC00..0xE000).contains(&code)
}

/// Reads four hexadecimal digits.
pub(super) fn hex4(digits: Option<&[u8]>) -> Option<u32> {
    let digits = digits.filter(|digits| digits.len() == 4)?;
    digits.iter().try_fold(0, |code, &digit| Some(code * 16 + char::from(digit).to_digit(16)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_what_json_knows_and_keeps_the_rest() {
        let cases = [
            ("plain", "plain"),
            (r#"a\"b\\c\/d\n"#, "a\"b\\c/d\n"),
            (r"\u00e9\u260E", "é☎"),
            (r"\ud83d\ude00", "😀"),
            (r"\ud83dx", "\u{FFFD}x"),
            (r"\ude00", "\u{FFFD}"),
            (r"\q\u12", r"\q\u12"),
        ];
        for (raw, want) in cases {
            assert_eq!(decode_string(raw), want, "{raw}");
        }
    }
}
