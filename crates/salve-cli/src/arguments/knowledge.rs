//! `salve knowledge`, as data.
//!
//! In: arguments. Out: one value per command, checked by clap. Never acts on them.

use super::{FolderArguments, PlaceArguments};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct KnowledgeArguments {
    #[command(flatten)]
    pub(crate) place: FolderArguments,
    #[command(flatten)]
    pub(crate) store: PlaceArguments,
    #[command(subcommand)]
    pub(crate) command: KnowledgeCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum KnowledgeCommand {
    /// Learns rules from fixes that you bring along, each confirmed by its own command in the sandbox.
    Learn {
        /// Lines `{id, language, path, before, after, command}`; `command` is a list, and must fail on `before`
        /// and pass on `after`. `-` for standard input.
        #[arg(long, value_name = "FILE")]
        pairs: PathBuf,
        /// Runs the commands also where the sandbox lacks a guarantee.
        #[arg(long)]
        yes: bool,
    },
    /// Lists the rules that were learned and the errors that are known, best and newest first.
    List(KnowledgeListArguments),
    /// Shows a rule, or all that was tried on an error.
    Show {
        /// The id of a rule, or the exact signature of an error.
        id: String,
    },
    /// Says that a rule may be used where only pinned ones may.
    Pin {
        /// The id of the rule.
        id: String,
        /// Why.
        #[arg(long)]
        reason: String,
        /// Who says so. [default: your user name]
        #[arg(long, value_name = "NAME")]
        by: Option<String>,
    },
    /// Takes back the pin of a rule.
    Unpin {
        /// The id of the rule.
        id: String,
    },
    /// Takes a rule, or the fixes of an error, out of use.
    Disable {
        /// The id of a rule, or the exact signature of an error.
        id: String,
    },
    /// Puts a rule, or the fixes of an error, back into use; also a rule that was quarantined.
    Enable {
        /// The id of a rule, or the exact signature of an error.
        id: String,
    },
    /// Writes the errors of this workspace and their fixes as `healing-patterns.json`, or rules as text.
    Export(KnowledgeExportArguments),
    /// Takes over a `healing-patterns.json`, or rules: all of it, or nothing. What it says is to be run is
    /// kept as words.
    Import {
        /// The file, `-` for standard input; or a rule's `.toml`, or a folder of such.
        file: PathBuf,
        /// Lets others who use the same database see it.
        #[arg(long)]
        shared: bool,
    },
    /// Shows how many heals needed no model, what that saved, and the best and worst rules.
    Stats {
        /// How many days back.
        #[arg(long, value_name = "DAYS", default_value_t = 30,
              value_parser = clap::value_parser!(u32).range(1..=3650))]
        days: u32,
        /// Only this workspace.
        #[arg(long)]
        here: bool,
    },
    /// Says whether an error was met before, and what was tried on it.
    Check(KnowledgeCheckArguments),
}

#[derive(Debug, Args)]
pub(crate) struct KnowledgeListArguments {
    /// Only rules, or only errors.
    #[arg(long, value_enum)]
    pub(crate) only: Option<KnowledgeKind>,
    /// Only what was learned in this workspace.
    #[arg(long)]
    pub(crate) here: bool,
    /// Only rules in this state.
    #[arg(long, value_enum)]
    pub(crate) state: Option<RuleStateChoice>,
    /// Only rules that are pinned.
    #[arg(long)]
    pub(crate) pinned: bool,
    /// Only rules of this language.
    #[arg(long, value_name = "LANGUAGE")]
    pub(crate) lang: Option<String>,
    /// At most this many of each.
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) limit: u32,
}

/// What is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum KnowledgeKind {
    /// Rules.
    Rules,
    /// Errors and their fixes.
    Patterns,
}

/// The state of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RuleStateChoice {
    /// It is used.
    Active,
    /// It failed twice in a row.
    Quarantined,
    /// A person took it out of use.
    Disabled,
}

#[derive(Debug, Args)]
pub(crate) struct KnowledgeExportArguments {
    /// A file, or a folder to write `healing-patterns.json` into; standard output when absent or `-`.
    pub(crate) file: Option<PathBuf>,
    /// Adds what makes fixes applicable: kinds, hashes, patches and the other signatures.
    #[arg(long)]
    pub(crate) full: bool,
    /// All workspaces, not only this one.
    #[arg(long)]
    pub(crate) all: bool,
    /// Writes the rules that are in use into this folder instead, a file each.
    #[arg(long, requires = "file", conflicts_with = "full")]
    pub(crate) rules: bool,
}

#[derive(Debug, Args)]
pub(crate) struct KnowledgeCheckArguments {
    /// What a tool printed; standard input when absent or `-`.
    pub(crate) file: Option<PathBuf>,
    /// The tool that printed it; told from the text when absent.
    #[arg(long)]
    pub(crate) tool: Option<String>,
    /// The exact signature of the error, in place of its text.
    #[arg(long, value_name = "SIGNATURE", conflicts_with_all = ["file", "tool"])]
    pub(crate) signature: Option<String>,
    /// At most this many fixes that work, and as many that failed.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) limit: u32,
}
