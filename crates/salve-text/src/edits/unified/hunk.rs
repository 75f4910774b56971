//! One hunk of a diff while its lines arrive.
//!
//! In: the line after `@@` and the lines below it. Out: a [`Hunk`] and notes on what was repaired.
//! Never: trust in the counts of the header; they are evidence where the lines leave a doubt.

use crate::edits::lines::Line;
use salve_types::{EditNote, EditNoteCode, Hunk, HunkBody, HunkLine, LineKind, Occurrence, Span};

/// What a hunk header promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::edits) struct Declared {
    pub(in crate::edits) old_start: u32,
    pub(in crate::edits) old: usize,
    pub(in crate::edits) new: usize,
}

impl Declared {
    /// The 1-based line where the hunk begins. After `-5,0` new lines are before line 6.
    pub(in crate::edits) fn hint(self) -> Option<u32> {
        let line = self.old_start.saturating_add(u32::from(self.old == 0));
        (self.old_start > 0).then_some(line)
    }
}

/// Reads the header of a hunk: its numbers, where it has any, and the text that names the place.
pub(in crate::edits) fn read_header(line: &str) -> Option<(Option<Declared>, Option<String>)> {
    let rest = line.strip_prefix("@@")?;
    if !(rest.is_empty() || rest.starts_with([' ', '\t', '-'])) {
        return None;
    }
    let rest = rest.trim();
    let (ranges, section) = match rest.split_once("@@") {
        Some((ranges, section)) => (ranges.trim(), section.trim()),
        None => (rest, ""),
    };
    if let Some(declared) = read_ranges(ranges) {
        return Some((Some(declared), anchor(section)));
    }
    // Without numbers the text between the marks says where, unless it is only dots.
    Some((None, anchor(section).or_else(|| anchor(ranges))))
}

fn read_ranges(text: &str) -> Option<Declared> {
    let mut words = text.split_whitespace();
    let (old_start, old) = read_range(words.next()?.strip_prefix('-')?)?;
    let new = match words.next() {
        Some(word) => read_range(word.strip_prefix('+')?)?.1,
        None => old,
    };
    Some(Declared { old_start, old, new })
}

fn read_range(text: &str) -> Option<(u32, usize)> {
    let (start, count) = text.split_once(',').unwrap_or((text, "1"));
    Some((start.parse().ok()?, count.parse().ok()?))
}

fn anchor(text: &str) -> Option<String> {
    let says_nothing = text.chars().all(|letter| matches!(letter, '.' | '…' | ' '));
    (!says_nothing).then(|| text.to_owned())
}

/// A hunk whose lines still arrive.
#[derive(Debug)]
pub(super) struct HunkDraft {
    pub(super) declared: Option<Declared>,
    pub(super) lines: Vec<HunkLine>,
    anchors: Vec<String>,
    span: Span,
    old: usize,
    new: usize,
    // Lines whose meaning is open until a changed line follows: without a prefix, or context after
    // such a line.
    pending: Vec<Waiting>,
    bare: Vec<Line>,
    carriage_returns: Vec<bool>,
}

#[derive(Debug)]
struct Waiting {
    text: String,
    line: Line,
    prefixed: bool,
}

impl Waiting {
    fn is_blank(&self) -> bool {
        !self.prefixed && self.text.is_empty()
    }
}

/// The outcome of a hunk.
#[derive(Debug)]
pub(super) enum Closed {
    /// A hunk with an effect.
    Hunk(Hunk),
    /// Its new lines are its old lines.
    NoEffect(Span),
    /// It cannot be what was meant.
    Malformed(usize, String),
}

impl HunkDraft {
    pub(super) fn new(declared: Option<Declared>, section: Option<String>, at: Line) -> Self {
        Self {
            declared,
            lines: Vec::new(),
            anchors: section.into_iter().collect(),
            span: Span::new(at.start, at.end),
            old: 0,
            new: 0,
            pending: Vec::new(),
            bare: Vec::new(),
            carriage_returns: Vec::new(),
        }
    }

    /// Returns whether exactly the promised lines have come, whatever waits after them.
    pub(super) fn is_satisfied(&self) -> bool {
        self.remaining() == Some((0, 0))
    }

    /// Returns whether lines wait for a verdict.
    pub(super) fn is_waiting(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Returns whether the last line is the beginning of `diff --git` or `@@`.
    pub(super) fn ends_in_half_a_mark(&self) -> bool {
        self.pending.last().is_some_and(|waiting| {
            let text = waiting.text.as_str();
            text == "@" || (text.len() >= 3 && "diff --git ".starts_with(text))
        })
    }

    /// Returns how many old and new lines are still promised; `None` without a promise or when
    /// more came.
    pub(super) fn remaining(&self) -> Option<(usize, usize)> {
        let declared = self.declared?;
        Some((declared.old.checked_sub(self.old)?, declared.new.checked_sub(self.new)?))
    }

    /// Returns whether lines are promised that neither came nor may be among those that wait.
    pub(super) fn promises_more(&self) -> bool {
        let waiting = self.pending.len();
        self.remaining().is_some_and(|(old, new)| old > waiting || new > waiting)
    }

    /// Returns whether a line came that changes something.
    pub(super) fn changes(&self) -> bool {
        self.lines.iter().any(|line| line.kind != LineKind::Context)
    }

    /// Returns whether the last line is a change while lines of both sides are promised, and lines
    /// came before the first one: then those after it are missing.
    pub(super) fn ends_in_its_changes(&self) -> bool {
        let kind = |line: Option<&HunkLine>| line.map(|line| line.kind);
        let last = kind(self.lines.last()).is_some_and(|kind| kind != LineKind::Context);
        let first = kind(self.lines.first()) == Some(LineKind::Context);
        last && first && self.remaining().is_some_and(|(old, new)| old > 0 && new > old)
    }

    /// Returns whether both sides lack just the lines that make the context after the last change as
    /// long as that before the first one, as programs write it. A count that is merely wrong seldom
    /// fits that well.
    pub(super) fn lacks_the_rest_of_its_context(&self) -> bool {
        let context = |line: &&HunkLine| line.kind == LineKind::Context;
        let before = self.lines.iter().take_while(context).count();
        let after = self.lines.iter().rev().take_while(context).count() + self.pending.len();
        let lacking = before.saturating_sub(after);
        let rest = lacking + self.pending.len();
        lacking > 0 && before >= 2 && self.remaining() == Some((rest, rest))
    }

    /// Returns whether the last line is a change, and one side lacks just a context as long as that before the
    /// first change while the other lacks more: changes are missing, and what is to follow them.
    pub(super) fn stops_among_its_changes(&self) -> bool {
        let context = |line: &&HunkLine| line.kind == LineKind::Context;
        let before = self.lines.iter().take_while(context).count();
        let last = self.lines.last().is_some_and(|line| line.kind != LineKind::Context);
        let lacks = |(old, new): (usize, usize)| old != new && old.min(new) == before;
        last && before > 0 && self.remaining().is_some_and(lacks)
    }

    /// Takes a line with its prefix.
    pub(super) fn push(&mut self, kind: LineKind, text: &str, line: Line, terminator: &str) {
        if kind == LineKind::Context && self.is_waiting() && self.is_satisfied() {
            let text = text.to_owned();
            self.pending.push(Waiting { text, line, prefixed: true });
            return;
        }
        self.settle_pending(usize::MAX);
        self.take(kind, text.to_owned(), line);
        if let Some(last) = self.carriage_returns.last_mut() {
            *last = terminator == "\r\n";
        }
    }

    /// Takes a line that has no prefix: empty, or with the prefix forgotten.
    pub(super) fn push_bare(&mut self, text: &str, line: Line) {
        self.pending.push(Waiting { text: text.to_owned(), line, prefixed: false });
    }

    /// Takes `\ No newline at end of file`.
    pub(super) fn push_no_newline(&mut self, line: Line) {
        self.settle_pending(usize::MAX);
        if let Some(last) = self.lines.last_mut() {
            last.no_newline = true;
        }
        self.span.end = line.end;
    }

    fn take(&mut self, kind: LineKind, text: String, line: Line) {
        self.old += usize::from(kind != LineKind::Add);
        self.new += usize::from(kind != LineKind::Remove);
        self.lines.push(HunkLine { kind, text, no_newline: false });
        self.carriage_returns.push(false);
        self.span.end = line.end;
    }

    // Reads the first `count` waiting lines as context and forgets the others.
    fn settle_pending(&mut self, count: usize) {
        for waiting in std::mem::take(&mut self.pending).into_iter().take(count) {
            if !waiting.prefixed && !waiting.text.is_empty() {
                self.bare.push(waiting.line);
            }
            self.take(LineKind::Context, waiting.text, waiting.line);
        }
    }

    // Lines that still wait when the hunk ends are context or talk. Context changes nothing, so a
    // doubt is resolved by leaving it out: kept is what is in the same fence, and outside of
    // one what makes the counts true, or is promised and not parted by an empty line. Empty lines
    // are kept only where they make the counts true.
    fn settle_tail(&mut self, in_fence: bool) {
        let promised = self.remaining().map(|(old, new)| old.min(new));
        let lead = self.pending.iter().take_while(|waiting| !waiting.is_blank()).count();
        let core = self.pending.iter().rposition(|waiting| !waiting.is_blank());
        let core = core.map_or(0, |last| last + 1);
        let kept = match promised {
            Some(0) if self.is_satisfied() => 0,
            _ if in_fence => core,
            Some(promised) if promised == core => core,
            Some(promised) => lead.min(promised),
            None => 0,
        };
        let blanks =
            self.pending.iter().skip(kept).take_while(|waiting| waiting.is_blank()).count();
        let missing = match self.remaining() {
            Some((old, new)) if old == new => old.saturating_sub(kept),
            _ => 0,
        };
        self.settle_pending(if missing <= blanks { kept + missing } else { kept });
    }

    /// Ends the hunk.
    pub(super) fn close(mut self, in_fence: bool, notes: &mut Vec<EditNote>) -> Closed {
        self.settle_tail(in_fence);
        self.note_repairs(notes);
        let changes = self.lines.iter().any(|line| line.kind != LineKind::Context);
        if !changes && self.declared.is_some_and(|declared| declared.old != declared.new) {
            let why = "the hunk's header promises a change of length but no line begins with `+` \
                       or `-`; mark the added and removed lines";
            return Closed::Malformed(self.span.start, why.to_owned());
        }
        if has_no_effect(&self.lines) {
            if self.changes_line_ends() {
                let why = "the hunk changes only line ends, which a hunk cannot say here; send \
                           the whole file";
                return Closed::Malformed(self.span.start, why.to_owned());
            }
            return Closed::NoEffect(self.span);
        }
        Closed::Hunk(self.into_hunk(notes))
    }

    fn note_repairs(&self, notes: &mut Vec<EditNote>) {
        for line in &self.bare {
            let message = "a line without prefix was read as context".to_owned();
            let span = Span::new(line.start, line.end);
            notes.push(EditNote { code: EditNoteCode::MissingPrefix, message, span });
        }
        if let Some(declared) = self.declared
            && (declared.old, declared.new) != (self.old, self.new)
        {
            let message = format!(
                "the header promises {} old and {} new lines, the hunk has {} and {}; the lines \
                 were believed",
                declared.old, declared.new, self.old, self.new
            );
            notes.push(EditNote { code: EditNoteCode::HunkCount, message, span: self.span });
        }
    }

    // `-x` and `+x` that differ in their carriage returns alone.
    fn changes_line_ends(&self) -> bool {
        let side = |kind: LineKind| {
            let both = self.lines.iter().zip(&self.carriage_returns);
            both.filter(move |(line, _)| line.kind == kind).map(|(_, returns)| *returns)
        };
        !side(LineKind::Remove).eq(side(LineKind::Add))
            && side(LineKind::Remove).count() == side(LineKind::Add).count()
    }

    fn into_hunk(mut self, notes: &mut Vec<EditNote>) -> Hunk {
        let span = self.span;
        let hint = self.declared.and_then(Declared::hint);
        let only_adds = self.lines.iter().all(|line| line.kind == LineKind::Add);
        // `@@ -0,0 +1,3 @@` speaks of a file without any line.
        let from_nothing = self.declared.is_some_and(|it| it.old_start == 0 && it.old == 0);
        let fits = self.remaining() == Some((0, 0));
        let mut hunk = Hunk {
            body: HunkBody::Lines(Vec::new()),
            hint,
            anchors: self.anchors,
            occurrence: Occurrence::One,
            at_end: self.lines.last().is_some_and(|line| line.no_newline),
            span,
        };
        if only_adds && from_nothing {
            hunk.body = HunkBody::Text { old: String::new(), new: joined(&self.lines) };
            return hunk;
        }
        hunk.body = HunkBody::Lines(std::mem::take(&mut self.lines));
        note_merged(hunk, self.declared, fits, notes)
    }
}

/// Joins lines as the file they make, the last one without a terminator where it says so.
pub(super) fn joined(lines: &[HunkLine]) -> String {
    let mut text = String::new();
    for line in lines {
        text.push_str(&line.text);
        if !line.no_newline {
            text.push('\n');
        }
    }
    text
}

// Marks lines that read like `-old+new`. The split reading is taken where the header's counts ask
// for it; elsewhere the line stays as written, because only the file can tell (`-x = a+b`), and
// the process that has the file may ask for `Hunk::split_merged`.
fn note_merged(
    hunk: Hunk,
    declared: Option<Declared>,
    literal_fits: bool,
    notes: &mut Vec<EditNote>,
) -> Hunk {
    let Some(split) = hunk.split_merged() else { return hunk };
    let split_fits = declared.is_some_and(|it| (it.old, it.new) == counts(&split));
    let (message, hunk) = if split_fits && !literal_fits {
        ("a line `-old+new` was read as two lines, as the counts of the hunk ask", split)
    } else {
        ("a removed line reads like `-old+new` on one line; write them as two lines", hunk)
    };
    let span = hunk.span;
    notes.push(EditNote { code: EditNoteCode::MergedLine, message: message.to_owned(), span });
    hunk
}

fn counts(hunk: &Hunk) -> (usize, usize) {
    let HunkBody::Lines(lines) = &hunk.body else { return (0, 0) };
    let without = |kind| lines.iter().filter(|line| line.kind != kind).count();
    (without(LineKind::Add), without(LineKind::Remove))
}

/// Returns whether the new lines are the old ones.
pub(in crate::edits) fn has_no_effect(lines: &[HunkLine]) -> bool {
    let side = |kind: LineKind| lines.iter().filter(move |line| line.kind != kind);
    let same =
        |old: &HunkLine, new: &HunkLine| old.text == new.text && old.no_newline == new.no_newline;
    side(LineKind::Add).count() == side(LineKind::Remove).count()
        && side(LineKind::Add).zip(side(LineKind::Remove)).all(|(old, new)| same(old, new))
}
