//! Ruby: `%w[…]` literals, `/…/`, `?c`, `$'`, `:/`, `=begin … =end`.
//!
//! In: the sign that may start one of these. Out: the frame it opens, or nothing when it is an
//! operator. Never needs the type of a name: spaces around the sign tell, as they do for Ruby.

use super::machine::{Machine, View};
use super::reader::Read;
use super::rules::{Dialect, ruby_form};
use super::stack::{Frame, Kind};
use super::strings::is_word;
use salve_types::{OpenConstruct, OpenKind};

/// Mark of a comment that ends with `=end`.
pub(super) const BLOCK_COMMENT: u8 = 1;

impl Machine {
    /// Returns whether `/` starts a regular expression.
    pub(super) fn ruby_starts_regex(&self, view: &View<'_>, at: usize) -> bool {
        begins_line(view, at) || !self.after_value(view, at) || self.is_argument(view, at)
    }

    /// Handles `%`.
    pub(super) fn percent(&mut self, view: &View<'_>, at: usize) -> usize {
        if !begins_line(view, at) && self.after_value(view, at) && !self.is_argument(view, at) {
            return at + 1;
        }
        let letter = view.at(at + 1);
        let named = b"wWiIqQrsx".contains(&letter);
        let delimiter = view.at(at + 1 + usize::from(named));
        if delimiter == 0
            || is_word(delimiter)
            || delimiter.is_ascii_whitespace()
            || (!named && delimiter == b'=')
        {
            return at + 1;
        }
        let form = if matches!(letter, b'w' | b'i' | b'q' | b's') {
            ruby_form::PERCENT_RAW
        } else {
            ruby_form::PERCENT
        };
        // The closer in the low byte, the nesting in the high one.
        let extra = u16::from(closer_of(delimiter));
        self.stack.push(Frame::new(Kind::Text, view.base + at).with(form as u8, extra));
        at + 2 + usize::from(named)
    }

    /// Returns whether a string frame is a `%` literal.
    pub(super) fn is_percent(&self, frame: &Frame) -> bool {
        self.rules.dialect == Dialect::Ruby && usize::from(frame.form) >= ruby_form::PERCENT
    }

    /// Reads inside a `%` literal.
    pub(super) fn percent_text(&mut self, view: &View<'_>, pos: usize, frame: Frame) -> usize {
        let closer = frame.extra as u8;
        let opener = opener_of(closer);
        let mut depth = frame.extra >> 8;
        let mut at = pos;
        while at < view.limit {
            let byte = view.bytes[at];
            at += 1;
            if byte == b'\\' {
                at = (at + 1).min(view.bytes.len());
            } else if byte == closer && depth == 0 {
                self.close(view, at, true);
                return at;
            } else if byte == closer {
                depth -= 1;
            } else if byte == opener && opener != closer {
                depth = (depth + 1).min(255);
            } else if byte == b'#'
                && view.at(at) == b'{'
                && usize::from(frame.form) == ruby_form::PERCENT
            {
                self.keep_depth(closer, depth);
                self.stack.push(Frame::new(Kind::Hole, view.base + at - 1).with(b'}', 0));
                return at + 1;
            }
        }
        self.keep_depth(closer, depth);
        at
    }

    /// Handles `?`: a character literal hides a quote.
    pub(super) fn ruby_character(view: &View<'_>, at: usize) -> usize {
        let before = view.before(at);
        let starts = before == 0 || before.is_ascii_whitespace() || b"([,=".contains(&before);
        let next = view.at(at + 1);
        let alone = !is_word(view.at(at + 2));
        if starts && alone && !next.is_ascii_whitespace() && next < 0x80 { at + 2 } else { at + 1 }
    }

    /// Handles `=`: `=begin` at the start of a line opens a comment.
    pub(super) fn ruby_equals(&mut self, view: &View<'_>, at: usize) -> usize {
        let starts_line = matches!(view.before(at), b'\n' | 0);
        if starts_line && view.ahead(at).starts_with(b"=begin") {
            self.stack.push(Frame::new(Kind::MarkupComment, view.base + at).with(BLOCK_COMMENT, 0));
            return at + 6;
        }
        at + 1
    }

    /// Handles `$`: the name of a global may be a sign, and a quote among them.
    pub(super) fn ruby_global(&mut self, view: &View<'_>, at: usize) -> usize {
        if !b"'\"`/;,:.<>~&!@?*\\+=".contains(&view.at(at + 1)) {
            return at + 1;
        }
        self.mark = view.base + at + 2;
        self.mark_is_value = true;
        at + 2
    }

    /// Handles `:`: the name of a symbol may be an operator.
    pub(super) fn ruby_symbol(&mut self, view: &View<'_>, at: usize) -> usize {
        let before = view.before(at);
        if view.at(at + 1) == b':' {
            return at + 2;
        }
        if is_word(before) || !b"/%`<".contains(&view.at(at + 1)) {
            return at + 1;
        }
        self.mark = view.base + at + 2;
        self.mark_is_value = true;
        at + 2
    }

    fn keep_depth(&mut self, closer: u8, depth: u16) {
        if let Some(frame) = self.stack.last_mut() {
            frame.extra = u16::from(closer) | (depth << 8);
        }
    }

    // `puts /x/` and `puts %w[a]`: a blank before and none after make it an argument.
    fn is_argument(&self, view: &View<'_>, at: usize) -> bool {
        let blank = matches!(view.before(at), b' ' | b'\t');
        let behind = view.behind(at).trim_ascii_end();
        let after_name = behind.last().is_some_and(|&byte| is_word(byte) && !byte.is_ascii_digit());
        let next = view.at(at + 1);
        blank && after_name && !next.is_ascii_whitespace() && next != b'='
    }
}

// The end of a line ends a statement, so that what begins the next one is no operator.
fn begins_line(view: &View<'_>, at: usize) -> bool {
    let behind = view.behind(at);
    let blanks = behind.iter().rev().take_while(|&&byte| byte == b' ' || byte == b'\t').count();
    let before = &behind[..behind.len() - blanks];
    before.ends_with(b"\n") && !before.ends_with(b"\\\n")
}

/// Returns whether the last line is an `end` at the margin, although things are open whose words or
/// quotes were misread: in indented code it ends everything. `body` are the last bytes of the text.
pub(super) fn ends_at_margin(read: &Read<'_>, body: &str, open: &[OpenConstruct]) -> bool {
    let text = body.trim_end();
    let last = text.rsplit('\n').next().unwrap_or_default();
    let end = read.len - read.tail.len() + text.len();
    // The block that it ended began at the margin too: then nothing was misread.
    if last != "end" || !body.ends_with('\n') || read.machine.habits.margin_end == end {
        return false;
    }
    let at_margin = |one: &&OpenConstruct| one.kind == OpenKind::Block && one.column == 1;
    let opaque = |one: &OpenConstruct| matches!(one.kind, OpenKind::Heredoc | OpenKind::Comment);
    open.iter().filter(at_margin).count() <= 1 && !open.iter().any(opaque)
}

/// Returns the byte that closes what `opener` opens.
const fn closer_of(opener: u8) -> u8 {
    match opener {
        b'(' => b')',
        b'[' => b']',
        b'{' => b'}',
        b'<' => b'>',
        other => other,
    }
}

const fn opener_of(closer: u8) -> u8 {
    match closer {
        b')' => b'(',
        b']' => b'[',
        b'}' => b'{',
        b'>' => b'<',
        other => other,
    }
}
