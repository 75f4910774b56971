//! The fast path: strict JSON, and strings in apostrophes that are otherwise strict, in one loop.
//!
//! In: a machine that expects a value, a key or a comma. Out: nodes for as long as the text is
//! strict. Never decides a doubt: there it stops, at a place from which the careful path can go on.
//! Never closes the outermost bracket: what may be after it is the careful path's to judge.

use super::machine::{Comma, Frame, FrameKind, Machine, State, make_room, narrow};
use super::tree::{Node, NodeState, Shape, Tag};

// The start of a string value that has been read on trust: the text after its quote has not yet
// proved that the quote closes it. The careful path looks ahead instead, with the same outcome.
#[derive(Clone, Copy)]
struct Doubt {
    pos: usize,
    nodes: usize,
    comma: Comma,
}

struct Reader<'a> {
    bytes: &'a [u8],
    pos: usize,
    state: State,
    nodes: &'a mut Vec<Node>,
    stack: &'a mut Vec<Frame>,
    open: &'a mut [u32; 4],
    max_depth: usize,
    /// The comma of the innermost frame.
    comma: Comma,
    doubt: Option<Doubt>,
    closed_list: u32,
    /// The frames closed since the doubt arose.
    closed: Vec<Frame>,
}

impl Machine {
    /// Reads on while the text is strict JSON.
    pub(super) fn read_strict(&mut self) {
        let Some(top) = self.stack.last() else { return };
        if !matches!(top.kind, FrameKind::Object | FrameKind::Array) || top.comma == Comma::Missing
        {
            return;
        }
        let mut reader = Reader {
            comma: top.comma,
            bytes: self.tree.source.as_bytes(),
            pos: self.pos,
            state: self.state,
            nodes: &mut self.tree.nodes,
            stack: &mut self.stack,
            open: &mut self.open,
            max_depth: self.max_depth,
            doubt: None,
            closed_list: self.closed_list,
            closed: Vec::new(),
        };
        reader.read();
        let (pos, state, comma) = (reader.pos, reader.state, reader.comma);
        self.closed_list = reader.closed_list;
        self.pos = pos;
        self.state = state;
        self.set_comma(comma);
    }
}

impl Reader<'_> {
    fn read(&mut self) {
        while self.read_token().is_some() {}
        let Some(doubt) = self.doubt else { return };
        // What came after the string is not JSON: the string must be read with care.
        while let Some(frame) = self.closed.pop() {
            self.open[usize::from(frame.kind == FrameKind::Array)] += 1;
            self.stack.push(frame);
        }
        self.nodes.truncate(doubt.nodes);
        self.pos = doubt.pos;
        self.comma = doubt.comma;
        self.state = State::Value;
    }

    // Reads one token and the white space before it; nothing where the text stops being strict.
    #[inline]
    fn read_token(&mut self) -> Option<()> {
        self.skip_space();
        let byte = *self.bytes.get(self.pos)?;
        match self.state {
            State::Value => self.read_value(byte),
            State::Key => match byte {
                b'"' | b'\'' => self.read_key(byte),
                b'}' if self.comma == Comma::First => self.close(byte),
                _ => None,
            },
            State::After => match byte {
                b',' => {
                    let in_object = self.top_kind()? == FrameKind::Object;
                    self.comma = Comma::Seen(self.pos);
                    self.pos += 1;
                    self.state = if in_object { State::Key } else { State::Value };
                    Some(())
                }
                b'}' | b']' => self.close(byte),
                _ => None,
            },
            State::Colon | State::Top | State::Closed => None,
        }
    }

    #[inline]
    fn read_value(&mut self, byte: u8) -> Option<()> {
        match byte {
            b'"' | b'\'' => {
                let (end, shape) = self.string_end(self.pos + 1, byte)?;
                self.doubt =
                    Some(Doubt { pos: self.pos, nodes: self.nodes.len(), comma: self.comma });
                self.closed.clear();
                self.push(end, Tag::String, shape);
                self.pos = end;
                self.member();
            }
            b'{' | b'[' => {
                if self.stack.len() >= self.max_depth {
                    return None;
                }
                self.doubt = None;
                self.open_container(byte);
            }
            b'-' | b'0'..=b'9' => {
                let end = self.number_end()?;
                self.doubt = None;
                self.push(end, Tag::Number, Shape::Plain);
                self.pos = end;
                self.member();
            }
            b't' => self.literal(b"true", Tag::True)?,
            b'f' => self.literal(b"false", Tag::False)?,
            b'n' => self.literal(b"null", Tag::Null)?,
            b']' if self.comma == Comma::First => return self.close(byte),
            _ => return None,
        }
        Some(())
    }

    // A key with its colon; only both together are strict.
    #[inline]
    fn read_key(&mut self, quote: u8) -> Option<()> {
        let start = self.pos;
        let (end, shape) = self.string_end(start + 1, quote)?;
        self.pos = end;
        self.skip_space();
        if self.bytes.get(self.pos) != Some(&b':') {
            self.pos = start;
            return None;
        }
        self.doubt = None;
        let colon = self.pos;
        self.pos = start;
        self.push(end, Tag::String, shape);
        self.pos = colon + 1;
        self.comma = Comma::Member;
        self.state = State::Value;
        Some(())
    }

    fn member(&mut self) {
        self.comma = Comma::Member;
        self.state = State::After;
    }

    fn top_kind(&self) -> Option<FrameKind> {
        self.stack.last().map(|frame| frame.kind)
    }

    #[inline]
    fn push(&mut self, end: usize, tag: Tag, shape: Shape) {
        let link = narrow(self.nodes.len() + 1);
        make_room(self.nodes, self.pos, self.bytes.len());
        let (start, end) = (narrow(self.pos), narrow(end));
        self.nodes.push(Node { start, end, link, tag, state: NodeState::Complete, shape });
    }

    fn open_container(&mut self, byte: u8) {
        let (kind, tag, state) = match byte {
            b'{' => (FrameKind::Object, Tag::Object, State::Key),
            _ => (FrameKind::Array, Tag::Array, State::Value),
        };
        if let Some(parent) = self.stack.last_mut() {
            parent.comma = Comma::Member;
        }
        let node = narrow(self.nodes.len());
        self.push(self.pos, tag, Shape::Plain);
        self.stack.push(Frame { node, kind, comma: Comma::First, open_edit: 0 });
        self.open[usize::from(kind == FrameKind::Array)] += 1;
        self.pos += 1;
        self.comma = Comma::First;
        self.state = state;
    }

    #[inline]
    fn close(&mut self, byte: u8) -> Option<()> {
        let frame = *self.stack.last()?;
        let kinds = matches!(frame.kind, FrameKind::Object | FrameKind::Array);
        if self.stack.len() < 2 || !kinds || !frame.kind.is_closed_by(byte) {
            return None;
        }
        // The careful path goes on from frames it knows, such as a call's.
        let parent = self.stack[self.stack.len() - 2].kind;
        if !matches!(parent, FrameKind::Object | FrameKind::Array) {
            return None;
        }
        self.stack.pop();
        self.open[usize::from(frame.kind == FrameKind::Array)] -= 1;
        if self.doubt.is_some() {
            self.closed.push(Frame { comma: self.comma, ..frame });
        }
        if frame.kind == FrameKind::Array {
            self.closed_list = frame.node;
        }
        let behind = narrow(self.nodes.len());
        self.pos += 1;
        if let Some(node) = self.nodes.get_mut(frame.node as usize) {
            node.end = narrow(self.pos);
            node.link = behind;
        }
        self.member();
        Some(())
    }

    #[inline]
    fn literal(&mut self, name: &'static [u8], tag: Tag) -> Option<()> {
        let end = self.pos + name.len();
        if self.bytes.get(self.pos..end)? != name || !ends_token(*self.bytes.get(end)?) {
            return None;
        }
        self.doubt = None;
        self.push(end, tag, Shape::Plain);
        self.pos = end;
        self.member();
        Some(())
    }

    #[inline]
    fn number_end(&self) -> Option<usize> {
        let bytes = self.bytes;
        let digits = |mut at: usize| {
            while bytes.get(at).is_some_and(u8::is_ascii_digit) {
                at += 1;
            }
            at
        };
        let mut at = self.pos + usize::from(bytes[self.pos] == b'-');
        let whole = at;
        at = digits(at);
        if at == whole || (bytes[whole] == b'0' && at > whole + 1) {
            return None;
        }
        if bytes.get(at) == Some(&b'.') {
            let fraction = at + 1;
            at = digits(fraction);
            if at == fraction {
                return None;
            }
        }
        if matches!(bytes.get(at), Some(b'e' | b'E')) {
            let signed = matches!(bytes.get(at + 1), Some(b'+' | b'-'));
            let exponent = at + 1 + usize::from(signed);
            at = digits(exponent);
            if at == exponent {
                return None;
            }
        }
        ends_token(*bytes.get(at)?).then_some(at)
    }

    #[inline]
    fn skip_space(&mut self) {
        let bytes = self.bytes;
        let mut at = self.pos;
        if bytes.get(at).is_some_and(|byte| *byte > b' ') {
            return;
        }
        const SPACES: u64 = u64::from_le_bytes([b' '; 8]);
        loop {
            if let Some(chunk) = bytes.get(at..at + 8).and_then(|c| c.try_into().ok()) {
                let differs = u64::from_le_bytes(chunk) ^ SPACES;
                if differs == 0 {
                    at += 8;
                    continue;
                }
                at += (differs.trailing_zeros() / 8) as usize;
            }
            match bytes.get(at) {
                Some(b' ' | b'\n' | b'\r' | b'\t') => at += 1,
                _ => break,
            }
        }
        self.pos = at;
    }

    // The place after the closing quote of the string whose content begins at `at`.
    #[inline]
    fn string_end(&self, mut at: usize, quote: u8) -> Option<(usize, Shape)> {
        if quote == b'\'' {
            at = next_special(self.bytes, at, b'\'');
            let closed = self.bytes.get(at) == Some(&b'\'');
            return closed.then_some((at + 1, Shape::Requoted));
        }
        let mut shape = Shape::Plain;
        loop {
            at = next_special(self.bytes, at, b'"');
            match *self.bytes.get(at)? {
                b'"' => return Some((at + 1, shape)),
                b'\\' => {
                    at = escape_end(self.bytes, at)?;
                    shape = Shape::Escaped;
                }
                _ => return None,
            }
        }
    }
}

#[inline]
fn ends_token(byte: u8) -> bool {
    matches!(byte, b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t')
}

// The next double quote, other quote, backslash or control character, eight bytes at a time.
#[inline(always)]
fn next_special(bytes: &[u8], mut at: usize, other: u8) -> usize {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const HIGHS: u64 = ONES << 7;
    const QUOTES: u64 = ONES * b'"' as u64;
    const SLASHES: u64 = ONES * b'\\' as u64;
    const FIRST_PRINTABLE: u64 = ONES * 0x20;
    while let Some(chunk) = bytes.get(at..at + 8).and_then(|chunk| chunk.try_into().ok()) {
        let word = u64::from_le_bytes(chunk);
        let quote = word ^ QUOTES;
        let slash = word ^ SLASHES;
        let third = word ^ (ONES * u64::from(other));
        // A byte that is zero borrows from its high bit; the lowest hit is always a true one.
        let hits = (quote.wrapping_sub(ONES) & !quote)
            | (slash.wrapping_sub(ONES) & !slash)
            | (third.wrapping_sub(ONES) & !third)
            | (word.wrapping_sub(FIRST_PRINTABLE) & !word);
        let hits = hits & HIGHS;
        if hits != 0 {
            return at + (hits.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    while bytes.get(at).is_some_and(|&b| !matches!(b, b'"' | b'\\' | 0..0x20) && b != other) {
        at += 1;
    }
    at
}

// The place after a valid escape; halves of surrogate pairs are left to the careful path.
fn escape_end(bytes: &[u8], at: usize) -> Option<usize> {
    match bytes.get(at + 1)? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(at + 2),
        b'u' => {
            let code = super::decode::hex4(bytes.get(at + 2..at + 6))?;
            if (0xD800..0xDC00).contains(&code) {
                let low = super::decode::hex4(bytes.get(at + 8..at + 12))?;
                let paired = bytes.get(at + 6..at + 8) == Some(b"\\u");
                return (paired && super::decode::is_low_surrogate(low)).then_some(at + 12);
            }
            (!super::decode::is_low_surrogate(code)).then_some(at + 6)
        }
        _ => None,
    }
}
