//! What is going to be executed: the parsed line and nothing else.
//!
//! In: a command line that was parsed and judged, or an argument vector that Salve itself built.
//! Out: the same words that are shown, logged and executed. Never holds anything that a shell would
//! still have to read.

use serde::{Deserialize, Serialize};

/// Everything one line starts, in order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The pipelines; the joiner of the first is [`Joiner::Then`].
    pub pipelines: Vec<PlannedPipeline>,
}

/// Commands whose outputs and inputs are connected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedPipeline {
    /// When it starts, seen from the pipeline before it.
    pub joiner: Joiner,
    /// The commands, from the one that writes first.
    pub commands: Vec<PlannedCommand>,
}

/// How a pipeline follows the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Joiner {
    /// `;`: whatever happened before.
    Then,
    /// `&&`: if what ran last succeeded.
    And,
    /// `||`: if what ran last failed.
    Or,
}

/// One program with its final words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedCommand {
    /// The program and its arguments, with quotes resolved and patterns expanded.
    pub argv: Vec<String>,
    /// Where its streams go, in the order written.
    pub redirects: Vec<PlannedRedirect>,
}

/// One redirection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedRedirect {
    /// The descriptor that is redirected: 0, 1 or 2.
    pub descriptor: u8,
    /// Where it goes.
    pub target: RedirectTarget,
}

/// Where a redirected descriptor goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RedirectTarget {
    /// `< path`.
    Read(String),
    /// `> path`: the file is emptied first.
    Write(String),
    /// `>> path`.
    Append(String),
    /// `2>&1`: wherever that descriptor goes now.
    Same(u8),
}

impl Plan {
    /// Makes the plan that starts one program with these words.
    pub fn of_argv<S: Into<String>>(argv: impl IntoIterator<Item = S>) -> Self {
        let argv = argv.into_iter().map(Into::into).collect();
        let command = PlannedCommand { argv, redirects: Vec::new() };
        Self { pipelines: vec![PlannedPipeline { joiner: Joiner::Then, commands: vec![command] }] }
    }

    /// Iterates over every command, in order.
    pub fn commands(&self) -> impl Iterator<Item = &PlannedCommand> {
        self.pipelines.iter().flat_map(|pipeline| &pipeline.commands)
    }
}
