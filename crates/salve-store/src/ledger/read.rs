//! Reading the ledger: lists of calls, one call with its texts, budgets.
//!
//! In: filters. Out: rows as they were committed. Never waits for the writer.

use super::call::{Call, CallDetail, CallFilter, CallState, CallTexts, CallTry, LateEnd};
use crate::sql::{Row, Snapshot, query};
use crate::{CallId, KeyId, Spend, Store, StoreError};
use salve_types::{CallOutcome, Timestamp, Usage};

const COLUMNS: &str = "
    calls.id, call_key, state, calls.worker, reserved_at, settled_at, purpose, dialect, provider,
    model, gateway_key, session, parent, prompt_hash, prompt_tokens + answer_tokens,
    prompt_micro_dollars + answer_micro_dollars, outcome, input_tokens, output_tokens,
    cached_tokens, reasoning_tokens, micro_dollars, estimated, raw_bytes, finish, status, error,
    kind, language, false_alarm, note, workers.seen_at, epoch, decided";

const TRIES: &str = "
SELECT epoch, worker, reserved_at, counted_tokens, counted_micro_dollars, settled_at, outcome,
       input_tokens, output_tokens, cached_tokens, reasoning_tokens, micro_dollars, note, content
  FROM call_tries WHERE call = $1 ORDER BY epoch";

impl Store {
    /// Returns calls, newest first.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn calls(&self, filter: &CallFilter) -> Result<Vec<Call>, StoreError> {
        let doing = "list calls";
        let alive = self.alive_since().await.map_err(StoreError::database(doing))?;
        let sql = format!(
            "SELECT {COLUMNS} FROM calls LEFT JOIN workers ON workers.worker = calls.worker
              WHERE ($1 IS NULL OR model = $1) AND ($2 IS NULL OR gateway_key = $2)
                AND ($3 IS NULL OR session = $3) AND ($4 IS NULL OR reserved_at >= $4)
                AND ($5 IS NULL OR calls.id < $5)
                AND ($6 IS NULL OR $6 = CASE WHEN state = 'settled' THEN 'settled'
                                             WHEN coalesce(workers.seen_at, 0) < $7 THEN 'unknown'
                                             ELSE 'open' END)
              ORDER BY calls.id DESC LIMIT $8"
        );
        let rows = query(&sql)
            .bind(&filter.model)
            .bind(filter.key_id.map(|key| key.0))
            .bind(&filter.session)
            .bind(filter.since.map(|since| since.0))
            .bind(filter.before.map(|before| before.0))
            .bind(filter.state.map(CallState::name))
            .bind(alive)
            .bind(i64::from(filter.limit))
            .fetch_all(self.readers())
            .await
            .map_err(StoreError::database(doing))?;
        rows.iter()
            .map(|row| read_call(row, alive))
            .collect::<Result<_, _>>()
            .map_err(StoreError::database(doing))
    }

    /// Returns the tries at calls that were taken from their owner, newest call first, each as a call
    /// of its own under the number it has: what has no known end is unknown, and counts at
    /// the most it can have taken.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn earlier_tries(&self, filter: &CallFilter) -> Result<Vec<Call>, StoreError> {
        let ids: Vec<i64> = query(
            "SELECT DISTINCT call FROM call_tries WHERE ($1 IS NULL OR call < $1)
              ORDER BY call DESC LIMIT $2",
        )
        .bind(filter.before.map(|before| before.0))
        .bind(i64::from(filter.limit))
        .fetch_values(self.readers())
        .await
        .map_err(StoreError::database("list the tries at calls"))?;
        let mut found = Vec::new();
        for id in ids {
            let Some(detail) = self.call(CallId(id)).await? else { continue };
            let tries = detail.tries.iter().rev().map(|one| one.as_call(&detail.call));
            found.extend(tries.filter(|call| filter.fits(call)));
        }
        Ok(found)
    }

    /// Returns a call with its texts.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn call(&self, id: CallId) -> Result<Option<CallDetail>, StoreError> {
        let doing = "read a call";
        let alive = self.alive_since().await.map_err(StoreError::database(doing))?;
        // The row and its texts are of the same moment.
        self.read(doing, async |snapshot| read_detail(id, alive, snapshot).await).await
    }

    /// Returns what a gateway key has spent today, and what its open calls hold.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn key_spending(&self, id: KeyId) -> Result<Spending, StoreError> {
        self.spending(&format!("key:{id}"), self.now().day()).await
    }

    /// Returns what all have spent today, and what open calls hold.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn day_spending(&self) -> Result<Spending, StoreError> {
        self.spending("day", self.now().day()).await
    }

    /// Returns what all have spent on each of the last days that had a call, oldest first. At most 366 days.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn spending_by_day(&self, days: u32) -> Result<Vec<DaySpending>, StoreError> {
        let first = self.now().day() - i64::from(days.clamp(1, 366)) + 1;
        let read = async {
            let rows = query(
                "SELECT held_tokens, held_micro_dollars, spent_tokens, spent_micro_dollars, day
                   FROM budgets WHERE scope = 'day' AND day >= $1 ORDER BY day",
            )
            .bind(first)
            .fetch_all(self.readers())
            .await?;
            let day = |row: &Row| {
                Ok::<_, sqlx::Error>(DaySpending { day: row.try_get(4)?, spent: spend(row, 2)? })
            };
            rows.iter().map(day).collect::<Result<Vec<_>, _>>()
        };
        read.await.map_err(StoreError::database("read what was spent day by day"))
    }

    /// Returns what a session has spent, and what its open calls hold.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn session_spending(&self, session: &str) -> Result<Spending, StoreError> {
        self.spending(&format!("session:{}", self.redactor().name(session)), 0).await
    }

    async fn spending(&self, scope: &str, day: i64) -> Result<Spending, StoreError> {
        let read = async {
            let row = query(
                "SELECT held_tokens, held_micro_dollars, spent_tokens, spent_micro_dollars
                   FROM budgets WHERE scope = $1 AND day = $2",
            )
            .bind(scope)
            .bind(day)
            .fetch_optional(self.readers())
            .await?;
            let Some(row) = row else { return Ok(Spending::default()) };
            Ok::<_, sqlx::Error>(Spending { held: spend(&row, 0)?, spent: spend(&row, 2)? })
        };
        read.await.map_err(StoreError::database("read a budget"))
    }
}

/// What a scope has spent, and what its open calls hold at their worst case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct Spending {
    /// Held.
    pub held: Spend,
    /// Spent.
    pub spent: Spend,
}

/// What was spent on a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct DaySpending {
    /// The day, counted in UTC since 1970.
    pub day: i64,
    /// What was spent on it.
    pub spent: Spend,
}

async fn read_detail(
    id: CallId,
    alive: i64,
    snapshot: &mut Snapshot,
) -> Result<Option<CallDetail>, sqlx::Error> {
    let sql = format!(
        "SELECT {COLUMNS} FROM calls LEFT JOIN workers ON workers.worker = calls.worker
          WHERE calls.id = $1"
    );
    let row = query(&sql).bind(id.0).fetch_optional(&mut *snapshot).await?;
    let Some(row) = row else { return Ok(None) };
    let pieces: Vec<Vec<u8>> =
        query("SELECT content FROM call_pieces WHERE call = $1 ORDER BY position")
            .bind(id.0)
            .fetch_values(&mut *snapshot)
            .await?;
    let slots = query("SELECT slot, content FROM call_texts WHERE call = $1")
        .bind(id.0)
        .fetch_all(&mut *snapshot)
        .await?;
    let mut texts = CallTexts { raw: text(&pieces.concat()), ..CallTexts::default() };
    for slot in slots {
        let content: Vec<u8> = slot.try_get(1)?;
        match slot.try_get::<String>(0)?.as_str() {
            "result" => texts.result = Some(text(&content)),
            _ => texts.partial = Some(text(&content)),
        }
    }
    let tries = query(TRIES).bind(id.0).fetch_all(&mut *snapshot).await?;
    let tries = tries.iter().map(read_try).collect::<Result<_, _>>()?;
    Ok(Some(CallDetail { call: read_call(&row, alive)?, texts, tries }))
}

fn read_call(row: &Row, alive: i64) -> Result<Call, sqlx::Error> {
    let count = |at: usize| -> Result<Option<u64>, sqlx::Error> {
        Ok(row.try_get::<Option<i64>>(at)?.map(|count| u64::try_from(count).unwrap_or_default()))
    };
    let settled = row.try_get::<String>(2)? == "settled";
    let seen_at: Option<i64> = row.try_get(31)?;
    let usage = match count(17)? {
        None => None,
        Some(input_tokens) => Some(Usage {
            input_tokens,
            output_tokens: count(18)?.unwrap_or_default(),
            cached_tokens: count(19)?.unwrap_or_default(),
            reasoning_tokens: count(20)?.unwrap_or_default(),
            search_calls: 0,
        }),
    };
    let note: Option<String> = row.try_get(30)?;
    Ok(Call {
        id: CallId(row.try_get(0)?),
        key: row.try_get(1)?,
        state: match (settled, seen_at) {
            (true, _) => CallState::Settled,
            (false, Some(seen)) if seen >= alive => CallState::Open,
            (false, _) => CallState::Unknown,
        },
        worker: row.try_get(3)?,
        epoch: u32::try_from(row.try_get::<i64>(32)?).unwrap_or(u32::MAX),
        reserved_at: Timestamp(row.try_get(4)?),
        settled_at: row.try_get::<Option<i64>>(5)?.map(Timestamp),
        purpose: row.try_get(6)?,
        dialect: row.try_get(7)?,
        provider: row.try_get(8)?,
        model: row.try_get(9)?,
        key_id: row.try_get::<Option<i64>>(10)?.map(KeyId),
        session: row.try_get(11)?,
        parent: row.try_get::<Option<i64>>(12)?.map(CallId),
        prompt_hash: row.try_get(13)?,
        worst: spend(row, 14)?,
        outcome: row.try_get::<Option<String>>(16)?.as_deref().and_then(CallOutcome::from_name),
        usage,
        micro_dollars: count(21)?,
        estimated: row.try_get::<Option<i64>>(22)?.unwrap_or_default() != 0,
        raw_bytes: count(23)?,
        finish: row.try_get(24)?,
        status: count(25)?.and_then(|status| u16::try_from(status).ok()),
        error: row.try_get(26)?,
        kind: row.try_get(27)?,
        language: row.try_get(28)?,
        false_alarm: row.try_get::<i64>(29)? != 0,
        note: note.and_then(|note| serde_json::from_str(&note).ok()),
        decided: row.try_get(33)?,
    })
}

fn read_try(row: &Row) -> Result<CallTry, sqlx::Error> {
    let count = |at: usize| -> Result<u64, sqlx::Error> {
        let count = row.try_get::<Option<i64>>(at)?.unwrap_or_default();
        Ok(u64::try_from(count).unwrap_or_default())
    };
    let note: Option<String> = row.try_get(12)?;
    let late = match row.try_get::<Option<i64>>(5)? {
        None => None,
        Some(at) => Some(LateEnd {
            at: Timestamp(at),
            outcome: row.try_get::<Option<String>>(6)?.as_deref().and_then(CallOutcome::from_name),
            usage: Usage {
                input_tokens: count(7)?,
                output_tokens: count(8)?,
                cached_tokens: count(9)?,
                reasoning_tokens: count(10)?,
                search_calls: 0,
            },
            micro_dollars: count(11)?,
            note: note.and_then(|note| serde_json::from_str(&note).ok()),
        }),
    };
    Ok(CallTry {
        epoch: u32::try_from(row.try_get::<i64>(0)?).unwrap_or(u32::MAX),
        worker: row.try_get(1)?,
        reserved_at: Timestamp(row.try_get(2)?),
        counted: spend(row, 3)?,
        text: text(&row.try_get::<Vec<u8>>(13)?),
        late,
    })
}

pub(crate) fn spend(row: &Row, at: usize) -> Result<Spend, sqlx::Error> {
    Ok(Spend {
        tokens: u64::try_from(row.try_get::<i64>(at)?).unwrap_or_default(),
        micro_dollars: u64::try_from(row.try_get::<i64>(at + 1)?).unwrap_or_default(),
    })
}

// Pieces are cut where a text was, so together they are text again.
fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
