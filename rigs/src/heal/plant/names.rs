//! Names that are wrong or gone: misspelt, not imported, without what goes before or after them.
//!
//! In: a source. Out: places. Never a keyword, and never a name that exists once misspelt.

use super::{Places, is_test_code};
use crate::corpus::Random;
use crate::heal::tokens::{Kind, Source};
use salve_types::Language;
use std::collections::BTreeMap;

#[rustfmt::skip]
pub(super) const KEYWORDS: &[&str] = &[
    "abstract", "assert", "async", "await", "auto", "bool", "break", "case", "catch", "char", "class", "const",
    "constructor", "continue", "crate", "default", "double", "elif", "else", "enum", "except", "export", "extern",
    "extends", "false", "False", "finally", "float", "for", "from", "function", "global", "goto", "impl", "implements",
    "import", "inline", "instanceof", "interface", "isinstance", "lambda", "long", "loop", "match", "None", "nonlocal",
    "null", "number", "pass", "private", "protected", "public", "raise", "readonly", "register", "return", "Self",
    "self", "short", "signed", "sizeof", "static", "string", "struct", "super", "switch", "this", "throw", "trait",
    "true", "True", "type", "typedef", "typeof", "undefined", "union", "unsafe", "unsigned", "void", "volatile",
    "where", "while", "with", "yield",
];

/// Misspells a name that is used more than once.
pub(super) fn misspelt(places: &mut Places<'_>, random: &mut Random) {
    let source = places.source;
    let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
    for index in 0..source.tokens.len() {
        *uses.entry(source.word(index)).or_default() += 1;
    }
    for index in 0..source.tokens.len() {
        let word = source.word(index);
        let is_name = source.is(index, Kind::Word)
            && word.len() >= 4
            && word.is_ascii()
            && !word.starts_with('\'')
            && !KEYWORDS.contains(&word)
            && uses.get(word).is_some_and(|uses| *uses > 1);
        if !is_name || is_test_code(source, index) {
            continue;
        }
        let (kind, wrong) = misspell(word, random);
        if !uses.contains_key(wrong.as_str()) {
            places.token(kind, index, &wrong);
        }
    }
}

fn misspell(word: &str, random: &mut Random) -> (&'static str, String) {
    let mut letters: Vec<char> = word.chars().collect();
    // The first letter is seldom the wrong one.
    let at = 1 + random.below(letters.len() - 2);
    match random.below(4) {
        0 => {
            letters.swap(at, at + 1);
            ("two letters swapped", letters.into_iter().collect())
        }
        1 => {
            letters.remove(at);
            ("a letter lost", letters.into_iter().collect())
        }
        2 => {
            letters.insert(at, letters.get(at).copied().unwrap_or('e'));
            ("a letter doubled", letters.into_iter().collect())
        }
        _ => {
            let other = if letters.get(at) == Some(&'e') { 'r' } else { 'e' };
            letters.splice(at..=at, [other]);
            ("another letter", letters.into_iter().collect())
        }
    }
}

/// Takes an import away, or one name of it.
pub(super) fn lost_import(places: &mut Places<'_>, random: &mut Random) {
    let source = places.source;
    for index in 0..source.tokens.len() {
        if is_test_code(source, index) || !source.opens_line(index) {
            continue;
        }
        let Some(last) = import_end(source, index) else { continue };
        let whole = source.span(index, last);
        let (start, end) = (source.line_start(whole.start), source.line_end(whole.end));
        if source.text.get(whole.end..end).is_some_and(|rest| rest.trim().is_empty()) {
            places.add("a whole import", start..end, "");
        }
        one_of_several(places, index, last, random);
    }
}

// The last token of an import that begins here.
fn import_end(source: &Source, index: usize) -> Option<usize> {
    let word = source.word(index);
    let ends = |mark: &str| (index..source.tokens.len()).find(|last| source.word(*last) == mark);
    match source.language {
        Language::Rust if word == "use" => ends(";"),
        Language::TypeScript if word == "import" => ends(";"),
        Language::C if word.starts_with("#include") => Some(index),
        Language::Python if matches!(word, "import" | "from") => {
            let first = source.tokens.get(index)?.at.start;
            let line = source.line_end(first);
            let inside =
                |token: usize| source.tokens.get(token).is_some_and(|it| it.at.end <= line);
            let last = (index..source.tokens.len()).take_while(|token| inside(*token)).last()?;
            let text = source.text.get(source.span(index, last))?;
            let whole = source.depth.get(last + 1).is_none_or(|depth| *depth == 0);
            let plain = !text.contains("__future__") && !text.contains('(') && whole;
            (plain && text.contains("import")).then_some(last)
        }
        _ => None,
    }
}

fn one_of_several(places: &mut Places<'_>, first: usize, last: usize, random: &mut Random) {
    let source = places.source;
    let commas: Vec<usize> = (first..=last).filter(|index| source.word(*index) == ",").collect();
    if commas.is_empty() {
        return;
    }
    let Some(comma) = commas.get(random.below(commas.len())) else { return };
    let name = comma.saturating_sub(1);
    let single = matches!(source.before(name), "{" | "," | "import");
    if source.is(name, Kind::Word) && single {
        places.add("one name of an import", source.span(name, *comma), "");
    }
}

/// Takes away what borrows, copies or allows to change.
pub(super) fn lost_borrow(places: &mut Places<'_>) {
    let source = places.source;
    if !matches!(source.language, Language::Rust | Language::C) {
        return;
    }
    for index in 0..source.tokens.len() {
        if is_test_code(source, index) {
            continue;
        }
        let word = source.word(index);
        let operand = source.is(index + 1, Kind::Word) || source.word(index + 1) == "(";
        match word {
            "&" | "*" if operand && is_prefix(source, index) => {
                places.token(&format!("lost {word}"), index, "");
            }
            "mut" if source.language == Language::Rust => {
                let at = source.span(index, index + 1);
                let name = source.word(index + 1).to_owned();
                places.add("lost mut", at, &name);
            }
            "." if source.language == Language::Rust => lost_copy(places, index),
            _ => {}
        }
    }
}

fn lost_copy(places: &mut Places<'_>, index: usize) {
    let source = places.source;
    let name = source.word(index + 1).to_owned();
    let empty = source.word(index + 2) == "(" && source.word(index + 3) == ")";
    if empty && matches!(name.as_str(), "clone" | "to_string" | "to_owned" | "as_ref" | "as_str") {
        places.add(&format!("lost {name}"), source.span(index, index + 3), "");
    }
}

// An operator of one side follows another operator, not a value.
fn is_prefix(source: &Source, index: usize) -> bool {
    let Some(before) = index.checked_sub(1) else { return false };
    let word = source.word(before);
    match source.is(before, Kind::Mark) {
        true => !matches!(word, ")" | "]" | "}"),
        false => matches!(word, "return" | "in" | "if" | "match"),
    }
}
