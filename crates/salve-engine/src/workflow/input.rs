//! What a workflow is started with and what it ends with, as values that a history can hold.
//!
//! In: arguments, read by the caller. Out: the same, serialisable. Never a text of a file: the request and the trace
//! are in the store, by their ids.

use super::machine::FlowEnd;
use super::manifest::FlowManifest;
use crate::heal::CommandConsent;
use crate::heal::machine::HealOptions;
use crate::jobs::WhichModel;
use salve_types::Signal;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What a workflow is started with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FlowInput {
    /// The root of the workspace.
    pub root: PathBuf,
    /// The folder that commands are started in, relative to the root; empty at the top.
    #[serde(default)]
    pub here: String,
    /// The manifest.
    pub manifest: FlowManifest,
    /// The text of the request.
    pub request: String,
    /// The file that is written, relative to the root.
    pub path: Option<String>,
    /// Who is asked where a block says nothing else.
    #[serde(default)]
    pub model: Option<WhichModel>,
    /// Which commands may run.
    #[serde(default)]
    pub commands: CommandConsent,
    /// What a heal may do.
    #[serde(default)]
    pub heal: HealOptions,
    /// Whether files may be written.
    pub apply: bool,
}

/// One run of a block, as a history holds it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepLine {
    /// The block.
    pub block: String,
    /// Who did it.
    pub worker: String,
    /// Which run of this block, from 1.
    pub run: u32,
    /// How it ended.
    pub signal: Signal,
    /// The block that is next.
    pub next: Option<String>,
}

/// How a workflow ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FlowReport {
    /// How it ended.
    pub end: FlowEnd,
    /// What ran, in order.
    pub steps: Vec<StepLine>,
    /// The file it was about.
    pub path: Option<String>,
    /// The changes that are in force.
    pub changes: Vec<String>,
    /// The changes that were taken back because the flow did not succeed.
    pub taken_back: Vec<String>,
    /// Whether a person would have to allow something.
    pub needs_approval: bool,
    /// Tokens of all calls.
    pub tokens: u64,
    /// Their price in millionths of a dollar.
    pub micro_dollars: u64,
    /// The text of the trace.
    pub trace: String,
    /// What a person should know beside the outcome.
    #[serde(default)]
    pub warnings: Vec<String>,
}

impl FlowReport {
    /// Returns whether it completed.
    pub const fn is_success(&self) -> bool {
        self.end.code.is_none()
    }

    /// Returns how it ended, in a word.
    pub const fn outcome(&self) -> &'static str {
        match self.end.code {
            None => "completed",
            Some(_) if !self.taken_back.is_empty() => "rolled_back",
            Some(_) => "halted",
        }
    }
}
