//! One word: its quotes and escapes resolved byte for byte.
//!
//! In: a cursor at the first character of a word. Out: the word, or a refusal at the first part
//! that a shell would compute (rule P2). Never treats a character as quoted because it looks
//! harmless.

use super::{Cursor, Lexed};
use crate::shell::glob;
use crate::shell::input::is_false_blank;
use crate::shell::line::ShellWord;
use crate::shell::refusal::{ShellRefusal, ShellRule};
use salve_types::Span;

/// Reads one word.
pub(super) fn next_word(cursor: &mut Cursor<'_>) -> Result<Lexed, ShellRefusal> {
    let mut word = Word { start: cursor.at, ..Word::default() };
    while let Some(char) = cursor.peek() {
        match char {
            ' ' | '\t' | '&' | '|' | ';' | '<' | '>' => break,
            '\'' => single_quoted(cursor, &mut word)?,
            '"' => double_quoted(cursor, &mut word)?,
            '\\' => escaped(cursor, &mut word)?,
            _ => unquoted(cursor, &mut word, char)?,
        }
    }
    word.finish(cursor.at)
}

#[derive(Default)]
struct Word {
    start: usize,
    text: String,
    pattern: String,
    has_quotes: bool,
    is_pattern: bool,
    /// Where an unquoted `[` is, the last of them.
    bracket: Option<usize>,
}

impl Word {
    fn push_live(&mut self, char: char) {
        self.text.push(char);
        self.pattern.push(char);
    }

    // A quoted character stands for itself, in a pattern too.
    fn push_quoted(&mut self, char: char) {
        self.text.push(char);
        if char.is_ascii_punctuation() && char != '/' {
            self.pattern.push('\\');
        }
        self.pattern.push(char);
    }

    fn finish(self, end: usize) -> Result<Lexed, ShellRefusal> {
        let span = Span::new(self.start, end);
        let pattern = self.is_pattern.then_some(self.pattern);
        if let Some(Err(error)) = pattern.as_deref().map(glob::check) {
            let why = format!("{error}; put it in quotes if it is text");
            return Err(ShellRefusal::new(ShellRule::P2, "pattern", span, why));
        }
        let word = ShellWord { text: self.text, pattern, span };
        Ok(Lexed { word, is_plain: !self.has_quotes })
    }
}

fn single_quoted(cursor: &mut Cursor<'_>, word: &mut Word) -> Result<(), ShellRefusal> {
    let start = begin_quote(cursor, word)?;
    loop {
        match cursor.bump() {
            Some('\'') => return Ok(()),
            Some(char) => word.push_quoted(char),
            None => return Err(unclosed(cursor, start)),
        }
    }
}

fn double_quoted(cursor: &mut Cursor<'_>, word: &mut Word) -> Result<(), ShellRefusal> {
    let start = begin_quote(cursor, word)?;
    loop {
        let Some(char) = cursor.peek() else { return Err(unclosed(cursor, start)) };
        let next = cursor.rest().chars().nth(1);
        match char {
            '"' => {
                cursor.bump();
                return Ok(());
            }
            '`' => return Err(substitution(cursor)),
            // A dollar sign before one of these begins nothing, so that it is just itself: regular
            // expressions end like this.
            '$' if !matches!(next, Some('"' | ' ' | '|' | ')')) => return Err(expansion(cursor)),
            '!' if begins_history(word.text.chars().next_back(), next) => {
                return Err(history(cursor));
            }
            '\\' if matches!(next, Some('$' | '`' | '"' | '\\')) => {
                cursor.bump();
            }
            _ => {}
        }
        if let Some(char) = cursor.bump() {
            word.push_quoted(char);
        }
    }
}

fn escaped(cursor: &mut Cursor<'_>, word: &mut Word) -> Result<(), ShellRefusal> {
    let start = begin_quote(cursor, word)?;
    match cursor.bump() {
        Some(char) => {
            word.push_quoted(char);
            Ok(())
        }
        None => Err(cursor.refuse_from(
            start,
            ShellRule::P1,
            "unfinished escape",
            "the line ends with a backslash",
        )),
    }
}

// Whether a bracket expression ends before or after a quote inside it is a question of its own, on
// which shells differ.
fn begin_quote(cursor: &mut Cursor<'_>, word: &mut Word) -> Result<usize, ShellRefusal> {
    if word.bracket.is_some() {
        return Err(cursor.refuse(
            ShellRule::P2,
            "quote in a pattern",
            "quotes after an unquoted `[` are not read; quote the whole word or nothing",
        ));
    }
    let start = cursor.at;
    cursor.bump();
    word.has_quotes = true;
    Ok(start)
}

fn unquoted(cursor: &mut Cursor<'_>, word: &mut Word, char: char) -> Result<(), ShellRefusal> {
    let before = word.text.chars().next_back();
    match char {
        '$' => return Err(expansion(cursor)),
        '`' => return Err(substitution(cursor)),
        '(' | ')' => {
            return Err(cursor.refuse(
                ShellRule::P1,
                "parenthesis",
                "subshells, functions and arrays are outside the subset; put it in quotes",
            ));
        }
        '{' | '}' => {
            return Err(cursor.refuse(
                ShellRule::P2,
                "brace",
                "a brace groups commands or makes several words of one; put it in quotes",
            ));
        }
        // `a=~` is expanded as `~` is, and so is `a=b:~`.
        '~' if matches!(before, None | Some('=' | ':')) => {
            return Err(cursor.refuse(
                ShellRule::P2,
                "tilde",
                "`~` stands for a home folder here; write the path",
            ));
        }
        '!' if begins_history(before, cursor.rest().chars().nth(1)) => return Err(history(cursor)),
        _ if is_false_blank(char) => {
            return Err(cursor.refuse(
                ShellRule::P0,
                "false blank",
                "this looks like a blank but separates nothing; put it in quotes or use a space",
            ));
        }
        _ => {}
    }
    word.is_pattern |= matches!(char, '*' | '?' | '[');
    if char == '[' {
        word.bracket = Some(cursor.at);
    }
    cursor.bump();
    word.push_live(char);
    Ok(())
}

// An interactive `bash` looks for these even in double quotes.
fn begins_history(before: Option<char>, next: Option<char>) -> bool {
    before != Some('[') && !matches!(next, None | Some(' ' | '\t' | '=' | '"'))
}

fn expansion(cursor: &Cursor<'_>) -> ShellRefusal {
    let why = "its value is not known before it runs; write the value, or `'$'`";
    cursor.refuse(ShellRule::P2, "expansion", why)
}

fn substitution(cursor: &Cursor<'_>) -> ShellRefusal {
    let why = "a second command would run inside this one; put a literal backtick in single quotes";
    cursor.refuse(ShellRule::P2, "command substitution", why)
}

fn history(cursor: &Cursor<'_>) -> ShellRefusal {
    let why = "`!` may recall a former command; put it in single quotes";
    cursor.refuse(ShellRule::P2, "history expansion", why)
}

fn unclosed(cursor: &Cursor<'_>, start: usize) -> ShellRefusal {
    cursor.refuse_from(start, ShellRule::P1, "unclosed quote", "this quote has no end")
}
