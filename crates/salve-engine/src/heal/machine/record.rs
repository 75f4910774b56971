//! What a heal did, for people and for the tables.
//!
//! In: what the loop decided. Out: one record for each attempt, and flags for review. Never a decision.

use super::Confidence;
use crate::heal::FixSource;
use crate::heal::gates::GateRefusal;
use salve_model::Role;
use serde::{Deserialize, Serialize};

/// One attempt: a candidate that was tried or refused, or an answer without one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Attempt {
    /// Counted from one.
    pub number: u32,
    /// Where the fix is from.
    pub source: FixSource,
    /// Which model made it.
    pub role: Option<Role>,
    /// Who made it.
    pub author: String,
    /// What it does.
    pub description: String,
    /// The hash of what it does; empty when there was no fix in the answer.
    pub hash: String,
    /// How sure the model was.
    pub confidence: Confidence,
    /// What happened.
    pub result: AttemptResult,
    /// How many errors remained after it, where it was checked.
    pub errors_left: Option<u32>,
    /// The tokens of the answer it is from, at the first candidate of it.
    pub tokens: u64,
    /// How long it took in milliseconds: its check, and before that the answer it is from, at the first
    /// candidate of it.
    #[serde(default)]
    pub milliseconds: u64,
}

/// What happened to an attempt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AttemptResult {
    /// It passes everything.
    Healed,
    /// It helped. Whether it is the one that is taken is not known yet, or another one helped more or is
    /// smaller.
    Helped,
    /// Fewer errors and none that is new: the next attempt starts from it.
    Progress,
    /// As many errors as before, or more.
    NoProgress,
    /// It brings errors that were not there.
    NewErrors(Vec<String>),
    /// The failing check passes, but these builds or tests fail now.
    BreaksOthers(Vec<String>),
    /// A gate refused it.
    Refused(GateRefusal),
    /// It was tried before, or leads back to a state that was.
    Repeated,
    /// The model is not sure enough.
    LowConfidence(f64),
    /// What the model said of its confidence is no number from 0 to 1.
    UnusableConfidence(String),
    /// There was no fix in the answer.
    NoFix(String),
    /// A person would have to allow its commands.
    NeedsApproval(Vec<String>),
    /// It could not be tried.
    NotTried(String),
}

impl AttemptResult {
    /// Returns its name in records.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Healed => "healed",
            Self::Helped => "helped",
            Self::Progress => "progress",
            Self::NoProgress => "no_progress",
            Self::NewErrors(_) => "new_errors",
            Self::BreaksOthers(_) => "breaks_others",
            Self::Refused(_) => "refused",
            Self::Repeated => "repeated",
            Self::LowConfidence(_) => "low_confidence",
            Self::UnusableConfidence(_) => "unusable_confidence",
            Self::NoFix(_) => "no_fix",
            Self::NeedsApproval(_) => "needs_approval",
            Self::NotTried(_) => "not_tried",
        }
    }

    /// Returns whether it helped.
    pub const fn helped(&self) -> bool {
        matches!(self, Self::Healed | Self::Helped | Self::Progress)
    }

    /// Returns whether a check said so: what was refused or could not be tried proves nothing.
    pub const fn was_checked(&self) -> bool {
        self.helped()
            || matches!(self, Self::NoProgress | Self::NewErrors(_) | Self::BreaksOthers(_))
    }

    /// Returns whether the same fix of the same files is of no use in a later heal either. A test that fails
    /// now may be one that fails sometimes; what a person did not allow they may allow then.
    pub const fn proves_no_use(&self) -> bool {
        matches!(self, Self::NoProgress | Self::NewErrors(_) | Self::Refused(_))
    }

    /// Says in words what happened.
    pub fn in_words(&self) -> String {
        match self {
            Self::Healed => "everything passes".to_owned(),
            Self::Helped => "helps".to_owned(),
            Self::Progress => "fewer errors remain".to_owned(),
            Self::NoProgress => "as many errors remain".to_owned(),
            Self::NewErrors(new) => format!("new errors: {}", new.join("; ")),
            Self::BreaksOthers(names) => format!("now fails: {}", names.join(", ")),
            Self::Refused(refusal) => format!("refused: {refusal}"),
            Self::Repeated => "was tried before".to_owned(),
            Self::LowConfidence(number) => format!("the model is not sure of it ({number})"),
            Self::UnusableConfidence(said) => format!("its confidence `{said}` is not from 0 to 1"),
            Self::NoFix(why) => format!("no fix in the answer: {why}"),
            Self::NeedsApproval(lines) => {
                format!("needs a person's approval: `{}`", lines.join("`, `"))
            }
            Self::NotTried(why) => format!("could not be tried: {why}"),
        }
    }
}

/// What a person should look at; the heal goes on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Flag {
    /// A file was changed again and again.
    ManyChanges {
        /// The file.
        path: String,
    },
    /// A fix brought errors that were not there; it was rolled back.
    NewErrors {
        /// Which attempt.
        attempt: u32,
        /// Their headlines.
        errors: Vec<String>,
    },
    /// A fix of the failing check broke something else; it was rolled back.
    BreaksOthers {
        /// Which attempt.
        attempt: u32,
        /// What fails now.
        names: Vec<String>,
    },
    /// A test failed and passed on one tree; it was counted as neither.
    Flaky {
        /// The test.
        name: String,
    },
}

impl Flag {
    /// Says in words what to look at.
    pub fn in_words(&self) -> String {
        match self {
            Self::ManyChanges { path } => format!("`{path}` was changed again and again"),
            Self::NewErrors { attempt, errors } => {
                format!("attempt {attempt} brought new errors: {}", errors.join("; "))
            }
            Self::BreaksOthers { attempt, names } => {
                format!("attempt {attempt} broke {}", names.join(", "))
            }
            Self::Flaky { name } => format!("the test {name} fails and passes on one tree"),
        }
    }
}
