//! Brings a database to the newest version, one numbered step at a time.
//!
//! In: a connection that no other process migrates meanwhile. Out: the newest version, a backup from
//! before. Never half a step: each is one transaction that also writes its number.

#[cfg(feature = "fleet")]
mod postgres;

#[cfg(feature = "fleet")]
pub(crate) use postgres::migrate_postgres;

use crate::backup;
use crate::tables::TABLES;
use crate::{DatabaseError, StoreError};
use salve_types::Timestamp;
use sqlx::{Executor, Row, SqliteConnection};
use std::path::PathBuf;

/// One step. One that was released is never changed. It is written in the words of SQLite; types and
/// such are translated for Postgres.
#[derive(Debug)]
pub(crate) struct Migration {
    pub(crate) version: i64,
    pub(crate) name: &'static str,
    pub(crate) sql: &'static str,
    /// Rows as this version wrote them, on top of those of the versions before.
    #[cfg(test)]
    pub(crate) rows: &'static str,
}

/// Returns all steps, oldest first.
pub(crate) fn steps() -> Vec<&'static Migration> {
    let mut steps: Vec<_> = TABLES.iter().flat_map(|table| table.migrations).collect();
    steps.sort_unstable_by_key(|step| step.version);
    steps
}

/// Returns the newest version.
pub(crate) fn newest() -> i64 {
    steps().last().map_or(0, |step| step.version)
}

/// Where a database is, for messages and backups; in memory there is none.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) path: Option<PathBuf>,
    pub(crate) backups: usize,
    pub(crate) now: Timestamp,
}

/// Brings the database to `target`.
pub(crate) async fn migrate(
    connection: &mut SqliteConnection,
    place: &Place,
    target: i64,
) -> Result<(), StoreError> {
    let path = place.path.clone().unwrap_or_else(|| PathBuf::from(":memory:"));
    let found = version(connection).await.map_err(|error| backup::explained(&path, error))?;
    if found > newest() {
        return Err(StoreError::TooNew { path, found, known: newest() });
    }
    if found >= target {
        return Ok(());
    }
    if found > 0 && place.path.is_some() {
        backup::make(connection, &path, found, place.now, place.backups).await?;
    }
    for step in steps().into_iter().filter(|step| (found + 1..=target).contains(&step.version)) {
        if let Err(error) = apply(connection, step, place.now).await {
            let _ = sqlx::query("ROLLBACK").execute(&mut *connection).await;
            return Err(StoreError::Migration {
                backup: backup::newest(&path),
                path,
                to: step.version,
                source: DatabaseError::from(error),
            });
        }
    }
    Ok(())
}

/// Returns the version of a database; 0 when it is empty.
pub(crate) async fn version(connection: &mut SqliteConnection) -> Result<i64, sqlx::Error> {
    let tables: i64 =
        sqlx::query_scalar("SELECT count(*) FROM sqlite_master WHERE name = 'salve_schema'")
            .fetch_one(&mut *connection)
            .await?;
    if tables == 0 {
        return Ok(0);
    }
    let row = sqlx::query("SELECT coalesce(max(version), 0) FROM salve_schema")
        .fetch_one(connection)
        .await?;
    row.try_get(0)
}

async fn apply(
    connection: &mut SqliteConnection,
    step: &Migration,
    now: Timestamp,
) -> Result<(), sqlx::Error> {
    sqlx::query("BEGIN IMMEDIATE").execute(&mut *connection).await?;
    sqlx::query(
        "CREATE TABLE IF NOT EXISTS salve_schema (
             version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at BIGINT NOT NULL)",
    )
    .execute(&mut *connection)
    .await?;
    connection.execute(step.sql).await?;
    sqlx::query("INSERT INTO salve_schema (version, name, applied_at) VALUES ($1, $2, $3)")
        .bind(step.version)
        .bind(step.name)
        .bind(now.0)
        .execute(&mut *connection)
        .await?;
    sqlx::query("COMMIT").execute(connection).await?;
    Ok(())
}

#[cfg(test)]
mod tests;
