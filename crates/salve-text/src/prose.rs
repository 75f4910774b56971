//! Tells talk from code; no other file does.
//!
//! In: a line, or a few. Out: how surely it is talk, by its looks here and by its phrases in
//! `phrases`. Never decides alone: the caller knows what surrounds the line, and where sentences are
//! content.

mod phrases;

pub(crate) use phrases::{
    announcement, asks_back, begins_like_announcement, closing, is_farewell, is_refusal,
    names_part_of_answer, opening,
};

use crate::clean::path_label;
use crate::lines::head;

/// How surely something is talk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Talk {
    /// Nothing says so.
    No,
    /// Next to something that is clearly no prose.
    Perhaps,
    /// By itself.
    Surely,
}

/// How a line reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineKind {
    Blank,
    Prose,
    Code,
    Unclear,
}

// No one needs more of a line to know what it is; it keeps a line of a megabyte cheap.
const LOOK: usize = 400;

/// Reads one line.
pub(crate) fn line_kind(line: &str) -> LineKind {
    let whole = line.trim();
    if whole.is_empty() {
        return LineKind::Blank;
    }
    let head = head(whole, LOOK);
    if starts_like_code(head) || ends_like_code(whole) {
        return LineKind::Code;
    }
    let counts = Counts::of(head);
    if counts.symbols * 8 > counts.characters {
        return LineKind::Code;
    }
    let markup = head.starts_with(['#', '-', '*', '>', '|', '+'])
        || head.starts_with(|first: char| first.is_ascii_digit());
    if counts.wide > 1 || counts.words >= 2 || (markup && counts.words >= 1) {
        return LineKind::Prose;
    }
    LineKind::Unclear
}

/// Judges a line by its looks: mostly words, and no sign of code outside of code spans.
pub(crate) fn by_looks(line: &str) -> Talk {
    let line = line.trim();
    let Some(first) = line.chars().next() else { return Talk::No };
    let marked = matches!(first, '*' | '-' | '#' | '>' | '"' | '`' | '✅' | '⚠');
    let bare = without_code_spans(line);
    let codeish = bare.contains([';', '{', '}', '=', '<', '>', '[', ']', '|', '\\', '@', '$'])
        || ["()", "::", "->"].iter().any(|sign| bare.contains(sign));
    let (words, others) = count_words(&bare);
    if !(marked || first.is_alphanumeric()) || codeish || words < 2 || words < others * 4 {
        return Talk::No;
    }
    let plain = first.is_alphabetic() && words >= 3 && !line.contains(['"', '`']);
    if plain { Talk::Surely } else { Talk::Perhaps }
}

/// Returns whether these are words as people write them to each other, with no sign of code.
pub fn is_sentence(text: &str) -> bool {
    by_looks(text) == Talk::Surely
}

/// Returns whether a text ends the way people end texts.
pub fn ends_like_an_end(text: &str) -> bool {
    let end = text.trim_end().trim_end_matches(['*', '_', '"', '\'', ')', '”', '’', '`']);
    end.ends_with(['.', '!', '?', '…', ':', '。', '！', '？']) || text.ends_with('\n')
}

/// Returns whether the first line of a text shows that it is chat: mostly words, whatever code is
/// quoted among them, and no word at its start that begins a line of code.
pub(crate) fn is_chat_line(line: &str) -> bool {
    #[rustfmt::skip]
    const CODE: &[&str] = &[
        "async", "await", "class", "const", "create", "def", "delete", "enum", "export", "extern",
        "fn", "for", "from", "func", "function", "if", "impl", "import", "insert", "interface",
        "let", "mod", "module", "namespace", "package", "private", "protected", "pub", "public",
        "require", "return", "select", "static", "struct", "type", "update", "use", "using", "var",
        "while", "with",
    ];
    let line = line.trim();
    let (words, others) = count_words(&without_code_spans(line));
    let ends = line.ends_with(['.', ':', '!', '?', ',']);
    let first = line.split_whitespace().next().unwrap_or_default();
    let keyword =
        CODE.contains(&first) || CODE.contains(&first.to_ascii_lowercase().as_str()) && !ends;
    words >= 3 && words > 2 * others && !keyword && !line.ends_with(['{', ';', '(', '[', '\\'])
}

fn has_code_signs(line: &str) -> bool {
    let bare = without_code_spans(line);
    bare.contains([';', '{', '}', '=', '<', '>', '\\']) || bare.contains("()")
}

// Inline code is a name in a sentence and does not make it code.
fn without_code_spans(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    for (index, piece) in line.split('`').enumerate() {
        out.push_str(if index % 2 == 0 { piece } else { "word" });
    }
    out
}

// How many tokens are words, and how many neither words nor numbers.
fn count_words(line: &str) -> (usize, usize) {
    let (mut words, mut others) = (0, 0);
    for token in line.split_whitespace() {
        let token = token.trim_matches(|sign: char| ",.:!?()\"'*_…;".contains(sign));
        let of_word = |sign: char| sign.is_alphabetic() || "'’-/".contains(sign);
        if !token.is_empty() && token.chars().all(of_word) {
            words += 1;
        } else if token.is_empty() || !token.chars().all(|sign| sign.is_ascii_digit()) {
            others += 1;
        }
    }
    (words, others)
}

/// Returns whether the lines together are code rather than talk.
pub(crate) fn reads_like_code<'a>(lines: impl Iterator<Item = &'a str>) -> bool {
    // Talk may show a line or two of code in passing.
    const PLAINLY: usize = 6;
    let (mut code, mut plain, mut prose) = (0usize, 0usize, 0usize);
    let mut first = None;
    for line in lines {
        let trimmed = line.trim();
        // No one speaks in triple quotes: this is a documentation string.
        if trimmed.starts_with("\"\"\"") || trimmed.starts_with("'''") {
            return true;
        }
        let kind = line_kind(line);
        code += usize::from(kind == LineKind::Code);
        prose += usize::from(kind == LineKind::Prose);
        plain += usize::from(kind == LineKind::Code && is_plainly_code(trimmed));
        if !trimmed.is_empty() {
            first.get_or_insert(trimmed);
        }
    }
    let opens_file = first.is_some_and(opens_a_file);
    opens_file || plain >= PLAINLY || (code >= 2 && code * 3 >= code + prose)
}

fn is_plainly_code(trimmed: &str) -> bool {
    let head = head(trimmed, LOOK);
    starts_like_code(head) || trimmed.ends_with([';', '{', '}'])
}

// Nothing but a file of code begins with these.
fn opens_a_file(line: &str) -> bool {
    #[rustfmt::skip]
    const STARTS: &[&str] = &[
        "#!", "#include", "\"\"\"", "'''", "/*", "//", "<?php", "<?xml", "<!DOCTYPE", "<!doctype",
        "import ", "from ", "package ", "use ", "using ", "namespace ", "#[", "#![",
    ];
    const NOTICES: &[&str] = &["# -*-", "# Copyright", "# SPDX", "# (c)", "# vim:", "# coding"];
    NOTICES.iter().any(|start| line.starts_with(start))
        || (line_kind(line) == LineKind::Code && STARTS.iter().any(|start| line.starts_with(start)))
}

/// Returns whether the lines could be between two blocks of a reply: sentences, headings,
/// labels, or nothing. Code that belongs to a block could not.
pub(crate) fn reads_like_talk(lines: &[&str]) -> bool {
    let (mut talk, mut other) = (0usize, 0usize);
    for line in lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty()) {
        if is_spoken(line) {
            talk += 1;
        } else {
            other += 1;
        }
    }
    talk > other || other == 0
}

// A sentence begins large or ends with its sign; a command does neither.
fn is_spoken(line: &str) -> bool {
    let begins = line.starts_with(|first: char| first.is_uppercase() || first > '\u{7F}')
        || line.starts_with("**");
    let ends = line.ends_with([':', '.', '!', '?', '：', '。']);
    match line_kind(line) {
        LineKind::Prose => begins || ends || line.starts_with(['#', '-', '*', '>', '1']),
        LineKind::Code | LineKind::Blank => false,
        LineKind::Unclear => {
            ends || path_label(line).is_some()
                || begins && line.chars().all(|c| c.is_alphanumeric() || "* ".contains(c))
        }
    }
}

fn starts_like_code(line: &str) -> bool {
    // Key words are written small; a sentence that begins with one is written large.
    #[rustfmt::skip]
    const ALWAYS: &[&str] = &[
        "#!", "#include", "#define", "#if", "#endif", "#pragma", "#[", "#![", "//", "/*", "*/",
        "import ", "export ", "const ", "function ", "def ", "fn ", "pub ", "package ", "func ",
        "struct ", "enum ", "impl ", "mod ", "public ", "private ", "protected ", "static ",
        "async ", "await ", "return ", "return;", "elif ", "@", "</", "<?", "<!", "}", ")", "];",
        "\"\"\"", "'''", "SELECT ", "INSERT INTO ", "CREATE TABLE ", "DELETE FROM ",
        "ALTER TABLE ", "namespace ", "typedef ", "#region",
    ];
    #[rustfmt::skip]
    const WITH_SIGN: &[&str] = &[
        "let ", "var ", "val ", "class ", "interface ", "type ", "use ", "using ", "from ", "if ",
        "for ", "while ", "with ", "try", "else", "switch ", "match ", "print", "self.", "this.",
    ];
    if ALWAYS.iter().any(|start| line.starts_with(start)) {
        return true;
    }
    let signs = ['=', ';', '{', '(', '<'];
    let ends = line.ends_with([';', '{', ':', ')', '>', ',']) || line.contains(" = ");
    WITH_SIGN.iter().any(|start| line.starts_with(start))
        && (ends && line.contains(signs) || line.starts_with("from ") && line.contains(" import "))
}

fn ends_like_code(line: &str) -> bool {
    line.ends_with([';', '{', '}', '[', '(', '='])
        || line.ends_with("=>")
        || line.ends_with("->")
        || line.ends_with("/>")
        || line.ends_with("*/")
        || line.ends_with(");")
        || line.ends_with("):")
        || line.ends_with("},")
        || line.ends_with("],")
}

struct Counts {
    characters: usize,
    symbols: usize,
    words: usize,
    // Characters of scripts that write without spaces.
    wide: usize,
}

impl Counts {
    fn of(line: &str) -> Self {
        let mut counts = Self { characters: 0, symbols: 0, words: 0, wide: 0 };
        let (mut in_span, mut in_word) = (false, false);
        for character in line.chars() {
            counts.characters += 1;
            if character == '`' {
                // What is between backticks is a name in a sentence.
                in_span = !in_span;
                counts.words += usize::from(in_span);
                in_word = false;
                continue;
            }
            if in_span {
                continue;
            }
            let letter = character.is_alphabetic() || (in_word && matches!(character, '\'' | '’'));
            counts.words += usize::from(letter && !in_word);
            in_word = letter || (in_word && character.is_alphanumeric());
            counts.wide += usize::from(('\u{2E80}'..='\u{D7AF}').contains(&character));
            counts.symbols += usize::from(is_symbol(character));
        }
        counts
    }
}

const fn is_symbol(character: char) -> bool {
    matches!(
        character,
        '{' | '}'
            | '['
            | ']'
            | '('
            | ')'
            | ';'
            | '='
            | '<'
            | '>'
            | '|'
            | '&'
            | '+'
            | '\\'
            | '$'
            | '^'
            | '~'
            | '_'
            | '"'
            | '%'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t27_prose_is_told_from_code() {
        for line in ["I'm sorry, but I can't continue this response.", "There are 3 of them left."]
        {
            assert_eq!(by_looks(line), Talk::Surely, "{line}");
        }
        for line in ["The `parse()` function is now complete.", "- Two words", "return value"] {
            assert_eq!(by_looks(line), Talk::Perhaps, "{line}");
        }
        for line in ["let x = 1;", "}", "x + y", "foo(bar, baz)", "", "a -> b of it"] {
            assert_eq!(by_looks(line), Talk::No, "{line}");
        }
    }
}
