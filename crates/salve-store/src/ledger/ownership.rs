//! Calls that change hands: taken over from a dead worker, taken up after a restart, decided about.
//!
//! In: a key. Out: the call with a new epoch, or why it is not to be had. Never free: what the
//! owner before may have paid counts at its worst until it is known.

use super::accounts::Accounts;
use super::open_call::{OpenCall, Opening};
use super::{Held, Owner};
use crate::commit::{Rollback, Transaction};
use crate::sql::{int, query};
use crate::tables::gateway_keys;
use crate::{CallId, KeyId, NewCall, OverBudget, Resolution, Spend, StoreError, WorstCase};
use salve_types::{CallOutcome, Timestamp};
use std::sync::Arc;

/// A call that is to change hands. Its names are redacted.
#[derive(Debug)]
pub(crate) struct TakeOver {
    pub(crate) key: String,
    pub(crate) call: NewCall,
}

/// The outcome.
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

/// A call as it is now.
struct Found {
    held: Held,
    open: bool,
    worker: String,
    decided: Option<String>,
    seen_at: Option<i64>,
}

impl Found {
    /// Returns whether the same was decided before. A call that changed hands has been made again,
    /// whatever the reason.
    fn was_decided(&self, decision: &Resolution) -> bool {
        match decision {
            Resolution::Retry => self.held.epoch > 1,
            Resolution::UseResult(_) => self.decided.as_deref() == Some("result"),
            Resolution::Fail(_) => self.decided.as_deref() == Some("fail"),
            _ => false,
        }
    }
}

/// Takes a call over, if its owner is not seen any more or it is to be made again.
pub(crate) async fn take_over(
    tx: &mut Transaction<'_>,
    wanted: TakeOver,
    opening: Opening,
    owner: Arc<Owner>,
) -> Result<Taken, Rollback> {
    tx.change_ledger().await?;
    let Some(found) = find_by_key(tx, &wanted.key).await? else { return Ok(Taken::Unknown) };
    let old = &found.held;
    if !found.open || (found.decided.is_none() && owner.is_alive(tx, &found).await?) {
        return Ok(Taken::Before(old.id));
    }
    gateway_keys::refresh(&owner.keys, &mut *tx).await?;
    if let Some(key) = wanted.call.key_id
        && owner.keys.in_force(key).is_none()
    {
        return Err(StoreError::NoSuchKey(key).into());
    }
    let new = Held {
        id: old.id,
        epoch: old.epoch + 1,
        reserved_at: tx.now(),
        worst: wanted.call.worst,
        day: tx.now().day(),
        key_id: wanted.call.key_id,
        session: wanted.call.session.clone(),
        has_key: true,
    };
    let mut accounts = Accounts::default();
    accounts.read(old.accounts().chain(new.accounts()), tx.connection()).await?;
    accounts.release(old, old.worst.total());
    if let Err(over) = accounts.hold(&new, &owner.budgets, &owner.keys) {
        return Ok(Taken::OverBudget(over));
    }
    let partial = lose(tx, &found).await?;
    for sql in ["DELETE FROM call_pieces WHERE call = $1", "DELETE FROM call_texts WHERE call = $1"]
    {
        query(sql).bind(old.id.0).execute(&mut *tx).await?;
    }
    own(tx, &new, &wanted.call).await?;
    write_accounts(tx, accounts).await?;
    tx.owns_call();
    let id = new.id;
    tx.after_commit(move || owner.hand_over(id));
    Ok(Taken::Fresh(OpenCall::new(new, opening).after(partial)))
}

/// Finds the try of this epoch at a call, to settle it. If it is still open, it becomes this
/// worker's, who settles it like its own.
pub(crate) async fn take_up(
    tx: &mut Transaction<'_>,
    key: String,
    epoch: i64,
    owner: Arc<Owner>,
) -> Result<Option<Held>, Rollback> {
    tx.change_ledger().await?;
    let Some(found) = find_by_key(tx, &key).await? else { return Ok(None) };
    let id = found.held.id;
    if found.held.epoch != epoch {
        return lost_try(tx, id, epoch).await;
    }
    if found.open {
        // From now on, whether or not this is written: it was made, and is not to be taken back.
        owner.hand_over(id);
        tx.owns_call();
        query("UPDATE calls SET worker = $1 WHERE id = $2")
            .bind(tx.worker())
            .bind(id.0)
            .execute(tx)
            .await?;
    }
    Ok(Some(found.held))
}

/// Takes back reservations whose callers were not answered, because it was not known whether they
/// were written: those calls were never made.
pub(super) async fn take_back(
    tx: &mut Transaction<'_>,
    orphans: &[(i64, i64)],
    accounts: &mut Accounts,
) -> Result<(), Rollback> {
    for (id, epoch) in orphans {
        // One that had an owner before is made again by the next caller that asks for it.
        if *epoch > 1 {
            resolve(tx, CallId(*id), &Resolution::Retry).await?;
            continue;
        }
        let Some(found) = find(tx, "calls.id = $1", &Id::Number(*id)).await? else { continue };
        // Written with the batch that follows.
        accounts.read(found.held.accounts(), tx.connection()).await?;
        accounts.release(&found.held, Spend::default());
        query("DELETE FROM calls WHERE id = $1").bind(*id).execute(&mut *tx).await?;
    }
    Ok(())
}

/// Decides about the call under this key, if it is in doubt.
pub(crate) async fn resolve_key(
    tx: &mut Transaction<'_>,
    key: String,
    decision: Resolution,
    owner: Arc<Owner>,
) -> Result<bool, Rollback> {
    tx.change_ledger().await?;
    let Some(found) = find_by_key(tx, &key).await? else { return Ok(false) };
    if !found.open || (found.decided.is_none() && owner.is_alive(tx, &found).await?) {
        return Ok(found.was_decided(&decision));
    }
    resolve(tx, found.held.id, &decision).await?;
    Ok(true)
}

/// Decides about a call, whatever its owner.
pub(crate) async fn resolve(
    tx: &mut Transaction<'_>,
    id: CallId,
    decision: &Resolution,
) -> Result<(), Rollback> {
    tx.change_ledger().await?;
    let found = find(tx, "calls.id = $1", &Id::Number(id.0)).await?;
    let found = found.ok_or(StoreError::NoSuchCall(id))?;
    if !found.open {
        return Err(StoreError::AlreadySettled(id).into());
    }
    let worst = found.held.worst.total();
    match decision {
        Resolution::Retry => {
            query("UPDATE calls SET decided = 'retry' WHERE id = $1")
                .bind(id.0)
                .execute(tx)
                .await?;
            Ok(())
        }
        Resolution::NeverMade => close(tx, &found, Spend::default(), None).await,
        Resolution::CountWorst => close(tx, &found, worst, None).await,
        Resolution::Took(spend) => close(tx, &found, *spend, None).await,
        Resolution::UseResult(text) => {
            lose(tx, &found).await?;
            query(
                "INSERT INTO call_texts (call, slot, content) VALUES ($1, 'result', $2)
                 ON CONFLICT (call, slot) DO UPDATE SET content = excluded.content",
            )
            .bind(id.0)
            .bind(text.as_bytes().to_vec())
            .execute(&mut *tx)
            .await?;
            close(tx, &found, worst, Some(("result", None))).await
        }
        Resolution::Fail(reason) => {
            lose(tx, &found).await?;
            close(tx, &found, worst, Some(("fail", Some(reason)))).await
        }
    }
}

/// Settles a call that was decided about. With a word for it, what it took is counted with the try
/// that was lost, and not with the call.
async fn close(
    tx: &mut Transaction<'_>,
    found: &Found,
    took: Spend,
    word: Option<(&str, Option<&String>)>,
) -> Result<(), Rollback> {
    let held = &found.held;
    let mut accounts = Accounts::default();
    accounts.read(held.accounts(), tx.connection()).await?;
    accounts.release(held, took);
    let own = if word.is_some() { Spend::default() } else { took };
    query(
        "UPDATE calls SET state = 'settled', outcome = $1, settled_at = $2, input_tokens = $3,
                output_tokens = 0, cached_tokens = 0, reasoning_tokens = 0, micro_dollars = $4,
                estimated = 1, decided = $6, error = $7
          WHERE id = $5",
    )
    .bind(CallOutcome::Resolved.name())
    .bind(tx.now().0)
    .bind(int(own.tokens))
    .bind(int(own.micro_dollars))
    .bind(held.id.0)
    .bind(word.map(|(word, _)| word))
    .bind(word.and_then(|(_, error)| error).map(String::as_str))
    .execute(&mut *tx)
    .await?;
    write_accounts(tx, accounts).await
}

/// Writes down a try that is taken from its owner, at its worst case; returns what had arrived.
async fn lose(tx: &mut Transaction<'_>, found: &Found) -> Result<String, Rollback> {
    let held = &found.held;
    let pieces: Vec<Vec<u8>> =
        query("SELECT content FROM call_pieces WHERE call = $1 ORDER BY position")
            .bind(held.id.0)
            .fetch_values(&mut *tx)
            .await?;
    let worst = held.worst.total();
    query(
        "INSERT INTO call_tries (call, epoch, state, worker, reserved_at, day, gateway_key,
                                 session, counted_tokens, counted_micro_dollars, content)
         VALUES ($1, $2, 'lost', $3, $4, $5, $6, $7, $8, $9, $10)",
    )
    .bind(held.id.0)
    .bind(held.epoch)
    .bind(&found.worker)
    .bind(held.reserved_at.0)
    .bind(held.day)
    .bind(held.key_id.map(|key| key.0))
    .bind(held.session.as_deref())
    .bind(int(worst.tokens))
    .bind(int(worst.micro_dollars))
    .bind(pieces.concat())
    .execute(&mut *tx)
    .await?;
    // One that was lost before anything arrived adds nothing to what those before it brought.
    let partial: Vec<Vec<u8>> = query(
        "SELECT content FROM call_tries WHERE call = $1 AND length(content) > 0
          ORDER BY epoch DESC LIMIT 1",
    )
    .bind(held.id.0)
    .fetch_values(tx)
    .await?;
    Ok(String::from_utf8_lossy(&partial.concat()).into_owned())
}

async fn own(tx: &mut Transaction<'_>, new: &Held, call: &NewCall) -> Result<(), Rollback> {
    query(
        "UPDATE calls SET worker = $1, epoch = $2, decided = NULL, reserved_at = $3, day = $4,
                purpose = $5, dialect = $6, provider = $7, model = $8, gateway_key = $9,
                session = $10, parent = $11, prompt_hash = $12, prompt_tokens = $13,
                prompt_micro_dollars = $14, answer_tokens = $15, answer_micro_dollars = $16
          WHERE id = $17",
    )
    .bind(tx.worker())
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
    .execute(tx)
    .await?;
    Ok(())
}

async fn write_accounts(tx: &mut Transaction<'_>, mut accounts: Accounts) -> Result<(), Rollback> {
    for (account, balance) in accounts.take_changed() {
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
        .bind(tx.now().day())
        .execute(&mut *tx)
        .await?;
    }
    Ok(())
}

impl Owner {
    async fn is_alive(&self, tx: &mut Transaction<'_>, found: &Found) -> Result<bool, sqlx::Error> {
        let since = crate::poll::alive_since(tx.now(), self.silence, &mut *tx).await?;
        Ok(found.worker == self.worker || found.seen_at.is_some_and(|seen| seen >= since))
    }
}

async fn find_by_key(tx: &mut Transaction<'_>, key: &str) -> Result<Option<Found>, sqlx::Error> {
    find(tx, "calls.call_key = $1", &Id::Key(key.to_owned())).await
}

enum Id {
    Number(i64),
    Key(String),
}

async fn find(
    tx: &mut Transaction<'_>,
    which: &str,
    id: &Id,
) -> Result<Option<Found>, sqlx::Error> {
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
    let Some(row) = asked.fetch_optional(tx).await? else { return Ok(None) };
    let spend = |at: usize| -> Result<Spend, sqlx::Error> {
        Ok(Spend {
            tokens: u64::try_from(row.try_get::<i64>(at)?).unwrap_or_default(),
            micro_dollars: u64::try_from(row.try_get::<i64>(at + 1)?).unwrap_or_default(),
        })
    };
    Ok(Some(Found {
        held: Held {
            id: CallId(row.try_get(0)?),
            epoch: row.try_get(2)?,
            reserved_at: Timestamp(row.try_get(6)?),
            worst: WorstCase { prompt: spend(10)?, answer: spend(12)? },
            day: row.try_get(7)?,
            key_id: row.try_get::<Option<i64>>(8)?.map(KeyId),
            session: row.try_get(9)?,
            has_key: matches!(id, Id::Key(_)),
        },
        open: row.try_get::<String>(1)? == "open",
        worker: row.try_get(3)?,
        decided: row.try_get(4)?,
        seen_at: row.try_get(5)?,
    }))
}

// Its worst case is what it counts as; how that was made up of prompt and answer matters no more.
async fn lost_try(
    tx: &mut Transaction<'_>,
    call: CallId,
    epoch: i64,
) -> Result<Option<Held>, Rollback> {
    let row = query(
        "SELECT reserved_at, day, gateway_key, session, counted_tokens, counted_micro_dollars
           FROM call_tries WHERE call = $1 AND epoch = $2",
    )
    .bind(call.0)
    .bind(epoch)
    .fetch_optional(tx)
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
        has_key: true,
    }))
}
