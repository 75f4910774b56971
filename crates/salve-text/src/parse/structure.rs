//! The grammar of lists and objects: keys, colons, commas and brackets, forgiving.
//!
//! In: the byte at the current place and what is expected there. Out: frames opened and closed,
//! tokens begun, edits for whatever strict JSON would not accept. Never drops a value in silence: what
//! cannot belong anywhere is words without a role, and a container that lost one is not complete.

use super::ParseMode;
use super::machine::{Comma, FrameKind, Machine, State, Step, Token, Wait, narrow};
use super::repair::RepairCode as Code;
use super::string::Role;
use super::tree::{NodeState, Shape, Tag};
use crate::markdown::TICKS;

// How many items of a list that lost its opener are looked at.
const MOST_ITEMS: usize = 16;

impl Machine {
    pub(super) fn step_value(&mut self, byte: u8) -> Step {
        let in_object = self.has_keys();
        match byte {
            b'"' | b'\'' if in_object && self.lost_list()? => {
                let open_edit = narrow(self.tree.edits.len());
                self.edit(self.pos, self.pos, "[", Code::MissingBraces);
                self.push_frame(self.pos, FrameKind::Array, Tag::Array, open_edit);
                self.doubt_container();
                Ok(())
            }
            b'{' | b'[' | b'(' => self.open_container(byte),
            b'}' | b']' | b')' => {
                if in_object {
                    self.missing_value(self.pos);
                    Ok(())
                } else {
                    self.close_by(byte)
                }
            }
            b',' if in_object => {
                if self.value_behind_comma()? {
                    self.doubt_container();
                    return self.drop_here(1, Code::ExtraComma);
                }
                self.missing_value(self.pos);
                Ok(())
            }
            b',' => self.drop_here(1, Code::ExtraComma),
            b':' => self.drop_here(1, Code::ExtraColon),
            0xEF if self.drop_full_width()? => Ok(()),
            b'`' if self.is_fence(self.pos)? && self.begin_block()? => Ok(()),
            _ => {
                if self.drop_noise(byte)? {
                    return Ok(());
                }
                if let Some(quote) = self.quote_at(self.pos)? {
                    return self.begin_string(quote, Role::Value);
                }
                self.begin_bare(Role::Value);
                Ok(())
            }
        }
    }

    pub(super) fn step_key(&mut self, byte: u8) -> Step {
        match byte {
            b'}' | b']' | b')' => self.close_by(byte),
            b',' => self.drop_here(1, Code::ExtraComma),
            b':' => self.drop_here(1, Code::ExtraColon),
            0xEF if self.drop_full_width()? => Ok(()),
            b'{' | b'[' if self.begin_again(self.pos)? => Ok(()),
            b'{' | b'[' if self.reopen_list(byte) => Ok(()),
            b'"' | b'\'' | b'0'..=b'9' | b'-' if self.is_item()? && self.reopen_list(byte) => {
                Ok(())
            }
            b'{' if self.starts_sibling()? => {
                self.close_frame(self.pos, self.pos, NodeState::Inferred);
                self.value_done();
                Ok(())
            }
            b'{' | b'[' | b'(' => {
                self.doubt_object();
                self.drop_here(1, Code::ExtraOpener)
            }
            _ => {
                if self.drop_noise(byte)? {
                    return Ok(());
                }
                if let Some(quote) = self.quote_at(self.pos)? {
                    return self.begin_string(quote, Role::Key);
                }
                self.begin_bare(Role::Key);
                Ok(())
            }
        }
    }

    // What an opener among the members would have held becomes part of this object, which is a guess.
    fn doubt_object(&mut self) {
        if self.stack.last().is_some_and(|frame| frame.comma != Comma::First) {
            self.doubt_container();
        }
    }

    /// The innermost container may lack a value that its text has.
    pub(super) fn doubt_container(&mut self) {
        let Some(container) = self.stack.last().map(|frame| frame.node) else { return };
        if let Some(node) = self.node_mut(container) {
            node.state = node.state.max(NodeState::Inferred);
        }
    }

    // `"a": "x", "y"]`: strings after a colon that a bracket closes, none of them a key.
    fn lost_list(&self) -> Step<bool> {
        if self.stack.len() >= self.max_depth {
            return Ok(false);
        }
        let mut at = self.pos;
        for item in 0..MOST_ITEMS {
            let Some(sign) = self.behind_string(at)? else { return Ok(false) };
            match self.byte(sign)? {
                Some(b']') => return Ok(item > 0),
                Some(b',') => at = self.skip_gap(sign + 1)?,
                _ => return Ok(false),
            }
        }
        Ok(false)
    }

    // `"a": , "x" "b": …`: the value and its comma changed places. A key would have a colon.
    fn value_behind_comma(&self) -> Step<bool> {
        let next = self.skip_gap(self.pos + 1)?;
        match self.byte(next)? {
            Some(b'{' | b'[') => Ok(true),
            Some(b'"') => {
                let Some(behind) = self.behind_string(next)? else { return Ok(false) };
                Ok(self.byte(behind)?.is_some_and(|byte| !matches!(byte, b':' | b'}' | b',')))
            }
            _ => Ok(false),
        }
    }

    // A comma or a colon of full width where none is needed.
    fn drop_full_width(&mut self) -> Step<bool> {
        let (code, width) = match self.sign_at(self.pos)? {
            Some((b',' | b';', width)) if width > 1 => (Code::ExtraComma, width),
            Some((b':', width)) if width > 1 => (Code::ExtraColon, width),
            _ => return Ok(false),
        };
        self.drop_here(width, code)?;
        Ok(true)
    }

    // Whether a scalar is here, and a comma or the end of a list after it: no key.
    fn is_item(&self) -> Step<bool> {
        self.value_follows(self.pos)
    }

    pub(super) fn step_colon(&mut self, byte: u8) -> Step {
        match byte {
            0xEF if matches!(self.sign_at(self.pos)?, Some((b':', 3))) => {
                self.edit(self.pos, self.pos + 3, ":", Code::WrongColon);
                self.pos += 3;
                self.state = State::Value;
            }
            b'{' | b'[' if self.begin_again(self.pos)? => {}
            b':' => {
                self.pos += 1;
                self.state = State::Value;
            }
            b'=' => {
                let arrow = self.byte(self.pos + 1)? == Some(b'>');
                let end = self.pos + if arrow { 2 } else { 1 };
                self.edit(self.pos, end, ":", Code::WrongColon);
                self.pos = end;
                self.state = State::Value;
            }
            b'}' | b']' | b')' | b',' => {
                self.edit(self.pos, self.pos, ":", Code::MissingColon);
                self.missing_value(self.pos);
            }
            _ => {
                if self.drop_noise(byte)? {
                    return Ok(());
                }
                self.edit(self.pos, self.pos, ":", Code::MissingColon);
                self.state = State::Value;
            }
        }
        Ok(())
    }

    pub(super) fn step_after(&mut self, byte: u8) -> Step {
        let keys = self.has_keys();
        match byte {
            b',' => {
                let pos = self.pos;
                self.set_comma(Comma::Seen(pos));
                self.pos += 1;
            }
            b'}' | b']' | b')' => return self.close_by(byte),
            b':' | b';' => return self.drop_here(1, Code::ExtraColon),
            0xEF if self.drop_full_width()? => return Ok(()),
            b'{' | b'[' if self.begin_again(self.pos)? => return Ok(()),
            b'+' if !self.byte(self.pos + 1)?.is_some_and(|next| next.is_ascii_digit()) => {
                return self.drop_here(1, Code::StringConcatenation);
            }
            _ => {
                if self.drop_noise(byte)? {
                    return Ok(());
                }
                self.set_comma(Comma::Missing);
            }
        }
        self.state = if keys { State::Key } else { State::Value };
        Ok(())
    }

    // Comments, fences and ellipses may be between any two tokens.
    fn drop_noise(&mut self, byte: u8) -> Step<bool> {
        match byte {
            b'/' => match self.byte(self.pos + 1)? {
                Some(b'/') => self.begin_comment(false),
                Some(b'*') => self.begin_comment(true),
                _ => return Ok(false),
            },
            b'#' => self.begin_comment(false),
            b'`' if self.is_fence(self.pos)? => self.meet_fence()?,
            b'.' if self.looking_at(self.pos, b"...")? => {
                self.drop_here(3, Code::Ellipsis)?;
            }
            0xE2 if self.looking_at(self.pos, "…".as_bytes())? => {
                self.drop_here(3, Code::Ellipsis)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    // A fence inside an open value ends it where the value has begun, and is noise before that.
    pub(super) fn meet_fence(&mut self) -> Step {
        let begun = self.tree.nodes.len() > self.begun.1 + 1;
        if self.mode == ParseMode::Llm && begun {
            self.cut_here();
            return Ok(());
        }
        let end = self.fence_end(self.pos)?;
        self.edit(self.pos, end, "", Code::FenceDropped);
        self.pos = end;
        Ok(())
    }

    /// Returns whether a fence is here; between two tokens it needs no line of its own.
    pub(super) fn is_fence(&self, at: usize) -> Step<bool> {
        self.looking_at(at, TICKS.as_bytes())
    }

    // The end of the ticks and of the label after them.
    pub(super) fn fence_end(&self, mut at: usize) -> Step<usize> {
        while self.byte(at)? == Some(b'`') {
            at += 1;
        }
        while self
            .byte(at)?
            .is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'+' | b'-'))
        {
            at += 1;
        }
        Ok(at)
    }

    fn begin_comment(&mut self, block: bool) {
        let (start, scan) = (self.pos, self.pos + if block { 2 } else { 1 });
        self.token = Some(Token::Comment { start, scan, block });
    }

    pub(super) fn step_comment(&mut self, start: usize, scan: usize, block: bool) -> Step {
        let rest = self.bytes().get(scan..).unwrap_or_default();
        let end = if block {
            memchr::memmem::find(rest, b"*/").map(|at| scan + at + 2)
        } else {
            memchr::memchr(b'\n', rest).map(|at| scan + at)
        };
        let Some(end) = end.or_else(|| self.last.then_some(self.bytes().len())) else {
            // A star at the very end may be the first half of the end.
            let scan = if block {
                self.bytes().len().saturating_sub(1).max(scan)
            } else {
                self.bytes().len()
            };
            self.token = Some(Token::Comment { start, scan, block });
            return Err(Wait);
        };
        self.token = None;
        if self.state != State::Top {
            self.edit(start, end, "", Code::Comment);
        }
        self.pos = end;
        Ok(())
    }

    pub(super) fn drop_here(&mut self, length: usize, code: Code) -> Step {
        self.edit(self.pos, self.pos + length, "", code);
        self.pos += length;
        Ok(())
    }

    pub(super) fn set_comma(&mut self, comma: Comma) {
        if let Some(frame) = self.stack.last_mut() {
            frame.comma = comma;
        }
    }

    /// Settles the comma in front of a member that begins at `at`.
    pub(super) fn member_begins(&mut self, at: usize) {
        let Some(frame) = self.stack.last_mut() else { return };
        let missing = frame.comma == Comma::Missing;
        frame.comma = Comma::Member;
        if missing {
            self.edit(at, at, ",", Code::MissingComma);
        }
    }

    fn missing_value(&mut self, at: usize) {
        // The two worlds disagree: one reads an absent value as empty, the other as null.
        let at_end = at >= self.bytes().len();
        if self.mode == ParseMode::Llm && !at_end {
            let mark = narrow(self.tree.edits.len());
            self.edit(at, at, "\"\"", Code::MissingValue);
            self.end_token_edits();
            let index = self.push_node(at, at, Tag::String, NodeState::Inferred);
            if let Some(node) = self.node_mut(index) {
                node.shape = Shape::Edited;
                node.link = mark;
            }
        } else {
            self.edit(at, at, "null", Code::MissingValue);
            self.push_node(at, at, Tag::Null, NodeState::Inferred);
        }
        self.value_done();
    }

    /// Marks the last edit as the end of a token.
    pub(super) fn end_token_edits(&mut self) {
        let Some(at) = self.tree.edits.len().checked_sub(1) else { return };
        self.remember_edits(at);
        self.tree.edits[at].ends_token = true;
    }

    /// A value is on the tape.
    pub(super) fn value_done(&mut self) {
        match self.stack.last_mut() {
            None => self.found_value(),
            Some(frame) => {
                frame.comma = Comma::Member;
                self.state = State::After;
            }
        }
    }
}
