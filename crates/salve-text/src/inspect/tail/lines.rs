//! Languages of lines and words: Bash, SQL, TOML, Ruby, Kotlin, Swift.
//!
//! In: the tokens of the last lines. Out: why the last one asks for more. Never flags what may be
//! whole: only operators and words that always need something after them.

use super::tokens::{Is, Token};
use super::{Reason, last_two};

const SQL_ASKING: &[&[u8]] = &[
    b"SELECT",
    b"FROM",
    b"WHERE",
    b"AND",
    b"OR",
    b"NOT",
    b"JOIN",
    b"ON",
    b"SET",
    b"VALUES",
    b"INTO",
    b"BY",
    b"INSERT",
    b"UPDATE",
    b"DELETE",
    b"CREATE",
    b"ALTER",
    b"DROP",
    b"TABLE",
    b"AS",
    b"IN",
    b"LIKE",
    b"BETWEEN",
    b"HAVING",
    b"UNION",
    b"INNER",
    b"LEFT",
    b"RIGHT",
    b"OUTER",
    b"LIMIT",
    b"OFFSET",
    b"WITH",
    b"REFERENCES",
    b"PRIMARY",
    b"FOREIGN",
    b"UNIQUE",
    b"DISTINCT",
];

/// Judges the end of a Bash script; `bytes` is the text since the last whole line.
pub(super) fn bash(tokens: &[Token<'_>], bytes: &[u8]) -> Option<Reason> {
    let text = bytes.trim_ascii_end();
    if text.ends_with(b"\\") && !text.ends_with(b"\\\\") {
        return Some(Reason::Statement("The last line continues on a line that is not there"));
    }
    let line: Vec<&Token<'_>> = tokens.iter().filter(|token| token.is != Is::Line).collect();
    let (last, rest) = line.split_last()?;
    let before = rest.last();
    let doubled = before.is_some_and(|token| token.is == last.is) && last.joined;
    match last.is {
        Is::Sign(b'<' | b'>') => return Some(Reason::Statement("A redirection names nothing")),
        Is::Sign(b'|') => return Some(Reason::Statement("A pipe leads nowhere")),
        Is::Sign(b'&') if doubled => {
            return Some(Reason::Statement("An operator at the end asks for more"));
        }
        Is::Group(b'(')
            if last.text == b"()" && before.is_some_and(|token| token.is == Is::Word) =>
        {
            return Some(Reason::Statement("A function has no body"));
        }
        _ => {}
    }
    let ink = tokens.iter().rposition(|token| token.is != Is::Line).unwrap_or(0);
    let start = tokens[..ink].iter().rposition(|token| token.is == Is::Line).map_or(0, |at| at + 1);
    let statement = &tokens[start..=ink];
    let named = statement.first().is_some_and(|token| token.is_word(b"function"));
    let body = statement.iter().any(|token| {
        matches!(token.is, Is::Group(b'{') | Is::Block)
            || (token.is == Is::Group(b'(') && token.text != b"()")
    });
    (named && !body).then_some(Reason::Statement("A function has no body"))
}

/// Judges the end of SQL.
pub(super) fn sql(tokens: &[Token<'_>]) -> Option<Reason> {
    let last = tokens.iter().rev().find(|token| token.is != Is::Line)?;
    let asks = match last.is {
        Is::Sign(sign) => !matches!(sign, b';' | b'*' | b'/' | b'>' | b'%'),
        Is::Word => SQL_ASKING.contains(&last.text.to_ascii_uppercase().as_slice()),
        _ => false,
    };
    asks.then_some(Reason::Statement("The last statement asks for more"))
}

/// Judges the end of TOML: a key needs its value.
pub(super) fn toml(tokens: &[Token<'_>]) -> Option<Reason> {
    let start = tokens.iter().rposition(|token| token.is == Is::Line).map_or(0, |at| at + 1);
    let line = &tokens[start..];
    let last = line.last()?;
    let table = line.len() == 1 && last.is == Is::Group(b'[');
    let valued = line.iter().any(|token| token.is_sign(b'=')) && !last.is_sign(b'=');
    (!table && !valued).then_some(Reason::Statement("A key has no value"))
}

/// Judges languages in which only an operator at the very end is certain.
pub(super) fn operators(tokens: &[Token<'_>]) -> Option<Reason> {
    let line: Vec<Token<'_>> =
        tokens.iter().copied().filter(|token| token.is != Is::Line).collect();
    let last = line.last()?;
    let doubled = last_two(&line).is_some_and(|(left, right)| left.is == right.is && right.joined);
    let asks = match last.is {
        Is::Sign(b'+' | b'-') => !doubled,
        Is::Sign(b'&' | b'|') => doubled,
        Is::Sign(b'=' | b'.' | b',') => true,
        _ => false,
    };
    asks.then_some(Reason::Statement("An operator at the end asks for more"))
}
