//! `salve sessions rewind`: back to before a turn, and forward again.
//!
//! In: a session and a turn. Out: the files as they were, the tasks of the changes that went open again, the turns
//! marked; an event that tells of it. Never takes back a change of somebody else unless told to.

use super::{draw, find, looked};
use crate::arguments::{
    FolderArguments, Format, PlaceArguments, SessionsRewindArguments, TreeArguments,
};
use crate::change::visible;
use crate::commands::undo::{changed_words, document, moved_words, on_changed};
use crate::failure::{CommandResult, Ending, Failure};
use crate::output;
use crate::workspace::{self, meta};
use salve_engine::host::OpenWorkspace;
use salve_engine::session::{
    RewindDone, RewindError, RewindRequest, RewindScope, rewind_session, undo_rewind,
};
use salve_store::{SessionRecord, Store};
use salve_tree::{Conflict, History, Origin, RewindOutcome};
use serde_json::json;
use std::path::PathBuf;

/// How many seconds to wait for another process that is writing.
const WAIT: u64 = 10;
/// Runs `salve sessions rewind`.
pub(super) fn run(
    store: &PlaceArguments,
    place: &FolderArguments,
    options: &SessionsRewindArguments,
    format: Format,
) -> CommandResult {
    let (opened, done) = looked(store, async |store| {
        let session = find(store, place, Some(&options.id)).await?;
        let opened = open(&session)?;
        let done = match options.turn {
            Some(turn) => back(store, &session, &opened, turn, options).await?,
            None => forward(store, &session, &opened, options).await?,
        };
        Ok((opened, done))
    })?;
    match format {
        Format::Human => output::result(&words(&opened, &done, options.turn.is_some())?)?,
        _ => output::value(format, &value(&done))?,
    }
    Ok(match done {
        RewindDone::Moved { .. } | RewindDone::Nothing => Ending::Clean,
        RewindDone::Files(RewindOutcome::Conflict(_)) => Ending::RolledBack,
        RewindDone::Files(_) | RewindDone::Others(_) => Ending::NeedsApproval,
    })
}

/// Opens the workspace of a session.
pub(super) fn open(session: &SessionRecord) -> Result<OpenWorkspace, Failure> {
    let root = PathBuf::from(&session.workspace);
    if !root.is_dir() {
        return Err(Failure::new(format!(
            "the workspace of the session, `{}`, is not here",
            visible(&session.workspace)
        )));
    }
    let place = FolderArguments { directory: None, root: Some(root) };
    workspace::open(&TreeArguments { place, wait: WAIT })
}

async fn back(
    store: &Store,
    session: &SessionRecord,
    opened: &OpenWorkspace,
    turn: u32,
    options: &SessionsRewindArguments,
) -> Result<RewindDone, Failure> {
    let scope = match (options.files_only, options.conversation_only) {
        (true, _) => RewindScope::Files,
        (_, true) => RewindScope::Conversation,
        _ => RewindScope::Both,
    };
    let request = RewindRequest { turn, scope, on_changed: on_changed(&options.changed) };
    let done = rewind_session(store, session, &opened.tree, request, &meta(Origin::User)).await;
    done.map_err(|error| match error {
        RewindError::NoSuchTurn { turn, turns } => {
            let turns = output::counted(turns as usize, "turn");
            Failure::new(format!("the session has no turn {turn}; it has {turns}"))
                .hint(format!("`salve sessions show {}` lists them.", session.id))
        }
        error => error.into(),
    })
}

async fn forward(
    store: &Store,
    session: &SessionRecord,
    opened: &OpenWorkspace,
    options: &SessionsRewindArguments,
) -> Result<RewindDone, Failure> {
    let (how, meta) = (on_changed(&options.changed), meta(Origin::User));
    let done = undo_rewind(store, session, &opened.tree, how, &meta).await;
    done.map_err(|error| {
        let moved = matches!(error, RewindError::MovedSince);
        let failure = Failure::from(error);
        if !moved {
            return failure;
        }
        failure
            .hint("`salve history` lists the changes; `salve rewind` goes to any of them.")
            .held_back()
    })
}

fn value(done: &RewindDone) -> serde_json::Value {
    match done {
        RewindDone::Moved { rewound, outcome, todos } => json!({
            "outcome": "moved",
            "rewind": rewound,
            "todos": todos,
            "tree": document(outcome),
        }),
        RewindDone::Nothing => json!({ "outcome": "nothing_to_do" }),
        RewindDone::Files(outcome) => document(outcome),
        RewindDone::Others(others) => {
            json!({ "outcome": "changes_of_others", "changes": others })
        }
    }
}

fn words(opened: &OpenWorkspace, done: &RewindDone, back: bool) -> Result<String, Failure> {
    let history = History::load(&opened.tree)?;
    Ok(match done {
        RewindDone::Moved { rewound, outcome, todos } => {
            let mut text = match outcome {
                RewindOutcome::Moved(moved) => moved_words(&history, moved),
                _ => "no file moved\n".to_owned(),
            };
            if !rewound.turns.is_empty() {
                let turns: Vec<String> = rewound.turns.iter().map(ToString::to_string).collect();
                text.push_str(&format!("turns: {}\n", turns.join(", ")));
            }
            if !todos.is_empty() {
                text.push_str(&format!("tasks:\n{}", draw::tasks(todos)));
            }
            text
        }
        RewindDone::Nothing if back => "there is nothing to take back\n".to_owned(),
        RewindDone::Nothing => "there is no rewind to take back\n".to_owned(),
        RewindDone::Files(RewindOutcome::Changed(files)) => changed_words(files),
        RewindDone::Files(RewindOutcome::Conflict(Conflict { path, why, .. })) => {
            format!("rolled back  {}: {}\n", visible(path), visible(why))
        }
        RewindDone::Files(_) => String::new(),
        RewindDone::Others(others) => {
            let mut text =
                "refused  nothing was moved; these changes are not of the session:\n".to_owned();
            for change in others.iter().filter_map(|id| history.get(id)) {
                let label = change.label.as_deref().unwrap_or_default();
                text.push_str(&format!("  change #{}  {}\n", change.number, visible(label)));
            }
            text.push_str("`--force` takes them back, too.\n");
            text
        }
    })
}
