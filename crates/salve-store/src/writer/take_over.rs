//! Calls that change hands: taken over from the dead, taken up again after a restart, decided about.
//!
//! In: a key. Out: the call with a new epoch, or why it is not to be had. Never free: what the owner
//! before may have paid counts at its worst until it is known.

use super::rows::int;
use super::{Held, Writer};
use crate::commit::Rollback;
use crate::open_call::{OpenCall, Opening};
use crate::sql::{Connection, query};
use crate::{CallId, KeyId, NewCall, OverBudget, Resolution, Spend, StoreError, WorstCase};
use salve_types::{CallOutcome, Timestamp};

/// A call that is to change hands. Its names are cleaned.
#[derive(Debug)]
pub(crate) struct TakeOver {
    pub(crate) key: String,
    pub(crate) call: NewCall,
}

/// What came of it.
#[derive(Debug)]
pub(crate) enum Taken {
    /// It is ours.
    Fresh(OpenCall),
    /// It is not to be had: it is settled, or its owner is alive.
    Before(CallId),
    /// There is none yet.
    Unknown,
    OverBudget(OverBudget),
}

/// A call as it stands.
pub(super) struct Standing {
    pub(super) held: Held,
    pub(super) open: bool,
    worker: String,
    decided: Option<String>,
    seen_at: Option<i64>,
}

impl Standing {
    /// Returns whether somebody has decided the same before. A call that changed hands has been made
    /// again, whoever wanted that.
    fn was_decided(&self, decision: &Resolution) -> bool {
        match decision {
            Resolution::Retry => self.held.epoch > 1,
            Resolution::UseResult(_) => self.decided.as_deref() == Some("result"),
            Resolution::Fail(_) => self.decided.as_deref() == Some("fail"),
            _ => false,
        }
    }
}

impl Writer {
    pub(super) async fn take_over(
        &mut self,
        wanted: &TakeOver,
        opening: Opening,
    ) -> Result<Taken, Rollback> {
        let Some(standing) = self.standing_by_key(&wanted.key).await? else {
            return Ok(Taken::Unknown);
        };
        let Standing { held: old, .. } = &standing;
        if !standing.open || (standing.decided.is_none() && self.is_alive(&standing).await?) {
            return Ok(Taken::Before(old.id));
        }
        if let Some(key) = wanted.call.key_id
            && self.books.keys.in_force(key).is_none()
        {
            return Err(Rollback::Refused(StoreError::NoSuchKey(key)));
        }
        let now = self.clock.now();
        let new = Held {
            id: old.id,
            epoch: old.epoch + 1,
            reserved_at: now,
            worst: wanted.call.worst,
            day: now.day(),
            key_id: wanted.call.key_id,
            session: wanted.call.session.clone(),
        };
        let accounts: Vec<_> = old.accounts().chain(new.accounts()).collect();
        self.books.read_accounts(accounts, &mut self.connection).await?;
        self.books.accounts.release(old, old.worst.total());
        if let Err(over) = self.books.accounts.hold(&new, &self.budgets, &self.books.keys) {
            return Ok(Taken::OverBudget(over));
        }
        let partial = self.lose(&standing).await?;
        for sql in
            ["DELETE FROM call_pieces WHERE call = $1", "DELETE FROM call_texts WHERE call = $1"]
        {
            query(sql).bind(old.id.0).execute(&mut self.connection).await?;
        }
        self.own(&new, &wanted.call).await?;
        self.write_accounts().await?;
        Ok(Taken::Fresh(OpenCall::new(new, opening).after(partial)))
    }

    /// Finds the try of this epoch at a call, to settle it. If it is still open, it becomes this
    /// worker's, who settles it like its own.
    pub(super) async fn take_up(
        &mut self,
        key: &str,
        epoch: i64,
    ) -> Result<Option<Held>, Rollback> {
        let Some(standing) = self.standing_by_key(key).await? else { return Ok(None) };
        let id = standing.held.id;
        if standing.held.epoch != epoch {
            return lost_try(id, epoch, &mut self.connection).await;
        }
        if standing.open {
            // From now on, whether or not this is written: it was made, and is not to be taken back.
            self.handed.insert(id.0);
            query("UPDATE calls SET worker = $1 WHERE id = $2")
                .bind(&self.worker)
                .bind(id.0)
                .execute(&mut self.connection)
                .await?;
        }
        Ok(Some(standing.held))
    }

    /// Takes back the reservations of which nobody was told, because nobody knew whether they were
    /// written: those calls were never made.
    pub(super) async fn take_back_orphans(&mut self) -> Result<(), Rollback> {
        let orphans: Vec<(i64, i64)> = self
            .books
            .open
            .iter()
            .filter(|(id, _)| !self.handed.contains(id))
            .map(|(id, epoch)| (*id, *epoch))
            .collect();
        for (id, epoch) in orphans {
            // One that had an owner before is made again by the next one who asks for it.
            if epoch > 1 {
                self.resolve(CallId(id), &Resolution::Retry).await?;
                continue;
            }
            let which = Id::Number(id);
            let found = standing("calls.id = $1", &which, &mut self.connection).await?;
            let Some(Standing { held, .. }) = found else { continue };
            self.books.read_accounts(held.accounts(), &mut self.connection).await?;
            self.books.accounts.release(&held, Spend::default());
            query("DELETE FROM calls WHERE id = $1").bind(id).execute(&mut self.connection).await?;
            self.books.open.remove(&id);
        }
        Ok(())
    }

    /// Decides about the call under this key, if it is in doubt.
    pub(super) async fn resolve_key(
        &mut self,
        key: &str,
        decision: &Resolution,
    ) -> Result<bool, Rollback> {
        let Some(standing) = self.standing_by_key(key).await? else { return Ok(false) };
        if !standing.open || (standing.decided.is_none() && self.is_alive(&standing).await?) {
            return Ok(standing.was_decided(decision));
        }
        self.resolve(standing.held.id, decision).await?;
        Ok(true)
    }

    /// Decides about a call, whoever owns it.
    pub(super) async fn resolve(
        &mut self,
        id: CallId,
        decision: &Resolution,
    ) -> Result<(), Rollback> {
        let standing = standing("calls.id = $1", &Id::Number(id.0), &mut self.connection)
            .await?
            .ok_or(Rollback::Refused(StoreError::NoSuchCall(id)))?;
        if !standing.open {
            return Err(Rollback::Refused(StoreError::AlreadySettled(id)));
        }
        let worst = standing.held.worst.total();
        match decision {
            Resolution::Retry => {
                query("UPDATE calls SET decided = 'retry' WHERE id = $1")
                    .bind(id.0)
                    .execute(&mut self.connection)
                    .await?;
                Ok(())
            }
            Resolution::NeverMade => self.close_resolved(&standing, Spend::default(), None).await,
            Resolution::CountWorst => self.close_resolved(&standing, worst, None).await,
            Resolution::Took(spend) => self.close_resolved(&standing, *spend, None).await,
            Resolution::UseResult(text) => {
                self.lose(&standing).await?;
                query(
                    "INSERT INTO call_texts (call, slot, content) VALUES ($1, 'result', $2)
                     ON CONFLICT (call, slot) DO UPDATE SET content = excluded.content",
                )
                .bind(id.0)
                .bind(text.as_bytes().to_vec())
                .execute(&mut self.connection)
                .await?;
                self.close_resolved(&standing, worst, Some(("result", None))).await
            }
            Resolution::Fail(reason) => {
                self.lose(&standing).await?;
                self.close_resolved(&standing, worst, Some(("fail", Some(reason)))).await
            }
        }
    }

    /// Settles a call about which somebody decided. With a word for it, what it took is counted with
    /// the try that was lost, and not with the call.
    async fn close_resolved(
        &mut self,
        standing: &Standing,
        took: Spend,
        word: Option<(&str, Option<&String>)>,
    ) -> Result<(), Rollback> {
        let held = &standing.held;
        self.books.read_accounts(held.accounts(), &mut self.connection).await?;
        self.books.accounts.release(held, took);
        let own = if word.is_some() { Spend::default() } else { took };
        query(
            "UPDATE calls SET state = 'settled', outcome = $1, settled_at = $2, input_tokens = $3,
                    output_tokens = 0, cached_tokens = 0, reasoning_tokens = 0, micro_dollars = $4,
                    estimated = 1, decided = $6, error = $7
              WHERE id = $5",
        )
        .bind(CallOutcome::Resolved.name())
        .bind(self.clock.now().0)
        .bind(int(own.tokens))
        .bind(int(own.micro_dollars))
        .bind(held.id.0)
        .bind(word.map(|(word, _)| word))
        .bind(word.and_then(|(_, error)| error).map(String::as_str))
        .execute(&mut self.connection)
        .await?;
        self.write_accounts().await
    }

    /// Writes down a try that is taken from its owner, at its worst case; returns what had arrived.
    async fn lose(&mut self, standing: &Standing) -> Result<String, Rollback> {
        let held = &standing.held;
        let pieces: Vec<Vec<u8>> =
            query("SELECT content FROM call_pieces WHERE call = $1 ORDER BY position")
                .bind(held.id.0)
                .fetch_values(&mut self.connection)
                .await?;
        let arrived = pieces.concat();
        let worst = held.worst.total();
        query(
            "INSERT INTO call_tries (call, epoch, state, worker, reserved_at, day, gateway_key,
                                     session, counted_tokens, counted_micro_dollars, content)
             VALUES ($1, $2, 'lost', $3, $4, $5, $6, $7, $8, $9, $10)",
        )
        .bind(held.id.0)
        .bind(held.epoch)
        .bind(&standing.worker)
        .bind(held.reserved_at.0)
        .bind(held.day)
        .bind(held.key_id.map(|key| key.0))
        .bind(held.session.as_deref())
        .bind(int(worst.tokens))
        .bind(int(worst.micro_dollars))
        .bind(arrived)
        .execute(&mut self.connection)
        .await?;
        // One that was lost before anything arrived adds nothing to what those before it brought.
        let partial: Vec<Vec<u8>> = query(
            "SELECT content FROM call_tries WHERE call = $1 AND length(content) > 0
              ORDER BY epoch DESC LIMIT 1",
        )
        .bind(held.id.0)
        .fetch_values(&mut self.connection)
        .await?;
        Ok(String::from_utf8_lossy(&partial.concat()).into_owned())
    }

    async fn own(&mut self, new: &Held, call: &NewCall) -> Result<(), Rollback> {
        query(
            "UPDATE calls SET worker = $1, epoch = $2, decided = NULL, reserved_at = $3, day = $4,
                    purpose = $5, dialect = $6, provider = $7, model = $8, gateway_key = $9,
                    session = $10, parent = $11, prompt_hash = $12, prompt_tokens = $13,
                    prompt_micro_dollars = $14, answer_tokens = $15, answer_micro_dollars = $16
              WHERE id = $17",
        )
        .bind(&self.worker)
        .bind(new.epoch)
        .bind(new.reserved_at.0)
        .bind(new.day)
        .bind(&call.purpose)
        .bind(&call.dialect)
        .bind(&call.provider)
        .bind(&call.model)
        .bind(call.key_id.map(|key| key.0))
        .bind(call.session.as_deref())
        .bind(call.parent.map(|parent| parent.0))
        .bind(call.prompt_hash.as_deref())
        .bind(int(new.worst.prompt.tokens))
        .bind(int(new.worst.prompt.micro_dollars))
        .bind(int(new.worst.answer.tokens))
        .bind(int(new.worst.answer.micro_dollars))
        .bind(new.id.0)
        .execute(&mut self.connection)
        .await?;
        Ok(())
    }

    async fn write_accounts(&mut self) -> Result<(), Rollback> {
        let today = self.clock.now().day();
        for (account, balance) in self.books.accounts.take_changed() {
            query(
                "INSERT INTO budgets (scope, day, held_tokens, held_micro_dollars, spent_tokens,
                                      spent_micro_dollars, touched)
                 VALUES ($1, $2, $3, $4, $5, $6, $7)
                 ON CONFLICT (scope, day) DO UPDATE
                    SET held_tokens = excluded.held_tokens,
                        held_micro_dollars = excluded.held_micro_dollars,
                        spent_tokens = excluded.spent_tokens,
                        spent_micro_dollars = excluded.spent_micro_dollars,
                        touched = excluded.touched",
            )
            .bind(account.stored())
            .bind(account.day)
            .bind(int(balance.held.tokens))
            .bind(int(balance.held.micro_dollars))
            .bind(int(balance.spent.tokens))
            .bind(int(balance.spent.micro_dollars))
            .bind(today)
            .execute(&mut self.connection)
            .await?;
        }
        Ok(())
    }

    async fn is_alive(&mut self, standing: &Standing) -> Result<bool, Rollback> {
        let now = self.clock.now();
        let since = crate::look::alive_since(now, self.silence, &mut self.connection).await?;
        Ok(standing.worker == self.worker || standing.seen_at.is_some_and(|seen| seen >= since))
    }

    async fn standing_by_key(&mut self, key: &str) -> Result<Option<Standing>, Rollback> {
        let key = Id::Key(key.to_owned());
        Ok(standing("calls.call_key = $1", &key, &mut self.connection).await?)
    }
}

enum Id {
    Number(i64),
    Key(String),
}

async fn standing(
    which: &str,
    id: &Id,
    connection: &mut Connection,
) -> Result<Option<Standing>, sqlx::Error> {
    let sql = format!(
        "SELECT calls.id, state, epoch, calls.worker, decided, seen_at, reserved_at, day,
                gateway_key, session, prompt_tokens, prompt_micro_dollars, answer_tokens,
                answer_micro_dollars
           FROM calls LEFT JOIN workers ON workers.worker = calls.worker
          WHERE {which}"
    );
    let asked = query(&sql);
    let asked = match id {
        Id::Number(id) => asked.bind(*id),
        Id::Key(key) => asked.bind(key),
    };
    let Some(row) = asked.fetch_optional(connection).await? else { return Ok(None) };
    let spend = |at: usize| -> Result<Spend, sqlx::Error> {
        Ok(Spend {
            tokens: u64::try_from(row.try_get::<i64>(at)?).unwrap_or_default(),
            micro_dollars: u64::try_from(row.try_get::<i64>(at + 1)?).unwrap_or_default(),
        })
    };
    Ok(Some(Standing {
        held: Held {
            id: CallId(row.try_get(0)?),
            epoch: row.try_get(2)?,
            reserved_at: Timestamp(row.try_get(6)?),
            worst: WorstCase { prompt: spend(10)?, answer: spend(12)? },
            day: row.try_get(7)?,
            key_id: row.try_get::<Option<i64>>(8)?.map(KeyId),
            session: row.try_get(9)?,
        },
        open: row.try_get::<String>(1)? == "open",
        worker: row.try_get(3)?,
        decided: row.try_get(4)?,
        seen_at: row.try_get(5)?,
    }))
}

// Its worst case is what it counts as; how that was made up of prompt and answer matters no more.
async fn lost_try(
    call: CallId,
    epoch: i64,
    connection: &mut Connection,
) -> Result<Option<Held>, Rollback> {
    let row = query(
        "SELECT reserved_at, day, gateway_key, session, counted_tokens, counted_micro_dollars
           FROM call_tries WHERE call = $1 AND epoch = $2",
    )
    .bind(call.0)
    .bind(epoch)
    .fetch_optional(connection)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let count = |at: usize| -> Result<u64, sqlx::Error> {
        Ok(u64::try_from(row.try_get::<i64>(at)?).unwrap_or_default())
    };
    let counted = Spend { tokens: count(4)?, micro_dollars: count(5)? };
    Ok(Some(Held {
        id: call,
        epoch,
        reserved_at: Timestamp(row.try_get(0)?),
        worst: WorstCase { prompt: counted, answer: Spend::default() },
        day: row.try_get(1)?,
        key_id: row.try_get::<Option<i64>>(2)?.map(KeyId),
        session: row.try_get(3)?,
    }))
}
