//! Reading by indentation: where brackets do not pair, how deep the lines are tells which one is wrong.
//!
//! In: a value whose brackets had to be repaired, written one member a line. Out: the same value read
//! again from its start, with brackets closed, dropped and supplied as the lines are indented. Happens
//! once, at the end of the text, and only up to a fixed length. Never for a text that is merely cut: its
//! last line must close the first.

use super::ParseMode;
use super::machine::{Frame, FrameKind, Machine, State, Step, Token, WINDOW};
use super::quote::rskip_blank;
use super::repair::RepairCode as Code;
use super::tree::{NodeState, Tag};

// Longer values are left as they were read.
const LONGEST_REREAD: usize = 64 * 1024;
// How many open brackets are looked through for the one that a line fits.
const MOST_FRAMES: usize = 32;
// How far the last line of the value may be from the end of the text.
const LONGEST_TAIL: usize = 2 * 1024;

impl Machine {
    /// At the end of the text: begins again, by indentation, where that can tell more. Gives whether it
    /// did.
    pub(super) fn read_again(&mut self) -> bool {
        let Some(start) = self.suspect else { return false };
        let first = self.found.first().is_some_and(|found| found.start as usize == start);
        let short = self.bytes().len() - start <= LONGEST_REREAD;
        if self.by_layout
            || self.mode == ParseMode::Text
            || !first
            || !short
            || !self.is_laid_out(start)
        {
            return false;
        }
        let fenced = self.found.first().is_some_and(|found| found.fenced);
        let (found, selected) =
            (std::mem::take(&mut self.found), std::mem::take(&mut self.tree.selected));
        if let Some(trial) = &mut self.trial {
            trial.replaced_found.get_or_insert(found);
            trial.replaced_selection.get_or_insert(selected);
        }
        self.by_layout = true;
        self.top = super::top::TopState::again(fenced);
        self.restart(start);
        true
    }

    // Whether the value at `start` has its members on lines of their own, and a last line that closes it.
    fn is_laid_out(&self, start: usize) -> bool {
        let Some(indent) = self.indent_of(start) else { return false };
        if !matches!(self.bytes()[start], b'{' | b'[') || !self.ends_line(start + 1) {
            return false;
        }
        let bytes = self.bytes();
        let mut end = bytes.len();
        let floor = end.saturating_sub(LONGEST_TAIL).max(start);
        while end > floor {
            let line =
                memchr::memrchr(b'\n', &bytes[floor..end]).map_or(floor, |at| floor + at + 1);
            let text = &bytes[line..end];
            let blank = text.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            if blank == indent && matches!(text.get(blank), Some(b'}' | b']')) {
                return true;
            }
            end = line.saturating_sub(1);
        }
        false
    }

    // The indentation of the line that `at` is in, where the line begins within the window.
    fn indent_of(&self, at: usize) -> Option<usize> {
        let bytes = self.bytes();
        let floor = at.saturating_sub(4 * WINDOW);
        let line = match memchr::memrchr(b'\n', &bytes[floor..at]) {
            Some(found) => floor + found + 1,
            None if floor == 0 => 0,
            None => return None,
        };
        let line = if bytes[line..].starts_with(b"\xEF\xBB\xBF") { line + 3 } else { line };
        Some(bytes[line..at].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count())
    }

    // The indentation of `at`, where it is the first thing of its line.
    fn column_of(&self, at: usize) -> Option<usize> {
        let bytes = self.bytes();
        let floor = at.saturating_sub(WINDOW);
        let blank =
            bytes[floor..at].iter().rev().take_while(|it| matches!(it, b' ' | b'\t')).count();
        let first = blank == at || bytes[at - blank - 1] == b'\n';
        first.then_some(blank)
    }

    // Whether nothing but a comment is between `at` and the end of its line.
    fn ends_line(&self, mut at: usize) -> bool {
        let bytes = self.bytes();
        while matches!(bytes.get(at), Some(b' ' | b'\t' | b'\r')) {
            at += 1;
        }
        match bytes.get(at) {
            None | Some(b'\n' | b'#') => true,
            Some(b'/') => matches!(bytes.get(at + 1), Some(b'/' | b'*')),
            _ => false,
        }
    }

    // The indentation that closes a frame, where its members have lines of their own.
    fn block_indent(&self, frame: &Frame) -> Option<usize> {
        let start = self.tree.nodes.get(frame.node as usize)?.start as usize;
        if matches!(self.bytes().get(start), Some(b'{' | b'[')) {
            return if self.ends_line(start + 1) { self.indent_of(start) } else { None };
        }
        // Its opener was supplied: the line before it is the one that it belongs to.
        let before = rskip_blank(self.bytes(), 0, start);
        self.indent_of(before.saturating_sub(1))
    }

    /// Settles what the indentation of a line says about the brackets before its first byte is read.
    /// Gives whether that byte was read.
    pub(super) fn lay_out(&mut self, byte: u8) -> Step<bool> {
        if !self.by_layout || self.laid == self.pos + 1 || self.stack.is_empty() {
            return Ok(false);
        }
        self.laid = self.pos + 1;
        let closer = matches!(byte, b'}' | b']');
        let Some(column) = self.column_of(self.pos) else {
            return if closer {
                self.drop_inline_closer(byte)
            } else {
                self.drop_double_opener(byte)
            };
        };
        let from = self.stack.len().saturating_sub(MOST_FRAMES);
        if closer {
            let frames = &self.stack[from..];
            let own = frames.iter().rposition(|frame| self.block_indent(frame) == Some(column));
            return match own {
                Some(own) => self.close_laid(from + own, byte),
                None => {
                    self.doubt_container();
                    self.drop_here(1, Code::ExtraCloser)?;
                    Ok(true)
                }
            };
        }
        if matches!(byte, b',' | b':' | b'/' | b'#') {
            // A comma of its own line belongs to what is before it.
            if byte == b',' && self.column_inside(column) {
                self.close_deeper(column);
            }
            return Ok(false);
        }
        self.close_deeper(column);
        if self.state == State::Value && self.has_keys() {
            self.supply_list(byte, column)?;
            return Ok(false);
        }
        self.drop_double_opener(byte)
    }

    fn column_inside(&self, column: usize) -> bool {
        self.stack
            .iter()
            .any(|frame| self.block_indent(frame).is_some_and(|indent| indent < column))
    }

    // Closes the frames whose members are deeper than this line.
    fn close_deeper(&mut self, column: usize) {
        while self.stack.len() > 1 {
            let Some(frame) = self.stack.last().copied() else { return };
            let deeper = match self.block_indent(&frame) {
                Some(indent) => indent >= column,
                None => false,
            };
            if !deeper {
                return;
            }
            self.settle_key();
            self.close_frame(self.pos, self.pos, NodeState::Inferred);
            self.value_done();
        }
    }

    // A key that has no value gets none before its object is closed.
    fn settle_key(&mut self) {
        let waits = self.state == State::Colon || self.state == State::Value && self.has_keys();
        if waits {
            let after = if self.state == State::Colon { ":null" } else { "null" };
            self.edit(self.pos, self.pos, after, Code::MissingValue);
            self.push_node(self.pos, self.pos, Tag::Null, NodeState::Inferred);
        }
    }

    fn close_laid(&mut self, own: usize, byte: u8) -> Step<bool> {
        while self.stack.len() > own + 1 {
            self.settle_key();
            self.close_frame(self.pos, self.pos, NodeState::Inferred);
            self.value_done();
        }
        let Some(frame) = self.stack.last().copied() else { return Ok(false) };
        if frame.kind.is_closed_by(byte)
            || !matches!(frame.kind, FrameKind::Object | FrameKind::Array)
        {
            return Ok(false);
        }
        self.settle_key();
        let (after, pos) = (if byte == b'}' { "]" } else { "}" }, self.pos);
        self.pos += 1;
        self.close_frame(pos, pos + 1, NodeState::Inferred);
        self.edit(pos, pos + 1, after, Code::MismatchedCloser);
        self.value_done();
        Ok(true)
    }

    // `"x"],⏎`: a bracket whose members have lines of their own is not closed at the end of one.
    fn drop_inline_closer(&mut self, _: u8) -> Step<bool> {
        let block = self.stack.last().is_some_and(|frame| self.block_indent(frame).is_some());
        if !block || self.state == State::Value && self.has_keys() {
            return Ok(false);
        }
        self.doubt_container();
        self.drop_here(1, Code::ExtraCloser)?;
        Ok(true)
    }

    // `[[⏎`: a bracket that was written twice.
    fn drop_double_opener(&mut self, byte: u8) -> Step<bool> {
        let twice = matches!(byte, b'{' | b'[') && self.bytes().get(self.pos + 1) == Some(&byte);
        if !twice || self.state != State::Value || !self.ends_line(self.pos + 2) {
            return Ok(false);
        }
        self.doubt_container();
        self.drop_here(1, Code::ExtraOpener)?;
        Ok(true)
    }

    // `"a": ⏎ 1,⏎ 2⏎ ]`: the bracket after the colon was lost.
    fn supply_list(&mut self, byte: u8, column: usize) -> Step {
        let before = rskip_blank(self.bytes(), 0, self.pos);
        let deeper = self.indent_of(before.saturating_sub(1)).is_some_and(|indent| indent < column);
        let named = self.key_follows(self.pos)? || self.word_key_follows(self.pos)?;
        if !deeper || named || byte == b'`' || self.stack.len() >= self.max_depth {
            return Ok(());
        }
        let open_edit = super::machine::narrow(self.tree.edits.len());
        self.edit(self.pos, self.pos, "[", Code::MissingBraces);
        self.push_frame(self.pos, FrameKind::Array, Tag::Array, open_edit);
        self.doubt_container();
        Ok(())
    }

    /// Notes that the brackets of the current value did not pair.
    pub(super) fn note_bracket(&mut self, code: Code) {
        let bracket = matches!(
            code,
            Code::MissingCloser
                | Code::MismatchedCloser
                | Code::ExtraCloser
                | Code::ExtraOpener
                | Code::MissingBraces
        );
        if bracket {
            self.suspect.get_or_insert(self.begun.0);
        }
    }

    /// Whether the text is read to its end.
    pub(super) fn is_at_end(&self) -> bool {
        self.last && self.state == State::Top && !matches!(self.token, Some(Token::Str(_)))
    }
}
