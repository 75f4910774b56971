//! The rules of the policy by name, and what one of them objects to.
//!
//! In: nothing. Out: the vocabulary of a refusal. Never decides anything.

use crate::ShellRule;
use serde::{Serialize, Serializer};

/// The rule that decided about a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Rule {
    /// Every command is on the list, with nothing against it.
    Listed,
    /// The line is too long, or holds characters that deceive.
    Input,
    /// The line is outside of the shell subset.
    Grammar,
    /// A word would still have to be computed by a shell.
    Word,
    /// The name of a command is quoted, a path, or has assignments before it.
    Name,
    /// A command is not on the list.
    NotListed,
    /// A command deletes, or runs another one out of sight.
    Never,
    /// A rule that a person wrote forbids a command.
    Denied,
    /// There are more commands or words than are judged.
    TooMany,
    /// A redirection leads somewhere it may not.
    Redirection,
    /// A flag is not in the table of its program.
    UnknownFlag,
    /// A flag is known, and known to need a person.
    Flag,
    /// A value or operand needs a person.
    Argument,
    /// The repository makes git start programs.
    Repository,
    /// The command would wait for input that never comes.
    WaitsForInput,
    /// A path leads out of the workspace, or to a place that is protected.
    Outside,
    /// A file holds secrets.
    Secret,
    /// An unquoted pattern is in a place where its matches could be taken for flags.
    Glob,
    /// An earlier command of the line changes what this one finds or runs.
    EarlierCommand,
}

impl Rule {
    /// Lists every rule.
    pub const ALL: &[Self] = &[
        Self::Listed,
        Self::Input,
        Self::Grammar,
        Self::Word,
        Self::Name,
        Self::NotListed,
        Self::Never,
        Self::Denied,
        Self::TooMany,
        Self::Redirection,
        Self::UnknownFlag,
        Self::Flag,
        Self::Argument,
        Self::Repository,
        Self::WaitsForInput,
        Self::Outside,
        Self::Secret,
        Self::EarlierCommand,
        Self::Glob,
    ];

    /// Returns the name: the number of the policy and a word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Listed => "listed",
            Self::Input => "P0_input",
            Self::Grammar => "P1_grammar",
            Self::Word => "P2_word",
            Self::Name => "P3_name",
            Self::NotListed => "P4_not_listed",
            Self::Never => "P4_never",
            Self::Denied => "P4_denied",
            Self::TooMany => "P4_too_many",
            Self::Redirection => "P5_redirection",
            Self::UnknownFlag => "P6_unknown_flag",
            Self::Flag => "P6_flag",
            Self::Argument => "P6_argument",
            Self::Repository => "P6_repository",
            Self::WaitsForInput => "P6_waits_for_input",
            Self::Outside => "P7_outside",
            Self::Secret => "P7_secret",
            Self::EarlierCommand => "P7_earlier_command",
            Self::Glob => "P8_glob",
        }
    }
}

impl From<ShellRule> for Rule {
    fn from(rule: ShellRule) -> Self {
        match rule {
            ShellRule::P0 => Self::Input,
            ShellRule::P1 => Self::Grammar,
            ShellRule::P2 => Self::Word,
            ShellRule::P3 => Self::Name,
            ShellRule::P4 => Self::TooMany,
            ShellRule::P5 => Self::Redirection,
        }
    }
}

impl Serialize for Rule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// What speaks against a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Objection {
    pub(super) rule: Rule,
    pub(super) why: String,
    /// How many leading words an entry of the list must hold so that a person has agreed to this;
    /// absent where no entry can.
    pub(super) entry_words: Option<usize>,
}

impl Objection {
    /// Makes an objection that no entry of the list can lift.
    pub(super) fn never(rule: Rule, why: impl Into<String>) -> Self {
        Self { rule, why: why.into(), entry_words: None }
    }

    /// Makes an objection that an entry with this many leading words lifts.
    pub(super) fn unless_listed(rule: Rule, words: usize, why: impl Into<String>) -> Self {
        Self { rule, why: why.into(), entry_words: Some(words) }
    }
}
