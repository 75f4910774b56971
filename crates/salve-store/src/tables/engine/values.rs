//! Values of instances: changed by a turn, final when their execution has ended.
//!
//! In: changes, in order. Out: the values there are. Never shows a turn what its own execution
//! changed: that is in its history.

use crate::commit::{Rollback, Transaction};
use crate::sql::{Asked, Row, query};
use salve_types::{FlowValue, Timestamp, ValueChange};

/// Applies changes of the current execution.
pub(super) async fn change(
    instance: &str,
    changes: &[ValueChange],
    now: i64,
    tx: &mut Transaction<'_>,
) -> Result<(), Rollback> {
    for change in changes {
        match change {
            ValueChange::Set(set) => {
                let (value, at) = (Some(&*set.value), set.set_at.0);
                put(instance, &set.key, value, at, tx).await?;
            }
            ValueChange::Clear(key) => put(instance, key, None, now, tx).await?,
            ValueChange::ClearAll => {
                query(
                    "INSERT INTO engine_values (instance, name, settled, value, set_at)
                     SELECT DISTINCT instance, name, 0, NULL, $2 FROM engine_values
                      WHERE instance = $1
                     ON CONFLICT (instance, name, settled) DO UPDATE
                        SET value = NULL, set_at = excluded.set_at",
                )
                .bind(instance)
                .bind(now)
                .execute(&mut *tx)
                .await?;
            }
        }
    }
    Ok(())
}

async fn put(
    instance: &str,
    key: &str,
    value: Option<&str>,
    at: i64,
    tx: &mut Transaction<'_>,
) -> Result<(), Rollback> {
    query(
        "INSERT INTO engine_values (instance, name, settled, value, set_at)
         VALUES ($1, $2, 0, $3, $4)
         ON CONFLICT (instance, name, settled) DO UPDATE
            SET value = excluded.value, set_at = excluded.set_at",
    )
    .bind(instance)
    .bind(key)
    .bind(value)
    .bind(at)
    .execute(tx)
    .await?;
    Ok(())
}

/// Makes the values of the current execution final.
pub(super) async fn settle(instance: &str, tx: &mut Transaction<'_>) -> Result<(), Rollback> {
    for sql in [
        "DELETE FROM engine_values
          WHERE instance = $1 AND settled = 1
            AND name IN (SELECT name FROM engine_values WHERE instance = $1 AND settled = 0)",
        "DELETE FROM engine_values WHERE instance = $1 AND settled = 0 AND value IS NULL",
        "UPDATE engine_values SET settled = 1 WHERE instance = $1 AND settled = 0",
    ] {
        query(sql).bind(instance).execute(&mut *tx).await?;
    }
    Ok(())
}

/// Returns the values that earlier executions left.
pub(super) async fn settled(
    instance: &str,
    tx: &mut Transaction<'_>,
) -> Result<Vec<FlowValue>, Rollback> {
    let sql = "SELECT name, value, set_at FROM engine_values WHERE instance = $1 AND settled = 1";
    let rows = query(sql).bind(instance).fetch_all(tx).await?;
    Ok(rows.iter().map(read).collect::<Result<_, _>>()?)
}

/// Returns the values, with those of the current execution.
pub(super) async fn all(
    instance: &str,
    asked: impl Into<Asked<'_>>,
) -> Result<Vec<FlowValue>, sqlx::Error> {
    let rows = query(
        "SELECT name, value, set_at FROM engine_values v
          WHERE instance = $1 AND value IS NOT NULL
            AND (settled = 0
                 OR NOT EXISTS (SELECT 1 FROM engine_values n
                                 WHERE n.instance = v.instance AND n.name = v.name
                                   AND n.settled = 0))",
    )
    .bind(instance)
    .fetch_all(asked)
    .await?;
    rows.iter().map(read).collect()
}

fn read(row: &Row) -> Result<FlowValue, sqlx::Error> {
    let set_at = Timestamp(row.try_get(2)?);
    Ok(FlowValue { key: row.try_get(0)?, value: row.try_get(1)?, set_at })
}
