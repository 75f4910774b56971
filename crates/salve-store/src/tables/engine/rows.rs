//! Instances, executions and histories, to read and to delete.
//!
//! In: ids. Out: rows. Never deletes what runs, except by force.

use super::{count, refuse};
use crate::commit::{Rollback, Transaction};
use crate::sql::{Asked, Cell, Row, Rows, int, query};
use salve_types::{
    DeletedInstances, EngineCounts, EngineRefusal, ExecutionRow, InstanceRow, Timestamp,
};

/// Returns a history; of the last execution when none is named.
pub(super) async fn history(
    instance: &str,
    execution: Option<u64>,
    asked: impl Into<Asked<'_>>,
) -> Result<Vec<String>, sqlx::Error> {
    query(
        "SELECT body FROM engine_history
          WHERE instance = $1
            AND execution = coalesce($2, (SELECT max(execution) FROM engine_executions
                                           WHERE instance = $1), 1)
          ORDER BY event",
    )
    .bind(instance)
    .bind(execution.map(int))
    .fetch_values(asked)
    .await
}

const INSTANCE: &str = "SELECT i.id, i.flow, i.version, i.parent, i.execution, e.status, e.output,
        e.ended_at, i.stage, i.stage_version, i.created_at, i.updated_at
   FROM engine_instances i
   LEFT JOIN engine_executions e ON e.instance = i.id AND e.execution = i.execution";

/// Returns an instance.
pub(super) async fn instance(
    id: &str,
    asked: impl Into<Asked<'_>>,
) -> Result<Option<InstanceRow>, sqlx::Error> {
    let sql = format!("{INSTANCE} WHERE i.id = $1");
    let row = query(&sql).bind(id).fetch_optional(asked).await?;
    row.as_ref().map(read_instance).transpose()
}

/// Returns the children of an instance, or all instances, newest first.
pub(super) async fn instances(
    parent: Option<&str>,
    asked: impl Into<Asked<'_>>,
) -> Result<Vec<InstanceRow>, sqlx::Error> {
    let order = "ORDER BY i.created_at DESC, i.id DESC";
    let rows = match parent {
        Some(parent) => {
            let sql = format!("{INSTANCE} WHERE i.parent = $1 {order}");
            query(&sql).bind(parent).fetch_all(asked).await?
        }
        None => query(&format!("{INSTANCE} {order}")).fetch_all(asked).await?,
    };
    rows.iter().map(read_instance).collect()
}

fn read_instance(row: &Row) -> Result<InstanceRow, sqlx::Error> {
    Ok(InstanceRow {
        id: row.try_get(0)?,
        flow: row.try_get(1)?,
        version: row.try_get(2)?,
        parent: row.try_get(3)?,
        execution: count(row, 4)?,
        status: row.try_get(5)?,
        output: row.try_get(6)?,
        ended_at: row.try_get::<Option<i64>>(7)?.map(Timestamp),
        stage: row.try_get(8)?,
        stage_version: count(row, 9)?,
        created_at: Timestamp(row.try_get(10)?),
        updated_at: Timestamp(row.try_get(11)?),
    })
}

/// Returns the executions of an instance, in order.
pub(super) async fn executions(
    instance: &str,
    asked: impl Into<Asked<'_>>,
) -> Result<Vec<ExecutionRow>, sqlx::Error> {
    let rows = query(
        "SELECT e.execution, e.status, e.output, e.started_at, e.ended_at,
                (SELECT count(*) FROM engine_history h
                  WHERE h.instance = e.instance AND h.execution = e.execution)
           FROM engine_executions e WHERE e.instance = $1 ORDER BY e.execution",
    )
    .bind(instance)
    .fetch_all(asked)
    .await?;
    let read = |row: &Row| {
        Ok(ExecutionRow {
            execution: count(row, 0)?,
            status: row.try_get(1)?,
            output: row.try_get(2)?,
            started_at: Timestamp(row.try_get(3)?),
            ended_at: row.try_get::<Option<i64>>(4)?.map(Timestamp),
            events: count(row, 5)?,
        })
    };
    rows.iter().map(read).collect()
}

/// Returns how much there is.
pub(super) async fn counts(asked: impl Into<Asked<'_>>) -> Result<EngineCounts, sqlx::Error> {
    let row = query(
        "SELECT (SELECT count(*) FROM engine_executions), (SELECT count(*) FROM engine_history),
                (SELECT count(*) FROM engine_messages WHERE token IS NULL),
                (SELECT count(*) FROM engine_steps WHERE token IS NULL)",
    )
    .fetch_one(asked)
    .await?;
    Ok(EngineCounts {
        executions: count(&row, 0)?,
        events: count(&row, 1)?,
        messages: count(&row, 2)?,
        steps: count(&row, 3)?,
    })
}

/// Deletes instances with everything they have.
pub(super) async fn delete(
    instances: &[String],
    force: bool,
    tx: &mut Transaction<'_>,
) -> Result<DeletedInstances, Rollback> {
    let mut ids = Rows::default();
    for instance in instances {
        ids.push(&[Cell::Text(instance)]);
    }
    let ids = ids.finish();
    if !force {
        let running = query(
            "SELECT i.id FROM engine_instances i
               JOIN engine_executions e ON e.instance = i.id AND e.execution = i.execution
              WHERE i.id IN (SELECT value ->> 0 FROM json_each($1)) AND e.status = 'Running'",
        )
        .bind(&ids)
        .fetch_values::<String>(&mut *tx)
        .await?;
        if let Some(instance) = running.into_iter().next() {
            return refuse(EngineRefusal::StillRunning { instance });
        }
    }
    let left = query(
        "SELECT parent, id FROM engine_instances
          WHERE parent IN (SELECT value ->> 0 FROM json_each($1))
            AND id NOT IN (SELECT value ->> 0 FROM json_each($1)) LIMIT 1",
    )
    .bind(&ids)
    .fetch_optional(&mut *tx)
    .await?;
    if let Some(row) = left {
        let (parent, child) = (row.try_get(0)?, row.try_get(1)?);
        return refuse(EngineRefusal::ChildLeft { parent, child });
    }
    let mut of = async |table: &str, column: &str| {
        let sql = format!(
            "DELETE FROM {table} WHERE {column} IN (SELECT value ->> 0 FROM json_each($1))"
        );
        query(&sql).bind(&ids).execute(&mut *tx).await
    };
    let events = of("engine_history", "instance").await?;
    let executions = of("engine_executions", "instance").await?;
    let queued = of("engine_messages", "instance").await? + of("engine_steps", "instance").await?;
    of("engine_turns", "instance").await?;
    of("engine_values", "instance").await?;
    of("engine_instances", "id").await?;
    Ok(DeletedInstances { executions, events, queued })
}

/// Deletes executions. Returns how many events went with them.
pub(super) async fn prune(
    instance: &str,
    executions: &[u64],
    tx: &mut Transaction<'_>,
) -> Result<u64, Rollback> {
    let mut events = 0;
    for execution in executions {
        let mut of = async |table: &str| {
            let sql = format!("DELETE FROM {table} WHERE instance = $1 AND execution = $2");
            query(&sql).bind(instance).bind(int(*execution)).execute(&mut *tx).await
        };
        events += of("engine_history").await?;
        of("engine_executions").await?;
    }
    Ok(events)
}
