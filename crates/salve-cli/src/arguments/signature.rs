//! The arguments of `salve signature`.
//!
//! In: arguments. Out: one value, checked by clap. Never acts on them.

use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct SignatureArguments {
    /// What the tool printed; standard input when absent or `-`.
    pub(crate) file: Option<PathBuf>,
    /// The tool that printed it, for texts that do not show it: gcc, rustc, python, …
    #[arg(long)]
    pub(crate) tool: Option<String>,
    /// Shows the texts that are hashed.
    #[arg(long)]
    pub(crate) explain: bool,
    /// Reads JSON lines `{id, tool?, text}` and answers `{id, exact, shape, class}` for each.
    #[arg(long, conflicts_with_all = ["file", "explain"])]
    pub(crate) batch: bool,
}
