//! Blocks made of words: Bash `if … fi`, Ruby `do … end`, SQL `BEGIN … END`.
//!
//! In: a word of code. Out: a block frame whose name is the word that ends it. Never takes a word
//! for a keyword where the language would not: after a dot, as an argument, as a key.

use super::machine::{Machine, View};
use super::rules::Dialect;
use super::script::last_word;
use super::stack::{Frame, Kind};
use super::strings::is_word;

/// Flag of a Ruby loop: the `do` on its line belongs to it.
const TAKES_DO: u16 = 1;

impl Machine {
    /// Handles a word in a language with word blocks and returns the index after it.
    pub(super) fn word(&mut self, view: &View<'_>, at: usize) -> usize {
        let ahead = view.ahead(at);
        let len = ahead.iter().take_while(|&&byte| is_word(byte)).count().max(1);
        let word = &ahead[..len];
        if len <= 8 && !is_word(view.before(at)) {
            match self.rules.dialect {
                Dialect::Bash => self.bash_word(view, at, word),
                Dialect::Ruby => self.ruby_word(view, at, word),
                Dialect::Sql => self.sql_word(view, at, word),
                _ => {}
            }
        }
        at + len
    }

    /// Forgets at a line end what a Ruby loop's line promised.
    pub(super) fn end_word_line(&mut self) {
        if let Some(frame) = self.stack.last_mut()
            && frame.kind == Kind::Block
        {
            frame.extra &= !TAKES_DO;
        }
    }

    fn open_block(&mut self, view: &View<'_>, at: usize, end: &[u8], flags: u16) {
        self.stack.push_named(Frame::new(Kind::Block, view.base + at).with(0, flags), end);
    }

    // Closes the nearest block that this word ends; brackets left open inside it go with it.
    fn close_block(&mut self, view: &View<'_>, end: usize, word: &[u8]) {
        let found = self
            .stack
            .frames()
            .rev()
            .take(32)
            .take_while(|frame| frame.kind.is_code() && frame.kind != Kind::Hole)
            .position(|frame| {
                frame.kind == Kind::Block && self.stack.name(frame).eq_ignore_ascii_case(word)
            });
        for _ in 0..found.map_or(0, |depth| depth + 1) {
            self.note_end(view, end);
            self.close(view, end, true);
        }
    }

    // Notes whether the block that ends here began at the margin.
    fn note_end(&mut self, view: &View<'_>, end: usize) {
        let Some(frame) = self.stack.last() else { return };
        let at_margin = match frame.offset.checked_sub(view.base) {
            Some(at) => matches!(view.before(at), 0 | b'\n'),
            None => frame.column == 1,
        };
        if at_margin {
            self.habits.margin_end = view.base + end;
        }
    }

    fn bash_word(&mut self, view: &View<'_>, at: usize, word: &[u8]) {
        let after = view.at(at + word.len());
        if !(after == 0 || after.is_ascii_whitespace() || b";&|()`".contains(&after)) {
            return;
        }
        let end: &[u8] = match word {
            b"if" => b"fi",
            b"case" => b"esac",
            b"for" | b"while" | b"until" | b"select" => b"done",
            b"fi" | b"esac" | b"done" => b"",
            _ => return,
        };
        if !is_command_start(view.behind(at)) {
            return;
        }
        if end.is_empty() {
            self.close_block(view, at + word.len(), word);
        } else {
            self.open_block(view, at, end, 0);
        }
    }

    fn sql_word(&mut self, view: &View<'_>, at: usize, word: &[u8]) {
        let upper = word.to_ascii_uppercase();
        let next = next_word(view, at + word.len());
        match upper.as_slice() {
            b"CASE" if next != b";" && previous_word(view, at) != b"END" => {
                self.open_block(view, at, b"END", 0);
            }
            b"BEGIN"
                if !matches!(
                    next.as_slice(),
                    b";" | b""
                        | b"TRANSACTION"
                        | b"TRAN"
                        | b"WORK"
                        | b"ISOLATION"
                        | b"READ"
                        | b"IMMEDIATE"
                        | b"DEFERRED"
                        | b"EXCLUSIVE"
                        | b"CONCURRENT"
                ) =>
            {
                self.open_block(view, at, b"END", 0);
            }
            b"END"
                if !matches!(next.as_slice(), b"IF" | b"LOOP" | b"WHILE" | b"REPEAT" | b"FOR") =>
            {
                self.close_block(view, at + word.len(), b"END");
            }
            _ => {}
        }
    }

    fn ruby_word(&mut self, view: &View<'_>, at: usize, word: &[u8]) {
        let before = view.before(at);
        let after = view.at(at + word.len());
        let key = after == b':' && view.at(at + word.len() + 1) != b':';
        let symbol = before == b':' && view.before(at - 1) != b':';
        if key || symbol || matches!(before, b'.' | b'@' | b'$') || matches!(after, b'?' | b'!') {
            return;
        }
        let starts = ruby_starts(view.behind(at));
        match word {
            b"__END__" if matches!(before, 0 | b'\n') && matches!(after, 0 | b'\r' | b'\n') => {
                self.begin_data(view, at);
            }
            b"end" if last_word(view.behind(at).trim_ascii_end()) != b"def" => {
                self.close_block(view, at + 3, b"end");
            }
            b"def" if !is_endless(view.ahead(at + 3)) => self.open_block(view, at, b"end", 0),
            b"class" | b"module" | b"begin" | b"case"
                if last_word(view.behind(at).trim_ascii_end()) != b"def" =>
            {
                self.open_block(view, at, b"end", 0);
            }
            b"if" | b"unless" if starts => self.open_block(view, at, b"end", 0),
            b"while" | b"until" | b"for" if starts => self.open_block(view, at, b"end", TAKES_DO),
            b"do" => {
                let taken = self
                    .stack
                    .last_mut()
                    .filter(|frame| frame.extra & TAKES_DO != 0 && frame.kind == Kind::Block);
                match taken {
                    Some(frame) => frame.extra &= !TAKES_DO,
                    None => self.open_block(view, at, b"end", 0),
                }
            }
            _ => {}
        }
    }
}

// A command starts after a line end, an operator, an opening bracket or another keyword.
fn is_command_start(behind: &[u8]) -> bool {
    let len = behind.iter().rev().take_while(|&&byte| byte == b' ' || byte == b'\t').count();
    let text = &behind[..behind.len() - len];
    match text.last() {
        None => true,
        Some(b'\n') => !text.ends_with(b"\\\n"),
        Some(b';' | b'&' | b'|' | b'(' | b')' | b'{' | b'}' | b'`' | b'!') => true,
        Some(_) => matches!(
            last_word(text),
            b"then" | b"do" | b"else" | b"elif" | b"if" | b"while" | b"until" | b"time"
        ),
    }
}

// In Ruby `x if y` modifies; an `if` that starts an expression opens a block.
fn ruby_starts(behind: &[u8]) -> bool {
    let len = behind.iter().rev().take_while(|&&byte| byte == b' ' || byte == b'\t').count();
    let text = &behind[..behind.len() - len];
    match text.last() {
        None => true,
        Some(b'\n') => !text.ends_with(b"\\\n"),
        // `save! if x` modifies, `! if x` does not.
        Some(b'!') => {
            let before = text.len().checked_sub(2).and_then(|at| text.get(at));
            before.is_none_or(|&byte| !is_word(byte) && byte != b'$')
        }
        Some(b';' | b'=' | b'(' | b'[' | b'{' | b',' | b'|' | b'&' | b'<' | b'>' | b'+' | b'*') => {
            true
        }
        // After `return` a condition modifies, as after `next` and `break`.
        Some(_) => matches!(
            last_word(text),
            b"do" | b"then" | b"else" | b"begin" | b"and" | b"or" | b"not" | b"ensure"
        ),
    }
}

// `def name(…) = value` has no `end`.
fn is_endless(ahead: &[u8]) -> bool {
    let end = ahead.iter().position(|&byte| byte == b'\n').unwrap_or(ahead.len());
    let line = ahead[..end].trim_ascii_start();
    let name = line.iter().take_while(|&&byte| is_word(byte) || b".?!".contains(&byte)).count();
    let mut rest = &line[name..];
    if rest.starts_with(b"(") {
        let Some(close) = rest.iter().position(|&byte| byte == b')') else { return false };
        rest = &rest[close + 1..];
    }
    rest.trim_ascii_start().starts_with(b"= ")
}

// The next word in capitals, or the next sign.
fn next_word(view: &View<'_>, at: usize) -> Vec<u8> {
    let rest = view.ahead(at).trim_ascii_start();
    let len = rest.iter().take_while(|&&byte| is_word(byte)).count();
    let len = if len == 0 { rest.len().min(1) } else { len };
    rest[..len].to_ascii_uppercase()
}

fn previous_word(view: &View<'_>, at: usize) -> Vec<u8> {
    last_word(view.behind(at).trim_ascii_end()).to_ascii_uppercase()
}
