//! `salve checkpoint`: named states that can be gone back to.
//!
//! In: a name. Out: a state kept, listed with its validity, or restored. Never restores what cannot
//! be read back in full.

use crate::arguments::{CheckpointArguments, CheckpointCommand, Format};
use crate::change::visible;
use crate::commands::undo::changed_words;
use crate::failure::{CommandResult, Ending};
use crate::output;
use crate::workspace::{self, meta, now};
use anstyle::AnsiColor;
use salve_engine::host::OpenWorkspace;
use salve_tree::{
    AdmitOptions, FileView, ListedCheckpoint, OnChanged, Origin, RestoreOutcome, RestoreRequest,
    TreePath, create_checkpoint, list_checkpoints, restore_checkpoint,
};
use serde_json::json;

/// Runs `salve checkpoint`.
pub(crate) fn run(arguments: &CheckpointArguments, format: Format) -> CommandResult {
    let opened = workspace::open(&arguments.tree)?;
    match &arguments.command {
        CheckpointCommand::Create { name, paths } => create(&opened, name, paths, format),
        CheckpointCommand::List => list(&opened, format),
        CheckpointCommand::Restore { name, force } => {
            let on_changed = if *force { OnChanged::Force } else { OnChanged::Refuse };
            restore(&opened, name.as_deref(), on_changed, format)
        }
    }
}

fn create(opened: &OpenWorkspace, name: &str, paths: &[String], format: Format) -> CommandResult {
    let view = opened.view(AdmitOptions::default());
    let paths: Vec<TreePath> =
        paths.iter().map(|path| view.admit(path)).collect::<Result<_, _>>()?;
    let listed = list_checkpoints(&opened.tree)?;
    let named = |it: &ListedCheckpoint| it.checkpoint.as_ref().is_some_and(|it| it.name == name);
    let earlier = listed.iter().filter(|listed| named(listed)).count();
    let made = create_checkpoint(&opened.tree, name, &paths, None, now())?;
    match format {
        Format::Human => {
            let kept = match made.tree.len() {
                0 => "is the state before Salve changed anything here: no file is kept, and a \
                      restore takes back what Salve changes from now on"
                    .to_owned(),
                1 => "keeps 1 file".to_owned(),
                count => format!("keeps {count} files"),
            };
            let again = match earlier {
                0 => String::new(),
                _ => format!(
                    "The name was used before: `restore {}` takes this one, `restore '#N'` another \
                     one by its number.\n",
                    visible(name)
                ),
            };
            output::result(&format!("checkpoint {} {kept}\n{again}", visible(name)))?;
        }
        _ => output::value(format, &made)?,
    }
    Ok(Ending::Clean)
}

fn list(opened: &OpenWorkspace, format: Format) -> CommandResult {
    let listed = list_checkpoints(&opened.tree)?;
    match format {
        Format::Human if listed.is_empty() => output::result("no checkpoints yet\n")?,
        Format::Human => output::result(&listed.iter().map(line).collect::<String>())?,
        _ => output::values(format, &listed)?,
    }
    Ok(Ending::Clean)
}

fn line(listed: &ListedCheckpoint) -> String {
    let (green, red) = (AnsiColor::Green.on_default(), AnsiColor::Red.on_default());
    let name = listed.checkpoint.as_ref().map_or("(unreadable)", |checkpoint| &checkpoint.name);
    let files = listed.checkpoint.as_ref().map_or(0, |checkpoint| checkpoint.tree.len());
    let state = match &listed.why {
        None => format!("{green}valid{green:#}"),
        Some(why) => format!("{red}invalid{red:#}: {}", visible(why)),
    };
    let word = if files == 1 { "file " } else { "files" };
    format!("{:>4}  {:<24} {files:>5} {word}  {state}\n", listed.number, visible(name))
}

fn restore(
    opened: &OpenWorkspace,
    name: Option<&str>,
    on_changed: OnChanged,
    format: Format,
) -> CommandResult {
    let request =
        RestoreRequest { name, error: "asked for on the command line", state: None, on_changed };
    let outcome = restore_checkpoint(&opened.tree, &request, &meta(Origin::Checkpoint))?;
    if format == Format::Human {
        output::result(&words(&outcome))?;
    } else {
        let document = match &outcome {
            RestoreOutcome::Restored(restored) => json!({
                "outcome": "restored", "checkpoint": restored.checkpoint,
                "change": restored.change, "report": restored.report,
            }),
            RestoreOutcome::NoneValid { report } => {
                json!({ "outcome": "none_valid", "report": report })
            }
            RestoreOutcome::Changed { files } => {
                json!({ "outcome": "changed_since", "files": files })
            }
            RestoreOutcome::Conflict(conflict) => {
                json!({ "outcome": "conflict", "conflict": conflict })
            }
        };
        output::value(format, &document)?;
    }
    Ok(match outcome {
        RestoreOutcome::Restored(_) => Ending::Clean,
        RestoreOutcome::NoneValid { .. } => Ending::Findings,
        RestoreOutcome::Changed { .. } => Ending::NeedsApproval,
        RestoreOutcome::Conflict(_) => Ending::RolledBack,
    })
}

fn words(outcome: &RestoreOutcome) -> String {
    match outcome {
        RestoreOutcome::Restored(restored) => {
            let name = visible(&restored.checkpoint.name);
            let Some(change) = &restored.change else {
                return format!("the files are as {name} has them already; nothing was changed\n");
            };
            let number = change.number;
            let mut text =
                format!("restored {name} as change #{number}; `salve undo` takes it back\n");
            for file in &change.files {
                let word = match (&file.old, &file.new) {
                    (_, None) => "removed",
                    (None, Some(_)) => "put back",
                    (Some(_), Some(_)) => "as it was",
                };
                text.push_str(&format!("  {}  {word}\n", visible(&file.file_path)));
            }
            let report = restored.report.as_deref().unwrap_or_default();
            text + &format!("what was left behind: {report}\n")
        }
        RestoreOutcome::NoneValid { report } => {
            format!(
                "no checkpoint can be restored; nothing was touched\nwhat was found: {report}\n"
            )
        }
        RestoreOutcome::Changed { files } => changed_words(files),
        RestoreOutcome::Conflict(conflict) => {
            format!("rolled back: {}: {}\n", visible(&conflict.path), visible(&conflict.why))
        }
    }
}
