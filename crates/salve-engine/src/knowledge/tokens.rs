//! A text as tokens, whether its grammar accepts it or not.
//!
//! In: a text and its language. Out: names, numbers, literals and marks with their places and lines,
//! without comments and blanks. Linear in the text. Never fails: a quote that is not closed in its line is
//! a mark of its own, so that what follows it is still read as code.

use super::rule::WordKind;
use salve_types::{Language, Span};

/// The longest text that is cut, and the most tokens.
pub(super) const LONGEST: usize = 2 << 20;
const MOST: usize = 400_000;

/// One token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: WordKind,
    pub(super) span: Span,
    /// Counted from 1.
    pub(super) line: u32,
}

/// A text and its tokens.
#[derive(Debug, Clone)]
pub(super) struct Tokens<'a> {
    pub(super) text: &'a str,
    pub(super) language: Language,
    pub(super) all: Vec<Token>,
}

impl<'a> Tokens<'a> {
    /// Cuts a text; nothing when it is too long.
    pub(super) fn of(text: &'a str, language: Language) -> Option<Self> {
        if text.len() > LONGEST {
            return None;
        }
        let mut cutter = Cutter { text, language, at: 0, line: 1, all: Vec::new() };
        cutter.run()?;
        Some(Self { text, language, all: cutter.all })
    }

    /// Returns the text of a token; empty past the end.
    pub(super) fn word(&self, at: usize) -> &'a str {
        self.all.get(at).and_then(|token| self.text.get(token.span.range())).unwrap_or_default()
    }

    /// Returns whether another text has the same tokens.
    pub(super) fn is_same(&self, text: &str) -> bool {
        let Some(other) = Tokens::of(text, self.language) else { return false };
        other.all.len() == self.all.len()
            && (0..other.all.len()).all(|at| other.word(at) == self.word(at))
    }

    /// Returns the tokens of a line as a range of indices.
    pub(super) fn line(&self, line: u32) -> std::ops::Range<usize> {
        let from = self.all.partition_point(|token| token.line < line);
        let to = self.all.partition_point(|token| token.line <= line);
        from..to
    }

    /// Returns the index of the first token that ends after a byte.
    pub(super) fn at(&self, offset: usize) -> usize {
        self.all.partition_point(|token| token.span.end <= offset)
    }

    /// Returns whether a token is the first of its line.
    pub(super) fn starts_line(&self, at: usize) -> bool {
        match (at.checked_sub(1).and_then(|before| self.all.get(before)), self.all.get(at)) {
            (Some(before), Some(token)) => before.line != token.line,
            _ => true,
        }
    }

    /// Returns the blanks (and comments) before a token.
    pub(super) fn gap(&self, at: usize) -> &'a str {
        let from = at.checked_sub(1).and_then(|before| self.all.get(before));
        let from = from.map_or(0, |token| token.span.end);
        let to = self.all.get(at).map_or(self.text.len(), |token| token.span.start);
        self.text.get(from..to).unwrap_or_default()
    }
}

struct Cutter<'a> {
    text: &'a str,
    language: Language,
    at: usize,
    line: u32,
    all: Vec<Token>,
}

impl Cutter<'_> {
    fn run(&mut self) -> Option<()> {
        while let Some(first) = self.rest().chars().next() {
            if first == '\n' {
                self.line = self.line.saturating_add(1);
                self.at += 1;
            } else if first.is_whitespace() {
                self.at += first.len_utf8();
            } else if let Some(length) = self.comment() {
                self.skip(length);
            } else {
                let (kind, length) = self.measure(first);
                let span = Span::new(self.at, self.at + length);
                self.all.push(Token { kind, span, line: self.line });
                self.skip(length);
            }
            if self.all.len() > MOST {
                return None;
            }
        }
        Some(())
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip(&mut self, length: usize) {
        let lines = self.rest().bytes().take(length).filter(|&byte| byte == b'\n').count();
        self.line = self.line.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
        self.at += length;
    }

    fn comment(&self) -> Option<usize> {
        let rest = self.rest();
        let to_line_end = || Some(rest.find('\n').unwrap_or(rest.len()));
        match self.language {
            Language::Python
            | Language::Bash
            | Language::Ruby
            | Language::Yaml
            | Language::Toml => {
                if rest.starts_with('#') {
                    to_line_end()
                } else {
                    None
                }
            }
            Language::Sql if rest.starts_with("--") => to_line_end(),
            _ if rest.starts_with("//") => to_line_end(),
            // One that is never closed is a slash and a star.
            _ if rest.starts_with("/*") => {
                let end = rest.get(2..)?.find("*/")?;
                Some(end + 4)
            }
            _ => None,
        }
    }

    fn measure(&self, first: char) -> (WordKind, usize) {
        let rest = self.rest();
        if begins_name(first) {
            let length = run(rest, continues_name);
            if let Some(literal) = self.prefixed(length) {
                return (WordKind::Text, literal);
            }
            return (WordKind::Name, length);
        }
        if first.is_ascii_digit() {
            return (WordKind::Number, number(rest));
        }
        if let Some(length) = self.literal(rest, first) {
            return (WordKind::Text, length);
        }
        (WordKind::Mark, mark(rest, first))
    }

    // A literal with letters before its quote.
    fn prefixed(&self, length: usize) -> Option<usize> {
        let (prefix, after) = self.rest().split_at(length);
        let is_prefix = length <= 2
            && match self.language {
                Language::Python => prefix.bytes().all(|byte| b"fFrRbBuU".contains(&byte)),
                Language::Rust => matches!(prefix, "b" | "c" | "r" | "br"),
                Language::C | Language::Cpp => matches!(prefix, "L" | "u" | "U" | "u8"),
                _ => false,
            };
        let quote = after.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
        is_prefix.then(|| self.literal(after, quote)).flatten().map(|end| length + end)
    }

    fn literal(&self, rest: &str, quote: char) -> Option<usize> {
        match quote {
            '"' | '\'' if self.language == Language::Python => {
                let triple: &str = if quote == '"' { "\"\"\"" } else { "'''" };
                if rest.starts_with(triple) {
                    return rest.get(3..)?.find(triple).map(|end| end + 6);
                }
                closed(rest, quote, false)
            }
            '\'' if self.language == Language::Rust => {
                let mut letters = rest.chars().skip(1);
                let (first, second) = (letters.next(), letters.next());
                let is_character = first == Some('\\') || second == Some('\'');
                is_character.then(|| closed(rest, quote, false)).flatten()
            }
            '"' => closed(rest, quote, self.language == Language::Rust),
            '\'' => closed(rest, quote, false),
            '`' => closed(rest, quote, true),
            _ => None,
        }
    }
}

fn begins_name(letter: char) -> bool {
    letter.is_alphabetic() || letter == '_' || letter == '$'
}

fn continues_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == '$'
}

fn run(text: &str, accept: impl Fn(char) -> bool) -> usize {
    text.find(|letter| !accept(letter)).unwrap_or(text.len())
}

fn number(rest: &str) -> usize {
    let mut previous = ' ';
    let end = rest.find(|letter: char| {
        let signed = matches!(letter, '+' | '-') && matches!(previous, 'e' | 'E');
        let inside = letter.is_alphanumeric() || matches!(letter, '_' | '.') || signed;
        // `0..5` is a range.
        let stop = !inside || (letter == '.' && previous == '.');
        previous = letter;
        stop
    });
    let end = end.unwrap_or(rest.len());
    match rest.get(..end) {
        Some(text) if text.ends_with('.') && rest[end..].starts_with('.') => end - 1,
        _ => end,
    }
}

// The length up to the closing quote, which is in the same line unless the literal may span lines.
fn closed(rest: &str, quote: char, spans_lines: bool) -> Option<usize> {
    let mut escaped = false;
    for (at, letter) in rest.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\n' if !spans_lines => return None,
            _ if letter == quote => return Some(at + letter.len_utf8()),
            _ => {}
        }
    }
    None
}

// Operators are one token, so that `<` and `<=` are told apart; brackets stand alone.
fn mark(rest: &str, first: char) -> usize {
    const MARKS: &[&str] = &[
        "<<=", ">>=", "...", "===", "!==", "..=", "**=", "&&=", "||=", "??=", "=>", "->", "::",
        ":=", "==", "!=", "<=", ">=", "&&", "||", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=",
        "|=", "^=", "<<", ">>", "..", "**", "?.", "??",
    ];
    let found = MARKS.iter().find(|mark| rest.starts_with(**mark));
    found.map_or(first.len_utf8(), |mark| mark.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(language: Language, text: &str) -> String {
        let tokens = Tokens::of(text, language).expect("a short text");
        (0..tokens.all.len()).map(|at| tokens.word(at)).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn texts_are_cut_into_tokens() {
        for (language, text, expected) in [
            (Language::C, "for(i=0;i<=n;i++) // c\n", "for ( i = 0 ; i <= n ; i ++ )"),
            (Language::C, "printf(\"a \\\" b\"x);", "printf ( \"a \\\" b\" x ) ;"),
            (Language::C, "printf(\"a);\nx", "printf ( \" a ) ; x"),
            (Language::C, "x /* a\n b */ y /* z", "x y / * z"),
            (
                Language::Rust,
                "fn f<'a>(s: &'a str) { 'x' }",
                "fn f < ' a > ( s : & ' a str ) { 'x' }",
            ),
            (Language::Rust, "0..=5", "0 ..= 5"),
            (Language::Python, "x = f'a{b}' # c", "x = f'a{b}'"),
            (Language::Python, "'''a\nb''' y", "'''a\nb''' y"),
            (Language::JavaScript, "a => `b\nc`", "a => `b\nc`"),
        ] {
            assert_eq!(spelled(language, text), expected, "{text}");
        }
    }

    #[test]
    fn lines_are_counted_through_comments_and_literals() {
        let tokens = Tokens::of("a /*\n*/ b\n\nc", Language::C).expect("a short text");
        let lines: Vec<u32> = tokens.all.iter().map(|token| token.line).collect();
        assert_eq!(lines, [1, 2, 4]);
        assert_eq!(tokens.line(2), 1..2);
        assert_eq!(tokens.at(9), 2);
        assert!(tokens.starts_line(1) && tokens.starts_line(0));
    }
}
