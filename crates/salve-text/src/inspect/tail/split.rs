//! Where the last statement of JavaScript or TypeScript starts.
//!
//! In: tokens since a place where nothing was open. Out: those of the last statement. Never needs
//! semicolons: a line end separates where the language lets it.

use super::last_two;
use super::script::ASKING;
use super::tokens::{Is, Token};
use super::types::open_angles;

/// Statements that a block ends.
const BLOCKY: &[&[u8]] = &[
    b"function",
    b"class",
    b"interface",
    b"enum",
    b"namespace",
    b"module",
    b"if",
    b"for",
    b"while",
    b"else",
    b"try",
    b"catch",
    b"finally",
    b"switch",
    b"with",
    b"do",
    b"global",
];

/// Returns the tokens of the last statement, and whether a `try` block was the last whole one.
pub(super) fn last_statement<'a>(tokens: &[Token<'a>]) -> (Vec<Token<'a>>, bool) {
    let mut statement: Vec<Token<'a>> = Vec::new();
    let mut line_ended = false;
    // The word that began the last whole statement: `try` and `do` have a second part.
    let mut before: &[u8] = b"";
    for token in tokens {
        if token.is == Is::Line {
            line_ended = true;
            continue;
        }
        if line_ended && ends_by_line(&statement, token) {
            before = statement[0].text;
            statement.clear();
        }
        line_ended = false;
        if token.is_sign(b';') {
            before = statement.first().map_or(b"", |first| first.text);
            statement.clear();
            continue;
        }
        statement.push(*token);
        let looped = before == b"do"
            && statement.len() == 2
            && statement[0].is_word(b"while")
            && token.is == Is::Group(b'(');
        if looped || (token.is == Is::Group(b'{') && block_ends(&statement)) {
            before = statement[0].text;
            statement.clear();
        }
    }
    (statement, before == b"try")
}

// Whether a line end separates `statement` from the token after it.
fn ends_by_line(statement: &[Token<'_>], next: &Token<'_>) -> bool {
    let Some(last) = statement.last() else { return false };
    let asks = last.is == Is::Word && ASKING.contains(&last.text);
    let closes = last.is_operand() || last.is_sign(b'!') || last.is_sign(b'>');
    let increments = statement.len() > 1
        && matches!(last.is, Is::Sign(b'+' | b'-'))
        && statement[statement.len() - 2].is == last.is;
    let continues = match next.is {
        Is::Sign(sign) => !matches!(sign, b'@' | b'#'),
        Is::Group(b'(' | b'[') => true,
        Is::Group(_) => !matches!(statement[0].text, b"import") || statement.len() > 1,
        Is::Word if next.text == b"from" => matches!(statement[0].text, b"import" | b"export"),
        Is::Word => matches!(
            next.text,
            b"extends" | b"implements" | b"instanceof" | b"in" | b"else" | b"catch" | b"finally"
        ),
        _ => false,
    };
    let head = head_of(statement);
    let headed = matches!(head, Some(b"if" | b"for" | b"while")) && statement.len() <= 2
        || matches!(head, Some(b"class" | b"interface" | b"enum")) && statement.len() > 1
        || open_angles(statement) > 0 && matches!(head, Some(b"type" | b"function"));
    (closes && !asks || increments) && !continues && !headed
}

// Whether a block that just closed also ends its statement.
fn block_ends(statement: &[Token<'_>]) -> bool {
    if statement.len() == 1 {
        return true;
    }
    let head = head_of(statement);
    let assigned = statement.iter().any(|token| token.is_sign(b'='))
        && !matches!(head, Some(b"function" | b"class" | b"interface" | b"for" | b"if" | b"while"));
    // `return { … }`, `type X = { … }` and `import { … }` are not ended by their brace.
    let last_sign = last_two(statement).is_some_and(|(left, _)| {
        matches!(left.is, Is::Sign(b':' | b'|' | b'&' | b'<' | b',')) || left.is_word(b"extends")
    });
    let blocky = head.is_some_and(|word| BLOCKY.contains(&word));
    blocky && !assigned && !last_sign && open_angles(statement) == 0
}

// The word that says what a statement is.
fn head_of<'a>(statement: &[Token<'a>]) -> Option<&'a [u8]> {
    let words = statement.iter().take_while(|token| token.is == Is::Word);
    words
        .map(|token| token.text)
        .find(|word| !matches!(*word, b"export" | b"default" | b"declare" | b"abstract" | b"async"))
}
