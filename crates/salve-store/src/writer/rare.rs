//! What is written seldom: decisions about calls, marks, and what is forgotten.
//!
//! In: one request. Out: one transaction of its own. Never beside the ledger's version: whoever
//! planned with what was true before finds out.

use super::rows::{Cell, Rows};
use super::{Held, Reply, TakeOver, Taken, Writer};
use crate::call::Resolution;
use crate::commit::Rollback;
use crate::open_call::Opening;
use crate::sql::query;
use crate::store::Pruned;
use crate::{CallId, Durability, InspectionOutcome, StoreError};

/// A request that gets a transaction of its own.
#[derive(Debug)]
pub(crate) enum Rare {
    Resolve(CallId, Resolution, Reply<()>),
    ResolveKey(String, Resolution, Reply<bool>),
    TakeOver(Box<(TakeOver, Opening)>, Reply<Taken>),
    TakeUp(String, i64, Reply<Option<Held>>),
    ForgetJobs(Vec<String>, Reply<()>),
    FalseAlarm(CallId, Reply<()>),
    Prune(Reply<Pruned>),
}

impl Writer {
    pub(super) async fn run_rare(&mut self, rare: Rare) {
        match rare {
            Rare::Resolve(id, decision, reply) => {
                let resolved = self
                    .alone("resolve a call", async |writer| writer.resolve(id, &decision).await);
                let _ = reply.send(resolved.await);
            }
            Rare::ResolveKey(key, decision, reply) => {
                let resolved = self.alone("resolve a call", async |writer| {
                    writer.resolve_key(&key, &decision).await
                });
                let _ = reply.send(resolved.await);
            }
            Rare::TakeOver(wanted, reply) => {
                let (wanted, opening) = *wanted;
                let taken = self
                    .alone("take a call over", async |writer| {
                        writer.take_over(&wanted, opening).await
                    })
                    .await;
                if let Ok(Taken::Fresh(open)) = &taken {
                    self.handed.insert(open.id().0);
                }
                let _ = reply.send(taken);
            }
            Rare::TakeUp(key, epoch, reply) => {
                let held =
                    self.alone("take a call up", async |writer| writer.take_up(&key, epoch).await);
                let _ = reply.send(held.await);
            }
            Rare::ForgetJobs(ids, reply) => {
                let forgotten =
                    self.alone("forget jobs", async |writer| writer.forget_jobs(&ids).await);
                let _ = reply.send(forgotten.await);
            }
            Rare::FalseAlarm(id, reply) => {
                let marked =
                    self.alone("mark a call", async |writer| writer.mark_false_alarm(id).await);
                let _ = reply.send(marked.await);
            }
            Rare::Prune(reply) => {
                let pruned = self.alone("forget what is old", async |writer| writer.prune().await);
                let _ = reply.send(pruned.await);
            }
        }
    }

    /// Runs something in a transaction of its own, raises the version, and reads the books anew.
    async fn alone<T>(
        &mut self,
        doing: &'static str,
        act: impl AsyncFnOnce(&mut Self) -> Result<T, Rollback>,
    ) -> Result<T, StoreError> {
        match self.transaction(act).await {
            Ok(value) => Ok(value),
            Err(refused) => {
                self.connection.rollback().await;
                self.books.forget();
                self.unsure |= matches!(refused, Rollback::Database(_));
                Err(refused.into_error(doing))
            }
        }
    }

    async fn transaction<T>(
        &mut self,
        act: impl AsyncFnOnce(&mut Self) -> Result<T, Rollback>,
    ) -> Result<T, Rollback> {
        self.connection.begin(Durability::Full).await?;
        self.books.read(&self.worker, &mut self.connection).await?;
        let value = act(self).await?;
        query("UPDATE ledger SET version = version + 1, writer = $1")
            .bind(&self.worker)
            .execute(&mut self.connection)
            .await?;
        self.books.read(&self.worker, &mut self.connection).await?;
        query("COMMIT").execute(&mut self.connection).await?;
        Ok(value)
    }

    async fn forget_jobs(&mut self, ids: &[String]) -> Result<(), Rollback> {
        let mut forgotten = Rows::default();
        for id in ids {
            forgotten.push(&[Cell::Text(id)]);
        }
        let forgotten = forgotten.finish();
        for sql in [
            "DELETE FROM events
              WHERE subject <> '' AND subject IN (SELECT value ->> 0 FROM json_each($1))",
            "DELETE FROM jobs WHERE id IN (SELECT value ->> 0 FROM json_each($1))",
        ] {
            query(sql).bind(&forgotten).execute(&mut self.connection).await?;
        }
        Ok(())
    }

    async fn mark_false_alarm(&mut self, id: CallId) -> Result<(), Rollback> {
        let row = query("SELECT kind, model, language, false_alarm, day FROM calls WHERE id = $1")
            .bind(id.0)
            .fetch_optional(&mut self.connection)
            .await?
            .ok_or(Rollback::Refused(StoreError::NoSuchCall(id)))?;
        let Some(kind) = row.try_get::<Option<String>>(0)? else {
            return Err(Rollback::Refused(StoreError::NotCut(id)));
        };
        if row.try_get::<i64>(3)? != 0 {
            return Ok(());
        }
        query("UPDATE calls SET false_alarm = 1 WHERE id = $1")
            .bind(id.0)
            .execute(&mut self.connection)
            .await?;
        query(
            "INSERT INTO inspections (day, kind, model, language, outcome, counted)
             VALUES ($1, $2, $3, $4, $5, 1)
             ON CONFLICT (day, kind, model, language, outcome) DO UPDATE
                SET counted = inspections.counted + 1",
        )
        .bind(row.try_get::<i64>(4)?)
        .bind(kind)
        .bind(row.try_get::<String>(1)?)
        .bind(row.try_get::<Option<String>>(2)?.unwrap_or_default())
        .bind(InspectionOutcome::FalseAlarm.name())
        .execute(&mut self.connection)
        .await?;
        Ok(())
    }
}
