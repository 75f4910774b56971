//! The parts of TypeScript that only types have: aliases, annotations, heads of arrow functions.
//!
//! In: the tokens of a statement. Out: why its types are not whole, or nothing. Never tells a
//! comparison from a type argument where only a compiler could: it looks where types must stand.

use super::last_two;
use super::script::adjacent;
use super::tokens::{Is, Token};

/// Judges `type X = …`.
pub(super) fn alias(statement: &[Token<'_>]) -> Option<&'static str> {
    // Parameters may have defaults of their own: the definition starts outside the angles.
    let equals = (0..statement.len())
        .find(|&at| statement[at].is_sign(b'=') && open_angles(&statement[..at]) == 0);
    let Some(equals) = equals else {
        return Some("A type has no definition");
    };
    if open_angles(statement) > 0 {
        return Some("Type arguments are not closed");
    }
    let value = &statement[equals + 1..];
    if let Some(reason) = conditional_type(value, 0) {
        return Some(reason);
    }
    // A function type needs its arrow: `(a: A)` alone is no type.
    let (left, right) = last_two(statement)?;
    let parameters = right.is == Is::Group(b'(')
        && (left.is_sign(b'=') || left.is_sign(b'>') || left.is_word(b"new"));
    if parameters && (has_type(right.text) || left.is_sign(b'>')) {
        return Some("A function type has no result");
    }
    adjacent(value)
}

/// `A extends B ? C : D`, with `colons` that belong to something else.
pub(super) fn conditional_type(value: &[Token<'_>], colons: usize) -> Option<&'static str> {
    let outside: Vec<&Token<'_>> = (0..value.len())
        .filter(|&at| open_angles(&value[..at]) == 0)
        .map(|at| &value[at])
        .collect();
    let count =
        |test: &dyn Fn(&Token<'_>) -> bool| outside.iter().filter(|token| test(token)).count();
    let questions = count(&|token| token.is_sign(b'?'));
    let branches = count(&|token| token.is_sign(b':')).saturating_sub(colons);
    let conditions = count(&|token| token.is_word(b"extends"));
    (questions > branches || conditions > questions).then_some("A conditional type is not whole")
}

/// `const x: Foo<Bar` before any value.
pub(super) fn typed_variable(statement: &[Token<'_>]) -> Option<&'static str> {
    let equals = statement.iter().position(|token| token.is_sign(b'='));
    let colon = statement.iter().position(|token| token.is_sign(b':'))?;
    if equals.is_some() {
        let arrow = equals.filter(|&at| {
            statement.get(at + 1).is_some_and(|next| next.is_sign(b'>') && next.joined)
        });
        return (arrow.is_some()
            && equals == statement.iter().rposition(|token| token.is_sign(b'='))
            && statement.len() == arrow? + 2)
            .then_some("A type is not whole");
    }
    (open_angles(&statement[colon..]) > 0).then_some("Type arguments are not closed")
}

/// `= (a: A): B` and `= <T>(a: T)` are the heads of arrow functions: they need their arrow.
pub(super) fn arrow_function(statement: &[Token<'_>]) -> Option<&'static str> {
    let equals = (1..statement.len()).find(|&at| {
        let arrow = statement.get(at + 1).is_some_and(|next| next.is_sign(b'>') && next.joined);
        statement[at].is_sign(b'=') && !arrow && open_angles(&statement[..at]) == 0
    })?;
    let mut value = &statement[equals + 1..];
    if value.first().is_some_and(|token| token.is_word(b"async")) {
        value = &value[1..];
    }
    let generic = value.first().is_some_and(|token| token.is_sign(b'<'));
    let result = value.first().is_some_and(|token| token.is == Is::Group(b'('))
        && value.get(1).is_some_and(|token| token.is_sign(b':'));
    let arrow = value.windows(2).any(|pair| pair[0].is_sign(b'=') && pair[1].is_sign(b'>'));
    ((generic || result) && !arrow).then_some("A function has no body")
}

/// The type arguments that are open; arrows are no brackets.
pub(super) fn open_angles(tokens: &[Token<'_>]) -> usize {
    let mut open = 0usize;
    for (index, token) in tokens.iter().enumerate() {
        let arrow = index > 0 && tokens[index - 1].is_sign(b'=') && token.joined;
        match token.is {
            Is::Sign(b'<') => open += 1,
            Is::Sign(b'>') if !arrow => open = open.saturating_sub(1),
            _ => {}
        }
    }
    open
}

/// `(a: A, b?: B)` declares parameters.
pub(super) fn has_type(group: &[u8]) -> bool {
    let mut depth = 0usize;
    let mut ternary = 0usize;
    for (index, byte) in group.iter().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b'?' if depth == 1 && group.get(index + 1) != Some(&b':') => ternary += 1,
            b':' if depth == 1 && ternary == 0 => return true,
            b':' if depth == 1 => ternary -= 1,
            _ => {}
        }
    }
    false
}
