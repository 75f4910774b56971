//! The manifest of a workflow: blocks, their workers, and where each signal leads.
//!
//! In: the text of a `workflows.json`. Out: a [`FlowManifest`] in which every name exists and every block is
//! reached, or every [`Problem`] with its place. Never runs anything.

mod blocks;
mod names;
mod problem;
mod reach;
mod read;
mod strip;
#[cfg(test)]
mod tests;
mod worker;

pub use problem::{Broken, Problem, ProblemCode};
pub use worker::{Worker, WorkerOptions};

use super::payload::MergeRule;
use salve_types::{Signal, SpendLimit};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The manifest that is used where none is named: the validation-fix cycle of the documents.
pub const DEFAULT_MANIFEST: &str = include_str!("manifest/default.json");

/// The block that ends a flow well.
pub const END: &str = "Core_Halt__Success";
/// The block that ends a flow after an error that no block handles.
pub const HALT: &str = "Core_Halt__UnhandledError";
/// The block that writes what was made.
pub const WRITE: &str = "Core_IO__WriteArtifacts";

/// The blocks that every manifest has, unless it defines one of the same name itself.
pub const BUILT_IN: [&str; 3] = [WRITE, HALT, END];

/// A workflow that can be run: every name in it exists.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FlowManifest {
    /// What it is for, where its author says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The block it begins with.
    pub start: String,
    /// The blocks, in the order of the file; built-in ones that are used come last.
    pub blocks: Vec<FlowBlock>,
    /// Schemas of its own, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub schemas: BTreeMap<String, Value>,
    /// How far it may go.
    pub limits: Limits,
}

/// One block.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FlowBlock {
    /// Its name, without `Block:`.
    pub name: String,
    /// The node it is in, where the manifest has nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// Who does its work.
    pub worker: Worker,
    /// What the worker is told beside the payload.
    #[serde(default)]
    pub options: WorkerOptions,
    /// The schema its output must fit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// Which segments the next block sees.
    #[serde(default)]
    pub merge: MergeRule,
    /// Where each signal leads, in the order of the file.
    pub transitions: Vec<Transition>,
}

/// Where a signal leads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transition {
    /// The signal.
    pub on_signal: Signal,
    /// The block that is next, without `Block:`.
    pub to: String,
}

/// How far a flow may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// How often an output that does not fit is asked for again, one block at a time.
    pub reworks: u32,
    /// How often one block may run.
    pub runs_per_block: u32,
    /// How many blocks may run in all.
    pub runs: u32,
    /// What all calls of models together may take.
    pub budget: SpendLimit,
}

impl Default for Limits {
    fn default() -> Self {
        let budget = SpendLimit { tokens: Some(50_000), micro_dollars: None };
        Self { reworks: 3, runs_per_block: 10, runs: 100, budget }
    }
}

impl FlowManifest {
    /// Returns a block by its name, with or without `Block:`.
    pub fn block(&self, name: &str) -> Option<&FlowBlock> {
        let name = bare(name);
        self.blocks.iter().find(|block| block.name == name)
    }
}

impl FlowBlock {
    /// Returns where a signal leads.
    pub fn target(&self, signal: Signal) -> Option<&str> {
        let found = self.transitions.iter().find(|transition| transition.on_signal == signal);
        found.map(|transition| transition.to.as_str())
    }
}

impl FlowManifest {
    /// Lists what a person may want to know of a manifest that can be run: blocks whose failures nothing handles.
    pub fn notes(&self) -> Vec<String> {
        let bare = self.blocks.iter().filter(|block| {
            block.worker != Worker::Halt && block.target(Signal::FailDefault).is_none()
        });
        bare.map(|block| {
            let name = &block.name;
            format!("`{name}` has no transition on SIGNAL:FAIL_DEFAULT; a signal without one halts the flow there")
        })
        .collect()
    }
}

/// Loads a manifest.
///
/// # Errors
/// When anything in it is wrong: everything that is, each with its place.
pub fn load(text: &str) -> Result<FlowManifest, Broken> {
    read::read(text).map_err(Broken::new)
}

/// Returns a block's name without `Block:`.
pub(super) fn bare(name: &str) -> &str {
    name.strip_prefix("Block:").unwrap_or(name)
}
