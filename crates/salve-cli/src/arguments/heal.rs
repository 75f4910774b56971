//! `salve heal`, as data.
//!
//! In: arguments. Out: one value, checked by clap. Never acts on it.

use super::TreeArguments;
use super::check::FailOn;
use clap::{Args, Subcommand, ValueEnum};
use salve_engine::heal::machine::Strictness;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct HealArguments {
    #[command(subcommand)]
    pub(crate) what: Option<HealCommand>,
    #[command(flatten)]
    pub(crate) tree: TreeArguments,
    /// Asks no model: free fixes only.
    #[arg(long)]
    pub(crate) no_model: bool,
    /// Where fixes may come from; everywhere when absent.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "SOURCE")]
    pub(crate) sources: Vec<SourceChoice>,
    /// What may act: `sketch` tries what a model is unsure of too, `production` only what is pinned. The
    /// setting `strictness` holds where it is stricter. [default: development]
    #[arg(long, value_enum, value_name = "STRICTNESS")]
    pub(crate) strictness: Option<StrictnessChoice>,
    /// Keeps the errors that could be healed when others remain.
    #[arg(long)]
    pub(crate) partial: bool,
    /// Applies without asking, and runs even where a layer of the sandbox is missing.
    #[arg(long)]
    pub(crate) yes: bool,
    /// Lets fixes run commands that the policy does not deny, such as a package manager's, with a network.
    #[arg(long)]
    pub(crate) commands: bool,
    /// Shows the change and writes nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Writes the change to this file as a patch, and nothing to the tree.
    #[arg(long, value_name = "FILE", conflicts_with = "dry_run")]
    pub(crate) patch: Option<PathBuf>,
    /// Forgets how often errors of this workspace were not healed, which ends heals of them early.
    #[arg(long)]
    pub(crate) reset: bool,
    /// Ends with 0 also where errors remain: the caller goes on, and reads the outcome.
    #[arg(long)]
    pub(crate) keep_going: bool,
    /// Heals again after each change of a file, until it is interrupted.
    #[arg(long)]
    pub(crate) watch: bool,
    /// A toolchain that must pass, by its id; may be given more than once. All that apply when absent.
    #[arg(long = "target", value_name = "TARGET")]
    pub(crate) targets: Vec<String>,
    /// The mildest finding that makes the check fail.
    #[arg(long, value_enum, default_value_t = FailOn::Error, value_name = "SEVERITY")]
    pub(crate) fail_on: FailOn,
    /// The tokens that all calls of models together may take.
    #[arg(long, value_name = "TOKENS", default_value_t = 50_000)]
    pub(crate) max_tokens: u64,
    /// How long it may take, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 3600)]
    pub(crate) time_limit: u64,
    /// Passes a variable to the checks, with your own value or this one; may be given more than once.
    #[arg(long = "env", value_name = "NAME[=VALUE]", value_parser = super::run::variable)]
    pub(crate) variables: Vec<(String, Option<String>)>,
    /// The command that must pass; the project's own checks when absent. It runs in the sandbox, without
    /// the network.
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

/// Where fixes may come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SourceChoice {
    /// Free fixers.
    Fixer,
    /// Registered agents.
    Agent,
    /// Models.
    Model,
}

/// What may act.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum StrictnessChoice {
    /// What a model is unsure of is tried too, and shown.
    Sketch,
    /// What passes the gates and the check.
    Development,
    /// Only what a person pinned.
    Production,
}

impl From<StrictnessChoice> for Strictness {
    fn from(choice: StrictnessChoice) -> Self {
        match choice {
            StrictnessChoice::Sketch => Self::Sketch,
            StrictnessChoice::Development => Self::Development,
            StrictnessChoice::Production => Self::Production,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum HealCommand {
    /// Shows what heals of this workspace did so far: attempts, errors not healed, checkpoints, tokens, files.
    Status {
        #[command(flatten)]
        tree: TreeArguments,
    },
}

#[derive(Debug, Args)]
pub(crate) struct ReportArguments {
    #[command(flatten)]
    pub(crate) tree: TreeArguments,
    /// Asks no model in a heal that the report starts.
    #[arg(long)]
    pub(crate) no_model: bool,
}

impl HealArguments {
    /// A heal of everything in a workspace, as a report starts it.
    pub(crate) fn reported(report: &ReportArguments) -> Self {
        Self {
            what: None,
            tree: report.tree.clone(),
            no_model: report.no_model,
            sources: Vec::new(),
            strictness: None,
            partial: false,
            yes: false,
            commands: false,
            dry_run: false,
            patch: None,
            reset: false,
            keep_going: false,
            watch: false,
            targets: Vec::new(),
            fail_on: FailOn::Error,
            max_tokens: 50_000,
            time_limit: 3600,
            variables: Vec::new(),
            command: Vec::new(),
        }
    }
}
