//! A fix as it is proposed, before anything is known of whether it holds.
//!
//! In: what a fixer, an agent, a rule or a model proposes. Out: plain data that the gates judge and the
//! shadow tries. Never a claim that it works: only the check says that.

use super::TextChange;
use serde::{Deserialize, Serialize};

/// Where a fix is from, in the order in which sources are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FixSource {
    /// A free fixer: a tool's own suggestion, or what follows from its words and the code.
    Fixer,
    /// The agent that reported the error proposed it.
    Proposal,
    /// A rule that a person pinned.
    PinnedRule,
    /// A fix that held before, in this project.
    Pattern,
    /// A rule learned from fixes that held.
    Rule,
    /// A fix that held before, elsewhere.
    Memory,
    /// A model.
    Model,
}

impl FixSource {
    /// Lists them all, in order.
    pub const ALL: [Self; 7] = [
        Self::Fixer,
        Self::Proposal,
        Self::PinnedRule,
        Self::Pattern,
        Self::Rule,
        Self::Memory,
        Self::Model,
    ];

    /// Returns its name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fixer => "fixer",
            Self::Proposal => "proposal",
            Self::PinnedRule => "pinned_rule",
            Self::Pattern => "pattern",
            Self::Rule => "rule",
            Self::Memory => "memory",
            Self::Model => "model",
        }
    }
}

/// What vouches for the extent of a fix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FixOrigin {
    /// The toolchain itself proposed these very changes, or its formatter made them. Their size is not
    /// limited.
    Tool,
    /// Anything else: it must stay a repair of what the diagnostics speak of.
    Derived,
}

/// A fix as it is proposed. Its places are places in the state it was made for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fix {
    /// Where it is from.
    pub source: FixSource,
    /// Who made it: the name of a fixer (`rustc-suggestion`, `misspelt-name`), an agent or a model.
    pub author: String,
    /// What it does, in a sentence.
    pub description: String,
    /// Who vouches for its extent.
    pub origin: FixOrigin,
    /// What it changes in files; all of it belongs together.
    pub changes: Vec<TextChange>,
    /// What it runs, by the policy, before the check.
    pub commands: Vec<FixCommand>,
    /// Which of the diagnostics it was made for, by their position in the check's list.
    pub answers: Vec<usize>,
}

/// A command that is (part of) a fix, such as adding a dependency.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FixCommand {
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// Where it runs, relative to the workspace; empty at the top.
    pub folder: String,
}
