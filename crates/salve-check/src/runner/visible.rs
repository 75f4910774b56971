//! Makes the bytes a program wrote into text that can be shown to a model or a person.
//!
//! In: any bytes. Out: UTF-8 without escape sequences, control characters or text that changes its
//! own direction; bytes that are no text are written as `\xNN`. Never longer than six times the
//! input, and linear in it.

use std::fmt::Write;

/// Returns the text a reader should see.
pub(super) fn visible(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    let mut line_start = 0;
    for chunk in bytes.utf8_chunks() {
        let mut rest = chunk.valid();
        while let Some(character) = rest.chars().next() {
            let (_, after) = rest.split_at(character.len_utf8());
            rest = after;
            match character {
                '\x1b' => rest = after_escape(rest),
                '\n' => {
                    text.push('\n');
                    line_start = text.len();
                }
                // A lone return draws over the line, as progress bars do: the last drawing counts.
                '\r' if rest.starts_with('\n') || rest.is_empty() => {}
                '\r' => text.truncate(line_start),
                '\t' => text.push('\t'),
                _ if is_unseen(character) => escape(&mut text, character),
                _ => text.push(character),
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    text
}

/// Control characters, and marks that reorder or hide what is around them.
fn is_unseen(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

fn escape(text: &mut String, character: char) {
    let code = u32::from(character);
    let _ =
        if code < 0x100 { write!(text, "\\x{code:02x}") } else { write!(text, "\\u{{{code:x}}}") };
}

/// Skips a terminal's escape sequence, whose first character is gone already.
fn after_escape(rest: &str) -> &str {
    let mut characters = rest.chars();
    match characters.next() {
        // Parameters, then one letter; a sequence that is cut or broken ends where it breaks.
        Some('[') => match characters.as_str().find(|c: char| !matches!(c, ' '..='?')) {
            Some(end) => {
                let (_, tail) = characters.as_str().split_at(end);
                let ends = tail.starts_with(|c: char| matches!(c, '@'..='~'));
                if ends { tail.get(1..).unwrap_or_default() } else { tail }
            }
            None => "",
        },
        // A string for the terminal: up to BEL or ST, but never over the end of a line.
        Some(']' | 'P' | 'X' | '^' | '_') => {
            let body = characters.as_str();
            match body.find(['\x07', '\x1b', '\n']) {
                Some(end) => {
                    let (_, tail) = body.split_at(end);
                    let tail = tail.strip_prefix('\x07').unwrap_or(tail);
                    tail.strip_prefix("\x1b\\").unwrap_or(tail)
                }
                None => "",
            }
        }
        // Choices of a character set have one more letter.
        Some('(' | ')' | '*' | '+' | '#' | '%') => {
            characters.next();
            characters.as_str()
        }
        Some(letter) if letter.is_ascii() && !letter.is_ascii_control() => characters.as_str(),
        _ => rest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn c065_what_no_reader_could_see_is_removed_or_written_out() {
        let table: &[(&[u8], &str)] = &[
            (b"plain\n", "plain\n"),
            (b"\x1b[31;1merror\x1b[0m: x", "error: x"),
            (b"\x1b]0;title\x07text", "text"),
            (b"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
            (b"\x1b]0;never ended\nnext", "\nnext"),
            (b"\x1b(Bx\x1b=y\x1bMz", "xyz"),
            (b"\x1b[", ""),
            (b"\x1b", ""),
            (b"a\x1b[3\nb", "a\nb"),
            (b"10%\r50%\r100%\ndone\r\n", "100%\ndone\n"),
            (b"\xff\xfe ok \xc3", "\\xff\\xfe ok \\xc3"),
            ("caf\u{e9} \u{2019}".as_bytes(), "caf\u{e9} \u{2019}"),
            ("a\u{202e}b\u{200b}c\u{0}\u{7f}".as_bytes(), "a\\u{202e}b\\u{200b}c\\x00\\x7f"),
        ];
        for (bytes, expected) in table {
            assert_eq!(visible(bytes), *expected, "{bytes:?}");
        }
    }

    proptest! {
        #[test]
        fn c065_no_bytes_bring_a_control_character_through(bytes in proptest::collection::vec(
            prop_oneof![any::<u8>(), Just(0x1b), Just(b'['), Just(b']'), Just(b'\r'), Just(b'\n')], 0..200,
        )) {
            let text = visible(&bytes);
            prop_assert!(text.chars().all(|c| c == '\n' || c == '\t' || !is_unseen(c)), "{text:?}");
            prop_assert!(text.len() <= 6 * bytes.len());
        }
    }
}
