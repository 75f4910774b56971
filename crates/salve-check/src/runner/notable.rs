//! Picks the lines out of a stream that look like diagnostics.
//!
//! In: the bytes between the ends that are kept anyway, in order. Out: the first of such lines, up
//! to a limit. Never looks at a line twice, and costs next to nothing once it is full.

use crate::Capture;
use memchr::{memchr, memrchr};
use regex::bytes::Regex;
use std::sync::LazyLock;

/// What such lines hold; without a first letter that may be a capital. One search for all of them
/// keeps the cost linear.
static SIGNS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new("rror|arning|anicked|FAIL|xception").ok());
/// A line longer than this is data, and only its beginning is looked at and kept.
const LONGEST: usize = 400;

/// The lines found so far.
#[derive(Debug, Default)]
pub(super) struct Notable {
    lines: Vec<u8>,
    /// The beginning of a line whose end has not come yet.
    open: Vec<u8>,
    full: bool,
}

impl Notable {
    /// Looks at the next bytes.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        if self.full {
            return;
        }
        let Some(first_end) = memchr(b'\n', bytes) else { return self.extend_open(bytes) };
        let (first, rest) = bytes.split_at(first_end + 1);
        self.extend_open(first);
        self.close();
        let whole = memrchr(b'\n', rest).map_or(0, |at| at + 1);
        let (lines, open) = rest.split_at(whole);
        self.scan(lines);
        self.extend_open(open);
    }

    /// Returns the lines.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.close();
        self.lines
    }

    /// Searches for the signs first and for the ends of lines only around them.
    fn scan(&mut self, mut lines: &[u8]) {
        while let Some(hit) = first_sign(lines) {
            let (before, after) = lines.split_at(hit);
            let start = memrchr(b'\n', before).map_or(0, |at| at + 1);
            let end = memchr(b'\n', after).map_or(lines.len(), |at| hit + at + 1);
            if let Some(line) = lines.get(start..end) {
                self.keep(line);
            }
            lines = lines.get(end..).unwrap_or_default();
            if self.full {
                return;
            }
        }
    }

    fn extend_open(&mut self, bytes: &[u8]) {
        let room = LONGEST.saturating_sub(self.open.len()).min(bytes.len());
        self.open.extend_from_slice(bytes.get(..room).unwrap_or_default());
    }

    fn close(&mut self) {
        let line = std::mem::take(&mut self.open);
        if first_sign(&line).is_some() {
            self.keep(&line);
        }
    }

    fn keep(&mut self, line: &[u8]) {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.get(..LONGEST.min(line.len())).unwrap_or_default();
        if self.full || first_sign(line).is_none() {
            return;
        }
        self.full = self.lines.len() + line.len() >= Capture::NOTABLE;
        if !self.full {
            self.lines.extend_from_slice(line);
            self.lines.push(b'\n');
        }
    }
}

fn first_sign(bytes: &[u8]) -> Option<usize> {
    SIGNS.as_ref()?.find(bytes).map(|hit| hit.start())
}
