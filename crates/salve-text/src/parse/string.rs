//! Quoted strings: where they end, and what inside them must be escaped.
//!
//! In: an opening quote of any kind. Out: a string node, with an edit for every byte that strict
//! JSON would not accept there. Never ends a string of valid JSON anywhere but at its own quote:
//! doubts arise only where what follows a quote could not follow it in JSON.

use super::doubt::Better;
use super::escape::control_escape;
use super::machine::{Comma, Machine, Step, Token, WINDOW, Wait};
use super::outlook::Outlook;
use super::quote::{Quote, is_word, quote_of, utf8_length};
use super::repair::RepairCode as Code;

/// What a token is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Key,
    Value,
}

/// A string whose end has not been seen yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Str {
    /// Where the opening quote is, and where the content begins.
    pub(super) start: usize,
    pub(super) body: usize,
    pub(super) scan: usize,
    pub(super) quote: Quote,
    pub(super) role: Role,
    /// Quotes before this place are known to be content.
    pub(super) inner_until: usize,
    /// The quote at this place is known to close the string.
    pub(super) closes_at: usize,
    /// How many quotes were kept as content.
    pub(super) inner: u32,
    /// The token's first edit.
    pub(super) mark: usize,
    /// The number of edits when the content began.
    pub(super) restart: usize,
    pub(super) escaped: bool,
    pub(super) edited: bool,
    /// Whether the string is known to have no closing quote, so that a delimiter ends it.
    pub(super) stops: bool,
    pub(super) doubled: bool,
    /// Whether the end of the string was guessed.
    pub(super) guessed: bool,
    /// The comma before the string, as it was when the string began.
    pub(super) prior: Comma,
}

// What a byte means inside a string: nothing, or something to look at.
const LOOK: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 0x20 {
        table[byte] = true;
        byte += 1;
    }
    table[b'"' as usize] = true;
    table[b'\\' as usize] = true;
    table
};

const LOOK_OTHER: [bool; 256] = {
    let mut table = LOOK;
    table[b'\'' as usize] = true;
    table[b'`' as usize] = true;
    table[0xE2] = true;
    table[0xC2] = true;
    table
};

impl Machine {
    /// The kind and length of the quote at `at`.
    pub(super) fn quote_at(&self, at: usize) -> Step<Option<(Quote, usize)>> {
        Ok(match self.byte(at)? {
            Some(b'\\') if self.byte(at + 1)? == Some(b'"') => Some((Quote::Escaped, 2)),
            _ => quote_of(self.bytes(), at),
        })
    }

    pub(super) fn begin_string(&mut self, opening: (Quote, usize), role: Role) -> Step {
        let start = self.pos;
        let triple = opening.0 == Quote::Double && self.looking_at(start, b"\"\"\"")?;
        let (quote, length) = if triple { (Quote::Triple, 3) } else { opening };
        let mut body = start + length;
        let mut doubled = false;
        // `""word` is a quote written twice, `""` before anything else an empty string.
        if matches!(quote, Quote::Double | Quote::Single)
            && self.bytes().get(body) == self.bytes().get(start)
            && self
                .byte(body + 1)?
                .is_some_and(|it| is_word(it) || b"#(<.@>*&%!?^=~|".contains(&it))
            && !self.opens_inner_pair(body, role)?
        {
            doubled = true;
            body += 1;
        } else if self.byte(body)?.is_none() && !self.last {
            return Err(Wait);
        }
        if quote == Quote::Triple {
            let carriage = usize::from(self.byte(body)? == Some(b'\r'));
            if self.byte(body + carriage)? == Some(b'\n') {
                body += carriage + 1;
            }
        }
        let prior = self.stack.last().map_or(Comma::First, |frame| frame.comma);
        self.member_begins(start);
        let mark = self.tree.edits.len();
        let edited = quote != Quote::Double || doubled;
        if edited {
            self.edit(start, body, "\"", if doubled { Code::DoubledQuote } else { quote.code() });
        }
        let token = Str {
            start,
            body,
            scan: body,
            quote,
            role,
            inner_until: 0,
            closes_at: 0,
            inner: 0,
            mark,
            restart: self.tree.edits.len(),
            escaped: false,
            edited,
            stops: false,
            doubled,
            guessed: false,
            prior,
        };
        self.pos = body;
        self.token = Some(Token::Str(token));
        Ok(())
    }

    pub(super) fn step_string(&mut self, mut token: Str) -> Step {
        let table = if token.quote == Quote::Double { &LOOK } else { &LOOK_OTHER };
        if token.scan == token.body && self.end_odd_key(token)? {
            return Ok(());
        }
        loop {
            let bytes = self.tree.source.as_bytes();
            let mut at = token.scan;
            if token.stops {
                while at < bytes.len() && !table[bytes[at] as usize] && !is_stop(bytes[at]) {
                    at += 1;
                }
            } else {
                while at < bytes.len() && !table[bytes[at] as usize] {
                    at += 1;
                }
            }
            token.scan = at;
            let Some(&byte) = bytes.get(at) else {
                self.token = Some(Token::Str(token));
                if !self.last {
                    return Err(Wait);
                }
                return self.string_meets_end(token);
            };
            if token.stops && is_stop(byte) {
                if self.stops_here(&token, at) {
                    return self.close_before(token, at);
                }
                token.scan += 1;
                continue;
            }
            // A wait below must come back to this very byte.
            self.token = Some(Token::Str(token));
            if byte == b'\\' {
                if token.quote == Quote::Escaped && self.byte(at + 1)? == Some(b'"') {
                    return self.close_string(token, at, 2, false);
                }
                self.read_escape(&mut token, at)?;
            } else if byte < 0x20 {
                let escape = control_escape(byte);
                self.edit(at, at + 1, escape, Code::UnescapedControl);
                token.edited = true;
                token.scan = at + 1;
            } else {
                match quote_of(bytes, at).filter(|(quote, _)| token.quote.is_closed_by(*quote)) {
                    Some((_, length)) if at >= token.inner_until => {
                        if self.meet_quote(&mut token, at, length)? {
                            return Ok(());
                        }
                    }
                    Some((_, length)) => self.keep_quote(&mut token, at, length),
                    None if byte == b'"' => self.keep_quote(&mut token, at, 1),
                    // Not counted as an inner quote: whether the scan stops here depends on the pieces.
                    None => token.scan = at + if byte < 0x80 { 1 } else { utf8_length(byte) },
                }
            }
        }
    }

    // Whether the string goes on to a backtick after which JSON does.
    fn backtick_closes(&self, from: usize) -> Step<bool> {
        for at in from..from + WINDOW {
            match self.byte(at)? {
                None => return Ok(false),
                Some(b'`') => return Ok(self.outlook(at + 1, Role::Value)? == Outlook::Sure),
                Some(_) => {}
            }
        }
        Ok(false)
    }

    // `""word" and more"`: the second quote belongs to a pair inside the string.
    fn opens_inner_pair(&self, second: usize, role: Role) -> Step<bool> {
        let quote = self.bytes()[second];
        let mut at = second + 1;
        while at < second + WINDOW {
            match self.byte(at)? {
                None | Some(b'\n') => return Ok(false),
                Some(b'\\') => at += 2,
                Some(byte) if byte == quote => {
                    let again = self.byte(at + 1)? == Some(quote);
                    return Ok(role == Role::Value
                        && !again
                        && self.outlook(at + 1, role)? == Outlook::Unlikely);
                }
                Some(_) => at += 1,
            }
        }
        Ok(false)
    }

    // A quote that is content: a double one must be escaped, the others may stand.
    fn keep_quote(&mut self, token: &mut Str, at: usize, length: usize) {
        let doubled = at == token.body
            && self.bytes()[at] == self.bytes()[token.start]
            && !self.opens_inner_pair(at, token.role).unwrap_or(false);
        if doubled && length == 1 && token.quote != Quote::Triple {
            // Directly after the opening quote it is that quote, written twice.
            self.edit(at, at + 1, "", Code::DoubledQuote);
            token.edited = true;
        } else if self.bytes()[at] == b'"' {
            self.edit(at, at, "\\", Code::UnescapedQuote);
            token.edited = true;
        }
        token.inner = token.inner.wrapping_add(1);
        token.scan = at + length;
    }

    // Decides about a quote that could close the string; gives whether the string is done.
    fn meet_quote(&mut self, token: &mut Str, at: usize, length: usize) -> Step<bool> {
        if token.quote == Quote::Triple {
            let closes = self.looking_at(at, b"\"\"\"")?;
            if closes {
                self.close_string(*token, at, 3, false)?;
            } else {
                self.keep_quote(token, at, 1);
            }
            return Ok(closes);
        }
        if token.quote == Quote::Backtick
            && self.bytes()[at] != b'`'
            && self.backtick_closes(at + length)?
        {
            self.keep_quote(token, at, length);
            return Ok(false);
        }
        if token.stops {
            // The string has no closing quote; this one opens the next string.
            self.close_before(*token, at)?;
            return Ok(true);
        }
        if token.doubled && self.bytes().get(at + 1) == self.bytes().get(at) {
            self.close_string(*token, at, length + 1, true)?;
            return Ok(true);
        }
        if let Some(colon) = self.names_member(token, at, length)?
            && self.drop_repeated_key(token, at, colon)
        {
            return Ok(true);
        }
        let known = at == token.closes_at || self.names_member(token, at, length)?.is_some();
        let outlook = if known { Outlook::Sure } else { self.outlook(at + length, token.role)? };
        if outlook == Outlook::Sure {
            self.close_string(*token, at, length, false)?;
            return Ok(true);
        }
        if self.begin_again(at)? {
            return Ok(true);
        }
        if self.closes_twice(token, at, length)? {
            token.guessed = token.role == Role::Value;
            self.close_string(*token, at, length + 1, true)?;
            return Ok(true);
        }
        if let Some(end) = self.other_end(token, at)? {
            self.close_at_other(*token, end)?;
            return Ok(true);
        }
        if outlook == Outlook::Unlikely
            && let Some(end) = self.missing_end(token, at)?
        {
            self.close_before(*token, end)?;
            return Ok(true);
        }
        match self.better_quote(token, at + length, outlook)? {
            Better::None => {
                // Words follow the quote: that it closes the string is a guess.
                token.guessed = outlook == Outlook::Unlikely && token.role == Role::Value;
                self.close_string(*token, at, length, false)?;
                Ok(true)
            }
            better => {
                match better {
                    Better::Closes(later) => (token.inner_until, token.closes_at) = (later, later),
                    Better::Later(later) => token.inner_until = later,
                    Better::None => {}
                }
                self.keep_quote(token, at, length);
                Ok(false)
            }
        }
    }
}

/// Whether a string without a closing quote ends before this byte.
pub(super) const fn is_stop(byte: u8) -> bool {
    matches!(byte, b',' | b'[' | b']' | b'/' | b'{' | b'}' | b'\n' | b'+')
}
