//! `salve check`, as data.
//!
//! In: arguments. Out: one value, checked by clap. Never acts on it.

use super::FolderArguments;
use clap::{Args, ValueEnum};
use salve_types::Severity;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// Checks what these files and folders belong to; the current folder when absent.
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) place: FolderArguments,
    /// Checks what the changed files belong to: by git, and by what Salve changed last.
    #[arg(long, conflicts_with = "paths")]
    pub(crate) changed: bool,
    /// A toolchain to run, by its id; may be given more than once. All that apply when absent.
    #[arg(long = "target", value_name = "TARGET")]
    pub(crate) targets: Vec<String>,
    /// Builds as for shipping, where a toolchain knows the difference.
    #[arg(long)]
    pub(crate) release: bool,
    /// The mildest finding that makes the check fail.
    #[arg(long, value_enum, default_value_t = FailOn::Error, value_name = "SEVERITY")]
    pub(crate) fail_on: FailOn,
    /// Passes a variable, with your own value or this one; may be given more than once. What a
    /// toolchain sets for itself stays.
    #[arg(long = "env", value_name = "NAME[=VALUE]", value_parser = super::run::variable)]
    pub(crate) variables: Vec<(String, Option<String>)>,
    /// Runs even where a layer of the sandbox is missing.
    #[arg(long)]
    pub(crate) yes: bool,
}

/// What makes a check fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// Errors alone.
    Error,
    /// Warnings too.
    Warning,
    /// Everything that is said.
    Note,
}

impl From<FailOn> for Severity {
    fn from(fail_on: FailOn) -> Self {
        match fail_on {
            FailOn::Error => Self::Error,
            FailOn::Warning => Self::Warning,
            FailOn::Note => Self::Note,
        }
    }
}
