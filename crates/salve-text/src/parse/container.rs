//! Lists and objects: how they open and close, and what happens where the text ends inside them.
//!
//! In: brackets of any kind, in any order. Out: frames on the stack and closed nodes on the tape.
//! Never nests deeper than the limit, and never searches the stack for a bracket that is not there.

use super::ParseMode;
use super::machine::{Comma, Frame, FrameKind, Machine, State, Step, Token, WINDOW, Wait, narrow};
use super::repair::RepairCode as Code;
use super::tree::{NodeId, NodeState, Tag};

// How many members of an object are looked through for a key.
const SIBLING_KEYS: usize = 16;

// How many open frames a closer is weighed against.
const NEAR_FRAMES: usize = 8;

// What a closing bracket is taken for.
enum Closing {
    Own,
    Wrong,
    Extra,
}

impl Machine {
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
            FrameKind::Object => 0,
            FrameKind::Array => 1,
            FrameKind::Paren | FrameKind::Wrap | FrameKind::Call => 2,
            // No bracket closes what no bracket opened.
            FrameKind::Implied => 3,
        };
        &mut self.open[index]
    }

    /// `[{"a": 1 {"a": 2}]`: a brace where a key should come, in an object of a list, before a key that
    /// the object has already, opens the next object of that list; the brace before it was lost.
    pub(super) fn starts_sibling(&self) -> Step<bool> {
        let mut frames = self.stack.iter().rev();
        let Some(own) = frames.next() else { return Ok(false) };
        let in_list = frames.next().is_some_and(|frame| frame.kind == FrameKind::Array);
        if !in_list || !matches!(own.kind, FrameKind::Object | FrameKind::Implied) {
            return Ok(false);
        }
        let start = self.skip_gap(self.pos + 1)?;
        let opening = self.quote_at(start)?.map_or(0, |(_, length)| length);
        let mut end = start + opening;
        while end < start + WINDOW
            && self.byte(end)?.is_some_and(|byte| !matches!(byte, b'"' | b'\'' | b':' | b'\n'))
        {
            end += 1;
        }
        let Some(name) = self.bytes().get(start + opening..end) else { return Ok(false) };
        let mut at = own.node + 1;
        for _ in 0..SIBLING_KEYS {
            if self.tree.nodes.get(at as usize).is_none() {
                break;
            }
            if !name.is_empty() && self.tree.text(NodeId(at)).as_bytes() == name {
                return Ok(true);
            }
            at = self.tree.behind(at + 1);
        }
        Ok(false)
    }

    // `[{"a": 1}, "a": 2}, {"a": 3}]`: a brace closes the object whose opener was lost, unless it is
    // needed further out.
    fn closes_implied(&self, byte: u8) -> Step<bool> {
        if self.frame_kind() != Some(FrameKind::Implied) || byte != b'}' {
            return Ok(false);
        }
        let next = self.skip_blank(self.pos + 1);
        Ok(self.open[0] == 0 || matches!(self.byte(next)?, Some(b',' | b']')))
    }

    // Which reading of a closer lets the text go on: it closes its own frame and those inside it, it is
    // the wrong sign for the innermost one, or it is one too many. The first that fits counts.
    fn weigh_closer(&self, byte: u8, matching: bool, mismatched: bool) -> Step<Closing> {
        if !mismatched {
            return Ok(Closing::Own);
        }
        let depth = self.stack.len();
        let next = self.pos + 1;
        if matching {
            let near = depth.saturating_sub(NEAR_FRAMES);
            let own = (near..depth).rev().find(|&index| self.stack[index].kind.is_closed_by(byte));
            if own.is_none() || self.goes_on(own.unwrap_or(0), next)? {
                return Ok(Closing::Own);
            }
        }
        let plain = matches!(self.frame_kind(), Some(FrameKind::Object | FrameKind::Array))
            && matches!(byte, b'}' | b']');
        // `]]`: the second of two alike is one too many, rather than another sign.
        let twice = self.pos > 0 && self.bytes()[self.pos - 1] == byte;
        let wrong = plain && self.goes_on(depth.saturating_sub(1), next)?;
        let extra = (twice || !wrong || !matching) && self.goes_on(depth, next)?;
        Ok(match (wrong, extra) {
            (true, false) => Closing::Wrong,
            (_, true) => Closing::Extra,
            (false, false) if matching => Closing::Own,
            (false, false) => Closing::Extra,
        })
    }

    // Whether the text at `at` could follow where `depth` frames are left open.
    pub(super) fn goes_on(&self, mut depth: usize, at: usize) -> Step<bool> {
        let mut at = self.skip_gap(at)?;
        for _ in 0..NEAR_FRAMES {
            let Some(byte @ (b'}' | b']')) = self.byte(at)? else { break };
            let Some(frame) = depth.checked_sub(1).and_then(|index| self.stack.get(index)) else {
                return Ok(false);
            };
            if !frame.kind.is_closed_by(byte) {
                return Ok(false);
            }
            depth -= 1;
            at = self.skip_gap(at + 1)?;
        }
        let Some(frame) = depth.checked_sub(1).and_then(|index| self.stack.get(index)) else {
            return Ok(self.byte(at)? != Some(b','));
        };
        if self.byte(at)? != Some(b',') {
            return Ok(false);
        }
        let next = self.skip_gap(at + 1)?;
        let Some(byte) = self.byte(next)? else { return Ok(true) };
        if matches!(byte, b'}' | b']') {
            return Ok(frame.kind.is_closed_by(byte));
        }
        let key = match self.quote_at(next)? {
            Some(_) => self.key_follows(next)?,
            None => self.word_key_follows(next)?,
        };
        Ok(key == frame.kind.has_keys())
    }

    /// A closing bracket came: it closes its own frame and those left open inside it.
    pub(super) fn close_by(&mut self, byte: u8) -> Step {
        if self.closes_implied(byte)? {
            let pos = self.pos;
            self.pos += 1;
            self.close_frame(pos, pos + 1, NodeState::Inferred);
            self.value_done();
            return Ok(());
        }
        let count = match byte {
            b'}' => self.open[0],
            b']' => self.open[1],
            _ => self.open[2],
        };
        let matching =
            count > 0 && self.stack.iter().rev().any(|frame| frame.kind.is_closed_by(byte));
        let mismatched = !self.frame_kind().is_some_and(|kind| kind.is_closed_by(byte));
        match self.weigh_closer(byte, matching, mismatched)? {
            Closing::Own => {}
            Closing::Wrong => {
                let (pos, after) = (self.pos, if byte == b'}' { "]" } else { "}" });
                self.pos += 1;
                self.close_frame(pos, pos + 1, NodeState::Inferred);
                self.edit(pos, pos + 1, after, Code::MismatchedCloser);
                self.value_done();
                return Ok(());
            }
            Closing::Extra => {
                // What it closed may have lost its opener.
                self.doubt_container();
                self.edit(self.pos, self.pos + 1, "", Code::MismatchedCloser);
                self.pos += 1;
                return Ok(());
            }
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
                    return Ok(());
                }
                break;
            }
            let implied = frame.kind == FrameKind::Implied;
            let state = if implied { NodeState::Complete } else { NodeState::Inferred };
            self.close_frame(pos, pos, state);
        }
        self.value_done();
        Ok(())
    }

    /// `{"rows": [[1], [2]], [3]]}`: where a key should come, another item of the list that was just
    /// closed says that the list closed too early. Gives whether it was opened again.
    pub(super) fn reopen_list(&mut self, byte: u8) -> bool {
        let Some(frame) = self.stack.last().copied() else { return false };
        let list = self.closed_list;
        let Some(node) = self.tree.nodes.get(list as usize).copied() else { return false };
        let behind = narrow(self.tree.nodes.len());
        let alike = self.tree.nodes.get(list as usize + 1).map(|item| item.tag)
            == Some(match byte {
                b'{' => Tag::Object,
                b'[' => Tag::Array,
                b'"' | b'\'' => Tag::String,
                _ => Tag::Number,
            });
        let last = node.tag == Tag::Array && list > frame.node && node.link == behind;
        let Comma::Seen(_) = frame.comma else { return false };
        if !last || !alike || node.state != NodeState::Complete {
            return false;
        }
        let bracket = node.end as usize - 1;
        self.edit(bracket, bracket + 1, "", Code::ExtraCloser);
        self.set_comma(Comma::Member);
        self.stack.push(Frame { node: list, kind: FrameKind::Array, ..frame });
        *self.open_count(FrameKind::Array) += 1;
        self.state = State::Value;
        true
    }

    /// Closes the innermost frame. Its closing bracket is at `at..end`, or is absent.
    pub(super) fn close_frame(&mut self, at: usize, end: usize, state: NodeState) {
        let Some(frame) = self.stack.pop() else { return };
        if frame.kind == FrameKind::Array && at < end {
            self.closed_list = frame.node;
        }
        *self.open_count(frame.kind) -= 1;
        if let Comma::Seen(comma) = frame.comma {
            self.edit(comma, comma + 1, "", Code::TrailingComma);
        }
        let code = if at == end { Code::MissingCloser } else { Code::Parentheses };
        match frame.kind {
            FrameKind::Object | FrameKind::Array | FrameKind::Implied if at < end => {}
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
        if frame.kind == FrameKind::Call
            && let Some(node) = self.node_mut(frame.node - 2)
        {
            node.end = narrow(end);
            node.link = behind;
            node.state = state;
        }
        // A group is looked through, so what is unsure about it must show on what it holds.
        let inner = self.tree.resolve(frame.node).0;
        if inner != frame.node
            && state != NodeState::Complete
            && let Some(node) = self.node_mut(inner)
        {
            node.state = node.state.max(state);
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

    /// The text is over inside a value.
    pub(super) fn end_of_text(&mut self) {
        let end = self.bytes().len();
        self.pos = end;
        self.cut_here();
    }

    /// Closes everything that is open, as cut off at the current place.
    pub(super) fn cut_here(&mut self) {
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
            if quote != 0 {
                match byte {
                    b'\\' => scan += 1,
                    _ if byte == quote => quote = 0,
                    _ => {}
                }
            } else {
                match byte {
                    b'"' => quote = byte,
                    b'{' | b'[' | b'(' => depth += 1,
                    b'}' | b']' | b')' => {
                        depth -= 1;
                        done = depth == 0;
                    }
                    _ => {}
                }
            }
            scan += 1;
            if done {
                break;
            }
        }
        let end = scan.min(bytes.len());
        if !done && !self.last {
            self.token = Some(Token::Skip { start, scan, depth, quote });
            return Err(Wait);
        }
        self.token = None;
        self.edit(start, end, "null", Code::DepthLimit);
        self.push_node(start, end, Tag::Null, NodeState::Truncated);
        self.pos = end;
        self.value_done();
        Ok(())
    }
}
