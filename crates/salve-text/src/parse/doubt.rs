//! Doubtful quotes: does this one close the string, or is it content?
//!
//! In: a quote after which JSON does not go on as it should. Out: the better place for the end of
//! the string, within the window. Never weighs more than a fixed number of quotes.

use super::machine::{FrameKind, Machine, Step, WINDOW};
use super::outlook::Outlook;
use super::quote::{Quote, is_word, quote_of, rskip_blank, rskip_word};
use super::string::{Role, Str};

/// What there is after a doubtful quote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Better {
    /// No better place to end the string.
    None,
    /// The quote at this place closes it.
    Closes(usize),
    /// The string goes on at least to this place.
    Later(usize),
}

// How many later quotes are weighed against a doubtful one.
const MOST_QUOTES: usize = 8;

impl Machine {
    // Looks for a later quote that closes the string better than one with this outlook.
    pub(super) fn better_quote(&self, token: &Str, from: usize, outlook: Outlook) -> Step<Better> {
        let (mut best, mut best_at) = (outlook, Better::None);
        let (mut at, mut seen) = (from, 0);
        let limit = from + WINDOW;
        let unlikely = outlook == Outlook::Unlikely;
        while seen < MOST_QUOTES && at < limit {
            let Some(byte) = self.byte(at)? else {
                // The text ends here. Without another quote this one is the last chance.
                // A quote that completes a pair of inner ones is the second of that pair.
                let paired = token.role == Role::Value && token.inner % 2 == 1;
                let inner = best_at == Better::None && unlikely && (seen > 0 || paired);
                return Ok(if inner { Better::Later(from) } else { best_at });
            };
            if token.role == Role::Key && matches!(byte, b',' | b'{' | b'}' | b'[' | b']' | b'\n') {
                return Ok(best_at);
            }
            if byte == b'\\' {
                at += 2;
                continue;
            }
            let closing = quote_of(self.bytes(), at).filter(|(q, _)| token.quote.is_closed_by(*q));
            let Some((_, length)) = closing else {
                at += 1;
                continue;
            };
            seen += 1;
            if self.missing_end(token, at)?.is_some() {
                return Ok(Better::Later(at));
            }
            let later = self.outlook(at + length, token.role)?;
            if later == Outlook::Sure {
                return Ok(Better::Closes(at));
            }
            if later > best {
                (best, best_at) = (later, Better::Closes(at));
            }
            at += length;
        }
        if best_at == Better::None && token.role == Role::Value && unlikely {
            // None of the quotes up to here closes the string; they need not be judged again.
            return Ok(Better::Later(at));
        }
        Ok(best_at)
    }

    // Whether the quote at `at` opens the next string, so that this one ended before it without a
    // quote of its own: gives that end.
    pub(super) fn missing_end(&self, token: &Str, at: usize) -> Step<Option<usize>> {
        let bytes = self.bytes();
        let before = rskip_blank(bytes, token.body, at);
        if before <= token.body {
            return Ok(None);
        }
        let sign = before - 1;
        match (token.role, bytes[sign]) {
            (Role::Key, b':') if sign > token.body => Ok(Some(sign)),
            // `"b: 2, "c": 3`: the key ends at its colon.
            (Role::Key, b',') => {
                let colon = rskip_scalar(bytes, token.body, sign);
                let name = colon.filter(|&colon| is_name(&bytes[token.body..colon]));
                Ok(if name.is_some() && self.key_follows(at)? { name } else { None })
            }
            (Role::Value, b',') if sign > token.body => {
                let opens = if self.has_keys() {
                    !inside_brackets(bytes, token.body, sign) && self.key_follows(at)?
                } else {
                    self.next_quote_is_sure(token, at + 1)?
                };
                Ok(opens.then_some(sign))
            }
            (Role::Value, b':') if self.has_keys() => {
                let word_end = rskip_blank(bytes, token.body, sign);
                let word = rskip_word(bytes, token.body, word_end);
                let comma = rskip_blank(bytes, token.body, word);
                let shape = word < word_end && comma > token.body + 1 && bytes[comma - 1] == b',';
                let opens = shape && self.next_quote_is_sure(token, at + 1)?;
                Ok(opens.then(|| comma - 1))
            }
            // `"a}, {"k": …`: the next object of a list.
            (Role::Value, b'{') if self.is_object_of_list() => {
                let comma = rskip_blank(bytes, token.body, sign);
                let brace = rskip_blank(bytes, token.body, comma.saturating_sub(1));
                let shape = brace > token.body + 1
                    && (bytes[comma - 1], bytes[brace - 1]) == (b',', b'}')
                    && !inside_brackets(bytes, token.body, brace - 1);
                Ok(if shape && self.key_follows(at)? { Some(brace - 1) } else { None })
            }
            // An apostrophe may be one: `'F: Send + 'static'`.
            (Role::Value, b'+')
                if token.quote == Quote::Double && self.next_quote_is_sure(token, at + 1)? =>
            {
                Ok(Some(sign))
            }
            _ => Ok(None),
        }
    }

    /// `"x', …`: the first quote of the other kind before `until` after which JSON goes on.
    pub(super) fn other_end(&self, token: &Str, until: usize) -> Step<Option<usize>> {
        let other = match token.quote {
            Quote::Double => b'\'',
            Quote::Single => b'"',
            _ => return Ok(None),
        };
        if token.role == Role::Key || token.quote == Quote::Double && token.inner > 0 {
            return Ok(None);
        }
        let mut at = token.body;
        for _ in 0..MOST_QUOTES {
            let limit = until.min(token.body + 4 * WINDOW);
            let Some(rest) = self.bytes().get(at..limit) else { break };
            let Some(found) = memchr::memchr(other, rest) else { break };
            at += found + 1;
            let quote = at - 1;
            let escaped = quote > token.body && self.bytes()[quote - 1] == b'\\';
            if !escaped && quote > token.body && self.outlook(at, Role::Value)? == Outlook::Sure {
                return Ok(Some(quote));
            }
        }
        Ok(None)
    }

    /// `"a"": 1`, `"x"", …`: whether the quote at `at` is the first of two that close the string. The
    /// second of a pair of inner quotes is none of them, nor is the sign of inches.
    pub(super) fn closes_twice(&self, token: &Str, at: usize, length: usize) -> Step<bool> {
        let bytes = self.bytes();
        let plain = length == 1 && matches!(token.quote, Quote::Double | Quote::Single);
        if !plain || at == token.body || token.inner % 2 == 1 || bytes[at - 1].is_ascii_digit() {
            return Ok(false);
        }
        let again = self.byte(at + 1)? == Some(bytes[at]);
        Ok(again && self.outlook(at + 2, token.role)? == Outlook::Sure)
    }

    /// Whether a string that has quotes inside took in what looks like members: `x","b":"y`. What is in
    /// brackets of the string's own is what the string is about.
    pub(super) fn holds_members(&self, token: &Str, end: usize) -> bool {
        let bytes = &self.bytes()[..end];
        let mut depth = 0_usize;
        let mut at = token.body;
        while let Some(&byte) = bytes.get(at) {
            at += 1;
            match byte {
                b'\\' => at += 1,
                b',' | b':' if token.role == Role::Key => return true,
                b'{' | b'[' => depth += 1,
                b'}' | b']' if depth == 0 => return true,
                b'}' | b']' => depth -= 1,
                b'"' | b'\'' if depth == 0 && token.quote.is_closed_by(kind_of(byte)) => {
                    let sign = self.skip_blank(at);
                    let next = self.skip_blank(sign + 1);
                    match bytes.get(sign) {
                        Some(b':') => return true,
                        Some(b',') if !self.has_keys() => return true,
                        // The end of one string and the beginning of another.
                        Some(next) if *next == byte => return true,
                        Some(b',') if bytes.get(next).is_none_or(|it| *it == byte) => return true,
                        // A quote that opens nothing in the string may be its end, written twice.
                        None if token.inner % 2 == 1 => return true,
                        _ => {}
                    }
                }
                _ => {}
            }
        }
        false
    }

    fn is_object_of_list(&self) -> bool {
        let kinds: Vec<FrameKind> = self.stack.iter().rev().take(2).map(|it| it.kind).collect();
        kinds == [FrameKind::Object, FrameKind::Array]
    }

    fn next_quote_is_sure(&self, token: &Str, from: usize) -> Step<bool> {
        let mut at = from;
        while at < from + WINDOW {
            let Some(byte) = self.byte(at)? else { return Ok(false) };
            if byte == b'\\' {
                at += 2;
                continue;
            }
            let closing = quote_of(self.bytes(), at).filter(|(q, _)| token.quote.is_closed_by(*q));
            if let Some((_, length)) = closing {
                return Ok(self.outlook(at + length, token.role)? == Outlook::Sure);
            }
            at += 1;
        }
        Ok(false)
    }
}

const fn kind_of(quote: u8) -> Quote {
    if quote == b'"' { Quote::Double } else { Quote::Single }
}

/// Whether these bytes are a name, as keys mostly are.
pub(super) fn is_name(bytes: &[u8]) -> bool {
    !bytes.is_empty() && bytes.iter().all(|&byte| is_word(byte))
}

// The colon before a number or a literal that ends at `to`.
fn rskip_scalar(bytes: &[u8], from: usize, to: usize) -> Option<usize> {
    let end = rskip_blank(bytes, from, to);
    let floor = from.max(end.saturating_sub(WINDOW));
    let mut start = end;
    while start > floor && (is_word(bytes[start - 1]) || matches!(bytes[start - 1], b'.' | b'+')) {
        start -= 1;
    }
    let colon = rskip_blank(bytes, from, start);
    let found = start < end && colon > from && bytes[colon - 1] == b':';
    found.then(|| colon - 1)
}

// Whether a bracket opened in the string is still open at `to`: then what looks like the next member
// is one of an object that the string is about. Looks back one window.
fn inside_brackets(bytes: &[u8], from: usize, to: usize) -> bool {
    let mut closed = 0;
    for &byte in bytes[from.max(to.saturating_sub(WINDOW))..to].iter().rev() {
        match byte {
            b'}' | b']' => closed += 1,
            b'{' | b'[' if closed == 0 => return true,
            b'{' | b'[' => closed -= 1,
            _ => {}
        }
    }
    false
}
