//! `salve undo`, `redo` and `rewind`: the tree goes to another point of its history.
//!
//! In: where to, and what to do about files that were changed since. Out: which files moved, or
//! which stand in the way. Never overwrites what another process wrote unless told to.

use crate::arguments::{
    ChangedArguments, Format, PlaceArguments, RedoArguments, RewindArguments, UndoArguments,
};
use crate::change::visible;
use crate::commands::knowledge::look;
use crate::failure::{CommandResult, Ending, Failure};
use crate::output;
use crate::workspace::{self, meta, now};
use anstyle::AnsiColor;
use salve_engine::host::OpenWorkspace;
use salve_engine::session::moved_changes;
use salve_tree::{
    AdmitOptions, ChangedSince, FileView, History, Moved, OnChanged, Origin, RewindOutcome,
    ThreeWay, redo, rewind, undo_file, undo_many,
};
use serde_json::{Value, json};

/// Runs `salve undo`.
pub(crate) fn run_undo(arguments: &UndoArguments, format: Format) -> CommandResult {
    let opened = workspace::open(&arguments.tree)?;
    let (how, meta) = (on_changed(&arguments.changed), meta(Origin::User));
    let outcome = match &arguments.file {
        Some(file) => {
            let path = opened.view(AdmitOptions::default()).admit(file)?;
            undo_file(&opened.tree, &path, how, &meta)?
        }
        None => undo_many(&opened.tree, arguments.count, how, &meta)?,
    };
    let nothing = match &arguments.file {
        Some(file) => format!("no change of {} to undo", visible(file)),
        None => "nothing to undo".to_owned(),
    };
    ended(&opened, &outcome, &nothing, format)
}

/// Runs `salve redo`.
pub(crate) fn run_redo(arguments: &RedoArguments, format: Format) -> CommandResult {
    let opened = workspace::open(&arguments.tree)?;
    let outcome = redo(&opened.tree, on_changed(&arguments.changed), &meta(Origin::User))?;
    ended(&opened, &outcome, "nothing to redo", format)
}

/// Runs `salve rewind`.
pub(crate) fn run_rewind(arguments: &RewindArguments, format: Format) -> CommandResult {
    let opened = workspace::open(&arguments.tree)?;
    let history = History::load(&opened.tree)?;
    let to = match arguments.change.as_str() {
        "0" => None,
        change => Some(find(&history, change)?.id.clone()),
    };
    let how = on_changed(&arguments.changed);
    let outcome = rewind(&opened.tree, to.as_deref(), how, &meta(Origin::User))?;
    ended(&opened, &outcome, "the tree is in that state already", format)
}

/// Finds a change by its number, with or without `#`, or by its id.
pub(crate) fn find<'a>(
    history: &'a History,
    named: &str,
) -> Result<&'a salve_tree::ChangeSet, Failure> {
    let number = named.trim_start_matches('#').parse::<u64>().ok();
    let by_number =
        number.and_then(|number| history.changes().iter().find(|change| change.number == number));
    by_number.or_else(|| history.get(named)).ok_or_else(|| {
        Failure::new(format!("no such change: `{}`", visible(named)))
            .hint("`salve history` lists the changes and their numbers.")
    })
}

pub(super) fn on_changed(arguments: &ChangedArguments) -> OnChanged {
    match (arguments.merge, arguments.force) {
        (true, _) => OnChanged::Merge,
        (_, true) => OnChanged::Force,
        _ => OnChanged::Refuse,
    }
}

// Conversations that made one of the changes are told, so that their tasks are what the files are.
fn tell_sessions(opened: &OpenWorkspace, outcome: &RewindOutcome) -> Result<(), Failure> {
    let RewindOutcome::Moved(moved) = outcome else { return Ok(()) };
    let history = History::load(&opened.tree)?;
    let is_told = |id: &String| {
        let change = history.get(id);
        change.is_some_and(|change| matches!(change.origin, Origin::Chat | Origin::Heal))
    };
    if !moved.taken_back.iter().chain(&moved.made_again).any(is_told) {
        return Ok(());
    }
    let changes = moved_changes(opened.tree.path(), moved, now());
    look(&PlaceArguments::default(), async |store| Ok(store.move_changes(changes).await?))?;
    Ok(())
}

fn ended(
    opened: &OpenWorkspace,
    outcome: &RewindOutcome,
    nothing: &str,
    format: Format,
) -> CommandResult {
    if let Err(failure) = tell_sessions(opened, outcome) {
        output::story(&format!("note: the sessions were not told of it: {}\n", failure.message()));
    }
    tell(opened, outcome, nothing, format)
}

fn tell(
    opened: &OpenWorkspace,
    outcome: &RewindOutcome,
    nothing: &str,
    format: Format,
) -> CommandResult {
    match format {
        Format::Human => output::result(&human(opened, outcome, nothing)?)?,
        _ => output::value(format, &document(outcome))?,
    }
    Ok(match outcome {
        RewindOutcome::Moved(_) | RewindOutcome::NothingToDo => Ending::Clean,
        RewindOutcome::Changed(_) => Ending::NeedsApproval,
        RewindOutcome::Conflict(_) => Ending::RolledBack,
    })
}

pub(super) fn document(outcome: &RewindOutcome) -> Value {
    match outcome {
        RewindOutcome::Moved(moved) => json!({ "outcome": "moved", "moved": moved }),
        RewindOutcome::NothingToDo => json!({ "outcome": "nothing_to_do" }),
        RewindOutcome::Changed(files) => json!({ "outcome": "changed_since", "files": files }),
        RewindOutcome::Conflict(conflict) => {
            json!({ "outcome": "conflict", "conflict": conflict })
        }
    }
}

fn human(
    opened: &OpenWorkspace,
    outcome: &RewindOutcome,
    nothing: &str,
) -> Result<String, Failure> {
    let red = AnsiColor::Red.on_default().bold();
    Ok(match outcome {
        RewindOutcome::Moved(moved) => moved_words(&History::load(&opened.tree)?, moved),
        RewindOutcome::NothingToDo => format!("{nothing}\n"),
        RewindOutcome::Changed(files) => changed_words(files),
        RewindOutcome::Conflict(conflict) => format!(
            "{red}rolled back{red:#}  {}: {}\n",
            visible(&conflict.path),
            visible(&conflict.why)
        ),
    })
}

pub(super) fn moved_words(history: &History, moved: &Moved) -> String {
    let green = AnsiColor::Green.on_default().bold();
    let place = |id: &Option<String>| match id.as_deref().and_then(|id| history.get(id)) {
        Some(change) => format!("change #{}", change.number),
        None => "before the first change".to_owned(),
    };
    let mut text =
        format!("{green}moved{green:#}  from {} to {}\n", place(&moved.from), place(&moved.to));
    for file in &moved.files {
        text.push_str(&format!("  {}\n", visible(file)));
    }
    if let Some(change) = moved.recorded.as_deref().and_then(|id| history.get(id)) {
        text.push_str(&format!(
            "The contents that were there are kept as change #{}.\n",
            change.number
        ));
    }
    for message in &moved.messages {
        text.push_str(&format!("{message}\n"));
    }
    text
}

/// Lists the files that stand in the way.
pub(crate) fn changed_words(files: &[ChangedSince]) -> String {
    let red = AnsiColor::Red.on_default().bold();
    let mut text = format!("{red}refused{red:#}  nothing was moved; changed since:\n");
    for file in files {
        text.push_str(&format!("  {}  {}\n", visible(&file.path), visible(&file.why)));
        if let ThreeWay::Overlap(both) = &file.merge {
            for line in both.lines().take(40) {
                text.push_str(&format!("    {}\n", visible(line)));
            }
        }
    }
    let all_clean = files.iter().all(|file| file.merge == ThreeWay::Clean);
    if all_clean {
        text.push_str("`--merge` keeps both changes; they touch different lines.\n");
    }
    text.push_str("`--force` overwrites them and keeps their contents as a change of its own.\n");
    text
}
