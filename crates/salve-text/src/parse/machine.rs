//! The machine: a resumable reader with its stack on the heap.
//!
//! In: text in any number of pieces. Out: nodes and edits on the tree, and the candidates found.
//! Never recurses and never looks further than a fixed window: a step that cannot decide yet waits
//! for more text, and decides on what there is once the text is over.

use super::ParseMode;
use super::bare::Bare;
use super::repair::{Edit, RepairCode};
use super::string::Str;
use super::top::Top;
use super::tree::{Node, NodeState, Shape, Tag, Tree};
use super::trial::Trial;

/// How far a decision may look ahead, in bytes.
pub(super) const WINDOW: usize = 256;

/// The step needs text that has not come yet.
#[derive(Debug)]
pub(super) struct Wait;

pub(super) type Step<T = ()> = Result<T, Wait>;

/// What the grammar expects at the current place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// Between the values of the text.
    Top,
    /// A value.
    Value,
    /// A key, or the end of the object.
    Key,
    /// The colon after a key.
    Colon,
    /// A comma or the end of the container.
    After,
    /// The outermost brace has just closed; it may have come too early.
    Closed,
}

/// A token whose end has not been seen yet.
#[derive(Debug, Clone, Copy)]
pub(super) enum Token {
    Str(Str),
    Bare(Bare),
    Comment {
        start: usize,
        scan: usize,
        block: bool,
    },
    Skip {
        start: usize,
        scan: usize,
        depth: usize,
        quote: u8,
    },
    /// A fenced block that is a value.
    Block {
        start: usize,
        body: usize,
        scan: usize,
    },
    Top(Top),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comma {
    /// Nothing has come yet in this container.
    First,
    /// The last thing was a member.
    Member,
    /// A comma is at this place.
    Seen(usize),
    /// A comma is absent and will be needed if another member comes.
    Missing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FrameKind {
    Object,
    Array,
    /// An object whose braces are absent, inside a list.
    Implied,
    /// Parentheses: a list, or a group around one value.
    Paren,
    /// `name(` around values.
    Wrap,
    /// `name(key=value, …)`.
    Call,
}

impl FrameKind {
    pub(super) const fn has_keys(self) -> bool {
        matches!(self, Self::Object | Self::Implied | Self::Call)
    }

    const fn closer(self) -> u8 {
        match self {
            Self::Object | Self::Implied => b'}',
            Self::Array => b']',
            Self::Paren | Self::Wrap | Self::Call => b')',
        }
    }

    pub(super) const fn is_closed_by(self, byte: u8) -> bool {
        !matches!(self, Self::Implied) && self.closer() == byte
    }
}

/// One open container.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    pub(super) node: u32,
    pub(super) kind: FrameKind,
    pub(super) comma: Comma,
    /// The edit that stands for the opening parenthesis, to be set when its kind is known.
    pub(super) open_edit: u32,
}

/// A value found in the text. A hostile text holds one for every other byte, so it is small.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    pub(super) node: u32,
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) edits: (u32, u32),
    pub(super) fenced: bool,
}

#[derive(Debug)]
pub(super) struct Machine {
    pub(super) tree: Tree,
    pub(super) mode: ParseMode,
    pub(super) max_depth: usize,
    pub(super) pos: usize,
    /// Whether no more text will come.
    pub(super) last: bool,
    pub(super) state: State,
    pub(super) token: Option<Token>,
    pub(super) stack: Vec<Frame>,
    /// How many open frames each of `}`, `]`, `)` and nothing could close.
    pub(super) open: [u32; 4],
    pub(super) found: Vec<Found>,
    /// The list that was closed last.
    pub(super) closed_list: u32,
    /// Where the current value began: byte, node, edit.
    pub(super) begun: (usize, usize, usize),
    pub(super) top: super::top::TopState,
    /// Where the first value begins whose brackets did not pair.
    pub(super) suspect: Option<usize>,
    /// Whether brackets are read by indentation, and the place up to which they are.
    pub(super) by_layout: bool,
    pub(super) laid: usize,
    pub(super) trial: Option<Box<Trial>>,
}

impl Machine {
    pub(super) fn new(mode: ParseMode, max_depth: usize) -> Self {
        Self {
            tree: Tree::default(),
            mode,
            max_depth,
            pos: 0,
            last: false,
            state: State::Top,
            token: None,
            stack: Vec::new(),
            open: [0; 4],
            found: Vec::new(),
            closed_list: 0,
            begun: (0, 0, 0),
            top: super::top::TopState::default(),
            suspect: None,
            by_layout: false,
            laid: 0,
            trial: None,
        }
    }

    /// Reads as far as the text allows.
    pub(super) fn run(&mut self) {
        loop {
            while let Ok(true) = self.step() {}
            if !self.is_at_end() || !self.read_again() {
                return;
            }
        }
    }

    // Gives `false` once the text is read to its end.
    fn step(&mut self) -> Step<bool> {
        if let Some(token) = self.token {
            match token {
                Token::Str(token) => self.step_string(token)?,
                Token::Bare(token) => self.step_bare(token)?,
                Token::Comment { start, scan, block } => self.step_comment(start, scan, block)?,
                Token::Skip { start, scan, depth, quote } => {
                    self.step_skip(start, scan, depth, quote)?;
                }
                Token::Block { start, body, scan } => self.step_block(start, body, scan)?,
                Token::Top(token) => self.step_top_token(token)?,
            }
            return Ok(true);
        }
        if self.state == State::Top {
            return self.step_top();
        }
        if self.trial.is_none() && self.state != State::Closed && !self.by_layout {
            self.read_strict();
            if self.state == State::Top || self.token.is_some() {
                return Ok(true);
            }
        }
        if self.state == State::Closed {
            self.step_closed()?;
            return Ok(true);
        }
        self.skip_whitespace();
        let Some(byte) = self.byte(self.pos)? else {
            self.end_of_text();
            return Ok(true);
        };
        if self.lay_out(byte)? {
            return Ok(true);
        }
        match self.state {
            State::Top | State::Closed => {}
            State::Value => self.step_value(byte)?,
            State::Key => self.step_key(byte)?,
            State::Colon => self.step_colon(byte)?,
            State::After => self.step_after(byte)?,
        }
        Ok(true)
    }

    // ---- Looking at the text.

    pub(super) fn bytes(&self) -> &[u8] {
        self.tree.source.as_bytes()
    }

    pub(super) fn byte(&self, at: usize) -> Step<Option<u8>> {
        match self.bytes().get(at) {
            Some(&byte) => Ok(Some(byte)),
            None if self.last => Ok(None),
            None => Err(Wait),
        }
    }

    /// Whether `what` is at `at`.
    pub(super) fn looking_at(&self, at: usize, what: &[u8]) -> Step<bool> {
        for (offset, &want) in what.iter().enumerate() {
            if self.byte(at + offset)? != Some(want) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The first place from `at` that is not white space, as far as text has come and a decision
    /// may look.
    pub(super) fn skip_blank(&self, mut at: usize) -> usize {
        let bytes = self.bytes();
        let limit = at + 2 * WINDOW;
        while let Some(length) = blank_length(bytes, at).filter(|_| at < limit) {
            at += length;
        }
        at
    }

    /// As `skip_blank`, and over comments too: `#` and `//` alike, and `/* */`. A line that ends like a
    /// string is none.
    pub(super) fn skip_gap(&self, at: usize) -> Step<usize> {
        let limit = at + 2 * WINDOW;
        let mut at = self.skip_blank(at);
        while at < limit {
            let block = match self.bytes().get(at) {
                Some(b'#') => false,
                Some(b'/') => match self.byte(at + 1)? {
                    Some(b'/') => false,
                    Some(b'*') => true,
                    _ => return Ok(at),
                },
                _ => return Ok(at),
            };
            let rest = &self.bytes()[at..self.bytes().len().min(limit)];
            let found = if block {
                memchr::memmem::find(rest, b"*/").map(|length| at + length + 2)
            } else {
                memchr::memchr(b'\n', rest).map(|length| at + length)
            };
            let Some(end) = found else {
                // Too long to look behind it, or the last thing of the text.
                return if at + rest.len() < limit && !self.last {
                    Err(Wait)
                } else {
                    Ok(at + rest.len())
                };
            };
            if !block && ends_like_a_string(&self.bytes()[at..end]) {
                return Ok(at);
            }
            at = self.skip_blank(end);
        }
        Ok(at)
    }

    /// The sign at `at` and its length: commas, colons and semicolons of full width are read as those of
    /// ASCII.
    pub(super) fn sign_at(&self, at: usize) -> Step<Option<(u8, usize)>> {
        Ok(match self.byte(at)? {
            Some(0xEF) if self.byte(at + 1)? == Some(0xBC) => match self.byte(at + 2)? {
                Some(0x8C) => Some((b',', 3)),
                Some(0x9A) => Some((b':', 3)),
                Some(0x9B) => Some((b';', 3)),
                _ => Some((0xEF, 1)),
            },
            other => other.map(|byte| (byte, 1)),
        })
    }

    fn skip_whitespace(&mut self) {
        loop {
            let bytes = self.tree.source.as_bytes();
            let mut at = self.pos;
            while bytes.get(at).is_some_and(|byte| matches!(byte, b' ' | b'\n' | b'\r' | b'\t')) {
                at += 1;
            }
            self.pos = at;
            let Some(length) = blank_length(bytes, at) else { return };
            self.edit(at, at + length, " ", RepairCode::SpecialWhitespace);
            self.pos = at + length;
        }
    }

    pub(super) fn frame_kind(&self) -> Option<FrameKind> {
        self.stack.last().map(|frame| frame.kind)
    }

    pub(super) fn has_keys(&self) -> bool {
        self.frame_kind().is_some_and(FrameKind::has_keys)
    }

    // ---- Writing nodes and edits.

    /// Notes an edit, in order of place.
    pub(super) fn edit(&mut self, start: usize, end: usize, after: &'static str, code: RepairCode) {
        self.note_bracket(code);
        let edit = Edit { start: narrow(start), end: narrow(end), after, code, ends_token: false };
        let mut at = self.tree.edits.len();
        while at > 0 && self.tree.edits[at - 1].start > edit.start {
            at -= 1;
        }
        if at == self.tree.edits.len() {
            make_room(&mut self.tree.edits, start, self.tree.source.len());
            self.tree.edits.push(edit);
        } else {
            self.insert_edit(at, edit);
        }
    }

    pub(super) fn insert_edit(&mut self, at: usize, edit: Edit) {
        self.remember_edits(at);
        self.tree.edits.insert(at, edit);
    }

    pub(super) fn truncate_edits(&mut self, length: usize) {
        self.remember_edits(length);
        self.tree.edits.truncate(length);
    }

    pub(super) fn push_node(
        &mut self,
        start: usize,
        end: usize,
        tag: Tag,
        state: NodeState,
    ) -> u32 {
        let index = narrow(self.tree.nodes.len());
        make_room(&mut self.tree.nodes, start, self.tree.source.len());
        let (start, end) = (narrow(start), narrow(end));
        self.tree.nodes.push(Node { start, end, link: index + 1, tag, state, shape: Shape::Plain });
        index
    }

    pub(super) fn node_mut(&mut self, index: u32) -> Option<&mut Node> {
        self.remember_node(index);
        self.tree.nodes.get_mut(index as usize)
    }
}

/// Makes room in a full list for what the rest of a text needs, if it goes on as it did up to `read`.
/// A list that only doubled would be there twice while it is moved, and half of it would be unused.
#[inline]
pub(super) fn make_room<T>(list: &mut Vec<T>, read: usize, all: usize) {
    const FEW: usize = 16 * 1024;
    if list.len() < list.capacity() || list.len() < FEW {
        return;
    }
    let (read, rest) = (read.max(1), all.saturating_sub(read));
    let expected = list.len().saturating_mul(rest) / read;
    // No byte brings more than a few entries.
    let most = rest.saturating_mul(4);
    list.reserve_exact(expected.saturating_add(expected / 16).min(most).max(list.len() / 4));
}

/// The number of bytes of the white space at `at`, Unicode's included.
pub(super) fn blank_length(bytes: &[u8], at: usize) -> Option<usize> {
    let next = |offset: usize| bytes.get(at + offset).copied().unwrap_or(0);
    match *bytes.get(at)? {
        b' ' | b'\n' | b'\r' | b'\t' | 0x0B | 0x0C => Some(1),
        0xC2 if matches!(next(1), 0xA0 | 0x85) => Some(2),
        0xE1 if (next(1), next(2)) == (0x9A, 0x80) => Some(3),
        0xE2 => match (next(1), next(2)) {
            (0x80, 0x80..=0x8B | 0xA8 | 0xA9 | 0xAF) | (0x81, 0x9F | 0xA0) => Some(3),
            _ => None,
        },
        0xE3 if (next(1), next(2)) == (0x80, 0x80) => Some(3),
        0xEF if (next(1), next(2)) == (0xBB, 0xBF) => Some(3),
        _ => None,
    }
}

// `#1",` is the end of a string that has a quote inside, not a comment.
fn ends_like_a_string(line: &[u8]) -> bool {
    let mut signs = line.iter().rev().filter(|byte| !matches!(byte, b' ' | b'\t' | b'\r'));
    match signs.next() {
        Some(b'"' | b'\'') => true,
        Some(b',' | b'}' | b']') => {
            matches!(signs.find(|byte| !matches!(byte, b'}' | b']')), Some(b'"' | b'\''))
        }
        _ => false,
    }
}

/// Offsets are kept in 32 bits; `push` lets no more text in than that.
pub(super) fn narrow(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}
