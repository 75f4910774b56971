//! Stretches that are not code: HTML around PHP, YAML block scalars, CSS `url(…)`, Ruby after `__END__`, Markdown.
//!
//! In: the sign that starts such a stretch, then its bytes. Out: a frame until its end. Never looks
//! for quotes or brackets inside.

use super::machine::{Machine, View};
use super::rules::Dialect;
use super::stack::{Frame, Kind};
use crate::markdown::{Fence, Lead, TICKS, half_fence};
use memchr::memchr;

/// Text outside `<?php … ?>`.
const OUTSIDE_PHP: u8 = 1;
/// A YAML block scalar; `extra` is the indentation that ends it.
const YAML_BLOCK: u8 = 2;
/// An unquoted address in CSS.
const CSS_URL: u8 = 3;
/// What follows `__END__` in Ruby.
const DATA: u8 = 4;

impl Machine {
    /// Reads inside an opaque stretch.
    pub(super) fn opaque(&mut self, view: &View<'_>, pos: usize) -> usize {
        let Some(frame) = self.stack.last().copied() else { return view.limit };
        match frame.form {
            OUTSIDE_PHP => {
                let at = Self::skip_to_less(view, pos, b'<');
                if at < view.limit && view.at(at + 1) == b'?' {
                    self.stack.pop();
                    let named = view.ahead(at).starts_with(b"<?php");
                    return at + if named { 5 } else { 2 };
                }
                if at < view.limit { at + 1 } else { at }
            }
            DATA => view.limit,
            YAML_BLOCK => self.yaml_line(view, pos, frame.extra),
            _ => {
                let Some(found) = memchr(b')', &view.bytes[pos..view.limit]) else {
                    return view.limit;
                };
                self.stack.pop();
                pos + found
            }
        }
    }

    /// Starts a PHP file outside its code when it begins like a page.
    pub(super) fn begin_php(&mut self, view: &View<'_>, at: usize) {
        if view.ahead(at).trim_ascii_start().starts_with(b"<") {
            self.stack.push(Frame::new(Kind::Opaque, view.base + at).with(OUTSIDE_PHP, 0));
        }
    }

    /// Starts what follows the code of a Ruby file.
    pub(super) fn begin_data(&mut self, view: &View<'_>, at: usize) {
        self.stack.push(Frame::new(Kind::Opaque, view.base + at).with(DATA, 0));
    }

    /// Handles `?` in PHP: `?>` ends the code.
    pub(super) fn php_end(&mut self, view: &View<'_>, at: usize) -> usize {
        if view.at(at + 1) != b'>' {
            return at + 1;
        }
        self.stack.push(Frame::new(Kind::Opaque, view.base + at).with(OUTSIDE_PHP, 0));
        at + 2
    }

    /// Handles `(` in CSS: after `url`, an address without quotes is no code.
    pub(super) fn css_url(&mut self, view: &View<'_>, at: usize) -> bool {
        let word = super::script::last_word(view.behind(at));
        let first = view.ahead(at + 1).trim_ascii_start().first().copied().unwrap_or(b'"');
        if !word.eq_ignore_ascii_case(b"url") || matches!(first, b'"' | b'\'') {
            return false;
        }
        self.open(view, Kind::Paren, at);
        self.stack.push(Frame::new(Kind::Opaque, view.base + at).with(CSS_URL, 0));
        true
    }

    /// Returns whether a YAML token starts here, so that a quote or bracket means something.
    pub(super) fn yaml_token_start(&self, view: &View<'_>, at: usize) -> bool {
        let behind = view.behind(at);
        let start = behind.iter().rposition(|&byte| byte == b'\n').map_or(0, |index| index + 1);
        let line = &behind[start..];
        let text = line.trim_ascii_end();
        let spaced = text.len() < line.len();
        let in_flow = matches!(self.stack.top(), Kind::Bracket | Kind::Brace);
        match text.last() {
            None | Some(b'[' | b'{' | b',') => text.is_empty() || in_flow,
            Some(b':') => spaced || (in_flow && text.ends_with(b"\":")),
            Some(b'-' | b'?') => {
                spaced && text.trim_ascii_start().iter().all(|byte| b"-? ".contains(byte))
            }
            Some(_) => {
                let word = text.rsplit(|byte| *byte == b' ').next().unwrap_or_default();
                spaced && matches!(word.first(), Some(b'!' | b'&'))
            }
        }
    }

    /// Handles `|` and `>` in YAML: at the end of a line they start a block of plain lines.
    pub(super) fn yaml_block(&mut self, view: &View<'_>, at: usize) -> usize {
        let rest = view.ahead(at + 1);
        let signs = rest.iter().take_while(|byte| b"+-0123456789".contains(byte)).count();
        let rest = &rest[signs..];
        let blank = rest.iter().take_while(|&&byte| byte == b' ' || byte == b'\r').count();
        let ends = matches!(rest.get(blank), None | Some(b'\n' | b'#'));
        if !ends || !self.stack.is_empty() || !self.yaml_token_start(view, at) {
            return at + 1;
        }
        let behind = view.behind(at);
        let start = behind.iter().rposition(|&byte| byte == b'\n').map_or(0, |index| index + 1);
        let line = &behind[start..];
        let keyed = line.contains(&b':');
        let prefix =
            line.iter().take_while(|&&byte| byte == b' ' || (keyed && byte == b'-')).count();
        let frame = Frame::new(Kind::Opaque, view.base + at).with(YAML_BLOCK, prefix as u16);
        self.stack.push(frame);
        at + 1
    }

    fn yaml_line(&mut self, view: &View<'_>, pos: usize, indent: u16) -> usize {
        if view.before(pos) == b'\n' {
            let line = view.ahead(pos);
            let blanks = line.iter().take_while(|&&byte| byte == b' ').count();
            let blank = matches!(line.get(blanks), None | Some(b'\n' | b'\r'));
            if !blank && blanks <= usize::from(indent) {
                self.stack.pop();
                return pos;
            }
        }
        memchr(b'\n', &view.bytes[pos..view.limit]).map_or(view.limit, |found| pos + found + 1)
    }

    /// Reads Markdown: only fences and comments can be open.
    pub(super) fn markdown(&mut self, view: &View<'_>, pos: usize) -> usize {
        let line = view.ahead(pos);
        if line.first() == Some(&b'\n') {
            return pos + 1;
        }
        if view.base + pos == 0 || view.before(pos) == b'\n' {
            let whole = Fence::read(line, Lead::Containers);
            let fence = whole.map(|fence| (fence.indent, fence.sign, fence.length));
            if let Some((indent, sign, length)) =
                fence.or_else(|| half_fence(line).filter(|_| view.last))
            {
                let frame = Frame::new(Kind::Fence, view.base + pos + indent);
                self.stack.push(frame.with(sign, length.max(TICKS.len()) as u16));
                return skip_line(view, pos + indent + length);
            }
        }
        if line.starts_with(b"<!--") {
            self.open(view, Kind::MarkupComment, pos);
            return pos + 4;
        }
        let area = &view.bytes[pos + 1..view.limit.max(pos + 1)];
        match memchr::memchr2(b'\n', b'<', area) {
            Some(found) if area[found] == b'\n' => pos + found + 2,
            Some(found) => pos + found + 1,
            None => view.limit.max(pos + 1),
        }
    }

    /// Reads inside a Markdown fence.
    pub(super) fn fence_body(&mut self, view: &View<'_>, pos: usize) -> usize {
        let Some(frame) = self.stack.last().copied() else { return view.limit };
        if self.rules.dialect != Dialect::Markdown {
            return view.limit;
        }
        if view.before(pos) == b'\n'
            && let Some(fence) = Fence::read(view.ahead(pos), Lead::Containers)
            && fence.sign == frame.form
            && fence.length >= usize::from(frame.extra)
            && fence.is_bare()
        {
            self.stack.pop();
        }
        skip_line(view, pos)
    }
}

fn skip_line(view: &View<'_>, pos: usize) -> usize {
    let pos = pos.min(view.limit);
    memchr(b'\n', &view.bytes[pos..view.limit]).map_or(view.limit, |found| pos + found + 1)
}
