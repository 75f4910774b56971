//! From a line to words and operators.
//!
//! In: a line that passed the input rules. Out: its tokens, quotes and escapes resolved as `bash`
//! resolves them, or a refusal at the first thing that is not static. Never backtracks: every
//! character is looked at a bounded number of times.

mod operator;
mod word;

use super::line::ShellWord;
use super::refusal::{ShellRefusal, ShellRule};
use operator::next_operator;
use salve_types::Span;
use word::next_word;

/// The most words and operators that one line may have. Nobody can look through more before saying
/// yes, and the second parser takes more than linear time for them.
const MAX_TOKENS: usize = 2048;

/// A token of the subset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// A word.
    Word(Lexed),
    /// `&&`, `||`, `;` or `|`.
    Join(Join, Span),
    /// A redirection operator; its word, if it takes one, is the next token.
    Redirect(RedirectOperator, Span),
}

/// What is between two commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Join {
    And,
    Or,
    Then,
    Pipe,
}

/// A redirection without its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RedirectOperator {
    /// `n< word`.
    Read(u8),
    /// `n> word`.
    Write(u8),
    /// `n>> word`.
    Append(u8),
    /// `n>& m` or `n<& m`.
    Copy(u8),
    /// `&> word`.
    WriteBoth,
    /// `&>> word`.
    AppendBoth,
}

/// A word with what only the parser needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Lexed {
    pub(super) word: ShellWord,
    /// No quote and no escape is in it: the text is what was written.
    pub(super) is_plain: bool,
}

/// Splits a line into tokens.
pub(super) fn tokens(line: &str) -> Result<Vec<Token>, ShellRefusal> {
    let mut cursor = Cursor { line, at: 0 };
    let mut tokens = Vec::new();
    loop {
        cursor.skip_blanks();
        let Some(char) = cursor.peek() else { return Ok(tokens) };
        if tokens.len() == MAX_TOKENS {
            let why = "a line has at most 2048 words and operators; run it in parts";
            return Err(cursor.refuse(ShellRule::P4, "too many words", why));
        }
        let token = match char {
            '&' | '|' | ';' | '<' | '>' | '(' | ')' => next_operator(&mut cursor, None)?,
            '#' => {
                return Err(cursor.refuse(
                    ShellRule::P1,
                    "comment",
                    "the rest of the line would be a comment; put the word in quotes",
                ));
            }
            _ => word_or_descriptor(&mut cursor)?,
        };
        tokens.push(token);
    }
}

// Digits right before `<` or `>` belong to the redirection and are no word.
fn word_or_descriptor(cursor: &mut Cursor<'_>) -> Result<Token, ShellRefusal> {
    let lexed = next_word(cursor)?;
    let is_number = lexed.is_plain && lexed.word.text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number || !matches!(cursor.peek(), Some('<' | '>')) {
        return Ok(Token::Word(lexed));
    }
    match lexed.word.text.as_bytes() {
        [digit @ b'0'..=b'2'] => next_operator(cursor, Some((digit - b'0', lexed.word.span.start))),
        _ => Err(ShellRefusal::new(
            ShellRule::P5,
            "descriptor",
            lexed.word.span,
            "only the descriptors 0, 1 and 2 can be redirected",
        )),
    }
}

/// A place in the line.
pub(super) struct Cursor<'a> {
    line: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    fn rest(&self) -> &'a str {
        self.line.get(self.at..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let char = self.peek()?;
        self.at += char.len_utf8();
        Some(char)
    }

    fn eat(&mut self, prefix: &str) -> bool {
        let is_there = self.rest().starts_with(prefix);
        if is_there {
            self.at += prefix.len();
        }
        is_there
    }

    fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(' ' | '\t')) {
            self.at += 1;
        }
    }

    // Refuses the character at the cursor, or the end of the line.
    fn refuse(&self, rule: ShellRule, construct: &'static str, why: &str) -> ShellRefusal {
        let end = self.at + self.peek().map_or(0, char::len_utf8);
        ShellRefusal::new(rule, construct, Span::new(self.at, end), why)
    }

    // Refuses everything from an offset to the cursor.
    fn refuse_from(
        &self,
        start: usize,
        rule: ShellRule,
        construct: &'static str,
        why: &str,
    ) -> ShellRefusal {
        ShellRefusal::new(rule, construct, Span::new(start, self.at), why)
    }
}
