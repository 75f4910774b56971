//! How a step of `cargo xtask test` ended when nothing was wrong.
//!
//! In: what the step found. Out: a row of the table, also through a file where the step is a program
//! of its own. Never an error: a step that found something wrong fails.

use anyhow::Context;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// How a step ended when nothing was wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It ran and found nothing wrong; the note goes into the table.
    Passed(String),
    /// It could not run here, for this reason.
    Skipped(String),
}

impl Outcome {
    /// Writes the outcome for the process that waits for it.
    pub fn write(&self, path: &Path) -> anyhow::Result<()> {
        let text = serde_json::to_string(self).context("could not write the outcome")?;
        std::fs::write(path, text).context("could not write the outcome")
    }

    /// Reads what a finished step wrote.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let text = std::fs::read_to_string(path).context("the step left no outcome")?;
        serde_json::from_str(&text).context("could not read the outcome")
    }
}
