//! Operations that share a commit.
//!
//! In: operations that waited together. Out: an answer to each, after the commit. Never one's failure
//! for another: each has a savepoint to roll back to.

use super::{Effects, Transaction, Work};
use crate::sql::{Connection, query};
use crate::{Durability, StoreError};
use salve_types::Timestamp;
use std::fmt;
use std::pin::Pin;
use tokio::sync::oneshot;

/// An operation on its way to the writer.
pub(crate) struct Change {
    durability: Durability,
    operation: Box<dyn Operation>,
}

impl Change {
    pub(crate) fn new<T: Send + 'static>(
        durability: Durability,
        doing: &'static str,
        work: impl for<'t> FnOnce(&'t mut Transaction<'_>) -> Work<'t, T> + Send + 'static,
        reply: oneshot::Sender<Result<T, StoreError>>,
    ) -> Self {
        let operation = Box::new(Asked { doing, work: Some(work), result: None, reply });
        Self { durability, operation }
    }
}

impl fmt::Debug for Change {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Change").field("durability", &self.durability).finish_non_exhaustive()
    }
}

/// Work with its result, whatever their types.
trait Operation: Send {
    /// Runs the work; returns whether what it wrote is to be kept.
    fn run<'t>(
        &'t mut self,
        tx: &'t mut Transaction<'_>,
    ) -> Pin<Box<dyn Future<Output = bool> + Send + 't>>;

    /// Answers the caller: with its result, or with why nothing was committed.
    fn answer(self: Box<Self>, committed: Result<(), &StoreError>);
}

struct Asked<W, T> {
    doing: &'static str,
    /// `None` once it was run.
    work: Option<W>,
    result: Option<Result<T, StoreError>>,
    reply: oneshot::Sender<Result<T, StoreError>>,
}

impl<W, T> Operation for Asked<W, T>
where
    W: for<'t> FnOnce(&'t mut Transaction<'_>) -> Work<'t, T> + Send,
    T: Send,
{
    fn run<'t>(
        &'t mut self,
        tx: &'t mut Transaction<'_>,
    ) -> Pin<Box<dyn Future<Output = bool> + Send + 't>> {
        Box::pin(async move {
            let Some(work) = self.work.take() else { return false };
            let result = work(tx).await.map_err(|rollback| rollback.into_error(self.doing));
            self.result.insert(result).is_ok()
        })
    }

    fn answer(self: Box<Self>, committed: Result<(), &StoreError>) {
        let result = match (self.result, committed) {
            // A refusal is one whether or not the others were committed.
            (Some(Err(error)), _) => Err(error),
            (_, Err(error)) => Err(error.clone()),
            (Some(Ok(value)), Ok(())) => Ok(value),
            (None, Ok(())) => Err(StoreError::Closed),
        };
        // A caller that does not wait any more is gone; its work is done anyway.
        let _ = self.reply.send(result);
    }
}

/// Commits operations in one transaction and answers them.
pub(crate) async fn commit(
    mut group: Vec<Change>,
    connection: &mut Connection,
    worker: &str,
    now: Timestamp,
) -> Effects {
    let mut tx = Transaction::new(&mut *connection, worker, now);
    let committed = run(&mut group, &mut tx).await.map_err(StoreError::database("commit"));
    let Transaction { effects, hooks, .. } = tx;
    let effects = match &committed {
        Ok(()) => {
            hooks.into_iter().for_each(|hook| hook());
            effects
        }
        Err(error) => {
            // Said once, here: not every caller is there to hear it.
            tracing::error!(%error, operations = group.len(), "could not commit");
            connection.rollback().await;
            Effects { unsure: true, ..Effects::default() }
        }
    };
    for change in group {
        change.operation.answer(committed.as_ref().map(drop));
    }
    effects
}

/// Runs a group and commits what did not fail.
async fn run(group: &mut [Change], tx: &mut Transaction<'_>) -> Result<(), sqlx::Error> {
    let full = group.iter().any(|change| change.durability == Durability::Full);
    let durability = if full { Durability::Full } else { Durability::Normal };
    tx.connection.begin(durability).await?;
    tx.connection.lock_ledger().await?;
    let mut kept = 0;
    if let [change] = group {
        // Alone, an operation needs no savepoint: all there is to roll back is its own.
        kept = u32::from(run_one(change, tx).await);
    } else {
        for change in group {
            query("SAVEPOINT operation").execute(&mut *tx).await?;
            if run_one(change, tx).await {
                kept += 1;
            } else {
                // Fails, and all with it, if the connection was lost and with it what was before.
                query("ROLLBACK TO SAVEPOINT operation").execute(&mut *tx).await?;
            }
            query("RELEASE SAVEPOINT operation").execute(&mut *tx).await?;
        }
    }
    if kept == 0 {
        tx.connection.rollback().await;
        return Ok(());
    }
    query("COMMIT").execute(tx).await.map(drop)
}

/// Runs one operation; if it failed, nothing of it is to be noticed after the commit.
async fn run_one(change: &mut Change, tx: &mut Transaction<'_>) -> bool {
    let (hooks, effects) = (tx.hooks.len(), tx.effects);
    let keep = change.operation.run(tx).await;
    if !keep {
        tx.hooks.truncate(hooks);
        tx.effects = effects;
    }
    keep
}
