//! A session that begins with the turns of another.
//!
//! In: a session, and the last turn to take over. Out: a child with the same conversation, tasks, files and
//! changes up to there. Never turns that are still worked on, and never money: that was spent by the parent.

use super::events::{self, NewSessionEvent};
use super::{NewSession, SessionRecord, begin, existing};
use crate::commit::{Rollback, Transaction};
use crate::sql::query;
use crate::{Durability, Store, StoreError};
use salve_types::SessionId;
use serde_json::json;

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
    for sql in SETTLED {
        query(sql).bind(&child).execute(&mut *tx).await?;
    }
    let event = NewSessionEvent {
        turn: None,
        name: "sessionForked".to_owned(),
        payload: json!({ "from": parent, "turn": last }),
    };
    events::append(tx, &child, &[event]).await?;
    existing(tx, &child).await
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

/// `$1` is the child, `$2` the parent, `$3` the last turn.
const COPIES: &[&str] = &[
    "INSERT INTO session_turns (session, turn, request, images, status, raw, partial, result, plan,
         tokens_in, tokens_out, micro_dollars, attempt, finish_reason, model, rewound, created_at,
         updated_at)
     SELECT $1, turn, request, images, status, raw, partial, result, plan, tokens_in, tokens_out,
            micro_dollars, attempt, finish_reason, model, rewound, created_at, updated_at
       FROM session_turns
      WHERE session = $2 AND turn <= $3 AND status NOT IN ('pending', 'running', 'waiting')",
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

/// What follows from the copies: how many turns there are, and that a task counts as completed only by a change
/// that was copied, too.
const SETTLED: &[&str] = &[
    "UPDATE sessions SET turns = (SELECT coalesce(max(turn), 0) FROM session_turns WHERE session = $1)
      WHERE id = $1",
    "UPDATE session_todos SET completed = 0, completed_by = NULL
      WHERE session = $1 AND completed_by IS NOT NULL
        AND completed_by NOT IN (SELECT change_id FROM session_changes WHERE session = $1)",
];
