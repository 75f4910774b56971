//! The command line as data.
//!
//! In: arguments. Out: one value per command, checked by clap. Never acts on them.

mod calls;
mod chat;
mod check;
mod decisions;
mod examples;
mod flow;
mod folder;
mod gateway;
mod heal;
mod help;
mod jobs;
mod keys;
mod knowledge;
mod mode;
mod plan;
mod run;
mod serve;
mod sessions;
mod setup;
mod signature;
mod sim;
mod stats;
mod tree;
mod trust;
mod usage;

pub(crate) use calls::{CallsArguments, CallsCommand, CallsListArguments, ResolveAs, StateChoice};
pub(crate) use chat::{
    ChatArguments, SessionsHandoffArguments, SessionsResumeArguments, TurnArguments,
};
pub(crate) use check::CheckArguments;
pub(crate) use decisions::{
    DecisionsArguments, DecisionsCommand, DecisionsListArguments, ScopeChoice, WordArguments,
};
pub(crate) use flow::{
    FlowArguments, FlowCommand, FlowGraphArguments, FlowRunArguments, ManifestArguments,
};
pub(crate) use folder::FolderArguments;
pub(crate) use gateway::{GatewayArguments, LogFormat};
pub(crate) use heal::{HealArguments, HealCommand, ReportArguments, SourceChoice};
pub(crate) use help::command;
pub(crate) use jobs::{
    InDoubtSetting, JobsArguments, JobsCommand, JobsListArguments, JobsPurgeArguments,
    JobsResolveArguments, JobsRetryArguments, JobsShowArguments, JobsStartArguments,
    JobsWatchArguments, PlaceArguments, ResolveWith, WorkerArguments,
};
pub(crate) use keys::{KeysArguments, KeysCommand};
pub(crate) use knowledge::{
    KnowledgeArguments, KnowledgeCheckArguments, KnowledgeCommand, KnowledgeExportArguments,
    KnowledgeKind, KnowledgeListArguments, RuleStateChoice,
};
pub(crate) use plan::{
    PlanArguments, PlanCommand, PlanEditArguments, PlanMakeArguments, PlanRunArguments,
    PlanShowArguments,
};
pub(crate) use run::{CacheAction, CacheArguments, ExitCodeOf, RunArguments, RunsArguments};
pub(crate) use serve::ServeArguments;
pub(crate) use sessions::{
    FilesArguments, SessionDocument, SessionsArguments, SessionsAuditArguments,
    SessionsBugsArguments, SessionsCommand, SessionsExportArguments, SessionsImagesArguments,
    SessionsListArguments, SessionsRewindArguments, SessionsShowArguments, TodosArguments,
    UploadArguments,
};
pub(crate) use setup::{Agent, Provider, SetupArguments};
pub(crate) use signature::SignatureArguments;
pub(crate) use sim::SimArguments;
pub(crate) use stats::StatsArguments;
pub(crate) use tree::{
    ApplyArguments, ApprovalsCommand, ChangedArguments, CheckpointArguments, CheckpointCommand,
    DiffArguments, Guard, HistoryArguments, HistoryCommand, PolicyCommand, ProfileArguments,
    RedoArguments, RewindArguments, TreeArguments, UndoArguments, named_format,
};
pub(crate) use trust::{TrustArguments, TrustCommand};
pub(crate) use usage::{alike, usage_error};

use crate::settings::SentinelSetting;
use clap::{Args, Parser, Subcommand, ValueEnum};
use mode::{ENFORCEMENT, modes};
use salve_text::ParseMode;
use salve_types::{Language, Mode};
use std::path::PathBuf;

const AFTER: &str = "\
Exit codes: 0 clean or healed, 1 findings remain, 2 usage or configuration, 3 rolled back, \
4 needs approval, 5 a limit ended it, 101 a bug in Salve.
The result goes to standard output, the story to standard error.
`salve demo` shows what it does; `salve explain CODE` says what a code means.";

/// The heading of the options that every command has.
const GLOBAL: &str = "Global options";

/// Heals what AI models send before it touches your code.
#[derive(Debug, Parser)]
#[command(name = "salve", version, after_help = AFTER, max_term_width = 100)]
pub(crate) struct Arguments {
    /// How the result is written.
    #[arg(long, value_enum, default_value_t = FormatChoice::Human, global = true, help_heading = GLOBAL)]
    pub(crate) format: FormatChoice,
    /// When to use colour.
    #[arg(long, value_enum, default_value_t = Color::Auto, global = true, help_heading = GLOBAL)]
    pub(crate) color: Color,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Everything `salve` can do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Separates the content of a reply from the prose around it.
    Clean(CleanArguments),
    /// Decides whether a text is whole, and shows where and how it was cut.
    Inspect(InspectArguments),
    /// Continues a text that was cut.
    Resume {
        #[command(subcommand)]
        command: ResumeCommand,
    },
    /// Reads JSON from a reply, even when it is malformed.
    Parse(ParseArguments),
    /// Applies the edits of a reply where they were meant, or not at all; undoable.
    Apply(Box<ApplyArguments>),
    /// Shows what a change did.
    Diff(DiffArguments),
    /// Takes the last change back.
    Undo(UndoArguments),
    /// Makes the last undone change again.
    Redo(RedoArguments),
    /// Goes to the state after a change, backward or forward.
    Rewind(RewindArguments),
    /// Lists the changes that were applied here.
    History(HistoryArguments),
    /// Keeps and restores named states.
    Checkpoint(CheckpointArguments),
    /// Recovers a workspace after a crash; every other command does so too.
    Recover(TreeArguments),
    /// Runs the toolchains of a folder and shows what they say.
    Check(CheckArguments),
    /// Heals a failing check: free fixes first, models last, verified before anything is written.
    Heal(Box<HealArguments>),
    /// Asks for a change in words: planned, written, checked, healed and tracked, over many turns.
    Chat(Box<ChatArguments>),
    /// Splits a big task into parts, runs them side by side, merges and checks them as one change.
    Plan(Box<PlanArguments>),
    /// Runs, checks and draws workflows: pipelines that a team writes as a file.
    Flow(FlowArguments),
    /// Opens the workbench in the browser, with its API and the gateway; works at once without a key.
    Serve(ServeArguments),
    /// Takes an agent's report of an error, with its own fix if it has one, and heals where it may.
    Report(ReportArguments),
    /// Runs a command in the sandbox: checked against the policy, approved where needed, recorded.
    Run(RunArguments),
    /// Lists what was run here.
    Runs(RunsArguments),
    /// Lists and clears what runs with the network have fetched for each workspace.
    Cache(CacheArguments),
    /// Heals the replies of a provider on their way to any agent.
    Gateway(Box<GatewayArguments>),
    /// Creates, lists and revokes keys of the gateway.
    Keys(KeysArguments),
    /// Shows the calls to models and their outcomes.
    Calls(CallsArguments),
    /// Counts how answers were cut and how many were healed.
    Stats(StatsArguments),
    /// Starts, shows and manages work that survives a crash.
    Jobs(JobsArguments),
    /// Shows what was learned from fixes: rules, known errors, what they saved.
    Knowledge(KnowledgeArguments),
    /// Shows what was decided and why; pins and replaces decisions.
    Decisions(DecisionsArguments),
    /// Lists, shows and exports conversations; goes back in one, or on from it.
    Sessions(SessionsArguments),
    /// Lists the tasks of a session and how many are done.
    Todos(TodosArguments),
    /// Lists the files of a session and what was done to them.
    Files(FilesArguments),
    /// Runs jobs, on this machine or for a fleet.
    Worker(WorkerArguments),
    /// Shows what a model would be allowed to do, and what you have allowed.
    Policy {
        #[command(subcommand)]
        command: PolicyCommand,
    },
    /// Lets a workspace's own `salve.toml` define commands, until it changes.
    Trust(TrustArguments),
    /// Serves a scripted or recorded provider on this machine, for tests.
    Sim(SimArguments),
    /// Points an agent's own configuration at the gateway; `--remove` reverts it.
    Setup(SetupArguments),
    /// Computes signatures that recognise the same error wherever it appears next.
    Signature(SignatureArguments),
    /// Shows the schemas a reply can be validated against, and validates.
    Schema {
        #[command(subcommand)]
        command: SchemaCommand,
    },
    /// Explains a code and what to do about it.
    Explain {
        /// A code such as OPEN_DOUBLE_QUOTE; without one, all codes are listed.
        code: Option<String>,
    },
    /// Runs real failures through the real code, offline.
    Demo {
        /// Applies the demo's edits in this folder and is killed half-way.
        #[arg(long, hide = true, value_name = "DIR")]
        die_in: Option<PathBuf>,
    },
    /// Shows what this installation has and what it lacks.
    Doctor,
    /// Shows the settings.
    Config {
        #[command(subcommand)]
        command: ConfigCommand,
    },
    /// Prints the completion script of a shell.
    Completions {
        /// The shell.
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Prints the manual page, of one command if named.
    Man {
        /// A command such as `inspect`.
        command: Option<String>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct CleanArguments {
    /// The reply; standard input when absent or `-`.
    pub(crate) file: Option<PathBuf>,
    /// The language asked for; it decides between several blocks.
    #[arg(long, value_parser = language)]
    pub(crate) lang: Option<Language>,
    /// The file the content is meant for; it decides between several blocks.
    #[arg(long)]
    pub(crate) path: Option<String>,
    /// Lists what was set aside, on standard error.
    #[arg(long)]
    pub(crate) explain: bool,
    /// Reads JSON lines `{id, text, lang?, path?}` and answers one line for each.
    #[arg(long, conflicts_with_all = ["file", "explain"])]
    pub(crate) batch: bool,
}

#[derive(Debug, Args)]
pub(crate) struct InspectArguments {
    /// The text; standard input when absent or `-`.
    pub(crate) file: Option<PathBuf>,
    /// The language; told from path, fence or content when absent.
    #[arg(long, value_parser = language)]
    pub(crate) lang: Option<Language>,
    /// The file the text is meant for.
    #[arg(long)]
    pub(crate) path: Option<String>,
    /// The text of the completion marker, or `none` to ignore markers.
    #[arg(long, allow_hyphen_values = true)]
    pub(crate) sentinel: Option<String>,
    /// Whether a missing marker is a cut.
    #[arg(long, value_enum)]
    pub(crate) sentinel_rule: Option<SentinelSetting>,
    /// Why the provider says the model stopped: stop, length, …
    #[arg(long)]
    pub(crate) finish_reason: Option<String>,
    /// Whether a cut text makes the command fail.
    #[arg(long, value_parser = modes(&ENFORCEMENT))]
    pub(crate) enforcement: Option<Mode>,
    /// Reads JSON lines `{id, lang, text, finish_reason?}` and answers one line for each.
    #[arg(long, conflicts_with = "file")]
    pub(crate) batch: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ResumeCommand {
    /// Writes the prompt that makes a model continue at the cut.
    Prompt(PromptArguments),
    /// Joins a cut text and its continuation.
    Stitch(StitchArguments),
}

#[derive(Debug, Args)]
pub(crate) struct PromptArguments {
    /// The cut text; standard input when absent or `-`.
    pub(crate) file: Option<PathBuf>,
    /// The language; told from content when absent.
    #[arg(long, value_parser = language)]
    pub(crate) lang: Option<Language>,
    /// Why the provider says the model stopped.
    #[arg(long)]
    pub(crate) finish_reason: Option<String>,
    /// How many characters of the cut text to show.
    #[arg(long)]
    pub(crate) tail: Option<usize>,
    /// A file with a template of your own.
    #[arg(long)]
    pub(crate) template: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct StitchArguments {
    /// The cut text.
    #[arg(long, required_unless_present = "batch")]
    pub(crate) partial: Option<PathBuf>,
    /// What the model sent to continue it.
    #[arg(long, required_unless_present = "batch")]
    pub(crate) continuation: Option<PathBuf>,
    /// The language; told from content when absent.
    #[arg(long, value_parser = language)]
    pub(crate) lang: Option<Language>,
    /// Reads JSON lines `{id, partial, continuation, lang?}` and answers one line for each.
    #[arg(long, conflicts_with_all = ["partial", "continuation"])]
    pub(crate) batch: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ParseArguments {
    /// The reply; standard input when absent or `-`.
    pub(crate) file: Option<PathBuf>,
    /// A schema: the name of a built-in one or a JSON Schema file.
    #[arg(long)]
    pub(crate) schema: Option<String>,
    /// Whether the JSON is inside other text (`llm`) or is the whole text (`text`).
    #[arg(long, value_parser = mode)]
    pub(crate) mode: Option<ParseMode>,
    /// Reads JSON lines `{id, input, mode?, schema?, kind?}` and answers one line for each.
    #[arg(long, conflicts_with = "file")]
    pub(crate) batch: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SchemaCommand {
    /// Lists the built-in schemas.
    List,
    /// Prints a schema as JSON Schema.
    Show {
        /// The name of a built-in schema.
        name: String,
    },
    /// Validates a text against a schema.
    Check {
        /// The name of a built-in schema or a JSON Schema file.
        schema: String,
        /// The text; standard input when absent or `-`.
        file: Option<PathBuf>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Prints every setting.
    Show {
        /// Adds where each value comes from.
        #[arg(long)]
        origin: bool,
    },
}

/// How a result is written, of the commands that report findings in files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatChoice {
    /// For people.
    Human,
    /// One JSON document.
    Json,
    /// One JSON value per line.
    Jsonl,
    /// SARIF 2.1.0, for code scanning; `salve check` and `salve inspect` have it.
    #[value(hide = true)]
    Sarif,
    /// Annotations of GitHub Actions; `salve check` and `salve inspect` have them.
    #[value(hide = true)]
    Github,
}

/// How a result is written, of all other commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// For people.
    Human,
    /// One JSON document.
    Json,
    /// One JSON value per line.
    Jsonl,
}

impl FormatChoice {
    /// Returns the name used on the command line.
    pub(crate) fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    /// Returns the format, if every command has it.
    pub(crate) const fn common(self) -> Option<Format> {
        match self {
            Self::Human => Some(Format::Human),
            Self::Json => Some(Format::Json),
            Self::Jsonl => Some(Format::Jsonl),
            Self::Sarif | Self::Github => None,
        }
    }
}

/// When to use colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless `NO_COLOR` is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl Color {
    /// Makes the choice known to every stream.
    pub(crate) fn write_global(self) {
        match self {
            Self::Auto => anstream::ColorChoice::Auto,
            Self::Always => anstream::ColorChoice::Always,
            Self::Never => anstream::ColorChoice::Never,
        }
        .write_global();
    }
}

fn language(name: &str) -> Result<Language, String> {
    Language::from_name(name).ok_or_else(|| {
        let names: Vec<&str> = Language::all().map(Language::name).collect();
        format!("unknown language; known are: {}", names.join(", "))
    })
}

fn mode(name: &str) -> Result<ParseMode, String> {
    match name {
        "llm" => Ok(ParseMode::Llm),
        "text" => Ok(ParseMode::Text),
        _ => Err("use `llm` or `text`".to_owned()),
    }
}
