//! `salve chat` and `salve sessions resume`, as data.
//!
//! In: arguments. Out: one value per command, checked by clap. Never acts on it.

use super::FolderArguments;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct ChatArguments {
    #[command(flatten)]
    pub(crate) place: FolderArguments,
    /// What is asked for; from standard input when absent, line by line at a terminal.
    #[arg(short = 'p', long = "prompt", value_name = "TEXT")]
    pub(crate) prompt: Option<String>,
    /// Goes on with a session: its id, the beginning of one, or `last`.
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Who is asked: a role (fast, medium, deep) or `provider/model`.
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    #[command(flatten)]
    pub(crate) turn: TurnArguments,
    /// Shows an image to the model with the first request: a PNG, JPEG, GIF or WebP file; may be given several times.
    #[arg(long, value_name = "FILE")]
    pub(crate) image: Vec<PathBuf>,
    /// Wants the result as one JSON value that fits this JSON Schema, alone on standard output.
    #[arg(long, value_name = "FILE")]
    pub(crate) output_schema: Option<PathBuf>,
    /// Sends `continue` by itself while tasks are open and every step ends well, at most so often.
    #[arg(long, value_name = "STEPS", default_value_t = 0)]
    pub(crate) auto_continue: u32,
    /// Talks with a scripted model about a sample project that is made in this new folder: no key is needed.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["session", "model", "directory", "root"])]
    pub(crate) practice: Option<PathBuf>,
    /// Keeps every prompt and answer of a new session for an audit.
    #[arg(long, conflicts_with = "session")]
    pub(crate) audit: bool,
}

/// What a turn may do.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct TurnArguments {
    /// Answers for edits and for commands on the list, never for one that is not.
    #[arg(long, conflicts_with = "no_input")]
    pub(crate) yes: bool,
    /// Asks nothing: what needs a person waits.
    #[arg(long)]
    pub(crate) no_input: bool,
    /// What all calls of this run may cost, heals included, in dollars.
    #[arg(long, value_name = "DOLLARS")]
    pub(crate) max_cost: Option<f64>,
    /// How many tokens all calls of this run may take, heals included.
    #[arg(long, value_name = "TOKENS")]
    pub(crate) max_tokens: Option<u64>,
    /// How many tokens of earlier exchanges the model gets; a handoff is offered at 85 % of it. [default: 24000]
    #[arg(long, value_name = "TOKENS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) window: Option<u64>,
    /// Leaves a red check as it is.
    #[arg(long)]
    pub(crate) no_heal: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SessionsResumeArguments {
    /// The session: its id, the beginning of one, or `last` for the newest of this workspace.
    pub(crate) id: String,
    /// Takes none of the edits that wait, and does not run the command that waits.
    #[arg(long, conflicts_with = "yes")]
    pub(crate) decline: bool,
    /// Of the edits that wait, applies this file, or with `#ID` this hunk of it; may be given more than once.
    /// What is not named is left. `salve sessions show ID --events` shows the hunks.
    #[arg(long, value_name = "PATH[#ID]", conflicts_with_all = ["yes", "decline"])]
    pub(crate) keep: Vec<String>,
    /// Takes what could be read of a broken answer as it is shown: nothing of it is applied or run.
    #[arg(long, conflicts_with_all = ["yes", "decline"])]
    pub(crate) accept: bool,
    #[command(flatten)]
    pub(crate) turn: TurnArguments,
}

#[derive(Debug, Args)]
pub(crate) struct SessionsHandoffArguments {
    /// The session: its id, the beginning of one, or `last` for the newest of this workspace.
    pub(crate) id: String,
    /// Goes on in the same session with twice the window.
    #[arg(long, conflicts_with = "cancel")]
    pub(crate) extend: bool,
    /// Goes on in the same session as it is; it is not offered again.
    #[arg(long)]
    pub(crate) cancel: bool,
}
