//! `salve trust`, as data.
//!
//! In: arguments. Out: one value per command, checked by clap. Never acts on them.

use super::FolderArguments;
use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub(crate) struct TrustArguments {
    #[command(subcommand)]
    pub(crate) command: TrustCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TrustCommand {
    /// Shows what a workspace wants to bring, asks, and trusts it as it is now.
    Add {
        #[command(flatten)]
        place: FolderArguments,
        /// Does not ask.
        #[arg(long)]
        yes: bool,
    },
    /// Lists the trusted workspaces and whether they changed since.
    List,
    /// Takes trust back.
    Revoke {
        #[command(flatten)]
        place: FolderArguments,
    },
}
