//! A session that begins with the turns of another.
//!
//! In: a session, and the last turn to take over. Out: a child with the same conversation, tasks, files and
//! changes up to there. Never turns that are still worked on, and never money: that was spent by the parent.

use super::events::{self, NewSessionEvent};
use super::handoff::HANDED_OVER;
use super::{NewSession, SessionRecord, begin, existing};
use crate::commit::{Rollback, Transaction};
use crate::sql::query;
use crate::{Durability, Store, StoreError};
use salve_types::SessionId;
use serde_json::{Value, json};

impl Store {
    /// Begins a session with the turns of another, up to `last`, and returns it.
    ///
    /// # Errors
    /// When there is no such session or turn, or the database refuses.
    pub async fn fork_session(
        &self,
        session: &SessionId,
        last: Option<u32>,
    ) -> Result<SessionRecord, StoreError> {
        let session = self.redactor().key(session.as_str());
        self.write(Durability::Full, "fork a session", move |tx| Box::pin(fork(tx, session, last)))
            .await
    }
}

async fn fork(
    tx: &mut Transaction<'_>,
    parent: String,
    last: Option<u32>,
) -> Result<SessionRecord, Rollback> {
    let from = existing(tx, &parent).await?;
    if let Some(turn) = last.filter(|turn| *turn > from.turns) {
        return Err(super::turns::no_such_turn(&parent, i64::from(turn)).into());
    }
    let last = i64::from(last.unwrap_or(from.turns));
    let new = NewSession {
        workspace: from.workspace,
        title: from.title,
        parent: Some(from.id),
        audit: from.audit,
        limits: from.limits,
    };
    let child = begin(tx, &new).await?;
    for sql in COPIES {
        query(sql).bind(&child).bind(&parent).bind(last).execute(&mut *tx).await?;
    }
    let handed = handed_over(tx, &parent, last).await?;
    for sql in SETTLED {
        query(sql)
            .bind(&child)
            .bind(handed.as_ref().map_or(0, |(turn, _)| *turn))
            .execute(&mut *tx)
            .await?;
    }
    let handed = handed.map(|(_, payload)| NewSessionEvent {
        turn: None,
        name: HANDED_OVER.to_owned(),
        payload,
    });
    let event = NewSessionEvent {
        turn: None,
        name: "sessionForked".to_owned(),
        payload: json!({ "from": parent, "turn": last }),
    };
    let events: Vec<NewSessionEvent> = handed.into_iter().chain([event]).collect();
    events::append(tx, &child, &events).await?;
    existing(tx, &child).await
}

// How a session began that was handed over: which of its turns are those of the one before, and what it got from it.
// A fork of it begins in the same way, else it would count those turns again.
async fn handed_over(
    tx: &mut Transaction<'_>,
    session: &str,
    last: i64,
) -> Result<Option<(i64, Value)>, Rollback> {
    let first =
        query("SELECT name, payload FROM session_events WHERE session = $1 ORDER BY id LIMIT 1")
            .bind(session)
            .fetch_optional(&mut *tx)
            .await?;
    let Some(first) =
        first.filter(|row| row.try_get::<String>(0).is_ok_and(|name| name == HANDED_OVER))
    else {
        return Ok(None);
    };
    let mut payload: Value = super::values::json(&first.try_get::<String>(1)?)?;
    // The one that hands over is told of it, too; only the other one began with it.
    let Some(turn) = payload["turn"].as_i64().filter(|_| payload["context"].is_string()) else {
        return Ok(None);
    };
    payload["turn"] = json!(turn.min(last));
    Ok(Some((turn.min(last), payload)))
}

/// Copies what a session that goes on from another keeps of it beside the conversation: tasks, files, and the
/// changes, so that they can be taken back there, too.
pub(super) async fn copy_work(
    tx: &mut Transaction<'_>,
    child: &str,
    parent: &str,
    last: i64,
) -> Result<(), Rollback> {
    const WORK: [&str; 3] = ["session_todos", "session_files", "session_changes"];
    let is_work = |sql: &&&str| WORK.iter().any(|table| sql.contains(&format!("INTO {table} ")));
    for sql in COPIES.iter().filter(is_work) {
        query(sql).bind(child).bind(parent).bind(last).execute(&mut *tx).await?;
    }
    Ok(())
}

/// `$1` is the child, `$2` the parent, `$3` the last turn. A turn that waited when it was rewound is over.
const COPIES: &[&str] = &[
    "INSERT INTO session_turns (session, turn, request, images, status, raw, partial, result, plan,
         tokens_in, tokens_out, micro_dollars, attempt, finish_reason, model, rewound, created_at,
         updated_at)
     SELECT $1, turn, request, images, CASE WHEN status = 'waiting' THEN 'cancelled' ELSE status END,
            raw, partial, result, plan, tokens_in, tokens_out, micro_dollars, attempt, finish_reason,
            model, rewound, created_at, updated_at
       FROM session_turns
      WHERE session = $2 AND turn <= $3
        AND (status NOT IN ('pending', 'running', 'waiting') OR (status = 'waiting' AND rewound = 1))",
    "INSERT INTO session_todos (session, id, place, task, completed, completed_by, claimed, origin_turn)
     SELECT $1, id, place, task, completed, completed_by, claimed, origin_turn FROM session_todos
      WHERE session = $2 AND origin_turn <= $3",
    "INSERT INTO session_files (session, place, path, op, hash_before, hash_after, md5, size, done_by, at,
         turn)
     SELECT $1, place, path, op, hash_before, hash_after, md5, size, done_by, at, turn
       FROM session_files WHERE session = $2 AND turn <= $3",
    "INSERT INTO session_bugs (session, place, kind, reported_by, description, turn, at)
     SELECT $1, place, kind, reported_by, description, turn, at
       FROM session_bugs WHERE session = $2 AND turn <= $3",
    "INSERT INTO session_commands (session, place, command, cwd, ended_with, duration_ms, output, shown,
         started_by, turn, at)
     SELECT $1, place, command, cwd, ended_with, duration_ms, output, shown, started_by, turn, at
       FROM session_commands WHERE session = $2 AND turn <= $3",
    "INSERT INTO session_changes (session, change_id, place, turn, state, todos, micro_dollars, checked,
         parent_change)
     SELECT $1, change_id, place, turn, state, todos, micro_dollars, checked, parent_change
       FROM session_changes WHERE session = $2 AND turn <= $3",
    "INSERT INTO session_texts (content, session, holder)
     SELECT content, $1, holder FROM session_texts
      WHERE session = $2 AND substr(holder, 1, 6) <> 'audit:' AND $3 >= 0",
];

/// `$1` is the child, `$2` the last turn of the session that was handed over to its parent. What follows from the
/// copies: how many turns there are, and that a task counts as completed only by a change
/// that was copied, too.
const SETTLED: &[&str] = &[
    "UPDATE sessions SET turns = (SELECT CASE WHEN coalesce(max(turn), 0) > $2 THEN max(turn) ELSE $2 END
                                    FROM session_turns WHERE session = $1)
      WHERE id = $1",
    "UPDATE session_todos SET completed = 0, completed_by = NULL
      WHERE session = $1 AND completed_by IS NOT NULL AND $2 >= 0
        AND completed_by NOT IN (SELECT change_id FROM session_changes WHERE session = $1)",
];
