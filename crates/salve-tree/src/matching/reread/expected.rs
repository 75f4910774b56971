//! What a file shall be after its hunks, in lines.
//!
//! In: hunks with their places. Out: segments of lines in the place of others, in the order of the
//! file. A hunk whose lines were found as they are says by itself what it does there; of the others,
//! and where two hunks reach into each other, the changes are taken as they were placed. Never: a
//! line that both a hunk and no hunk speaks of.

use crate::FileText;
use crate::matching::Rung;
use crate::matching::resolve::{Settled, State};
use crate::splice::{Change, Wanted};
use salve_types::{Hunk, HunkBody, HunkLine, LineKind, Occurrence};
use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

/// So often hunks that reach into each other are taken out before all are.
const ROUNDS: usize = 4;

/// Lines in the place of others.
pub(super) struct Segment<'h> {
    /// The first line of the file, from 0, that goes or that the new ones are before.
    pub(super) first: usize,
    /// How many lines go.
    pub(super) removed: usize,
    /// What is there instead.
    pub(super) new: Vec<Expected<'h>>,
    /// The hunk that asks for it.
    pub(super) hunk: usize,
}

/// A line that shall be there.
pub(super) enum Expected<'h> {
    /// As the hunk writes it, but for what the rung forgives.
    Written(&'h str, Rung),
    /// Byte for byte.
    Placed(Cow<'h, str>),
}

/// Makes the segments of all hunks that have a place.
pub(super) fn segments<'h>(
    text: &FileText,
    hunks: &'h [Hunk],
    states: &[State<'_>],
    sorted: &'h [Wanted],
) -> Vec<Segment<'h>> {
    let mut written: Vec<Segment<'h>> = Vec::new();
    for (at, (hunk, state)) in hunks.iter().zip(states).enumerate() {
        if let State::Settled(settled) = state {
            written.extend(as_written(text, hunk, settled, at).unwrap_or_default());
        }
    }
    let mut by_itself: HashSet<usize> = written.iter().map(|segment| segment.hunk).collect();
    // As they were placed, no two changes share a line; so few rounds are enough, and then none is
    // left that is read by itself.
    for round in (0..ROUNDS).rev() {
        if round == 0 {
            by_itself.clear();
        }
        let placed = sorted.iter().filter(|wanted| !by_itself.contains(&wanted.hunk));
        let mut all: Vec<Segment<'h>> = as_placed(text, placed);
        written.retain(|segment| by_itself.contains(&segment.hunk));
        all.extend(written.iter().map(Segment::again));
        all.sort_by_key(|it| (it.first, it.first + it.removed, it.hunk));
        let met = collisions(&all);
        if met.is_disjoint(&by_itself) {
            return all;
        }
        by_itself.retain(|hunk| !met.contains(hunk));
    }
    Vec::new()
}

impl<'h> Segment<'h> {
    fn again(&self) -> Self {
        let new = self.new.iter().map(|line| match line {
            Expected::Written(line, rung) => Expected::Written(line, *rung),
            Expected::Placed(line) => Expected::Placed(line.clone()),
        });
        Self { first: self.first, removed: self.removed, new: new.collect(), hunk: self.hunk }
    }
}

// The hunks whose segments share lines, or begin at one line.
fn collisions(sorted: &[Segment<'_>]) -> HashSet<usize> {
    let mut met = HashSet::new();
    let mut reach = (0, usize::MAX);
    for segment in sorted {
        let end = segment.first + segment.removed;
        if reach.1 != usize::MAX && reach.1 != segment.hunk && segment.first < reach.0 {
            met.extend([reach.1, segment.hunk]);
        }
        if end >= reach.0 {
            reach = (end, segment.hunk);
        }
    }
    met
}

// What a hunk says about the lines where it was found, read without a comparison of its sides.
fn as_written<'h>(
    text: &FileText,
    hunk: &'h Hunk,
    settled: &Settled,
    at: usize,
) -> Option<Vec<Segment<'h>>> {
    let first = settled.first.filter(|_| hunk.occurrence == Occurrence::One)?;
    // A file without lines takes blank context for nothing.
    if settled.rung > Rung::Reindent || text.line_count() == 0 {
        return None;
    }
    match &hunk.body {
        HunkBody::Lines(lines) => Some(of_lines(lines, first, settled.rung, at)),
        HunkBody::Block { old, new } => {
            let same = |(old, new): &(&String, &String)| old == new;
            let above = old.iter().zip(new).take_while(same).count();
            let rest = old.len().min(new.len()) - above;
            let below = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(same).count();
            let changed = |side: &Vec<String>| above..side.len() - below;
            let write = |line: &'h String| Expected::Written(line.as_str(), settled.rung);
            Some(vec![Segment {
                first: first + above,
                removed: changed(old).len(),
                new: new[changed(new)].iter().map(write).collect(),
                hunk: at,
            }])
        }
        HunkBody::Text { .. } | HunkBody::At(_) => None,
    }
}

fn of_lines(lines: &[HunkLine], first: usize, rung: Rung, hunk: usize) -> Vec<Segment<'_>> {
    let mut segments: Vec<Segment<'_>> = Vec::new();
    let mut at = first;
    for group in lines.chunk_by(|a, b| is_context(a) == is_context(b)) {
        let count = |kind| group.iter().filter(|line| line.kind == kind).count();
        let removed = count(LineKind::Remove);
        let added = group.iter().filter(|line| line.kind == LineKind::Add);
        let new: Vec<_> = added.map(|line| Expected::Written(line.text.as_str(), rung)).collect();
        if removed + new.len() > 0 {
            segments.push(Segment { first: at, removed, new, hunk });
        }
        at += removed + count(LineKind::Context);
    }
    segments
}

fn is_context(line: &HunkLine) -> bool {
    line.kind == LineKind::Context
}

// Changes that share lines become one segment: the file's bytes with the new ones in their places.
fn as_placed<'h>(text: &FileText, sorted: impl Iterator<Item = &'h Wanted>) -> Vec<Segment<'h>> {
    let mut segments: Vec<Segment<'h>> = Vec::new();
    let mut open: Option<Inside> = None;
    for wanted in sorted {
        match &wanted.change {
            Change::Lines { first, removed, new, .. } => {
                segments.extend(open.take().map(|inside| inside.close(text)));
                let line = |line: &'h String| {
                    let line = line.strip_suffix('\r').unwrap_or(line);
                    Expected::Placed(Cow::from(line))
                };
                let new = new.iter().map(line).collect();
                let (first, removed) = (*first, *removed);
                segments.push(Segment { first, removed, new, hunk: wanted.hunk });
            }
            Change::Bytes { range, new } => {
                let mut inside = match open.take() {
                    Some(inside) if inside.reaches(text, range) => inside,
                    other => {
                        segments.extend(other.map(|inside| inside.close(text)));
                        Inside::begin(text, range, wanted.hunk)
                    }
                };
                inside.take(text, range, new);
                open = Some(inside);
            }
        }
    }
    segments.extend(open.map(|inside| inside.close(text)));
    segments
}

/// Text inside of lines, and the lines it is in.
struct Inside {
    first: usize,
    /// The new text from the beginning of the first line to the end of the last change.
    so_far: String,
    /// Up to where the file's bytes are in it, or gone.
    until: usize,
    hunk: usize,
}

impl Inside {
    fn begin(text: &FileText, range: &Range<usize>, hunk: usize) -> Self {
        let first = text.lines_of(range).start;
        let until = text.line_start(first).min(range.start);
        Self { first, so_far: String::new(), until, hunk }
    }

    fn reaches(&self, text: &FileText, range: &Range<usize>) -> bool {
        text.lines_of(range).start < self.last_line(text)
    }

    // The line after the last one that is touched. What ends with a line break ends with its line.
    fn last_line(&self, text: &FileText) -> usize {
        let touched = text.lines_of(&(self.until..self.until));
        let begins = self.until == text.line_start(touched.start);
        let ended = self.so_far.is_empty() || self.so_far.ends_with(['\n', '\r']);
        if begins && ended { touched.start } else { touched.start + 1 }
    }

    fn take(&mut self, text: &FileText, range: &Range<usize>, new: &str) {
        self.so_far.push_str(text.text().get(self.until..range.start).unwrap_or_default());
        // A literal text brings line feeds, and they become the breaks of the file.
        let breaks = text.terminator_near(self.first);
        self.so_far.push_str(&new.replace("\r\n", "\n").replace('\n', breaks));
        self.until = range.end;
    }

    fn close<'h>(mut self, text: &FileText) -> Segment<'h> {
        let end = self.last_line(text).min(text.line_count());
        let rest = text.text().get(self.until..text.line_start(end)).unwrap_or_default();
        self.so_far.push_str(rest);
        let lines = FileText::plain(self.so_far);
        let new = lines.lines().map(|line| Expected::Placed(Cow::from(line.to_owned()))).collect();
        let removed = end.saturating_sub(self.first);
        Segment { first: self.first, removed, new, hunk: self.hunk }
    }
}
