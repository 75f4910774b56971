//! The commands that touch files, as data: apply and everything that takes it back.
//!
//! In: arguments. Out: one value per command, checked by clap. Never acts on them.

use super::FolderArguments;
use super::folder::PLACE;
use clap::{Args, Subcommand, ValueEnum};
use salve_types::EditFormat;
use std::path::PathBuf;

/// Which tree a command works on.
#[derive(Debug, Clone, Args)]
pub(crate) struct TreeArguments {
    #[command(flatten)]
    pub(crate) place: FolderArguments,
    /// How many seconds to wait for another process that is writing.
    #[arg(long, value_name = "SECONDS", default_value_t = 10, global = true, help_heading = PLACE)]
    pub(crate) wait: u64,
}

#[derive(Debug, Args)]
pub(crate) struct ApplyArguments {
    #[command(flatten)]
    pub(crate) tree: TreeArguments,
    /// The reply that holds the edits; standard input when absent or `-`.
    #[arg(value_name = "FILE", conflicts_with_all = ["edits", "batch"])]
    pub(crate) reply: Option<PathBuf>,
    /// The same by its name.
    #[arg(long, value_name = "FILE")]
    pub(crate) edits: Option<PathBuf>,
    /// Takes the reply from the clipboard (wl-paste, xclip, xsel or pbpaste).
    #[arg(long, conflicts_with_all = ["reply", "edits", "batch"])]
    pub(crate) paste: bool,
    /// Checks the result in a copy of the workspace first, and applies it only when that is green.
    #[arg(long, conflicts_with_all = ["dry_run", "batch"])]
    pub(crate) check: bool,
    /// The format; `auto` tells it from the content, and the content wins anyway.
    #[arg(long, value_parser = edit_format, default_value = "auto")]
    pub(crate) edit_format: AskedFormat,
    /// The file to edit where the edit does not name one.
    #[arg(long, value_name = "PATH")]
    pub(crate) target: Option<String>,
    /// The 1-based line where a hunk is thought to begin; once per hunk.
    #[arg(long, value_name = "LINE")]
    pub(crate) hint: Vec<u32>,
    /// The hash of a file as the model saw it, as `PATH=HASH` (BLAKE3 or MD5, in hex).
    #[arg(long, value_name = "PATH=HASH", value_parser = base)]
    pub(crate) base: Vec<(String, String)>,
    /// Says that all files are as the model saw them: then a line number may choose between equal
    /// places, that of a diff where its other hunks show that the numbers are right, and context that
    /// is not in the file may be given up. `--base` says it with proof.
    #[arg(long, conflicts_with = "batch")]
    pub(crate) as_seen: bool,
    /// Why the provider says the model stopped: stop, length, …
    #[arg(long)]
    pub(crate) finish_reason: Option<String>,
    /// Shows what would change and writes nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Asks about every hunk: y, n, a, d, q, ?.
    #[arg(short, long, conflicts_with_all = ["dry_run", "batch"])]
    pub(crate) interactive: bool,
    /// Applies it although `auto_apply` or `auto_apply_files` is off.
    #[arg(long, conflicts_with_all = ["dry_run", "interactive", "batch"])]
    pub(crate) yes: bool,
    /// Applies the files that fit and leaves out the others, instead of all or nothing.
    #[arg(long)]
    pub(crate) partial: bool,
    /// Allows a match by similarity (0.90, and 0.10 ahead of the next).
    #[arg(long)]
    pub(crate) scored: bool,
    /// Lets a guard pass; may be given more than once.
    #[arg(long, value_enum, value_delimiter = ',')]
    pub(crate) allow: Vec<Guard>,
    /// The name of the change in the history.
    #[arg(long)]
    pub(crate) label: Option<String>,
    /// What the reply cost, in dollars, for the history.
    #[arg(long)]
    pub(crate) cost: Option<f64>,
    /// Reads JSON lines `{id, files, edit, format?, target?, hint?, finish_reason?, as_seen?}` and
    /// answers one line for each, in memory; the files count as seen unless `as_seen` is false.
    #[arg(long, conflicts_with_all = ["edits", "dry_run", "base", "label", "cost"])]
    pub(crate) batch: bool,
}

/// The guards that hold an edit back until it is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Guard {
    /// New text with "… rest of the code …" in it.
    Omissions,
    /// A whole file that shrinks by more than half.
    Shrink,
    /// More syntax errors than before.
    Syntax,
    /// Files that run or instruct programs: hooks, CI, editor settings.
    Protected,
}

/// What `--edit-format` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AskedFormat(pub(crate) Option<EditFormat>);

#[derive(Debug, Args)]
pub(crate) struct UndoArguments {
    /// How many changes to take back.
    #[arg(value_name = "N", default_value_t = 1, value_parser = count)]
    pub(crate) count: usize,
    /// Takes back the last change of this file alone; the other files of the change stay.
    #[arg(long, value_name = "PATH", conflicts_with = "count")]
    pub(crate) file: Option<String>,
    #[command(flatten)]
    pub(crate) tree: TreeArguments,
    #[command(flatten)]
    pub(crate) changed: ChangedArguments,
}

fn count(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("a number of changes, from 1".to_owned()),
        Ok(count) => Ok(count),
    }
}

#[derive(Debug, Args)]
pub(crate) struct RedoArguments {
    #[command(flatten)]
    pub(crate) tree: TreeArguments,
    #[command(flatten)]
    pub(crate) changed: ChangedArguments,
}

/// What to do about files that were changed since.
#[derive(Debug, Args)]
pub(crate) struct ChangedArguments {
    /// Merges what was changed since with what is restored.
    #[arg(long)]
    pub(crate) merge: bool,
    /// Restores anyway; the contents that are overwritten are kept in the history.
    #[arg(long, conflicts_with = "merge")]
    pub(crate) force: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RewindArguments {
    /// The change to go back to: its number, its id, or `0` for the state before all changes.
    pub(crate) change: String,
    #[command(flatten)]
    pub(crate) tree: TreeArguments,
    #[command(flatten)]
    pub(crate) changed: ChangedArguments,
}

#[derive(Debug, Args)]
pub(crate) struct DiffArguments {
    /// The change, by number or id; the last one when absent.
    pub(crate) change: Option<String>,
    #[command(flatten)]
    pub(crate) tree: TreeArguments,
}

#[derive(Debug, Args)]
pub(crate) struct HistoryArguments {
    #[command(subcommand)]
    pub(crate) command: Option<HistoryCommand>,
    #[command(flatten)]
    pub(crate) tree: TreeArguments,
    /// How many changes to show, newest first.
    #[arg(long, default_value_t = 20)]
    pub(crate) limit: usize,
}

#[derive(Debug, Subcommand)]
pub(crate) enum HistoryCommand {
    /// Removes stored contents, oldest first, until they fit.
    Gc {
        /// The most that may stay, in MiB.
        #[arg(long, value_name = "MIB")]
        max_size: Option<u64>,
    },
    /// Prints a change with the contents before and after, as JSON.
    Export {
        /// The change, by number or id.
        change: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct CheckpointArguments {
    #[command(subcommand)]
    pub(crate) command: CheckpointCommand,
    #[command(flatten)]
    pub(crate) tree: TreeArguments,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CheckpointCommand {
    /// Keeps the files as they are now under a name.
    Create {
        /// The name.
        name: String,
        /// The files; all that Salve has ever changed here when absent.
        paths: Vec<String>,
    },
    /// Lists the checkpoints and whether each could be restored.
    List,
    /// Goes back to a checkpoint; without a name, to the last one that is valid.
    Restore {
        /// The name.
        name: Option<String>,
        /// Restores over files that were changed since; their contents are kept.
        #[arg(long)]
        force: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum PolicyCommand {
    /// Says whether a model may write to a path, and which rule decides.
    Path {
        /// The paths.
        #[arg(required_unless_present = "batch")]
        paths: Vec<String>,
        #[command(flatten)]
        place: FolderArguments,
        /// Reads JSON lines `{id, path}` and answers one line for each.
        #[arg(long, conflicts_with = "paths")]
        batch: bool,
    },
    /// Says whether a command line may be started, which rule decides, and what it would execute.
    Command {
        /// The lines; quote each one.
        #[arg(value_name = "LINE", required_unless_present = "batch")]
        lines: Vec<String>,
        #[command(flatten)]
        place: FolderArguments,
        /// Reads JSON lines `{id, command}` and answers one line for each.
        #[arg(long, conflicts_with = "lines")]
        batch: bool,
    },
    /// Shows a ready list of commands, and turns it on or off for this user.
    Profile(ProfileArguments),
    /// Lists what was agreed to for good; narrows it and takes it back.
    Approvals {
        #[command(subcommand)]
        command: Option<ApprovalsCommand>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct ProfileArguments {
    /// Which one: `everyday`; without a name, all are listed.
    pub(crate) name: Option<String>,
    /// Only shows its entries.
    #[arg(long)]
    pub(crate) show: bool,
    /// Turns it off.
    #[arg(long, conflicts_with_all = ["show", "yes"])]
    pub(crate) remove: bool,
    /// Turns it on without asking.
    #[arg(long, conflicts_with = "show")]
    pub(crate) yes: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ApprovalsCommand {
    /// Lists the approvals, with numbers.
    List,
    /// Takes approvals back.
    Revoke {
        /// Their numbers in the list.
        #[arg(required_unless_present = "all", value_name = "NUMBER")]
        numbers: Vec<usize>,
        /// Takes all of them back, of every workspace.
        #[arg(long, conflicts_with = "numbers")]
        all: bool,
    },
    /// Lets an approval count only for commands with these words after its own.
    Narrow {
        /// Its number in the list.
        number: usize,
        /// The words.
        #[arg(
            required = true,
            value_name = "WORD",
            allow_hyphen_values = true,
            trailing_var_arg = true
        )]
        words: Vec<String>,
    },
}

fn edit_format(name: &str) -> Result<AskedFormat, String> {
    if name == "auto" {
        return Ok(AskedFormat(None));
    }
    named_format(name).map(|format| AskedFormat(Some(format))).ok_or_else(|| {
        let names: Vec<&str> = EditFormat::ALL.iter().map(|format| format.name()).collect();
        format!("unknown format; known are: auto, {}", names.join(", "))
    })
}

/// Returns the format a label means, in the spellings of the field.
pub(crate) fn named_format(name: &str) -> Option<EditFormat> {
    let name = name.trim().to_ascii_lowercase().replace('-', "_");
    let known = EditFormat::ALL.iter().find(|format| format.name() == name).copied();
    known.or(match name.as_str() {
        "udiff" | "diff" | "patch" => Some(EditFormat::UnifiedDiff),
        "v4a" => Some(EditFormat::ApplyPatch),
        "blocks" => Some(EditFormat::SearchReplace),
        "json" => Some(EditFormat::JsonTool),
        "line_ops" => Some(EditFormat::LineOperations),
        "whole" => Some(EditFormat::WholeFile),
        "lazy" => Some(EditFormat::LazyFile),
        _ => None,
    })
}

fn base(text: &str) -> Result<(String, String), String> {
    let (path, hash) = text.rsplit_once('=').ok_or("use PATH=HASH")?;
    Ok((path.to_owned(), hash.to_owned()))
}
