//! A rule on an example that is known.
//!
//! In: a rule and an accepted fix. Out: whether the rule proposes anything for the broken text, and whether
//! its first proposal is the fix, blanks and comments aside. Never runs a check.

use super::context::{Case, keys};
use super::fit::{edits, fittings};
use super::rule::{FixExample, FixRule, RuleBody, RuleKey};
use super::tokens::Tokens;
use salve_types::Language;
use serde::{Deserialize, Serialize};

/// What a rule does on examples that are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Replay {
    /// On how many it proposes something.
    pub fired: u32,
    /// On how many its first proposal is the fix.
    pub right: u32,
}

/// Replays a rule on one example; nothing is counted where the example is of another key.
pub fn replay(rule: &FixRule, example: &FixExample) -> Replay {
    KnownFixes::of(std::slice::from_ref(example)).replay(rule)
}

/// Accepted fixes that many rules are replayed on, each read once.
pub(super) struct KnownFixes<'a>(Vec<(Vec<RuleKey>, Language, Prepared<'a>)>);

impl<'a> KnownFixes<'a> {
    pub(super) fn of(examples: &'a [FixExample]) -> Self {
        let read = |example: &'a FixExample| {
            let keys = keys(example.diagnostics.first()?).to_vec();
            Some((keys, example.language(), Prepared::of(example)?))
        };
        Self(examples.iter().filter_map(read).collect())
    }

    /// Returns what a rule does on each example of its key.
    pub(super) fn each(&self, rule: &FixRule) -> impl Iterator<Item = Replay> {
        let its = self
            .0
            .iter()
            .filter(|(keys, language, _)| *language == rule.language && keys.contains(&rule.key));
        its.map(|(.., prepared)| prepared.replay(rule))
    }

    /// Returns what a rule does on all of them.
    pub(super) fn replay(&self, rule: &FixRule) -> Replay {
        self.each(rule).fold(Replay::default(), |all, one| Replay {
            fired: all.fired + one.fired,
            right: all.right + one.right,
        })
    }
}

/// An example made ready to be replayed on.
pub(super) struct Prepared<'a> {
    before: Case<'a>,
    after: Tokens<'a>,
}

impl<'a> Prepared<'a> {
    pub(super) fn of(example: &'a FixExample) -> Option<Self> {
        let language = example.language();
        let before = Case::of(example.diagnostics.first()?, &example.before, language)?;
        Some(Self { before, after: Tokens::of(&example.after, language)? })
    }

    pub(super) fn replay(&self, rule: &FixRule) -> Replay {
        let right = match &rule.body {
            RuleBody::Token(body) => fittings(body, &self.before)
                .first()
                .map(|fitting| fitting.makes(&self.before.tokens, &self.after)),
            _ => edits(rule, &self.before).first().map(|edit| {
                let made = edit.applied(self.before.tokens.text);
                made.is_some_and(|text| self.is_fixed(&text))
            }),
        };
        match right {
            Some(right) => Replay { fired: 1, right: u32::from(right) },
            None => Replay::default(),
        }
    }

    /// Returns whether a text is the fixed one, blanks and comments aside.
    pub(super) fn is_fixed(&self, text: &str) -> bool {
        self.after.is_same(text)
    }
}
