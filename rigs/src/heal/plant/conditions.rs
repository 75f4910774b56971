//! Conditions that say the opposite.
//!
//! In: a source. Out: places where a comparison or a connective can be inverted. Never a type's brackets:
//! a comparison has white space on both sides.

use super::{Places, is_test_code};
use crate::heal::tokens::Source;
use salve_types::Language;

/// Inverts a comparison, a connective or a truth value.
pub(super) fn inverted(places: &mut Places<'_>) {
    let source = places.source;
    for index in 0..source.tokens.len() {
        if is_test_code(source, index) {
            continue;
        }
        let word = source.word(index);
        let opposite = match word {
            "==" => "!=",
            "!=" => "==",
            "===" => "!==",
            "!==" => "===",
            "<" => ">=",
            ">" => "<=",
            "<=" => ">",
            ">=" => "<",
            "&&" => "||",
            "||" => "&&",
            "true" => "false",
            "false" => "true",
            "True" => "False",
            "False" => "True",
            "and" if source.language == Language::Python => "or",
            "or" if source.language == Language::Python => "and",
            _ => continue,
        };
        if is_spaced(source, index) {
            places.token(&format!("{word} as {opposite}"), index, opposite);
        }
    }
}

fn is_spaced(source: &Source, index: usize) -> bool {
    let Some(token) = source.tokens.get(index) else { return false };
    let before = source.text.get(..token.at.start).is_some_and(|text| text.ends_with([' ', '\n']));
    let after = source.text.get(token.at.end..).unwrap_or("");
    let word = source.word(index).starts_with(|letter: char| letter.is_alphabetic());
    before && (word || after.starts_with([' ', '\n']))
}
