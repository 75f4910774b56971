//! The tree as a line leaves it, command by command, and what one line may look at.
//!
//! In: the facts about the tree before the line, and what its commands do to it. Out: judgements
//! about paths as a later command would find them; where that cannot be known, the answer is to ask.
//! Never looks at a file itself.

mod code;
mod effect;

pub(super) use code::{is_code, is_text};
pub(super) use effect::{Content, Effect};

use super::context::Judged;
use super::objection::{Objection, Rule};
use crate::{GlobMatches, ListingBudget, PathConcern, PathFacts, PathJudgement, PathKind, PathUse};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

/// The most words that the patterns of a line may stand for together.
const MAX_WORDS: usize = 4096;
/// The most different paths of a line that are judged.
const MAX_JUDGED: usize = 8192;
/// Files and folders by which git knows a repository, or which it obeys.
const GIT_MARKS: &[&str] =
    &["HEAD", "objects", "refs", "commondir", "gitdir", "config", "hooks", "info", "attributes"];

/// The tree of one line.
pub(super) struct LineTree<'a> {
    facts: &'a dyn PathFacts,
    effects: RefCell<Vec<Effect>>,
    budget: RefCell<ListingBudget>,
    patterns: RefCell<HashMap<String, GlobMatches>>,
    judged: RefCell<HashMap<(String, PathUse), PathJudgement>>,
    words: Cell<usize>,
}

impl<'a> LineTree<'a> {
    /// Starts a line on the tree as it is.
    pub(super) fn new(facts: &'a dyn PathFacts) -> Self {
        Self {
            facts,
            effects: RefCell::default(),
            budget: RefCell::default(),
            patterns: RefCell::default(),
            judged: RefCell::default(),
            words: Cell::new(0),
        }
    }

    /// Adds what a command does, and returns how many effects there were before.
    pub(super) fn add(&self, effects: impl IntoIterator<Item = Effect>) -> usize {
        let mut all = self.effects.borrow_mut();
        let before = all.len();
        all.extend(effects);
        before
    }

    /// Forgets the effects that came after.
    pub(super) fn forget_after(&self, count: usize) {
        self.effects.borrow_mut().truncate(count);
    }

    /// Judges a path as the commands before leave it.
    pub(super) fn judge(&self, path: &str, usage: PathUse) -> PathJudgement {
        if let Some(why) = self.unknown_at(path) {
            let (concern, rule) = (PathConcern::Unknown, "changed_by_the_line");
            return PathJudgement::Ask { concern, rule, why };
        }
        let key = (path.to_owned(), usage);
        let mut judged = self.judged.borrow_mut();
        if let Some(known) = judged.get(&key) {
            return known.clone();
        }
        if judged.len() >= MAX_JUDGED {
            let why = format!("the line names more than {MAX_JUDGED} paths");
            let (concern, rule) = (PathConcern::Unknown, "too_many_paths");
            return PathJudgement::Ask { concern, rule, why };
        }
        let judgement = self.facts.judge(path, usage);
        judged.insert(key, judgement.clone());
        judgement
    }

    /// Tells whether a folder is at a path once the commands before have run.
    pub(super) fn is_folder(&self, path: &str) -> bool {
        let real = self.real(path);
        let made = self.effects.borrow().iter().any(|effect| effect.makes_folder(&real));
        made || self.facts.is_folder(path)
    }

    /// Tells whether a folder is at a path because the line makes it.
    pub(super) fn is_new_folder(&self, path: &str) -> bool {
        self.is_folder(path) && !self.facts.is_folder(path)
    }

    /// Returns what is at a path itself once the commands before have run.
    pub(super) fn kind(&self, path: &str) -> PathKind {
        let real = self.real(path);
        let made = self.effects.borrow().iter().rev().find_map(|effect| effect.kind_of(&real));
        made.unwrap_or_else(|| self.facts.kind(path))
    }

    /// Returns one spelling for all the spellings of a path.
    pub(super) fn real(&self, path: &str) -> String {
        self.facts.real(path)
    }

    /// Tells whether a pattern picks out secrets.
    pub(super) fn picks_secrets(&self, pattern: &str) -> bool {
        self.facts.picks_secrets(pattern)
    }

    /// Tells whether files that may not be read without asking are in a folder or below it.
    pub(super) fn holds_secrets(&self, folder: &str) -> bool {
        self.facts.holds_secrets(folder)
    }

    /// Reads a small text file as it is before the line.
    pub(super) fn text(&self, path: &str) -> Result<Option<String>, String> {
        self.facts.text(path)
    }

    /// Expands a pattern, from the budget of the line.
    pub(super) fn expand(&self, pattern: &str) -> GlobMatches {
        let known = self.patterns.borrow().get(pattern).cloned();
        let matches = known.unwrap_or_else(|| {
            let matches = self.facts.expand(pattern, &mut self.budget.borrow_mut());
            self.patterns.borrow_mut().insert(pattern.to_owned(), matches.clone());
            matches
        });
        if let GlobMatches::Names(names) = &matches {
            self.words.set(self.words.get() + names.len());
            if self.words.get() > MAX_WORDS {
                let why = format!("the patterns of the line stand for more than {MAX_WORDS} words");
                return GlobMatches::Unknown(why);
            }
        }
        matches
    }

    /// Returns the effects of copying what an earlier command made, under its new name.
    pub(super) fn carried(&self, source: &str, target: &str) -> Vec<Effect> {
        let source = self.real(source);
        let effects = self.effects.borrow();
        effects.iter().filter_map(|effect| effect.carried(&source, target)).collect()
    }

    /// Asks where code would run that the line itself wrote or fetched.
    pub(super) fn runs_code(&self, words: &[String], installs: bool) -> Judged {
        for effect in self.effects.borrow().iter() {
            let why = match effect {
                Effect::Everything { by } => format!("`{by}` changes files that are not seen here"),
                Effect::Installed { by } if !installs => {
                    format!("`{by}` fetches code, and this runs it in the same line")
                }
                Effect::File { path, content } if code::matters(path, *content, words, self) => {
                    let path = path.escape_debug();
                    match content {
                        Content::Fetched => {
                            format!("`{path}` is fetched, and this may run it in the same line")
                        }
                        _ => format!("`{path}` is written by this line, and this may run it"),
                    }
                }
                _ => continue,
            };
            return Err(Objection::never(Rule::EarlierCommand, why));
        }
        Ok(())
    }

    /// Asks where git would meet a repository or a submodule that the line itself made.
    pub(super) fn git_looks(&self) -> Judged {
        for effect in self.effects.borrow().iter() {
            let path = match effect {
                Effect::Everything { by } => by,
                Effect::Tree { path, .. } => path,
                Effect::Folder(path) | Effect::File { path, .. }
                    if GIT_MARKS.contains(&last_name(path)) || path.contains(".git") =>
                {
                    path
                }
                _ => continue,
            };
            let path = path.escape_debug();
            let why = format!("after `{path}` in the same line, what git obeys is not known");
            return Err(Objection::never(Rule::EarlierCommand, why));
        }
        Ok(())
    }

    fn unknown_at(&self, path: &str) -> Option<String> {
        let effects = self.effects.borrow();
        if effects.is_empty() {
            return None;
        }
        let real = self.real(path);
        let written = code::plain(path);
        let found = effects.iter().find_map(|effect| match effect {
            Effect::Everything { by } => Some(by),
            _ => effect.hides(&real).or_else(|| effect.hides(&written)),
        })?;
        let (path, found) = (path.escape_debug(), found.escape_debug());
        Some(format!("what is at `{path}` depends on `{found}`, which the line changes before"))
    }
}

pub(super) fn last_name(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}
