//! History, from the log of the workspace and the turns of a session.
//!
//! In: which session, which page, and perhaps a turn to compare with. Out: changes, newest first; what going back would
//! change, by the files as they are now. Never moves anything, and never waits for another process that is writing.

use super::super::answer::{Answer, Fault};
use super::super::state::WorkbenchState;
use super::super::view::diff::hunks_between;
use super::super::view::screens::FileDiff;
use super::super::view::screens::history::{
    ChangeFate, ChangeView, ComparedView, HistoryView, TurnLine, TurnPlace, history_screen,
};
use super::chosen::{Chosen, drawn};
use super::shell;
use axum::extract::{Query, State};
use axum::response::Response;
use salve_engine::host::OpenWorkspace;
use salve_engine::session::{REWIND_UNDONE, SESSION_REWOUND, last_rewind, plan_rewind};
use salve_store::{SessionRecord, TurnRecord};
use salve_tree::{
    AdmitOptions, ChangeSet, ChangedFile, FileView, History, NotApplied, Origin, WorkspaceOptions,
};
use salve_types::{SessionChange, SessionId};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// How many changes and turns a page has.
const SHOWN: usize = 40;
/// How many names of files a line has.
const NAMED: usize = 4;
/// How many files are compared.
const COMPARED: usize = 30;
/// Longer files are not compared.
const MOST_BYTES: usize = 512 * 1024;
/// How many rewinds are looked back.
const MOVES: u32 = 200;
/// How many sessions are asked which turn made a change.
const ASKED: usize = 20;

/// What is wanted.
#[derive(Debug, Clone, Default, Deserialize)]
pub(super) struct Wanted {
    /// The session.
    session: Option<String>,
    /// Changes with a smaller number than this.
    older: Option<u64>,
    /// Compare with before this turn.
    before: Option<u32>,
}

/// Answers `GET /history`.
pub(super) async fn history(
    State(state): State<Arc<WorkbenchState>>,
    Query(wanted): Query<Wanted>,
) -> Answer<Response> {
    let chosen = Chosen::find(&state, wanted.session.as_deref()).await?;
    let mut view = HistoryView {
        session: chosen.choice(),
        sessions: chosen.offered,
        ..HistoryView::default()
    };
    if let Some(session) = &chosen.session {
        fill(&state, session, &mut view).await?;
    }
    let changes = match &chosen.session {
        Some(session) => state.store().session_changes(&session.id).await?,
        None => Vec::new(),
    };
    let read = Reading { wanted, session: chosen.session.map(|session| session.id), changes };
    let place = state.config.place.clone();
    let found = tokio::task::spawn_blocking(move || {
        // Opening would make the folder of the history, and looking at a page makes nothing.
        if !place.root.join(".salve").is_dir() {
            return Ok(Found::default());
        }
        let options = WorkspaceOptions { wait: Duration::ZERO, ..WorkspaceOptions::default() };
        let opened = OpenWorkspace::open_at(&place, options).map_err(|error| error.to_string())?;
        read.all(&opened).map_err(|error| error.to_string())
    });
    match found.await.map_err(|error| Fault::broken(&error))? {
        Ok(found) => {
            view.changes = placed(&state, found.changes).await?;
            (view.total, view.older, view.compared) = (found.total, found.older, found.compared);
        }
        Err(why) => view.unreadable = Some(why),
    }
    drawn(shell(&state, "History"), move || history_screen(&view)).await
}

// The turns of the session, and whether its last rewind can be undone.
async fn fill(
    state: &WorkbenchState,
    session: &SessionRecord,
    view: &mut HistoryView,
) -> Answer<()> {
    let turns = state.store().turns(&session.id).await?;
    view.turns = turns.iter().rev().take(SHOWN).map(turn_line).collect();
    let names = [SESSION_REWOUND, REWIND_UNDONE];
    let moves = state.store().events_named(&session.id, names, MOVES).await?;
    view.undoable = last_rewind(&moves).map(|rewound| rewound.turn);
    Ok(())
}

fn turn_line(turn: &TurnRecord) -> TurnLine {
    TurnLine {
        place: TurnPlace { session: turn.session.to_string(), turn: turn.index },
        request: turn.text.clone(),
        rewound: turn.rewound,
        at: turn.created_at.0,
    }
}

/// A change that is shown, with the session that the log names.
struct Listed {
    view: ChangeView,
    session: Option<String>,
}

#[derive(Default)]
struct Found {
    changes: Vec<Listed>,
    total: usize,
    older: Option<String>,
    compared: Option<ComparedView>,
}

struct Reading {
    wanted: Wanted,
    session: Option<SessionId>,
    changes: Vec<SessionChange>,
}

impl Reading {
    fn all(&self, opened: &OpenWorkspace) -> Result<Found, salve_tree::TreeError> {
        let history = History::load(&opened.tree)?;
        let before = self.wanted.older.unwrap_or(u64::MAX);
        let mut fitting = history.changes().iter().rev().filter(|change| change.number < before);
        let listed: Vec<&ChangeSet> = fitting.by_ref().take(SHOWN).collect();
        let older = fitting.next().and(listed.last()).map(|last| self.older_link(last.number));
        Ok(Found {
            changes: listed.iter().map(|change| listed_change(&history, change)).collect(),
            total: history.changes().len(),
            older,
            compared: self.compared(&history, opened)?,
        })
    }

    fn older_link(&self, number: u64) -> String {
        let session = self.session.as_ref().map(|id| format!("&session={id}")).unwrap_or_default();
        format!("/history?older={number}{session}")
    }

    fn compared(
        &self,
        history: &History,
        opened: &OpenWorkspace,
    ) -> Result<Option<ComparedView>, salve_tree::TreeError> {
        let (Some(turn), Some(session)) = (self.wanted.before, &self.session) else {
            return Ok(None);
        };
        let plan = plan_rewind(history, session, &self.changes, turn);
        let gone: BTreeSet<&str> =
            plan.changes.iter().chain(&plan.others).map(String::as_str).collect();
        // The oldest of them knows each file as it was before all of them.
        let mut before: BTreeMap<String, Option<Vec<u8>>> = BTreeMap::new();
        for change in history.changes() {
            if !gone.contains(change.id.as_str()) || !history.is_in_effect(&change.id) {
                continue;
            }
            for file in history.export(&opened.tree, &change.id)?.contents {
                before.entry(file.file_path).or_insert(file.old_content);
            }
        }
        let left_out = before.len().saturating_sub(COMPARED);
        let view = opened.view(AdmitOptions::default());
        let now = |path: &str| Some(view.read(&view.admit(path).ok()?).ok()??.bytes);
        let files = before.into_iter().take(COMPARED);
        let files = files.map(|(path, then)| compared_file(now(&path), then, path)).collect();
        Ok(Some(ComparedView {
            place: TurnPlace { session: session.to_string(), turn },
            files,
            changes: plan.changes.len(),
            others: plan.others.len(),
            left_out,
        }))
    }
}

fn compared_file(now: Option<Vec<u8>>, then: Option<Vec<u8>>, path: String) -> FileDiff {
    let note = match (&now, &then) {
        (Some(_), None) => Some("The file would be removed: it was made since.".to_owned()),
        (None, Some(_)) => Some("The file would be back.".to_owned()),
        (now, then) if now == then => Some("The file is already as it was.".to_owned()),
        _ => None,
    };
    let (Some(now), Some(then)) = (readable(now), readable(then)) else {
        let note = Some(
            note.unwrap_or_else(|| "The file is long, or no text: it is not shown.".to_owned()),
        );
        return FileDiff { path, hunks: Vec::new(), note };
    };
    FileDiff { hunks: hunks_between(&now, &then), path, note }
}

// A file that is not there is empty; one that is long or no text is not shown.
fn readable(content: Option<Vec<u8>>) -> Option<String> {
    let bytes = content.unwrap_or_default();
    if bytes.len() > MOST_BYTES { None } else { String::from_utf8(bytes).ok() }
}

fn listed_change(history: &History, change: &ChangeSet) -> Listed {
    let fate = match (change.applied, change.not_applied) {
        (true, _) if history.is_in_effect(&change.id) => ChangeFate::InEffect,
        (true, _) => ChangeFate::TakenBack,
        (false, Some(NotApplied::NoChangeNeeded)) => ChangeFate::NoChangeNeeded,
        (false, _) => ChangeFate::Blocked,
    };
    let view = ChangeView {
        id: change.id.clone(),
        number: change.number,
        here: history.position().is_some_and(|position| position.id == change.id),
        fate,
        files: change.files.iter().take(NAMED).map(named).collect(),
        file_count: change.files.len(),
        lines: (change.total_stats.added, change.total_stats.removed),
        micro_dollars: change.cost.unwrap_or_default().micro_dollars,
        at: i64::try_from(change.timestamp).unwrap_or(i64::MAX),
        origin: origin(change.origin).to_owned(),
        label: change.label.as_deref().map(|label| without_job(label).to_owned()),
        turn: None,
    };
    Listed { view, session: change.session_id.clone() }
}

fn named(file: &ChangedFile) -> String {
    let path = &file.file_path;
    match (&file.moved_from, &file.old, &file.new) {
        (Some(from), ..) => format!("{from} → {path}"),
        (None, None, Some(_)) => format!("{path} (new)"),
        (None, Some(_), None) => format!("{path} (deleted)"),
        _ => path.clone(),
    }
}

const fn origin(origin: Origin) -> &'static str {
    match origin {
        Origin::Chat => "chat",
        Origin::Heal => "heal",
        Origin::Rule => "rule",
        Origin::SubTask => "sub-task",
        Origin::User => "you",
        Origin::Checkpoint => "checkpoint",
        _ => "other",
    }
}

// The log knows the session of a change, the store its turn.
async fn placed(state: &WorkbenchState, listed: Vec<Listed>) -> Answer<Vec<ChangeView>> {
    let sessions: BTreeSet<&String> =
        listed.iter().filter_map(|one| one.session.as_ref()).take(SHOWN).collect();
    let mut turns: BTreeMap<String, TurnPlace> = BTreeMap::new();
    for session in sessions.into_iter().take(ASKED) {
        // A session of another store is none of ours; its changes are taken back in the terminal.
        let Ok(known) = state.session(session).await else { continue };
        for change in state.store().session_changes(&known.id).await? {
            let place = TurnPlace { session: session.clone(), turn: change.turn };
            turns.insert(change.change_id, place);
        }
    }
    let place = |one: Listed| ChangeView { turn: turns.get(&one.view.id).cloned(), ..one.view };
    Ok(listed.into_iter().map(place).collect())
}

// A turn writes in front of its label by which job and answer it is known again; people know it by its words.
fn without_job(label: &str) -> &str {
    let words = label.strip_prefix("turn ").and_then(|rest| rest.split_once(": "));
    words.filter(|(known, _)| known.split(' ').count() == 2).map_or(label, |(_, words)| words)
}
