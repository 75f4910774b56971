//! `salve run` and `salve runs`, as data.
//!
//! In: arguments. Out: one value per command, checked by clap. Never acts on them.

use super::FolderArguments;
use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    #[command(flatten)]
    pub(crate) place: FolderArguments,
    /// Runs it without asking, even where a layer of the sandbox is missing.
    #[arg(long, conflicts_with = "no_input")]
    pub(crate) yes: bool,
    /// Never asks: what needs approval is skipped, with exit code 4.
    #[arg(long)]
    pub(crate) no_input: bool,
    /// Gives it the network, once that is approved.
    #[arg(long)]
    pub(crate) network: bool,
    /// Ends it after this many seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(crate) timeout: u64,
    /// Commands joined with `&&`, `||`, `;` and `|`; no shell reads them.
    #[arg(long, value_name = "LINE", conflicts_with = "command", allow_hyphen_values = true)]
    pub(crate) line: Option<String>,
    /// The program and its arguments.
    #[arg(last = true, value_name = "COMMAND", required_unless_present = "line")]
    pub(crate) command: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct RunsArguments {
    #[command(flatten)]
    pub(crate) place: FolderArguments,
    /// How many of the last runs to list.
    #[arg(long, value_name = "COUNT", default_value_t = 20)]
    pub(crate) last: usize,
    /// Shows one run and all of its output.
    pub(crate) id: Option<String>,
}
