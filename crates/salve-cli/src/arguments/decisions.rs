//! `salve decisions`, as data.
//!
//! In: arguments. Out: one value per command, checked by clap. Never acts on them.

use super::{FolderArguments, PlaceArguments};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct DecisionsArguments {
    #[command(flatten)]
    pub(crate) place: FolderArguments,
    #[command(flatten)]
    pub(crate) store: PlaceArguments,
    #[command(subcommand)]
    pub(crate) command: DecisionsCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum DecisionsCommand {
    /// Lists decisions, newest first.
    List(DecisionsListArguments),
    /// Shows a decision and what people did to it.
    Show {
        /// Its id.
        id: String,
    },
    /// Makes a decision hold: only a person replaces it then.
    Pin {
        /// Its id.
        id: String,
        #[command(flatten)]
        word: WordArguments,
    },
    /// Takes the pin of a decision back.
    Unpin {
        /// Its id.
        id: String,
        #[command(flatten)]
        word: WordArguments,
    },
    /// Puts your choice in the place of a decision.
    Supersede {
        /// Its id.
        id: String,
        /// What you decide.
        #[arg(long)]
        choice: String,
        #[command(flatten)]
        word: WordArguments,
    },
    /// Writes decisions as a manifest, oldest first.
    Export {
        /// The file; standard output when absent or `-`.
        file: Option<PathBuf>,
        /// Only those of this workspace.
        #[arg(long)]
        here: bool,
    },
}

/// Who says so, and why.
#[derive(Debug, Args)]
pub(crate) struct WordArguments {
    /// Why.
    #[arg(long)]
    pub(crate) reason: String,
    /// Who says so. [default: your user name]
    #[arg(long, value_name = "NAME")]
    pub(crate) by: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct DecisionsListArguments {
    /// Only decisions about building, or about running.
    #[arg(long, value_enum)]
    pub(crate) scope: Option<ScopeChoice>,
    /// Only decisions of this type, such as `repair` or `rule_applied`.
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) decision_type: Option<String>,
    /// Only decisions of this workspace.
    #[arg(long)]
    pub(crate) here: bool,
    /// Only pinned ones.
    #[arg(long)]
    pub(crate) pinned: bool,
    /// Only those that hold.
    #[arg(long)]
    pub(crate) held: bool,
    /// At most this many.
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) limit: u32,
}

/// What a decision is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScopeChoice {
    /// How something is built.
    Build,
    /// What is done while something runs.
    Runtime,
}
