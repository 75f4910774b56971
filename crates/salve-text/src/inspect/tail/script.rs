//! Whether the last statement of JavaScript or TypeScript can be as it is.
//!
//! In: the tokens since a place where nothing was open. Out: why the last statement is not whole.
//! Never flags what the rules for missing semicolons accept.

use super::split::last_statement;
use super::tokens::{Is, Token};
use super::types::{
    alias, arrow_function, conditional_type, has_type, open_angles, typed_variable,
};
use super::{Reason, last_two};

/// Words after which something must follow, even at the end of a line.
pub(super) const ASKING: &[&[u8]] = &[
    b"new",
    b"typeof",
    b"delete",
    b"in",
    b"instanceof",
    b"extends",
    b"implements",
    b"import",
    b"export",
    b"default",
    b"const",
    b"var",
    b"function",
    b"class",
    b"enum",
    b"if",
    b"while",
    b"for",
    b"switch",
    b"with",
    b"do",
    b"try",
    b"else",
    b"case",
    b"throw",
    b"catch",
    b"finally",
    b"keyof",
];
/// Words that are operators or modifiers when something is before or after them.
const SOFT: &[&[u8]] = &[
    b"as",
    b"from",
    b"of",
    b"is",
    b"satisfies",
    b"infer",
    b"async",
    b"await",
    b"yield",
    b"let",
    b"type",
    b"interface",
    b"declare",
    b"abstract",
    b"namespace",
    b"module",
    b"readonly",
    b"get",
    b"set",
    b"static",
    b"return",
    b"global",
    b"unique",
    b"asserts",
    b"out",
    b"accessor",
];
/// Judges the last statement; `typed` is TypeScript.
pub(super) fn judge(tokens: &[Token<'_>], typed: bool) -> Option<Reason> {
    let (statement, after_try) = last_statement(tokens);
    if statement.is_empty() {
        return after_try.then_some(Reason::Statement("A try block has no catch"));
    }
    judge_statement(&statement, typed).map(Reason::Statement)
}

fn judge_statement(statement: &[Token<'_>], typed: bool) -> Option<&'static str> {
    let (first, last) = (statement.first()?, statement.last()?);
    if first.is_sign(b'@') {
        return Some("A decorator stands before nothing");
    }
    if let Some(reason) = asks_for_more(statement, last) {
        return Some(reason);
    }
    match first.text {
        b"import"
            if !second_is(statement, |token| {
                token.is == Is::Group(b'(') || token.is_sign(b'.')
            }) =>
        {
            return import(statement);
        }
        b"export" => return export(&statement[1..], typed),
        b"declare" | b"abstract" if statement.len() > 1 && statement[1].is == Is::Word => {
            return judge_statement(&statement[1..], typed);
        }
        b"async" if second_is(statement, |token| token.is_word(b"function")) => {
            return judge_statement(&statement[1..], typed);
        }
        b"function" => return function(statement, typed),
        b"class" | b"interface" | b"enum" if second_is(statement, |token| token.is == Is::Word) => {
            return Some("A declaration has no body");
        }
        b"namespace" | b"module" if second_is(statement, |token| token.is == Is::Word) => {
            return Some("A declaration has no body");
        }
        b"type" if second_is(statement, |token| token.is == Is::Word) => return alias(statement),
        b"if" | b"for" | b"while" | b"with" => return controlled(statement, typed),
        b"switch" | b"catch" | b"finally" | b"try" | b"do" => {
            return Some("A statement has no block");
        }
        b"else" => return judge_statement(&statement[1..], typed),
        b"const" | b"let" | b"var" if typed => {
            if let Some(reason) = typed_variable(statement) {
                return Some(reason);
            }
        }
        _ => {}
    }
    expression(statement, typed)
}

fn second_is(statement: &[Token<'_>], test: impl Fn(&Token<'_>) -> bool) -> bool {
    statement.get(1).is_some_and(test)
}

// An operator or a word at the end that needs an operand.
fn asks_for_more(statement: &[Token<'_>], last: &Token<'_>) -> Option<&'static str> {
    if let Is::Sign(sign) = last.is {
        let before = statement.len().checked_sub(2).map(|at| &statement[at]);
        let doubled = last.joined && before.is_some_and(|token| token.is == last.is);
        let ends = match sign {
            b'+' | b'-' => doubled,
            // A type argument list, a non-null assertion.
            b'>' => !before.is_some_and(|token| token.is_sign(b'=') && last.joined),
            b'!' => before.is_some_and(Token::is_operand),
            _ => false,
        };
        return (!ends).then_some("An operator at the end asks for more");
    }
    if last.is != Is::Word || is_member(statement) {
        return None;
    }
    let after_operand =
        last_two(statement).is_some_and(|(left, _)| left.is_operand() && !is_keyword(left));
    let soft = after_operand
        && matches!(
            last.text,
            b"as"
                | b"from"
                | b"of"
                | b"is"
                | b"satisfies"
                | b"infer"
                | b"await"
                | b"declare"
                | b"abstract"
                | b"readonly"
                | b"unique"
                | b"asserts"
        );
    (ASKING.contains(&last.text) || soft).then_some("A keyword at the end asks for more")
}

fn is_keyword(token: &Token<'_>) -> bool {
    token.is == Is::Word && (ASKING.contains(&token.text) || SOFT.contains(&token.text))
}

fn is_member(statement: &[Token<'_>]) -> bool {
    last_two(statement).is_some_and(|(left, _)| left.is_sign(b'.'))
}

fn import(statement: &[Token<'_>]) -> Option<&'static str> {
    let assigned = statement.iter().any(|token| token.is_sign(b'='));
    let Some(literal) = statement.iter().position(|token| token.is == Is::Literal) else {
        return (!assigned).then_some("An import has no source");
    };
    // `with { type: "json" }` may follow the source.
    let attributes = &statement[literal + 1..];
    let half = attributes.len() == 1 && attributes[0].is == Is::Word;
    half.then_some("The attributes of an import are not whole")
}

fn export(rest: &[Token<'_>], typed: bool) -> Option<&'static str> {
    let first = rest.first()?;
    let from = rest.iter().any(|token| token.is_word(b"from"));
    let source = rest.iter().any(|token| token.is == Is::Literal);
    if first.is_sign(b'*') || from {
        return (!source).then_some("An export has no source");
    }
    if first.is == Is::Group(b'{')
        || (first.is_word(b"type") && second_is(rest, |token| token.is == Is::Group(b'{')))
    {
        return (rest.last()?.is == Is::Word).then_some("An export has no source");
    }
    if first.is_word(b"default") {
        return match rest.get(1)?.text {
            b"function" | b"class" | b"async" if rest.len() > 1 => {
                Some("A declaration has no body")
            }
            _ => judge_statement(&rest[1..], typed),
        };
    }
    if first.is_sign(b'=') {
        return expression(&rest[1..], typed);
    }
    let declares = matches!(
        first.text,
        b"const"
            | b"let"
            | b"var"
            | b"function"
            | b"class"
            | b"interface"
            | b"type"
            | b"enum"
            | b"namespace"
            | b"module"
            | b"import"
    ) || (matches!(first.text, b"async" | b"declare" | b"abstract")
        && rest.len() > 1);
    if !declares || (rest.len() == 1) {
        return Some("An export names nothing");
    }
    judge_statement(rest, typed)
}

fn function(statement: &[Token<'_>], typed: bool) -> Option<&'static str> {
    let parameters = statement.iter().any(|token| token.is == Is::Group(b'('));
    // TypeScript declares functions without a body.
    if !(typed && parameters && open_angles(statement) == 0) {
        return Some("A function has no body");
    }
    let result = statement.iter().position(|token| token.is == Is::Group(b'('));
    conditional_type(&statement[result.map_or(0, |at| at + 1)..], 1)
}

// `if (…)` needs a statement, which must be whole itself.
fn controlled(statement: &[Token<'_>], typed: bool) -> Option<&'static str> {
    let head = statement.iter().position(|token| token.is == Is::Group(b'('));
    match head {
        Some(at) if at + 1 < statement.len() => judge_statement(&statement[at + 1..], typed),
        _ => Some("A statement has no body"),
    }
}

fn expression(statement: &[Token<'_>], typed: bool) -> Option<&'static str> {
    if typed && let Some(reason) = arrow_function(statement) {
        return Some(reason);
    }
    if typed
        && last_two(statement).is_some_and(|(left, right)| {
            left.is_sign(b'<') && left.joined && right.is == Is::Group(b'{')
        })
    {
        return Some("Type arguments are not closed");
    }
    let equals = statement.iter().rposition(|token| token.is_sign(b'='));
    let value = &statement[equals.map_or(0, |at| at + 1)..];
    let questions = value.iter().enumerate().filter(|(index, token)| {
        let next = value.get(index + 1);
        let chained =
            next.is_some_and(|next| next.joined && (next.is_sign(b'.') || next.is_sign(b'?')));
        let after = *index > 0 && value[index - 1].is_sign(b'?') && token.joined;
        token.is_sign(b'?') && !chained && !after
    });
    let colons = value.iter().filter(|token| token.is_sign(b':')).count();
    if questions.count() > colons {
        return Some("A conditional expression has no second branch");
    }
    if let Some((left, right)) = last_two(statement)
        && right.is == Is::Group(b'(')
        && matches!(left.is, Is::Sign(sign) if sign != b'>' && sign != b'.')
        && (right.text.len() <= 2
            || right.text[1..right.text.len() - 1].trim_ascii().is_empty()
            || (typed && has_type(right.text)))
    {
        return Some("A function has no body");
    }
    if equals.is_some() {
        let head = value.first()?;
        if head.is_word(b"function")
            || (head.is_word(b"async") && second_is(value, |token| token.is_word(b"function")))
            || head.is_word(b"class")
        {
            let body = value.iter().any(|token| token.is == Is::Group(b'{'));
            return (!body).then_some("A function has no body");
        }
    }
    adjacent(statement)
}

/// Two operands side by side mean that the second was to become an operator or keyword.
pub(super) fn adjacent(statement: &[Token<'_>]) -> Option<&'static str> {
    let (left, right) = last_two(statement)?;
    let member = statement.len() > 2 && statement[statement.len() - 3].is_sign(b'.');
    if (is_keyword(left) && !member) || right.joined && right.is != Is::Word {
        return None;
    }
    let clash = left.is_operand()
        && matches!(right.is, Is::Word | Is::Number)
        && !(right.joined && matches!(left.is, Is::Literal));
    let member_name = left.is_sign(b'.');
    (clash && !member_name).then_some("Two values stand side by side")
}
