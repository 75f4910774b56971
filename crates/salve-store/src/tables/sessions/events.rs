//! What happened in a session, for those who follow it.
//!
//! In: events of a write. Out: events after a number. Never a gap and never one twice: numbers are taken
//! in the order of commits, from the counter of all events, so that those who wait for any are woken.

use super::values::{json, number};
use crate::commit::{Counter, Rollback, Transaction};
use crate::redacted::Redactor;
use crate::sql::{Row, int, query};
use crate::{Store, StoreError};
use salve_types::{SessionEvent, SessionId, Timestamp};
use serde_json::Value;
use std::time::Duration;
use tokio::sync::watch;

/// An event that is to be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSessionEvent {
    /// The turn, if it belongs to one.
    pub turn: Option<u32>,
    /// What happened.
    pub name: String,
    /// The rest.
    pub payload: Value,
}

impl NewSessionEvent {
    pub(super) fn redacted(self, redactor: &Redactor) -> Self {
        Self {
            turn: self.turn,
            name: redactor.name(&self.name),
            payload: redactor.json(self.payload),
        }
    }
}

impl Store {
    /// Returns at most `limit` events of a session after the one numbered `after`, oldest first. A reader
    /// that names the last one it saw gets every later one once; [`Store::wait_for_events`] waits for more.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn session_events(
        &self,
        session: &SessionId,
        after: u64,
        limit: u32,
    ) -> Result<Vec<SessionEvent>, StoreError> {
        let doing = "read the events of a session";
        let rows = query(
            "SELECT id, session, turn, name, at, payload FROM session_events
              WHERE session = $1 AND id > $2 ORDER BY id LIMIT $3",
        )
        .bind(self.redactor().key(session.as_str()))
        .bind(int(after))
        .bind(i64::from(limit))
        .fetch_all(self.readers())
        .await
        .map_err(StoreError::database(doing))?;
        rows.iter().map(read).collect::<Result<_, _>>().map_err(StoreError::database(doing))
    }

    /// Returns the last event of a session that has a name.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn last_session_event(
        &self,
        session: &SessionId,
        name: &str,
    ) -> Result<Option<SessionEvent>, StoreError> {
        let doing = "read the last event of a name";
        let row = query(
            "SELECT id, session, turn, name, at, payload FROM session_events
              WHERE session = $1 AND name = $2 ORDER BY id DESC LIMIT 1",
        )
        .bind(self.redactor().key(session.as_str()))
        .bind(name)
        .fetch_optional(self.readers())
        .await
        .map_err(StoreError::database(doing))?;
        row.as_ref().map(read).transpose().map_err(StoreError::database(doing))
    }

    /// Returns the last `limit` events of a session that have one of two names, oldest first.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn events_named(
        &self,
        session: &SessionId,
        names: [&str; 2],
        limit: u32,
    ) -> Result<Vec<SessionEvent>, StoreError> {
        let doing = "read the events of a session by name";
        let rows = query(
            "SELECT id, session, turn, name, at, payload FROM session_events
              WHERE session = $1 AND name IN ($2, $3) ORDER BY id DESC LIMIT $4",
        )
        .bind(self.redactor().key(session.as_str()))
        .bind(names[0])
        .bind(names[1])
        .bind(i64::from(limit))
        .fetch_all(self.readers())
        .await
        .map_err(StoreError::database(doing))?;
        let events = rows.iter().rev().map(read).collect::<Result<_, _>>();
        events.map_err(StoreError::database(doing))
    }

    /// Returns the events of all sessions of a workspace after the one with this id, at most `limit`.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn workspace_events(
        &self,
        workspace: &str,
        after: u64,
        limit: u32,
    ) -> Result<Vec<SessionEvent>, StoreError> {
        let doing = "read the events of a workspace";
        let rows = query(
            "SELECT id, session, turn, name, at, payload FROM session_events
              WHERE id > $2 AND session IN (SELECT id FROM sessions WHERE workspace = $1)
              ORDER BY id LIMIT $3",
        )
        .bind(self.redactor().name(workspace))
        .bind(int(after))
        .bind(i64::from(limit))
        .fetch_all(self.readers())
        .await
        .map_err(StoreError::database(doing))?;
        rows.iter().map(read).collect::<Result<_, _>>().map_err(StoreError::database(doing))
    }

    /// Returns what wakes a reader of events: of this process at once, of others soon.
    pub fn event_news(&self) -> EventNews {
        EventNews(self.news())
    }

    /// Returns the events of a session from a turn on, oldest first, and those that are about no turn; without
    /// those of one name, where one is given.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn events_of_turns(
        &self,
        session: &SessionId,
        first: u32,
        without: Option<&str>,
    ) -> Result<Vec<SessionEvent>, StoreError> {
        let doing = "read the events of turns";
        let rows = query(
            "SELECT id, session, turn, name, at, payload FROM session_events
              WHERE session = $1 AND (turn >= $2 OR turn IS NULL) AND (name <> $3 OR $3 IS NULL)
              ORDER BY id",
        )
        .bind(self.redactor().key(session.as_str()))
        .bind(i64::from(first))
        .bind(without)
        .fetch_all(self.readers())
        .await
        .map_err(StoreError::database(doing))?;
        rows.iter().map(read).collect::<Result<_, _>>().map_err(StoreError::database(doing))
    }
}

/// Wakes a reader of events. What came while it read is not missed.
#[derive(Debug)]
pub struct EventNews(watch::Receiver<i64>);

impl EventNews {
    /// Waits until there may be events that were not there at the last call, or this long.
    pub async fn wait(&mut self, longest: Duration) {
        let _ = tokio::time::timeout(longest, self.0.changed()).await;
    }
}

/// Keeps events and returns the number of the first; zero when there are none.
pub(super) async fn append(
    tx: &mut Transaction<'_>,
    session: &str,
    events: &[NewSessionEvent],
) -> Result<i64, Rollback> {
    if events.is_empty() {
        return Ok(0);
    }
    let first = tx.take_numbers(Counter::Events, events.len()).await?;
    for (id, event) in (first..).zip(events) {
        query(
            "INSERT INTO session_events (id, session, turn, name, at, payload)
             VALUES ($1, $2, $3, $4, $5, $6)",
        )
        .bind(id)
        .bind(session)
        .bind(event.turn.map(i64::from))
        .bind(&event.name)
        .bind(tx.now().0)
        .bind(event.payload.to_string())
        .execute(&mut *tx)
        .await?;
    }
    Ok(first)
}

fn read(row: &Row) -> Result<SessionEvent, sqlx::Error> {
    let turn = row.try_get::<Option<i64>>(2)?.map(|_| number(row, 2)).transpose()?;
    Ok(SessionEvent {
        id: super::count(row, 0)?,
        session: SessionId(row.try_get(1)?),
        turn,
        name: row.try_get(3)?,
        at: Timestamp(row.try_get(4)?),
        payload: json(&row.try_get::<String>(5)?)?,
    })
}
