//! A session goes back, or forward again: which of its changes are in force, and which turns count.
//!
//! In: the changes that the tree took back or made again. Out: the number of the event. Never a change or a
//! turn forgotten: each only changes its mark, so that the way back stays open.

use super::changes;
use super::events::{self, NewSessionEvent};
use super::write::{Known, WrittenSession, known, remember, touch};
use crate::commit::{Rollback, Transaction};
use crate::sql::query;
use crate::{Durability, Store, StoreError};
use salve_types::{ChangeState, SessionId};

/// A session that goes back to before a turn, or forward again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionMove {
    /// The session.
    pub session: SessionId,
    /// What the move is known by in the session.
    pub key: String,
    /// The changes that are taken back or made again.
    pub changes: Vec<String>,
    /// What becomes of them: `Reverted` or `Applied`.
    pub state: ChangeState,
    /// The turns that count no more, or count again; none when the conversation stays.
    pub turns: Vec<u32>,
    /// What is told of it.
    pub event: NewSessionEvent,
}

impl Store {
    /// Writes down that a session went back or forward again, as one transaction. Tasks that the changes
    /// completed are open again, or completed again. The same key again changes nothing.
    ///
    /// # Errors
    /// When there is no such session or change, or the database refuses; nothing is written then.
    pub async fn move_session(&self, moved: SessionMove) -> Result<WrittenSession, StoreError> {
        let redactor = self.redactor();
        let moved = SessionMove {
            session: SessionId(redactor.key(moved.session.as_str())),
            key: redactor.key(&moved.key),
            changes: moved.changes.iter().map(|change| redactor.key(change)).collect(),
            event: moved.event.redacted(redactor),
            ..moved
        };
        self.write(Durability::Full, "move a session", |tx| Box::pin(move_once(tx, moved))).await
    }
}

async fn move_once(
    tx: &mut Transaction<'_>,
    moved: SessionMove,
) -> Result<WrittenSession, Rollback> {
    let session = moved.session.as_str();
    if let Some(known) = known(tx, session, &moved.key).await? {
        return Ok(known.answer(true));
    }
    touch(tx, session).await?;
    for change in &moved.changes {
        changes::set_state(tx, session, change, moved.state).await?;
    }
    for turn in &moved.turns {
        query("UPDATE session_turns SET rewound = $3 WHERE session = $1 AND turn = $2")
            .bind(session)
            .bind(i64::from(*turn))
            .bind(i64::from(moved.state == ChangeState::Reverted))
            .execute(&mut *tx)
            .await?;
    }
    let first = events::append(tx, session, std::slice::from_ref(&moved.event)).await?;
    let done = Known { turn: None, first, events: 1 };
    remember(tx, session, &moved.key, &done).await?;
    Ok(done.answer(false))
}
