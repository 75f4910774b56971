//! What a heal is started with, as values that a history can hold.
//!
//! In: arguments and settings, read by the caller. Out: the same, serialisable. Never a text of a file.

use super::CommandConsent;
use super::machine::HealOptions;
use salve_types::Severity;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What is to be healed, and how.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HealInput {
    /// The root of the workspace.
    pub root: PathBuf,
    /// The folder that commands are started in, relative to the root; empty at the top.
    #[serde(default)]
    pub here: String,
    /// The user's own command that must pass; the project's own checks when empty.
    #[serde(default)]
    pub command: Vec<String>,
    /// The toolchains that are run, by their ids; all that apply when empty.
    #[serde(default)]
    pub targets: Vec<String>,
    /// The files and folders to check, relative to the root; all when empty.
    #[serde(default)]
    pub scope: Vec<String>,
    /// The mildest severity that makes a check red.
    #[serde(default = "errors")]
    pub fail_on: Severity,
    /// What may act, and the limits.
    #[serde(default)]
    pub options: HealOptions,
    /// What is done with a fix that passes.
    #[serde(default)]
    pub then: Then,
    /// How long it may take, in seconds.
    #[serde(default = "an_hour")]
    pub time_limit: u64,
    /// Which commands of fixes may run.
    #[serde(default)]
    pub commands: CommandConsent,
    /// An edit that an agent proposed, in any format, with its name: `(agent, text)`.
    #[serde(default)]
    pub proposal: Option<(String, String)>,
}

/// What is done with a fix that passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Then {
    /// It is applied.
    #[default]
    Apply,
    /// It is shown, and nothing is written.
    Show,
}

const fn errors() -> Severity {
    Severity::Error
}

const fn an_hour() -> u64 {
    3600
}

impl HealInput {
    /// Returns the command that must pass, for people and prompts.
    pub fn command_line(&self) -> String {
        if self.command.is_empty() { "salve check".to_owned() } else { self.command.join(" ") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_root_is_enough() {
        let input: HealInput = serde_json::from_str(r#"{"root": "/w"}"#).unwrap();
        assert_eq!(input.options, HealOptions::default());
        assert_eq!(
            (input.fail_on, input.then, input.time_limit),
            (Severity::Error, Then::Apply, 3600)
        );
        let few: HealInput =
            serde_json::from_str(r#"{"root": "/w", "options": {"tokens": 7, "partial": true}}"#)
                .unwrap();
        assert_eq!(few.options, HealOptions { tokens: 7, partial: true, ..HealOptions::default() });
    }
}
