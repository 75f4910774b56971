//! A rewind, made: the files go back, and the session notes it.
//!
//! In: the store, the open workspace, a turn. Out: what became of it; the session's log tells of it in the same
//! words whoever asked. Never takes back a change of somebody else, or of a person, unless told to.

use super::{REWIND_UNDONE, RewindPlan, Rewound, SESSION_REWOUND, last_rewind, plan_rewind};
use salve_store::{MovedChanges, NewSessionEvent, SessionMove, SessionRecord, Store, StoreError};
use salve_tree::{
    ChangeMeta, ContentHash, History, Moved, OnChanged, RewindOutcome, TreeError, Workspace,
    md5_label, rewind,
};
use salve_types::{
    ChangeState, FileOpBy, FileOpKind, FileOperation, SessionEvent, Timestamp, TodoItem,
};
use serde_json::json;
use std::path::Path;

/// How many events are read at once.
const PAGE: u32 = 10_000;

/// Which part of a session goes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RewindScope {
    /// The files; the turns still count.
    Files,
    /// The turns; the files stay as they are.
    Conversation,
    /// Both.
    Both,
}

/// What is to go back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RewindRequest {
    /// To before this turn.
    pub turn: u32,
    /// Which part.
    pub scope: RewindScope,
    /// What becomes of files that were changed since.
    pub on_changed: OnChanged,
}

/// What came of a rewind.
#[must_use]
#[derive(Debug, Clone, PartialEq)]
pub enum RewindDone {
    /// It was done.
    Moved {
        /// What went back.
        rewound: Box<Rewound>,
        /// What became of the files.
        outcome: RewindOutcome,
        /// The tasks that are marked otherwise now.
        todos: Vec<TodoItem>,
    },
    /// There was nothing to do.
    Nothing,
    /// Files stand in the way; nothing was moved.
    Files(RewindOutcome),
    /// Changes that are not of the session stand in the way; nothing was moved.
    Others(Vec<String>),
}

/// Why a rewind could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RewindError {
    /// The session is shorter.
    #[error("the session has no turn {turn}; it has {turns}")]
    NoSuchTurn {
        /// The turn that was named.
        turn: u32,
        /// How many there are.
        turns: u32,
    },
    /// The tree is not where the rewind had left it.
    #[error("the workspace was changed by Salve since that rewind")]
    MovedSince,
    /// The files cannot be read or written.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// The session cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Goes back to before a turn.
///
/// # Errors
/// When the session has no such turn, or the files or the store cannot be used.
pub async fn rewind_session(
    store: &Store,
    session: &SessionRecord,
    tree: &Workspace,
    request: RewindRequest,
    meta: &ChangeMeta,
) -> Result<RewindDone, RewindError> {
    let RewindRequest { turn, scope, on_changed } = request;
    if turn > session.turns {
        return Err(RewindError::NoSuchTurn { turn, turns: session.turns });
    }
    let plan = match scope {
        RewindScope::Conversation => RewindPlan::default(),
        RewindScope::Files | RewindScope::Both => {
            let changes = store.session_changes(&session.id).await?;
            plan_rewind(&History::load(tree)?, &session.id, &changes, turn)
        }
    };
    let mut turns = Vec::new();
    if scope != RewindScope::Files {
        let all = store.turns(&session.id).await?;
        let counts = all.iter().filter(|one| one.index >= turn && !one.rewound);
        turns.extend(counts.map(|one| one.index));
    }
    if plan.changes.is_empty() && turns.is_empty() {
        return Ok(RewindDone::Nothing);
    }
    if !plan.others.is_empty() && on_changed != OnChanged::Force {
        return Ok(RewindDone::Others(plan.others));
    }
    let outcome = match &plan.to {
        None => RewindOutcome::NothingToDo,
        Some(to) => rewind(tree, to.as_deref(), on_changed, meta)?,
    };
    let Some(rewound) = told(&outcome, &plan, turn, turns) else {
        return Ok(RewindDone::Files(outcome));
    };
    let place = Told { store, session, root: tree.path(), meta };
    let todos = place.record(&rewound, &outcome, SESSION_REWOUND, ChangeState::Reverted).await?;
    Ok(RewindDone::Moved { rewound: Box::new(rewound), outcome, todos })
}

/// Takes the last rewind of a session back.
///
/// # Errors
/// When the tree is elsewhere by now, or the files or the store cannot be used.
pub async fn undo_rewind(
    store: &Store,
    session: &SessionRecord,
    tree: &Workspace,
    on_changed: OnChanged,
    meta: &ChangeMeta,
) -> Result<RewindDone, RewindError> {
    let Some(rewound) = last_rewind(&moves(store, session).await?) else {
        return Ok(RewindDone::Nothing);
    };
    let mut outcome = RewindOutcome::NothingToDo;
    if rewound.moved {
        let history = History::load(tree)?;
        if history.position().map(|change| &change.id) != rewound.to.as_ref() {
            return Err(RewindError::MovedSince);
        }
        outcome = rewind(tree, rewound.from.as_deref(), on_changed, meta)?;
        if let RewindOutcome::Changed(_) | RewindOutcome::Conflict(_) = outcome {
            return Ok(RewindDone::Files(outcome));
        }
    }
    let place = Told { store, session, root: tree.path(), meta };
    let todos = place.record(&rewound, &outcome, REWIND_UNDONE, ChangeState::Applied).await?;
    Ok(RewindDone::Moved { rewound: Box::new(rewound), outcome, todos })
}

// What is told of a move; nothing when there was none because something stood in the way.
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

async fn moves(store: &Store, session: &SessionRecord) -> Result<Vec<SessionEvent>, StoreError> {
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

/// Says what a move of the tree did, for the sessions that know its changes.
pub fn moved_changes(root: &Path, moved: &Moved, now: u64) -> MovedChanges {
    let file = |path: &String| {
        let content = std::fs::read(root.join(path)).ok();
        let before = moved.before.get(path);
        let op = match (before, &content) {
            (_, None) => FileOpKind::Delete,
            (None, _) => FileOpKind::Create,
            _ => FileOpKind::Update,
        };
        FileOperation {
            path: path.clone(),
            op,
            hash_before: before.map(ContentHash::hex),
            hash_after: content.as_deref().map(|bytes| ContentHash::of(bytes).hex()),
            md5: content.as_deref().map(md5_label),
            size: content.map_or(0, |bytes| bytes.len() as u64),
            by: FileOpBy::User,
            at: Timestamp(i64::try_from(now).unwrap_or(i64::MAX)),
            // Filled in by the store.
            turn: 0,
        }
    };
    MovedChanges {
        taken_back: moved.taken_back.clone(),
        made_again: moved.made_again.clone(),
        files: moved.files.iter().map(file).collect(),
    }
}

/// A session that is told of a move.
struct Told<'a> {
    store: &'a Store,
    session: &'a SessionRecord,
    root: &'a Path,
    meta: &'a ChangeMeta,
}

impl Told<'_> {
    // Writes the move down, and returns the tasks that are marked otherwise since.
    async fn record(
        &self,
        rewound: &Rewound,
        outcome: &RewindOutcome,
        name: &str,
        state: ChangeState,
    ) -> Result<Vec<TodoItem>, StoreError> {
        let (store, session) = (self.store, &self.session.id);
        let before = store.todos(session).await?;
        let tree = match outcome {
            RewindOutcome::Moved(moved) => moved_changes(self.root, moved, self.meta.now),
            _ => MovedChanges::default(),
        };
        let event = NewSessionEvent { turn: None, name: name.to_owned(), payload: json!(rewound) };
        let moved = SessionMove {
            session: session.clone(),
            key: format!("{name}/{}-{}", self.meta.now, salve_jobs::fresh_job_id()),
            changes: rewound.changes.clone(),
            state,
            turns: rewound.turns.clone(),
            tree,
            event,
        };
        store.move_session(moved).await?;
        let was = |todo: &TodoItem| before.iter().any(|one| one.id == todo.id && one.completed);
        let mut after = store.todos(session).await?;
        after.retain(|todo| todo.completed != was(todo));
        Ok(after)
    }
}
