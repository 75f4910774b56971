//! Lines of a reply that arrives in pieces, and the fence that is open around an edit.
//!
//! In: the text received so far. Out: each line once, as soon as it is whole. Never copies the
//! text; a line is three offsets.

pub(super) use crate::lines::Line;
use crate::markdown::{Fence, Lead};

/// Cuts a growing text into lines; every byte is looked at once.
#[derive(Debug, Default)]
pub(super) struct LineFeed {
    begin: usize,
    scanned: usize,
}

impl LineFeed {
    /// Returns the next line that is whole, if there is one.
    pub(super) fn next_whole(&mut self, text: &str) -> Option<Line> {
        let fresh = text.as_bytes().get(self.scanned..)?;
        let Some(offset) = memchr::memchr(b'\n', fresh) else {
            self.scanned = text.len();
            return None;
        };
        let newline = self.scanned + offset;
        let returns = newline > self.begin && text.as_bytes()[newline - 1] == b'\r';
        let line =
            Line { start: self.begin, end: newline - usize::from(returns), next: newline + 1 };
        (self.begin, self.scanned) = (newline + 1, newline + 1);
        Some(line)
    }

    /// Returns what follows the last line break, if anything does.
    pub(super) fn rest(&mut self, text: &str) -> Option<Line> {
        let line = Line { start: self.begin, end: text.len(), next: text.len() };
        (self.begin, self.scanned) = (text.len(), text.len());
        (line.start < line.end).then_some(line)
    }
}

/// A fence that is open.
#[derive(Debug, Clone, Copy)]
pub(super) struct OpenFence {
    pub(super) fence: Fence,
    /// Where it was opened.
    pub(super) at: usize,
    /// Its info string says `diff` or `patch`.
    pub(super) says_diff: bool,
}

impl OpenFence {
    /// Reads a line that may open a fence.
    pub(super) fn read(line: &str, at: usize) -> Option<Self> {
        let fence = Fence::read(line, Lead::Blanks)?;
        Some(Self { fence, at, says_diff: says_diff(fence.info(line)) })
    }
}

/// Returns whether an info string names a diff.
pub(super) fn says_diff(info: &str) -> bool {
    let word = info.split([' ', ':', '\t']).next().unwrap_or_default();
    ["diff", "patch", "udiff"].iter().any(|name| word.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_once_and_whole_in_any_chunking() {
        let text = "a\r\n\n\r\nlast é";
        for size in 1..=text.len() {
            let (mut feed, mut seen, mut lines) = (LineFeed::default(), String::new(), Vec::new());
            for piece in text.chars().collect::<Vec<_>>().chunks(size) {
                seen.extend(piece);
                while let Some(line) = feed.next_whole(&seen) {
                    lines.push(line);
                }
            }
            lines.extend(feed.rest(&seen));
            let texts: Vec<&str> = lines.iter().map(|line| line.of(text)).collect();
            assert_eq!(texts, ["a", "", "", "last é"]);
            assert!(!lines[3].is_terminated() && lines[0].terminator(text) == "\r\n");
            assert_eq!(feed.rest(&seen), None);
        }
    }

    #[test]
    fn an_open_fence_knows_whether_it_holds_a_diff() {
        let fence = OpenFence::read("  ````diff", 7).unwrap();
        assert!(fence.says_diff && fence.at == 7 && fence.fence.indent == 2);
        assert!(!OpenFence::read("```different", 0).unwrap().says_diff);
    }
}
