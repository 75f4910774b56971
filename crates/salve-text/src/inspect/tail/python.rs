//! Whether the last line of Python can be as it is.
//!
//! In: its tokens. Out: why not, or nothing. Never flags an expression that could be whole.

use super::tokens::{Is, Token};
use super::{Reason, last_two};

const COMPOUND: &[&[u8]] = &[
    b"if", b"elif", b"else", b"for", b"while", b"try", b"except", b"finally", b"with", b"def",
    b"class", b"async",
];

/// Words that are not operands; those in the second list may end a statement.
const KEYWORDS: &[&[u8]] = &[
    b"and",
    b"or",
    b"not",
    b"in",
    b"is",
    b"if",
    b"else",
    b"lambda",
    b"await",
    b"del",
    b"assert",
    b"global",
    b"nonlocal",
    b"import",
    b"from",
    b"as",
    b"with",
    b"class",
    b"def",
    b"elif",
    b"while",
    b"for",
    b"except",
    b"async",
    b"try",
    b"finally",
];
const ENDING_KEYWORDS: &[&[u8]] =
    &[b"return", b"yield", b"raise", b"pass", b"break", b"continue", b"print", b"exec", b"type"];

/// Judges the last logical line.
pub(super) fn judge(tokens: &[Token<'_>]) -> Option<Reason> {
    let line: Vec<Token<'_>> =
        tokens.iter().copied().filter(|token| token.is != Is::Line).collect();
    let first = line.first()?;
    if first.is_sign(b'@') {
        return Some(Reason::Statement("A decorator stands before nothing"));
    }
    let compound = first.is == Is::Word && COMPOUND.contains(&first.text);
    if !compound {
        return simple(&line);
    }
    let Some(colon) = block_colon(&line) else {
        return Some(Reason::Statement("The head of a block has no colon"));
    };
    let rest = &line[colon + 1..];
    if rest.is_empty() {
        return Some(Reason::Block);
    }
    simple(rest)
}

// The colon that ends the head; a lambda has a colon of its own.
fn block_colon(line: &[Token<'_>]) -> Option<usize> {
    let mut lambdas = 0usize;
    for (index, token) in line.iter().enumerate() {
        if token.is_word(b"lambda") {
            lambdas += 1;
        }
        let walrus = line.get(index + 1).is_some_and(|next| next.is_sign(b'=') && next.joined);
        if token.is_sign(b':') && !walrus {
            if lambdas == 0 {
                return Some(index);
            }
            lambdas -= 1;
        }
    }
    None
}

fn simple(line: &[Token<'_>]) -> Option<Reason> {
    let start = line.iter().rposition(|token| token.is_sign(b';')).map_or(0, |at| at + 1);
    let line = &line[start..];
    let (first, last) = (line.first()?, line.last()?);
    if first.is_word(b"from") {
        let imports = line.iter().position(|token| token.is_word(b"import"));
        return match imports {
            Some(at) if at + 1 < line.len() && !ends_import(last) => None,
            _ => Some(Reason::Statement("An import names nothing")),
        };
    }
    if first.is_word(b"import") && (line.len() == 1 || ends_import(last) || last.is_sign(b'.')) {
        return Some(Reason::Statement("An import names nothing"));
    }
    if last.is == Is::Word && KEYWORDS.contains(&last.text) {
        return Some(Reason::Statement("A keyword at the end asks for more"));
    }
    if matches!(last.is, Is::Sign(_)) && !ends_with_sign(line) {
        return Some(Reason::Statement("An operator at the end asks for more"));
    }
    let count = |word: &[u8]| line.iter().filter(|token| token.is_word(word)).count();
    if count(b"if") > count(b"else") {
        return Some(Reason::Statement("A conditional expression has no else"));
    }
    if let Some(at) = line.iter().rposition(|token| token.is_word(b"lambda"))
        && !line[at..].iter().any(|token| token.is_sign(b':'))
    {
        return Some(Reason::Statement("A lambda has no body"));
    }
    if is_half_number(last) {
        return Some(Reason::Statement("A number ends too early"));
    }
    adjacent(line)
}

fn ends_import(last: &Token<'_>) -> bool {
    last.is_sign(b',') || last.is_word(b"as") || last.is_word(b"import")
}

// A tuple may end with a comma, `...` is a value.
fn ends_with_sign(line: &[Token<'_>]) -> bool {
    let ellipsis =
        line.len() >= 3 && line[line.len() - 3..].iter().all(|token| token.is_sign(b'.'));
    let comma = line.last().is_some_and(|token| token.is_sign(b',')) && line.len() > 1;
    ellipsis || comma
}

fn is_half_number(token: &Token<'_>) -> bool {
    token.is == Is::Number
        && (matches!(token.text, b"0x" | b"0X" | b"0o" | b"0O" | b"0b" | b"0B")
            || (token.text.last().is_some_and(|byte| matches!(byte, b'e' | b'E'))
                && token.text[..token.text.len() - 1].iter().all(u8::is_ascii_digit)))
}

// Two operands side by side mean that the second was to become an operator or keyword.
fn adjacent(line: &[Token<'_>]) -> Option<Reason> {
    let keyword = |token: &Token<'_>| {
        token.is == Is::Word
            && (KEYWORDS.contains(&token.text) || ENDING_KEYWORDS.contains(&token.text))
    };
    let soft = line.first().is_some_and(|token| matches!(token.text, b"print" | b"exec" | b"type"));
    let (left, right) = last_two(line)?;
    if soft || keyword(left) || keyword(right) || !left.is_operand() {
        return None;
    }
    let clash = match (left.is, right.is) {
        (Is::Word, Is::Literal) => !(right.joined && left.text.len() <= 2),
        (Is::Word | Is::Number | Is::Literal | Is::Group(_), Is::Word | Is::Number) => {
            !right.joined || right.is == Is::Word && left.is != Is::Number
        }
        (Is::Group(_) | Is::Number, Is::Literal) => true,
        _ => false,
    };
    clash.then_some(Reason::Statement("Two values stand side by side"))
}
