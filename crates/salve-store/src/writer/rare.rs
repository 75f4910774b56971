//! What is written seldom: keys, decisions about calls, marks, and what is forgotten.
//!
//! In: one request. Out: one transaction of its own. Never beside the ledger's version: whoever
//! planned with what was true before finds out.

use super::rows::{Cell, Rows};
use super::{Held, Reply, TakeOver, Taken, Writer};
use crate::call::Decision;
use crate::gateway_keys::{self, GatewayKey, MadeKey, NewKey};
use crate::open_call::Opening;
use crate::sql::{Connection, query};
use crate::store::Pruned;
use crate::{CallId, InspectionOutcome, KeyId, StoreError};

/// A request that gets a transaction of its own.
#[derive(Debug)]
pub(crate) enum Rare {
    AddKey(NewKey, Reply<MadeKey>),
    RevokeKey(String, Reply<GatewayKey>),
    Resolve(CallId, Decision, Reply<()>),
    ResolveKey(String, Decision, Reply<bool>),
    TakeOver(Box<(TakeOver, Opening)>, Reply<Taken>),
    TakeUp(String, i64, Reply<Option<Held>>),
    ForgetJobs(Vec<String>, Reply<()>),
    FalseAlarm(CallId, Reply<()>),
    Prune(Reply<Pruned>),
}

/// Why a transaction ended: the database refused, or the request makes no sense.
pub(super) enum Refused {
    Database(sqlx::Error),
    Request(StoreError),
}

impl From<sqlx::Error> for Refused {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(error)
    }
}

impl Writer {
    pub(super) async fn run_rare(&mut self, rare: Rare) {
        match rare {
            Rare::AddKey(key, reply) => {
                let made =
                    self.alone("keep a gateway key", async |writer| writer.add_key(&key).await);
                let _ = reply.send(made.await);
            }
            Rare::RevokeKey(name, reply) => {
                let revoked = self
                    .alone("revoke a gateway key", async |writer| writer.revoke_key(&name).await);
                let _ = reply.send(revoked.await);
            }
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
        act: impl AsyncFnOnce(&mut Self) -> Result<T, Refused>,
    ) -> Result<T, StoreError> {
        match self.transaction(act).await {
            Ok(value) => Ok(value),
            Err(refused) => {
                self.connection.rollback().await;
                self.books.forget();
                self.unsure |= matches!(refused, Refused::Database(_));
                Err(match refused {
                    Refused::Request(error) => error,
                    Refused::Database(error) => StoreError::database(doing)(error),
                })
            }
        }
    }

    async fn transaction<T>(
        &mut self,
        act: impl AsyncFnOnce(&mut Self) -> Result<T, Refused>,
    ) -> Result<T, Refused> {
        self.connection.begin().await?;
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

    async fn add_key(&mut self, new: &NewKey) -> Result<MadeKey, Refused> {
        let secret = gateway_keys::new_secret();
        let (hash, prefix) = gateway_keys::stored_form(&secret);
        let now = self.clock.now();
        let limit = |count: Option<u64>| count.map(super::rows::int);
        let id = query(
            "INSERT INTO gateway_keys (id, name, hash, prefix, tokens_per_day,
                                       micro_dollars_per_day, requests_per_minute, created_at)
             VALUES ((SELECT coalesce(max(id), 0) + 1 FROM gateway_keys),
                     $1, $2, $3, $4, $5, $6, $7)
             ON CONFLICT (name) WHERE revoked_at IS NULL DO NOTHING RETURNING id",
        )
        .bind(&new.name)
        .bind(hash)
        .bind(&prefix)
        .bind(limit(new.per_day.tokens))
        .bind(limit(new.per_day.micro_dollars))
        .bind(new.requests_per_minute.map(i64::from))
        .bind(now.0)
        .fetch_optional(&mut self.connection)
        .await?;
        let Some(id) = id.map(|row| row.try_get::<i64>(0)).transpose()? else {
            return Err(Refused::Request(StoreError::KeyNameTaken(new.name.clone())));
        };
        raise_keys_version(&mut self.connection).await?;
        let key = GatewayKey {
            id: KeyId(id),
            name: new.name.clone(),
            prefix,
            tokens_per_day: new.per_day.tokens,
            micro_dollars_per_day: new.per_day.micro_dollars,
            requests_per_minute: new.requests_per_minute,
            created_at: now,
            revoked_at: None,
        };
        Ok(MadeKey { key, secret })
    }

    async fn revoke_key(&mut self, name: &str) -> Result<GatewayKey, Refused> {
        let id = query(
            "UPDATE gateway_keys SET revoked_at = $1
              WHERE name = $2 AND revoked_at IS NULL RETURNING id",
        )
        .bind(self.clock.now().0)
        .bind(name)
        .fetch_optional(&mut self.connection)
        .await?;
        let Some(id) = id.map(|row| row.try_get::<i64>(0)).transpose()? else {
            return Err(Refused::Request(StoreError::NoKeyNamed(name.to_owned())));
        };
        raise_keys_version(&mut self.connection).await?;
        let keys = gateway_keys::load(&mut self.connection).await?.in_order();
        keys.into_iter()
            .find(|key| key.id == KeyId(id))
            .ok_or_else(|| Refused::Database(sqlx::Error::RowNotFound))
    }

    async fn forget_jobs(&mut self, ids: &[String]) -> Result<(), Refused> {
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

    async fn mark_false_alarm(&mut self, id: CallId) -> Result<(), Refused> {
        let row = query("SELECT kind, model, language, false_alarm, day FROM calls WHERE id = $1")
            .bind(id.0)
            .fetch_optional(&mut self.connection)
            .await?
            .ok_or(Refused::Request(StoreError::NoSuchCall(id)))?;
        let Some(kind) = row.try_get::<Option<String>>(0)? else {
            return Err(Refused::Request(StoreError::NotCut(id)));
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

async fn raise_keys_version(connection: &mut Connection) -> Result<(), sqlx::Error> {
    query("UPDATE ledger SET keys_version = keys_version + 1").execute(connection).await?;
    Ok(())
}
