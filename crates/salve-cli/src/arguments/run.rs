//! `salve run` and `salve runs`, as data.
//!
//! In: arguments. Out: one value per command, checked by clap. Never acts on them.

use super::FolderArguments;
use clap::{Args, Subcommand, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    #[command(flatten)]
    pub(crate) place: FolderArguments,
    /// Runs it without asking, even where a guarantee of the sandbox does not hold.
    #[arg(long, conflicts_with = "no_input")]
    pub(crate) yes: bool,
    /// Never asks: what needs approval is skipped, with exit code 4.
    #[arg(long)]
    pub(crate) no_input: bool,
    /// Gives it the network, once that is approved.
    #[arg(long)]
    pub(crate) network: bool,
    /// Lets it reach a service on this port of this machine's loopback; may be given more than once.
    #[arg(long = "allow-port", value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) ports: Vec<u16>,
    /// Ends it after this many seconds; 30 for what only reads, 600 for everything else when absent.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(crate) timeout: Option<u64>,
    /// Passes a variable, with your own value or this one; may be given more than once.
    #[arg(long = "env", value_name = "NAME[=VALUE]", value_parser = variable)]
    pub(crate) variables: Vec<(String, Option<String>)>,
    /// Whose exit code the command ends with.
    #[arg(long, value_enum, default_value_t = ExitCodeOf::Salve, value_name = "WHOSE")]
    pub(crate) exit_code: ExitCodeOf,
    /// Lets it write files that editors, hooks, build servers and agents obey, such as `.vscode`.
    #[arg(long)]
    pub(crate) allow_protected: bool,
    /// Commands joined with `&&`, `||`, `;` and `|`; no shell reads them.
    #[arg(long, value_name = "LINE", conflicts_with = "command", allow_hyphen_values = true)]
    pub(crate) line: Option<String>,
    /// The program and its arguments.
    #[arg(last = true, value_name = "COMMAND", required_unless_present = "line")]
    pub(crate) command: Vec<String>,
}

/// Whose exit code `salve run` ends with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExitCodeOf {
    /// 0 for success, 1 for any failure.
    Salve,
    /// The program's own, 128 and the signal when one ended it, 127 where there is no such program.
    /// Limits and approval keep theirs.
    Program,
}

pub(super) fn variable(text: &str) -> Result<(String, Option<String>), String> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value.to_owned())),
        None => (text, None),
    };
    if name.is_empty() {
        return Err("use NAME or NAME=VALUE".to_owned());
    }
    Ok((name.to_owned(), value))
}

#[derive(Debug, Args)]
pub(crate) struct CacheArguments {
    #[command(subcommand)]
    pub(crate) action: Option<CacheAction>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CacheAction {
    /// Lists what is kept, for which workspace (the default).
    List,
    /// Throws away what is kept for this workspace.
    Clear {
        #[command(flatten)]
        place: FolderArguments,
        /// Throws away what is kept for every workspace.
        #[arg(long)]
        all: bool,
    },
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
