//! One-token edits near a place.
//!
//! In: the tokens of a file, a place, and what the tool expects there. Out: insertions in the gaps around
//! the place, deletions and replacements of the tokens there, and keywords for words that nearly are one.
//! Nothing is judged here; the rank says only how probable an edit is.

use super::super::names::keywords;
use super::super::spelling::slips;
use super::super::view::SourceFile;
use super::tokens::{Token, token_at};
use salve_types::{Diagnostic, Hint, Language, Span};

/// An edit that the grammar is to be asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) span: Span,
    pub(super) replacement: String,
    /// The token that is inserted, deleted or replaced.
    pub(super) token: String,
    pub(super) what: String,
    /// The lower, the more probable.
    pub(super) rank: usize,
    /// Whether the tool itself speaks of the token.
    pub(super) is_hinted: bool,
    /// Whether it is just before what the tool did not expect.
    pub(super) is_here: bool,
}

impl Edit {
    /// Returns the text with the edit made.
    pub(super) fn applied(&self, text: &str) -> Option<String> {
        let (before, after) = (text.get(..self.span.start)?, text.get(self.span.end..)?);
        Some([before, &self.replacement, after].concat())
    }
}

/// What a tool says of the tokens at a place.
struct Said {
    expected: Vec<String>,
    unexpected: Option<String>,
}

impl Said {
    fn of(diagnostic: &Diagnostic) -> Self {
        let mut said = Self { expected: Vec::new(), unexpected: None };
        for hint in &diagnostic.hints {
            match hint {
                Hint::ExpectedToken { tokens } => said.expected.extend(tokens.iter().cloned()),
                Hint::UnexpectedToken { token } => said.unexpected.clone_from(token),
                // Where a block ends is a matter of its lines, not of this place.
                Hint::Unclosed { token, .. } if token != "{" => {
                    said.expected.extend(closer(token).map(str::to_owned));
                }
                _ => {}
            }
        }
        said
    }
}

/// Returns what closes a bracket.
pub(super) fn closer(token: &str) -> Option<&'static str> {
    match token {
        "(" => Some(")"),
        "[" => Some("]"),
        "{" => Some("}"),
        _ => None,
    }
}

/// Lists edits near `place`; `rank` is added to each.
pub(super) fn near(
    diagnostic: &Diagnostic,
    file: &SourceFile,
    tokens: &[Token],
    place: Span,
    rank: usize,
) -> Vec<Edit> {
    let said = Said::of(diagnostic);
    let here = token_at(tokens, place.start);
    let mut edits = Vec::new();
    insertions(file, tokens, here, &said, &mut edits);
    for at in here.saturating_sub(2)..=(here + 1).min(tokens.len().saturating_sub(1)) {
        around(file, tokens, at, here, &said, &mut edits);
    }
    misspelt_keywords(file, tokens, place, &mut edits);
    edits.iter_mut().for_each(|edit| edit.rank += rank);
    edits
}

// Tokens that people lose, most often first.
fn lost_tokens(language: Language) -> &'static [&'static str] {
    match language {
        Language::Python => &[
            ":", ")", ",", "]", "}", "(", "[", "{", "=", ".", "in", "==", "import", "->", "and",
            "not", "as", "\"", "'",
        ],
        Language::Rust => &[
            ";", ",", ")", "}", "]", ":", "=", "=>", "->", "(", "{", "[", "::", ".", "|", "<", ">",
            "&", "in", "let", "fn", "!", "#",
        ],
        Language::C | Language::Cpp => {
            &[";", ")", ",", "}", "]", "(", "{", "[", "=", "+", "*", "\"", "'", "&&", ":", "\n#"]
        }
        Language::Go => &[",", ")", "}", "{", "]", "(", "[", ":=", "=", ".", ":", "func", "range"],
        _ => &[
            ";", ")", ",", "}", "]", ":", "(", "{", "[", "=", "=>", ".", "+", "?", ">", "<", "in",
            "of", "const",
        ],
    }
}

// Gaps before and after the place: the nearest first, and all those of its line and the end of the one above.
fn insertions(
    file: &SourceFile,
    tokens: &[Token],
    here: usize,
    said: &Said,
    edits: &mut Vec<Edit>,
) {
    let line_of = |at: usize| tokens.get(at).map(|token| file.line_of(token.span.start));
    let line = line_of(here).or_else(|| line_of(here.saturating_sub(1)));
    let from = here.saturating_sub(24);
    for gap in from..=(here + 24).min(tokens.len()) {
        let distance = gap.abs_diff(here);
        let same_line = line_of(gap) == line || gap.checked_sub(1).and_then(line_of) == line;
        if distance > 2 && !same_line {
            continue;
        }
        let closeness = if gap <= here { distance * 2 } else { distance * 2 + 1 };
        let hinted = said.expected.iter().filter(|token| is_writable(token));
        for (order, token) in hinted.enumerate() {
            edits.push(insertion(file, tokens, gap, token, closeness + order, true));
        }
        for (order, token) in lost_tokens(file.language()).iter().enumerate() {
            let rank = 12 + closeness * 2 + order * 2;
            let is_here = distance == 0 && matches!(*token, "," | ";" | ":" | "=");
            let one = insertion(file, tokens, gap, token, rank, false);
            edits.push(Edit { is_here, ..one });
        }
    }
}

fn is_writable(token: &str) -> bool {
    !token.is_empty() && token.len() <= 12 && !token.contains(char::is_whitespace)
}

fn insertion(
    file: &SourceFile,
    tokens: &[Token],
    gap: usize,
    token: &str,
    rank: usize,
    is_hinted: bool,
) -> Edit {
    let before = gap.checked_sub(1).and_then(|at| tokens.get(at)).map_or(0, |one| one.span.end);
    let after = tokens.get(gap).map_or(file.text().len(), |one| one.span.start);
    let between = file.text().get(before..after).unwrap_or_default();
    let is_opener = matches!(token, "(" | "[" | "<" | "&" | "!");
    let is_word = token.starts_with(char::is_alphabetic);
    let is_spaced =
        matches!(token, "=" | "=>" | "->" | "==" | ":=" | "+" | "*" | "&&" | "|" | "{" | "?")
            || is_word;
    // An opener belongs to what follows it, everything else to what is before it.
    let at = if is_opener && !between.contains('\n') { after } else { before };
    let replacement = match (is_spaced, between.is_empty()) {
        (true, false) if at > 0 => format!(" {token}"),
        (true, true) if is_word => format!(" {token} "),
        (true, true) => format!(" {token} "),
        _ => token.to_owned(),
    };
    Edit {
        span: Span::new(at, at),
        replacement,
        token: token.to_owned(),
        what: format!("insert `{}`", token.trim()),
        rank,
        is_hinted,
        is_here: false,
    }
}

// Deletions and replacements of one token.
fn around(
    file: &SourceFile,
    tokens: &[Token],
    at: usize,
    here: usize,
    said: &Said,
    edits: &mut Vec<Edit>,
) {
    let Some(token) = tokens.get(at).filter(|token| !token.is_comment) else { return };
    let Some(text) = file.text().get(token.span.range()) else { return };
    let distance = at.abs_diff(here);
    let is_unexpected = said.unexpected.as_deref() == Some(text);
    let is_punctuation = text.chars().all(|one| one.is_ascii_punctuation());
    let is_doubled = at > 0
        && tokens.get(at - 1).and_then(|before| file.text().get(before.span.range())) == Some(text);
    // What was expected comes right after what was not.
    let next = tokens.get(at + 1).and_then(|next| file.text().get(next.span.range()));
    let leads = is_unexpected
        && next.is_some_and(|next| said.expected.iter().any(|expected| expected == next));
    // Only a token that is none of the program's own words is dropped.
    if is_punctuation || is_doubled {
        let end = token.span.end;
        let start =
            tokens.get(at.wrapping_sub(1)).map_or(token.span.start, |before| before.span.end);
        let gap = file.text().get(start..token.span.start).unwrap_or_default();
        let start = if gap.trim().is_empty() && !gap.contains('\n') && is_doubled {
            start
        } else {
            token.span.start
        };
        edits.push(Edit {
            span: Span::new(start, end),
            replacement: String::new(),
            token: text.to_owned(),
            what: format!("delete `{text}`"),
            rank: if is_doubled || leads { 0 } else { 8 + distance * 4 },
            is_hinted: is_unexpected || is_doubled || leads,
            is_here: false,
        });
    }
    let others = confused_with(text);
    let hinted = said.expected.iter().map(String::as_str).filter(|token| is_writable(token));
    let hinted = hinted.filter(|_| is_punctuation);
    for (order, meant) in others.iter().copied().chain(hinted).enumerate() {
        let is_hinted = said.expected.iter().any(|token| token == meant);
        if meant != text {
            edits.push(Edit {
                span: token.span,
                replacement: meant.to_owned(),
                token: meant.to_owned(),
                what: format!("write `{meant}` instead of `{text}`"),
                rank: distance * 4 + order * 2 + if is_hinted { 4 } else { 14 },
                is_hinted,
                is_here: false,
            });
        }
    }
}

// Tokens that are written for one another.
fn confused_with(token: &str) -> &'static [&'static str] {
    match token {
        "=" => &["==", "=>", ":", ":="],
        "==" => &["="],
        "=>" => &["->", "="],
        "->" => &["=>", "."],
        ">" => &["=>", "->"],
        "-" => &["->"],
        ":" => &[";", ",", "::", "="],
        ";" => &[",", ":", ")", "]", "}"],
        "," => &[";", ".", ")"],
        "." => &[",", "->"],
        ")" => &["]", "}", "("],
        "]" => &[")", "}", "["],
        "}" => &[")", "]", "{"],
        "(" => &["[", "{", ")"],
        "[" => &["(", "{"],
        "{" => &["(", "[", ":"],
        _ => &[],
    }
}

// A word in the line of the place, or before it, that is nearly a keyword.
fn misspelt_keywords(file: &SourceFile, tokens: &[Token], place: Span, edits: &mut Vec<Edit>) {
    let here = file.line_of(place.start);
    let lines = [here, here.saturating_sub(1)];
    for token in tokens.iter().filter(|token| token.is_word) {
        let Some(order) = lines.iter().position(|&line| line == file.line_of(token.span.start))
        else {
            continue;
        };
        let Some(word) = file.text().get(token.span.range()) else { continue };
        if keywords(file.language()).contains(&word) {
            continue;
        }
        for keyword in keywords(file.language()) {
            if let Some(slips) = slips(word, keyword) {
                edits.push(Edit {
                    span: token.span,
                    replacement: (*keyword).to_owned(),
                    token: (*keyword).to_owned(),
                    what: format!("write `{keyword}` instead of `{word}`"),
                    rank: 2 + slips * 6 + order * 8,
                    is_hinted: slips == 1,
                    is_here: false,
                });
            }
        }
    }
}
