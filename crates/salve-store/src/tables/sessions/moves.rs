//! A session goes back, or forward again: which of its changes are in force, and which turns count.
//!
//! In: the changes that the tree took back or made again, and what became of the files. Out: the number of the
//! event. Every session that knows one of the changes is told, because there is one tree. Never a change or a
//! turn forgotten: each only changes its mark, so that the way back stays open.

use super::events::{self, NewSessionEvent};
use super::write::{Known, WrittenSession, known, remember, touch};
use super::{changes, lists};
use crate::commit::{Rollback, Transaction};
use crate::redacted::Redactor;
use crate::sql::query;
use crate::{Durability, Store, StoreError};
use salve_types::{ChangeState, FileOperation, SessionId};
use serde_json::json;

/// The name of the event that tells a session of changes that were moved from outside of it.
const CHANGES_MOVED: &str = "changesMoved";

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
    /// What the tree did: other sessions that know its changes are told, too.
    pub tree: MovedChanges,
    /// What is told of it.
    pub event: NewSessionEvent,
}

/// Changes that the tree took back or made again.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MovedChanges {
    /// The changes that were taken back.
    pub taken_back: Vec<String>,
    /// The changes that were made again.
    pub made_again: Vec<String>,
    /// What became of the files; their turn is filled in.
    pub files: Vec<FileOperation>,
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
            tree: moved.tree.redacted(redactor),
            event: moved.event.redacted(redactor),
            ..moved
        };
        self.write(Durability::Full, "move a session", |tx| Box::pin(move_once(tx, moved))).await
    }

    /// Tells every session that knows one of these changes, as one transaction, and returns those sessions.
    /// Changes that are marked so already are told to nobody.
    ///
    /// # Errors
    /// When the database refuses; nothing is written then.
    pub async fn move_changes(&self, moved: MovedChanges) -> Result<Vec<SessionId>, StoreError> {
        let moved = moved.redacted(self.redactor());
        self.write(Durability::Full, "tell sessions of moved changes", |tx| {
            Box::pin(async move {
                let told = tell_all(tx, &moved, None).await?;
                Ok(told.into_iter().map(SessionId).collect())
            })
        })
        .await
    }
}

impl MovedChanges {
    fn redacted(self, redactor: &Redactor) -> Self {
        let keys = |ids: &[String]| ids.iter().map(|id| redactor.key(id)).collect();
        let operation = |file| lists::redacted_operation(file, redactor);
        Self {
            taken_back: keys(&self.taken_back),
            made_again: keys(&self.made_again),
            files: self.files.into_iter().map(operation).collect(),
        }
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
    add_files(tx, session, &moved.tree.files).await?;
    tell_all(tx, &moved.tree, Some(session)).await?;
    let first = events::append(tx, session, std::slice::from_ref(&moved.event)).await?;
    let done = Known { turn: None, first, events: 1 };
    remember(tx, session, &moved.key, &done).await?;
    Ok(done.answer(false))
}

/// Tells the sessions that know one of the changes, but for one that was told.
async fn tell_all(
    tx: &mut Transaction<'_>,
    moved: &MovedChanges,
    but: Option<&str>,
) -> Result<Vec<String>, Rollback> {
    let mut told: Vec<String> = Vec::new();
    for (changes, state) in
        [(&moved.taken_back, ChangeState::Reverted), (&moved.made_again, ChangeState::Applied)]
    {
        for change in changes {
            let was = if state == ChangeState::Reverted { "applied" } else { "reverted" };
            let knowing: Vec<String> = query(
                "SELECT session FROM session_changes WHERE change_id = $1 AND state = $2 ORDER BY session",
            )
            .bind(change)
            .bind(was)
            .fetch_values(&mut *tx)
            .await?;
            for session in knowing.into_iter().filter(|one| Some(one.as_str()) != but) {
                changes::set_state(tx, &session, change, state).await?;
                if !told.contains(&session) {
                    told.push(session);
                }
            }
        }
    }
    for session in &told {
        touch(tx, session).await?;
        add_files(tx, session, &moved.files).await?;
        let event = NewSessionEvent {
            turn: None,
            name: CHANGES_MOVED.to_owned(),
            payload: json!({ "takenBack": moved.taken_back, "madeAgain": moved.made_again }),
        };
        events::append(tx, session, &[event]).await?;
    }
    Ok(told)
}

/// Notes what became of files, as of the last turn there is.
async fn add_files(
    tx: &mut Transaction<'_>,
    session: &str,
    files: &[FileOperation],
) -> Result<(), Rollback> {
    let sql = "SELECT turns FROM sessions WHERE id = $1";
    let turns: i64 = query(sql).bind(session).fetch_value(&mut *tx).await?;
    let turn = u32::try_from(turns).unwrap_or_default();
    let files: Vec<FileOperation> =
        files.iter().map(|file| FileOperation { turn, ..file.clone() }).collect();
    lists::add_operations(tx, session, &files).await
}
