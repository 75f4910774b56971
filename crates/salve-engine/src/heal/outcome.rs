//! How a heal ended, and why one could not run.
//!
//! In: nothing. Out: the outcomes of the documents with their fields, and the errors beside them. An
//! outcome says what happened; an error says that nothing could be found out.

use serde::{Deserialize, Serialize};

/// How a heal ended. Any but the first two leave the tree as it was, unless a part was to be kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[must_use]
pub enum Outcome {
    /// The check passed as the code was.
    FirstTrySuccess,
    /// A fix was found and verified.
    Repaired {
        /// How many fixes were tried, this one included.
        attempts: u32,
        /// Whether a rule was learned from it.
        rule_added: bool,
    },
    /// The last model to be asked was not sure enough of its answer.
    RejectedLowConfidence {
        /// What it said of itself.
        confidence: f64,
        /// What is still wrong.
        compiler_error: String,
    },
    /// Everything was tried.
    Exhausted {
        /// How many fixes were tried.
        attempts: u32,
        /// What is still wrong: the error of the last attempt.
        compiler_error: String,
    },
    /// No fix was free, and there is no model.
    NoProvider {
        /// What is still wrong.
        compiler_error: String,
    },
    /// Only pinned fixes may act, and none does.
    ProductionBlocked {
        /// What is still wrong.
        compiler_error: String,
    },
    /// No provider answered.
    ProviderError {
        /// What the provider said, after all attempts.
        message: String,
        /// What is still wrong.
        compiler_error: String,
    },
    /// A breaker ended it.
    Halted {
        /// Which, and why.
        reason: HaltReason,
        /// What is still wrong.
        compiler_error: String,
    },
    /// A person, or a breaker that asks one, interrupted it. Starting it again goes on.
    Paused {
        /// Why.
        reason: HaltReason,
    },
}

/// Why a heal was ended or interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum HaltReason {
    /// The same error ended unhealed too often: a systemic issue.
    Systemic,
    /// The tokens of a heal are used up.
    Tokens,
    /// The budget in money, or of the day or session, is used up.
    Budget,
    /// Catastrophic rollback, and no checkpoint is valid.
    NoCheckpoint,
    /// Commands left too many processes behind.
    Orphans,
    /// The control file says PAUSE.
    ControlFile,
    /// The time for the heal is over.
    TimeLimit,
    /// The user's tree was changed too often meanwhile.
    TreeChanges,
}

impl HaltReason {
    /// Returns whether starting the heal again goes on from there.
    pub const fn is_pause(self) -> bool {
        matches!(self, Self::Tokens | Self::Budget | Self::Orphans | Self::ControlFile)
    }

    /// Says in words what happened.
    pub const fn in_words(self) -> &'static str {
        match self {
            Self::Systemic => {
                "a systemic issue: the same error was not healed several times (`salve heal --reset` forgets that)"
            }
            Self::Tokens => "the tokens for this heal are used up",
            Self::Budget => "the budget is used up",
            Self::NoCheckpoint => "no checkpoint is valid; nothing was touched",
            Self::Orphans => "commands left too many processes behind",
            Self::ControlFile => "`.salve/CONTROL.md` says PAUSE",
            Self::TimeLimit => "the time for this heal is over",
            Self::TreeChanges => "the files were changed again and again meanwhile",
        }
    }
}

impl Outcome {
    /// Returns whether the check passes now.
    pub const fn is_success(&self) -> bool {
        matches!(self, Self::FirstTrySuccess | Self::Repaired { .. })
    }

    /// Returns the name on the wire.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::FirstTrySuccess => "FirstTrySuccess",
            Self::Repaired { .. } => "Repaired",
            Self::RejectedLowConfidence { .. } => "RejectedLowConfidence",
            Self::Exhausted { .. } => "Exhausted",
            Self::NoProvider { .. } => "NoProvider",
            Self::ProductionBlocked { .. } => "ProductionBlocked",
            Self::ProviderError { .. } => "ProviderError",
            Self::Halted { .. } => "Halted",
            Self::Paused { .. } => "Paused",
        }
    }

    /// Returns what is still wrong.
    pub fn compiler_error(&self) -> Option<&str> {
        match self {
            Self::FirstTrySuccess | Self::Repaired { .. } | Self::Paused { .. } => None,
            Self::RejectedLowConfidence { compiler_error, .. }
            | Self::Exhausted { compiler_error, .. }
            | Self::NoProvider { compiler_error }
            | Self::ProductionBlocked { compiler_error }
            | Self::ProviderError { compiler_error, .. }
            | Self::Halted { compiler_error, .. } => Some(compiler_error),
        }
    }
}

/// Why a heal could not run, or its records could not be kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RepairError {
    /// The decisions cannot be written.
    #[error("manifest error: {0}")]
    Manifest(String),
    /// The rules cannot be read.
    #[error("rule cache error: {0}")]
    Rules(String),
    /// A file cannot be read or written.
    #[error("I/O error during repair: {0}")]
    Io(String),
    /// A toolchain is missing or cannot be run.
    #[error("toolchain error: {0}")]
    Toolchain(String),
    /// The workspace is being healed already.
    #[error("another heal of this workspace is in progress{}", .process.map(|id| format!(" (process {id})")).unwrap_or_default())]
    Busy {
        /// By which process, as far as it is known.
        process: Option<u32>,
    },
}

impl From<std::io::Error> for RepairError {
    fn from(error: std::io::Error) -> Self {
        Self::Io(error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Numbers of any precision do not pass through an enum with a tag inside.
    #[test]
    fn an_outcome_is_read_back_as_it_was_written() {
        let error = || "E0308".to_owned();
        for outcome in [
            Outcome::FirstTrySuccess,
            Outcome::Repaired { attempts: 2, rule_added: false },
            Outcome::RejectedLowConfidence { confidence: 0.5, compiler_error: error() },
            Outcome::Exhausted { attempts: 5, compiler_error: error() },
            Outcome::Paused { reason: HaltReason::ControlFile },
        ] {
            let text = serde_json::to_string(&outcome).unwrap();
            assert_eq!(serde_json::from_str::<Outcome>(&text).unwrap(), outcome, "{text}");
        }
    }

    #[test]
    fn r17_only_the_first_two_are_a_success() {
        assert!(Outcome::FirstTrySuccess.is_success());
        assert!(Outcome::Repaired { attempts: 1, rule_added: false }.is_success());
        let exhausted = Outcome::Exhausted { attempts: 1, compiler_error: "x".to_owned() };
        assert!(!exhausted.is_success());
        assert_eq!(exhausted.compiler_error(), Some("x"));
    }

    #[test]
    fn r18_an_error_says_where_it_is_from() {
        for (error, expected) in [
            (RepairError::Manifest("x".to_owned()), "manifest error: x"),
            (RepairError::Rules("x".to_owned()), "rule cache error: x"),
            (RepairError::Io("x".to_owned()), "I/O error during repair: x"),
            (RepairError::Toolchain("x".to_owned()), "toolchain error: x"),
        ] {
            assert_eq!(error.to_string(), expected);
        }
    }
}
