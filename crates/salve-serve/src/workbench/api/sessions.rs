//! Sessions: begun, listed, shown, spoken to.
//!
//! In: what a person says. Out: sessions with their turns, and turns that wait to be answered. Never answers itself:
//! the queue of the workspace does.

use super::super::answer::{Answer, Fault, Refusals, json_response};
use super::super::state::WorkbenchState;
use super::input::Told;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use http::StatusCode;
use salve_store::{SessionRecord, TurnRecord};
use salve_types::{CommandResult, SessionChange, TodoItem};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};

/// How many sessions are listed unless more are wanted.
const LISTED: u32 = 50;

/// A session that is to begin.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewSession {
    /// What people know it by; else the beginning of its first message.
    #[serde(default)]
    title: String,
    /// Whether every prompt and answer is kept for an audit.
    #[serde(default)]
    audit: bool,
}

/// A session that began.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Begun {
    /// Its id.
    id: String,
}

/// Begins a session about the workspace.
#[utoipa::path(
    post, path = "/api/v1/sessions", tag = "sessions", request_body = NewSession,
    responses((status = 201, description = "It began.", body = Begun), Refusals),
)]
pub(super) async fn begin(
    State(state): State<Arc<WorkbenchState>>,
    Told(new): Told<NewSession>,
) -> Answer {
    let session = state.conversation().begin(state.root(), &new.title, new.audit).await?;
    Ok(json_response(StatusCode::CREATED, &Begun { id: session.id.to_string() }))
}

/// How many are wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Many {
    /// At most this many.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<u32>,
}

/// Sessions, those that were used last first.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Listed {
    /// The sessions.
    #[schema(value_type = Vec<Value>)]
    sessions: Vec<SessionRecord>,
}

/// Lists the sessions of the workspace.
#[utoipa::path(
    get, path = "/api/v1/sessions", tag = "sessions", params(Many),
    responses((status = 200, description = "The sessions.", body = Listed), Refusals),
)]
pub(super) async fn list(
    State(state): State<Arc<WorkbenchState>>,
    many: Result<Query<Many>, QueryRejection>,
) -> Answer {
    let Query(many) = many.map_err(|error| Fault::invalid(error.body_text()))?;
    let limit = many.limit.unwrap_or(LISTED);
    if !(1..=1000).contains(&limit) {
        return Err(Fault::invalid("limit is from 1 to 1000"));
    }
    let sessions = state.conversation().sessions(state.root(), limit).await?;
    Ok(json_response(StatusCode::OK, &Listed { sessions }))
}

/// A session in full.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Shown {
    /// The session.
    #[schema(value_type = Value)]
    session: SessionRecord,
    /// Its turns, oldest first.
    #[schema(value_type = Vec<Value>)]
    turns: Vec<TurnRecord>,
    /// Its tasks.
    #[schema(value_type = Vec<Value>)]
    todos: Vec<TodoItem>,
    /// The changes of files.
    #[schema(value_type = Vec<Value>)]
    changes: Vec<SessionChange>,
    /// The commands that ran.
    #[schema(value_type = Vec<Value>)]
    commands: Vec<CommandResult>,
    /// What waits for a person, with the hash that an approval of it names.
    waiting: Option<Waiting>,
}

/// What waits for a person.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Waiting {
    /// The turn.
    turn: u32,
    /// Edits, a command or several.
    what: Value,
    /// What an approval of exactly this names.
    approval: String,
}

/// Shows a session.
#[utoipa::path(
    get, path = "/api/v1/sessions/{id}", tag = "sessions",
    params(("id" = String, Path, description = "The session.")),
    responses((status = 200, description = "The session.", body = Shown), Refusals),
)]
pub(super) async fn show(
    State(state): State<Arc<WorkbenchState>>,
    Path(id): Path<String>,
) -> Answer {
    let session = state.session(&id).await?;
    let (store, id) = (state.store(), &session.id);
    let turns = store.turns(id).await?;
    let waiting = match turns.iter().rev().find(|turn| !turn.rewound) {
        Some(turn) => state.waiting(turn).await?,
        None => None,
    };
    let shown = Shown {
        todos: store.todos(id).await?,
        changes: store.session_changes(id).await?,
        commands: store.command_results(id).await?,
        waiting: waiting.map(|waiting| Waiting {
            turn: waiting.turn,
            what: serde_json::json!(waiting.what),
            approval: waiting.approval,
        }),
        turns,
        session,
    };
    Ok(json_response(StatusCode::OK, &shown))
}

/// What a person says.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Message {
    /// `sendMessage`.
    #[serde(rename = "type")]
    kind: MessageKind,
    /// The words.
    #[serde(default)]
    text: String,
    /// Images, each as a `data:` address.
    #[serde(default)]
    images: Vec<String>,
    /// What the message is known by: sent again under the same key, it is the turn there is.
    #[serde(default)]
    key: Option<String>,
}

#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
enum MessageKind {
    SendMessage,
}

/// A turn that waits to be answered.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Asked {
    /// The session.
    session: String,
    /// Which turn of it.
    turn: u32,
}

/// Says something: the turn is kept as pending, then answered in its place of the workspace's queue.
#[utoipa::path(
    post, path = "/api/v1/sessions/{id}/messages", tag = "sessions", request_body = Message,
    params(("id" = String, Path, description = "The session.")),
    responses((status = 202, description = "It is kept, and will be answered.", body = Asked), Refusals),
)]
pub(super) async fn say(
    State(state): State<Arc<WorkbenchState>>,
    Path(id): Path<String>,
    Told(message): Told<Message>,
) -> Answer {
    let MessageKind::SendMessage = message.kind;
    let session = state.session(&id).await?;
    if message.text.trim().is_empty() && message.images.is_empty() {
        return Err(Fault::invalid("nothing is asked for: send a text or an image"));
    }
    let turn = state.say(&session, &message.text, &message.images, message.key.as_deref()).await?;
    let asked = Asked { session: turn.session.to_string(), turn: turn.index };
    Ok(json_response(StatusCode::ACCEPTED, &asked))
}
