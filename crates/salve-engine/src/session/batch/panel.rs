//! A batch at a glance, for faces that draw it.
//!
//! In: a batch. Out: counts, rows and what comes next. Never draws anything.

use super::{BatchState, CommandBatch};
use crate::session::one_line::short_line;
use serde::Serialize;

/// What a face shows of a batch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BatchPanel {
    /// Runs that succeeded.
    pub succeeded: u32,
    /// Runs that failed; the bar is red when there is one.
    pub failed: u32,
    /// Commands of the answer that are over.
    pub done: usize,
    /// Commands of the answer.
    pub total: usize,
    /// How far it is, of 100.
    pub percent: usize,
    /// What ran or was skipped, in order.
    pub rows: Vec<PanelRow>,
    /// What is left, whole.
    pub next: Vec<String>,
}

/// One command of a panel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PanelRow {
    /// `✓`, `✗`, or `-` for what was skipped.
    pub mark: &'static str,
    /// The line.
    pub command: String,
    /// A line of what it wrote.
    pub preview: String,
}

/// The most characters of a preview.
const PREVIEW: usize = 80;

/// Returns the last line of an output that says something.
pub(super) fn preview_of(output: &str) -> String {
    let last = output.lines().rev().find(|line| !line.trim().is_empty());
    short_line(last.unwrap_or_default(), PREVIEW)
}

impl CommandBatch {
    /// Returns the batch at a glance.
    #[must_use]
    pub fn panel(&self) -> BatchPanel {
        // What a model is asked about has run; whether it is tried again is open.
        let has_ended = matches!(self.state, BatchState::Asking { .. });
        let done = (self.at + usize::from(has_ended)).min(self.commands.len());
        let row = |run: &super::BatchRun| PanelRow {
            mark: match run.succeeded {
                Some(true) => "✓",
                Some(false) => "✗",
                None => "-",
            },
            command: run.command.clone(),
            preview: run.preview.clone(),
        };
        BatchPanel {
            succeeded: self.tally.succeeded,
            failed: self.tally.failed,
            done,
            total: self.commands.len(),
            percent: (done * 100).checked_div(self.commands.len()).unwrap_or(100),
            rows: self.runs.iter().map(row).collect(),
            next: self.remaining(),
        }
    }
}
