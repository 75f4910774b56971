//! Finds the fenced blocks of a text and how they nest.
//!
//! In: a text. Out: its outermost blocks, closed or not. Never decides whether a block is the
//! content: the same lines may be a wrapper, a document's own example or part of a string.
//!
//! A longer fence holds shorter ones, as Markdown says. Models also write a document with fences
//! inside a fence of the same length. There a fence with a label opens an inner block, and a bare
//! one closes the innermost; a bare one that is followed by code, a second and a third bare fence
//! opens an inner block as well.

use super::label::{path_label, read_info};
use crate::markdown::{Fence, Lead, TICKS};
use crate::prose::{LineKind, line_kind, reads_like_talk};
use salve_types::{Language, Span};

/// An outermost fenced block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fenced {
    /// The opening fence with its label and line end.
    pub(crate) opener: Span,
    /// What is between the fences.
    pub(crate) content: Span,
    /// The closing fence with its line end.
    pub(crate) closer: Option<Span>,
    /// The label after the opening fence.
    pub(crate) info: Span,
    /// The width of the opening fence's indentation in bytes.
    pub(crate) indent: usize,
    /// False when the text ends inside the block.
    pub(crate) closed: bool,
}

impl Fenced {
    /// Returns the span from the opening to the closing fence.
    pub(crate) fn whole(&self) -> Span {
        Span::new(self.opener.start, self.closer.map_or(self.content.end, |closer| closer.end))
    }
}

/// Returns the outermost blocks of a text, in order.
pub(crate) fn find_blocks(text: &str) -> Vec<Fenced> {
    let marks = find_marks(text);
    let resolver = Resolver { text, bare_after: count_bare(&marks), marks };
    let blocks = resolver.blocks();
    if blocks.is_empty() { inline_block(text).into_iter().collect() } else { blocks }
}

/// Returns whether a line is a fence of any kind.
pub(crate) fn is_fence_line(line: &str) -> bool {
    read_mark(line, 0).is_some_and(|mark| mark.at_line_start)
}

// A place where a fence is.
#[derive(Debug, Clone, Copy)]
struct Mark {
    line: Span,
    run_start: usize,
    run_end: usize,
    sign: u8,
    // The label without the space around it.
    info: Span,
    at_line_start: bool,
}

impl Mark {
    const fn len(&self) -> usize {
        self.run_end - self.run_start
    }

    const fn is_bare(&self) -> bool {
        self.info.is_empty()
    }
}

// Inline fences and implied ends are looked for a few times only, so that hostile input stays
// linear.
const MOST_IMPLIED_ENDS: usize = 8;

struct Resolver<'a> {
    text: &'a str,
    marks: Vec<Mark>,
    // For each mark, how many bare fences follow it.
    bare_after: Vec<usize>,
}

enum End {
    // A mark closes the block.
    At(usize),
    // The block was never closed, and the next one began at this mark.
    Implied(usize),
    // The text ends first.
    Never,
}

impl Resolver<'_> {
    fn blocks(&self) -> Vec<Fenced> {
        let mut blocks = Vec::new();
        let mut implied = 0;
        let mut at = 0;
        while let Some(mark) = self.marks.get(at) {
            if !self.can_open(mark) {
                at += 1;
                continue;
            }
            let (block, next) = match self.end_of(at) {
                End::At(closer) => {
                    let span = self.closer_span(&self.marks[closer]);
                    let content_end = self.marks[closer].line.start;
                    (block(mark, content_end, Some(span), true), closer + 1)
                }
                End::Implied(next) if implied < MOST_IMPLIED_ENDS => {
                    implied += 1;
                    (block(mark, self.marks[next].line.start, None, true), next)
                }
                End::Implied(_) | End::Never => (self.unclosed(mark), self.marks.len()),
            };
            blocks.push(block);
            at = next;
        }
        blocks
    }

    // A fence in the middle of a line opens a block only after a sentence, and a label that is a
    // sentence is talk after a closing fence that has no opening one.
    fn can_open(&self, mark: &Mark) -> bool {
        let info = &self.text[mark.info.range()];
        if is_talk(info) {
            return false;
        }
        if mark.at_line_start {
            return true;
        }
        is_sentence(&self.text[mark.line.start..mark.run_start])
    }

    fn end_of(&self, opener: usize) -> End {
        let open = &self.marks[opener];
        let mut depth = 0usize;
        let mut first_inner = None;
        for (at, mark) in self.marks.iter().enumerate().skip(opener + 1) {
            if !mark.at_line_start || mark.sign != open.sign || mark.len() < open.len() {
                continue;
            }
            if mark.is_bare() || is_talk(&self.text[mark.info.range()]) {
                if depth > 0 {
                    depth -= 1;
                } else if self.opens_inner(at, open) {
                    depth += 1;
                } else {
                    return End::At(at);
                }
            } else {
                depth += 1;
                first_inner.get_or_insert(at);
            }
        }
        match first_inner {
            Some(next) if depth == 0 && self.was_forgotten(open) => End::Implied(next),
            _ => End::Never,
        }
    }

    // A bare fence inside a block opens an inner block when what follows is neither talk nor
    // nothing, and enough bare fences follow to close the inner and the outer block.
    fn opens_inner(&self, at: usize, open: &Mark) -> bool {
        let mark = &self.marks[at];
        if !mark.is_bare() {
            return false;
        }
        let next = self.marks.iter().enumerate().skip(at + 1).find(|(_, next)| {
            next.at_line_start && next.sign == open.sign && next.len() >= open.len()
        });
        let Some((next_at, next)) = next else { return false };
        next.is_bare()
            && self.bare_after[next_at] > 0
            && !self.is_talk_between(mark.line.end, next.line.start)
    }

    fn is_talk_between(&self, start: usize, end: usize) -> bool {
        let between = self.text.get(start..end).unwrap_or("");
        // The name of the next block is what is said between two blocks.
        let named =
            between.trim().lines().next_back().is_some_and(|last| {
                between.trim().lines().count() <= 3 && path_label(last).is_some()
            });
        named || reads_like_talk(&between.lines().collect::<Vec<_>>())
    }

    // The text ends with talk outside any inner block: the outer block of code was not left open
    // by a cut, its closing fence was forgotten.
    fn was_forgotten(&self, open: &Mark) -> bool {
        let language = read_info(&self.text[open.info.range()]).language;
        let tail = self.marks.last().map_or("", |last| &self.text[last.line.end..]);
        language.is_some_and(|language| language != Language::Markdown)
            && !tail.trim().is_empty()
            && reads_like_talk(&tail.lines().collect::<Vec<_>>())
    }

    fn unclosed(&self, mark: &Mark) -> Fenced {
        let trimmed = self.text.trim_end();
        let sign = char::from(mark.sign);
        let content_start = mark.line.end;
        let body = trimmed.get(content_start..).unwrap_or("");
        let run = body.len() - body.trim_end_matches(sign).len();
        let run_start = trimmed.len() - run;
        let alone = self.text[..run_start].ends_with('\n') || run_start == content_start;
        // A closing fence that is at the end of the last line of code.
        if run == mark.len() && !alone {
            let closer = Span::new(run_start, self.text.len());
            return block(mark, run_start, Some(closer), true);
        }
        // The first characters of a closing fence at the very end: the cut fell inside it.
        if (1..3).contains(&run) && alone && trimmed.len() == self.text.trim_end_matches(' ').len()
        {
            let closer = Span::new(run_start, self.text.len());
            return block(mark, run_start, Some(closer), false);
        }
        block(mark, self.text.len(), None, false)
    }

    // Talk after a closing fence on its line is not part of the fence.
    fn closer_span(&self, mark: &Mark) -> Span {
        let end = if mark.is_bare() { mark.line.end } else { mark.run_end };
        Span::new(mark.line.start, end)
    }
}

fn block(mark: &Mark, content_end: usize, closer: Option<Span>, closed: bool) -> Fenced {
    let indent = if mark.at_line_start { mark.run_start - mark.line.start } else { 0 };
    let start = if mark.at_line_start { mark.line.start } else { mark.run_start };
    Fenced {
        opener: Span::new(start, mark.line.end),
        content: Span::new(mark.line.end, content_end.max(mark.line.end)),
        closer,
        info: mark.info,
        indent,
        closed,
    }
}

fn find_marks(text: &str) -> Vec<Mark> {
    let mut marks = Vec::new();
    let mut start = 0;
    let mut above = "";
    for line in text.split_inclusive('\n') {
        marks.extend(read_mark(line, start).filter(|mark| !underlines(mark, above)));
        start += line.len();
        above = line;
    }
    marks
}

fn read_mark(line: &str, offset: usize) -> Option<Mark> {
    let first = Fence::read(line, Lead::Blanks);
    let at_line_start = first.is_some();
    let (run_at, fence) = match first {
        Some(fence) => (0, fence),
        None => {
            let at = memchr::memmem::find(line.as_bytes(), TICKS.as_bytes())?;
            (at, Fence::read(&line[at..], Lead::Margin)?)
        }
    };
    // A label begins with a word, a brace or a path; `*/` and its like belong to code.
    let info = fence.info(&line[run_at..]);
    let begins = |c: char| c.is_alphanumeric() || matches!(c, '{' | '.' | '/' | '_' | '"');
    if !info.is_empty() && (!info.starts_with(begins) || info.starts_with("//")) {
        return None;
    }
    let run_start = offset + run_at + fence.indent;
    let info = Span::new(fence.info.start + offset + run_at, fence.info.end + offset + run_at);
    Some(Mark {
        line: Span::new(offset, offset + line.len()),
        run_start,
        run_end: run_start + fence.length,
        sign: fence.sign,
        info,
        at_line_start,
    })
}

// A row of tildes as long as the line above it is the underline of a title.
fn underlines(mark: &Mark, above: &str) -> bool {
    let above = above.trim().chars().count();
    mark.sign == b'~' && mark.is_bare() && mark.len() > 3 && mark.len().abs_diff(above) <= 1
}

// Words that end like a sentence, as they are before a fence in the same line.
fn is_sentence(before: &str) -> bool {
    const LONGEST: usize = 300;
    let before = before.trim();
    before.len() <= LONGEST
        && before.starts_with(|first: char| first.is_alphabetic() || first > '\u{7F}')
        && before.ends_with([':', '!', '.', '?', '：', '！', '。'])
        && line_kind(before) != LineKind::Code
}

fn count_bare(marks: &[Mark]) -> Vec<usize> {
    let mut counts = vec![0; marks.len()];
    let mut count = 0;
    for (slot, mark) in counts.iter_mut().zip(marks).rev() {
        *slot = count;
        count += usize::from(mark.is_bare() && mark.at_line_start);
    }
    counts
}

// Labels are a word or two, attributes or a path; four words without any of their signs are talk.
fn is_talk(info: &str) -> bool {
    let words = info.split_whitespace().count();
    if words < 3 || info.contains(['=', '{']) {
        return false;
    }
    let label = read_info(info);
    label.path.is_none() && (label.language.is_none() || words >= 4)
}

// "Sure! ```ts const a = 1; ``` Hope it helps": a block within one line.
fn inline_block(text: &str) -> Option<Fenced> {
    let trimmed = text.trim();
    if trimmed.contains('\n') {
        return None;
    }
    let open = text.find(TICKS)?;
    let run = text[open..].len() - text[open..].trim_start_matches('`').len();
    let after_run = open + run;
    let close = after_run + text[after_run..].find(&text[open..after_run])?;
    let before = text[..open].trim();
    if !before.is_empty() && !is_sentence(before) {
        return None;
    }
    let inner = &text[after_run..close];
    let word = inner.split(' ').next().unwrap_or("");
    let labelled = inner.contains(' ') && Language::from_name(word).is_some();
    let info = Span::new(after_run, after_run + if labelled { word.len() } else { 0 });
    let content = inner[info.len()..].trim();
    if content.is_empty() {
        return None;
    }
    let content_start =
        info.end + (inner[info.len()..].len() - inner[info.len()..].trim_start().len());
    let content = Span::new(content_start, content_start + content.len());
    Some(Fenced {
        opener: Span::new(open, content.start),
        content,
        closer: Some(Span::new(content.end, close + run)),
        info,
        indent: 0,
        closed: true,
    })
}
