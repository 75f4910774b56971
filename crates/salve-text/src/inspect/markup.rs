//! Tags and elements of HTML and JSX.
//!
//! In: `<` where a tag may start, and the bytes inside tags and elements. Out: frames for the tag
//! until its `>`, then for the element until its end tag. Never demands an end tag that HTML lets
//! people leave out.

use super::machine::{Machine, View};
use super::rules::{Dialect, html_form, script_form};
use super::stack::{Frame, Kind};

/// Flag of a tag: it is `</name`.
pub(super) const CLOSING: u16 = 1;
/// Flag of an element whose content is not markup: script, style.
pub(super) const RAW: u16 = 2;
/// Flag of a tag: `<?…` or `<!…`, which opens no element.
pub(super) const DECLARATION: u16 = 4;
/// Added per open `<` of type arguments inside a tag.
const ANGLE: u16 = 16;

const VOID: &[&[u8]] = &[
    b"area",
    b"base",
    b"br",
    b"col",
    b"embed",
    b"hr",
    b"img",
    b"input",
    b"link",
    b"meta",
    b"param",
    b"source",
    b"track",
    b"wbr",
    b"!doctype",
];

/// Elements whose end tag may be left out.
const OPTIONAL: &[&[u8]] = &[
    b"p",
    b"li",
    b"dt",
    b"dd",
    b"option",
    b"optgroup",
    b"thead",
    b"tbody",
    b"tfoot",
    b"tr",
    b"td",
    b"th",
    b"colgroup",
    b"caption",
    b"rt",
    b"rp",
];

impl Machine {
    /// Opens a tag at `<` and returns the index after its name.
    pub(super) fn open_tag(&mut self, view: &View<'_>, at: usize) -> usize {
        let closing = view.at(at + 1) == b'/';
        let start = at + 1 + usize::from(closing);
        let name = view.ahead(start);
        let name = &name[..name.iter().take_while(|&&byte| is_name(byte)).count()];
        let flags = if closing { CLOSING } else { 0 };
        if self.rules.dialect == Dialect::Html && !closing {
            self.imply_end(view, at, name);
        }
        let frame = Frame::new(Kind::Tag, view.base + at).with(0, flags);
        self.stack.push_named(frame, name);
        start + name.len()
    }

    // `<li>` ends an open `<li>`: HTML lets people leave that end tag out.
    fn imply_end(&mut self, view: &View<'_>, at: usize, name: &[u8]) {
        let Some(frame) = self.stack.last().filter(|frame| frame.kind == Kind::Element) else {
            return;
        };
        let open = self.stack.name(frame);
        if open.eq_ignore_ascii_case(name)
            && OPTIONAL.contains(&open.to_ascii_lowercase().as_slice())
        {
            self.habits.implied_ends = true;
            self.close(view, at, true);
        }
    }

    /// Reads inside a tag.
    pub(super) fn tag(&mut self, view: &View<'_>, pos: usize) -> usize {
        let script = matches!(self.rules.dialect, Dialect::Script { .. });
        let found = view.bytes[pos..view.limit].iter().position(|byte| b"\"'{></".contains(byte));
        let Some(found) = found else { return view.limit };
        let at = pos + found;
        let (double, single) = if script {
            (script_form::ATTRIBUTE_DOUBLE, script_form::ATTRIBUTE_SINGLE)
        } else {
            (html_form::DOUBLE, html_form::SINGLE)
        };
        let value = script || view.behind(at).trim_ascii_end().last() == Some(&b'=');
        match view.bytes[at] {
            b'"' if value => self.open_form(view, at, double, 1),
            b'\'' if value => self.open_form(view, at, single, 1),
            b'{' if script => {
                self.stack.push(Frame::new(Kind::Brace, view.base + at).with(0, 0));
                at + 1
            }
            b'>' => self.end_tag(view, at),
            b'<' => self.less_in_tag(view, at, script),
            b'/' if script && view.at(at + 1) == b'*' => {
                self.stack.push(Frame::new(Kind::StarComment, view.base + at).with(0, 1));
                at + 2
            }
            b'/' if script && view.at(at + 1) == b'/' => {
                self.open(view, Kind::LineComment, at);
                at + 2
            }
            _ => at + 1,
        }
    }

    fn less_in_tag(&mut self, view: &View<'_>, at: usize, script: bool) -> usize {
        if script {
            if let Some(frame) = self.stack.last_mut() {
                frame.extra = frame.extra.saturating_add(ANGLE);
            }
            return at + 1;
        }
        // HTML: a new tag inside a tag means the first was none (`a < b`).
        if view.at(at + 1).is_ascii_alphabetic() || view.at(at + 1) == b'/' {
            self.stack.pop();
            return at;
        }
        at + 1
    }

    fn end_tag(&mut self, view: &View<'_>, at: usize) -> usize {
        let Some(frame) = self.stack.last_mut() else { return at + 1 };
        if frame.extra >= ANGLE {
            frame.extra -= ANGLE;
            return at + 1;
        }
        // `=>` in type arguments closes nothing.
        if view.before(at) == b'=' && matches!(self.rules.dialect, Dialect::Script { .. }) {
            return at + 1;
        }
        let frame = *frame;
        if frame.extra & CLOSING != 0 {
            self.close_element(view, at + 1, &frame);
        } else if view.before(at) == b'/' || frame.extra & DECLARATION != 0 || self.is_void(&frame)
        {
            self.close(view, at + 1, true);
        } else {
            self.stack.become_kind(Kind::Element);
            if self.is_raw(&frame)
                && let Some(frame) = self.stack.last_mut()
            {
                frame.extra |= RAW;
            }
        }
        at + 1
    }

    // Pops the closing tag and the element it names, with everything whose end may be left out.
    fn close_element(&mut self, view: &View<'_>, end: usize, tag: &Frame) {
        let name = self.stack.name(tag).to_ascii_lowercase();
        self.close(view, end, true);
        let html = self.rules.dialect == Dialect::Html;
        let depth = self
            .stack
            .frames()
            .rev()
            .take(64)
            .take_while(|frame| frame.kind == Kind::Element)
            .position(|frame| self.stack.name(frame).eq_ignore_ascii_case(&name));
        match depth {
            Some(depth) => {
                if depth > 0 && html {
                    self.habits.implied_ends = true;
                } else if depth > 0 {
                    self.crossed.get_or_insert(tag.offset);
                }
                for _ in 0..=depth {
                    self.close(view, end, true);
                }
            }
            None if !html => {
                self.crossed.get_or_insert(tag.offset);
            }
            None => {}
        }
    }

    /// Reads the children of an element, or HTML outside any element.
    pub(super) fn element(&mut self, view: &View<'_>, pos: usize) -> usize {
        let script = matches!(self.rules.dialect, Dialect::Script { .. });
        let raw = self.stack.last().is_some_and(|frame| frame.extra & RAW != 0);
        let at = Self::skip_to_less(view, pos, if raw { b'<' } else { b'{' });
        if at >= view.limit {
            return at;
        }
        if script && view.bytes[at] == b'{' {
            self.stack.push(Frame::new(Kind::Brace, view.base + at).with(0, 0));
            return at + 1;
        }
        let ahead = view.ahead(at);
        if !script && !raw && (self.passes_over(ahead) || view.bytes[at] == b'{') {
            return at + 1;
        }
        if raw {
            let name = self.stack.last().map(|frame| self.stack.name(frame)).unwrap_or_default();
            let ends = ahead.get(..2) == Some(b"</")
                && ahead.get(2..2 + name.len()).is_some_and(|word| word.eq_ignore_ascii_case(name));
            let half = view.last
                && ahead.len() >= 2
                && ahead.len() < 2 + name.len()
                && ahead.starts_with(b"</")
                && name[..ahead.len() - 2].eq_ignore_ascii_case(&ahead[2..]);
            return if ends || half { self.open_tag(view, at) } else { at + 1 };
        }
        let half = view.last && at > 0 && matches!(ahead, b"<!" | b"<!-");
        if (ahead.starts_with(b"<!--") || half) && !script {
            self.open(view, Kind::MarkupComment, at);
            return at + ahead.len().min(4);
        }
        let next = view.at(at + 1);
        if !script && (next == b'!' || next == b'?') {
            self.stack.push(Frame::new(Kind::Tag, view.base + at).with(0, DECLARATION));
            return at + 2;
        }
        let starts = next.is_ascii_alphabetic() || matches!(next, b'/' | b'_' | b'$' | b'>');
        if starts || (view.last && at + 1 >= view.bytes.len()) {
            return self.open_tag(view, at);
        }
        at + 1
    }

    /// Returns whether an open element may stay open at the end of a text: where end tags are left
    /// out, one more may be.
    pub(super) fn may_stay_open(&self, frame: &Frame) -> bool {
        self.rules.dialect == Dialect::Html
            && self.habits.implied_ends
            && OPTIONAL.contains(&self.stack.name(frame).to_ascii_lowercase().as_slice())
    }

    /// Returns whether an element never has an end tag.
    pub(super) fn is_void(&self, frame: &Frame) -> bool {
        self.rules.dialect == Dialect::Html
            && VOID.contains(&self.stack.name(frame).to_ascii_lowercase().as_slice())
    }

    fn is_raw(&self, frame: &Frame) -> bool {
        let name = self.stack.name(frame).to_ascii_lowercase();
        self.rules.dialect == Dialect::Html
            && matches!(name.as_slice(), b"script" | b"style" | b"textarea" | b"title")
    }
}

const fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80 || matches!(byte, b'_' | b'$' | b'.' | b':' | b'-')
}
