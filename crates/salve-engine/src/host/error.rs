//! Why a host could not make one of its parts.
//!
//! In: errors of the crates below. Out: one variant for each thing a face answers differently.

use crate::jobs::OpenJobsError;
use salve_check::{RuleError, RunError, SpecError};
use salve_model::{HttpClientError, LineupError};
use salve_store::StoreError;
use std::path::PathBuf;

/// Why a part could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HostError {
    /// The store cannot be opened.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The jobs cannot be opened.
    #[error(transparent)]
    Jobs(#[from] OpenJobsError),
    /// The settings name no provider.
    #[error("there is no model to ask")]
    NoModels,
    /// The settings of the models do not fit together.
    #[error(transparent)]
    Models(#[from] LineupError),
    /// No client for HTTP can be made.
    #[error(transparent)]
    Client(#[from] HttpClientError),
    /// The runner cannot work in the folder.
    #[error(transparent)]
    Runner(#[from] RunError),
    /// The folder cannot be opened.
    #[error("cannot open `{}`", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The cause.
        #[source]
        source: std::io::Error,
    },
    /// A file of rules cannot be used.
    #[error("cannot use `{}`", path.display())]
    Rules {
        /// The path.
        path: PathBuf,
        /// The cause.
        #[source]
        source: RuleError,
    },
    /// A file's toolchains cannot be used.
    #[error("cannot use `{}`", path.display())]
    Toolchains {
        /// The path.
        path: PathBuf,
        /// The cause.
        #[source]
        source: SpecError,
    },
}
