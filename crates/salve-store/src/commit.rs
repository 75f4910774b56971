//! The lower layer of the store: one writer, transactions of many callers in one commit.
//!
//! In: work on a transaction, and how safe it must be. Out: its value, after the commit. Never an
//! answer before the commit, and never one caller's failure for another: each has a savepoint.
//!
//! A table's operation is a method of [`Store`] in the table's own file:
//!
//! ```ignore
//! pub async fn enqueue(&self, item: Item) -> Result<i64, StoreError> {
//!     let wake = Arc::clone(&self.waiters);                       // a `tokio::sync::Notify`
//!     self.write(Durability::Full, "enqueue an item", move |tx| {
//!         Box::pin(async move {
//!             let id = query("INSERT INTO items (body, at) VALUES ($1, $2) RETURNING id")
//!                 .bind(&item.body)
//!                 .bind(tx.now().0)
//!                 .fetch_value(&mut *tx)
//!                 .await?;                                        // rolled back to the savepoint
//!             tx.after_commit(move || wake.notify_waiters());     // not called if it is rolled back
//!             Ok(id)
//!         })
//!     })
//!     .await
//! }
//! ```
//!
//! - The work runs in the writer's task: it awaits statements on `tx` and nothing else.
//! - Everything that waits is one `BEGIN IMMEDIATE … COMMIT`; it is synced if one of them asks for
//!   [`Durability::Full`]. Work that fails answers with its error, the others commit.
//! - To refuse a request, return `Err(StoreError::….into())`; its writes are rolled back.
//! - No other process writes from its beginning to its end, on Postgres neither: what it reads stays
//!   true until the commit.
//! - A function `async fn put(tx: &mut Transaction<'_>, …) -> Result<_, Rollback>` in a table's file
//!   lets operations on several tables be one transaction.
//! - Reads that need no transaction: `query(…).fetch_all(self.readers())`. Several of one moment:
//!   [`Store::read`].

mod group;

pub(crate) use group::{Change, commit};

use crate::sql::{Connection, Row, Snapshot, query};
use crate::writer::Message;
use crate::{Durability, Store, StoreError};
use salve_types::Timestamp;
use std::pin::Pin;
use tokio::sync::oneshot;

/// What an operation does, as a future that borrows its transaction.
pub(crate) type Work<'t, T> = Pin<Box<dyn Future<Output = Result<T, Rollback>> + Send + 't>>;

/// Why an operation is rolled back: the database failed, or the request is refused.
#[derive(Debug)]
pub(crate) enum Rollback {
    Database(sqlx::Error),
    Refused(StoreError),
}

impl Rollback {
    /// Returns what the caller is answered.
    pub(crate) fn into_error(self, doing: &'static str) -> StoreError {
        match self {
            Self::Refused(error) => error,
            Self::Database(error) => StoreError::database(doing)(error),
        }
    }
}

impl From<sqlx::Error> for Rollback {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(error)
    }
}

impl From<StoreError> for Rollback {
    fn from(error: StoreError) -> Self {
        Self::Refused(error)
    }
}

/// What an operation writes with.
pub(crate) struct Transaction<'c> {
    connection: &'c mut Connection,
    worker: &'c str,
    now: Timestamp,
    effects: Effects,
    hooks: Vec<Box<dyn FnOnce() + Send>>,
}

/// What the writer has to know of a transaction once it is committed.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Effects {
    /// The call ledger's version before it was first raised, and afterwards.
    pub(crate) raised: Option<(i64, i64)>,
    /// Whether what is remembered of the ledger is old, apart from its version.
    pub(crate) ledger_changed: bool,
    /// The number of the last event, if there is a new one.
    pub(crate) newest_event: Option<i64>,
    /// Whether a call became this worker's.
    pub(crate) owns_call: bool,
    /// Whether it is not known if it was committed.
    pub(crate) unsure: bool,
}

/// What numbers are taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counter {
    Events,
    Jobs,
}

impl<'c> Transaction<'c> {
    pub(crate) fn new(connection: &'c mut Connection, worker: &'c str, now: Timestamp) -> Self {
        Self { connection, worker, now, effects: Effects::default(), hooks: Vec::new() }
    }

    /// Returns the time of the rows it writes.
    pub(crate) const fn now(&self) -> Timestamp {
        self.now
    }

    /// Returns the name of this process among those that write.
    pub(crate) const fn worker(&self) -> &'c str {
        self.worker
    }

    /// Has something called once this is committed, before the caller is answered.
    pub(crate) fn after_commit(&mut self, hook: impl FnOnce() + Send + 'static) {
        self.hooks.push(Box::new(hook));
    }

    /// Has every process forget what it remembers of the call ledger, its keys included.
    pub(crate) async fn change_ledger(&mut self) -> Result<(), sqlx::Error> {
        self.effects.ledger_changed = true;
        self.raise_version("").await.map(drop)
    }

    /// Notes that a call becomes this worker's, which has to be seen alive from now on.
    pub(crate) const fn owns_call(&mut self) {
        self.effects.owns_call = true;
    }

    /// Takes `count` numbers, in the order of commits, and returns the first.
    pub(crate) async fn take_numbers(
        &mut self,
        counter: Counter,
        count: usize,
    ) -> Result<i64, sqlx::Error> {
        let (column, at) = match counter {
            Counter::Events => ("next_event", 1),
            Counter::Jobs => ("next_job", 2),
        };
        let row = self.raise_version(&format!(", {column} = {column} + {count}")).await?;
        let next: i64 = row.try_get(at)?;
        if counter == Counter::Events {
            self.effects.newest_event = Some(next - 1);
        }
        Ok(next - i64::try_from(count).unwrap_or(i64::MAX))
    }

    async fn raise_version(&mut self, and: &str) -> Result<Row, sqlx::Error> {
        let sql = format!(
            "UPDATE ledger SET version = version + 1, writer = $1{and}
             RETURNING version, next_event, next_job"
        );
        let row = query(&sql).bind(self.worker).fetch_one(&mut *self.connection).await?;
        let version = row.try_get(0)?;
        let before = self.effects.raised.map_or(version - 1, |(before, _)| before);
        self.effects.raised = Some((before, version));
        Ok(row)
    }

    /// Returns what the writer has to know of it so far.
    pub(crate) const fn effects(&self) -> Effects {
        self.effects
    }

    pub(crate) const fn connection(&mut self) -> &mut Connection {
        self.connection
    }
}

impl Store {
    /// Runs work in a transaction of the writer and returns its value once that is as safe as asked.
    /// It is done even if the caller stops waiting.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        durability: Durability,
        doing: &'static str,
        work: impl for<'t> FnOnce(&'t mut Transaction<'_>) -> Work<'t, T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (reply, answer) = oneshot::channel();
        self.send(Message::Change(Change::new(durability, doing, work, reply)))?;
        answer.await.map_err(|_| StoreError::Closed)?
    }

    /// Reads one moment of the database, with as many queries as needed.
    pub(crate) async fn read<T>(
        &self,
        doing: &'static str,
        work: impl AsyncFnOnce(&mut Snapshot) -> Result<T, sqlx::Error>,
    ) -> Result<T, StoreError> {
        let read = async {
            let mut snapshot = self.readers().snapshot().await?;
            work(&mut snapshot).await
        };
        read.await.map_err(StoreError::database(doing))
    }
}

#[cfg(test)]
mod tests;
