//! The lexical machine: reads a text once, byte by byte, and knows at every point what is open.
//!
//! In: bytes in pieces of any size. Out: the stack of open constructs, strings that a line end
//! broke, brackets that crossed. Never: looks back or ahead farther than fixed distances, so that
//! every cut of the input into pieces gives the same answer; allocates more than its limits.
//!
//! Code is skipped by a table of 256 classes; only bytes that can change what is open are looked
//! at. The habits of single languages live in the files beside this one.

use super::lines::Lines;
use super::rules::{Dialect, Rules, class, rules_of};
use super::stack::{Frame, Kind, Stack};
use memchr::{memchr, memchr2, memchr3};
use salve_types::Language;

/// How far a decision may look ahead.
pub(super) const LOOKAHEAD: usize = 256;
/// How far a decision may look back.
pub(super) const LOOKBACK: usize = 256;

/// A window on the text: `bytes` begin at offset `base` of the whole.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) base: usize,
    /// Index before which every decision has its full look-ahead.
    pub(super) limit: usize,
    /// Whether the text ends with these bytes.
    pub(super) last: bool,
}

impl<'a> View<'a> {
    /// Returns the byte at an index, or 0 past the end.
    pub(super) fn at(&self, index: usize) -> u8 {
        self.bytes.get(index).copied().unwrap_or(0)
    }

    /// Returns the bytes a decision at `index` may look at.
    pub(super) fn ahead(&self, index: usize) -> &'a [u8] {
        &self.bytes[index.min(self.bytes.len())..(index + LOOKAHEAD).min(self.bytes.len())]
    }

    /// Returns the bytes before `index` that a decision may look at.
    pub(super) fn behind(&self, index: usize) -> &'a [u8] {
        &self.bytes[index.saturating_sub(LOOKBACK)..index]
    }

    /// Returns the byte before `index`, or 0 at the start.
    pub(super) fn before(&self, index: usize) -> u8 {
        if index == 0 { 0 } else { self.at(index - 1) }
    }
}

/// The state of one text.
#[derive(Debug)]
pub(super) struct Machine {
    pub(super) rules: &'static Rules,
    pub(super) stack: Stack,
    /// Offset just past the last closed string, comment or bracket, and whether what is there
    /// is a value: decides between division and regular expression.
    pub(super) mark: usize,
    pub(super) mark_is_value: bool,
    /// Offset of the last line start at which nothing was open.
    pub(super) calm: usize,
    /// The same where moreover a statement had plainly ended.
    pub(super) calm_statement: usize,
    /// Whether the comment that is being read began between two statements.
    pub(super) calm_before_comment: bool,
    /// The last string that a line end broke, with the offset of that line end.
    pub(super) broken: Option<(Frame, usize)>,
    /// The first closer that had no opener of its kind.
    pub(super) crossed: Option<usize>,
    pub(super) habits: super::habits::Habits,
    lines: Lines,
}

impl Machine {
    pub(super) fn new(language: Language) -> Self {
        Self {
            rules: rules_of(language),
            stack: Stack::new(),
            mark: 0,
            mark_is_value: false,
            calm: 0,
            calm_statement: 0,
            calm_before_comment: false,
            broken: None,
            crossed: None,
            habits: super::habits::Habits::default(),
            lines: Lines::new(),
        }
    }

    /// Reads on from index `pos` and returns the index it came to.
    pub(super) fn run(&mut self, view: &View<'_>, pos: usize) -> usize {
        let mut at = pos;
        if view.base + at == 0 {
            at = self.begin(view);
        }
        while at < view.limit {
            at = self.step(view, at);
        }
        self.resolve(view, at);
        at
    }

    /// Reads one stretch from index `at`, which has its full look-ahead.
    pub(super) fn step(&mut self, view: &View<'_>, at: usize) -> usize {
        match self.stack.top() {
            Kind::Top if self.rules.dialect == Dialect::Html => self.element(view, at),
            Kind::Top if self.rules.dialect == Dialect::Markdown => self.markdown(view, at),
            kind if kind.is_code() => self.code(view, at),
            Kind::Text => self.text(view, at),
            Kind::LineComment => self.line_comment(view, at),
            Kind::StarComment => self.star_comment(view, at),
            Kind::MarkupComment => self.markup_comment(view, at),
            Kind::Delimited => self.delimited(view, at),
            Kind::Regex => self.regex(view, at),
            Kind::Tag => self.tag(view, at),
            Kind::Element => self.element(view, at),
            Kind::Directive => self.directive(view, at),
            Kind::Opaque => self.opaque(view, at),
            _ => self.fence_body(view, at),
        }
    }

    /// Returns the bytes held outside the struct itself.
    pub(super) fn heap_bytes(&self) -> usize {
        self.stack.heap_bytes() + self.habits.heap_bytes()
    }

    /// Opens a frame at an index.
    pub(super) fn open(&mut self, view: &View<'_>, kind: Kind, at: usize) {
        self.stack.push(Frame::new(kind, view.base + at));
    }

    /// Closes the innermost frame; what ended at index `end` is a value or not.
    pub(super) fn close(&mut self, view: &View<'_>, end: usize, value: bool) {
        self.stack.pop();
        self.mark = view.base + end;
        self.mark_is_value = value;
    }

    // Byte order marks and "#!" lines come before the language.
    fn begin(&mut self, view: &View<'_>) -> usize {
        let ahead = view.ahead(0);
        let at = if ahead.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
        if ahead[at.min(ahead.len())..].starts_with(b"#!")
            && !ahead[at..].starts_with(b"#![")
            && !matches!(self.rules.dialect, Dialect::Text | Dialect::Markdown | Dialect::Html)
        {
            self.open(view, Kind::LineComment, at);
        } else if self.rules.dialect == Dialect::Php {
            self.begin_php(view, at);
        } else if self.rules.dialect == Dialect::Python {
            self.python_line(view, at);
        }
        at
    }

    fn code(&mut self, view: &View<'_>, pos: usize) -> usize {
        let table =
            if self.stack.is_empty() { &self.rules.classes } else { &self.rules.inner_classes };
        let at = skip_plain(table, view.bytes, pos, view.limit);
        if at >= view.limit {
            return at;
        }
        let byte = view.bytes[at];
        match table[usize::from(byte)] {
            class::OPEN => self.open_bracket(view, at, byte),
            class::CLOSE => self.close_bracket(view, at, byte),
            class::NEWLINE => self.newline(view, at),
            class::QUOTE => self.quote(view, at, byte),
            class::SLASH => self.slash(view, at),
            class::HASH => self.hash(view, at),
            other => self.habit(view, at, other),
        }
    }

    fn open_bracket(&mut self, view: &View<'_>, at: usize, byte: u8) -> usize {
        let kind = match byte {
            b'(' => Kind::Paren,
            b'[' => Kind::Bracket,
            _ => Kind::Brace,
        };
        let dialect = self.rules.dialect;
        let flags = match dialect {
            Dialect::Script { .. } => self.script_bracket(view, at, kind),
            Dialect::Bash if !self.bash_bracket(view, at, byte) => return at + 1,
            Dialect::Yaml if !self.yaml_token_start(view, at) => return at + 1,
            Dialect::Css if byte == b'(' && self.css_url(view, at) => return at + 1,
            _ => 0,
        };
        self.stack.push(Frame::new(kind, view.base + at).with(0, flags));
        at + 1
    }

    fn close_bracket(&mut self, view: &View<'_>, at: usize, byte: u8) -> usize {
        let kind = match byte {
            b')' => Kind::Paren,
            b']' => Kind::Bracket,
            _ => Kind::Brace,
        };
        let top = self.stack.top();
        if top == kind {
            // The flag of the opener says whether the bracket as a whole is no value.
            let flags = self.stack.last().map_or(0, |frame| frame.extra);
            self.close(view, at + 1, flags == 0);
            if self.stack.is_empty() {
                self.calm_after_bracket(view, at + 1, byte);
            }
        } else if top == Kind::Hole {
            self.close_hole(view, at, byte);
        } else {
            self.cross(view, at, kind);
        }
        at + 1
    }

    // A closer that does not fit: close what is between if its opener is near, else pass it by.
    fn cross(&mut self, view: &View<'_>, at: usize, kind: Kind) {
        if self.is_loose_closer(kind) {
            return;
        }
        self.crossed.get_or_insert(view.base + at);
        if let Some(count) = self.stack.distance(kind) {
            for _ in 0..count {
                self.stack.pop();
            }
        }
        self.mark = view.base + at + 1;
        self.mark_is_value = true;
    }

    fn newline(&mut self, view: &View<'_>, at: usize) -> usize {
        if self.stack.is_empty() {
            self.calm_line(view, at);
        }
        self.line_end(view, at)
    }

    fn slash(&mut self, view: &View<'_>, at: usize) -> usize {
        let next = view.at(at + 1);
        if next == b'*' && self.rules.star_comments {
            self.remember_before_comment(view, at);
            self.calm_comment(view, at);
            self.stack.push(Frame::new(Kind::StarComment, view.base + at).with(0, 1));
            return at + 2;
        }
        if next == b'/' && self.rules.slash_comments {
            self.remember_before_comment(view, at);
            self.calm_comment(view, at);
            self.open(view, Kind::LineComment, at);
            return at + 2;
        }
        self.slash_habit(view, at)
    }

    fn line_comment(&mut self, view: &View<'_>, pos: usize) -> usize {
        let Some(found) = memchr(b'\n', &view.bytes[pos..view.limit]) else { return view.limit };
        let at = pos + found;
        // C continues a comment over a backslash at the end of the line.
        let carried = self.rules.dialect == Dialect::C && view.before(at) == b'\\';
        if !carried {
            self.stack.pop();
            self.end_comment(view, at);
            return at;
        }
        at + 1
    }

    fn star_comment(&mut self, view: &View<'_>, pos: usize) -> usize {
        let area = &view.bytes[pos..view.limit];
        let found =
            if self.rules.nested_comments { memchr2(b'*', b'/', area) } else { memchr(b'*', area) };
        let Some(found) = found else { return view.limit };
        let at = pos + found;
        let pair = (view.bytes[at], view.at(at + 1));
        let Some(frame) = self.stack.last_mut() else { return at + 1 };
        match pair {
            (b'*', b'/') if frame.extra <= 1 => {
                self.stack.pop();
                self.end_comment(view, at + 2);
                at + 2
            }
            (b'*', b'/') => {
                frame.extra -= 1;
                at + 2
            }
            (b'/', b'*') => {
                frame.extra = frame.extra.saturating_add(1);
                at + 2
            }
            _ => at + 1,
        }
    }

    fn markup_comment(&mut self, view: &View<'_>, pos: usize) -> usize {
        if self.stack.last().is_some_and(|frame| frame.form == super::ruby::BLOCK_COMMENT) {
            return self.ruby_comment(view, pos);
        }
        let Some(found) = memchr(b'-', &view.bytes[pos..view.limit]) else { return view.limit };
        let at = pos + found;
        if view.ahead(at).starts_with(b"-->") {
            self.stack.pop();
            return at + 3;
        }
        at + 1
    }

    fn ruby_comment(&mut self, view: &View<'_>, pos: usize) -> usize {
        if view.before(pos) == b'\n' && view.ahead(pos).starts_with(b"=end") {
            self.stack.pop();
            self.open(view, Kind::LineComment, pos);
            return pos + 4;
        }
        memchr(b'\n', &view.bytes[pos..view.limit]).map_or(view.limit, |found| pos + found + 1)
    }

    /// Skips text in which only `<` may matter.
    pub(super) fn skip_to_less(view: &View<'_>, pos: usize, also: u8) -> usize {
        let area = &view.bytes[pos..view.limit];
        memchr3(b'<', also, b'<', area).map_or(view.limit, |found| pos + found)
    }

    // Frames opened in this window get their line and column while their bytes are in sight.
    fn resolve(&mut self, view: &View<'_>, at: usize) {
        let mut lines = self.lines;
        for frame in self.stack.unresolved() {
            (frame.line, frame.column) = lines.place(view.bytes, view.base, frame.offset);
        }
        if let Some((frame, _)) = self.broken.as_mut().filter(|(frame, _)| frame.line == 0) {
            (frame.line, frame.column) =
                self.lines.clone().place(view.bytes, view.base, frame.offset);
        }
        self.resolve_habits(view, &mut { self.lines });
        self.lines.advance(view.bytes, view.base, view.base + at);
    }
}

/// Returns the first index from `pos` whose byte is not plain, or `limit`.
#[inline]
fn skip_plain(table: &[u8; 256], bytes: &[u8], pos: usize, limit: usize) -> usize {
    let mut at = pos;
    let area = &bytes[..limit];
    let class = |byte: u8| table[usize::from(byte)];
    // One test for four bytes: most of code is words and blanks.
    while let Some(&[a, b, c, d]) = area.get(at..).and_then(<[u8]>::first_chunk) {
        if class(a) | class(b) | class(c) | class(d) != class::PLAIN {
            break;
        }
        at += 4;
    }
    while at < limit && class(area[at]) == class::PLAIN {
        at += 1;
    }
    at
}
