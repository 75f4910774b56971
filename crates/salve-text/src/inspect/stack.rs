//! What is open at this moment, within a fixed amount of memory.
//!
//! In: openers and closers as the machine meets them. Out: the frames that are open, outermost
//! first. Never grows past its limits: below [`FRAME_LIMIT`] levels every frame is kept; deeper
//! brackets are kept as runs of equal ones, and when even the runs are too many they are only
//! counted and the stack says so.

/// Levels that are kept one by one.
pub(super) const FRAME_LIMIT: usize = 1024;
/// Runs of equal brackets kept below them.
const RUN_LIMIT: usize = 1024;
/// Bytes for the names of elements and here-documents.
const NAME_LIMIT: usize = 4 * 1024;

/// What a frame is; it decides how the bytes after it are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Nothing is open.
    Top,
    Paren,
    Bracket,
    Brace,
    /// Code inside a string: `${…}`, `#{…}`, `\(…)`, `{…}` of an f-string.
    Hole,
    /// A block of keywords; its name is the word that ends it.
    Block,
    /// A string in the form whose index is in `form`.
    Text,
    /// A here-document, dollar quote or delimited raw string; its name is the delimiter.
    Delimited,
    LineComment,
    /// `/* … */`; `extra` counts the levels where comments nest.
    StarComment,
    /// `<!-- … -->`
    MarkupComment,
    Regex,
    /// `<name …` before its `>`.
    Tag,
    /// The children of an element.
    Element,
    /// A preprocessor line whose words do not count.
    Directive,
    /// `#define …`: code, up to the end of the line.
    Define,
    /// Text that is not code at all: around PHP, YAML block scalars, CSS `url(…)`.
    Opaque,
    /// A Markdown fence; `extra` is its length, `form` its sign.
    Fence,
}

impl Kind {
    /// Returns whether the bytes after a frame of this kind are code.
    pub(super) const fn is_code(self) -> bool {
        matches!(
            self,
            Self::Top
                | Self::Paren
                | Self::Bracket
                | Self::Brace
                | Self::Hole
                | Self::Block
                | Self::Define
        )
    }

    const fn is_bracket(self) -> bool {
        matches!(self, Self::Paren | Self::Bracket | Self::Brace)
    }
}

/// A construct that is open.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    /// Byte offset of the opener in the whole text.
    pub(super) offset: usize,
    /// Line and column of the opener, from 1; 0 until they are counted.
    pub(super) line: u32,
    pub(super) column: u32,
    pub(super) kind: Kind,
    /// Index of the string form, or a byte the kind gives a meaning to.
    pub(super) form: u8,
    /// A count or flags the kind gives a meaning to.
    pub(super) extra: u16,
    name_start: u16,
    name_len: u16,
}

impl Frame {
    /// Makes a frame without a name.
    pub(super) const fn new(kind: Kind, offset: usize) -> Self {
        Self { offset, line: 0, column: 0, kind, form: 0, extra: 0, name_start: 0, name_len: 0 }
    }

    /// Sets the two small fields.
    pub(super) const fn with(mut self, form: u8, extra: u16) -> Self {
        self.form = form;
        self.extra = extra;
        self
    }
}

/// The stack of open frames.
#[derive(Debug)]
pub(super) struct Stack {
    frames: Vec<Frame>,
    runs: Vec<(Kind, u32)>,
    uncounted: usize,
    // A string, comment or tag opened below the limit: it must still be read as what it is.
    leaf: Option<Frame>,
    names: Vec<u8>,
    top: Kind,
    resolved: usize,
    /// Whether something was open that could not be kept.
    pub(super) overflowed: bool,
}

impl Stack {
    pub(super) const fn new() -> Self {
        Self {
            frames: Vec::new(),
            runs: Vec::new(),
            uncounted: 0,
            leaf: None,
            names: Vec::new(),
            top: Kind::Top,
            resolved: 0,
            overflowed: false,
        }
    }

    /// Returns the bytes held outside the struct itself.
    pub(super) fn heap_bytes(&self) -> usize {
        self.frames.capacity() * size_of::<Frame>()
            + self.runs.capacity() * size_of::<(Kind, u32)>()
            + self.names.capacity()
    }

    /// Returns the kind of the innermost frame.
    pub(super) const fn top(&self) -> Kind {
        self.top
    }

    /// Returns the innermost frame that is kept as one.
    pub(super) fn last(&self) -> Option<&Frame> {
        self.leaf.as_ref().or_else(|| if self.is_deep() { None } else { self.frames.last() })
    }

    /// Returns the innermost frame for changes to its small fields.
    pub(super) fn last_mut(&mut self) -> Option<&mut Frame> {
        if self.leaf.is_some() {
            return self.leaf.as_mut();
        }
        if self.is_deep() { None } else { self.frames.last_mut() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.top == Kind::Top
    }

    /// Returns how many frames are kept one by one.
    pub(super) fn len(&self) -> usize {
        self.frames.len()
    }

    /// Returns the frames kept one by one, outermost first, and the leaf.
    pub(super) fn frames(&self) -> impl DoubleEndedIterator<Item = &Frame> {
        self.frames.iter().chain(self.leaf.as_ref())
    }

    /// Returns the runs of brackets between the kept frames and the leaf.
    pub(super) fn runs(&self) -> &[(Kind, u32)] {
        &self.runs
    }

    /// Returns the name of a frame.
    pub(super) fn name(&self, frame: &Frame) -> &[u8] {
        let start = usize::from(frame.name_start);
        self.names.get(start..start + usize::from(frame.name_len)).unwrap_or_default()
    }

    /// Opens a frame; one that cannot be kept is dropped and remembered as such.
    pub(super) fn push(&mut self, frame: Frame) {
        if self.frames.len() < FRAME_LIMIT {
            self.top = frame.kind;
            self.frames.push(frame);
        } else {
            self.push_deep(frame);
        }
    }

    /// Opens a frame that carries a name.
    pub(super) fn push_named(&mut self, mut frame: Frame, name: &[u8]) {
        if self.names.len() + name.len() <= NAME_LIMIT {
            // Both fit: the limit is far below what sixteen bits count.
            frame.name_start = self.names.len() as u16;
            frame.name_len = name.len() as u16;
            self.names.extend_from_slice(name);
        } else {
            self.overflowed = true;
            frame.name_start = self.names.len() as u16;
        }
        self.push(frame);
    }

    /// Closes the innermost frame.
    pub(super) fn pop(&mut self) -> Option<Frame> {
        let gone = self.pop_any();
        if let Some(frame) = gone
            && frame.name_len > 0
        {
            self.names.truncate(usize::from(frame.name_start));
        }
        self.top = self.current();
        self.resolved = self.resolved.min(self.frames.len());
        gone
    }

    /// Changes what the innermost frame is, keeping its place and name.
    pub(super) fn become_kind(&mut self, kind: Kind) {
        if let Some(frame) = self.last_mut() {
            frame.kind = kind;
            self.top = kind;
        }
    }

    /// Returns how many frames must be popped to close a bracket of this kind, counting from 1;
    /// nothing when no such bracket is near or another construct is between.
    pub(super) fn distance(&self, kind: Kind) -> Option<usize> {
        if self.is_deep() {
            return self.runs.last().filter(|run| run.0 == kind).map(|_| 1);
        }
        self.frames
            .iter()
            .rev()
            .take(64)
            .take_while(|frame| frame.kind.is_bracket() || frame.kind == Kind::Block)
            .position(|frame| frame.kind == kind)
            .map(|index| index + 1)
    }

    /// Returns the frames whose place is not counted yet, oldest first.
    pub(super) fn unresolved(&mut self) -> impl Iterator<Item = &mut Frame> {
        let from = self.resolved.min(self.frames.len());
        self.resolved = self.frames.len();
        self.frames[from..].iter_mut().chain(self.leaf.as_mut().filter(|frame| frame.line == 0))
    }

    /// Returns a copy of the frames above `depth`, at most `count`, to be put back later.
    pub(super) fn save(&self, count: usize) -> (usize, Vec<Frame>) {
        let from = self.frames.len().saturating_sub(count);
        (self.frames.len(), self.frames[from..].to_vec())
    }

    /// Puts back what [`Self::save`] returned.
    pub(super) fn restore(&mut self, saved: &(usize, Vec<Frame>)) {
        if self.is_deep()
            || self.leaf.is_some()
            || saved.0.saturating_sub(saved.1.len()) > self.frames.len()
        {
            return;
        }
        self.frames.truncate(saved.0 - saved.1.len());
        self.frames.extend_from_slice(&saved.1);
        self.resolved = self.resolved.min(saved.0 - saved.1.len());
        self.top = self.current();
    }

    fn push_deep(&mut self, frame: Frame) {
        if self.leaf.is_some() {
            self.overflowed = true;
        } else if !frame.kind.is_bracket() {
            self.top = frame.kind;
            self.leaf = Some(frame);
        } else if let Some(run) = self.runs.last_mut().filter(|run| run.0 == frame.kind) {
            run.1 = run.1.saturating_add(1);
        } else if self.runs.len() < RUN_LIMIT && self.uncounted == 0 {
            self.runs.push((frame.kind, 1));
            self.top = frame.kind;
        } else {
            self.uncounted += 1;
            self.overflowed = true;
        }
    }

    fn pop_any(&mut self) -> Option<Frame> {
        if let Some(leaf) = self.leaf.take() {
            return Some(leaf);
        }
        if self.uncounted > 0 {
            self.uncounted -= 1;
            return None;
        }
        let Some(run) = self.runs.last_mut() else { return self.frames.pop() };
        run.1 -= 1;
        if run.1 == 0 {
            self.runs.pop();
        }
        None
    }

    fn is_deep(&self) -> bool {
        !self.runs.is_empty()
    }

    fn current(&self) -> Kind {
        if let Some(leaf) = &self.leaf {
            return leaf.kind;
        }
        match self.runs.last() {
            Some(run) => run.0,
            None => self.frames.last().map_or(Kind::Top, |frame| frame.kind),
        }
    }
}
