//! What happened, in order, for whoever wants to follow.
//!
//! In: events to be kept. Out: events after a number, or a subscription that waits for more. Never a
//! gap and never twice: a subscription only ever reads rows in the order of their numbers, and is
//! merely woken by what is new.

use crate::sql::{Row, query};
use crate::writer::{Message, Op};
use crate::{Store, StoreError};
use salve_types::Timestamp;
use serde::Serialize;
use serde_json::Value;
use std::collections::VecDeque;
use tokio::sync::{oneshot, watch};

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

/// A cleaned event on its way to the writer.
#[derive(Debug)]
pub(crate) struct ReadyEvent {
    pub(crate) kind: String,
    pub(crate) subject: String,
    pub(crate) body: String,
}

/// So many events are read at once by a subscription.
const PAGE: u32 = 256;

impl Store {
    /// Keeps an event and returns its number.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn append_event(&self, event: NewEvent) -> Result<i64, StoreError> {
        let (reply, answer) = oneshot::channel();
        let cleaner = self.cleaner();
        let event = ReadyEvent {
            kind: cleaner.name(&event.kind),
            subject: cleaner.name(&event.subject),
            body: crate::open_call::cleaned_note(cleaner, event.body).to_string(),
        };
        self.send(Message::Ledger(Op::Event { event, reply }))?;
        answer.await.map_err(|_| StoreError::Closed)?
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

/// Follows events.
#[must_use]
pub struct Subscription {
    store: Store,
    last: i64,
    read: VecDeque<Event>,
    news: watch::Receiver<i64>,
}

impl Subscription {
    /// Waits for the next event; none when the store was closed. Can be given up and asked again
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
