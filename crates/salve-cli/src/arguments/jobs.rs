//! `salve jobs` and `salve worker`, as data.
//!
//! In: arguments. Out: one value per command, checked by clap. Never acts on them.

use super::language;
use clap::{Args, Subcommand, ValueEnum};
use salve_types::Language;
use std::path::PathBuf;

/// The heading of the options that say where the jobs are.
const PLACE: &str = "Place of the jobs";

/// Where the jobs are.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct PlaceArguments {
    /// The database of a fleet, `postgres://USER@HOST/DATABASE`; without it, files in your data folder.
    /// Its password comes from SALVE_JOBS_PASSWORD or a file, never from here.
    #[arg(long = "jobs", value_name = "URL", global = true, help_heading = PLACE)]
    pub(crate) url: Option<String>,
    /// A file of mode 0600 that holds the database's password.
    #[arg(long = "jobs-password-file", value_name = "FILE", global = true, help_heading = PLACE)]
    pub(crate) password_file: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct JobsArguments {
    #[command(flatten)]
    pub(crate) place: PlaceArguments,
    /// Lists the jobs when absent.
    #[command(subcommand)]
    pub(crate) command: Option<JobsCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum JobsCommand {
    /// Starts a job and shows its progress until it ends; its result goes to standard output.
    Start(Box<JobsStartArguments>),
    /// Lists jobs, newest first, and marks those with a paid call whose outcome is unknown.
    List(JobsListArguments),
    /// Shows a job: its children, its steps, its texts.
    Show(JobsShowArguments),
    /// Follows a job until it ends, from its beginning or after an event.
    Watch(JobsWatchArguments),
    /// Stops a job and its children.
    Cancel {
        /// The job.
        id: String,
        /// The reason that is recorded.
        #[arg(long, default_value = "cancelled by hand")]
        reason: String,
    },
    /// Settles a paid call that was started and whose outcome is unknown.
    Resolve(JobsResolveArguments),
    /// Resumes a job that needs attention.
    Retry(JobsRetryArguments),
    /// Holds a job's next paid call back until the job is resumed; one that is being made is not
    /// thrown away.
    Pause {
        /// The job.
        id: String,
    },
    /// Resumes a paused job.
    Resume {
        /// The job.
        id: String,
    },
    /// Deletes jobs that have ended.
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
    /// The system prompt.
    #[arg(long, value_name = "FILE")]
    pub(crate) system: Option<PathBuf>,
    /// The language of the answer; told from its content when absent.
    #[arg(long, value_parser = language)]
    pub(crate) lang: Option<Language>,
    /// The schema the answer must fit: the name of a built-in one or a JSON Schema file.
    #[arg(long)]
    pub(crate) schema: Option<String>,
    /// The model, as `provider/model`; the role's own when absent.
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// The role whose model is asked.
    #[arg(long, default_value = "medium")]
    pub(crate) role: String,
    /// At most this many tokens for each answer.
    #[arg(long, value_name = "N")]
    pub(crate) max_tokens: Option<u32>,
    /// What to do about a paid call whose outcome is unknown. [default: ask when it may have cost more
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
    /// Starts it and returns at once; `salve worker` does the work.
    #[arg(long)]
    pub(crate) detach: bool,
}

/// What to do about a paid call whose outcome is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum InDoubtSetting {
    /// It is made again, and may be paid twice.
    Retry,
    /// It waits for `salve jobs resolve`.
    Ask,
    /// Its step fails.
    Fail,
}

/// How many are listed unless something else is said.
const MOST_LISTED: u32 = 30;

#[derive(Debug, Args)]
pub(crate) struct JobsListArguments {
    /// Only jobs of this flow.
    #[arg(long)]
    pub(crate) flow: Option<String>,
    /// Only jobs with this status, such as `needs_attention`.
    #[arg(long)]
    pub(crate) status: Option<String>,
    /// Only jobs that have not ended.
    #[arg(long, conflicts_with = "ended")]
    pub(crate) open: bool,
    /// Only jobs that have ended.
    #[arg(long)]
    pub(crate) ended: bool,
    /// Includes the children of jobs.
    #[arg(long)]
    pub(crate) children: bool,
    /// Lists paid calls whose outcome is unknown instead of jobs.
    #[arg(long, conflicts_with_all = ["status", "open", "ended", "children"])]
    pub(crate) in_doubt: bool,
    /// Only jobs older than this one.
    #[arg(long, value_name = "ID")]
    pub(crate) after: Option<String>,
    /// At most this many.
    #[arg(long, default_value_t = MOST_LISTED, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) limit: u32,
}

impl Default for JobsListArguments {
    fn default() -> Self {
        let (flow, status, after) = (None, None, None);
        let (open, ended, children, in_doubt) = (false, false, false, false);
        Self { flow, status, open, ended, children, in_doubt, after, limit: MOST_LISTED }
    }
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
    /// Starts after this event.
    #[arg(long, value_name = "EVENT", default_value_t = 0)]
    pub(crate) after: i64,
}

#[derive(Debug, Args)]
pub(crate) struct JobsResolveArguments {
    /// The call, as `salve jobs list --in-doubt` shows it.
    pub(crate) key: String,
    /// What to do about it.
    #[arg(value_enum)]
    pub(crate) decision: ResolveWith,
    /// With `use`: the answer, as the provider's own records have it; `-` is standard input.
    #[arg(required_if_eq("decision", "use"))]
    pub(crate) file: Option<PathBuf>,
    /// Returns at once; `salve worker` does the work.
    #[arg(long)]
    pub(crate) detach: bool,
}

/// What to do about a call.
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
    /// Ends the job with what there is, as `completed_partial`: it can be read and shown, and is never
    /// written or run.
    #[arg(long)]
    pub(crate) accept_partial: bool,
    /// Returns at once; `salve worker` does the work.
    #[arg(long)]
    pub(crate) detach: bool,
}

#[derive(Debug, Args)]
pub(crate) struct JobsPurgeArguments {
    /// Only jobs that ended more than this many days ago.
    #[arg(long, value_name = "DAYS", default_value_t = 30)]
    pub(crate) older_than: u32,
    /// Only jobs of this flow.
    #[arg(long)]
    pub(crate) flow: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct WorkerArguments {
    #[command(flatten)]
    pub(crate) place: PlaceArguments,
    /// A toolchain that this machine has; may be repeated. Jobs that need another are left to other workers.
    #[arg(long = "toolchain", value_name = "NAME")]
    pub(crate) toolchains: Vec<String>,
    /// A workspace that this machine has, with the name that jobs know it by; may be repeated. Without a
    /// name, heals that were begun there are taken.
    #[arg(long = "root", value_name = "[NAME=]PATH")]
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
