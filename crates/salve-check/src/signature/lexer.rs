//! Cuts a source line, or a piece of code quoted in a message, into tokens.
//!
//! In: the language and one line, whole or broken. Out: names, numbers, literals, placeholders and
//! marks in order, without comments and blanks. Never fails and never looks at a byte twice more
//! than a constant number of times.

use super::language::Language;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// A word of the language or of a programmer.
    Name,
    /// A number.
    Number,
    /// A string or a character, with its quotes.
    Literal,
    /// What the normaliser put in the place of something: `<PATH>`.
    Placeholder,
    /// Anything else, one character at a time, or an operator of the same character.
    Mark,
}

/// One token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    pub(crate) kind: TokenKind,
    pub(crate) text: &'a str,
}

/// Cuts a line into tokens.
pub(crate) fn tokens(language: Language, line: &str) -> Tokens<'_> {
    Tokens { language, rest: line, at_start: true }
}

/// The tokens of a line.
pub(crate) struct Tokens<'a> {
    language: Language,
    rest: &'a str,
    at_start: bool,
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let blank = self.rest.len();
            self.rest = self.rest.trim_start();
            let spaced = self.at_start || self.rest.len() < blank;
            self.at_start = false;
            if self.rest.is_empty() {
                return None;
            }
            match comment(self.language, self.rest, spaced) {
                Some(length) => self.rest = self.rest.get(length..).unwrap_or_default(),
                None => break,
            }
        }
        let (kind, length) = measure(self.language, self.rest);
        let (text, rest) = self.rest.split_at(length);
        self.rest = rest;
        Some(Token { kind, text })
    }
}

/// Tells whether a character can begin a name.
pub(crate) fn begins_name(letter: char) -> bool {
    letter.is_alphabetic() || letter == '_' || letter == '$'
}

fn continues_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == '$'
}

fn comment(language: Language, rest: &str, spaced: bool) -> Option<usize> {
    match language {
        Language::C | Language::Rust | Language::Script | Language::Java | Language::Go => {
            if rest.starts_with("//") {
                Some(rest.len())
            } else if rest.starts_with("/*") {
                Some(rest.find("*/").map_or(rest.len(), |end| end + 2))
            } else {
                None
            }
        }
        Language::Python => rest.starts_with('#').then_some(rest.len()),
        Language::Shell => (spaced && rest.starts_with('#')).then_some(rest.len()),
        Language::Other => None,
    }
}

// `rest` is not empty and does not begin with a blank.
fn measure(language: Language, rest: &str) -> (TokenKind, usize) {
    let first = rest.chars().next().unwrap_or(' ');
    if first == '<'
        && let Some(length) = placeholder(rest)
    {
        return (TokenKind::Placeholder, length);
    }
    if begins_name(first) {
        let length = run(rest, continues_name);
        if language == Language::Python
            && let Some(literal) = prefixed_literal(rest, length)
        {
            return (TokenKind::Literal, literal);
        }
        return (TokenKind::Name, length);
    }
    if first.is_ascii_digit() {
        return (TokenKind::Number, number(rest));
    }
    match first {
        '"' => (TokenKind::Literal, literal(rest, '"')),
        '`' if matches!(language, Language::Script | Language::Go) => {
            (TokenKind::Literal, literal(rest, '`'))
        }
        '\'' => apostrophe(language, rest),
        _ => (
            TokenKind::Mark,
            run(rest, |letter| letter == first && repeats(letter)).max(first.len_utf8()),
        ),
    }
}

/// What the normaliser writes in the place of what changes from run to run.
pub(crate) const PLACEHOLDERS: &[&str] = &[
    "<PATH>",
    "<LINE>",
    "<TIME>",
    "<DURATION>",
    "<PID>",
    "<ADDR>",
    "<UUID>",
    "<TMP>",
    "<HASH>",
    "<PORT>",
    "<SEED>",
    "<PROGRESS>",
];

/// Measures a placeholder such as `<PATH>` at the beginning of a text.
pub(crate) fn placeholder(rest: &str) -> Option<usize> {
    if !rest.starts_with('<') || !rest.as_bytes().get(1).is_some_and(u8::is_ascii_uppercase) {
        return None;
    }
    PLACEHOLDERS.iter().find(|known| rest.starts_with(**known)).map(|known| known.len())
}

fn run(text: &str, accept: impl Fn(char) -> bool) -> usize {
    text.find(|letter| !accept(letter)).unwrap_or(text.len())
}

// `==` and `||` are one mark; brackets stand alone so that nesting stays visible.
fn repeats(letter: char) -> bool {
    matches!(letter, '=' | '|' | '&' | '+' | '-' | '<' | '>' | '.' | ':' | '*' | '/' | '^' | '~')
}

fn number(rest: &str) -> usize {
    let mut previous = ' ';
    rest.find(|letter: char| {
        let signed = matches!(letter, '+' | '-') && matches!(previous, 'e' | 'E');
        let inside = letter.is_alphanumeric() || letter == '_' || letter == '.' || signed;
        // `0..=5` is a range and not a number with two points.
        let stop = !inside || (letter == '.' && previous == '.');
        previous = letter;
        stop
    })
    .map_or(rest.len(), |end| {
        if rest[..end].ends_with('.') && rest[end..].starts_with('.') { end - 1 } else { end }
    })
}

fn prefixed_literal(rest: &str, length: usize) -> Option<usize> {
    let (prefix, after) = rest.split_at(length);
    let is_prefix = length <= 2 && prefix.bytes().all(|byte| b"fFrRbBuU".contains(&byte));
    let quote = after.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    is_prefix.then(|| length + literal(after, quote))
}

// Up to the closing quote; a literal that is not closed goes to the end of the line.
fn literal(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    rest.char_indices()
        .skip(1)
        .find_map(|(at, letter)| {
            if escaped {
                escaped = false;
            } else if letter == '\\' {
                escaped = true;
            } else if letter == quote {
                return Some(at + letter.len_utf8());
            }
            None
        })
        .unwrap_or(rest.len())
}

fn apostrophe(language: Language, rest: &str) -> (TokenKind, usize) {
    if language == Language::Rust {
        let mut letters = rest.char_indices().skip(1);
        let (first, second) = (letters.next(), letters.next());
        let is_character = first.is_some_and(|(_, letter)| letter == '\\')
            || second.is_some_and(|(_, letter)| letter == '\'');
        if !is_character {
            // A lifetime: its name follows.
            return (TokenKind::Mark, 1);
        }
    }
    (TokenKind::Literal, literal(rest, '\''))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(language: Language, line: &str) -> String {
        tokens(language, line).map(|token| token.text).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn lines_are_cut_into_tokens() {
        let cases = [
            (Language::C, "for(i=0;i<n;i++) // c", "for ( i = 0 ; i < n ; i ++ )"),
            (Language::C, "printf(\"a \\\" b\"x);", "printf ( \"a \\\" b\" x ) ;"),
            (Language::C, "x = 'a' /* c */ + y", "x = 'a' + y"),
            (
                Language::Rust,
                "fn f<'a>(s: &'a str) { 'x' }",
                "fn f < ' a > ( s : & ' a str ) { 'x' }",
            ),
            (Language::Rust, "0..=5", "0 .. = 5"),
            (Language::Python, "x = f'a{b}' # c", "x = f'a{b}'"),
            (Language::Python, "a // b", "a // b"),
            (Language::Python, "print \"open", "print \"open"),
            (Language::Shell, "echo $x#y # z", "echo $x # y"),
            (Language::Other, "<PATH>x.txt 1e-5 été", "<PATH> x . txt 1e-5 été"),
        ];
        for (language, line, expected) in cases {
            assert_eq!(spelled(language, line), expected, "{line}");
        }
    }
}
