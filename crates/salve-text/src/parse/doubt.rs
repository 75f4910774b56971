//! Doubtful quotes: does this one close the string, or is it content?
//!
//! In: a quote after which JSON does not go on as it should. Out: the better place for the end of
//! the string, within the window. Never weighs more than a fixed number of quotes.

use super::machine::{Machine, Step, WINDOW};
use super::outlook::Outlook;
use super::quote::{Quote, quote_of, rskip_blank, rskip_word};
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
            // An apostrophe may be one: `'F: Send + 'static'`.
            (Role::Value, b'+')
                if token.quote == Quote::Double && self.next_quote_is_sure(token, at + 1)? =>
            {
                Ok(Some(sign))
            }
            _ => Ok(None),
        }
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
