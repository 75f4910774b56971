//! Forgets what is old, a part at a time.
//!
//! In: the retention of the options. Out: how much was forgotten, and whether there is more. Never a
//! call that is not settled, nor a budget that holds something.

use super::Writer;
use super::rows::int;
use crate::commit::Rollback;
use crate::sql::{Connection, query};
use crate::store::Pruned;

/// At most so many rows of each kind go at once: the ledger's other work waits meanwhile.
const PART: u64 = 2000;
const DAY: i64 = 86_400_000;

impl Writer {
    pub(super) async fn prune(&mut self) -> Result<Pruned, Rollback> {
        let today = self.clock.now().day();
        let before = |days: u32| today - i64::from(days);
        let keep = self.retention;
        let connection = &mut self.connection;

        let end = first_call_since(before(keep.text_days), connection).await?;
        let pieces = delete(connection, PIECES, end).await?;
        let texts = delete(connection, TEXTS, end).await?;
        let put = delete(connection, PUT_TEXTS, before(keep.text_days) * DAY).await?;
        let end = first_call_since(before(keep.call_days), connection).await?;
        let calls = delete(connection, CALLS, end).await?;
        query(BUDGETS).bind(before(keep.call_days)).execute(&mut *connection).await?;

        let aged = delete(connection, EVENTS_BY_AGE, before(keep.event_days) * DAY).await?;
        let spare = self.books.next_event.saturating_sub(int(keep.events));
        let spare = delete(connection, EVENTS_BY_NUMBER, spare).await?;
        query(WORKERS).bind(today.saturating_sub(1) * DAY).execute(&mut *connection).await?;
        let more = [pieces, texts, put, calls, aged, spare].contains(&PART);
        Ok(Pruned { calls, texts: pieces + texts + put, events: aged + spare, more })
    }
}

/// Returns the number of the first call of a day or later, or one beyond all calls. Numbers rise with
/// time, so what is older has a lower one, and this stops at the first that is not old.
async fn first_call_since(day: i64, connection: &mut Connection) -> Result<i64, sqlx::Error> {
    let first: Vec<i64> = query("SELECT id FROM calls WHERE day >= $1 ORDER BY id LIMIT 1")
        .bind(day)
        .fetch_values(connection)
        .await?;
    Ok(first.first().copied().unwrap_or(i64::MAX))
}

async fn delete(connection: &mut Connection, sql: &str, limit: i64) -> Result<u64, sqlx::Error> {
    query(sql).bind(limit).bind(int(PART)).execute(connection).await
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
DELETE FROM texts WHERE id IN (SELECT id FROM texts WHERE put_at < $1 LIMIT $2)";

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

const WORKERS: &str = "DELETE FROM workers WHERE seen_at < $1";
