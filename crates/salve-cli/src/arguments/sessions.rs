//! `salve sessions`, `salve todos` and `salve files`, as data.
//!
//! In: arguments. Out: one value per command, checked by clap. Never acts on them.

use super::{
    ChangedArguments, FolderArguments, PlaceArguments, SessionsHandoffArguments,
    SessionsResumeArguments,
};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct SessionsArguments {
    #[command(flatten)]
    pub(crate) place: FolderArguments,
    #[command(flatten)]
    pub(crate) store: PlaceArguments,
    /// Lists the sessions when absent.
    #[command(subcommand)]
    pub(crate) command: Option<SessionsCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SessionsCommand {
    /// Lists sessions; those that were used last come first.
    List(SessionsListArguments),
    /// Shows a session: its turns, tasks and changes; or what happened in it, event by event.
    Show(SessionsShowArguments),
    /// Writes a session as one document.
    Export(SessionsExportArguments),
    /// Finishes the turn that was interrupted or waits; tries one that failed again.
    Resume(Box<SessionsResumeArguments>),
    /// Goes back to before a turn: its files, its tasks, and the conversation; undoable.
    Rewind(SessionsRewindArguments),
    /// Begins a session with the turns of another.
    Fork {
        /// The session: its id, the beginning of one, or `last`.
        id: String,
        /// The last turn to take over. [default: all]
        #[arg(long, value_name = "N")]
        turn: Option<u32>,
    },
    /// Begins a session that goes on with what is left to do, with the changes of this one and a summary of it.
    Handoff(SessionsHandoffArguments),
    /// Says something that enters the next request of a session, also while its steps run.
    Guide {
        /// The session: its id, the beginning of one, or `last`.
        id: String,
        /// What is said.
        text: String,
    },
    /// Holds the steps of a session that are sent by themselves, until a person sends the next one.
    Pause {
        /// The session: its id, the beginning of one, or `last`.
        id: String,
    },
    /// Shows every prompt and answer of a session, where that was asked for.
    Audit(SessionsAuditArguments),
    /// Lists the faults that were reported; reports one.
    Bugs(SessionsBugsArguments),
    /// Lists the images of a session; saves some in the workspace, or makes one again.
    Images(SessionsImagesArguments),
}

#[derive(Debug, Args)]
pub(crate) struct SessionsImagesArguments {
    /// The session: its id, the beginning of one, or `last` for the newest of this workspace.
    pub(crate) id: String,
    /// The images that are meant, by their ids. [default: those that were chosen, else all]
    pub(crate) images: Vec<String>,
    /// Saves them in this folder of the workspace, as `image-001.png` and so on; nothing is overwritten.
    #[arg(long, value_name = "DIR")]
    pub(crate) save_to: Option<String>,
    /// Makes this image again, in its place.
    #[arg(long, value_name = "IMAGE", conflicts_with_all = ["save_to", "images"])]
    pub(crate) regenerate: Option<String>,
    /// What it is to show now. [default: what it was asked for by before]
    #[arg(long, value_name = "TEXT", requires = "regenerate")]
    pub(crate) prompt: Option<String>,
    /// What is added to that.
    #[arg(long, value_name = "TEXT", requires = "regenerate")]
    pub(crate) add: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct SessionsListArguments {
    /// Only those of this workspace.
    #[arg(long)]
    pub(crate) here: bool,
    /// At most this many.
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) limit: u32,
}

impl Default for SessionsListArguments {
    fn default() -> Self {
        Self { here: false, limit: 30 }
    }
}

#[derive(Debug, Args)]
pub(crate) struct SessionsShowArguments {
    /// The session: its id, the beginning of one, or `last` for the newest of this workspace.
    pub(crate) id: String,
    /// Shows what happened, event by event.
    #[arg(long)]
    pub(crate) events: bool,
    /// Only events after this one.
    #[arg(long, value_name = "EVENT", default_value_t = 0, requires = "events")]
    pub(crate) after: u64,
    /// At most this many events.
    #[arg(long, default_value_t = 100_000, requires = "events")]
    pub(crate) limit: u32,
}

#[derive(Debug, Args)]
pub(crate) struct SessionsExportArguments {
    /// The session: its id, the beginning of one, or `last` for the newest of this workspace.
    pub(crate) id: String,
    /// The file; standard output when absent or `-`.
    pub(crate) file: Option<PathBuf>,
    /// Which document.
    #[arg(long, value_enum, default_value_t = SessionDocument::Chat)]
    pub(crate) document: SessionDocument,
}

/// Which document of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SessionDocument {
    /// The conversation with all that belongs to it.
    Chat,
    /// Every prompt and answer.
    Audit,
}

#[derive(Debug, Args)]
pub(crate) struct SessionsRewindArguments {
    /// The session: its id, the beginning of one, or `last` for the newest of this workspace.
    pub(crate) id: String,
    /// The turn to go back to before: 1 is the first.
    #[arg(long, value_name = "N", required_unless_present = "undo", conflicts_with = "undo")]
    pub(crate) turn: Option<u32>,
    /// Takes the last rewind back.
    #[arg(long)]
    pub(crate) undo: bool,
    /// Takes back the files and tasks only; the conversation stays.
    #[arg(long, conflicts_with = "undo")]
    pub(crate) files_only: bool,
    /// Takes back the turns only; files and tasks stay as they are.
    #[arg(long, conflicts_with_all = ["undo", "files_only"])]
    pub(crate) conversation_only: bool,
    #[command(flatten)]
    pub(crate) changed: ChangedArguments,
}

#[derive(Debug, Args)]
pub(crate) struct SessionsAuditArguments {
    /// The session: its id, the beginning of one, or `last` for the newest of this workspace.
    pub(crate) id: String,
    /// Keeps every prompt and answer from now on.
    #[arg(long)]
    pub(crate) on: bool,
    /// Keeps no more of them.
    #[arg(long, conflicts_with = "on")]
    pub(crate) off: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SessionsBugsArguments {
    /// The session: its id, the beginning of one, or `last`. [default: all of this workspace]
    pub(crate) id: Option<String>,
    /// Reports a fault in these words.
    #[arg(long, value_name = "TEXT", requires = "id")]
    pub(crate) add: Option<String>,
    /// The turn it is about. [default: the last]
    #[arg(long, value_name = "N", requires = "add")]
    pub(crate) turn: Option<u32>,
}

#[derive(Debug, Args)]
pub(crate) struct TodosArguments {
    /// The session: its id, the beginning of one, or `last`. [default: the newest of this workspace]
    pub(crate) id: Option<String>,
    /// Only those that are not done.
    #[arg(long)]
    pub(crate) open: bool,
    #[command(flatten)]
    pub(crate) place: FolderArguments,
    #[command(flatten)]
    pub(crate) store: PlaceArguments,
}

#[derive(Debug, Args)]
pub(crate) struct FilesArguments {
    /// The session: its id, the beginning of one, or `last`. [default: the newest of this workspace]
    pub(crate) id: Option<String>,
    /// Lists every operation, oldest first, instead of every file.
    #[arg(long)]
    pub(crate) log: bool,
    /// Only this turn.
    #[arg(long, value_name = "N", requires = "log")]
    pub(crate) turn: Option<u32>,
    #[command(flatten)]
    pub(crate) uploads: UploadArguments,
    #[command(flatten)]
    pub(crate) place: FolderArguments,
    #[command(flatten)]
    pub(crate) store: PlaceArguments,
}

#[derive(Debug, Args)]
#[group(multiple = false, conflicts_with = "log")]
pub(crate) struct UploadArguments {
    /// Lists what providers keep of the session's files, and until when.
    #[arg(long)]
    pub(crate) uploads: bool,
    /// Uploads this file for the session, by the same rules as files of a turn.
    #[arg(long, value_name = "FILE")]
    pub(crate) upload: Option<String>,
    /// Makes every upload usable again: what is over, lost or changed is uploaded anew.
    #[arg(long)]
    pub(crate) rehydrate: bool,
    /// Deletes an upload at its provider, by its id or its path.
    #[arg(long, value_name = "ID")]
    pub(crate) delete_upload: Option<String>,
    /// Says how many hours the uploads are kept from now on: 0 until another session, -1 for ever.
    #[arg(long, value_name = "HOURS", allow_negative_numbers = true)]
    pub(crate) ttl: Option<i64>,
    /// Deletes the uploads of all sessions whose time is over.
    #[arg(long)]
    pub(crate) clean_up: bool,
}
