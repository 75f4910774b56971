//! What happened, in order, for those who follow.
//!
//! In: events to be kept. Out: events after a number, or a subscription that waits for more. Never a
//! gap and never twice: a subscription only ever reads rows in the order of their numbers, and is
//! merely woken by what is new.

use super::Table;
use crate::commit::{Counter, Rollback, Transaction};
use crate::migrations::Migration;
use crate::sql::{Row, query};
use crate::{Durability, Store, StoreError};
use salve_types::Timestamp;
use serde::Serialize;
use serde_json::Value;
use std::collections::VecDeque;
use tokio::sync::watch;

/// An event that is to be kept.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEvent {
    /// What happened: a short name such as `call.settled`.
    pub kind: String,
    /// To what: an id, or nothing.
    pub subject: String,
    /// The rest.
    pub body: Value,
}

/// An event that is kept.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Event {
    /// Its number: larger than that of every event before it.
    pub id: i64,
    /// When it was kept.
    pub at: Timestamp,
    /// What happened.
    pub kind: String,
    /// To what.
    pub subject: String,
    /// The rest.
    pub body: Value,
}

/// A redacted event.
#[derive(Debug)]
pub(crate) struct ReadyEvent {
    pub(crate) kind: String,
    pub(crate) subject: String,
    pub(crate) body: String,
}

/// A subscription reads this many events at once.
const PAGE: u32 = 256;

impl Store {
    /// Keeps an event and returns its number.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn append_event(&self, event: NewEvent) -> Result<i64, StoreError> {
        let redactor = self.redactor();
        let event = ReadyEvent {
            kind: redactor.name(&event.kind),
            subject: redactor.name(&event.subject),
            body: redactor.json(event.body).to_string(),
        };
        self.write(Durability::Normal, "keep an event", |tx| {
            Box::pin(async move { append(tx, vec![event]).await })
        })
        .await
    }

    /// Returns at most `limit` events after the one numbered `id`, oldest first.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn events_after(&self, id: i64, limit: u32) -> Result<Vec<Event>, StoreError> {
        let doing = "read events";
        let rows = query(
            "SELECT id, at, kind, subject, body FROM events WHERE id > $1 ORDER BY id LIMIT $2",
        )
        .bind(id)
        .bind(i64::from(limit))
        .fetch_all(self.readers())
        .await
        .map_err(StoreError::database(doing))?;
        read(&rows).map_err(StoreError::database(doing))
    }

    /// Follows the events after the one numbered `id`, also those of other processes.
    pub fn subscribe(&self, id: i64) -> Subscription {
        Subscription { store: self.clone(), last: id, read: VecDeque::new(), news: self.news() }
    }
}

/// Keeps events and returns the number of the first.
pub(crate) async fn append(
    tx: &mut Transaction<'_>,
    events: Vec<ReadyEvent>,
) -> Result<i64, Rollback> {
    let first = tx.take_numbers(Counter::Events, events.len()).await?;
    for (id, event) in (first..).zip(events) {
        query("INSERT INTO events (id, at, kind, subject, body) VALUES ($1, $2, $3, $4, $5)")
            .bind(id)
            .bind(tx.now().0)
            .bind(event.kind)
            .bind(event.subject)
            .bind(event.body.into_bytes())
            .execute(&mut *tx)
            .await?;
    }
    Ok(first)
}

/// Follows events.
#[must_use]
pub struct Subscription {
    store: Store,
    last: i64,
    read: VecDeque<Event>,
    news: watch::Receiver<i64>,
}

impl Subscription {
    /// Waits for the next event; `None` when the store was closed. Can be given up and asked again
    /// without losing one.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn next(&mut self) -> Result<Option<Event>, StoreError> {
        loop {
            if let Some(event) = self.read.pop_front() {
                self.last = event.id;
                return Ok(Some(event));
            }
            // Marked as seen before reading: what is committed while it reads wakes it again.
            self.news.borrow_and_update();
            if self.store.is_closed() {
                return Ok(None);
            }
            self.read = self.store.events_after(self.last, PAGE).await?.into();
            if self.read.is_empty() && self.news.changed().await.is_err() {
                return Ok(None);
            }
        }
    }
}

/// Reads rows of the columns id, at, kind, subject, body.
pub(crate) fn read(rows: &[Row]) -> Result<Vec<Event>, sqlx::Error> {
    rows.iter()
        .map(|row| {
            let body: Vec<u8> = row.try_get(4)?;
            Ok(Event {
                id: row.try_get(0)?,
                at: Timestamp(row.try_get(1)?),
                kind: row.try_get(2)?,
                subject: row.try_get(3)?,
                body: serde_json::from_slice(&body)
                    .map_err(|error| sqlx::Error::Decode(error.into()))?,
            })
        })
        .collect()
}

/// Events.
pub(crate) const TABLE: Table = Table {
    names: &["events"],
    migrations: &[Migration {
        version: 3,
        name: "0003_events",
        sql: MIGRATION,
        #[cfg(test)]
        rows: tests::ROWS,
    }],
    #[cfg(test)]
    conforms: tests::conforms,
};

const MIGRATION: &str = "
-- What happened, in the order in which it was committed. Ids are never used twice.
CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    at BIGINT NOT NULL,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    body BLOB NOT NULL
);
ALTER TABLE ledger ADD COLUMN next_event BIGINT NOT NULL DEFAULT 1;
";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::Conforming;
    use crate::testing::redacted;

    pub(super) const ROWS: &str =
        "INSERT INTO events VALUES (1, 1000, 'made', '1', CAST('{\"a\":1}' AS BLOB));
     UPDATE ledger SET next_event = 2;";

    pub(super) fn conforms<'a>(store: &'a Store, text: &'a str) -> Conforming<'a> {
        Box::pin(async move {
            for number in 1..=2 {
                let event = NewEvent {
                    kind: text.to_owned(),
                    subject: text.to_owned(),
                    body: serde_json::json!({ text: number }),
                };
                assert_eq!(store.append_event(event).await.expect("kept"), number);
            }
            let kept = store.events_after(1, 9).await.expect("read");
            let [event] = &*kept else { panic!("{kept:?}") };
            let kind = redacted(text);
            assert_eq!((event.id, &event.kind), (2, &kind));
            assert_eq!(event.body, serde_json::json!({ kind: 2 }));
        })
    }
}
