//! A paid call: by what it is known again, and the outcome.
//!
//! In: the text of a key, the word of an outcome. Out: values that ledgers, steps and statistics
//! share. Never the call itself: its texts are in the ledger.

use crate::JobId;
use serde::{Deserialize, Serialize};
use std::fmt;

/// By what a paid call is known again after a restart.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CallKey(String);

/// How the signals begin that decide about a call in doubt.
const RESOLVE: &str = "resolve.";

impl CallKey {
    /// Takes the text of a key.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Returns the job whose step makes the call, if the key is one of a step: it begins with it.
    pub fn job(&self) -> Option<JobId> {
        JobId::new(self.0.split_once(':')?.0).ok()
    }

    /// Returns the signal that a step waits for while the end of this call is unknown.
    pub fn resolve_signal(&self) -> String {
        let hash = self.0.rsplit_once(':').map_or(self.as_str(), |(_, hash)| hash);
        format!("{RESOLVE}{hash}")
    }

    /// Returns whether a signal is one that [`resolve_signal`](Self::resolve_signal) made.
    pub fn is_resolve_signal(signal: &str) -> bool {
        signal.starts_with(RESOLVE)
    }

    /// Returns the key as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CallKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(&self.0)
    }
}

/// The outcome of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CallOutcome {
    /// The answer was whole as it came.
    Whole,
    /// It became whole.
    Healed,
    /// It did not.
    Incomplete,
    /// There was one; the process that asked has yet to judge it.
    Answered,
    /// There was none.
    #[default]
    Failed,
    /// The process that asked went away.
    Abandoned,
    /// It was unknown, and a person decided.
    Resolved,
}

impl CallOutcome {
    /// Returns whether the text of the answer is whole and valid.
    pub const fn is_whole(self) -> bool {
        matches!(self, Self::Whole | Self::Healed)
    }

    /// Returns the word of it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::Healed => "healed",
            Self::Incomplete => "incomplete",
            Self::Answered => "answered",
            Self::Failed => "failed",
            Self::Abandoned => "abandoned",
            Self::Resolved => "resolved",
        }
    }

    /// Reads the word of it.
    pub fn from_name(name: &str) -> Option<Self> {
        use CallOutcome::{Abandoned, Answered, Failed, Healed, Incomplete, Resolved, Whole};
        [Whole, Healed, Incomplete, Answered, Failed, Abandoned, Resolved]
            .into_iter()
            .find(|outcome| outcome.name() == name)
    }
}
