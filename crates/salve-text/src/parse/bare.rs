//! Tokens without quotes: numbers, literals, words, calls.
//!
//! In: a byte that opens nothing. Out: a number, a literal, a string, a call's frame, or words that
//! were dropped. Never reads a number it cannot keep to the last digit.

use super::ParseMode;
use super::escape::control_escape;
use super::machine::{Machine, State, Step, Token, WINDOW, narrow};
use super::outlook::Outlook;
use super::quote::{quote_of, rskip_blank, utf8_length};
use super::repair::RepairCode as Code;
use super::string::Role;
use super::tree::{NodeState, Shape, Tag};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Number,
    Word,
    Regex,
}

/// A token without quotes whose end has not been seen yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bare {
    pub(super) start: usize,
    pub(super) scan: usize,
    role: Role,
    phase: Phase,
    /// Brackets opened inside the word.
    nest: u32,
}

impl Machine {
    pub(super) fn begin_bare(&mut self, role: Role) {
        let start = self.pos;
        let byte = self.bytes().get(start).copied().unwrap_or(0);
        let phase = match byte {
            b'0'..=b'9' | b'-' | b'+' | b'.' if role == Role::Value => Phase::Number,
            b'/' if role == Role::Value => Phase::Regex,
            _ => Phase::Word,
        };
        let scan = start + utf8_length(byte);
        self.token = Some(Token::Bare(Bare { start, scan, role, phase, nest: 0 }));
    }

    pub(super) fn step_bare(&mut self, mut token: Bare) -> Step {
        loop {
            self.token = Some(Token::Bare(token));
            let Some(byte) = self.byte(token.scan)? else {
                return self.finish_bare(token, token.scan);
            };
            match token.phase {
                Phase::Number if is_number_byte(byte) => token.scan += 1,
                Phase::Number => {
                    if self.number_ends(token.scan, byte)? && self.is_number(&token)? {
                        return self.finish_bare(token, token.scan);
                    }
                    token.phase = Phase::Word;
                }
                Phase::Regex => match byte {
                    b'\\' => token.scan += 2,
                    b'/' => {
                        token.scan += 1;
                        token.phase = Phase::Word;
                    }
                    b'\n' => token.phase = Phase::Word,
                    _ => token.scan += 1,
                },
                Phase::Word => {
                    if token.role == Role::Key {
                        if self.key_word_stops(&token, byte)? {
                            return self.finish_bare(token, token.scan);
                        }
                    } else if byte == b'(' && token.nest == 0 && self.open_call(&token)? {
                        return Ok(());
                    } else if self.word_stops(&mut token, byte)? {
                        return self.finish_bare(token, token.scan);
                    }
                    token.scan += 1;
                }
            }
        }
    }

    // `{key 1, …}`: a number after a key is its value unless a colon follows.
    fn number_behind_key(&self, at: usize) -> Step<bool> {
        let start = self.skip_blank(at);
        let mut end = start;
        while end < start + 32 && self.byte(end)?.is_some_and(is_number_byte) {
            end += 1;
        }
        let sign = self.skip_blank(end);
        let digits = self.bytes().get(start).is_some_and(u8::is_ascii_digit);
        Ok(digits && sign > at && self.byte(sign)? != Some(b':'))
    }

    fn key_word_stops(&self, token: &Bare, byte: u8) -> Step<bool> {
        Ok(match byte {
            b' ' | b'\t' => self.number_behind_key(token.scan)?,
            b':' | b',' | b'{' | b'}' | b'[' | b']' | b'(' | b')' | b'\n' | b'"' | b'=' => true,
            0xEF => matches!(self.sign_at(token.scan)?, Some((b':', 3))),
            b'\'' | b'`' | 0xE2 => {
                self.byte(token.scan + 2)?;
                let spaced = matches!(self.bytes()[token.scan - 1], b' ' | b'\t');
                match quote_of(self.bytes(), token.scan) {
                    Some(_) if spaced => true,
                    Some((_, length)) => self.colon_behind(token.scan + length)?,
                    None => false,
                }
            }
            _ => false,
        })
    }

    fn colon_behind(&self, at: usize) -> Step<bool> {
        let colon = self.skip_gap(at)?;
        Ok(matches!(self.sign_at(colon)?, Some((b':', _))))
    }

    fn word_stops(&self, token: &mut Bare, byte: u8) -> Step<bool> {
        let llm = self.mode == ParseMode::Llm;
        let at = token.scan;
        match byte {
            b'\n' => return Ok(true),
            b' ' | b'\r' | b'\t' => {
                let word = &self.bytes()[token.start..at];
                return Ok(matches!(word, b"true" | b"false" | b"null"));
            }
            b'`' => return self.is_fence(at),
            b'"' => return Ok(token.nest == 0),
            b'{' | b'[' | b'(' if llm => token.nest += 1,
            b'}' | b']' | b')' if token.nest > 0 => token.nest -= 1,
            b'}' | b']' | b'{' | b'[' => return Ok(true),
            b')' => return Ok(self.open[2] > 0),
            b',' if token.nest > 0 => {}
            b',' if llm && !self.is_literal(token.start, at) => {
                match self.quote_behind_comma(at)? {
                    // The word goes on to a quote that closes it.
                    Some(quote) => token.scan = quote - 1,
                    None => return Ok(true),
                }
            }
            b',' => return Ok(true),
            b';' if self.is_literal(token.start, at) => return Ok(true),
            b'#' if matches!(self.bytes()[at - 1], b' ' | b'\t') => return Ok(true),
            0xEF if self.is_scalar_word(token.start, at) => {
                return Ok(matches!(self.sign_at(at)?, Some((b',' | b';', 3))));
            }
            b';' if self.stack.is_empty() => {
                let next = self.byte(at + 1)?;
                return Ok(next.is_none_or(|next| next.is_ascii_whitespace()));
            }
            b'/' => {
                let comment = matches!(self.byte(at + 1)?, Some(b'/' | b'*'));
                return Ok(comment && self.bytes()[at - 1] != b':');
            }
            _ => {}
        }
        Ok(false)
    }

    fn is_literal(&self, start: usize, end: usize) -> bool {
        literal(&self.bytes()[start..rskip_blank(self.bytes(), start, end)]).is_some()
    }

    // `{"a": one, two.", …}`: the words after a comma still belong to the value if a quote closes
    // them and neither a key nor a bracket comes before it.
    fn quote_behind_comma(&self, comma: usize) -> Step<Option<usize>> {
        if !self.has_keys() {
            return Ok(None);
        }
        for at in comma + 1..comma + WINDOW {
            match self.byte(at)? {
                Some(b'"') => {
                    let worded = !matches!(self.bytes()[at - 1], b' ' | b'\t' | b',');
                    let sure = worded && self.outlook(at + 1, Role::Value)? == Outlook::Sure;
                    return Ok(sure.then_some(at));
                }
                None | Some(b':' | b'{' | b'}' | b'[' | b']' | b'\n') => return Ok(None),
                Some(_) => {}
            }
        }
        Ok(None)
    }

    // ---- Ends.

    fn finish_bare(&mut self, token: Bare, stop: usize) -> Step {
        let stop = stop.min(self.bytes().len());
        let end = rskip_blank(self.bytes(), token.start, stop);
        match token.role {
            Role::Key => self.finish_key(&token, end, stop)?,
            Role::Value => {
                // A quote right after the word closes it: its opening quote is what is missing.
                let quoted = end == stop
                    && self.byte(stop)? == Some(b'"')
                    && self.outlook(stop + 1, Role::Value)? != Outlook::Unlikely;
                self.finish_word(&token, end, quoted);
            }
        }
        Ok(())
    }

    fn finish_key(&mut self, token: &Bare, end: usize, stop: usize) -> Step {
        let llm = self.mode == ParseMode::Llm;
        let sign = self.sign_at(stop)?.map(|(byte, _)| byte);
        let at_end = sign.is_none();
        let mut quoted = false;
        let mut quote = 1;
        let is_key = match sign {
            Some(b'\'' | b'`' | 0xE2)
                if end == stop
                    && let Some((_, length)) = quote_of(self.bytes(), stop)
                    && self.colon_behind(stop + length)? =>
            {
                (quoted, quote) = (true, length);
                true
            }
            Some(b':' | b'=') => true,
            Some(b'"') => {
                let behind = self.skip_blank(stop + 1);
                quoted = end == stop && self.byte(behind)? == Some(b':');
                quoted || !self.key_follows(stop)?
            }
            Some(b'\n') => {
                let behind = self.skip_blank(stop);
                self.byte(behind)? == Some(b':') || !llm
            }
            Some(b',' | b'}' | b']' | b')') | None => !llm,
            Some(_) => true,
        };
        self.token = None;
        if !is_key {
            let code = if at_end { Code::TruncatedKey } else { Code::TalkDropped };
            // What ends like a value, or is one, may have been one: its key is what was lost.
            let value = matches!(sign, Some(b',' | b'}' | b']' | b')'));
            if value || self.is_scalar_word(token.start, end) {
                self.doubt_container();
            }
            self.edit(token.start, stop, "", code);
            self.pos = stop;
            return Ok(());
        }
        self.member_begins(token.start);
        let resume = if quoted { stop + quote } else { end };
        let state = if at_end { NodeState::Truncated } else { NodeState::Complete };
        let code = if quoted { Code::MissingQuote } else { Code::UnquotedKey };
        if quoted && self.bytes()[stop] != b'"' {
            self.push_word(token.start, end, false, code, state);
            self.edit(end, resume, "", Code::MissingQuote);
        } else {
            self.push_word(token.start, end, quoted, code, state);
        }
        self.pos = resume;
        self.state = State::Colon;
        Ok(())
    }

    fn finish_word(&mut self, token: &Bare, end: usize, quoted: bool) {
        self.token = None;
        let start = token.start;
        self.member_begins(start);
        let resume = if quoted { end + 1 } else { end };
        let cut = end == self.bytes().len() && self.last && !self.stack.is_empty();
        // In a list, where the word begins is a guess; and two values may be one word.
        let guessed = quoted && !self.has_keys() || self.holds_two_values(start, end);
        let state = match (cut, guessed) {
            (true, _) => NodeState::Truncated,
            (false, true) => NodeState::Inferred,
            (false, false) => NodeState::Complete,
        };
        let word = self.tree.source.get(start..end).unwrap_or_default();
        let zero = word.trim_start_matches('-').starts_with('0') && token.phase == Phase::Number;
        let known = literal(word.as_bytes()).map(|(tag, name)| (tag, name, word == name));
        let partial =
            if cut && self.mode == ParseMode::Llm || end == self.bytes().len() && self.last {
                literal_prefix(word, self.mode)
            } else {
                None
            };
        if let Some((tag, name, plain)) = known {
            if !plain || quoted {
                self.edit(start, resume, name, Code::PythonLiteral);
            }
            // The text may end right after a literal without cutting it.
            self.push_node(start, resume, tag, NodeState::Complete);
        } else if let Some((tag, name)) = partial {
            self.edit(start, resume, name, Code::TruncatedLiteral);
            self.push_node(start, resume, tag, NodeState::Truncated);
        } else if !self.push_number(start, end, quoted, state) {
            let code = if quoted {
                Code::MissingQuote
            } else if zero {
                Code::LeadingZero
            } else {
                Code::UnquotedString
            };
            if !quoted && self.push_hexadecimal(start, end) {
                self.pos = resume;
                self.value_done();
                return;
            }
            let odd = zero || is_other_base(&self.bytes()[start..end]);
            let state = if odd { state.max(NodeState::Inferred) } else { state };
            self.push_word(start, end, quoted, code, state);
        }
        self.pos = resume;
        self.value_done();
    }

    fn is_scalar_word(&self, start: usize, end: usize) -> bool {
        let word = &self.bytes()[start..end];
        let number =
            word.iter().all(|&byte| is_number_byte(byte)) && word.iter().any(u8::is_ascii_digit);
        number || literal(word).is_some()
    }

    // `5 true`: a value, and another one that came between it and the comma.
    fn holds_two_values(&self, start: usize, end: usize) -> bool {
        let word = &self.bytes()[start..end];
        let blank = |byte: &u8| matches!(byte, b' ' | b'\t');
        let Some(first) = word.iter().position(blank) else { return false };
        let second = word.iter().rposition(blank).map_or(first, |at| at + 1);
        self.is_scalar_word(start, start + first) && self.is_scalar_word(start + second, end)
    }

    // Puts a word on the tape as a string.
    pub(super) fn push_word(
        &mut self,
        start: usize,
        end: usize,
        quoted: bool,
        code: Code,
        state: NodeState,
    ) {
        let mark = narrow(self.tree.edits.len());
        self.edit(start, start, "\"", code);
        let mut escaped = usize::MAX;
        for at in start..end {
            let byte = self.bytes()[at];
            match byte {
                _ if at == escaped => {}
                // Only the opening quote is absent: what was an escape is one.
                b'\\' if quoted && is_escape(&self.bytes()[at..end]) => escaped = at + 1,
                b'"' | b'\\' => self.edit(at, at, "\\", Code::UnescapedQuote),
                0..0x20 => self.edit(at, at + 1, control_escape(byte), Code::UnescapedControl),
                _ => {}
            }
        }
        if !quoted {
            self.edit(end, end, "\"", code);
        }
        self.end_token_edits();
        let index = self.push_node(start, if quoted { end + 1 } else { end }, Tag::String, state);
        if let Some(node) = self.node_mut(index) {
            node.shape = Shape::Edited;
            node.link = mark;
        }
    }
}

// `0x1f`: a number that is kept as text, which another reader would not.
fn is_other_base(word: &[u8]) -> bool {
    matches!(word, [b'0', b'x' | b'X' | b'o' | b'b', rest @ ..]
        if !rest.is_empty() && rest.iter().all(u8::is_ascii_hexdigit))
}

fn is_escape(bytes: &[u8]) -> bool {
    match bytes.get(1) {
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => true,
        Some(b'u') => super::decode::hex4(bytes.get(2..6)).is_some_and(|code| {
            !(0xD800..0xDC00).contains(&code) && !super::decode::is_low_surrogate(code)
        }),
        _ => false,
    }
}

/// Reads `true`, `false`, `null` and what stands for them in Python and JavaScript.
pub(super) fn literal(word: &[u8]) -> Option<(Tag, &'static str)> {
    let is = |name: &str| word.eq_ignore_ascii_case(name.as_bytes());
    if word.len() > 12 || word.len() < 3 {
        None
    } else if is("true") {
        Some((Tag::True, "true"))
    } else if is("false") {
        Some((Tag::False, "false"))
    } else if is("null") || matches!(word, b"None" | b"undefined") || is_not_a_number(word) {
        Some((Tag::Null, "null"))
    } else {
        None
    }
}

fn is_not_a_number(word: &[u8]) -> bool {
    let word = match word {
        [b'+' | b'-', rest @ ..] => std::str::from_utf8(rest).unwrap_or_default().trim_start(),
        _ => std::str::from_utf8(word).unwrap_or_default(),
    };
    matches!(word, "NaN" | "nan" | "Infinity")
}

fn literal_prefix(word: &str, mode: ParseMode) -> Option<(Tag, &'static str)> {
    if mode == ParseMode::Text || word.is_empty() {
        return None;
    }
    [
        ("true", Tag::True),
        ("false", Tag::False),
        ("null", Tag::Null),
        ("True", Tag::True),
        ("False", Tag::False),
        ("None", Tag::Null),
    ]
    .into_iter()
    .find(|(name, _)| name.starts_with(word))
    .map(|(_, tag)| match tag {
        Tag::True => (tag, "true"),
        Tag::False => (tag, "false"),
        _ => (tag, "null"),
    })
}

pub(super) const fn is_number_byte(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E' | b'_')
}
