//! A diagnostic in its file, made ready for rules.
//!
//! In: a diagnostic and the text it is about. Out: the tokens of the text, the token it points at, what its
//! message quotes, and the classes under which rules for it are kept. Never reads anything else.

use super::rule::{RuleKey, WordKind};
use super::tokens::Tokens;
use crate::heal::fixers::is_language_word;
use salve_check::{message_quotes, sign};
use salve_syntax::{NodeTree, parse_nodes};
use salve_types::{Diagnostic, ErrorClass, Language, Severity};
use std::cell::OnceCell;
use std::collections::HashSet;

/// The most quotes of a message that rules may bind.
pub(super) const QUOTES: usize = 6;

/// Returns the classes under which rules for a diagnostic are kept, the narrowest first: the signature of
/// its message's template, that of the template without what the message quotes, and any message.
pub fn rule_classes(diagnostic: &Diagnostic) -> [String; 3] {
    let mut bare = Diagnostic::new(
        &diagnostic.tool,
        Severity::Error,
        ErrorClass::Syntax,
        &without_quotes(&diagnostic.message),
    );
    bare.code.clone_from(&diagnostic.code);
    [sign(diagnostic).class.wire(), format!("~{}", sign(&bare).class.wire()), String::new()]
}

/// Returns the keys of the same.
pub(super) fn keys(diagnostic: &Diagnostic) -> [RuleKey; 3] {
    rule_classes(diagnostic).map(|class| RuleKey {
        tool: diagnostic.tool.clone(),
        code: diagnostic.code.clone(),
        class,
    })
}

fn without_quotes(message: &str) -> String {
    let mut bare = String::with_capacity(message.len());
    let mut from = 0;
    for quote in message_quotes(message) {
        let start = quote.as_ptr() as usize - message.as_ptr() as usize;
        bare.push_str(message.get(from..start).unwrap_or_default());
        bare.push('x');
        from = start + quote.len();
    }
    bare.push_str(message.get(from..).unwrap_or_default());
    bare
}

/// A diagnostic in its file.
pub(super) struct Case<'a> {
    pub(super) tokens: Tokens<'a>,
    /// What the message quotes.
    pub(super) quotes: Vec<&'a str>,
    /// The token that the diagnostic points at; one past the last for the end of the file.
    pub(super) place: usize,
    /// Its line, counted from 1.
    pub(super) line: u32,
    message: &'a str,
    column: u32,
    words: OnceCell<HashSet<&'a str>>,
    tree: OnceCell<Option<NodeTree>>,
    brackets: OnceCell<[i64; 3]>,
}

/// Returns how many round, square and curly brackets are opened and not closed among tokens.
pub(super) fn brackets<'t>(words: impl Iterator<Item = &'t str>) -> [i64; 3] {
    let mut open = [0; 3];
    for word in words {
        match word {
            "(" => open[0] += 1,
            ")" => open[0] -= 1,
            "[" => open[1] += 1,
            "]" => open[1] -= 1,
            "{" => open[2] += 1,
            "}" => open[2] -= 1,
            _ => {}
        }
    }
    open
}

impl<'a> Case<'a> {
    /// Prepares a diagnostic; nothing when it has no place in the text, or the text is too long.
    pub(super) fn of(
        diagnostic: &'a Diagnostic,
        text: &'a str,
        language: Language,
    ) -> Option<Self> {
        let start = diagnostic.primary()?.start?;
        Self::at(&diagnostic.message, Tokens::of(text, language)?, start.line, start.column)
    }

    /// Prepares a place.
    pub(super) fn at(message: &'a str, tokens: Tokens<'a>, line: u32, column: u32) -> Option<Self> {
        let offset = offset(tokens.text, line, column)?;
        let place = tokens.at(offset);
        let quotes = message_quotes(message).into_iter().take(QUOTES).collect();
        let (words, tree, brackets) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        Some(Self { place, quotes, line, tokens, message, column, words, tree, brackets })
    }

    /// Prepares the same diagnostic in another text.
    pub(super) fn moved_to(&self, tokens: Tokens<'a>) -> Option<Self> {
        Self::at(self.message, tokens, self.line, self.column)
    }

    /// Returns the syntax tree of the file, where its language has a grammar.
    pub(super) fn tree(&self) -> Option<&NodeTree> {
        self.tree.get_or_init(|| parse_nodes(self.tokens.text, self.tokens.language)).as_ref()
    }

    /// Returns how many brackets of each kind the file leaves open.
    pub(super) fn brackets(&self) -> [i64; 3] {
        let words = || (0..self.tokens.all.len()).map(|at| self.tokens.word(at));
        *self.brackets.get_or_init(|| brackets(words()))
    }

    /// Returns whether a token is a word of the language and not a name of the program.
    pub(super) fn is_kept(&self, at: usize) -> bool {
        self.tokens.all.get(at).is_some_and(|token| token.kind != WordKind::Name)
            || is_language_word(self.tokens.language, self.tokens.word(at))
    }

    /// Returns whether a token occurs in the file.
    pub(super) fn has(&self, word: &str) -> bool {
        let collect = || (0..self.tokens.all.len()).map(|at| self.tokens.word(at)).collect();
        self.words.get_or_init(collect).contains(word)
    }
}

// The byte of a place; a column past the end of its line is that end.
fn offset(text: &str, line: u32, column: u32) -> Option<usize> {
    let skipped = usize::try_from(line).ok()?.checked_sub(1)?;
    let start = if skipped == 0 {
        0
    } else {
        text.match_indices('\n').nth(skipped - 1).map(|(at, _)| at + 1)?
    };
    let rest = text.get(start..)?;
    let rest = rest.split('\n').next().unwrap_or(rest);
    let column = usize::try_from(column).ok()?.saturating_sub(1);
    Some(start + rest.char_indices().nth(column).map_or(rest.len(), |(at, _)| at))
}
