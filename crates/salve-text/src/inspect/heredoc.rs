//! Here-documents, dollar quotes and delimited raw strings: texts that end at a word of their own.
//!
//! In: the announcement in code, then the lines of the body. Out: a frame whose name is the
//! delimiter. Never compares more of a line than the delimiter needs.

use super::machine::{Machine, View};
use super::rules::Dialect;
use super::stack::{Frame, Kind};
use super::strings::is_word;
use memchr::{memchr, memchr3};

/// `R"name(…)name"`
pub(super) const RAW_CPP: u8 = 1;
/// `$name$…$name$`
pub(super) const DOLLAR: u8 = 2;
/// The delimiter alone on its line.
pub(super) const EXACT: u8 = 3;
/// The same, after tabs.
pub(super) const TABBED: u8 = 4;
/// The same, after any blanks.
pub(super) const INDENTED: u8 = 5;
/// After any blanks, and code may follow on the line.
pub(super) const EMBEDDED: u8 = 6;

const PENDING_LIMIT: usize = 8;
const DELIMITER_LIMIT: usize = 64;

/// A here-document whose body starts on the next line.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) name: Vec<u8>,
    form: u8,
    /// Whether the delimiter was quoted, so that the body holds no expansions.
    quoted: bool,
    /// The quote of the delimiter, if the text ended before it was closed.
    pub(super) half_quote: Option<u8>,
    /// Where it was announced.
    pub(super) frame: Frame,
}

impl Pending {
    /// Returns the bytes held outside the struct itself.
    pub(super) fn heap_bytes(&self) -> usize {
        self.name.capacity()
    }
}

impl Machine {
    /// Handles `<<` in Bash.
    pub(super) fn bash_heredoc(&mut self, view: &View<'_>, at: usize) -> usize {
        let ahead = view.ahead(at);
        if ahead.starts_with(b"<<<") {
            return at + 3;
        }
        if !ahead.starts_with(b"<<") || self.in_arithmetic() {
            return at + 1;
        }
        let tabbed = ahead.get(2) == Some(&b'-');
        let start = 2 + usize::from(tabbed);
        let blanks =
            ahead[start.min(ahead.len())..].iter().take_while(|&&byte| byte == b' ').count();
        let form = if tabbed { TABBED } else { EXACT };
        self.announce(view, at, start + blanks, form)
    }

    /// Handles `<<` in Ruby.
    pub(super) fn ruby_heredoc(&mut self, view: &View<'_>, at: usize) -> usize {
        let ahead = view.ahead(at);
        let (start, form) = match ahead {
            [b'<', b'<', b'~' | b'-', ..] => (3, INDENTED),
            [b'<', b'<', next, ..] if next.is_ascii_uppercase() || b"\"'".contains(next) => {
                (2, EXACT)
            }
            _ => return at + 1,
        };
        if form == EXACT && (is_word(view.before(at)) || b")]".contains(&view.before(at))) {
            return at + 2;
        }
        self.announce(view, at, start, form)
    }

    /// Handles `<<<` in PHP.
    pub(super) fn php_heredoc(&mut self, view: &View<'_>, at: usize) -> usize {
        let ahead = view.ahead(at);
        if !ahead.starts_with(b"<<<") {
            return at + 1;
        }
        let blanks = ahead[3..].iter().take_while(|&&byte| byte == b' ').count();
        self.announce(view, at, 3 + blanks, EMBEDDED)
    }

    // Reads the delimiter at `at + start` and remembers it until the line ends.
    fn announce(&mut self, view: &View<'_>, at: usize, start: usize, form: u8) -> usize {
        let ahead = view.ahead(at);
        let rest = &ahead[start.min(ahead.len())..];
        let quote = rest.first().copied().filter(|byte| b"'\"\\`".contains(byte));
        let body = &rest[usize::from(quote.is_some()).min(rest.len())..];
        let ends_text = view.last && at + ahead.len() == view.bytes.len();
        let half_quote = quote.filter(|&sign| {
            ends_text && sign != b'\\' && body.iter().all(|&byte| byte != sign && is_word(byte))
        });
        let len = match quote {
            Some(_) if half_quote.is_some() => body.len(),
            Some(sign) if sign != b'\\' => body.iter().position(|&byte| byte == sign).unwrap_or(0),
            _ => body.iter().take_while(|&&byte| is_word(byte)).count(),
        };
        let starts_name = body.first().is_some_and(|&byte| is_word(byte) && !byte.is_ascii_digit());
        if len == 0 || len > DELIMITER_LIMIT || !(starts_name || quote.is_some()) {
            return at + 2;
        }
        if self.habits.pending.len() < PENDING_LIMIT {
            let name = body[..len].to_vec();
            let quoted = quote.is_some();
            let frame = Frame::new(Kind::Delimited, view.base + at);
            self.habits.pending.push(Pending { name, form, quoted, half_quote, frame });
        }
        let quotes = match quote {
            None => 0,
            Some(b'\\') => 1,
            Some(_) if half_quote.is_some() => 1,
            Some(_) => 2,
        };
        at + start + len + quotes
    }

    /// Opens the bodies announced on the line that ends here; the first one is read first.
    pub(super) fn begin_heredocs(&mut self) {
        let pending = std::mem::take(&mut self.habits.pending);
        for one in pending.into_iter().rev() {
            let frame = Frame::new(Kind::Delimited, one.frame.offset);
            let frame = frame.with(one.form, u16::from(one.quoted));
            self.stack.push_named(frame, &one.name);
        }
    }

    /// Handles `$` in SQL: `$$` and `$name$` open a quote.
    pub(super) fn dollar_quote(&mut self, view: &View<'_>, at: usize) -> usize {
        let ahead = &view.ahead(at)[1..];
        let len = ahead.iter().take_while(|&&byte| is_word(byte)).count();
        let named = !ahead.first().is_some_and(u8::is_ascii_digit);
        if ahead.get(len) != Some(&b'$') || !named || is_word(view.before(at)) {
            return at + 1;
        }
        let frame = Frame::new(Kind::Delimited, view.base + at).with(DOLLAR, 0);
        self.stack.push_named(frame, &ahead[..len]);
        at + len + 2
    }

    /// Reads inside a delimited text.
    pub(super) fn delimited(&mut self, view: &View<'_>, pos: usize) -> usize {
        let Some(frame) = self.stack.last().copied() else { return view.limit };
        match frame.form {
            RAW_CPP => self.find_closer(view, pos, &frame, b')', b'"'),
            DOLLAR => self.find_closer(view, pos, &frame, b'$', b'$'),
            _ => self.heredoc_line(view, pos, &frame),
        }
    }

    fn find_closer(
        &mut self,
        view: &View<'_>,
        pos: usize,
        frame: &Frame,
        first: u8,
        last: u8,
    ) -> usize {
        let Some(found) = memchr(first, &view.bytes[pos..view.limit]) else { return view.limit };
        let at = pos + found;
        let name = self.stack.name(frame);
        let len = name.len();
        let rest = &view.ahead(at)[1..];
        if rest.starts_with(name) && rest.get(len) == Some(&last) {
            self.close(view, at + len + 2, true);
            return at + len + 2;
        }
        at + 1
    }

    fn heredoc_line(&mut self, view: &View<'_>, pos: usize, frame: &Frame) -> usize {
        if view.before(pos) == b'\n' {
            let line = view.ahead(pos);
            let blanks = line.iter().take_while(|&&byte| match frame.form {
                EXACT => false,
                TABBED => byte == b'\t',
                _ => byte == b' ' || byte == b'\t',
            });
            let blanks = blanks.count();
            let name = self.stack.name(frame);
            let end = blanks + name.len();
            let after = line.get(end).copied();
            let ends = match after {
                None => view.last && pos + end >= view.bytes.len(),
                Some(b'\n') => true,
                Some(b'\r') => line.get(end + 1) == Some(&b'\n'),
                Some(byte) => {
                    frame.form == EMBEDDED && !is_word(byte)
                    // A closing parenthesis or backtick may end a command substitution.
                    || (self.rules.dialect == Dialect::Bash && b")`".contains(&byte))
                }
            };
            if line[blanks..].starts_with(name) && ends {
                self.close(view, pos + end, true);
                return pos + end;
            }
        }
        if frame.extra == 0 && self.rules.dialect == Dialect::Bash {
            return self.shell_body(view, pos);
        }
        memchr(b'\n', &view.bytes[pos..view.limit]).map_or(view.limit, |found| pos + found + 1)
    }

    // Reads to the end of the line or to an expansion.
    fn shell_body(&mut self, view: &View<'_>, pos: usize) -> usize {
        let found = memchr3(b'\n', b'$', b'\\', &view.bytes[pos..view.limit]);
        let Some(found) = found else { return view.limit };
        let at = pos + found;
        match (view.bytes[at], view.at(at + 1)) {
            (b'\\', _) => (at + 2).min(view.bytes.len()),
            (b'$', b'{') => self.open_parameter(view, at),
            (b'$', b'(') => {
                self.stack.push(Frame::new(Kind::Hole, view.base + at).with(b')', 0));
                at + 2
            }
            _ => at + 1,
        }
    }
}
