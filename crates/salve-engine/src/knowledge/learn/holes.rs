//! Which tokens of an example a rule leaves open.
//!
//! In: the tokens removed, written and around them, and what the message quotes. Out: pieces: a token that
//! is in both texts, or in the message, becomes a hole; another name of the program any name; a word of the
//! language stays itself. Nothing is left open in a rule of level 0.

use super::super::near::near;
use super::super::rule::{HOLES, Hole, HoleSource, Piece, WordKind};
use super::{Lesson, kind};
use crate::heal::fixers::is_language_word;
use std::collections::HashMap;

pub(super) struct Holes<'l, 'a> {
    lesson: &'l Lesson<'a>,
    is_exact: bool,
    /// Whether marks and words of the language that the message quotes are left open as well.
    binds_marks: bool,
    /// Whether a literal is written that nothing binds: then those removed are meant as they are.
    keeps_texts: bool,
    by_word: HashMap<&'a str, u8>,
    near: HashMap<&'a str, u8>,
    pub(super) all: Vec<Hole>,
}

impl<'l, 'a> Holes<'l, 'a> {
    pub(super) fn new(lesson: &'l Lesson<'a>, is_exact: bool, binds_marks: bool) -> Self {
        Self {
            lesson,
            is_exact,
            binds_marks,
            keeps_texts: false,
            by_word: HashMap::new(),
            near: HashMap::new(),
            all: Vec::new(),
        }
    }

    /// Decides what is left open; nothing when that is more than a rule can hold.
    pub(super) fn bind(
        &mut self,
        written: &[usize],
        removed: &[usize],
        context: &[usize],
    ) -> Option<()> {
        if self.is_exact {
            return Some(());
        }
        let before = &self.lesson.before;
        // What the message says of the broken code.
        for &at in removed.iter().chain(context) {
            if at < before.tokens.all.len() {
                self.bind_quote(before.tokens.word(at), kind(&before.tokens, at))?;
            }
        }
        for &at in written {
            let word = self.lesson.after.word(at);
            let kind = kind(&self.lesson.after, at);
            self.bind_quote(word, kind)?;
            if self.by_word.contains_key(word) || self.is_kept(word, kind) {
                continue;
            }
            let in_code = removed.iter().chain(context).any(|&at| before.tokens.word(at) == word);
            if in_code {
                let number = self.add(kind, HoleSource::Code)?;
                self.by_word.insert(word, number);
            } else if kind == WordKind::Name {
                self.bind_near(word)?;
            } else if kind == WordKind::Text {
                self.keeps_texts = true;
            }
        }
        Some(())
    }

    fn bind_quote(&mut self, word: &'a str, kind: WordKind) -> Option<()> {
        if self.by_word.contains_key(word) || (self.is_kept(word, kind) && !self.binds_marks) {
            return Some(());
        }
        if let Some(quote) = self.lesson.before.quotes.iter().position(|quote| *quote == word) {
            let number = self.add(kind, HoleSource::Message(u8::try_from(quote).ok()?))?;
            self.by_word.insert(word, number);
        }
        Some(())
    }

    // A name that is spelt nearly like what the message quotes. One such hole is enough.
    fn bind_near(&mut self, word: &'a str) -> Option<()> {
        if !self.near.is_empty() {
            return Some(());
        }
        let before = &self.lesson.before;
        let is_near = |quote: &&str| near(before, quote).contains(&word);
        if let Some(quote) = before.quotes.iter().position(is_near) {
            let number = self.add(WordKind::Name, HoleSource::Near(u8::try_from(quote).ok()?))?;
            self.near.insert(word, number);
        }
        Some(())
    }

    fn add(&mut self, kind: WordKind, from: HoleSource) -> Option<u8> {
        let number = u8::try_from(self.all.len()).ok().filter(|&it| usize::from(it) < HOLES)?;
        self.all.push(Hole { kind, from });
        Some(number)
    }

    fn is_kept(&self, word: &str, kind: WordKind) -> bool {
        kind == WordKind::Mark
            || (kind == WordKind::Name
                && is_language_word(self.lesson.before.tokens.language, word))
    }

    /// Returns the piece for a token of the broken text.
    pub(super) fn piece(&self, at: usize) -> Piece {
        let tokens = &self.lesson.before.tokens;
        let (word, kind) = (tokens.word(at), kind(tokens, at));
        if tokens.all.get(at).is_none() {
            return Piece::End;
        }
        match self.by_word.get(word) {
            Some(number) => Piece::Hole(*number),
            None if self.is_exact || self.is_kept(word, kind) => Piece::Exact(word.to_owned()),
            None if kind == WordKind::Text && self.keeps_texts => Piece::Exact(word.to_owned()),
            None => Piece::Any(kind),
        }
    }

    /// Returns the piece for a token of the fixed text; nothing when it is too long to be written.
    pub(super) fn written(&self, at: usize) -> Option<Piece> {
        let word = self.lesson.after.word(at);
        if let Some(number) = self.by_word.get(word).or_else(|| self.near.get(word)) {
            return Some(Piece::Hole(*number));
        }
        (word.len() <= 200).then(|| Piece::Exact(word.to_owned()))
    }

    /// Lists the names that are written as they are and must be known in the file: those that are neither
    /// words of the language, nor declared or included by what is written.
    pub(super) fn needs(&self, written: &[usize]) -> Vec<String> {
        let after = &self.lesson.after;
        let language = after.language;
        let includes = |at: usize| {
            matches!(
                after.word(at),
                "#" | "include" | "import" | "use" | "from" | "using" | "require"
            )
        };
        if written.iter().any(|&at| includes(at)) {
            return Vec::new();
        }
        let mut names: Vec<String> = Vec::new();
        for &at in written {
            let word = after.word(at);
            let is_own = kind(after, at) == WordKind::Name
                && matches!(self.written(at), Some(Piece::Exact(_)))
                && !is_language_word(language, word);
            let declared = at.checked_sub(1).is_some_and(|before| {
                written.contains(&before) && is_language_word(language, after.word(before))
            });
            if is_own && !declared && !names.iter().any(|name| name == word) {
                names.push(word.to_owned());
            }
        }
        names
    }
}
