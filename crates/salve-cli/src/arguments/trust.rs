//! `salve trust`, as data.
//!
//! In: arguments. Out: one value per command, checked by clap. Never acts on them.

use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct TrustArguments {
    #[command(subcommand)]
    pub(crate) command: TrustCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TrustCommand {
    /// Shows what a workspace wants to bring, asks, and trusts it as it is now.
    Add {
        /// The workspace; the folder the command is started in when absent.
        #[arg(short = 'C', long = "directory", value_name = "DIR")]
        directory: Option<PathBuf>,
        /// Does not ask.
        #[arg(long)]
        yes: bool,
    },
    /// Lists the trusted workspaces and whether they changed since.
    List,
    /// Takes trust back.
    Revoke {
        /// The workspace; the folder the command is started in when absent.
        #[arg(short = 'C', long = "directory", value_name = "DIR")]
        directory: Option<PathBuf>,
    },
}
