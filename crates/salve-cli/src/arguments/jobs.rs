//! `salve jobs` and `salve worker`, as data.
//!
//! In: arguments. Out: one value per command, checked by clap. Never acts on them.

use super::language;
use clap::{Args, Subcommand, ValueEnum};
use salve_types::Language;
use std::path::PathBuf;

/// Where the jobs are.
#[derive(Debug, Clone, Args)]
pub(crate) struct PlaceArguments {
    /// The database of a fleet, `postgres://USER@HOST/DATABASE`; without it, files in your data folder.
    /// Its password comes from SALVE_JOBS_PASSWORD or a file, never from here.
    #[arg(long = "jobs", value_name = "URL", global = true)]
    pub(crate) url: Option<String>,
    /// A file of mode 0600 that holds the database's password.
    #[arg(long = "jobs-password-file", value_name = "FILE", global = true)]
    pub(crate) password_file: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct JobsArguments {
    #[command(flatten)]
    pub(crate) place: PlaceArguments,
    #[command(subcommand)]
    pub(crate) command: JobsCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum JobsCommand {
    /// Starts a job and shows how it goes until it has ended; its result goes to standard output.
    Start(Box<JobsStartArguments>),
    /// Lists jobs, newest first, and marks those with a paid call of which nobody knows the end.
    List(JobsListArguments),
    /// Shows a job: its children, its steps, its texts.
    Show(JobsShowArguments),
    /// Follows a job until it has ended, from its beginning or from behind an event.
    Watch(JobsWatchArguments),
    /// Stops a job and its children.
    Cancel {
        /// The job.
        id: String,
        /// Why, for whoever looks at it later.
        #[arg(long, default_value = "cancelled by hand")]
        reason: String,
    },
    /// Decides about a paid call that was begun and of which nobody knows the end.
    Resolve(JobsResolveArguments),
    /// Sends a job that needs attention on its way again.
    Retry(JobsRetryArguments),
    /// Lets a job make no further paid call until it is told to go on; one that is being made is not
    /// thrown away.
    Pause {
        /// The job.
        id: String,
    },
    /// Lets a paused job go on.
    Resume {
        /// The job.
        id: String,
    },
    /// Forgets jobs that have ended.
    Purge(JobsPurgeArguments),
}

#[derive(Debug, Args)]
pub(crate) struct JobsStartArguments {
    /// The flow to run.
    #[arg(long, default_value = "Generate")]
    pub(crate) flow: String,
    /// What the model is asked; standard input when absent or `-`.
    #[arg(long, value_name = "FILE")]
    pub(crate) prompt: Option<PathBuf>,
    /// What the model is told before it, the system prompt.
    #[arg(long, value_name = "FILE")]
    pub(crate) system: Option<PathBuf>,
    /// The language of the answer; told from its content when absent.
    #[arg(long, value_parser = language)]
    pub(crate) lang: Option<Language>,
    /// A schema the answer is held to: the name of a built-in one or a JSON Schema file.
    #[arg(long)]
    pub(crate) schema: Option<String>,
    /// The model, as `provider/model`; the role's own when absent.
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// The role whose model is asked.
    #[arg(long, default_value = "medium")]
    pub(crate) role: String,
    /// At most so many tokens for each answer.
    #[arg(long, value_name = "N")]
    pub(crate) max_tokens: Option<u32>,
    /// What is done when nobody knows how a paid call ended. [default: ask when it may have cost more
    /// than ten cents, else retry]
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) in_doubt: Option<InDoubtSetting>,
    /// The job's name; the same name is the same job, and never runs twice. [default: a new one]
    #[arg(long)]
    pub(crate) id: Option<String>,
    /// A toolchain that the worker must have.
    #[arg(long)]
    pub(crate) toolchain: Option<String>,
    /// A root that the worker must have.
    #[arg(long)]
    pub(crate) root: Option<String>,
    /// Starts it and comes back at once; `salve worker` does the work.
    #[arg(long)]
    pub(crate) detach: bool,
}

/// What is done about a call of which nobody knows the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum InDoubtSetting {
    /// It is made again, and may be paid twice.
    Retry,
    /// It waits for `salve jobs resolve`.
    Ask,
    /// Its step fails.
    Fail,
}

#[derive(Debug, Args)]
pub(crate) struct JobsListArguments {
    /// Of this flow only.
    #[arg(long)]
    pub(crate) flow: Option<String>,
    /// With this status only, such as `needs_attention`.
    #[arg(long)]
    pub(crate) status: Option<String>,
    /// Only those that have not ended.
    #[arg(long, conflicts_with = "ended")]
    pub(crate) open: bool,
    /// Only those that have ended.
    #[arg(long)]
    pub(crate) ended: bool,
    /// Also the children of jobs.
    #[arg(long)]
    pub(crate) children: bool,
    /// The paid calls of which nobody knows the end, in place of jobs.
    #[arg(long, conflicts_with_all = ["status", "open", "ended", "children"])]
    pub(crate) in_doubt: bool,
    /// Older than this job.
    #[arg(long, value_name = "ID")]
    pub(crate) after: Option<String>,
    /// At most so many.
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) limit: u32,
}

#[derive(Debug, Args)]
pub(crate) struct JobsShowArguments {
    /// The job.
    pub(crate) id: String,
    /// Prints the result's text and nothing else.
    #[arg(long, conflicts_with = "partial")]
    pub(crate) result: bool,
    /// Prints what there is of an answer that did not become a result, and nothing else.
    #[arg(long)]
    pub(crate) partial: bool,
}

#[derive(Debug, Args)]
pub(crate) struct JobsWatchArguments {
    /// The job.
    pub(crate) id: String,
    /// From behind this event.
    #[arg(long, value_name = "EVENT", default_value_t = 0)]
    pub(crate) after: i64,
}

#[derive(Debug, Args)]
pub(crate) struct JobsResolveArguments {
    /// The call, as `salve jobs list --in-doubt` shows it.
    pub(crate) key: String,
    /// What is done about it.
    #[arg(value_enum)]
    pub(crate) decision: ResolveWith,
    /// With `use`: the answer, as the provider's own records have it; `-` is standard input.
    #[arg(required_if_eq("decision", "use"))]
    pub(crate) file: Option<PathBuf>,
    /// Decides and comes back at once; `salve worker` does the work.
    #[arg(long)]
    pub(crate) detach: bool,
}

/// What is decided about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ResolveWith {
    /// It is made again, and may be paid twice.
    Retry,
    /// Its step fails.
    Fail,
    /// Its answer is in a file.
    Use,
}

#[derive(Debug, Args)]
pub(crate) struct JobsRetryArguments {
    /// The job.
    pub(crate) id: String,
    /// Takes what there is as the job's end, as `completed_partial`: read and shown, never written or
    /// run.
    #[arg(long)]
    pub(crate) accept_partial: bool,
    /// Says so and comes back at once; `salve worker` does the work.
    #[arg(long)]
    pub(crate) detach: bool,
}

#[derive(Debug, Args)]
pub(crate) struct JobsPurgeArguments {
    /// Only those that ended longer ago than this many days.
    #[arg(long, value_name = "DAYS", default_value_t = 30)]
    pub(crate) older_than: u32,
    /// Of this flow only.
    #[arg(long)]
    pub(crate) flow: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct WorkerArguments {
    #[command(flatten)]
    pub(crate) place: PlaceArguments,
    /// A toolchain that this machine has; may be repeated. Jobs that need another are left to others.
    #[arg(long = "toolchain", value_name = "NAME")]
    pub(crate) toolchains: Vec<String>,
    /// A root that this machine has; may be repeated.
    #[arg(long = "root", value_name = "NAME=PATH")]
    pub(crate) roots: Vec<String>,
    /// How many steps at a time.
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) steps: u16,
    /// Its name, for people and the ledger. [default: the machine's, and a number]
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// How long a step stays with a worker that is not heard of any more, before another takes it.
    #[arg(long, value_name = "SECONDS", default_value_t = 10,
          value_parser = clap::value_parser!(u64).range(2..=600))]
    pub(crate) lease: u64,
    /// How long steps may go on after the first request to stop.
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    pub(crate) drain_seconds: u64,
}
