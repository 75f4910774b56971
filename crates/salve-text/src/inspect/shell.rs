//! Bash: expansions inside and outside strings, brackets, arithmetic.
//!
//! In: `$`, a backquote or a bracket. Out: a hole for what the expansion holds. Never mistakes the
//! `#` of `${x#y}` for a comment or the `<<` of `$((1<<2))` for a here-document.

use super::machine::{Machine, View};
use super::stack::{Frame, Kind};

/// Flag of a parenthesis: arithmetic.
const ARITHMETIC: u16 = 1;
/// Flag of a parameter expansion inside double quotes, where `'` is a plain character.
const QUOTED: u16 = 1;

impl Machine {
    /// Handles `$` in code.
    pub(super) fn bash_dollar(&mut self, view: &View<'_>, at: usize) -> usize {
        match view.at(at + 1) {
            b'(' => {
                self.stack.push(Frame::new(Kind::Hole, view.base + at).with(b')', 0));
                at + 2
            }
            b'{' => self.open_parameter(view, at),
            b'#' | b'$' | b'!' | b'?' | b'@' | b'*' => at + 2,
            _ => at + 1,
        }
    }

    /// Opens `${`.
    pub(super) fn open_parameter(&mut self, view: &View<'_>, at: usize) -> usize {
        let quoted =
            if matches!(self.stack.top(), Kind::Text | Kind::Delimited) { QUOTED } else { 0 };
        self.stack.push(Frame::new(Kind::Hole, view.base + at).with(b'}', quoted));
        at + 2
    }

    /// Handles a backquote, which opens and closes.
    pub(super) fn backquote(&mut self, view: &View<'_>, at: usize) -> usize {
        if self.stack.top() == Kind::Hole && self.stack.last().is_some_and(|hole| hole.form == b'`')
        {
            self.close(view, at + 1, true);
        } else {
            self.stack.push(Frame::new(Kind::Hole, view.base + at).with(b'`', 0));
        }
        at + 1
    }

    /// Returns whether an apostrophe here is a plain character.
    pub(super) fn is_plain_apostrophe(&self) -> bool {
        self.stack.last().is_some_and(|hole| {
            hole.kind == Kind::Hole && hole.form == b'}' && hole.extra == QUOTED
        })
    }

    /// Handles an opening bracket; a `{` or `[` in the middle of a word is a pattern.
    pub(super) fn bash_bracket(&mut self, view: &View<'_>, at: usize, byte: u8) -> bool {
        if byte == b'(' && view.before(at) == b'(' {
            self.stack.push(Frame::new(Kind::Paren, view.base + at).with(0, ARITHMETIC));
            return false;
        }
        let in_parameter =
            self.stack.last().is_some_and(|hole| hole.form == b'}' && hole.kind == Kind::Hole);
        // In `${…}` a `[` right after the name is a subscript; anywhere else it is a pattern.
        let after_name = matches!(view.before(at), b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_');
        !in_parameter || (byte == b'[' && after_name)
    }

    /// Returns whether `<<` is a shift here.
    pub(super) fn in_arithmetic(&self) -> bool {
        self.stack
            .last()
            .is_some_and(|frame| frame.kind == Kind::Paren && frame.extra == ARITHMETIC)
    }

    /// Drops at a line end a single `[` that the line did not close: it was a pattern.
    pub(super) fn end_bash_line(&mut self) {
        if self.stack.top() == Kind::Bracket {
            let single =
                self.stack.frames().rev().nth(1).is_none_or(|below| below.kind != Kind::Bracket);
            if single {
                self.stack.pop();
            }
        }
    }
}
