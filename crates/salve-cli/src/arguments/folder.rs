//! Which workspace a command works on, as data.
//!
//! In: arguments. Out: one value, checked by clap. Never looks at a folder.

use clap::Args;
use std::path::PathBuf;

/// Where a command works.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct FolderArguments {
    /// Works as if started in this folder; the workspace is found from there.
    #[arg(short = 'C', long = "directory", value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,
    /// The root of the workspace, instead of the one that is found.
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
}
