//! `salve flow`, as data.
//!
//! In: arguments. Out: one value per command, checked by clap. Never acts on it.

use super::FolderArguments;
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct FlowArguments {
    #[command(subcommand)]
    pub(crate) command: FlowCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum FlowCommand {
    /// Runs a workflow: block by block, each a step that survives a crash.
    Run(Box<FlowRunArguments>),
    /// Checks a manifest and shows everything that is wrong with it, each with its place.
    Check(ManifestArguments),
    /// Draws a workflow, as text or SVG.
    Graph(FlowGraphArguments),
}

#[derive(Debug, Args)]
pub(crate) struct ManifestArguments {
    /// The manifest, such as `workflows.json`; the one that Salve ships when absent.
    #[arg(value_name = "FILE")]
    pub(crate) manifest: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct FlowGraphArguments {
    #[command(flatten)]
    pub(crate) manifest: ManifestArguments,
    /// Writes SVG.
    #[arg(long)]
    pub(crate) svg: bool,
}

#[derive(Debug, Args)]
pub(crate) struct FlowRunArguments {
    #[command(flatten)]
    pub(crate) place: FolderArguments,
    #[command(flatten)]
    pub(crate) manifest: ManifestArguments,
    /// A file with the input: `{"request": …, "path": …}`, or the words of the request alone; `-` for standard
    /// input.
    #[arg(long, value_name = "FILE", conflicts_with = "prompt")]
    pub(crate) input: Option<PathBuf>,
    /// What is asked for; from standard input when absent.
    #[arg(short = 'p', long = "prompt", value_name = "TEXT")]
    pub(crate) prompt: Option<String>,
    /// The file that is written; the one that the request names when absent.
    #[arg(long, value_name = "PATH")]
    pub(crate) path: Option<String>,
    /// Who is asked where a block says nothing else: a role (fast, medium, deep) or `provider/model`.
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// Shows a bar for each block while it runs.
    #[arg(long)]
    pub(crate) watch: bool,
    /// Lists what was removed from outputs, on standard error.
    #[arg(long)]
    pub(crate) explain: bool,
    /// Answers for edits and for commands on the list, never for one that is not.
    #[arg(long)]
    pub(crate) yes: bool,
    /// How many tokens all calls may take, where that is less than the manifest says.
    #[arg(long, value_name = "TOKENS")]
    pub(crate) max_tokens: Option<u64>,
}
