//! Steps: claimed, completed, given back; and the sessions that tie some of them to one worker.
//!
//! In: a claim, or the outcome of a step. Out: one transaction each. Never a result without the
//! lease: a worker that lost it is refused.

use super::{refuse, turns};
use crate::commit::{Rollback, Transaction};
use crate::sql::{Asked, Cell, Rows, query};
use salve_types::{ClaimedStep, EngineRefusal, FlowMessage, StepClaim, TagChoice, Timestamp};

/// A step that can be claimed.
pub(super) struct Next {
    id: i64,
    body: String,
    attempts: i64,
    session: Option<String>,
}

/// Returns the oldest step that is due and wanted.
pub(super) async fn next(
    claim: &StepClaim,
    asked: impl Into<Asked<'_>>,
) -> Result<Option<Next>, sqlx::Error> {
    let (any, untagged, tags) = match &claim.tags {
        TagChoice::Any => (1, 1, list(&[])),
        TagChoice::Some { untagged, tags } => (0, i64::from(*untagged), list(tags)),
    };
    let row = query(
        "SELECT q.id, q.body, q.attempts, q.session FROM engine_steps q
           LEFT JOIN engine_sessions s ON s.session = q.session AND s.until > $1
          WHERE q.due <= $1
            AND (q.token IS NULL OR q.until <= $1)
            AND (q.session IS NULL
                 OR ($2 IS NOT NULL AND (s.session IS NULL OR s.owner = $2)))
            AND ($3 = 1 OR CASE WHEN q.tag IS NULL THEN $4 = 1
                           ELSE q.tag IN (SELECT value ->> 0 FROM json_each($5)) END)
            AND ($6 IS NULL OR q.instance = $6
                 OR substr(q.instance, 1, length($6) + 1) = $6 || '/')
          ORDER BY q.id LIMIT 1",
    )
    .bind(claim.now.0)
    .bind(claim.session.as_ref().map(|(owner, _)| owner.as_str()))
    .bind(any)
    .bind(untagged)
    .bind(tags)
    .bind(claim.only.as_deref())
    .fetch_optional(asked)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let (id, body) = (row.try_get(0)?, row.try_get(1)?);
    Ok(Some(Next { id, body, attempts: row.try_get(2)?, session: row.try_get(3)? }))
}

/// Claims the oldest step that is due and wanted.
pub(super) async fn claim(
    claim: &StepClaim,
    tx: &mut Transaction<'_>,
) -> Result<Option<ClaimedStep>, Rollback> {
    let Some(Next { id, body, attempts, session }) = next(claim, &mut *tx).await? else {
        return Ok(None);
    };
    query(
        "UPDATE engine_steps SET token = $2, owner = $3, until = $4, attempts = attempts + 1
          WHERE id = $1",
    )
    .bind(id)
    .bind(&claim.lease.token)
    .bind(&claim.lease.owner)
    .bind(claim.lease.until.0)
    .execute(&mut *tx)
    .await?;
    if let (Some(name), Some((owner, until))) = (session, &claim.session) {
        query(
            "INSERT INTO engine_sessions (session, owner, until, active_at)
             VALUES ($1, $2, $3, $4)
             ON CONFLICT (session) DO UPDATE SET owner = excluded.owner,
                 until = excluded.until, active_at = excluded.active_at",
        )
        .bind(name)
        .bind(owner)
        .bind(until.0)
        .bind(claim.now.0)
        .execute(tx)
        .await?;
    }
    Ok(Some(ClaimedStep { body, attempts: u32::try_from(attempts + 1).unwrap_or(u32::MAX) }))
}

/// Takes a step out of the queue, and sends the outcome.
pub(super) async fn complete(
    token: &str,
    now: Timestamp,
    completion: Option<&FlowMessage>,
    tx: &mut Transaction<'_>,
) -> Result<(), Rollback> {
    let held = query("DELETE FROM engine_steps WHERE token = $1 AND until > $2 RETURNING session")
        .bind(token)
        .bind(now.0)
        .fetch_optional(&mut *tx)
        .await?;
    let Some(row) = held else { return refuse(EngineRefusal::LeaseLost) };
    note_session(row.try_get(0)?, now, tx).await?;
    turns::send(completion.map(std::slice::from_ref).unwrap_or_default(), tx).await
}

/// Gives a step back.
pub(super) async fn abandon(
    token: &str,
    due: Timestamp,
    uncount: bool,
    tx: &mut Transaction<'_>,
) -> Result<(), Rollback> {
    let held = query(
        "UPDATE engine_steps SET token = NULL, owner = NULL, until = NULL, due = $2,
                attempts = CASE WHEN attempts > $3 THEN attempts - $3 ELSE 0 END
          WHERE token = $1",
    )
    .bind(token)
    .bind(due.0)
    .bind(i64::from(uncount))
    .execute(tx)
    .await?;
    if held == 0 { refuse(EngineRefusal::LeaseLost) } else { Ok(()) }
}

/// Extends the lease of a step.
pub(super) async fn renew(
    token: &str,
    now: Timestamp,
    until: Timestamp,
    tx: &mut Transaction<'_>,
) -> Result<(), Rollback> {
    let held = query(
        "UPDATE engine_steps SET until = $3 WHERE token = $1 AND until > $2 RETURNING session",
    )
    .bind(token)
    .bind(now.0)
    .bind(until.0)
    .fetch_optional(&mut *tx)
    .await?;
    let Some(row) = held else { return refuse(EngineRefusal::LeaseLost) };
    note_session(row.try_get(0)?, now, tx).await
}

// A session that another worker has taken meanwhile is not this worker's to keep alive.
async fn note_session(
    session: Option<String>,
    now: Timestamp,
    tx: &mut Transaction<'_>,
) -> Result<(), Rollback> {
    let Some(session) = session else { return Ok(()) };
    query("UPDATE engine_sessions SET active_at = $2 WHERE session = $1 AND until > $2")
        .bind(session)
        .bind(now.0)
        .execute(tx)
        .await?;
    Ok(())
}

/// Extends the sessions of these owners that were active lately. Returns how many.
pub(super) async fn renew_sessions(
    owners: &[String],
    now: Timestamp,
    until: Timestamp,
    active_since: Timestamp,
    tx: &mut Transaction<'_>,
) -> Result<u64, Rollback> {
    Ok(query(
        "UPDATE engine_sessions SET until = $1
          WHERE owner IN (SELECT value ->> 0 FROM json_each($2))
            AND until > $3 AND active_at > $4",
    )
    .bind(until.0)
    .bind(list(owners))
    .bind(now.0)
    .bind(active_since.0)
    .execute(tx)
    .await?)
}

/// Removes sessions that ran out and have no step. Returns how many.
pub(super) async fn clean_sessions(
    now: Timestamp,
    tx: &mut Transaction<'_>,
) -> Result<u64, Rollback> {
    Ok(query(
        "DELETE FROM engine_sessions
          WHERE until < $1
            AND NOT EXISTS (SELECT 1 FROM engine_steps q
                             WHERE q.session = engine_sessions.session)",
    )
    .bind(now.0)
    .execute(tx)
    .await?)
}

/// Returns the processes that hold leases, or were seen to make calls.
pub(super) async fn owners(asked: impl Into<Asked<'_>>) -> Result<Vec<String>, sqlx::Error> {
    query(
        "SELECT owner FROM engine_turns
          UNION SELECT owner FROM engine_steps WHERE token IS NOT NULL AND owner IS NOT NULL
          UNION SELECT process FROM workers WHERE process <> ''",
    )
    .fetch_values(asked)
    .await
}

/// Takes all leases of these processes away. That they were claimed still counts, but for turns of a
/// process that had a step as well: a turn only replays, so that the step is what it died of.
pub(super) async fn release(owners: &[String], tx: &mut Transaction<'_>) -> Result<u64, Rollback> {
    let owners = list(owners);
    let mut released = 0;
    query(
        "UPDATE engine_messages SET attempts = attempts - 1
          WHERE attempts > 0 AND token IN
                (SELECT t.token FROM engine_turns t
                  WHERE t.owner IN (SELECT value ->> 0 FROM json_each($1))
                    AND EXISTS (SELECT 1 FROM engine_steps s WHERE s.owner = t.owner))",
    )
    .bind(&owners)
    .execute(&mut *tx)
    .await?;
    for sql in [
        "DELETE FROM engine_turns WHERE owner IN (SELECT value ->> 0 FROM json_each($1))",
        "UPDATE engine_steps SET token = NULL, owner = NULL, until = NULL
          WHERE owner IN (SELECT value ->> 0 FROM json_each($1))",
    ] {
        released += query(sql).bind(&owners).execute(&mut *tx).await?;
    }
    // Their open calls are in doubt from now on, not when they were silent for long.
    query("DELETE FROM workers WHERE process IN (SELECT value ->> 0 FROM json_each($1))")
        .bind(&owners)
        .execute(&mut *tx)
        .await?;
    Ok(released)
}

fn list(texts: &[String]) -> String {
    let mut rows = Rows::default();
    for text in texts {
        rows.push(&[Cell::Text(text)]);
    }
    rows.finish()
}
