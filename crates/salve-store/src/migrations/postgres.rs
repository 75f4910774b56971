//! The same steps in Postgres, in a schema of their own.
//!
//! In: a connection, which many may have at once. Out: the newest version. Never half a step, and
//! never two processes at one: a lock of the server is held meanwhile.

use super::{newest, steps};
use crate::{DatabaseError, StoreError};
use salve_types::Timestamp;
use sqlx::{Executor, PgConnection, Row};
use std::path::PathBuf;

/// Brings the tables in `schema` to `target`. The schema is named with small letters only.
pub(crate) async fn migrate_postgres(
    connection: &mut PgConnection,
    schema: &str,
    place: &str,
    now: Timestamp,
    target: i64,
) -> Result<(), StoreError> {
    let doing = "look at the version of the tables";
    let lock = lock_of(schema);
    sqlx::query("SELECT pg_advisory_lock($1)")
        .bind(lock)
        .execute(&mut *connection)
        .await
        .map_err(StoreError::database("wait for others that make the tables"))?;
    let found = version(connection, schema).await.map_err(StoreError::database(doing))?;
    if found > newest() {
        let path = PathBuf::from(format!("{place} (schema {schema})"));
        return Err(StoreError::TooNew { path, found, known: newest() });
    }
    for step in steps().into_iter().filter(|step| (found + 1..=target).contains(&step.version)) {
        if let Err(error) = apply(connection, schema, step, now).await {
            let _ = sqlx::query("ROLLBACK").execute(&mut *connection).await;
            return Err(StoreError::Tables {
                place: format!("{place} (schema {schema})"),
                to: step.version,
                source: DatabaseError::from(error),
            });
        }
    }
    sqlx::query("SELECT pg_advisory_unlock($1)")
        .bind(lock)
        .execute(connection)
        .await
        .map_err(StoreError::database(doing))?;
    Ok(())
}

// The lock belongs to the whole database, so its number is made of the schema's name.
fn lock_of(schema: &str) -> i64 {
    let hash = blake3::hash(format!("salve-store:{schema}").as_bytes());
    let bytes = hash.as_bytes().first_chunk::<8>().copied().unwrap_or_default();
    i64::from_le_bytes(bytes)
}

async fn version(connection: &mut PgConnection, schema: &str) -> Result<i64, sqlx::Error> {
    let there = sqlx::query("SELECT to_regclass($1) IS NOT NULL")
        .bind(format!("{schema}.salve_schema"))
        .fetch_one(&mut *connection)
        .await?;
    if !there.try_get::<bool, _>(0)? {
        return Ok(0);
    }
    let row = sqlx::query(&format!("SELECT coalesce(max(version), 0) FROM {schema}.salve_schema"))
        .fetch_one(connection)
        .await?;
    row.try_get(0)
}

async fn apply(
    connection: &mut PgConnection,
    schema: &str,
    step: &super::Migration,
    now: Timestamp,
) -> Result<(), sqlx::Error> {
    connection.execute("BEGIN").await?;
    if step.version == 1 {
        connection.execute(beginning(schema).as_str()).await?;
    }
    connection.execute(translated(step.sql).as_str()).await?;
    sqlx::query("INSERT INTO salve_schema (version, name, applied_at) VALUES ($1, $2, $3)")
        .bind(step.version)
        .bind(step.name)
        .bind(now.0)
        .execute(&mut *connection)
        .await?;
    connection.execute("COMMIT").await?;
    Ok(())
}

/// What is there before the first step. Statements unfold their rows with a function that Postgres
/// has not.
fn beginning(schema: &str) -> String {
    format!(
        "DO $$ BEGIN
             IF NOT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = '{schema}') THEN
                 CREATE SCHEMA {schema};
             END IF;
         END $$;
         CREATE FUNCTION {schema}.json_each(list text) RETURNS TABLE (value jsonb)
             LANGUAGE sql IMMUTABLE AS 'SELECT pg_catalog.jsonb_array_elements(list::jsonb)';
         CREATE TABLE {schema}.salve_schema (
             version BIGINT PRIMARY KEY, name TEXT NOT NULL, applied_at BIGINT NOT NULL);"
    )
}

/// Spells a step as Postgres does. What only it can do is a comment to others.
pub(super) fn translated(sql: &str) -> String {
    sql.replace("--postgres ", "")
        .replace("BLOB", "BYTEA")
        .replace("INTEGER PRIMARY KEY", "BIGINT PRIMARY KEY")
        .replace(") WITHOUT ROWID", ")")
}
