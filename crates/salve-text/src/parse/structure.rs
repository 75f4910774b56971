//! The grammar of lists and objects: keys, colons, commas and brackets, forgiving.
//!
//! In: the byte at the current place and what is expected there. Out: frames opened and closed,
//! tokens begun, edits for whatever strict JSON would not accept. Never drops a value: what cannot
//! belong anywhere is words without a role.

use super::ParseMode;
use super::machine::{Comma, Frame, FrameKind, Machine, State, Step, Token, narrow};
use super::repair::RepairCode as Code;
use super::string::Role;
use super::tree::{NodeState, Tag};

impl Machine {
    pub(super) fn step_value(&mut self, byte: u8) -> Step {
        let in_object = self.has_keys();
        match byte {
            b'{' | b'[' | b'(' => self.open_container(byte),
            b'}' | b']' | b')' => {
                if in_object {
                    self.missing_value(self.pos);
                } else {
                    self.close_by(byte);
                }
                Ok(())
            }
            b',' if in_object => {
                self.missing_value(self.pos);
                Ok(())
            }
            b',' => self.drop_here(1, Code::ExtraComma),
            b':' => self.drop_here(1, Code::ExtraColon),
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
            b'}' | b']' | b')' => {
                self.close_by(byte);
                Ok(())
            }
            b',' => self.drop_here(1, Code::ExtraComma),
            b':' => self.drop_here(1, Code::ExtraColon),
            b'{' | b'[' | b'(' => self.drop_here(1, Code::ExtraOpener),
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

    pub(super) fn step_colon(&mut self, byte: u8) -> Step {
        match byte {
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
            b'}' | b']' | b')' => {
                self.close_by(byte);
                return Ok(());
            }
            b':' | b';' => return self.drop_here(1, Code::ExtraColon),
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

    // Comments, fences and ellipses may stand between any two tokens.
    fn drop_noise(&mut self, byte: u8) -> Step<bool> {
        match byte {
            b'/' => match self.byte(self.pos + 1)? {
                Some(b'/') => self.begin_comment(false),
                Some(b'*') => self.begin_comment(true),
                _ => return Ok(false),
            },
            b'#' => self.begin_comment(false),
            b'`' if self.looking_at(self.pos, b"```")? => self.meet_fence()?,
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
    fn meet_fence(&mut self) -> Step {
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

    // The end of the ticks and of the label behind them.
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
            return Err(super::machine::Wait);
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
                node.shape = super::tree::Shape::Edited;
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

    // ---- Containers.

    pub(super) fn open_container(&mut self, byte: u8) -> Step {
        let pos = self.pos;
        self.member_begins(pos);
        if self.stack.len() >= self.max_depth {
            self.token = Some(Token::Skip { start: pos, scan: pos, depth: 0, quote: 0 });
            return Ok(());
        }
        self.pos += 1;
        let (kind, tag) = match byte {
            b'{' => (FrameKind::Object, Tag::Object),
            b'[' => (FrameKind::Array, Tag::Array),
            _ => (FrameKind::Paren, Tag::Array),
        };
        let open_edit = narrow(self.tree.edits.len());
        if kind == FrameKind::Paren {
            self.edit(pos, pos + 1, "[", Code::Parentheses);
        }
        self.push_frame(pos, kind, tag, open_edit);
        Ok(())
    }

    pub(super) fn push_frame(&mut self, start: usize, kind: FrameKind, tag: Tag, open_edit: u32) {
        let node = self.push_node(start, start, tag, NodeState::Complete);
        self.stack.push(Frame { node, kind, comma: Comma::First, open_edit });
        *self.open_count(kind) += 1;
        self.state = if kind.has_keys() { State::Key } else { State::Value };
    }

    pub(super) fn open_count(&mut self, kind: FrameKind) -> &mut u32 {
        let index = match kind {
            FrameKind::Object | FrameKind::Implied => 0,
            FrameKind::Array => 1,
            FrameKind::Paren | FrameKind::Wrap | FrameKind::Call => 2,
        };
        &mut self.open[index]
    }

    /// A closing bracket came: it closes its own frame and those left open inside it.
    fn close_by(&mut self, byte: u8) {
        let count = match byte {
            b'}' => self.open[0],
            b']' => self.open[1],
            _ => self.open[2],
        };
        let matching =
            count > 0 && self.stack.iter().rev().any(|frame| frame.kind.is_closed_by(byte));
        if !matching {
            self.edit(self.pos, self.pos + 1, "", Code::MismatchedCloser);
            self.pos += 1;
            return;
        }
        while let Some(&frame) = self.stack.last() {
            let own = frame.kind.is_closed_by(byte);
            let pos = self.pos;
            if own {
                self.pos += 1;
                self.close_frame(pos, pos + 1, NodeState::Complete);
                let outermost = self.stack.is_empty() && frame.kind == FrameKind::Object;
                if outermost && self.mode == ParseMode::Llm {
                    self.top.closed = frame.node;
                    self.state = State::Closed;
                    return;
                }
                break;
            }
            let implied = frame.kind == FrameKind::Implied;
            let state = if implied { NodeState::Complete } else { NodeState::Inferred };
            self.close_frame(pos, pos, state);
        }
        self.value_done();
    }

    /// Closes the innermost frame. Its closing bracket stands at `at..end`, or is absent.
    pub(super) fn close_frame(&mut self, at: usize, end: usize, state: NodeState) {
        let Some(frame) = self.stack.pop() else { return };
        *self.open_count(frame.kind) -= 1;
        if let Comma::Seen(comma) = frame.comma {
            self.edit(comma, comma + 1, "", Code::TrailingComma);
        }
        let code = if at == end { Code::MissingCloser } else { Code::Parentheses };
        match frame.kind {
            FrameKind::Object | FrameKind::Array if at < end => {}
            FrameKind::Object => self.edit(at, end, "}", code),
            FrameKind::Array => self.edit(at, end, "]", code),
            FrameKind::Implied => self.edit(at, at, "}", Code::MissingBraces),
            FrameKind::Call => self.edit(at, end, "}}", Code::CallWrapper),
            FrameKind::Paren | FrameKind::Wrap => self.close_parens(frame, at, end),
        }
        let behind = narrow(self.tree.nodes.len());
        if let Some(node) = self.node_mut(frame.node) {
            node.end = narrow(end);
            node.link = behind;
            node.state = node.state.max(state);
        }
        if frame.kind == FrameKind::Call {
            if let Some(node) = self.node_mut(frame.node - 2) {
                node.end = narrow(end);
                node.link = behind;
                node.state = state;
            }
        }
        // A group is looked through, so what is unsure about it must show on what it holds.
        let inner = self.tree.resolve(frame.node).0;
        if inner != frame.node && state != NodeState::Complete {
            if let Some(node) = self.node_mut(inner) {
                node.state = node.state.max(state);
            }
        }
    }

    // One value in parentheses is that value; anything else is a list.
    fn close_parens(&mut self, frame: Frame, at: usize, end: usize) {
        let members = narrow(self.tree.nodes.len()) - frame.node - 1;
        let single = members > 0
            && self.tree.behind(frame.node + 1) as usize == self.tree.nodes.len()
            && (frame.kind == FrameKind::Wrap || !matches!(frame.comma, Comma::Seen(_)));
        let code =
            if frame.kind == FrameKind::Wrap { Code::CallWrapper } else { Code::Parentheses };
        let empty_call = frame.kind == FrameKind::Wrap && members == 0;
        if !single && !empty_call {
            self.edit(at, end, "]", code);
            return;
        }
        let open = frame.open_edit as usize;
        self.remember_edits(open);
        if let Some(edit) = self.tree.edits.get_mut(open) {
            edit.after = "";
        }
        if empty_call {
            self.edit(at, end, "null", code);
            self.push_node(at, at, Tag::Null, NodeState::Complete);
        } else if at < end {
            self.edit(at, end, "", code);
        }
        if let Some(node) = self.node_mut(frame.node) {
            node.tag = Tag::Group;
        }
    }

    // ---- Ends.

    /// The text is over inside a value.
    pub(super) fn end_of_text(&mut self) {
        let end = self.bytes().len();
        self.pos = end;
        self.cut_here();
    }

    /// Closes everything that is open, as cut off at the current place.
    fn cut_here(&mut self) {
        let at = self.pos;
        match self.state {
            State::Colon => {
                self.edit(at, at, ":null", Code::MissingValue);
                self.push_node(at, at, Tag::Null, NodeState::Inferred);
                self.set_comma(Comma::Member);
            }
            State::Value if self.has_keys() => {
                self.edit(at, at, "null", Code::MissingValue);
                self.push_node(at, at, Tag::Null, NodeState::Inferred);
                self.set_comma(Comma::Member);
            }
            _ => {}
        }
        self.close_all(at, NodeState::Truncated);
    }

    pub(super) fn close_all(&mut self, at: usize, state: NodeState) {
        if self.stack.is_empty() {
            // Only noise came: there is no value, and nothing to repair.
            self.truncate_edits(self.begun.2);
            self.state = State::Top;
            return;
        }
        while !self.stack.is_empty() {
            self.close_frame(at, at, state);
        }
        self.found_value();
    }

    /// Passes over brackets that are nested too deep; they become one null.
    pub(super) fn step_skip(
        &mut self,
        start: usize,
        mut scan: usize,
        mut depth: usize,
        mut quote: u8,
    ) -> Step {
        let bytes = self.tree.source.as_bytes();
        let mut done = false;
        while let Some(&byte) = bytes.get(scan) {
            match byte {
                b'\\' if quote != 0 => scan += 1,
                b'"' if quote == 0 => quote = byte,
                _ if quote != 0 => {
                    if byte == quote {
                        quote = 0;
                    }
                }
                b'{' | b'[' | b'(' => depth += 1,
                b'}' | b']' | b')' => {
                    depth -= 1;
                    done = depth == 0;
                }
                _ => {}
            }
            scan += 1;
            if done {
                break;
            }
        }
        let end = scan.min(bytes.len());
        if !done && !self.last {
            self.token = Some(Token::Skip { start, scan, depth, quote });
            return Err(super::machine::Wait);
        }
        self.token = None;
        self.edit(start, end, "null", Code::DepthLimit);
        self.push_node(start, end, Tag::Null, NodeState::Truncated);
        self.pos = end;
        self.value_done();
        Ok(())
    }
}
