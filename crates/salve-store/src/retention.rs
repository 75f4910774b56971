//! Forgets what is old, a part at a time.
//!
//! In: the retention of the options. Out: how much was forgotten, and whether there is more. Never a
//! call that is not settled, nor a budget that holds something, nor a text that a session refers to.

use crate::commit::{Change, Rollback, Transaction};
use crate::sql::{int, query};
use crate::{Durability, Retention, Store, StoreError};
use tokio::sync::oneshot;

/// At most this many rows of each kind go at once: other work waits meanwhile.
const PART: u64 = 2000;
const DAY: i64 = 86_400_000;

/// What was forgotten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pruned {
    /// Calls.
    pub calls: u64,
    /// Texts of calls, and pieces of them.
    pub texts: u64,
    /// Events.
    pub events: u64,
    /// Whether there is more that is old enough.
    pub more: bool,
}

impl Store {
    /// Forgets what is older than the options say. A store that stays open does it every hour.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn prune(&self) -> Result<Pruned, StoreError> {
        let keep = self.retention();
        let mut total = Pruned::default();
        loop {
            // A part at a time, so that others need not wait for all of it.
            let part = self.write(Durability::Normal, DOING, move |tx| Box::pin(prune(tx, keep)));
            let part = part.await?;
            total.calls += part.calls;
            total.texts += part.texts;
            total.events += part.events;
            if !part.more {
                return Ok(total);
            }
        }
    }
}

const DOING: &str = "forget what is old";

/// Returns the operation that forgets a part, and where its answer arrives.
pub(crate) fn change(keep: Retention) -> (Change, oneshot::Receiver<Result<Pruned, StoreError>>) {
    let (reply, answer) = oneshot::channel();
    let change = Change::new(Durability::Normal, DOING, move |tx| Box::pin(prune(tx, keep)), reply);
    (change, answer)
}

async fn prune(tx: &mut Transaction<'_>, keep: Retention) -> Result<Pruned, Rollback> {
    // Budgets that are forgotten are not to be remembered either.
    tx.change_ledger().await?;
    let today = tx.now().day();
    let before = |days: u32| today - i64::from(days);

    let end = first_call_since(before(keep.text_days), tx).await?;
    let pieces = delete(tx, PIECES, end).await?;
    let texts = delete(tx, TEXTS, end).await?;
    let put = delete(tx, PUT_TEXTS, before(keep.text_days) * DAY).await?;
    let end = first_call_since(before(keep.call_days), tx).await?;
    let calls = delete(tx, CALLS, end).await?;
    query(BUDGETS).bind(before(keep.call_days)).execute(&mut *tx).await?;

    let aged = delete(tx, EVENTS_BY_AGE, before(keep.event_days) * DAY).await?;
    let next_event: i64 = query("SELECT next_event FROM ledger").fetch_value(&mut *tx).await?;
    let spare = delete(tx, EVENTS_BY_NUMBER, next_event.saturating_sub(int(keep.events))).await?;
    let heals = before(keep.call_days) * DAY;
    let errors = delete(tx, HEAL_ERRORS, heals).await?;
    // An attempt goes once the errors it was made for are gone.
    let tried = if errors < PART { delete(tx, HEAL_ATTEMPTS, heals).await? } else { PART };
    let told = delete(tx, TOLD, heals).await?;
    query(WORKERS).bind(today.saturating_sub(1) * DAY).execute(tx).await?;
    let more = [pieces, texts, put, calls, aged, spare, tried, told].contains(&PART);
    Ok(Pruned { calls, texts: pieces + texts + put, events: aged + spare, more })
}

/// Returns the number of the first call of a day or later, or one beyond all calls. Numbers rise with
/// time, so what is older has a lower one, and this stops at the first that is not old.
async fn first_call_since(day: i64, tx: &mut Transaction<'_>) -> Result<i64, sqlx::Error> {
    let first: Vec<i64> = query("SELECT id FROM calls WHERE day >= $1 ORDER BY id LIMIT 1")
        .bind(day)
        .fetch_values(tx)
        .await?;
    Ok(first.first().copied().unwrap_or(i64::MAX))
}

async fn delete(tx: &mut Transaction<'_>, sql: &str, limit: i64) -> Result<u64, sqlx::Error> {
    query(sql).bind(limit).bind(int(PART)).execute(tx).await
}

const PIECES: &str = "
DELETE FROM call_pieces WHERE (call, position) IN
    (SELECT call, position FROM call_pieces JOIN calls ON calls.id = call_pieces.call
      WHERE call < $1 AND state = 'settled' LIMIT $2)";

const TEXTS: &str = "
DELETE FROM call_texts WHERE (call, slot) IN
    (SELECT call, slot FROM call_texts JOIN calls ON calls.id = call_texts.call
      WHERE call < $1 AND state = 'settled' LIMIT $2)";

const PUT_TEXTS: &str = "
DELETE FROM texts WHERE id IN
    (SELECT id FROM texts
      WHERE put_at < $1 AND NOT EXISTS (SELECT 1 FROM session_texts WHERE content = texts.id)
      LIMIT $2)";

const CALLS: &str = "
DELETE FROM calls WHERE id IN
    (SELECT id FROM calls WHERE id < $1 AND state = 'settled' ORDER BY id LIMIT $2)";

// Windows that ended, once nothing in them is open any more.
const BUDGETS: &str = "
DELETE FROM budgets
 WHERE (CASE WHEN day = 0 THEN touched ELSE day END) < $1
   AND held_tokens = 0 AND held_micro_dollars = 0";

const EVENTS_BY_AGE: &str = "
DELETE FROM events WHERE id IN
    (SELECT id FROM events
      WHERE id < (SELECT coalesce((SELECT id FROM events WHERE at >= $1 ORDER BY id LIMIT 1),
                                  9223372036854775807))
      ORDER BY id LIMIT $2)";

const EVENTS_BY_NUMBER: &str = "
DELETE FROM events WHERE id IN (SELECT id FROM events WHERE id < $1 ORDER BY id LIMIT $2)";

const HEAL_ERRORS: &str = "
DELETE FROM heal_attempt_errors WHERE (signature, heal, number) IN
    (SELECT e.signature, e.heal, e.number FROM heal_attempt_errors e
       JOIN heal_attempts a ON a.heal = e.heal AND a.number = e.number WHERE a.at < $1 LIMIT $2)";

const HEAL_ATTEMPTS: &str = "
DELETE FROM heal_attempts WHERE (heal, number) IN
    (SELECT heal, number FROM heal_attempts WHERE at < $1 LIMIT $2)";

// A heal that old goes on no more, so it tells nothing again.
const TOLD: &str = "
DELETE FROM knowledge_outcomes WHERE (heal, subject, author) IN
    (SELECT heal, subject, author FROM knowledge_outcomes WHERE at < $1 LIMIT $2)";

const WORKERS: &str = "DELETE FROM workers WHERE seen_at < $1";
