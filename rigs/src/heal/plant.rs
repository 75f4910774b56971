//! Planting one fault into a real source.
//!
//! In: the sources of a project, a class of faults, a seed. Out: places where such a fault can be planted,
//! in a repeatable order, each a single change of one place with its inverse. Never looks at how the
//! product heals, and never says that a fault matters: only the project's own check does.

mod calls;
mod conditions;
mod layout;
mod names;

use super::tokens::Source;
use crate::corpus::Random;
use std::collections::BTreeMap;
use std::ops::Range;

/// What is done to the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    MisspeltName,
    LostImport,
    LostToken,
    WrongType,
    LostBorrow,
    MissingArm,
    Indentation,
    Signature,
    Condition,
}

impl Class {
    /// Lists them all.
    pub(crate) const ALL: [Self; 9] = [
        Self::MisspeltName,
        Self::LostImport,
        Self::LostToken,
        Self::WrongType,
        Self::LostBorrow,
        Self::MissingArm,
        Self::Indentation,
        Self::Signature,
        Self::Condition,
    ];

    /// Returns its name in the table.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::MisspeltName => "misspelt name",
            Self::LostImport => "lost import",
            Self::LostToken => "lost token",
            Self::WrongType => "wrong type or argument",
            Self::LostBorrow => "lost & mut clone",
            Self::MissingArm => "missing arm",
            Self::Indentation => "wrong indentation",
            Self::Signature => "changed signature",
            Self::Condition => "inverted condition",
        }
    }
}

/// One change of one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) class: Class,
    /// What of the class it is; one of each is planted before a second.
    pub(crate) kind: String,
    pub(crate) path: String,
    pub(crate) at: usize,
    pub(crate) old: String,
    pub(crate) new: String,
}

impl Fault {
    /// Returns the file with the fault in it; nothing where the place is not as it was.
    pub(crate) fn plant(&self, text: &str) -> Option<String> {
        replace(text, self.at, &self.old, &self.new)
    }

    /// Returns the file without the fault.
    #[cfg(test)]
    fn repair(&self, text: &str) -> Option<String> {
        replace(text, self.at, &self.new, &self.old)
    }
}

fn replace(text: &str, at: usize, old: &str, new: &str) -> Option<String> {
    let rest = text.get(at..)?.strip_prefix(old)?;
    Some(format!("{}{new}{rest}", text.get(..at)?))
}

/// Where faults are collected.
struct Places<'a> {
    source: &'a Source,
    class: Class,
    faults: Vec<Fault>,
}

impl Places<'_> {
    /// Replaces a place of the source.
    fn add(&mut self, kind: &str, at: Range<usize>, new: &str) {
        let Some(old) = self.source.text.get(at.clone()) else { return };
        if old != new {
            self.faults.push(Fault {
                class: self.class,
                kind: kind.to_owned(),
                path: self.source.path.clone(),
                at: at.start,
                old: old.to_owned(),
                new: new.to_owned(),
            });
        }
    }

    /// Replaces one token.
    fn token(&mut self, kind: &str, index: usize, new: &str) {
        if let Some(token) = self.source.tokens.get(index) {
            self.add(kind, token.at.clone(), new);
        }
    }
}

/// Returns every place for a class of faults, its kinds in turn, in the order of the seed.
pub(crate) fn places(sources: &[Source], class: Class, random: &Random) -> Vec<Fault> {
    let mut random = random.for_name(class.name());
    let calls = calls::counts(sources);
    let mut kinds: BTreeMap<String, Vec<Fault>> = BTreeMap::new();
    for source in sources {
        let mut places = Places { source, class, faults: Vec::new() };
        match class {
            Class::MisspeltName => names::misspelt(&mut places, &mut random),
            Class::LostImport => names::lost_import(&mut places, &mut random),
            Class::LostToken => layout::lost_token(&mut places),
            Class::WrongType => calls::wrong_argument(&mut places),
            Class::LostBorrow => names::lost_borrow(&mut places),
            Class::MissingArm => layout::missing_arm(&mut places),
            Class::Indentation => layout::indentation(&mut places),
            Class::Signature => calls::signature(&mut places, &calls),
            Class::Condition => conditions::inverted(&mut places),
        }
        for fault in places.faults {
            kinds.entry(fault.kind.clone()).or_default().push(fault);
        }
    }
    let mut kinds: Vec<Vec<Fault>> = kinds.into_values().collect();
    kinds.iter_mut().for_each(|faults| random.shuffle(faults));
    random.shuffle(&mut kinds);
    let mut taken = Vec::new();
    let longest = kinds.iter().map(Vec::len).max().unwrap_or(0);
    for row in 0..longest {
        taken.extend(kinds.iter().filter_map(|faults| faults.get(row).cloned()));
    }
    taken
}

/// Returns whether a word is one that a language keeps for itself.
pub(crate) fn is_keyword(word: &str) -> bool {
    names::KEYWORDS.contains(&word)
}

/// Returns whether the token lies in code that only tests see.
fn is_test_code(source: &Source, index: usize) -> bool {
    let at = source.tokens.get(index).map_or(0, |token| token.at.start);
    source.text.find("#[cfg(test)]").is_some_and(|first| first <= at)
}

#[cfg(test)]
mod tests;
