//! A value given as a fenced block: `"code": ```py … ``` , …`.
//!
//! In: a fence where the value of a member, or an item of a list, should be. Out: a string with the
//! lines of the block, as they are. Never takes the fence around the whole for one: a block begins on
//! its fence's next line, and JSON goes on after the fence that closes it.

use super::escape::control_escape;
use super::machine::{Machine, Step, Token, Wait, narrow};
use super::quote::rskip_blank;
use super::repair::RepairCode as Code;
use super::tree::{NodeState, Shape, Tag};
use crate::markdown::TICKS;

impl Machine {
    /// Begins a block, where one is here. Gives whether it did.
    pub(super) fn begin_block(&mut self) -> Step<bool> {
        if self.stack.is_empty() {
            return Ok(false);
        }
        let start = self.pos;
        let mut body = self.fence_end(start)?;
        while matches!(self.byte(body)?, Some(b' ' | b'\t' | b'\r')) {
            body += 1;
        }
        if self.byte(body)? != Some(b'\n') {
            return Ok(false);
        }
        body += 1;
        self.token = Some(Token::Block { start, body, scan: body });
        Ok(true)
    }

    pub(super) fn step_block(&mut self, start: usize, body: usize, mut scan: usize) -> Step {
        while let Some(fence) = self.next_fence(scan) {
            self.token = Some(Token::Block { start, body, scan: fence });
            let mut end = fence;
            while self.byte(end)? == Some(b'`') {
                end += 1;
            }
            if self.closes_block(body, fence, end)? {
                self.finish_block(start, body, fence, end);
                return Ok(());
            }
            scan = end;
        }
        if !self.last {
            // Ticks at the very end may be the first of a fence.
            let scan = self.bytes().len().saturating_sub(TICKS.len() - 1).max(scan);
            self.token = Some(Token::Block { start, body, scan });
            return Err(Wait);
        }
        self.token = None;
        self.pos = start;
        self.meet_fence()
    }

    fn next_fence(&self, scan: usize) -> Option<usize> {
        let rest = self.bytes().get(scan..)?;
        memchr::memmem::find(rest, TICKS.as_bytes()).map(|length| scan + length)
    }

    // A fence on a line of its own after which JSON goes on.
    fn closes_block(&self, body: usize, fence: usize, end: usize) -> Step<bool> {
        let bytes = self.bytes();
        let line = rskip_spaces(bytes, body, fence);
        if line > body && bytes[line - 1] != b'\n' {
            return Ok(false);
        }
        let next = self.skip_gap(end)?;
        Ok(match self.sign_at(next)? {
            None => true,
            Some((b',' | b'}' | b']' | b';', _)) => true,
            Some(_) => {
                bytes[end..next].contains(&b'\n') && self.has_keys() && self.key_follows(next)?
            }
        })
    }

    fn finish_block(&mut self, start: usize, body: usize, fence: usize, end: usize) {
        let bytes = self.bytes();
        let line = rskip_spaces(bytes, body, fence);
        // The break at the end of several lines is that of a file; one line alone is a text without.
        let lines = bytes[body..line].iter().filter(|&&byte| byte == b'\n').count();
        let stop = if lines > 1 { line } else { rskip_blank(bytes, body, line) };
        self.token = None;
        self.member_begins(start);
        let mark = narrow(self.tree.edits.len());
        self.edit(start, body, "\"", Code::FenceDropped);
        for at in body..stop {
            let byte = self.bytes()[at];
            match byte {
                b'"' | b'\\' => self.edit(at, at, "\\", Code::UnescapedQuote),
                0..0x20 => self.edit(at, at + 1, control_escape(byte), Code::UnescapedControl),
                _ => {}
            }
        }
        self.edit(stop, end, "\"", Code::FenceDropped);
        self.end_token_edits();
        let index = self.push_node(start, end, Tag::String, NodeState::Complete);
        if let Some(node) = self.node_mut(index) {
            node.shape = Shape::Edited;
            node.link = mark;
        }
        self.pos = end;
        self.value_done();
    }
}

fn rskip_spaces(bytes: &[u8], from: usize, mut to: usize) -> usize {
    while to > from && matches!(bytes[to - 1], b' ' | b'\t') {
        to -= 1;
    }
    to
}
