//! Calls: `name(value)` and `name(key=value, …)`.
//!
//! In: a name with an opening parenthesis after it. Out: a frame around the values, which keeps the
//! name where the arguments have names too. Never takes prose for a call: what is after the
//! parenthesis must begin a value or a pair.

use super::ParseMode;
use super::bare::{Bare, literal};
use super::machine::{FrameKind, Machine, Step, WINDOW, narrow};
use super::quote::{is_word, quote_of, rskip_blank};
use super::repair::RepairCode as Code;
use super::tree::{NodeState, Tag};

impl Machine {
    // `name(` in front of a value, or of `key=value` pairs.
    pub(super) fn open_call(&mut self, token: &Bare) -> Step<bool> {
        let paren = token.scan;
        let name_end = rskip_blank(self.bytes(), token.start, paren);
        let name = &self.tree.source[token.start..name_end];
        let name = name.strip_prefix("new ").map_or(name, str::trim_start);
        let named = !name.is_empty()
            && !name.starts_with(|first: char| first.is_ascii_digit())
            && name.bytes().all(|byte| is_word(byte) && byte != b'-' || byte == b'.');
        if !named || self.stack.len() >= self.max_depth {
            return Ok(false);
        }
        let start = token.start;
        let inside = self.skip_blank(paren + 1);
        let Some(first) = self.byte(inside)? else { return Ok(false) };
        if self.pair_follows(inside)? {
            self.begin_call(start, name_end, paren);
            return Ok(true);
        }
        let value = matches!(first, b'{' | b'[' | b'-' | b'0'..=b'9')
            || quote_of(self.bytes(), inside).is_some()
            || (first == b')' && self.mode == ParseMode::Text)
            || self.call_of_literal(inside)?;
        if !value {
            return Ok(false);
        }
        self.token = None;
        self.member_begins(start);
        let open_edit = narrow(self.tree.edits.len());
        self.edit(start, paren + 1, "[", Code::CallWrapper);
        self.pos = paren + 1;
        self.push_frame(start, FrameKind::Wrap, Tag::Array, open_edit);
        Ok(true)
    }

    fn call_of_literal(&self, at: usize) -> Step<bool> {
        let mut end = at;
        while end < at + 10 && self.byte(end)?.is_some_and(|byte| byte.is_ascii_alphabetic()) {
            end += 1;
        }
        Ok(literal(&self.bytes()[at..end]).is_some())
    }

    /// Whether `key=` is at `at`.
    pub(super) fn pair_follows(&self, at: usize) -> Step<bool> {
        let mut end = at;
        while end < at + WINDOW && self.byte(end)?.is_some_and(|b| is_word(b) && b != b'-') {
            end += 1;
        }
        if end == at {
            return Ok(false);
        }
        let sign = self.skip_blank(end);
        Ok(self.byte(sign)? == Some(b'=') && self.byte(sign + 1)? != Some(b'='))
    }

    /// Opens `name(key=value, …)`, which becomes an object of one member that is an object.
    pub(super) fn begin_call(&mut self, start: usize, name_end: usize, paren: usize) {
        self.token = None;
        self.member_begins(start);
        self.push_node(start, start, Tag::Object, NodeState::Complete);
        self.edit(start, start, "{", Code::CallWrapper);
        self.push_word(start, name_end, false, Code::CallWrapper, NodeState::Complete);
        let open_edit = narrow(self.tree.edits.len());
        self.edit(name_end, paren + 1, ":{", Code::CallWrapper);
        self.pos = paren + 1;
        self.push_frame(paren, FrameKind::Call, Tag::Object, open_edit);
    }
}
