//! What a rule writes at a place.
//!
//! In: a place among the tokens of a text and the tokens to be written there. Out: a replacement of bytes
//! that keeps the text around it as it is. Never glues two words together.

use super::rule::TokenRule;
use super::tokens::Tokens;
use salve_types::Span;

/// A replacement in the diagnosed file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleEdit {
    /// The bytes that are replaced; empty for an insertion.
    pub span: Span,
    /// What is written there.
    pub replacement: String,
}

impl RuleEdit {
    /// Returns the text with the edit made; nothing when it does not fit.
    pub fn applied(&self, text: &str) -> Option<String> {
        let (before, after) = (text.get(..self.span.start)?, text.get(self.span.end..)?);
        text.get(self.span.range())?;
        Some([before, &self.replacement, after].concat())
    }
}

/// A place where a token rule fits, and the tokens that are then written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fitting {
    /// The first token that is removed, or before which is inserted.
    pub(super) at: usize,
    pub(super) removed: usize,
    pub(super) words: Vec<String>,
}

impl Fitting {
    /// Returns whether the edit makes `tokens` those of `wanted`.
    pub(super) fn makes(&self, tokens: &Tokens<'_>, wanted: &Tokens<'_>) -> bool {
        let (old, new) = (tokens.all.len(), wanted.all.len());
        old + self.words.len() == new + self.removed
            && (0..self.at).all(|at| tokens.word(at) == wanted.word(at))
            && self.words.iter().enumerate().all(|(at, word)| wanted.word(self.at + at) == *word)
            && (self.at + self.removed..old)
                .all(|at| tokens.word(at) == wanted.word(at + self.words.len() - self.removed))
    }

    /// Writes the edit.
    pub(super) fn edit(&self, rule: &TokenRule, tokens: &Tokens<'_>) -> RuleEdit {
        let span = self.span(rule, tokens);
        let mut replacement = String::new();
        for (order, (word, insertion)) in self.words.iter().zip(&rule.insert).enumerate() {
            let in_place = order == 0 && (self.removed > 0 || rule.before_next);
            match insertion.gap.contains('\n') {
                // A blank that the example had there, and the place has not.
                _ if in_place && self.removed > 0 && insertion.gap == " " => {
                    let before = tokens.text.get(..span.start).unwrap_or_default();
                    if !before.is_empty() && !before.ends_with(char::is_whitespace) {
                        replacement.push(' ');
                    }
                }
                _ if in_place => {}
                true => {
                    replacement.push('\n');
                    replacement.push_str(indentation(tokens.text, span.start));
                }
                false => replacement.push_str(&insertion.gap),
            }
            if replacement.ends_with(is_word) && word.starts_with(is_word) {
                replacement.push(' ');
            }
            replacement.push_str(word);
        }
        let before = tokens.text.get(..span.start).unwrap_or_default();
        let after = tokens.text.get(span.end..).unwrap_or_default();
        if before.ends_with(is_word) && replacement.starts_with(is_word) {
            replacement.insert(0, ' ');
        }
        let glued = if replacement.is_empty() { before } else { &replacement };
        if glued.ends_with(is_word) && after.starts_with(is_word) {
            replacement.push(' ');
        }
        // What stands before its token has a blank after it where the example had one.
        if rule.before_next && rule.spaced_after && !replacement.ends_with(' ') {
            replacement.push(' ');
        }
        RuleEdit { span, replacement }
    }

    fn span(&self, rule: &TokenRule, tokens: &Tokens<'_>) -> Span {
        if self.removed == 0 {
            let at = if rule.before_next {
                tokens.all.get(self.at).map_or(tokens.text.len(), |token| token.span.start)
            } else {
                let before = self.at.checked_sub(1).and_then(|at| tokens.all.get(at));
                before.map_or(0, |token| token.span.end)
            };
            return Span::new(at, at);
        }
        let first = tokens.all.get(self.at).map_or(0, |token| token.span.start);
        let last = tokens.all.get(self.at + self.removed - 1);
        let mut span = Span::new(first, last.map_or(first, |token| token.span.end).max(first));
        if self.words.is_empty() {
            span = widened(tokens.text, span);
        }
        span
    }
}

// A deletion that leaves an empty line takes the line; one at the end of a line takes the blanks before it.
fn widened(text: &str, span: Span) -> Span {
    let before = text.get(..span.start).unwrap_or_default();
    let after = text.get(span.end..).unwrap_or_default();
    let blank = |one: char| one == ' ' || one == '\t';
    let start = before.trim_end_matches(blank).len();
    let ends = after.trim_start_matches(blank);
    if !ends.is_empty() && !ends.starts_with(['\n', '\r']) {
        return span;
    }
    if (start == 0 || before[..start].ends_with('\n')) && !ends.is_empty() {
        let line_end = after.find('\n').map_or(after.len(), |at| at + 1);
        return Span::new(start, span.end + line_end);
    }
    Span::new(start, span.end)
}

fn indentation(text: &str, at: usize) -> &str {
    let start = text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
    let line = text.get(start..).unwrap_or_default();
    let length = line.find(|one: char| one != ' ' && one != '\t').unwrap_or(line.len());
    line.get(..length).unwrap_or_default()
}

fn is_word(one: char) -> bool {
    one.is_alphanumeric() || one == '_' || one == '$'
}
