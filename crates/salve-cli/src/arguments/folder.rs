//! Which workspace a command works on, as data.
//!
//! In: arguments. Out: one value, checked by clap. Never looks at a folder.

use clap::Args;
use std::path::PathBuf;

/// The heading of the options that say where a command works.
pub(super) const PLACE: &str = "Workspace options";

/// Where a command works.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct FolderArguments {
    /// Works as if started in this folder; the workspace is found from there.
    #[arg(short = 'C', long = "directory", value_name = "DIR", global = true, help_heading = PLACE)]
    pub(crate) directory: Option<PathBuf>,
    /// The root of the workspace, instead of the one that is found.
    #[arg(long, value_name = "DIR", global = true, help_heading = PLACE)]
    pub(crate) root: Option<PathBuf>,
}
