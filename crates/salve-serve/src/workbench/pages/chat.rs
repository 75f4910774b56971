//! The chat as a page: the session that was used last, or a named one.
//!
//! In: a session, and which of its turns are wanted. Out: the screen, with the number of the last event that it shows, so
//! that the stream goes on from there. Never begins a session: the page asks for that by a request of its own.

use super::super::answer::{Answer, page};
use super::super::config::CommandChoice;
use super::super::state::WorkbenchState;
use super::super::view::chat::{
    ChatView, CommandQuestion, FoldedTurn, HandoffView, ImageQuestion, PanelView, SessionHead,
    TurnView, chat_screen,
};
use super::diffs::{Diffs, differences};
use super::shell;
use super::turn::{TurnFacts, turn_view};
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Redirect, Response};
use http::StatusCode;
use salve_engine::session::{EventName, OFFER_AT_PERCENT, WaitingTurn, Waits, handoff_input};
use salve_store::{SessionRecord, TurnRecord};
use salve_types::{ChangeState, SessionEvent, TodoItem, TurnStatus};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::sync::Arc;

/// How many turns are shown in full; of those before only a line is.
const SHOWN: u32 = 20;
/// How many sessions are offered.
const OFFERED: u32 = 12;

/// Which part of a session is wanted.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Wanted {
    /// The turn from which on it is shown in full.
    at: Option<u32>,
}

/// Answers `GET /chat`: the session that was used last, or a ready empty one.
pub(super) async fn last(State(state): State<Arc<WorkbenchState>>) -> Answer<Response> {
    let sessions = state.conversation().sessions(state.root(), 1).await?;
    if let Some(session) = sessions.first() {
        return Ok(Redirect::to(&format!("/chat/{}", session.id)).into_response());
    }
    let practice = state.config.label.practice;
    let view = ChatView { suggestions: suggestions(practice), ..ChatView::default() };
    Ok(page(
        StatusCode::OK,
        super::super::view::shell::page(&shell(&state, "Chat"), &chat_screen(&view)),
    ))
}

/// Answers `GET /chat/{id}`.
pub(super) async fn one(
    State(state): State<Arc<WorkbenchState>>,
    Path(id): Path<String>,
    Query(wanted): Query<Wanted>,
) -> Answer<Response> {
    let session = state.session(&id).await?;
    let (view, after) = whole(&state, &session, wanted.at).await?;
    let mut shell = shell(&state, "Chat");
    (shell.session, shell.after) = (Some(session.id.to_string()), after);
    let drawn = tokio::task::spawn_blocking(move || {
        super::super::view::shell::page(&shell, &chat_screen(&view))
    });
    let drawn = drawn.await.map_err(|error| super::super::answer::Fault::broken(&error))?;
    Ok(page(StatusCode::OK, drawn))
}

/// Reads a session for its page; also the last event that it shows.
pub(in crate::workbench) async fn whole(
    state: &WorkbenchState,
    session: &SessionRecord,
    at: Option<u32>,
) -> Answer<(ChatView, u64)> {
    // The events first: what happens while the rest is read comes again with the stream, and changes nothing.
    let last = session.turns;
    let from = at.unwrap_or(u32::MAX).min(last.saturating_sub(SHOWN - 1)).max(1);
    let until = at.map_or(last, |_| (from + SHOWN - 1).min(last));
    let store = state.store();
    let chunks = EventName::UpdateResponseChunk.name();
    let mut events = store.events_of_turns(&session.id, from, Some(chunks)).await?;
    let turns = store.turns(&session.id).await?;
    // What arrives, or had come when it broke off, is shown piece by piece.
    let is_in_pieces = |turn: &&TurnRecord| {
        is_running(turn) || matches!(turn.status, TurnStatus::Failed | TurnStatus::Cancelled)
    };
    if let Some(running) = turns.last().filter(is_in_pieces) {
        let with_chunks = store.events_of_turns(&session.id, running.index, None).await?;
        events.retain(|event| event.turn.is_none_or(|turn| turn < running.index));
        events.extend(with_chunks.into_iter().filter(|event| event.turn.is_some()));
        events.sort_by_key(|event| event.id);
    }
    let after = events.iter().map(|event| event.id).max().unwrap_or(0);
    let mut view = about(state, session).await?;
    let shown = |turn: &&TurnRecord| (from..=until.max(last)).contains(&turn.index);
    view.folded = turns
        .iter()
        .filter(|turn| turn.index < from)
        .map(|turn| FoldedTurn {
            number: turn.index,
            request: turn.text.clone(),
            status: turn.status,
        })
        .collect();
    let records: Vec<&TurnRecord> = turns.iter().filter(shown).collect();
    view.turns = drawn_turns(state, session, &records, &events).await?;
    if view.turns.is_empty() {
        view.suggestions = suggestions(state.config.label.practice);
    }
    fill(state, &mut view, turns.last(), &events).await?;
    Ok((view, after))
}

/// Reads what a few events changed: the turns that they are about, and what is beside the conversation.
pub(in crate::workbench) async fn changed(
    state: &WorkbenchState,
    session: &SessionRecord,
    events: &[SessionEvent],
) -> Answer<ChatView> {
    let store = state.store();
    let mut view = about(state, session).await?;
    let named: BTreeSet<u32> = events.iter().filter_map(|event| event.turn).collect();
    // What is about no turn may be about all of them, as a rewind is.
    let all = events.iter().any(|event| event.turn.is_none());
    let last = session.turns;
    let wanted: BTreeSet<u32> =
        if all { (last.saturating_sub(SHOWN - 1).max(1)..=last).collect() } else { named };
    let Some(first) = wanted.first().copied() else { return Ok(view) };
    let mut records = Vec::new();
    for turn in wanted.iter().copied().chain([last]) {
        if records.iter().all(|record: &TurnRecord| record.index != turn) {
            records.extend(store.turn(&session.id, turn).await?);
        }
    }
    let newest = records.iter().max_by_key(|record| record.index).cloned();
    let history = store.events_of_turns(&session.id, first, None).await?;
    let records: Vec<&TurnRecord> =
        records.iter().filter(|turn| wanted.contains(&turn.index) || turn.index == last).collect();
    view.turns = drawn_turns(state, session, &records, &history).await?;
    view.turns.sort_by_key(|turn| turn.number);
    fill(state, &mut view, newest.as_ref(), &history).await?;
    Ok(view)
}

async fn about(state: &WorkbenchState, session: &SessionRecord) -> Answer<ChatView> {
    let others = state.conversation().sessions(state.root(), OFFERED).await?;
    let todos = state.store().todos(&session.id).await?;
    // One that goes on from another counts on from its turns.
    let newest = state.store().turn(&session.id, session.turns).await?;
    let head = SessionHead {
        id: session.id.to_string(),
        title: session.title.clone(),
        turns: session.turns,
        tokens: session.tokens_in + session.tokens_out,
        micro_dollars: session.micro_dollars,
        parent: session.parent.as_ref().map(ToString::to_string),
        others: others.iter().map(|other| (other.id.to_string(), other.title.clone())).collect(),
        prefilled: if newest.is_none() { prefilled(session, &todos) } else { String::new() },
    };
    Ok(ChatView { head, todos, ..ChatView::default() })
}

// A session that goes on from another begins with what was open there.
fn prefilled(session: &SessionRecord, todos: &[TodoItem]) -> String {
    if session.parent.is_none() {
        return String::new();
    }
    let open: Vec<TodoItem> = todos.iter().filter(|todo| !todo.completed).cloned().collect();
    if open.is_empty() { String::new() } else { handoff_input(&open) }
}

async fn drawn_turns(
    state: &WorkbenchState,
    session: &SessionRecord,
    records: &[&TurnRecord],
    events: &[SessionEvent],
) -> Answer<Vec<TurnView>> {
    let changes = state.store().session_changes(&session.id).await?;
    let reverted: BTreeSet<String> = changes
        .iter()
        .filter(|change| change.state == ChangeState::Reverted)
        .map(|change| change.change_id.clone())
        .collect();
    let wanted: BTreeSet<u32> = records.iter().map(|record| record.index).collect();
    let applied = changes.iter().filter(|change| wanted.contains(&change.turn));
    let diffs: Diffs = differences(state, applied.map(|change| change.change_id.clone())).await;
    let mut turns = Vec::with_capacity(records.len());
    for record in records {
        let of_turn: Vec<SessionEvent> =
            events.iter().filter(|event| event.turn == Some(record.index)).cloned().collect();
        let waiting = state.waiting(record).await?;
        let approval = waiting.map(|waiting| waiting.approval);
        let facts =
            TurnFacts { record, events: &of_turn, approval, diffs: &diffs, reverted: &reverted };
        turns.push(turn_view(&facts));
    }
    Ok(turns)
}

// What the last turn asks, and how its commands are.
async fn fill(
    state: &WorkbenchState,
    view: &mut ChatView,
    last: Option<&TurnRecord>,
    events: &[SessionEvent],
) -> Answer<()> {
    let Some(last) = last else { return Ok(()) };
    let of_last = || events.iter().filter(|event| event.turn == Some(last.index));
    let waiting = state.waiting(last).await?;
    view.panel = of_last()
        .rev()
        .find(|event| event.name == EventName::CliProgress.name())
        .and_then(|event| panel_of(&event.payload))
        .map(|panel| PanelView { turn: last.index, ..panel });
    if let Some(waiting) = &waiting {
        ask(state, view, waiting);
    }
    let last_of = |name: EventName| events.iter().rev().find(|event| event.name == name.name());
    let decided = last_of(EventName::HandoffDecided).map_or(0, |event| event.id);
    let offered = last_of(EventName::HandoffOffered).filter(|event| event.id > decided);
    if let Some(offered) = offered {
        let percent = offered.payload["percent"].as_u64().unwrap_or(OFFER_AT_PERCENT);
        let open_todos = view.todos.iter().filter(|todo| !todo.completed).count();
        view.handoff = Some(HandoffView { percent, open_todos });
    }
    Ok(())
}

// A command that is on a list runs when it is told to; one that is not, and several at once, are asked about.
fn ask(state: &WorkbenchState, view: &mut ChatView, waiting: &WaitingTurn) {
    let (lines, why, choice) = match &waiting.what {
        Waits::Edits { .. } => return ask_early(state, view, waiting),
        Waits::Images { count, micro_dollars } => {
            let turn = view.turns.iter_mut().find(|turn| turn.number == waiting.turn);
            if let Some(turn) = turn {
                turn.image_question = Some(ImageQuestion {
                    count: *count,
                    micro_dollars: *micro_dollars,
                    approval: waiting.approval.clone(),
                });
            }
            return;
        }
        Waits::Command { command, why } => {
            let choice = state.config.host.choices(command).unwrap_or_default();
            (vec![command.clone()], why.clone(), choice)
        }
        Waits::Commands { commands, why } => {
            (commands.clone(), why.in_words(), CommandChoice::default())
        }
    };
    let asks = !choice.allowed;
    let turn = view.turns.iter_mut().find(|turn| turn.number == waiting.turn);
    for command in turn.into_iter().flat_map(|turn| &mut turn.commands) {
        if command.state.is_open() && lines.contains(&command.command) {
            command.approval = Some(waiting.approval.clone());
            command.asks = asks;
        }
    }
    if asks {
        view.questions.push(CommandQuestion {
            turn: waiting.turn,
            command: lines.join("\n"),
            why,
            approval: waiting.approval.clone(),
            can_add: choice.entries.is_some(),
            row: matches!(waiting.what, Waits::Commands { .. }),
            ..CommandQuestion::default()
        });
    }
}

// A command may run before the changes of its answer are decided about, when a person says so.
fn ask_early(state: &WorkbenchState, view: &mut ChatView, waiting: &WaitingTurn) {
    let Some(turn) = view.turns.iter_mut().find(|turn| turn.number == waiting.turn) else { return };
    for command in turn.commands.iter_mut().filter(|command| command.state.is_open()) {
        let choice = state.config.host.choices(&command.command).unwrap_or_default();
        command.approval = Some(waiting.approval.clone());
        (command.early, command.asks) = (true, !choice.allowed);
        if command.asks {
            view.questions.push(CommandQuestion {
                turn: waiting.turn,
                command: command.command.clone(),
                cwd: command.cwd.clone(),
                why: "It is not on the list of commands that run. The changes above wait on."
                    .to_owned(),
                approval: waiting.approval.clone(),
                can_add: choice.entries.is_some(),
                early: Some(command.number),
                row: true,
            });
        }
    }
}

// The event has the panel, or is it.
fn panel_of(payload: &serde_json::Value) -> Option<PanelView> {
    let panel = payload.get("panel").unwrap_or(payload);
    serde_json::from_value(panel.clone()).ok()
}

const fn is_running(turn: &TurnRecord) -> bool {
    matches!(turn.status, TurnStatus::Pending | TurnStatus::Running)
}

// What an empty session proposes to ask.
fn suggestions(practice: bool) -> Vec<String> {
    let words: &[&str] = if practice {
        &["add a discount to price.py", "show the files"]
    } else {
        &[
            "What does this project do?",
            "Find a function without a test and write one",
            "Run the checks and fix what is red",
        ]
    };
    words.iter().map(|words| (*words).to_owned()).collect()
}
