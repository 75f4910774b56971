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
use crate::workspace::{self, meta, now};
use salve_engine::host::OpenWorkspace;
use salve_engine::session::{
    REWIND_UNDONE, RewindPlan, Rewound, SESSION_REWOUND, last_rewind, plan_rewind,
};
use salve_store::{NewSessionEvent, SessionMove, SessionRecord, Store};
use salve_tree::{Conflict, History, Origin, RewindOutcome, rewind};
use salve_types::{ChangeState, SessionEvent, TodoItem};
use serde_json::json;
use std::path::PathBuf;

/// How many seconds to wait for another process that is writing.
const WAIT: u64 = 10;
/// How many events are read at once.
const PAGE: u32 = 10_000;

/// What came of it.
enum Done {
    /// It was done; the tasks that are marked otherwise now.
    Moved { rewound: Box<Rewound>, outcome: RewindOutcome, todos: Vec<TodoItem> },
    /// There was nothing to do.
    Nothing(&'static str),
    /// Files or changes of others stand in the way.
    Blocked { outcome: Option<RewindOutcome>, others: Vec<String> },
}

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
        Format::Human => output::result(&words(&opened, &done)?)?,
        _ => output::value(format, &value(&done))?,
    }
    Ok(match done {
        Done::Moved { .. } | Done::Nothing(_) => Ending::Clean,
        Done::Blocked { outcome: Some(RewindOutcome::Conflict(_)), .. } => Ending::RolledBack,
        Done::Blocked { .. } => Ending::NeedsApproval,
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
) -> Result<Done, Failure> {
    if turn > session.turns {
        let turns = output::counted(session.turns as usize, "turn");
        return Err(Failure::new(format!("the session has no turn {turn}; it has {turns}"))
            .hint(format!("`salve sessions show {}` lists them.", session.id)));
    }
    let changes = store.session_changes(&session.id).await?;
    let plan = plan_rewind(&History::load(&opened.tree)?, &session.id, &changes, turn);
    let mut turns = Vec::new();
    if !options.files_only {
        let all = store.turns(&session.id).await?;
        turns.extend(
            all.iter().filter(|one| one.index >= turn && !one.rewound).map(|one| one.index),
        );
    }
    if plan.changes.is_empty() && turns.is_empty() {
        return Ok(Done::Nothing("there is nothing to take back"));
    }
    if !plan.others.is_empty() && !options.changed.force {
        return Ok(Done::Blocked { outcome: None, others: plan.others });
    }
    let outcome = match &plan.to {
        None => RewindOutcome::NothingToDo,
        Some(to) => {
            rewind(&opened.tree, to.as_deref(), on_changed(&options.changed), &meta(Origin::User))?
        }
    };
    let Some(rewound) = told(&outcome, &plan, turn, turns) else {
        return Ok(Done::Blocked { outcome: Some(outcome), others: Vec::new() });
    };
    let todos = record(store, session, &rewound, SESSION_REWOUND, ChangeState::Reverted).await?;
    Ok(Done::Moved { rewound: Box::new(rewound), outcome, todos })
}

/// Returns what is told of a move; nothing when there was none because something stood in the way.
fn told(outcome: &RewindOutcome, plan: &RewindPlan, turn: u32, turns: Vec<u32>) -> Option<Rewound> {
    let (moved, from, to, files) = match outcome {
        // What was overwritten or merged lies upon the change that the tree was at.
        RewindOutcome::Moved(moved) => {
            let from = moved.recorded.clone().or_else(|| moved.from.clone());
            (true, from, moved.to.clone(), moved.files.clone())
        }
        RewindOutcome::NothingToDo => (false, None, None, Vec::new()),
        RewindOutcome::Changed(_) | RewindOutcome::Conflict(_) => return None,
    };
    Some(Rewound { turn, moved, from, to, files, changes: plan.changes.clone(), turns })
}

async fn forward(
    store: &Store,
    session: &SessionRecord,
    opened: &OpenWorkspace,
    options: &SessionsRewindArguments,
) -> Result<Done, Failure> {
    let Some(rewound) = last_rewind(&all_events(store, session).await?) else {
        return Ok(Done::Nothing("there is no rewind to take back"));
    };
    let mut outcome = RewindOutcome::NothingToDo;
    if rewound.moved {
        let history = History::load(&opened.tree)?;
        if history.position().map(|change| &change.id) != rewound.to.as_ref() {
            return Err(Failure::new("the workspace was changed by Salve since that rewind")
                .hint("`salve history` lists the changes; `salve rewind` goes to any of them.")
                .held_back());
        }
        let (how, meta) = (on_changed(&options.changed), meta(Origin::User));
        outcome = rewind(&opened.tree, rewound.from.as_deref(), how, &meta)?;
        if let RewindOutcome::Changed(_) | RewindOutcome::Conflict(_) = outcome {
            return Ok(Done::Blocked { outcome: Some(outcome), others: Vec::new() });
        }
    }
    let todos = record(store, session, &rewound, REWIND_UNDONE, ChangeState::Applied).await?;
    Ok(Done::Moved { rewound: Box::new(rewound), outcome, todos })
}

async fn all_events(store: &Store, session: &SessionRecord) -> Result<Vec<SessionEvent>, Failure> {
    let mut kept = Vec::new();
    let mut last = 0;
    loop {
        let page = store.session_events(&session.id, last, PAGE).await?;
        let Some(event) = page.last() else { return Ok(kept) };
        last = event.id;
        let told = |event: &SessionEvent| [SESSION_REWOUND, REWIND_UNDONE].contains(&&*event.name);
        kept.extend(page.into_iter().filter(told));
    }
}

/// Writes the move down, and returns the tasks that are marked otherwise since.
async fn record(
    store: &Store,
    session: &SessionRecord,
    rewound: &Rewound,
    name: &str,
    state: ChangeState,
) -> Result<Vec<TodoItem>, Failure> {
    let before = store.todos(&session.id).await?;
    let event = NewSessionEvent { turn: None, name: name.to_owned(), payload: json!(rewound) };
    let moved = SessionMove {
        session: session.id.clone(),
        key: format!("{name}/{}-{}", now(), std::process::id()),
        changes: rewound.changes.clone(),
        state,
        turns: rewound.turns.clone(),
        event,
    };
    store.move_session(moved).await?;
    let was = |todo: &TodoItem| before.iter().any(|one| one.id == todo.id && one.completed);
    let mut after = store.todos(&session.id).await?;
    after.retain(|todo| todo.completed != was(todo));
    Ok(after)
}

fn value(done: &Done) -> serde_json::Value {
    match done {
        Done::Moved { rewound, outcome, todos } => json!({
            "outcome": "moved",
            "rewind": rewound,
            "todos": todos,
            "tree": document(outcome),
        }),
        Done::Nothing(_) => json!({ "outcome": "nothing_to_do" }),
        Done::Blocked { outcome: Some(outcome), .. } => document(outcome),
        Done::Blocked { outcome: None, others } => {
            json!({ "outcome": "changes_of_others", "changes": others })
        }
    }
}

fn words(opened: &OpenWorkspace, done: &Done) -> Result<String, Failure> {
    let history = History::load(&opened.tree)?;
    Ok(match done {
        Done::Moved { rewound, outcome, todos } => {
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
        Done::Nothing(why) => format!("{why}\n"),
        Done::Blocked { outcome: Some(RewindOutcome::Changed(files)), .. } => changed_words(files),
        Done::Blocked {
            outcome: Some(RewindOutcome::Conflict(Conflict { path, why, .. })),
            ..
        } => {
            format!("rolled back  {}: {}\n", visible(path), visible(why))
        }
        Done::Blocked { others, .. } => {
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
