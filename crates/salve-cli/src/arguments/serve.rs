//! `salve serve`, as data.
//!
//! In: arguments. Out: one value, checked by clap. Never acts on it.

use super::FolderArguments;
use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct ServeArguments {
    #[command(flatten)]
    pub(crate) place: FolderArguments,
    /// The port of the workbench; 0 takes a free one. [default: 0]
    #[arg(long)]
    pub(crate) port: Option<u16>,
    /// Prints the address and opens no browser.
    #[arg(long)]
    pub(crate) no_open: bool,
    /// Starts, has one scripted turn answered over HTTP, and ends; nothing of yours is touched.
    #[arg(long, conflicts_with_all = ["port", "directory", "root"])]
    pub(crate) check: bool,
}
