//! Escapes inside a quoted string.
//!
//! In: a backslash. Out: the place after its escape, with an edit where JSON does not know it.
//! Never guesses a character: half an escape at the end of the text is dropped.

use super::ParseMode;
use super::decode::{hex4, is_low_surrogate};
use super::machine::{Machine, Step};
use super::quote::{Quote, quote_of, utf8_length};
use super::repair::RepairCode as Code;
use super::string::Str;

impl Machine {
    pub(super) fn read_escape(&mut self, token: &mut Str, at: usize) -> Step {
        let Some(next) = self.byte(at + 1)? else {
            self.edit(at, at + 1, "", Code::TruncatedString);
            token.edited = true;
            token.scan = at + 1;
            return Ok(());
        };
        match next {
            b'\\' if token.quote == Quote::Escaped && self.byte(at + 2)? == Some(b'"') => {
                self.edit(at, at + 1, "", Code::EscapedQuotes);
                token.edited = true;
                token.scan = at + 3;
            }
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => {
                token.escaped = true;
                token.scan = at + 2;
            }
            b'u' => return self.read_unicode(token, at),
            _ => {
                let quoted =
                    next == b'\'' || next == b'`' || quote_of(self.bytes(), at + 1).is_some();
                let dropped = quoted || next < 0x20 || self.mode == ParseMode::Text;
                if dropped {
                    self.edit(at, at + 1, "", Code::InvalidEscape);
                } else {
                    self.edit(at, at, "\\", Code::InvalidEscape);
                }
                token.edited = true;
                let length = if quoted { utf8_length(next) } else { 0 };
                token.scan = at + 1 + length;
            }
        }
        Ok(())
    }

    fn read_unicode(&mut self, token: &mut Str, at: usize) -> Step {
        for offset in 2..6 {
            match self.byte(at + offset)? {
                Some(digit) if digit.is_ascii_hexdigit() => {}
                Some(_) => {
                    self.edit(at, at, "\\", Code::InvalidEscape);
                    token.edited = true;
                    token.scan = at + 2;
                    return Ok(());
                }
                None => {
                    self.edit(at, at + offset, "", Code::TruncatedString);
                    token.edited = true;
                    token.scan = at + offset;
                    return Ok(());
                }
            }
        }
        let code = hex4(self.bytes().get(at + 2..at + 6)).unwrap_or_default();
        token.escaped = true;
        token.scan = at + 6;
        if (0xD800..0xDC00).contains(&code) {
            return self.read_surrogate(token, at);
        }
        if is_low_surrogate(code) {
            self.edit(at, at + 6, "\\ufffd", Code::InvalidEscape);
            token.edited = true;
        }
        Ok(())
    }

    // Half a pair is waited for, dropped where the text ends in it, and replaced elsewhere.
    fn read_surrogate(&mut self, token: &mut Str, at: usize) -> Step {
        for offset in 6..12 {
            let Some(byte) = self.byte(at + offset)? else {
                self.edit(at, at + offset, "", Code::TruncatedString);
                token.edited = true;
                token.scan = at + offset;
                return Ok(());
            };
            let fits = match offset {
                6 => byte == b'\\',
                7 => byte == b'u',
                _ => byte.is_ascii_hexdigit(),
            };
            if !fits {
                break;
            }
        }
        let low = hex4(self.bytes().get(at + 8..at + 12)).filter(|low| is_low_surrogate(*low));
        if low.is_some() && self.bytes().get(at + 6..at + 8) == Some(b"\\u") {
            token.scan = at + 12;
        } else {
            self.edit(at, at + 6, "\\ufffd", Code::InvalidEscape);
            token.edited = true;
        }
        Ok(())
    }
}

/// The escape of a control character.
pub(super) fn control_escape(byte: u8) -> &'static str {
    const ESCAPES: [&str; 32] = [
        "\\u0000", "\\u0001", "\\u0002", "\\u0003", "\\u0004", "\\u0005", "\\u0006", "\\u0007",
        "\\b", "\\t", "\\n", "\\u000b", "\\f", "\\r", "\\u000e", "\\u000f", "\\u0010", "\\u0011",
        "\\u0012", "\\u0013", "\\u0014", "\\u0015", "\\u0016", "\\u0017", "\\u0018", "\\u0019",
        "\\u001a", "\\u001b", "\\u001c", "\\u001d", "\\u001e", "\\u001f",
    ];
    ESCAPES.get(usize::from(byte)).copied().unwrap_or("")
}
