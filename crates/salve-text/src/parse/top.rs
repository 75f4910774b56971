//! Between the values: prose, fences and tags, and where in them a value begins.
//!
//! In: the text outside of values. Out: the places where values begin, and which of the values
//! found make up the answer. Never lets a bracket in prose hide the JSON that comes later.

use super::ParseMode;
use super::machine::{
    Comma, Found, Frame, FrameKind, Machine, State, Step, Token, WINDOW, Wait, blank_length,
    make_room, narrow,
};
use super::quote::{is_word, quote_of, rskip_blank, utf8_length};
use super::repair::RepairCode as Code;
use super::tree::{Node, NodeState, Tag};

/// A single value at the start of a text, until it is known that nothing else follows.
#[derive(Debug, Clone, Copy)]
pub(super) enum Top {
    Quoted { start: usize, scan: usize },
    Word { start: usize, scan: usize },
}

/// What is remembered between values.
#[derive(Debug, Clone, Copy)]
pub(super) struct TopState {
    /// Whether nothing but white space has come since the text or the fence began.
    fresh: bool,
    fenced: bool,
    /// The best rank among the values found.
    best: u8,
    /// The object that was closed last.
    pub(super) closed: u32,
}

impl Default for TopState {
    fn default() -> Self {
        Self { fresh: true, fenced: false, best: 0, closed: 0 }
    }
}

impl TopState {
    /// The state in front of a value that is read again.
    pub(super) fn again(fenced: bool) -> Self {
        Self { fresh: false, fenced, ..Self::default() }
    }
}

impl Machine {
    pub(super) fn step_top(&mut self) -> Step<bool> {
        match self.mode {
            ParseMode::Text => self.step_top_text(),
            ParseMode::Llm => self.step_top_llm(),
        }
    }

    fn step_top_text(&mut self) -> Step<bool> {
        self.pass_blank();
        let Some(byte) = self.byte(self.pos)? else { return Ok(false) };
        match byte {
            b',' | b';' | b'}' | b']' | b')' => self.pos += 1,
            b'+' if self.byte(self.pos + 1)?.is_none_or(|next| next.is_ascii_whitespace()) => {
                self.pos += 1;
            }
            b'`' if self.is_fence(self.pos)? => {
                self.pos = self.fence_end(self.pos)?;
                self.top.fenced = !self.top.fenced;
            }
            b'/' if matches!(self.byte(self.pos + 1)?, Some(b'/' | b'*')) => {
                let (start, block) = (self.pos, self.bytes()[self.pos + 1] == b'*');
                self.token = Some(Token::Comment { start, scan: start + 2, block });
            }
            _ => self.begin_value(self.pos),
        }
        Ok(true)
    }

    fn pass_blank(&mut self) {
        while let Some(length) = blank_length(self.bytes(), self.pos) {
            self.pos += length;
        }
    }

    pub(super) fn begin_value(&mut self, at: usize) {
        self.pos = at;
        self.begun = (at, self.tree.nodes.len(), self.tree.edits.len());
        self.state = State::Value;
        self.top.fresh = false;
    }

    fn step_top_llm(&mut self) -> Step<bool> {
        if self.top.fresh {
            self.pass_blank();
        }
        let bytes = self.tree.source.as_bytes();
        let mut at = self.pos;
        if !self.top.fresh {
            while at < bytes.len()
                && !matches!(bytes[at], b'{' | b'[' | b'(' | b'`')
                && !(bytes[at] == b'"' && begins_line(bytes, at))
            {
                at += 1;
            }
            self.pos = at;
        }
        let Some(byte) = self.byte(at)? else { return Ok(false) };
        if byte == b'"' && !self.top.fresh {
            if self.found.is_empty() && self.members_follow(at)? {
                self.begin_fresh(at, byte)?;
            } else {
                self.pos = at + 1;
            }
            return Ok(true);
        }
        if byte == b'`' {
            if self.is_fence(at)? {
                self.pos = self.fence_end(at)?;
                self.top.fenced = !self.top.fenced;
                self.top.fresh = self.top.fenced;
                return Ok(true);
            }
        } else if matches!(byte, b'{' | b'[' | b'(') {
            if let Some(start) = self.value_begins(at, byte)? {
                if start < at {
                    self.begin_value(start);
                    self.begin_call(start, at, at);
                } else {
                    self.begin_value(at);
                }
                return Ok(true);
            }
        } else if self.top.fresh {
            self.begin_fresh(at, byte)?;
            return Ok(true);
        }
        self.top.fresh = false;
        self.pos = at + 1;
        Ok(true)
    }

    // The first thing in a text or a fence may be a value of its own.
    fn begin_fresh(&mut self, at: usize, byte: u8) -> Step {
        if byte == b'/' && matches!(self.byte(at + 1)?, Some(b'/' | b'*')) {
            let block = self.bytes()[at + 1] == b'*';
            self.token = Some(Token::Comment { start: at, scan: at + 2, block });
            return Ok(());
        }
        if byte == b'#' {
            let next = self.skip_gap(at)?;
            if matches!(self.byte(next)?, Some(b'"' | b'\'' | b'{' | b'[')) {
                self.token = Some(Token::Comment { start: at, scan: at + 1, block: false });
                return Ok(());
            }
        }
        if self.members_follow(at)? || self.bare_members_follow(at)? {
            self.begin_value(at);
            self.edit(at, at, "{", Code::MissingBraces);
            self.push_frame(at, FrameKind::Object, Tag::Object, 0);
            let object = narrow(self.begun.1);
            if let Some(node) = self.node_mut(object) {
                node.state = NodeState::Inferred;
            }
            return Ok(());
        }
        self.top.fresh = false;
        if quote_of(self.bytes(), at).is_some() {
            self.token = Some(Token::Top(Top::Quoted { start: at, scan: at + 1 }));
        } else if byte.is_ascii_alphanumeric() || byte == b'-' {
            self.token = Some(Token::Top(Top::Word { start: at, scan: at }));
        } else {
            self.pos = at + utf8_length(byte);
        }
        Ok(())
    }

    // `"a": "x", "b": …`: two members in a row are an object whose brace was lost. One alone may be
    // talk.
    fn members_follow(&self, at: usize) -> Step<bool> {
        let Some(colon) = self.behind_string(at)? else { return Ok(false) };
        if self.byte(colon)? != Some(b':') {
            return Ok(false);
        }
        let value = self.skip_gap(colon + 1)?;
        let behind = match self.byte(value)? {
            // A list or an object after a name and a colon is no talk.
            Some(b'{' | b'[') => return Ok(true),
            Some(_) if quote_of(self.bytes(), value).is_some() => self.behind_string(value)?,
            _ => {
                let mut end = value;
                while end < value + WINDOW
                    && self.byte(end)?.is_some_and(|it| is_word(it) || matches!(it, b'-' | b'.'))
                {
                    end += 1;
                }
                let known = is_scalar(&self.bytes()[value..end]);
                (known && end > value).then(|| self.skip_blank(end))
            }
        };
        let Some(comma) = behind else { return Ok(false) };
        if self.byte(comma)? != Some(b',') {
            return Ok(false);
        }
        let key = self.skip_gap(comma + 1)?;
        let Some(sign) = self.behind_string(key)? else { return Ok(false) };
        Ok(self.byte(sign)? == Some(b':'))
    }

    // `a: 1,⏎ b: …`: two members with bare keys, one a line.
    fn bare_members_follow(&self, at: usize) -> Step<bool> {
        if !self.byte(at)?.is_some_and(|byte| byte.is_ascii_alphabetic())
            || !self.word_key_follows(at)?
        {
            return Ok(false);
        }
        let mut end = at;
        while end < at + WINDOW {
            match self.byte(end)? {
                Some(b'\n') => {
                    let comma = rskip_blank(self.bytes(), at, end);
                    let next = self.skip_gap(end)?;
                    let listed = matches!(self.bytes()[comma - 1], b',' | b'[' | b'{');
                    let key = self.bytes()[comma - 1] == b',';
                    return Ok(listed && key && self.word_key_follows(next)?);
                }
                None => return Ok(false),
                Some(_) => end += 1,
            }
        }
        Ok(false)
    }

    // What comes after the string at `at`, when it ends within the window.
    pub(super) fn behind_string(&self, at: usize) -> Step<Option<usize>> {
        self.byte(at + 2)?;
        let Some((quote, opening)) = quote_of(self.bytes(), at) else { return Ok(None) };
        let mut end = at + opening;
        while end < at + 2 * WINDOW {
            match self.byte(end)? {
                None | Some(b'\n') => return Ok(None),
                Some(b'\\') => {
                    end += 2;
                    continue;
                }
                Some(0xC2 | 0xE2) => drop(self.byte(end + 2)?),
                Some(_) => {}
            }
            match quote_of(self.bytes(), end) {
                Some((other, length)) if quote.is_closed_by(other) => {
                    return self.skip_gap(end + length).map(Some);
                }
                _ => end += 1,
            }
        }
        Ok(None)
    }

    // Whether the value that begins at `start` is that of a member, whose object has no brace: what is
    // around it is lost.
    fn is_member_value(&self, start: usize) -> bool {
        let bytes = self.bytes();
        let floor = start.saturating_sub(WINDOW);
        let colon = rskip_blank(bytes, floor, start);
        if colon == floor || bytes[colon - 1] != b':' {
            return false;
        }
        let quote = rskip_blank(bytes, floor, colon - 1);
        quote > floor && bytes[quote - 1] == b'"'
    }

    // A lone string or word is a value only if nothing but white space or a fence follows it.
    pub(super) fn step_top_token(&mut self, token: Top) -> Step {
        let bytes = self.tree.source.as_bytes();
        let (start, end) = match token {
            Top::Quoted { start, mut scan } => {
                while scan < bytes.len()
                    && (bytes[scan] != bytes[start] || bytes[scan - 1] == b'\\')
                {
                    scan += 1;
                }
                if scan >= bytes.len() && !self.last {
                    self.token = Some(Token::Top(Top::Quoted { start, scan }));
                    return Err(Wait);
                }
                (start, scan + 1)
            }
            Top::Word { start, mut scan } => {
                while bytes
                    .get(scan)
                    .is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
                {
                    scan += 1;
                }
                if scan >= bytes.len() && !self.last {
                    self.token = Some(Token::Top(Top::Word { start, scan }));
                    return Err(Wait);
                }
                (start, scan)
            }
        };
        let behind = self.skip_blank(end.min(bytes.len()));
        let alone = self.byte(behind)?.is_none() || self.is_fence(behind)?;
        let fits = match token {
            Top::Quoted { .. } => true,
            Top::Word { .. } => is_scalar(&bytes[start..end]),
        };
        self.token = None;
        self.pos = start + utf8_length(bytes[start]);
        if alone && fits {
            self.begin_value(start);
        }
        Ok(())
    }

    // Whether a value begins at the bracket at `at`; gives where, for a call starts at its name.
    fn value_begins(&self, at: usize, byte: u8) -> Step<Option<usize>> {
        let fresh = self.top.fresh;
        let inside = self.skip_blank(at + 1);
        let Some(next) = self.byte(inside)? else { return Ok((byte != b'(').then_some(at)) };
        let quoted = self.quote_at(inside)?.is_some();
        let begins = match byte {
            b'{' => {
                quoted
                    || matches!(next, b'}' | b'/')
                    || (next == b'#' && self.key_behind_notes(inside)?)
                    || (next == b'{' && self.quote_behind(inside)?)
                    || self.is_fence(inside)?
                    || (is_word(next) && self.colon_behind_word(inside)?)
                    || (is_word(next) && self.word_key_follows(inside)?)
                    || (fresh && (is_word(next) || matches!(next, b'.' | b',' | b'{')))
            }
            b'[' if !fresh && self.is_citation(at)? => false,
            b'[' => {
                quoted
                    || matches!(next, b'{' | b'[' | b']' | b'-' | b'0'..=b'9')
                    || (fresh && !matches!(next, b'<' | b'*' | b'!'))
                    || self.call_or_literal(inside)?
            }
            _ => {
                let tuple = fresh
                    && (quoted || matches!(next, b'(' | b'[' | b'{' | b'-' | b'0'..=b'9' | b')'));
                if !tuple && self.pair_follows(inside)? {
                    return Ok(self.name_before(at));
                }
                tuple
            }
        };
        Ok(begins.then_some(at))
    }

    // `[1] https://…`, `as in [2] and`: digits in brackets with a word after them on the same line.
    fn is_citation(&self, at: usize) -> Step<bool> {
        let mut end = at + 1;
        while end < at + 8 && self.byte(end)?.is_some_and(|byte| byte.is_ascii_digit()) {
            end += 1;
        }
        if end == at + 1 || self.byte(end)? != Some(b']') {
            return Ok(false);
        }
        Ok(matches!(self.byte(end + 1)?, Some(b' ' | b':'))
            && self.byte(end + 2)?.is_some_and(|byte| byte.is_ascii_alphabetic()))
    }

    /// Whether a quote is after the bracket at `at`.
    pub(super) fn quote_behind(&self, at: usize) -> Step<bool> {
        let next = self.skip_blank(at + 1);
        Ok(self.byte(next)?.is_some() && quote_of(self.bytes(), next).is_some())
    }

    // Whether lines that begin with `#` are at `at`, and a key after them.
    fn key_behind_notes(&self, mut at: usize) -> Step<bool> {
        let limit = at + WINDOW;
        while self.byte(at)? == Some(b'#') {
            while self.byte(at)?.is_some_and(|byte| byte != b'\n') {
                if at >= limit {
                    return Ok(self.top.fresh);
                }
                at += 1;
            }
            at = self.skip_blank(at);
        }
        let Some(next) = self.byte(at)? else { return Ok(false) };
        let quoted = quote_of(self.bytes(), at).is_some();
        Ok(quoted || is_word(next) && self.colon_behind_word(at)?)
    }

    fn colon_behind_word(&self, at: usize) -> Step<bool> {
        let mut end = at;
        while end < at + WINDOW && self.byte(end)?.is_some_and(is_word) {
            end += 1;
        }
        let sign = self.skip_blank(end);
        Ok(self.byte(sign)? == Some(b':') && self.byte(sign + 1)? != Some(b':'))
    }

    fn call_or_literal(&self, at: usize) -> Step<bool> {
        let mut end = at;
        while end < at + WINDOW && self.byte(end)?.is_some_and(|b| is_word(b) || b == b'.') {
            end += 1;
        }
        let word = &self.bytes()[at..end];
        Ok(end > at && self.byte(end)? == Some(b'(') || super::bare::literal(word).is_some())
    }

    // The start of the name that ends at `end`, not reaching into the value before it.
    fn name_before(&self, end: usize) -> Option<usize> {
        let floor =
            self.found.last().map_or(0, |found| found.end as usize).max(end.saturating_sub(WINDOW));
        let bytes = self.bytes();
        let mut start = end;
        while start > floor && is_word(bytes[start - 1]) && bytes[start - 1] < 0x80
            || start > floor && bytes[start - 1] == b'.'
        {
            start -= 1;
        }
        let name = &bytes[start..end];
        (name.first().is_some_and(u8::is_ascii_alphabetic)).then_some(start)
    }

    /// The outermost brace closed: if a comma and a key follow, it closed too early. Closers that have
    /// nothing to close may be between.
    pub(super) fn step_closed(&mut self) -> Step {
        let first = self.skip_blank(self.pos);
        let mut comma = first;
        let mut closers: Vec<usize> = Vec::new();
        while closers.len() < MOST_CLOSERS && matches!(self.byte(comma)?, Some(b']' | b'}')) {
            closers.push(comma);
            comma = self.skip_blank(comma + 1);
        }
        let mut reopen = false;
        if self.byte(comma)? == Some(b',') {
            let key = self.skip_blank(comma + 1);
            reopen = match self.byte(key)? {
                Some(b'"') => self.key_follows_surely(key)?,
                Some(b'\'') => self.key_follows(key)?,
                // Bare keys go on where the first one is bare.
                Some(_) => self.has_bare_keys(self.top.closed) && self.word_key_follows(key)?,
                None => false,
            };
        }
        if !reopen {
            self.found_value();
            return Ok(());
        }
        let brace = self.pos - 1;
        self.edit(brace, brace + 1, "", Code::ExtraCloser);
        let node = self.top.closed;
        if let Some(last) = closers.last() {
            self.pos = last + 1;
            if let Some(node) = self.node_mut(node) {
                node.state = node.state.max(NodeState::Inferred);
            }
        }
        for closer in closers {
            self.edit(closer, closer + 1, "", Code::ExtraCloser);
        }
        let empty = self.tree.nodes.len() == node as usize + 1;
        let comma = if empty { Comma::First } else { Comma::Member };
        self.stack.push(Frame { node, kind: FrameKind::Object, comma, open_edit: 0 });
        *self.open_count(FrameKind::Object) += 1;
        self.state = if empty { State::Key } else { State::After };
        Ok(())
    }

    fn has_bare_keys(&self, object: u32) -> bool {
        let key = self.tree.nodes.get(object as usize + 1).map(|key| key.start as usize);
        key.is_some_and(|at| {
            quote_of(self.bytes(), at).is_none()
                && self.bytes().get(at).is_some_and(|&it| is_word(it))
        })
    }

    /// Whether a quoted key with its colon is at `at`, and both have been seen.
    pub(super) fn key_follows_surely(&self, at: usize) -> Step<bool> {
        let mut end = at + 1;
        while end < at + WINDOW {
            match self.byte(end)? {
                None => return Ok(false),
                Some(b'\\') => end += 2,
                Some(b'"') => {
                    let sign = self.skip_blank(end + 1);
                    let spaced = sign > end + 1;
                    return Ok(match self.byte(sign)? {
                        Some(b':') => true,
                        Some(b'"') => spaced,
                        _ => false,
                    });
                }
                Some(_) => end += 1,
            }
        }
        Ok(false)
    }

    /// A value of the text is finished.
    pub(super) fn found_value(&mut self) {
        self.state = State::Top;
        let (start, node, edits) = self.begun;
        if self.mode == ParseMode::Llm && self.is_member_value(start) {
            let node = narrow(node);
            if let Some(node) = self.node_mut(node) {
                node.state = node.state.max(NodeState::Inferred);
            }
        }
        let found = Found {
            node: narrow(node),
            start: narrow(start),
            end: narrow(self.pos),
            edits: (narrow(edits), narrow(self.tree.edits.len())),
            fenced: self.top.fenced,
        };
        self.select(&found);
        make_room(&mut self.found, self.pos, self.tree.source.len());
        self.found.push(found);
    }

    // Text: everything counts, and only what is fenced once a fence holds a list or an object.
    // Prose: the most JSON-like values count, and their direct neighbours.
    fn select(&mut self, found: &Found) {
        let class = class_of(&self.tree.nodes[found.node as usize..]);
        let text = self.mode == ParseMode::Text;
        let rank = match text {
            true => 1 + u8::from(found.fenced && class > 0),
            false => class * 2 + u8::from(found.fenced) + 1,
        };
        let neighbour = !text && class >= ARRAY && self.touches_selected(found);
        if rank > self.top.best {
            let keep = neighbour && self.top.best > 2 * ARRAY;
            self.top.best = rank;
            if !keep {
                let before = std::mem::take(&mut self.tree.selected);
                if let Some(trial) = &mut self.trial {
                    trial.replaced_selection.get_or_insert(before);
                }
            }
            self.tree.selected.push(found.node);
        } else if rank == self.top.best || neighbour {
            self.tree.selected.push(found.node);
        }
    }

    // Whether only white space and commas are between the last value, which counts, and this one.
    fn touches_selected(&self, found: &Found) -> bool {
        let Some(before) = self.found.last() else { return false };
        self.tree.selected.last() == Some(&before.node)
            && self.bytes()[before.end as usize..found.start as usize]
                .iter()
                .all(|byte| matches!(byte, b' ' | b'\n' | b'\r' | b'\t' | b','))
    }
}

// Whether only white space is before `at` on its line.
fn begins_line(bytes: &[u8], at: usize) -> bool {
    let floor = at.saturating_sub(64);
    let mut before = bytes[floor..at].iter().rev().skip_while(|it| matches!(it, b' ' | b'\t'));
    before.next().is_none_or(|&byte| byte == b'\n')
}

const ARRAY: u8 = 2;
// How many closers too many may be before a member that goes on.
const MOST_CLOSERS: usize = 2;

// How much a value looks like what was asked for: scalar, empty, list, call, object.
fn class_of(nodes: &[Node]) -> u8 {
    let Some(first) = nodes.first() else { return 0 };
    if !first.is_container() {
        return 0;
    }
    if nodes.len() == 1 {
        return 1;
    }
    if !nodes.iter().any(|node| node.tag == Tag::Object) {
        return ARRAY;
    }
    let called = first.tag == Tag::Object && nodes[1].start == first.start;
    if called { 3 } else { 4 }
}

// A number, a literal or the beginning of one.
fn is_scalar(word: &[u8]) -> bool {
    let number = word.first().is_some_and(|byte| byte.is_ascii_digit() || *byte == b'-');
    let names: [&[u8]; 6] = [b"true", b"false", b"null", b"True", b"False", b"None"];
    number
        || super::bare::literal(word).is_some()
        || names.iter().any(|name| !word.is_empty() && name.starts_with(word))
}
