//! What was recovered of a broken answer, taken as it is shown.
//!
//! In: a turn of which only parts could be read, and the tasks of its session. Out: one write that calls it completed,
//! with its tasks on the list and its mark kept. Never applies a change, never runs a command: those of an answer that
//! is not whole are for showing.

use super::event::EventName;
use super::reply::ChatAnswer;
use super::todos::merge_todos;
use salve_store::{NewSessionEvent, SessionWrite, TurnRecord, TurnUpdate};
use salve_types::{TodoItem, TurnStatus};
use serde_json::json;

/// Accepts what was recovered in a turn; nothing where it is not such a turn.
pub fn accept_recovered(turn: &TurnRecord, todos: &[TodoItem]) -> Option<SessionWrite> {
    if turn.status != TurnStatus::CompletedPartial || turn.rewound {
        return None;
    }
    let answer: ChatAnswer = serde_json::from_value(turn.result.clone()?).ok()?;
    let mut number = todos.len();
    let new_id = || {
        number += 1;
        format!("t{}-{number}", turn.index)
    };
    let merged = merge_todos(todos, &answer.todos, turn.index, new_id);
    let event = |name: EventName, payload| NewSessionEvent {
        turn: Some(turn.index),
        name: name.name().to_owned(),
        payload,
    };
    let mut events = Vec::new();
    let is_new = merged != todos;
    if is_new {
        events.push(event(EventName::TodosUpdated, json!({ "todos": merged })));
    }
    let payload = json!({
        "status": TurnStatus::Completed, "accepted": true, "changes": [], "structured": answer,
    });
    events.push(event(EventName::RequestComplete, payload));
    let status = Some(TurnStatus::Completed);
    Some(SessionWrite {
        events,
        turn: Some(TurnUpdate { index: turn.index, status, ..TurnUpdate::default() }),
        todos: is_new.then_some(merged),
        ..SessionWrite::new(turn.session.clone(), format!("accept:{}:{}", turn.index, turn.attempt))
    })
}
