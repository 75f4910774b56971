//! JavaScript and its relatives: division or regular expression, comparison or JSX.
//!
//! In: a `/` or `<` in code and what is before it. Out: a regular expression or a tag is
//! opened, or the sign is passed by. Never needs a token stream: the last word is read backwards.

use super::machine::{Machine, View};
use super::rules::Dialect;
use super::stack::{Frame, Kind};
use super::strings::is_word;

/// Flag of a regular expression: inside `[…]`.
const IN_CLASS: u16 = 1;

/// Words after which an operand follows, so that `/` and `<` start something.
const OPERATOR_WORDS: &[&[u8]] = &[
    b"return",
    b"typeof",
    b"instanceof",
    b"in",
    b"of",
    b"new",
    b"delete",
    b"void",
    b"throw",
    b"case",
    b"do",
    b"else",
    b"await",
    b"yield",
    b"default",
    b"extends",
    b"when",
    b"and",
    b"or",
    b"not",
    b"if",
    b"unless",
    b"while",
    b"until",
    b"elsif",
    b"then",
];

impl Machine {
    /// Handles a `/` that starts no comment.
    pub(super) fn slash_habit(&mut self, view: &View<'_>, at: usize) -> usize {
        let regex = match self.rules.dialect {
            Dialect::Script { .. } => !self.after_value(view, at) && !starts_comment(view, at),
            Dialect::Ruby => self.ruby_starts_regex(view, at),
            Dialect::Swift => false,
            _ => false,
        };
        if regex {
            self.open(view, Kind::Regex, at);
        }
        at + 1
    }

    /// Reads inside a regular expression; a line end shows that it was none.
    pub(super) fn regex(&mut self, view: &View<'_>, pos: usize) -> usize {
        let lines = self.rules.dialect == Dialect::Ruby;
        let mut at = pos;
        while at < view.limit {
            let Some(frame) = self.stack.last_mut() else { return at };
            match view.bytes[at] {
                b'\\' => at = (at + 1).min(view.bytes.len() - 1),
                b'[' => frame.extra |= IN_CLASS,
                b']' => frame.extra &= !IN_CLASS,
                b'/' if frame.extra & IN_CLASS == 0 => {
                    self.close(view, at + 1, true);
                    return at + 1;
                }
                b'#' if lines && view.at(at + 1) == b'{' => {
                    self.stack.push(Frame::new(Kind::Hole, view.base + at).with(b'}', 0));
                    return at + 2;
                }
                b'\n' if !lines => {
                    self.close(view, at, false);
                    return at;
                }
                _ => {}
            }
            at += 1;
        }
        at
    }

    /// Returns whether what is before `at` is a complete operand.
    pub(super) fn after_value(&self, view: &View<'_>, at: usize) -> bool {
        let behind = view.behind(at);
        let text = behind.trim_ascii_end();
        let end = view.base + at - (behind.len() - text.len());
        if end <= self.mark && self.mark > 0 {
            return self.mark_is_value;
        }
        let Some(&last) = text.last() else { return false };
        if is_word(last) || last == b'$' {
            return !OPERATOR_WORDS.contains(&last_word(text)) || is_member(text);
        }
        // `x++ / y` divides; `+ +/re/` is not written.
        text.ends_with(b"++")
            || text.ends_with(b"--")
            || matches!(last, b')' | b']' | b'}' | b'"' | b'\'' | b'`')
    }

    /// Keeps across a comment what stood before it.
    pub(super) fn remember_before_comment(&mut self, view: &View<'_>, at: usize) {
        if matches!(self.rules.dialect, Dialect::Script { .. }) {
            self.mark_is_value = self.after_value(view, at);
        }
    }

    /// Returns the flag of a bracket: 1 when what follows it starts a statement or an operand.
    pub(super) fn script_bracket(&mut self, view: &View<'_>, at: usize, kind: Kind) -> u16 {
        let behind = view.behind(at).trim_ascii_end();
        match kind {
            Kind::Paren => {
                let word = last_word(behind);
                let control = matches!(word, b"if" | b"while" | b"for" | b"with");
                u16::from(control && !is_member(behind))
            }
            Kind::Brace => u16::from(self.is_block(view, at, behind)),
            _ => 0,
        }
    }

    // A brace after an operator holds an object, any other holds statements.
    fn is_block(&self, view: &View<'_>, at: usize, behind: &[u8]) -> bool {
        match behind.last() {
            Some(b'>') => behind.ends_with(b"=>"),
            Some(b'=' | b'(' | b',' | b'[' | b'?' | b':' | b'&' | b'|' | b'+' | b'!') => false,
            Some(byte) if is_word(*byte) => !matches!(
                last_word(behind),
                b"return"
                    | b"typeof"
                    | b"in"
                    | b"of"
                    | b"await"
                    | b"yield"
                    | b"new"
                    | b"throw"
                    | b"default"
            ),
            _ => self.after_value(view, at) || !behind.is_empty(),
        }
    }

    /// Handles `<`: JSX where an operand is expected and a name or `>` follows.
    pub(super) fn less(&mut self, view: &View<'_>, at: usize) -> usize {
        let next = view.at(at + 1);
        if next == b'<' {
            return at + 2;
        }
        let names = next.is_ascii_alphabetic() || next == b'_' || next == b'$' || next == b'>';
        let at_end = view.last && at + 1 >= view.bytes.len();
        if !(names || at_end) || self.after_value(view, at) {
            return at + 1;
        }
        if names && is_type_parameter(view.ahead(at + 1)) {
            return at + 1;
        }
        self.open_tag(view, at)
    }
}

// A slash that ends the text where a statement starts is the first half of a comment.
fn starts_comment(view: &View<'_>, at: usize) -> bool {
    let behind = view.behind(at);
    let before = behind.trim_ascii_end().last();
    let starts_line =
        behind.iter().rev().find(|byte| !matches!(byte, b' ' | b'\t')) == Some(&b'\n');
    let operator = before.is_some_and(|byte| b"|&=(?:+!<>-*".contains(byte));
    let separator = matches!(before, None | Some(b'{' | b'}' | b';' | b','));
    view.last && at + 1 == view.bytes.len() && (separator || (starts_line && !operator))
}

/// Returns the word that ends `text`, which may be empty.
pub(super) fn last_word(text: &[u8]) -> &[u8] {
    let len = text.iter().rev().take_while(|&&byte| is_word(byte) || byte == b'$').count();
    &text[text.len() - len..]
}

// `a.return` and `a?.in` are members, not keywords; `...in` is not.
fn is_member(text: &[u8]) -> bool {
    let before = &text[..text.len() - last_word(text).len()];
    before.ends_with(b".") && !before.ends_with(b"...")
}

// `<T,>(`, `<T extends X>(`, `<T>(x): T` and `<const T>` declare parameters; they open no element.
fn is_type_parameter(ahead: &[u8]) -> bool {
    let name = ahead.iter().take_while(|&&byte| is_word(byte) || byte == b'$').count();
    let rest = ahead[name..].trim_ascii_start();
    if name > 0
        && (rest.starts_with(b",")
            || (rest.starts_with(b"extends ") && !rest.starts_with(b"extends="))
            || rest.starts_with(b"= "))
    {
        return true;
    }
    if &ahead[..name] == b"const" && name > 0 {
        return true;
    }
    name > 0 && rest.starts_with(b">(") && arrow_follows(&rest[1..])
}

// After `<T>`: a parenthesis whose end is followed by an arrow, a type or a body.
fn arrow_follows(text: &[u8]) -> bool {
    let mut depth = 0usize;
    for (index, byte) in text.iter().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 1 => {
                let rest = text[index + 1..].trim_ascii_start();
                return rest.starts_with(b"=>") || rest.starts_with(b":") || rest.starts_with(b"{");
            }
            b')' => depth -= 1,
            b'<' => return false,
            _ => {}
        }
    }
    true
}
