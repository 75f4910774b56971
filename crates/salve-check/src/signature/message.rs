//! A message of a tool as sentences and the code quoted in them.
//!
//! In: a message that was normalised already. Out: its pieces, and its words with their roles.
//! Never loses a character other than the quotes and blanks. Hints of what the writer may have
//! meant are cut off first: they speak of the neighbours of an error, not of the error.

use super::language::Language;
use super::lexer::{begins_name, placeholder};
use memchr::memmem::Finder;
use std::borrow::Cow;
use std::sync::LazyLock;

/// A piece of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// Words of the tool.
    Prose(&'a str),
    /// Code, in quotes of any kind.
    Code(&'a str),
    /// A literal of the language, quotes included: some tools show characters that way.
    Literal(&'a str),
}

/// Cuts the hint off: `; did you mean ‘count’?`.
pub(crate) fn without_hint(message: &str) -> Cow<'_, str> {
    let Some(at) = find_hint(message) else { return Cow::Borrowed(message) };
    let (before, hint) = message.split_at(at);
    let after = hint.split_once('?').map_or("", |(_, after)| after);
    let before = before.trim_end_matches([' ', ';', '.', ',', ':', '(']);
    Cow::Owned(format!("{before}{}", after.trim_start_matches(['\'', '"', ')'])))
}

fn find_hint(message: &str) -> Option<usize> {
    // Every hint speaks to someone; most messages do not.
    YOU.find(message.as_bytes())?;
    ["did you mean", "Did you mean", "maybe you meant", "Did you forget", "Perhaps you forgot"]
        .iter()
        .filter_map(|hint| message.find(hint))
        .min()
}

static YOU: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(" you "));

/// Splits a message into prose and quoted code.
pub(crate) fn pieces(message: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    // With typographic quotes around names, plain ones are around characters of the program.
    let typographic = message.contains('‘');
    let mut closers = Closers::default();
    let mut prose_from = 0;
    let mut at = 0;
    let mut previous = ' ';
    while let Some(letter) = message[at..].chars().next() {
        let inside = at + letter.len_utf8();
        let closed =
            if opens(letter, previous) { closers.find(message, letter, inside) } else { None };
        let Some((end, after)) = closed else {
            previous = letter;
            at = inside;
            continue;
        };
        if prose_from < at {
            pieces.push(Piece::Prose(&message[prose_from..at]));
        }
        pieces.push(if typographic && letter == '\'' {
            Piece::Literal(&message[at..after])
        } else {
            Piece::Code(&message[inside..end])
        });
        previous = letter;
        prose_from = after;
        at = after;
    }
    if prose_from < message.len() {
        pieces.push(Piece::Prose(&message[prose_from..]));
    }
    pieces
}

/// Lists what a message of a tool quotes, in order, without the quotes.
#[must_use]
pub fn message_quotes(message: &str) -> Vec<&str> {
    pieces(message)
        .into_iter()
        .filter_map(|piece| match piece {
            Piece::Prose(_) => None,
            Piece::Code(text) | Piece::Literal(text) => Some(text),
        })
        .collect()
}

fn opens(letter: char, previous: char) -> bool {
    match letter {
        '‘' | '“' | '`' => true,
        // Otherwise it is an apostrophe, or it closes.
        '\'' | '"' => !(previous.is_alphanumeric() || previous == '_'),
        _ => false,
    }
}

// Which kinds of quotes are known not to close any more; keeps the search linear.
#[derive(Default)]
struct Closers {
    exhausted: Vec<char>,
}

impl Closers {
    // Returns where the quoted text ends and where the prose goes on.
    fn find(&mut self, message: &str, opener: char, from: usize) -> Option<(usize, usize)> {
        if self.exhausted.contains(&opener) {
            return None;
        }
        let rest = message.get(from..)?;
        let found = match opener {
            '‘' => rest.find('’').map(|at| (at, '’'.len_utf8())),
            '“' => rest.find('”').map(|at| (at, '”'.len_utf8())),
            '`' => rest.find(['`', '\'']).map(|at| (at, 1)),
            _ => plain_closer(rest, opener).map(|at| (at, 1)),
        };
        if found.is_none() {
            self.exhausted.push(opener);
        }
        found.map(|(at, length)| (from + at, from + at + length))
    }
}

// A plain quote closes before anything but a word; `'it's'` is one quoted text.
fn plain_closer(rest: &str, quote: char) -> Option<usize> {
    rest.match_indices(quote).map(|(at, _)| at).find(|at| {
        let after = rest[at + 1..].chars().next();
        *at > 0 && !after.is_some_and(|after| after.is_alphanumeric() || after == '_')
            || (*at == 0 && after == Some(quote))
    })
}

/// What a word of prose is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// A word of the tool's own sentence, or a mark.
    Plain,
    /// A number.
    Number,
    /// A name of the program.
    Name,
    /// A placeholder of the normaliser.
    Placeholder,
}

/// Splits prose into words and marks and says which words are names of the program.
pub(crate) fn words<'a>(language: Language, prose: &'a str) -> Vec<(Role, &'a str)> {
    let tokens: Vec<(usize, &'a str)> = Split { prose, at: 0 }.collect();
    (0..tokens.len())
        .map(|index| (role(language, prose, &tokens, index), tokens[index].1))
        .collect()
}

// Words and marks with the place they begin at.
struct Split<'a> {
    prose: &'a str,
    at: usize,
}

impl<'a> Iterator for Split<'a> {
    type Item = (usize, &'a str);

    fn next(&mut self) -> Option<(usize, &'a str)> {
        let rest = self.prose[self.at..].trim_start();
        let start = self.prose.len() - rest.len();
        let first = rest.chars().next()?;
        let length = if let Some(length) = placeholder(rest) {
            length
        } else if begins_name(first) || first.is_alphanumeric() {
            let inside = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$');
            rest.find(|letter| !inside(letter)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        self.at = start + length;
        Some((start, &rest[..length]))
    }
}

fn role(language: Language, prose: &str, tokens: &[(usize, &str)], index: usize) -> Role {
    let (start, word) = tokens[index];
    if placeholder(word).is_some() {
        return Role::Placeholder;
    }
    let first = word.chars().next().unwrap_or(' ');
    if first.is_ascii_digit() {
        return Role::Number;
    }
    if !begins_name(first) {
        return Role::Plain;
    }
    let before = prose[..start].chars().next_back();
    let mut after = prose[start + word.len()..].chars();
    let (next, second) = (after.next(), after.next());
    let joined = |mark: Option<char>, beyond: Option<char>| {
        mark == Some('.') && beyond.is_some_and(begins_name)
            || mark == Some(':') && beyond == Some(':')
    };
    let joined_before = index >= 2
        && matches!(before, Some('.' | ':'))
        && tokens[index - 1].0 + 1 == start
        && tokens[index - 2].0 + tokens[index - 2].1.len() + usize::from(before == Some('.'))
            <= start
        && (before == Some('.') || prose[..start].ends_with("::"));
    let is_name = looks_coined(word)
        || next == Some('(')
        || before == Some('<') && next == Some('>')
        || joined(next, second)
        || joined_before
            && prose[..start - 1].ends_with(|letter: char| {
                letter.is_alphanumeric() || matches!(letter, '_' | ':' | ')' | ']')
            })
        || named_by_neighbours(language, tokens, index);
    if is_name { Role::Name } else { Role::Plain }
}

// `snake_case`, `camelCase` and `x2` are not words of a sentence.
fn looks_coined(word: &str) -> bool {
    let mut previous = ' ';
    word.chars().any(|letter| {
        let coined = letter == '_'
            || letter == '$'
            || letter.is_ascii_digit()
            || (letter.is_uppercase() && previous.is_lowercase());
        previous = letter;
        coined
    })
}

// Tools that do not quote names say what kind of name comes.
fn named_by_neighbours(language: Language, tokens: &[(usize, &str)], index: usize) -> bool {
    const KINDS: &[&str] = &[
        "annotation",
        "class",
        "constructor",
        "enum",
        "exception",
        "field",
        "interface",
        "member",
        "method",
        "module",
        "package",
        "record",
        "symbol",
        "variable",
    ];
    const PROSE: &[&str] = &[
        "a",
        "an",
        "and",
        "at",
        "be",
        "before",
        "body",
        "call",
        "cannot",
        "declaration",
        "definition",
        "does",
        "for",
        "found",
        "from",
        "has",
        "in",
        "is",
        "itself",
        "may",
        "might",
        "must",
        "name",
        "named",
        "not",
        "of",
        "on",
        "or",
        "returned",
        "should",
        "that",
        "to",
        "type",
        "was",
        "with",
    ];
    let word = tokens[index].1;
    let nth = |offset: isize| {
        index.checked_add_signed(offset).and_then(|at| tokens.get(at)).map_or("", |token| token.1)
    };
    // Few words follow a kind; only then the longer table is asked.
    let named = KINDS.contains(&nth(-1)) || named_in(language, word, index, nth);
    named && !PROSE.contains(&word)
}

// What the tools of one language say around a name.
fn named_in<'a>(
    language: Language,
    word: &str,
    index: usize,
    nth: impl Fn(isize) -> &'a str,
) -> bool {
    match language {
        // `x is not defined`, `x.y is not a function`.
        Language::Script => index == 0 && nth(1) == "is" && nth(2) == "not",
        Language::Java => {
            // Only classes are written with a capital inside a sentence.
            (index > 0 && word.starts_with(|letter: char| letter.is_uppercase()))
                || (index == 0 && matches!(nth(1), "is" | "has"))
                || nth(1) == "cannot" && nth(2) == "be"
                || nth(-1) == "to" && nth(-2) == "converted"
        }
        Language::Go => {
            (nth(-1) == ":" && matches!(nth(-2), "undefined" | "used"))
                || (index == 0 && matches!(nth(1), "redeclared" | "undefined" | "declared"))
                || matches!((nth(-2), nth(-1)), ("call", "to") | ("cannot", "use"))
                || (matches!(nth(-1), "type" | "of") && word.len() > 2)
        }
        _ => false,
    }
}
