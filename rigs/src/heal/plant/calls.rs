//! Calls and what they call: a wrong argument, a wrong type, a signature that its callers do not know.
//!
//! In: a source, and how often each name is called in the project. Out: places. Never a signature with
//! fewer than two callers.

use super::{Places, is_test_code};
use crate::heal::tokens::{Kind, Source};
use salve_types::Language;
use std::collections::BTreeMap;

#[rustfmt::skip]
const NOT_CALLS: &[&str] = &[
    "if", "while", "for", "switch", "match", "return", "catch", "sizeof", "and", "or", "not", "in", "is", "elif",
    "function", "fn", "def", "class", "lambda", "typeof", "with", "await", "yield", "assert", "print", "super",
];

/// Counts the calls of each name.
pub(super) fn counts(sources: &[Source]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for source in sources {
        for index in 0..source.tokens.len() {
            if is_call(source, index) {
                *counts.entry(source.word(index).to_owned()).or_default() += 1;
            }
        }
    }
    counts
}

/// Whether a name is called here, rather than defined.
fn is_call(source: &Source, index: usize) -> bool {
    let named = source.is(index, Kind::Word)
        && source.word(index + 1) == "("
        && !NOT_CALLS.contains(&source.word(index))
        && !matches!(source.before(index), "fn" | "def" | "function" | "class");
    let close = source.closing.get(index + 1).copied().flatten();
    let body = close.is_some_and(|close| source.word(close + 1) == "{");
    named && !(body && matches!(source.language, Language::C | Language::TypeScript))
}

/// Returns the parts between commas of the bracket that opens here: first and last token of each.
fn parts(source: &Source, open: usize) -> Vec<(usize, usize)> {
    let Some(close) = source.closing.get(open).copied().flatten() else { return Vec::new() };
    let inner = source.depth.get(open).map_or(0, |depth| depth + 1);
    let mut parts = Vec::new();
    let mut first = open + 1;
    for index in open + 1..=close {
        let comma = source.word(index) == "," && source.depth.get(index) == Some(&inner);
        if (comma || index == close) && first < index {
            parts.push((first, index - 1));
        }
        if comma {
            first = index + 1;
        }
    }
    parts
}

/// Hands a call the wrong thing, or says the wrong type.
pub(super) fn wrong_argument(places: &mut Places<'_>) {
    let source = places.source;
    for index in 0..source.tokens.len() {
        if is_test_code(source, index) {
            continue;
        }
        other_type(places, index);
        if !is_call(source, index) {
            continue;
        }
        let given = parts(source, index + 1);
        let Some(&(first, last)) = given.last() else { continue };
        let end = source.span(last, last).end;
        places.add("an argument too many", end..end, ", 0");
        if let Some((_, before)) = given.len().checked_sub(2).and_then(|before| given.get(before)) {
            places.add("an argument too few", source.span(*before, *before).end..end, "");
        }
        if first == last && source.is(first, Kind::Number) {
            places.token("a text for a number", first, "\"one\"");
        }
        if first == last && source.is(first, Kind::Text) {
            places.token("a number for a text", first, "1");
        }
    }
}

fn other_type(places: &mut Places<'_>, index: usize) {
    let source = places.source;
    let (word, before) = (source.word(index), source.before(index));
    let other = match (source.language, word) {
        (Language::Rust, "usize") => "u32",
        (Language::Rust, "u8" | "char" | "bool") => "u64",
        (Language::Rust, "u32" | "u64" | "i32") => "usize",
        (Language::Rust, "String") => "&str",
        (Language::TypeScript, "number" | "boolean") => "string",
        (Language::TypeScript, "string") => "number",
        (Language::C, "int" | "size_t" | "uint32_t" | "uint64_t") => "char *",
        _ => return,
    };
    let stated = match source.language {
        Language::C => source.is(index + 1, Kind::Word) && before != "unsigned",
        _ => matches!(before, ":" | "->" | "<" | "&" | "as"),
    };
    if stated {
        places.token("another type", index, other);
    }
}

/// Changes the parameters of a function that is called at least twice.
pub(super) fn signature(places: &mut Places<'_>, calls: &BTreeMap<String, usize>) {
    let source = places.source;
    for index in 0..source.tokens.len() {
        let called = calls.get(source.word(index)).is_some_and(|calls| *calls >= 2);
        if !called || is_test_code(source, index) {
            continue;
        }
        let Some(open) = parameters(source, index) else { continue };
        let given = parts(source, open);
        let own = given.iter().filter(|(first, last)| {
            !(*first..=*last).any(|token| matches!(source.word(token), "self" | "cls" | "void"))
        });
        let own: Vec<(usize, usize)> = own.copied().collect();
        let more = match source.language {
            Language::Rust => "extra: usize",
            Language::TypeScript => "extra: number",
            Language::C => "int extra",
            _ => "extra",
        };
        if let Some(&(first, last)) = own.last() {
            let text = source.text.get(source.span(first, last)).unwrap_or("");
            // A parameter without a value cannot follow one that has one.
            if !text.contains('=') && !text.starts_with('*') {
                let end = source.span(last, last).end;
                places.add("a parameter more", end..end, &format!(", {more}"));
            }
        }
        if let [(first, last), (second, end), ..] = own.as_slice() {
            let text = |from, to| source.text.get(source.span(from, to)).unwrap_or("");
            let between = source.span(*last, *second);
            let gap = source.span(*last, *last).end..source.span(*second, *second).start;
            let gap = source.text.get(gap).unwrap_or(", ");
            let swapped = format!("{}{gap}{}", text(*second, *end), text(*first, *last));
            if between.start < between.end && !swapped.contains('=') && !swapped.contains('*') {
                places.add("two parameters swapped", source.span(*first, *end), &swapped);
            }
        }
    }
}

// The bracket of the parameters, where a function of this name is defined.
fn parameters(source: &Source, index: usize) -> Option<usize> {
    let open = (index + 1..index + 40).find(|open| source.word(*open) == "(")?;
    let close = source.closing.get(open).copied().flatten()?;
    let defined = match source.language {
        Language::Rust => source.before(index) == "fn",
        Language::Python => source.before(index) == "def" && open == index + 1,
        Language::TypeScript => {
            open == index + 1
                && (source.before(index) == "function" || source.word(close + 1) == "{")
                && !NOT_CALLS.contains(&source.word(index))
        }
        _ => {
            open == index + 1
                && source.word(close + 1) == "{"
                && source.depth.get(index) == Some(&0)
        }
    };
    defined.then_some(open)
}
