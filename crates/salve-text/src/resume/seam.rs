//! The place where two texts meet.
//!
//! In: the end of the partial and the start of what is put after it. Out: how well they fit, in
//! bits. Never changes a text.

use super::stitch::Place;
use super::weights;
use crate::lines::last_line_start;
use std::collections::HashSet;

/// The words both texts use, against which a word made at the seam is checked.
pub(crate) struct Vocabulary<'a> {
    words: HashSet<&'a str>,
    // Whole lines, and the signs that lines start with, of both texts.
    lines: HashSet<&'a str>,
    marks: HashSet<&'a str>,
}

impl<'a> Vocabulary<'a> {
    /// Collects the words of both texts; the words at the very seam do not vouch for themselves.
    pub(crate) fn new(partial: &'a str, continuation: &'a str) -> Self {
        let inner = partial.trim_end_matches(is_word_sign);
        let rest = continuation.trim_start().trim_start_matches(is_word_sign);
        let mut words: HashSet<&str> = words_of(inner).collect();
        words.extend(words_of(rest));
        words.extend(KEYWORDS);
        let before = partial[..last_line_start(partial)].lines().map(str::trim);
        let lines: HashSet<&str> =
            before.chain(continuation.lines().skip(1).map(str::trim)).collect();
        let marks = lines.iter().map(|line| mark_of(line)).collect();
        Self { words, lines, marks }
    }

    /// Returns whether a line starts with these signs elsewhere.
    fn knows_mark(&self, mark: &str) -> bool {
        const USUAL: &[&str] = &["//", "/*", "/**", "///", "#", "<!--", "<", "</", "\"", "@", "*"];
        self.marks.contains(mark) || USUAL.contains(&mark)
    }

    /// Returns whether a line is elsewhere.
    fn knows_line(&self, line: &str) -> bool {
        self.lines.contains(line)
    }

    /// Returns whether a word is used elsewhere.
    pub(crate) fn knows(&self, word: &str) -> bool {
        self.words.contains(word)
    }

    /// Returns which share of the words of `text` is used in neither place, and how many there are.
    pub(crate) fn words_in(text: &str) -> HashSet<&str> {
        words_of(text).filter(|word| word.len() > 2 && !KEYWORDS.contains(word)).collect()
    }
}

/// Returns how well `rest` fits after `partial`, in bits: positive speaks for the seam.
pub(crate) fn fit(partial: &str, rest: &str, place: Place, vocabulary: &Vocabulary<'_>) -> f32 {
    word_fit(partial, rest, vocabulary)
        + blank_fit(partial, rest, place)
        + closer_fit(rest, place)
        + doubled_fit(partial, rest)
        + line_fit(partial, rest, vocabulary)
}

/// Returns whether the partial text stops inside a line that has begun.
pub(crate) fn is_mid_line(partial: &str) -> bool {
    !partial[last_line_start(partial)..].trim().is_empty()
}

/// Returns the word signs at the end of a text.
pub(crate) fn last_word(text: &str) -> &str {
    &text[text.trim_end_matches(is_word_sign).len()..]
}

/// Returns the word signs at the start of a text.
pub(crate) fn first_word(text: &str) -> &str {
    &text[..text.len() - text.trim_start_matches(is_word_sign).len()]
}

fn word_fit(partial: &str, rest: &str, vocabulary: &Vocabulary<'_>) -> f32 {
    let (left, right) = (last_word(partial), first_word(rest));
    if left.is_empty() || right.is_empty() {
        return 0.0;
    }
    let joined = format!("{left}{right}");
    if vocabulary.knows(&joined) {
        weights::KNOWN_WORD
    } else if right.len() > 1 && vocabulary.knows(right) && KEYWORDS.contains(&right) {
        weights::KEYWORD_IN_WORD
    } else if right.len() > 2
        && vocabulary.knows(right)
        && (vocabulary.knows(left) || right.starts_with(left))
    {
        weights::WORDS_TOGETHER
    } else {
        0.0
    }
}

// No one writes a word twice in a row at the start of a line, nor opens a tag inside an opener.
fn doubled_fit(partial: &str, rest: &str) -> f32 {
    let half = partial[last_line_start(partial)..].trim_start();
    let word = half.trim_end();
    let is_word = !word.is_empty() && word.chars().all(is_word_sign) && word.len() < half.len();
    let doubled = is_word && first_word(rest) == word;
    let opened = (word == "<" || word == "</" || word == "<!") && rest.starts_with(word);
    if doubled || opened { weights::DOUBLED } else { 0.0 }
}

// A cut line of nothing but signs goes on to a line that starts like other lines do, and a row of
// signs to one that is as long as the others.
fn line_fit(partial: &str, rest: &str, vocabulary: &Vocabulary<'_>) -> f32 {
    let half = partial[last_line_start(partial)..].trim_start();
    if half.trim().is_empty() || half.chars().any(char::is_alphanumeric) {
        return 0.0;
    }
    let Some(first) = rest.lines().next() else { return 0.0 };
    let line = format!("{half}{first}");
    let line = line.trim_end();
    if line.len() > 8 && rest.contains('\n') && vocabulary.knows_line(line) {
        return weights::KNOWN_LINE;
    }
    let mark = mark_of(line);
    if half.len() > 4 || mark.starts_with(['}', ')', ']']) {
        0.0
    } else if vocabulary.knows_mark(mark) {
        weights::KNOWN_MARK
    } else {
        weights::UNKNOWN_MARK
    }
}

// The signs and blanks that a line starts with.
fn mark_of(line: &str) -> &str {
    let end = line.find(|sign: char| sign.is_alphanumeric() || sign == '_').unwrap_or(line.len());
    line[..end].trim_end()
}

// The end of a comment cannot be where none is open.
fn closer_fit(rest: &str, place: Place) -> f32 {
    let rest = rest.trim_start();
    let closes = rest.starts_with("*/") || rest.starts_with("-->");
    if closes && place == Place::Code { weights::STRAY_COMMENT_END } else { 0.0 }
}

// Indentation in the middle of a line of code, before a word, is the start of another line.
fn blank_fit(partial: &str, rest: &str, place: Place) -> f32 {
    let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    let deep = blanks >= 2 || rest.starts_with('\t');
    if place != Place::Code || !deep || !is_mid_line(partial) {
        return 0.0;
    }
    if rest[blanks..]
        .starts_with(|next: char| next.is_alphanumeric() || "_}])@#\"'.<".contains(next))
    {
        weights::INDENT_IN_LINE
    } else {
        weights::BLANKS_IN_LINE
    }
}

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|sign| !is_word_sign(sign)).filter(|word| !word.is_empty())
}

fn is_word_sign(sign: char) -> bool {
    sign.is_alphanumeric() || sign == '_'
}

#[rustfmt::skip]
pub(crate) const KEYWORDS: &[&str] = &[
    "abstract", "and", "as", "async", "await", "bool", "boolean", "break", "case", "catch", "char", "class", "const",
    "continue", "def", "default", "defer", "del", "delete", "do", "double", "elif", "else", "enum", "except", "export",
    "extends", "extern", "false", "final", "finally", "float", "fn", "for", "from", "func", "function", "global", "go",
    "if", "impl", "implements", "import", "in", "include", "instanceof", "int", "interface", "is", "lambda", "let", "long",
    "loop", "match", "mod", "module", "move", "mut", "namespace", "new", "nil", "None", "not", "null", "or", "package",
    "pass", "private", "protected", "pub", "public", "raise", "range", "ref", "return", "select", "self", "Self", "short",
    "sizeof", "static", "string", "struct", "super", "switch", "template", "this", "throw", "throws", "trait", "True",
    "False", "true", "try", "type", "typedef", "typeof", "undefined", "unsafe", "unsigned", "use", "using", "val", "var",
    "virtual", "void", "where", "while", "with", "yield", "the", "to", "of", "it", "be", "that", "this",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t27_words_at_the_seam_are_checked_against_the_texts() {
        let partial = "let total = compute(a);\nlet other = compu";
        let fit = |rest: &str| fit(partial, rest, Place::Code, &Vocabulary::new(partial, rest));
        assert!(fit("te(b);\n") > 0.0);
        assert!(fit("return x;\n") < 0.0);
        assert!(fit("    let other = compute(b);\n") < 0.0);
        assert!(fit("(x)") == 0.0);
    }
}
