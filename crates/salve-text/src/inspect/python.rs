//! Python's lines: which `try` still lacks its `except`, and where the last statement starts.
//!
//! In: the start of every line that is not inside brackets or a string. Out: the offset of the last
//! logical line and the open `try` blocks. Never measures the indentation of blank lines.

use super::machine::{Machine, View};
use super::stack::{Frame, Kind};
use super::strings::is_word;

const TRY_LIMIT: usize = 64;

/// A `try:` without `except` or `finally` so far.
#[derive(Debug)]
pub(super) struct Try {
    /// The frame that it opened.
    pub(super) frame: Frame,
    /// Its indentation in bytes.
    pub(super) indent: usize,
}

impl Machine {
    /// Looks at the logical line that starts at index `start`.
    pub(super) fn python_line(&mut self, view: &View<'_>, start: usize) {
        let line = view.ahead(start);
        let indent = line.iter().take_while(|&&byte| byte == b' ' || byte == b'\t').count();
        let first = line.get(indent).copied().unwrap_or(b'\n');
        if matches!(first, b'\n' | b'\r' | b'#' | 0x0C) {
            return;
        }
        self.calm = view.base + start;
        if first != b't' && self.habits.tries.is_empty() {
            return;
        }
        let rest = &line[indent..];
        let word = &rest[..rest.iter().take_while(|&&byte| is_word(byte)).count()];
        let handles = matches!(word, b"except" | b"finally");
        while let Some(open) = self.habits.tries.last() {
            // A line that ends the text may be the first letters of `except`.
            let ends_text = view.last && start + indent + word.len() == view.bytes.len();
            let unfinished = ends_text && !handles;
            if open.indent < indent || (unfinished && open.indent == indent) {
                break;
            }
            let handled = handles && open.indent == indent;
            self.habits.tries.pop();
            if handled {
                break;
            }
        }
        if word == b"try" && self.habits.tries.len() < TRY_LIMIT {
            let frame = Frame::new(Kind::Block, view.base + start + indent);
            self.habits.tries.push(Try { frame, indent });
        }
    }
}
