//! One command under judgement: its words, and what is known about the paths in them.
//!
//! In: the words and the facts. Out: nothing, or an objection. Never looks at a file itself.

mod foreign;

use super::line_tree::LineTree;
use super::objection::{Objection, Rule};
use super::options::{Hazard, Item, Meaning, Style, Table, read_words};
use crate::{PathConcern, PathJudgement, PathKind, PathUse, RepoFacts};

/// What the rules of a program need to know.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    /// The program and its words, patterns expanded.
    pub(super) words: &'a [String],
    /// How many of the words name the program and its subcommand.
    pub(super) named: usize,
    /// How many of the words stand on the list; flags among them are agreed to.
    pub(super) agreed: usize,
    /// Whether a pipe or a redirection feeds standard input.
    pub(super) has_input: bool,
    pub(super) paths: &'a LineTree<'a>,
    pub(super) repository: &'a dyn RepoFacts,
}

/// The answer of a rule.
pub(super) type Judged<T = ()> = Result<T, Objection>;

impl<'a> Context<'a> {
    /// Returns the program.
    pub(super) fn program(&self) -> &'a str {
        self.words.first().map_or("", String::as_str)
    }

    /// Reads flags and operands and judges every value that needs no special rule.
    pub(super) fn items(&self, table: &Table, style: Style) -> Judged<Vec<Item<'a>>> {
        self.items_from(self.named, table, style)
    }

    /// The same from a later word on.
    pub(super) fn items_from(
        &self,
        start: usize,
        table: &Table,
        style: Style,
    ) -> Judged<Vec<Item<'a>>> {
        let items = read_words(table, style, self.words, start, self.agreed)?;
        for item in &items {
            match item {
                Item::Flag { name, meaning: Meaning::Read, value: Some(value), .. } => {
                    self.no_inline_settings(name, value)?;
                    self.read(value)?;
                }
                Item::Flag { meaning: Meaning::Write, value: Some(value), .. } => {
                    self.output(value)?;
                }
                _ => {}
            }
        }
        Ok(items)
    }

    // Many tools take settings themselves where they take a file of them.
    fn no_inline_settings(&self, flag: &str, value: &str) -> Judged {
        let looks_so = value.contains(['{', '=', '"']) || value.starts_with('[');
        if looks_so && self.paths.kind(value) == PathKind::Missing {
            let why = format!("the value of `{flag}` may be settings, and is no file");
            return Err(Objection::never(Rule::Argument, why));
        }
        Ok(())
    }

    /// Judges a file that is read.
    pub(super) fn read(&self, path: &str) -> Judged {
        if matches!(path, "-" | "/dev/null") {
            return Ok(());
        }
        self.path(path, PathUse::Read)
    }

    /// Judges a file or folder that is created, changed or removed.
    pub(super) fn write(&self, path: &str) -> Judged {
        self.path(path, PathUse::Write)
    }

    /// Judges the value of an output flag, which may be standard output or nowhere.
    pub(super) fn output(&self, path: &str) -> Judged {
        if matches!(path, "-" | "/dev/null") {
            return Ok(());
        }
        self.path(path, PathUse::Write)
    }

    /// Judges every operand as a file that is read.
    pub(super) fn read_operands(&self, items: &[Item<'_>]) -> Judged {
        operands(items).try_for_each(|(text, _)| self.read(text))
    }

    /// Judges words whose meaning only the program knows: a test runner's arguments, a script's.
    pub(super) fn foreign_words(&self, words: &[String]) -> Judged {
        words.iter().try_for_each(|word| self.foreign_word(word))
    }

    /// Judges one such word: whatever could be a path in it stays inside, is no secret, and is
    /// nothing that tools obey.
    pub(super) fn foreign_word(&self, word: &str) -> Judged {
        foreign::candidates(word)?.into_iter().try_for_each(|candidate| {
            let text = candidate.text;
            if candidate.leads_away() {
                return self.write(text);
            }
            for usage in [PathUse::Read, PathUse::Write] {
                if let PathJudgement::Ask { concern, rule, why } = self.paths.judge(text, usage)
                    && candidate.counts(concern, usage)
                {
                    return Err(objection(text, concern, rule, &why));
                }
            }
            Ok(())
        })
    }

    /// Asks about a pattern that picks out secrets.
    pub(super) fn no_secret_pattern(&self, pattern: &str) -> Judged {
        if self.paths.picks_secrets(pattern) {
            let why = format!("`{}` picks out files that hold secrets", pattern.escape_debug());
            return Err(Objection::never(Rule::Secret, why));
        }
        Ok(())
    }

    /// Asks when nothing would ever arrive at standard input.
    pub(super) fn needs_input(&self) -> Judged {
        if self.has_input {
            return Ok(());
        }
        let why = format!("`{}` would wait for input, and nothing is connected", self.program());
        Err(Objection::never(Rule::WaitsForInput, why))
    }

    /// Objects, unless an entry of the list holds this many leading words: then a person has agreed.
    pub(super) fn unless_listed(&self, rule: Rule, words: usize, why: String) -> Judged {
        if self.agreed >= words {
            return Ok(());
        }
        Err(Objection::unless_listed(rule, words, why))
    }

    /// Objects to a flag that is known to need a person.
    pub(super) fn hazard(&self, flag: &str, hazard: Hazard, at: usize) -> Judged {
        let why = format!("`{}` {}", flag.escape_debug(), hazard.why());
        if hazard.can_be_listed() {
            return self.unless_listed(Rule::Flag, at + 1, why);
        }
        Err(Objection::never(Rule::Flag, why))
    }

    fn path(&self, path: &str, usage: PathUse) -> Judged {
        if path.is_empty() {
            return Err(Objection::never(Rule::Argument, "an empty word names no file"));
        }
        if path.contains("://") {
            let why = format!("`{}` is an address, where a file belongs", path.escape_debug());
            return Err(Objection::never(Rule::Argument, why));
        }
        match self.paths.judge(path, usage) {
            PathJudgement::Fine => Ok(()),
            PathJudgement::Ask { concern, rule, why } => Err(objection(path, concern, rule, &why)),
        }
    }
}

fn objection(path: &str, concern: PathConcern, rule: &str, why: &str) -> Objection {
    let kind = match concern {
        PathConcern::Secret => Rule::Secret,
        PathConcern::Unknown => Rule::EarlierCommand,
        PathConcern::Outside | PathConcern::Form | PathConcern::Protected => Rule::Outside,
    };
    Objection::never(kind, format!("`{}`: {why} ({rule})", path.escape_debug()))
}

/// Returns the operands with their places.
pub(super) fn operands<'a>(items: &[Item<'a>]) -> impl Iterator<Item = (&'a str, usize)> {
    items.iter().filter_map(|item| match item {
        Item::Operand { text, at, .. } => Some((*text, *at)),
        Item::Flag { .. } => None,
    })
}

/// Tells whether any of these flags was given.
pub(super) fn has_flag(items: &[Item<'_>], names: &[&str]) -> bool {
    items.iter().any(|item| matches!(item, Item::Flag { name, .. } if names.contains(name)))
}

/// Returns the values of the flags that their program judges.
pub(super) fn own_values<'a>(
    items: &[Item<'a>],
) -> impl Iterator<Item = (&'static str, Option<&'a str>, usize)> {
    items.iter().filter_map(|item| match item {
        Item::Flag { name, meaning: Meaning::Own | Meaning::OptionalOwn, value, at } => {
            Some((*name, *value, *at))
        }
        _ => None,
    })
}
