//! One write of a session: all that a step did, in one transaction, once.
//!
//! In: a key and what a step did. Out: the numbers of its events. Never twice: a write under a key that
//! is known changes nothing and answers as the first one did.

use super::{NewAudit, NewSessionEvent, TurnUpdate, audit, changes, events, lists, todos, turns};
use crate::commit::{Rollback, Transaction};
use crate::redacted::Redactor;
use crate::sql::{int, query};
use crate::{Durability, Store, StoreError};
use salve_types::{BugReport, CommandResult, FileOperation, SessionChange, SessionId, TodoItem};

/// What a step of a turn did. A moment of zero in it means the moment it is written.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionWrite {
    /// The session.
    pub session: SessionId,
    /// What the write is known by in the session: its job and step.
    pub key: String,
    /// What happened.
    pub events: Vec<NewSessionEvent>,
    /// What became of a turn.
    pub turn: Option<TurnUpdate>,
    /// All tasks in their order. One that is completed stays so, whatever the list says: only the change
    /// that completed it takes that back.
    pub todos: Option<Vec<TodoItem>>,
    /// What was done to files.
    pub file_operations: Vec<FileOperation>,
    /// Faults that were reported.
    pub bugs: Vec<BugReport>,
    /// Commands that ran.
    pub commands: Vec<CommandResult>,
    /// What became of change sets. A task that was completed by one that is taken back is open again.
    pub changes: Vec<SessionChange>,
    /// A prompt and its answer; kept where the session has an audit.
    pub audit: Option<NewAudit>,
}

impl SessionWrite {
    /// Makes a write that does nothing yet.
    pub fn new(session: SessionId, key: impl Into<String>) -> Self {
        Self {
            session,
            key: key.into(),
            events: Vec::new(),
            turn: None,
            todos: None,
            file_operations: Vec::new(),
            bugs: Vec::new(),
            commands: Vec::new(),
            changes: Vec::new(),
            audit: None,
        }
    }

    fn redacted(self, redactor: &Redactor) -> Self {
        Self {
            session: SessionId(redactor.key(self.session.as_str())),
            key: redactor.key(&self.key),
            events: self.events.into_iter().map(|event| event.redacted(redactor)).collect(),
            turn: self.turn.map(|turn| turn.redacted(redactor)),
            todos: self
                .todos
                .map(|list| list.into_iter().map(|todo| todos::redacted(todo, redactor)).collect()),
            file_operations: self
                .file_operations
                .into_iter()
                .map(|operation| lists::redacted_operation(operation, redactor))
                .collect(),
            bugs: self
                .bugs
                .into_iter()
                .map(|bug| BugReport { description: redactor.name(&bug.description), ..bug })
                .collect(),
            commands: self
                .commands
                .into_iter()
                .map(|command| lists::redacted_command(command, redactor))
                .collect(),
            changes: self
                .changes
                .iter()
                .map(|change| changes::redacted(change, redactor))
                .collect(),
            audit: self.audit.map(|audit| audit.redacted(redactor)),
        }
    }
}

/// The answer to a write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenSession {
    /// The numbers of its events, in order.
    pub events: Vec<u64>,
    /// Whether it had been written before, so that nothing was done now.
    pub already: bool,
}

impl Store {
    /// Writes what a step did, as one transaction that survives a loss of power. The same key again
    /// changes nothing and gives the same answer.
    ///
    /// # Errors
    /// When there is no such session or turn, or the database refuses; nothing is written then.
    pub async fn write_session(&self, write: SessionWrite) -> Result<WrittenSession, StoreError> {
        let write = write.redacted(self.redactor());
        let audit_bytes = self.retention().audit_bytes;
        self.write(Durability::Full, "write what happened in a session", move |tx| {
            Box::pin(write_once(tx, write, audit_bytes))
        })
        .await
    }
}

async fn write_once(
    tx: &mut Transaction<'_>,
    write: SessionWrite,
    audit_bytes: u64,
) -> Result<WrittenSession, Rollback> {
    let (session, key) = (write.session.as_str(), write.key.as_str());
    if let Some(known) = known(tx, session, key).await? {
        return Ok(known.answer(true));
    }
    touch(tx, session).await?;
    let first = events::append(tx, session, &write.events).await?;
    if let Some(turn) = &write.turn {
        turns::update(tx, session, turn).await?;
    }
    changes::put(tx, session, &write.changes).await?;
    if let Some(list) = &write.todos {
        todos::put(tx, session, list).await?;
    }
    lists::add_operations(tx, session, &write.file_operations).await?;
    lists::add_bugs(tx, session, &write.bugs).await?;
    lists::add_commands(tx, session, &write.commands).await?;
    if let Some(entry) = &write.audit {
        audit::add(tx, session, entry, audit_bytes).await?;
    }
    let done = Known { turn: None, first, events: write.events.len() };
    remember(tx, session, key, &done).await?;
    Ok(done.answer(false))
}

/// A write that was made.
#[derive(Debug)]
pub(super) struct Known {
    /// The turn it made, if it made one.
    pub(super) turn: Option<i64>,
    /// The number of its first event.
    pub(super) first: i64,
    /// How many events it has.
    pub(super) events: usize,
}

impl Known {
    pub(super) fn answer(&self, already: bool) -> WrittenSession {
        let first = u64::try_from(self.first).unwrap_or_default();
        WrittenSession { events: (first..).take(self.events).collect(), already }
    }
}

/// Returns the write that was made under a key, if one was.
pub(super) async fn known(
    tx: &mut Transaction<'_>,
    session: &str,
    key: &str,
) -> Result<Option<Known>, Rollback> {
    let row = query(
        "SELECT turn, first_event, events FROM session_writes WHERE session = $1 AND key = $2",
    )
    .bind(session)
    .bind(key)
    .fetch_optional(tx)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let events = usize::try_from(row.try_get::<i64>(2)?).unwrap_or_default();
    Ok(Some(Known { turn: row.try_get(0)?, first: row.try_get(1)?, events }))
}

/// Notes that a write was made.
pub(super) async fn remember(
    tx: &mut Transaction<'_>,
    session: &str,
    key: &str,
    done: &Known,
) -> Result<(), Rollback> {
    query(
        "INSERT INTO session_writes (session, key, turn, first_event, events)
         VALUES ($1, $2, $3, $4, $5)",
    )
    .bind(session)
    .bind(key)
    .bind(done.turn)
    .bind(done.first)
    .bind(int(done.events as u64))
    .execute(tx)
    .await?;
    Ok(())
}

/// Notes that a session is written to now.
pub(super) async fn touch(tx: &mut Transaction<'_>, session: &str) -> Result<(), Rollback> {
    let found = query("UPDATE sessions SET updated_at = $2 WHERE id = $1")
        .bind(session)
        .bind(tx.now().0)
        .execute(tx)
        .await?;
    if found == 0 {
        return Err(StoreError::NoSuchSession(session.to_owned()).into());
    }
    Ok(())
}

/// Notes that a session refers to a text, which is not forgotten by age then.
pub(super) async fn hold_text(
    tx: &mut Transaction<'_>,
    session: &str,
    text: &str,
    holder: &str,
) -> Result<(), Rollback> {
    query(
        "INSERT INTO session_texts (content, session, holder) VALUES ($1, $2, $3)
         ON CONFLICT (content, session, holder) DO NOTHING",
    )
    .bind(text)
    .bind(session)
    .bind(holder)
    .execute(tx)
    .await?;
    Ok(())
}
