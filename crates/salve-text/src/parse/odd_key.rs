//! Keys whose quotes or colon are not where they belong.
//!
//! In: the first byte of a key's name, after its quote. Out: where the name ends and what is to be
//! done there. Never touches a key that its own quote closes before a colon.

use super::machine::{FrameKind, Machine, State, Step, WINDOW};
use super::quote::{is_word, quote_of};
use super::repair::RepairCode as Code;
use super::string::{Role, Str};
use super::tree::NodeId;

// Longer than names are.
const LONGEST_NAME: usize = 64;

/// How a key ends that does not end at its own quote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OddEnd {
    /// `"name': 1`: a quote of another kind, of this length.
    OtherQuote(usize),
    /// `"name: 1`: none.
    NoQuote,
    /// `"name:" 1`: the colon is before the quote.
    ColonInside,
}

impl Machine {
    /// Reads the name at `body` and says how it ends, where it does so in one of the odd ways.
    pub(super) fn odd_key(&self, body: usize) -> Step<Option<(usize, OddEnd)>> {
        let mut end = body;
        while end < body + LONGEST_NAME
            && self.byte(end)?.is_some_and(|it| is_word(it) || matches!(it, b'.' | b'@' | b'/'))
            && quote_of(self.bytes(), end).is_none()
        {
            end += 1;
        }
        if end == body {
            return Ok(None);
        }
        if self.byte(end)?.is_some_and(|byte| byte >= 0x80) {
            // The rest of the quote decides.
            self.byte(end + 2)?;
        }
        if let Some((_, length)) = quote_of(self.bytes(), end) {
            let colon = self.skip_gap(end + length)?;
            let ends = matches!(self.sign_at(colon)?, Some((b':', _)));
            return Ok(ends.then_some((end, OddEnd::OtherQuote(length))));
        }
        if self.byte(end)? != Some(b':') {
            return Ok(None);
        }
        Ok(self.odd_colon(end)?.map(|how| (end, how)))
    }

    fn odd_colon(&self, colon: usize) -> Step<Option<OddEnd>> {
        let value = self.skip_gap(colon + 1)?;
        let Some(byte) = self.byte(value)? else { return Ok(None) };
        if value == colon + 1 && byte == b'"' {
            let behind = self.skip_blank(value + 1);
            let spaced = behind > value + 1;
            let opens = match self.byte(behind)? {
                Some(b'{' | b'[') => true,
                Some(b'"') => spaced && self.value_follows(behind)?,
                Some(_) => spaced && self.value_follows(behind)?,
                None => false,
            };
            return Ok(opens.then_some(OddEnd::ColonInside));
        }
        let fits = match byte {
            b'{' | b'[' => {
                let inside = self.skip_gap(value + 1)?;
                let next = self.byte(inside)?;
                matches!(next, Some(b'"' | b'\'' | b'{' | b'[' | b'}' | b']' | b'0'..=b'9' | b'-'))
                    || inside > value + 1 && self.word_key_follows(inside)?
            }
            _ => self.value_follows(value)?,
        };
        Ok(fits.then_some(OddEnd::NoQuote))
    }

    // Whether the string that begins at `body` is a key as it should be: its first quote is followed by
    // a colon.
    fn is_sound_key(&self, token: &Str) -> Step<bool> {
        let mut at = token.body;
        while at < token.body + WINDOW {
            match self.byte(at)? {
                None => return Ok(false),
                Some(b'\\') => at += 2,
                Some(0..0x20) => return Ok(false),
                Some(_) => match quote_of(self.bytes(), at) {
                    Some((quote, length)) if token.quote.is_closed_by(quote) => {
                        let colon = self.skip_gap(at + length)?;
                        return Ok(matches!(self.sign_at(colon)?, None | Some((b':', _))));
                    }
                    _ => at += 1,
                },
            }
        }
        Ok(true)
    }

    /// Ends a key that has just begun where it is an odd one. Gives whether it did.
    pub(super) fn end_odd_key(&mut self, token: Str) -> Step<bool> {
        if token.role != Role::Key || token.doubled || self.is_sound_key(&token)? {
            return Ok(false);
        }
        let Some((end, how)) = self.odd_key(token.body)? else { return Ok(false) };
        match how {
            OddEnd::OtherQuote(length) => self.close_string(token, end, length, false)?,
            OddEnd::NoQuote => self.close_before(token, end)?,
            OddEnd::ColonInside => {
                self.close_before(token, end)?;
                self.edit(end + 1, end + 2, "", Code::DoubledQuote);
                self.pos = end + 2;
                self.state = State::Value;
            }
        }
        Ok(true)
    }

    /// `"a": "b": …`: whether the string that the quote at `at` ends names a member, where a value of an
    /// object should be. Gives the place of the colon.
    pub(super) fn names_member(
        &self,
        token: &Str,
        at: usize,
        length: usize,
    ) -> Step<Option<usize>> {
        let object = matches!(self.frame_kind(), Some(FrameKind::Object | FrameKind::Implied));
        if token.role == Role::Key || !object || token.inner > 0 || at - token.body > LONGEST_NAME {
            return Ok(None);
        }
        let name = &self.bytes()[token.body..at];
        if name.is_empty()
            || name.iter().any(|it| matches!(it, 0..0x20 | b'"' | b',' | b'{' | b'['))
        {
            return Ok(None);
        }
        let colon = self.skip_blank(at + length);
        if self.byte(colon)? != Some(b':') {
            return Ok(None);
        }
        let value = self.skip_gap(colon + 1)?;
        let begins = match self.byte(value)? {
            Some(b'{' | b'[') => true,
            Some(_) if quote_of(self.bytes(), value).is_some() => true,
            Some(_) => self.value_follows(value)?,
            None => false,
        };
        Ok(begins.then_some(colon))
    }

    /// Drops the second of two keys that are the same, `"a": "a": 1`. Gives whether it did.
    pub(super) fn drop_repeated_key(&mut self, token: &Str, end: usize, colon: usize) -> bool {
        let Some(last) = self.tree.nodes.len().checked_sub(1) else { return false };
        let key = NodeId(super::machine::narrow(last));
        let same = self.tree.text(key).as_bytes() == &self.bytes()[token.body..end];
        if same {
            self.truncate_edits(token.mark);
            self.edit(token.start, colon + 1, "", Code::DuplicateKey);
            self.token = None;
            self.pos = colon + 1;
            self.state = State::Value;
        }
        same
    }
}
