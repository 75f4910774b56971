//! `salve plan`, as data.
//!
//! In: arguments. Out: one value per command, checked by clap. Never acts on it.

use super::FolderArguments;
use clap::{Args, Subcommand, ValueEnum};
use salve_engine::plan::{ExecutionOrder, Granularity};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct PlanArguments {
    #[command(flatten)]
    pub(crate) place: FolderArguments,
    #[command(subcommand)]
    pub(crate) command: PlanCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PlanCommand {
    /// Splits a task into sub-tasks, estimates them and keeps the plan; runs nothing.
    Make(PlanMakeArguments),
    /// Shows a plan: its parts, what each order would take, and what became of it.
    Show(PlanShowArguments),
    /// Changes a plan before it starts: reorders, removes and rewrites parts.
    Edit(PlanEditArguments),
    /// Runs a plan: parts side by side, merged, checked as a whole, written as one change; or goes on with it.
    Run(PlanRunArguments),
    /// Takes one part of a plan out of the files again; the others stay.
    Undo {
        /// The plan: its id, or `last`.
        id: String,
        /// The part.
        task: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct PlanMakeArguments {
    /// What is asked for; from standard input when absent.
    #[arg(short = 'p', long = "prompt", value_name = "TEXT")]
    pub(crate) prompt: Option<String>,
    /// Takes the sub-tasks from this JSON file, in either spelling, and asks no model.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["map", "granularity", "model"])]
    pub(crate) import: Option<PathBuf>,
    /// How finely it is split; `auto` looks at the size of the work and at how often answers were cut before.
    #[arg(long, value_enum, default_value_t = GranularityChoice::Auto)]
    pub(crate) granularity: GranularityChoice,
    /// In which order the parts run: A waits for dependencies, B goes one by one, C starts all at once.
    #[arg(long, value_enum, default_value_t = StrategyChoice::A)]
    pub(crate) strategy: StrategyChoice,
    /// Makes one part for each file that this pattern matches, and asks no model; may be given more than once.
    #[arg(long, value_name = "GLOB")]
    pub(crate) map: Vec<String>,
    /// What a last part does with the results of all files.
    #[arg(long, value_name = "TEXT", requires = "map")]
    pub(crate) reduce: Option<String>,
    /// Who splits it: a role (fast, medium, deep) or `provider/model`. [default: the planner]
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// The session it belongs to.
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct PlanShowArguments {
    /// The plan: its id, or `last` for the newest of this workspace.
    #[arg(default_value = "last")]
    pub(crate) id: String,
    /// Writes each part as a document of its own.
    #[arg(long)]
    pub(crate) documents: bool,
}

#[derive(Debug, Args)]
pub(crate) struct PlanEditArguments {
    /// The plan: its id, or `last` for the newest of this workspace.
    pub(crate) id: String,
    /// Replaces all parts by those of this JSON file, in either spelling; `-` is standard input.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["remove", "reorder", "set", "priority"])]
    pub(crate) file: Option<PathBuf>,
    /// Removes a part, and the dependencies on it; may be given more than once.
    #[arg(long, value_name = "TASK")]
    pub(crate) remove: Vec<String>,
    /// Puts these parts first, in this order.
    #[arg(long, value_name = "TASK,…", value_delimiter = ',')]
    pub(crate) reorder: Vec<String>,
    /// Rewrites what a part is to do; may be given more than once.
    #[arg(long, value_name = "TASK=TEXT", value_parser = pair)]
    pub(crate) set: Vec<(String, String)>,
    /// Changes the priority of a part; 1 goes first.
    #[arg(long, value_name = "TASK=N", value_parser = pair)]
    pub(crate) priority: Vec<(String, String)>,
    /// In which order the parts run.
    #[arg(long, value_enum)]
    pub(crate) strategy: Option<StrategyChoice>,
}

#[derive(Debug, Args)]
pub(crate) struct PlanRunArguments {
    /// The plan: its id, or `last` for the newest of this workspace.
    pub(crate) id: String,
    /// Starts without asking, and writes the merged result when it passes the checks.
    #[arg(long)]
    pub(crate) yes: bool,
    /// In which order the parts run. [default: the plan's own]
    #[arg(long, value_enum)]
    pub(crate) strategy: Option<StrategyChoice>,
    /// How many parts run at once.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub(crate) parallel: u32,
    /// How often a part is tried before you are asked; each time by a deeper model.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=10))]
    pub(crate) attempts: u32,
    /// What all calls of all parts together may cost, in dollars.
    #[arg(long, value_name = "DOLLARS")]
    pub(crate) max_cost: Option<f64>,
    /// How many tokens all calls of all parts together may take.
    #[arg(long, value_name = "TOKENS")]
    pub(crate) max_tokens: Option<u64>,
    /// How many tokens one answer may take; a longer one is continued. [default: the model's own limit]
    #[arg(long, value_name = "TOKENS")]
    pub(crate) answer_tokens: Option<u32>,
    /// Of a plan that waits for you: does this part again, on top of the others; may be given more than once.
    #[arg(long, value_name = "TASK")]
    pub(crate) retry: Vec<String>,
    /// Of a plan that waits for you: leaves this part out; may be given more than once.
    #[arg(long, value_name = "TASK")]
    pub(crate) skip: Vec<String>,
    /// Of a plan that waits for you: gives it up; nothing is written.
    #[arg(long, conflicts_with_all = ["retry", "skip"])]
    pub(crate) cancel: bool,
}

/// How finely a task is split.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum GranularityChoice {
    /// Many small parts.
    Fine,
    /// In between.
    Medium,
    /// Few large parts.
    Coarse,
    /// Decided by the size of the work and by earlier answers.
    Auto,
}

/// The order of the parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum StrategyChoice {
    /// Each as soon as those it depends on are done.
    #[value(name = "a", aliases = ["A", "dependency-graph"])]
    A,
    /// One after the other.
    #[value(name = "b", aliases = ["B", "sequential"])]
    B,
    /// All at once.
    #[value(name = "c", aliases = ["C", "parallel"])]
    C,
}

impl From<GranularityChoice> for Granularity {
    fn from(choice: GranularityChoice) -> Self {
        match choice {
            GranularityChoice::Fine => Self::Fine,
            GranularityChoice::Medium => Self::Medium,
            GranularityChoice::Coarse => Self::Coarse,
            GranularityChoice::Auto => Self::Auto,
        }
    }
}

impl From<StrategyChoice> for ExecutionOrder {
    fn from(choice: StrategyChoice) -> Self {
        match choice {
            StrategyChoice::A => Self::DependencyGraph,
            StrategyChoice::B => Self::Sequential,
            StrategyChoice::C => Self::Parallel,
        }
    }
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (task, value) = text.split_once('=').ok_or("write it as TASK=VALUE")?;
    match (task.trim(), value.trim()) {
        ("", _) | (_, "") => Err("write it as TASK=VALUE".to_owned()),
        (task, value) => Ok((task.to_owned(), value.to_owned())),
    }
}
