//! Lines and fences of a reply that arrives in pieces.
//!
//! In: the text received so far. Out: each line once, as soon as it is whole, and whether a line
//! opens or closes a fence. Never: a copy of the text; a line is three offsets.

/// One line as offsets into the reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line {
    /// Offset of its first byte.
    pub(super) start: usize,
    /// Offset just past its last byte, without the terminator.
    pub(super) end: usize,
    /// Offset of the next line.
    pub(super) next: usize,
}

impl Line {
    /// Returns the line without its terminator.
    pub(super) fn of(self, text: &str) -> &str {
        text.get(self.start..self.end).unwrap_or_default()
    }

    /// Returns the terminator as written; empty for a last line without one.
    pub(super) fn terminator(self, text: &str) -> &str {
        text.get(self.end..self.next).unwrap_or_default()
    }

    /// Returns whether a line break follows.
    pub(super) const fn is_terminated(self) -> bool {
        self.end < self.next
    }
}

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

/// A fence of backticks or tildes that is open.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fence {
    mark: u8,
    length: usize,
    /// The spaces before it, which stand before its content too.
    pub(super) indent: usize,
    /// Where it was opened.
    pub(super) at: usize,
    /// Its info string says `diff` or `patch`.
    pub(super) says_diff: bool,
}

impl Fence {
    /// Reads a line that may open a fence.
    pub(super) fn opening(line: &str, at: usize) -> Option<Self> {
        let indent = line.len() - line.trim_start_matches(' ').len();
        let body = line.trim_start_matches(' ');
        let mark = *body.as_bytes().first().filter(|mark| matches!(mark, b'`' | b'~'))?;
        let length = body.bytes().take_while(|byte| *byte == mark).count();
        let info = body.get(length..)?.trim();
        let is_fence = length >= 3 && !(mark == b'`' && info.contains('`'));
        let word = info.split_whitespace().next().unwrap_or_default();
        let says_diff = ["diff", "patch", "udiff"].iter().any(|say| word.eq_ignore_ascii_case(say));
        is_fence.then_some(Self { mark, length, indent, at, says_diff })
    }

    /// Returns whether the line closes this fence.
    pub(super) fn is_closed_by(&self, line: &str) -> bool {
        let body = line.trim();
        let length = body.bytes().take_while(|byte| *byte == self.mark).count();
        length >= self.length && length == body.len()
    }

    /// Returns a line of its content without the spaces that only indent the fence.
    pub(super) fn content<'t>(&self, line: &'t str) -> &'t str {
        let spaces = line.bytes().take(self.indent).take_while(|byte| *byte == b' ').count();
        line.get(spaces..).unwrap_or(line)
    }
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
    fn fences_open_and_close_as_markdown_has_them() {
        let fence = Fence::opening("  ````diff", 7).unwrap();
        assert!(fence.says_diff && fence.indent == 2 && fence.at == 7);
        assert!(!fence.is_closed_by("```") && fence.is_closed_by("  `````  "));
        assert_eq!(fence.content("   x"), " x");
        assert_eq!(fence.content("x"), "x");
        for line in ["``", "`` `", "```a`b", "text", ""] {
            assert!(Fence::opening(line, 0).is_none(), "{line}");
        }
    }
}
