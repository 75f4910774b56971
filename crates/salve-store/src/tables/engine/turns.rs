//! Turns of flows: claimed, committed, given back.
//!
//! In: a claim, or what a turn came to. Out: everything in one transaction. Never two holders of one
//! instance, and never a commit without the lease.

use super::{count, refuse, values};
use crate::commit::{Rollback, Transaction};
use crate::sql::{Asked, Cell, Row, Rows, int, query};
use salve_types::{
    ClaimedTurn, EngineRefusal, FlowMessage, FlowRun, HistoryEvent, MessageKind, QueuedStep,
    StepId, Timestamp, TurnClaim, TurnCommit,
};

/// Claims the oldest turn that is due.
pub(super) async fn claim(
    claim: &TurnClaim,
    tx: &mut Transaction<'_>,
) -> Result<Option<ClaimedTurn>, Rollback> {
    loop {
        let Some((instance, is_known)) = next(claim, &mut *tx).await? else {
            return Ok(None);
        };
        if is_known {
            return take(instance, claim, tx).await.map(Some);
        }
        // Signals to an instance that was never started.
        query("DELETE FROM engine_messages WHERE instance = $1")
            .bind(&instance)
            .execute(&mut *tx)
            .await?;
    }
}

/// Returns the next instance that has something due and that no worker holds, and whether it
/// is known or about to be. What comes before its start is passed over.
pub(super) async fn next(
    claim: &TurnClaim,
    asked: impl Into<Asked<'_>>,
) -> Result<Option<(String, bool)>, sqlx::Error> {
    let (oldest, newest) = match &claim.versions {
        Some(versions) => (int(*versions.start()), int(*versions.end())),
        None => (i64::MIN, i64::MAX),
    };
    let row = query(
        "SELECT c.instance, CAST(CASE WHEN c.known THEN 1 ELSE 0 END AS BIGINT)
           FROM (SELECT m.id, m.instance,
                        i.id IS NOT NULL
                        OR EXISTS (SELECT 1 FROM engine_messages s
                                    WHERE s.instance = m.instance AND s.kind = 'start'
                                      AND s.due <= $1)
                        OR EXISTS (SELECT 1 FROM engine_history h
                                    WHERE h.instance = m.instance) AS known
                   FROM engine_messages m
                   LEFT JOIN engine_turns t ON t.instance = m.instance
                   LEFT JOIN engine_instances i ON i.id = m.instance
                   LEFT JOIN engine_executions e
                     ON e.instance = i.id AND e.execution = i.execution
                  WHERE m.due <= $1
                    AND ($4 IS NULL OR m.instance = $4
                         OR substr(m.instance, 1, length($4) + 1) = $4 || '/')
                    AND (t.instance IS NULL OR t.until <= $1)
                    AND (e.engine_version IS NULL OR e.engine_version BETWEEN $2 AND $3)) c
          WHERE c.known OR NOT EXISTS (SELECT 1 FROM engine_messages o
                                        WHERE o.instance = c.instance AND o.kind <> 'signal')
          ORDER BY c.id LIMIT 1",
    )
    .bind(claim.now.0)
    .bind(oldest)
    .bind(newest)
    .bind(claim.only.as_deref())
    .fetch_optional(asked)
    .await?;
    let read = |row: Row| Ok((row.try_get(0)?, row.try_get::<i64>(1)? != 0));
    row.map(read).transpose()
}

async fn take(
    instance: String,
    claim: &TurnClaim,
    tx: &mut Transaction<'_>,
) -> Result<ClaimedTurn, Rollback> {
    query(
        "INSERT INTO engine_turns (instance, token, owner, until) VALUES ($1, $2, $3, $4)
         ON CONFLICT (instance) DO UPDATE
            SET token = excluded.token, owner = excluded.owner, until = excluded.until",
    )
    .bind(&instance)
    .bind(&claim.lease.token)
    .bind(&claim.lease.owner)
    .bind(claim.lease.until.0)
    .execute(&mut *tx)
    .await?;
    // Also those that an earlier claimant never gave back.
    let mut rows = query(
        "UPDATE engine_messages SET token = $1, attempts = attempts + 1
          WHERE instance = $2 AND due <= $3 RETURNING id, body, attempts",
    )
    .bind(&claim.lease.token)
    .bind(&instance)
    .bind(claim.now.0)
    .fetch_all(&mut *tx)
    .await?
    .iter()
    .map(|row| Ok((row.try_get(0)?, row.try_get(1)?, row.try_get(2)?)))
    .collect::<Result<Vec<(i64, String, i64)>, sqlx::Error>>()?;
    rows.sort_by_key(|row| row.0);
    let attempts = rows.iter().map(|row| row.2).max().unwrap_or_default();
    let run = query("SELECT flow, version, execution FROM engine_instances WHERE id = $1")
        .bind(&instance)
        .fetch_optional(&mut *tx)
        .await?
        .map(|row| {
            let execution = count(&row, 2)?;
            Ok::<_, sqlx::Error>(FlowRun {
                flow: row.try_get(0)?,
                version: row.try_get(1)?,
                execution,
            })
        })
        .transpose()?;
    let execution = run.as_ref().map(|run| run.execution);
    let history = super::rows::history(&instance, execution, &mut *tx).await?;
    let values = values::settled(&instance, tx).await?;
    Ok(ClaimedTurn {
        instance,
        run,
        history,
        messages: rows.into_iter().map(|row| row.1).collect(),
        values,
        attempts: u32::try_from(attempts).unwrap_or(u32::MAX),
    })
}

/// Commits a turn. Returns its instance.
pub(super) async fn commit(
    turn: &TurnCommit,
    tx: &mut Transaction<'_>,
) -> Result<String, Rollback> {
    let now = turn.now.0;
    let held = query("DELETE FROM engine_turns WHERE token = $1 AND until > $2 RETURNING instance")
        .bind(&turn.token)
        .bind(now)
        .fetch_optional(&mut *tx)
        .await?;
    let Some(held) = held else { return refuse(EngineRefusal::LeaseLost) };
    let instance: String = held.try_get(0)?;
    query("DELETE FROM engine_messages WHERE token = $1")
        .bind(&turn.token)
        .execute(&mut *tx)
        .await?;
    write_instance(&instance, turn, tx).await?;
    write_execution(&instance, turn, tx).await?;
    append(&instance, turn.execution, &turn.events, tx).await?;
    values::change(&instance, &turn.values, now, tx).await?;
    if turn.end.as_ref().is_some_and(|end| end.is_final) {
        values::settle(&instance, tx).await?;
    }
    queue(&turn.steps, turn.now, tx).await?;
    cancel(&turn.cancelled, tx).await?;
    send(&turn.messages, tx).await?;
    Ok(instance)
}

async fn write_instance(
    instance: &str,
    turn: &TurnCommit,
    tx: &mut Transaction<'_>,
) -> Result<(), Rollback> {
    if let Some(flow) = &turn.flow {
        query(
            "INSERT INTO engine_instances
                 (id, flow, version, parent, execution, created_at, updated_at)
             VALUES ($1, $2, $3, $4, $5, $6, $6)
             ON CONFLICT (id) DO UPDATE SET flow = excluded.flow, version = excluded.version",
        )
        .bind(instance)
        .bind(&flow.flow)
        .bind(&flow.version)
        .bind(&flow.parent)
        .bind(int(turn.execution))
        .bind(turn.now.0)
        .execute(&mut *tx)
        .await?;
    }
    query(
        "UPDATE engine_instances
            SET execution = CASE WHEN execution < $2 THEN $2 ELSE execution END,
                updated_at = $3,
                stage = CASE WHEN $4 = 1 THEN $5 ELSE stage END,
                stage_version = stage_version + $4
          WHERE id = $1",
    )
    .bind(instance)
    .bind(int(turn.execution))
    .bind(turn.now.0)
    .bind(i64::from(turn.stage.is_some()))
    .bind(turn.stage.clone().flatten())
    .execute(tx)
    .await?;
    Ok(())
}

async fn write_execution(
    instance: &str,
    turn: &TurnCommit,
    tx: &mut Transaction<'_>,
) -> Result<(), Rollback> {
    let (status, output) = match &turn.end {
        Some(end) => (Some(end.status.as_str()), end.output.as_deref()),
        None => (None, None),
    };
    // The status of an execution that has one is changed only by an end.
    query(
        "INSERT INTO engine_executions
             (instance, execution, status, output, engine_version, started_at, ended_at)
         VALUES ($1, $2, coalesce($3, 'Running'), $4, $5, $6,
                 CASE WHEN $3 IS NULL THEN NULL ELSE $6 END)
         ON CONFLICT (instance, execution) DO UPDATE
            SET engine_version = coalesce($5, engine_executions.engine_version),
                status = coalesce($3, engine_executions.status),
                output = CASE WHEN $3 IS NULL THEN engine_executions.output ELSE $4 END,
                ended_at = CASE WHEN $3 IS NULL THEN engine_executions.ended_at ELSE $6 END",
    )
    .bind(instance)
    .bind(int(turn.execution))
    .bind(status)
    .bind(output)
    .bind(turn.engine_version.map(int))
    .bind(turn.now.0)
    .execute(tx)
    .await?;
    Ok(())
}

/// Adds to a history.
pub(super) async fn append(
    instance: &str,
    execution: u64,
    events: &[HistoryEvent],
    tx: &mut Transaction<'_>,
) -> Result<(), Rollback> {
    if events.is_empty() {
        return Ok(());
    }
    let mut rows = Rows::default();
    for event in events {
        rows.push(&[Cell::Int(int(event.id)), Cell::Text(&event.body)]);
    }
    let added = query(
        "INSERT INTO engine_history (instance, execution, event, body)
         SELECT $1, $2, CAST(value ->> 0 AS BIGINT), value ->> 1 FROM json_each($3)",
    )
    .bind(instance)
    .bind(int(execution))
    .bind(rows.finish())
    .execute(tx)
    .await;
    match added {
        Err(sqlx::Error::Database(error)) if error.is_unique_violation() => {
            refuse(EngineRefusal::DuplicateEvent)
        }
        added => Ok(added.map(drop)?),
    }
}

/// Sends messages, in their order.
pub(super) async fn send(
    messages: &[FlowMessage],
    tx: &mut Transaction<'_>,
) -> Result<(), Rollback> {
    for message in messages {
        query(
            "INSERT INTO engine_messages (id, instance, kind, body, due)
             VALUES ((SELECT coalesce(max(id), 0) + 1 FROM engine_messages), $1, $2, $3, $4)",
        )
        .bind(&message.instance)
        .bind(MessageKind::name(message.kind))
        .bind(&message.body)
        .bind(message.due.0)
        .execute(&mut *tx)
        .await?;
    }
    Ok(())
}

/// Queues steps, in their order.
pub(super) async fn queue(
    steps: &[QueuedStep],
    now: Timestamp,
    tx: &mut Transaction<'_>,
) -> Result<(), Rollback> {
    for step in steps {
        let id = step.id.as_ref();
        query(
            "INSERT INTO engine_steps (id, instance, execution, event, session, tag, body, due)
             VALUES ((SELECT coalesce(max(id), 0) + 1 FROM engine_steps),
                     $1, $2, $3, $4, $5, $6, $7)",
        )
        .bind(id.map(|id| id.instance.as_str()))
        .bind(id.map(|id| int(id.execution)))
        .bind(id.map(|id| int(id.event)))
        .bind(&step.session)
        .bind(&step.tag)
        .bind(&step.body)
        .bind(now.0)
        .execute(&mut *tx)
        .await?;
    }
    Ok(())
}

async fn cancel(steps: &[StepId], tx: &mut Transaction<'_>) -> Result<(), Rollback> {
    for step in steps {
        query("DELETE FROM engine_steps WHERE instance = $1 AND execution = $2 AND event = $3")
            .bind(&step.instance)
            .bind(int(step.execution))
            .bind(int(step.event))
            .execute(&mut *tx)
            .await?;
    }
    Ok(())
}

/// Gives a turn back.
pub(super) async fn abandon(
    token: &str,
    due: Option<Timestamp>,
    uncount: bool,
    tx: &mut Transaction<'_>,
) -> Result<(), Rollback> {
    let held =
        query("DELETE FROM engine_turns WHERE token = $1").bind(token).execute(&mut *tx).await?;
    if held == 0 {
        return refuse(EngineRefusal::LeaseLost);
    }
    query(
        "UPDATE engine_messages
            SET due = coalesce($2, due), attempts = CASE WHEN attempts > $3 THEN attempts - $3 ELSE 0 END, token = NULL
          WHERE token = $1",
    )
    .bind(token)
    .bind(due.map(|due| due.0))
    .bind(i64::from(uncount))
    .execute(tx)
    .await?;
    Ok(())
}

/// Extends the lease of a turn.
pub(super) async fn renew(
    token: &str,
    now: Timestamp,
    until: Timestamp,
    tx: &mut Transaction<'_>,
) -> Result<(), Rollback> {
    let renewed = query("UPDATE engine_turns SET until = $3 WHERE token = $1 AND until > $2")
        .bind(token)
        .bind(now.0)
        .bind(until.0)
        .execute(tx)
        .await?;
    if renewed == 0 { refuse(EngineRefusal::LeaseLost) } else { Ok(()) }
}
