//! Strings: which form a quote opens, and where the form ends.
//!
//! In: a quote in code, or the bytes inside an open string. Out: frames pushed and popped. Never
//! lets a one-line string swallow the rest of a file: a line end breaks it and is remembered.

use super::machine::{Machine, View};
use super::rules::{Dialect, Escape, Form, Hole, c_form, csharp_form, python_form, rust_form};
use super::rules::{bash_form, sql_form, swift_form};
use super::stack::{Frame, Kind};
use memchr::memchr2;

impl Machine {
    /// Handles a quote in code.
    pub(super) fn quote(&mut self, view: &View<'_>, at: usize, byte: u8) -> usize {
        match self.rules.dialect {
            Dialect::Rust => self.rust_quote(view, at, byte),
            Dialect::Python => self.python_quote(view, at, byte),
            Dialect::C => self.c_quote(view, at, byte),
            Dialect::CSharp => self.csharp_quote(view, at, byte),
            Dialect::Bash => self.bash_quote(view, at, byte),
            Dialect::Sql => {
                let escaped = byte == b'\'' && matches!(view.before(at), b'E' | b'e');
                if escaped && !is_word(view.before(at - 1)) {
                    return self.open_form(view, at, sql_form::ESCAPED_STRING, 1);
                }
                self.table_quote(view, at)
            }
            Dialect::Yaml if !self.yaml_token_start(view, at) => at + 1,
            _ => self.table_quote(view, at),
        }
    }

    /// Opens a string of the given form whose opener has `len` bytes.
    pub(super) fn open_form(
        &mut self,
        view: &View<'_>,
        at: usize,
        form: usize,
        len: usize,
    ) -> usize {
        self.stack.push(Frame::new(Kind::Text, view.base + at).with(form as u8, 0));
        at + len
    }

    /// Reads inside a string.
    pub(super) fn text(&mut self, view: &View<'_>, pos: usize) -> usize {
        let Some(frame) = self.stack.last().copied() else { return view.limit };
        let form = &self.rules.forms[usize::from(frame.form)];
        if self.is_percent(&frame) {
            return self.percent_text(view, pos, frame);
        }
        let at = if form.close.len() == 3 && form.hole == Hole::None {
            // Long texts with two signs that matter: a search beats a table.
            let area = &view.bytes[pos..view.limit];
            memchr2(form.close[0], b'\\', area).map_or(view.limit, |found| pos + found)
        } else {
            skip_text(&form.stops, view.bytes, pos, view.limit)
        };
        if at >= view.limit {
            return at;
        }
        let byte = view.bytes[at];
        if byte == b'\n' && !form.lines {
            if !self.habits.defining {
                self.broken = Some((frame, view.base + at));
            }
            self.close(view, at, true);
            return at;
        }
        if byte == form.close[0]
            && let Some(len) = closer_len(view, at, form, frame.extra)
        {
            let again = view.at(at + len) == byte;
            if again && matches!(form.escape, Escape::Doubled | Escape::Sql) {
                return at + 2;
            }
            // In some languages a triple-quoted text may end with quotes of its own.
            if again && len == 3 && self.rules.greedy_triple {
                return at + 1;
            }
            self.close(view, at + len, true);
            return at + len;
        }
        if byte == b'\\' {
            return if form.escape == Escape::None { at + 1 } else { self.escape(view, at, form) };
        }
        self.hole(view, at, form)
    }

    /// Handles a closing bracket while the innermost frame is a hole in a string.
    pub(super) fn close_hole(&mut self, view: &View<'_>, at: usize, byte: u8) {
        let wanted = self.stack.last().map_or(0, |frame| frame.form);
        if byte == wanted {
            self.close(view, at + 1, true);
        } else if !self.is_loose_closer(Kind::Paren) {
            self.crossed.get_or_insert(view.base + at);
        }
    }

    fn table_quote(&mut self, view: &View<'_>, at: usize) -> usize {
        let ahead = view.ahead(at);
        let found = self.rules.forms.iter().position(|form| ahead.starts_with(form.open));
        match found {
            Some(form) => self.open_form(view, at, form, self.rules.forms[form].open.len()),
            None => at + 1,
        }
    }

    fn escape(&mut self, view: &View<'_>, at: usize, form: &Form) -> usize {
        let end = view.bytes.len();
        if form.hole == Hole::BackslashParen && view.at(at + 1) == b'(' {
            self.stack.push(Frame::new(Kind::Hole, view.base + at).with(b')', 0));
            return at + 2;
        }
        let next = view.at(at + 1);
        if form.escape == Escape::Sql {
            // Standard SQL has no escapes, MySQL has: a quote that a word follows was escaped, and so
            // are the others of that text.
            self.habits.escapes |= next == b'\'' && is_word(view.at(at + 2));
            let escaped = next == b'\\' || (next == b'\'' && self.habits.escapes);
            return if escaped { (at + 2).min(end) } else { at + 1 };
        }
        if form.hole == Hole::Brace && matches!(next, b'{' | b'}') {
            return at + 1;
        }
        let width = if next == b'\r' && view.at(at + 2) == b'\n' { 3 } else { 2 };
        (at + width).min(end)
    }

    fn hole(&mut self, view: &View<'_>, at: usize, form: &Form) -> usize {
        let byte = view.bytes[at];
        let next = view.at(at + 1);
        let (len, closer) = match (form.hole, byte, next) {
            (Hole::DollarBrace, b'$', b'{') | (Hole::HashBrace, b'#', b'{') => (2, b'}'),
            (Hole::Brace, b'{', b'{') | (Hole::Brace, b'}', b'}') => return at + 2,
            (Hole::Brace, b'{', _) => (1, b'}'),
            (Hole::Shell, b'$', b'(') => (2, b')'),
            (Hole::Shell, b'$', b'{') => return self.open_parameter(view, at),
            (Hole::Shell, b'`', _) => return self.backquote(view, at),
            _ => return at + 1,
        };
        self.stack.push(Frame::new(Kind::Hole, view.base + at).with(closer, 0));
        at + len
    }

    fn rust_quote(&mut self, view: &View<'_>, at: usize, byte: u8) -> usize {
        if byte == b'\'' {
            return self.rust_apostrophe(view, at);
        }
        let behind = view.behind(at);
        let hashes = behind.iter().rev().take_while(|&&byte| byte == b'#').count();
        let mut rest = &behind[..behind.len() - hashes];
        let raw = rest.last() == Some(&b'r');
        if raw {
            rest = &rest[..rest.len() - 1];
            if matches!(rest.last(), Some(b'b' | b'c')) {
                rest = &rest[..rest.len() - 1];
            }
        }
        if raw && !rest.last().is_some_and(|&byte| is_word(byte)) {
            let form = rust_form::RAW as u8;
            let frame = Frame::new(Kind::Text, view.base + at).with(form, hashes as u16);
            self.stack.push(frame);
            return at + 1;
        }
        self.open_form(view, at, rust_form::STRING, 1)
    }

    // A quote opens a character only when it closes after one; otherwise it names a lifetime.
    fn rust_apostrophe(&mut self, view: &View<'_>, at: usize) -> usize {
        let next = view.at(at + 1);
        let width = char_width(next);
        if next == b'\\' || (view.before(at) == b'b' && !is_word(view.before(at.max(1) - 1))) {
            return self.open_form(view, at, rust_form::CHAR, 1);
        }
        if view.at(at + 1 + width) == b'\'' && next != b'\n' && next != b'\'' {
            self.mark = view.base + at + 2 + width;
            self.mark_is_value = true;
            return at + 2 + width;
        }
        let at_end = view.last && at + 1 + width >= view.bytes.len();
        // No lifetime starts with a sign or a digit.
        let sign = at + 1 < view.bytes.len() && (!is_word(next) || next.is_ascii_digit());
        if at_end && (sign || starts_rust_char(view.behind(at))) {
            return self.open_form(view, at, rust_form::CHAR, 1);
        }
        at + 1
    }

    fn python_quote(&mut self, view: &View<'_>, at: usize, byte: u8) -> usize {
        let behind = view.behind(at);
        let prefix = behind.iter().rev().take_while(|&&byte| is_word(byte)).take(3).count();
        let prefix = &behind[behind.len() - prefix..];
        let formatted = prefix.len() <= 2 && prefix.iter().any(|byte| matches!(byte, b'f' | b'F'));
        let triple = view.ahead(at).starts_with(&[byte; 3]);
        let form = match (byte, triple) {
            (b'"', true) => python_form::TRIPLE_DOUBLE,
            (_, true) => python_form::TRIPLE_SINGLE,
            (b'"', false) => python_form::DOUBLE,
            (_, false) => python_form::SINGLE,
        };
        let form = if formatted { form + python_form::FORMATTED } else { form };
        self.open_form(view, at, form, if triple { 3 } else { 1 })
    }

    fn c_quote(&mut self, view: &View<'_>, at: usize, byte: u8) -> usize {
        let behind = view.behind(at);
        let word = behind.iter().rev().take_while(|&&byte| is_word(byte) || byte == b'\'').count();
        let word = &behind[behind.len() - word..];
        if byte == b'\'' {
            // 1'000'000 is one number.
            let number = word.first().is_some_and(u8::is_ascii_digit);
            return if number { at + 1 } else { self.open_form(view, at, c_form::CHAR, 1) };
        }
        let raw = matches!(word, b"R" | b"LR" | b"uR" | b"UR" | b"u8R");
        match raw.then(|| raw_delimiter(view, at)).flatten() {
            Some(delimiter) => {
                let frame = Frame::new(Kind::Delimited, view.base + at);
                self.stack.push_named(frame.with(super::heredoc::RAW_CPP, 0), delimiter);
                at + 2 + delimiter.len()
            }
            None => self.open_form(view, at, c_form::STRING, 1),
        }
    }

    fn csharp_quote(&mut self, view: &View<'_>, at: usize, byte: u8) -> usize {
        if byte == b'\'' {
            return self.open_form(view, at, csharp_form::CHAR, 1);
        }
        let quotes = view.ahead(at).iter().take_while(|&&byte| byte == b'"').count();
        if quotes >= 3 {
            let form = csharp_form::RAW as u8;
            let frame = Frame::new(Kind::Text, view.base + at).with(form, quotes as u16);
            self.stack.push(frame);
            return at + quotes;
        }
        let behind = view.behind(at);
        let signs: Vec<u8> =
            behind.iter().rev().take(2).copied().take_while(|byte| b"@$".contains(byte)).collect();
        let form = match (signs.contains(&b'$'), signs.contains(&b'@')) {
            (true, true) => csharp_form::FORMATTED_VERBATIM,
            (true, false) => csharp_form::FORMATTED,
            (false, true) => csharp_form::VERBATIM,
            (false, false) => csharp_form::STRING,
        };
        self.open_form(view, at, form, 1)
    }

    fn bash_quote(&mut self, view: &View<'_>, at: usize, byte: u8) -> usize {
        match byte {
            b'`' => self.backquote(view, at),
            b'\'' if self.is_plain_apostrophe() => at + 1,
            b'\'' if view.before(at) == b'$' => {
                self.open_form(view, at, bash_form::ESCAPED_SINGLE, 1)
            }
            b'\'' => self.open_form(view, at, bash_form::SINGLE, 1),
            _ => self.open_form(view, at, bash_form::DOUBLE, 1),
        }
    }

    /// Handles `#"…"#` of Swift, whose hashes must be repeated by the closer.
    pub(super) fn swift_hash(&mut self, view: &View<'_>, at: usize) -> usize {
        let ahead = view.ahead(at);
        let hashes = ahead.iter().take_while(|&&byte| byte == b'#').count();
        if ahead.get(hashes) != Some(&b'"') {
            return at + hashes;
        }
        let triple = ahead[hashes..].starts_with(b"\"\"\"");
        let form = if triple { swift_form::RAW_TRIPLE } else { swift_form::RAW };
        let frame = Frame::new(Kind::Text, view.base + at).with(form as u8, hashes as u16);
        self.stack.push(frame);
        at + hashes + if triple { 3 } else { 1 }
    }
}

/// Returns whether a byte belongs to a word; every byte of a non-ASCII character does.
pub(super) const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

// The length of the closer at `at`, or nothing when the bytes there only look like one.
fn closer_len(view: &View<'_>, at: usize, form: &Form, extra: u16) -> Option<usize> {
    let ahead = view.ahead(at);
    let extra = usize::from(extra);
    if extra == 0 {
        return ahead.starts_with(form.close).then_some(form.close.len());
    }
    if form.kind == salve_types::OpenKind::DoubleQuote
        && form.lines
        && extra >= 3
        && is_quotes(ahead, extra)
    {
        return Some(extra);
    }
    let hashes = ahead.strip_prefix(form.close)?.iter().take_while(|&&byte| byte == b'#').count();
    (hashes >= extra).then_some(form.close.len() + extra)
}

fn is_quotes(ahead: &[u8], count: usize) -> bool {
    ahead.iter().take_while(|&&byte| byte == b'"').count() >= count
}

fn raw_delimiter<'a>(view: &View<'a>, at: usize) -> Option<&'a [u8]> {
    let ahead = &view.ahead(at)[1..];
    let end = ahead.iter().take(17).position(|&byte| byte == b'(')?;
    Some(&ahead[..end])
}

const fn char_width(lead: u8) -> usize {
    match lead {
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xFF => 4,
        _ => 1,
    }
}

// At the very end a quote is ambiguous; what is before it decides.
fn starts_rust_char(behind: &[u8]) -> bool {
    let spaced = behind.last().is_some_and(u8::is_ascii_whitespace);
    let text = behind.trim_ascii_end();
    if text.ends_with(b"break") || text.ends_with(b"continue") {
        return false;
    }
    match text.last() {
        None | Some(b'&' | b'+' | b':' | b';' | b'{' | b'}') => false,
        Some(b'<') => spaced,
        Some(b',') => {
            let opener = text.iter().rev().find(|byte| b"<([{|&".contains(byte));
            opener.is_some_and(|byte| b"([{|".contains(byte))
        }
        Some(_) => true,
    }
}

#[inline]
fn skip_text(stops: &[bool; 256], bytes: &[u8], pos: usize, limit: usize) -> usize {
    let mut at = pos;
    let area = &bytes[..limit];
    let stops = |byte: u8| stops[usize::from(byte)];
    while let Some(&[a, b, c, d]) = area.get(at..).and_then(<[u8]>::first_chunk) {
        if stops(a) | stops(b) | stops(c) | stops(d) {
            break;
        }
        at += 4;
    }
    while at < limit && !stops(area[at]) {
        at += 1;
    }
    at
}
