//! Takes out of a text what changes from run to run.
//!
//! In: what a tool printed, of any tool. Out: the same text with placeholders for paths, places,
//! times, durations, process numbers, addresses, hashes, ports, seeds and progress, and without
//! colours. Never loses a name: of a path the last part stays unless a line number follows it. One
//! pass, linear; doing it twice changes nothing.

mod run;
mod time;

use super::lexer::placeholder;
use run::{Context, Run};
use std::borrow::Cow;

/// Replaces what changes from run to run by placeholders such as `<PATH>`.
#[must_use]
pub fn normalise(text: &str) -> String {
    let plain = plain(text);
    let mut out = String::with_capacity(plain.len());
    let (mut line, mut again) = (String::new(), String::new());
    for source in plain.split('\n') {
        line.clear();
        normalise_line(source, &mut line);
        // What was taken out may bring two pieces together that are one thing; a few looks settle
        // it.
        for _ in 0..MAX_LOOKS {
            again.clear();
            normalise_line(&line, &mut again);
            if again == line {
                break;
            }
            std::mem::swap(&mut line, &mut again);
        }
        out.push_str(&line);
        out.push('\n');
    }
    out.pop();
    out
}

// Each look only adds placeholders, which no look touches again.
const MAX_LOOKS: usize = 8;

/// Removes colours and other terminal control; of a line that was overwritten the last state stays.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    let controls = memchr::memchr3(b'\x1b', b'\r', b'\x08', text.as_bytes());
    if controls.is_none() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for (at, line) in text.split('\n').enumerate() {
        if at > 0 {
            out.push('\n');
        }
        let line = line.trim_end_matches('\r');
        let line = line.rsplit('\r').next().unwrap_or(line);
        strip_escapes(line, &mut out);
    }
    Cow::Owned(out)
}

fn strip_escapes(line: &str, out: &mut String) {
    let mut rest = line;
    while let Some(at) = memchr::memchr2(b'\x1b', b'\x08', rest.as_bytes()) {
        let (before, after) = rest.split_at(at);
        out.push_str(before);
        let after = after.get(1..).unwrap_or_default();
        rest = after.get(escape_length(after.as_bytes())..).unwrap_or_default();
    }
    out.push_str(rest);
}

// What belongs to an escape character: `[…m` and its kin, `]…BEL`, or one more letter.
fn escape_length(after: &[u8]) -> usize {
    match after.first() {
        Some(b'[') => {
            let body = after.iter().skip(1).take_while(|byte| (0x20..0x40).contains(*byte)).count();
            let end = after.get(1 + body).is_some_and(|byte| (0x40..0x7f).contains(byte));
            1 + body + usize::from(end)
        }
        // A title that never ends is not one; the bound keeps the pass linear.
        Some(b']') => {
            after.iter().take(256).position(|byte| *byte == 0x07).map_or(1, |end| end + 1)
        }
        Some(b'(' | b')') if after.get(1).is_some_and(u8::is_ascii) => 2,
        _ => 0,
    }
}

/// Normalises one line that has no control characters in it.
pub(crate) fn normalise_line(line: &str, out: &mut String) {
    let mut line = Line { rest: line.trim(), context: Context::None, out, start: 0 };
    line.start = line.out.len();
    line.gutter();
    while line.step() {}
    // A place at the end may leave a blank behind.
    let trimmed = line.out.trim_end_matches(' ').len().max(line.start);
    line.out.truncate(trimmed);
}

struct Line<'a, 'o> {
    rest: &'a str,
    context: Context,
    out: &'o mut String,
    /// Where the line begins in `out`.
    start: usize,
}

impl<'a> Line<'a, '_> {
    // `12 | code` of a compiler's excerpt and `==123==` of a sanitizer.
    fn gutter(&mut self) {
        let digits = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        let after = &self.rest[digits..];
        if digits > 0 && after.trim_start_matches(' ').starts_with('|') {
            self.out.push_str("<LINE> ");
            self.rest = after.trim_start_matches(' ');
        } else if let Some(inner) = self.rest.strip_prefix("==") {
            let digits = inner.bytes().take_while(u8::is_ascii_digit).count();
            if let Some(after) = inner[digits..].strip_prefix("==").filter(|_| digits > 0) {
                self.out.push_str("==<PID>==");
                self.rest = after;
            }
        } else {
            self.process();
        }
    }

    // `program[123] text` and `program[123]: text`, as system logs begin their lines.
    fn process(&mut self) {
        let name = self
            .rest
            .bytes()
            .take(64)
            .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'-');
        let name = name.count();
        let Some(inner) = self.rest[name..].strip_prefix('[').filter(|_| name > 0) else { return };
        let digits = inner.bytes().take_while(u8::is_ascii_digit).count();
        let after = inner[digits..].strip_prefix(']');
        if let Some(after) = after.filter(|after| digits > 0 && after.starts_with([' ', ':'])) {
            self.out.push_str(&self.rest[..name]);
            self.out.push_str("[<PID>]");
            self.rest = after;
        }
    }

    // Takes blanks, one delimiter or one run from the rest; false at the end.
    fn step(&mut self) -> bool {
        let Some(first) = self.rest.chars().next() else { return false };
        if first.is_whitespace() {
            self.rest = self.rest.trim_start();
            if self.out.len() > self.start && !self.out.ends_with(' ') {
                self.out.push(' ');
            }
        } else if first == '<'
            && let Some(length) = placeholder(self.rest)
        {
            let (known, rest) = self.rest.split_at(length);
            self.rest = rest;
            self.put(known);
            // The path of an address says what was asked for, not where a file is.
            if known == "<PORT>" && rest.starts_with('/') {
                let (path, rest) = rest.split_at(run_length(rest));
                self.out.push_str(path);
                self.rest = rest;
            }
        } else if is_delimiter(first) {
            self.delimiter(first);
        } else {
            self.run();
        }
        true
    }

    fn delimiter(&mut self, first: char) {
        let same = self.rest.find(|letter| letter != first).unwrap_or(self.rest.len());
        let count = same / first.len_utf8();
        // The length of a ruler is the width of someone's terminal.
        let kept = if count > 3 { 3 } else { count };
        (0..kept).for_each(|_| self.out.push(first));
        self.rest = &self.rest[same..];
        if count == 1 && is_quote(first) {
            self.quoted_path(first);
        }
        if first == '@' {
            self.context = Context::Identity;
        } else if !matches!(first, '=' | '[' | '(' | '#' | '\'' | '"') {
            self.context = Context::None;
        }
    }

    // In quotes a path may hold blanks; its last part goes on as usual.
    fn quoted_path(&mut self, opener: char) {
        let rooted = ["/", "./", "../", "~/"].iter().any(|root| self.rest.starts_with(root));
        let bytes = self.rest.as_bytes();
        let drive = bytes.len() > 2
            && bytes[0].is_ascii_alphabetic()
            && bytes[1] == b':'
            && bytes[2] == b'\\';
        if !(rooted || drive) {
            return;
        }
        let closer = match opener {
            '‘' => '’',
            '“' => '”',
            '`' => '`',
            other => other,
        };
        let window = self.rest.char_indices().take(512);
        let Some((end, _)) = window.clone().find(|(_, letter)| *letter == closer) else { return };
        let inside = &self.rest[..end];
        let Some(last) = inside.rfind(['/', '\\']) else { return };
        let name = &inside[last + 1..];
        // One path and no more: further roots or a place belong to the general rule.
        if !inside.contains(' ') || inside.contains(" /") || name.contains(':') || inside.len() < 4
        {
            return;
        }
        self.out.push_str("<PATH>");
        self.rest = &self.rest[last + 1..];
    }

    fn run(&mut self) {
        if let Some((length, placeholder)) = time::spelled(self.rest) {
            self.rest = &self.rest[length..];
            return self.put(placeholder);
        }
        let run = Run::take(self.rest);
        self.rest = &self.rest[run.length..];
        let context = std::mem::replace(&mut self.context, run.context());
        run.write(context, self.out);
        // A date and a clock beside each other are one time.
        if let Some(line) = self.out.get(self.start..)
            && line.ends_with("<TIME> <TIME>")
        {
            self.out.truncate(self.out.len() - " <TIME>".len());
        }
    }

    fn put(&mut self, placeholder: &str) {
        let repeated = placeholder == "<TIME>"
            && self.out.get(self.start..).is_some_and(|line| line.trim_end().ends_with("<TIME>"));
        if !repeated {
            self.out.push_str(placeholder);
        }
        self.context = Context::None;
    }
}

fn is_quote(letter: char) -> bool {
    matches!(letter, '"' | '\'' | '`' | '‘' | '“')
}

// What ends a run: blanks and the punctuation that is around names, paths and numbers.
fn is_delimiter(letter: char) -> bool {
    match u8::try_from(letter) {
        Ok(byte) if byte.is_ascii() => DELIMITERS[usize::from(byte)],
        _ => {
            matches!(letter, '‘' | '’' | '“' | '”' | '«' | '»' | '█' | '━')
                || letter.is_whitespace()
        }
    }
}

/// Measures the run at the beginning of a text.
fn run_length(text: &str) -> usize {
    let mut at = 0;
    while let Some(byte) = text.as_bytes().get(at) {
        if byte.is_ascii() {
            if DELIMITERS[usize::from(*byte)] {
                break;
            }
            at += 1;
            continue;
        }
        match text[at..].chars().next() {
            Some(letter) if !is_delimiter(letter) => at += letter.len_utf8(),
            _ => break,
        }
    }
    at
}

static DELIMITERS: [bool; 128] = {
    let mut table = [false; 128];
    let marks = b" \t\n\x0b\x0c\r\"'`()[]{}<>,;|=*^@#&!?";
    let mut at = 0;
    while at < marks.len() {
        table[marks[at] as usize] = true;
        at += 1;
    }
    table
};

#[cfg(test)]
mod tests;
