//! The headings of a file: which lines begin with a text, and where sections open.
//!
//! In: a file. Out: the lines an anchor names, and whether a line between two others opens a section
//! of some depth; both by halving. Never: a pass over the file for one question.

use super::indent::indent;
use crate::FileText;
use std::ops::Range;

/// How many lines that begin alike are told.
const MOST: usize = 4096;

/// The lines of a file, sorted by what they begin with.
pub(crate) struct Headings<'t> {
    sorted: Vec<(&'t str, u32)>,
}

impl<'t> Headings<'t> {
    pub(crate) fn new(text: &'t FileText) -> Self {
        let lines = text.lines().enumerate();
        let mut sorted: Vec<_> = lines.map(|(at, line)| (line.trim_start(), at as u32)).collect();
        sorted.sort_unstable();
        Self { sorted }
    }

    /// Returns the lines that begin with a text, ascending.
    pub(crate) fn beginning_with(&self, text: &str) -> Vec<usize> {
        if text.is_empty() {
            return Vec::new();
        }
        let start = self.sorted.partition_point(|(line, _)| *line < text);
        let found = self.sorted[start..].iter().take_while(|(line, _)| line.starts_with(text));
        let mut lines: Vec<usize> = found.take(MOST).map(|&(_, at)| at as usize).collect();
        lines.sort_unstable();
        lines
    }
}

/// How deep every line is that may open a section; a tree of the least depths.
pub(crate) struct Openers {
    least: Vec<u32>,
    size: usize,
}

impl Openers {
    pub(crate) fn new(text: &FileText) -> Self {
        let size = text.line_count().next_power_of_two().max(1);
        let mut least = vec![u32::MAX; 2 * size];
        for (at, line) in text.lines().enumerate() {
            let depth = indent(line).len();
            let opens = |first: char| first.is_alphanumeric() || first == '_';
            if line[depth..].starts_with(opens) {
                least[size + at] = depth as u32;
            }
        }
        for at in (1..size).rev() {
            least[at] = least[2 * at].min(least[2 * at + 1]);
        }
        Self { least, size }
    }

    /// Tells whether some line opens a section that is not deeper.
    pub(crate) fn any(&self, lines: Range<usize>, depth: usize) -> bool {
        let (mut from, mut to) = (self.size + lines.start, self.size + lines.end.min(self.size));
        let fits = |at: usize| self.least[at] as usize <= depth;
        while from < to {
            if from % 2 == 1 {
                if fits(from) {
                    return true;
                }
                from += 1;
            }
            if to % 2 == 1 {
                to -= 1;
                if fits(to) {
                    return true;
                }
            }
            (from, to) = (from / 2, to / 2);
        }
        false
    }
}
