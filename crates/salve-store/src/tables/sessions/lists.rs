//! What a session only ever adds to: operations on files, faults that were reported, commands that ran.
//!
//! In: rows of a write. Out: rows in the order they were written. Never changed afterwards.

use super::values::{count, named, number};
use super::write::hold_text;
use crate::commit::{Rollback, Transaction};
use crate::redacted::Redactor;
use crate::sql::{Row, int, query};
use crate::{Store, StoreError};
use salve_types::{
    BugBy, BugKind, BugReport, CommandBy, CommandResult, FileOpBy, FileOpKind, FileOperation,
    SessionId, Timestamp,
};

pub(super) fn redacted_operation(operation: FileOperation, redactor: &Redactor) -> FileOperation {
    let name = |text: String| redactor.name(&text);
    FileOperation {
        path: redactor.name(&operation.path),
        hash_before: operation.hash_before.map(name),
        hash_after: operation.hash_after.map(name),
        md5: operation.md5.map(name),
        ..operation
    }
}

pub(super) fn redacted_command(command: CommandResult, redactor: &Redactor) -> CommandResult {
    CommandResult {
        command: redactor.name(&command.command),
        cwd: redactor.name(&command.cwd),
        output: command.output.map(|id| redactor.name(&id)),
        shown: redactor.name(&command.shown),
        ..command
    }
}

impl Store {
    /// Returns what was done to files in a session, oldest first.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn file_operations(
        &self,
        session: &SessionId,
    ) -> Result<Vec<FileOperation>, StoreError> {
        let sql = "SELECT path, op, hash_before, hash_after, md5, size, done_by, at, turn
                     FROM session_files WHERE session = $1 ORDER BY place";
        self.listed(session, "read the file operations of a session", sql, read_operation).await
    }

    /// Returns the faults that were reported in a session, oldest first.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn bugs(&self, session: &SessionId) -> Result<Vec<BugReport>, StoreError> {
        let sql = "SELECT kind, reported_by, description, turn, at
                     FROM session_bugs WHERE session = $1 ORDER BY place";
        self.listed(session, "read the faults of a session", sql, read_bug).await
    }

    /// Returns the commands that ran in a session, oldest first.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn command_results(
        &self,
        session: &SessionId,
    ) -> Result<Vec<CommandResult>, StoreError> {
        let sql =
            "SELECT command, cwd, ended_with, duration_ms, output, shown, started_by, turn, at
                     FROM session_commands WHERE session = $1 ORDER BY place";
        self.listed(session, "read the commands of a session", sql, read_command).await
    }

    async fn listed<T>(
        &self,
        session: &SessionId,
        doing: &'static str,
        sql: &str,
        read: fn(&Row) -> Result<T, sqlx::Error>,
    ) -> Result<Vec<T>, StoreError> {
        let rows = query(sql)
            .bind(self.redactor().key(session.as_str()))
            .fetch_all(self.readers())
            .await
            .map_err(StoreError::database(doing))?;
        rows.iter().map(read).collect::<Result<_, _>>().map_err(StoreError::database(doing))
    }
}

/// Returns the place after the last one of a session in a table.
pub(super) async fn next_place(
    tx: &mut Transaction<'_>,
    table: &str,
    session: &str,
) -> Result<i64, Rollback> {
    let sql = format!("SELECT coalesce(max(place), 0) + 1 FROM {table} WHERE session = $1");
    Ok(query(&sql).bind(session).fetch_value(tx).await?)
}

/// Returns the moment of a row: now, where none was told.
pub(super) fn moment(tx: &Transaction<'_>, told: Timestamp) -> i64 {
    if told.0 == 0 { tx.now().0 } else { told.0 }
}

pub(super) async fn add_operations(
    tx: &mut Transaction<'_>,
    session: &str,
    operations: &[FileOperation],
) -> Result<(), Rollback> {
    if operations.is_empty() {
        return Ok(());
    }
    let place = next_place(tx, "session_files", session).await?;
    for (place, operation) in (place..).zip(operations) {
        query(
            "INSERT INTO session_files (session, place, path, op, hash_before, hash_after, md5, size,
                                        done_by, at, turn)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
        )
        .bind(session)
        .bind(place)
        .bind(&operation.path)
        .bind(operation.op.name())
        .bind(&operation.hash_before)
        .bind(&operation.hash_after)
        .bind(&operation.md5)
        .bind(int(operation.size))
        .bind(operation.by.name())
        .bind(moment(tx, operation.at))
        .bind(i64::from(operation.turn))
        .execute(&mut *tx)
        .await?;
    }
    Ok(())
}

pub(super) async fn add_bugs(
    tx: &mut Transaction<'_>,
    session: &str,
    bugs: &[BugReport],
) -> Result<(), Rollback> {
    if bugs.is_empty() {
        return Ok(());
    }
    let place = next_place(tx, "session_bugs", session).await?;
    for (place, bug) in (place..).zip(bugs) {
        query(
            "INSERT INTO session_bugs (session, place, kind, reported_by, description, turn, at)
             VALUES ($1, $2, $3, $4, $5, $6, $7)",
        )
        .bind(session)
        .bind(place)
        .bind(bug.kind.name())
        .bind(bug.by.name())
        .bind(&bug.description)
        .bind(i64::from(bug.turn))
        .bind(moment(tx, bug.at))
        .execute(&mut *tx)
        .await?;
    }
    Ok(())
}

pub(super) async fn add_commands(
    tx: &mut Transaction<'_>,
    session: &str,
    commands: &[CommandResult],
) -> Result<(), Rollback> {
    if commands.is_empty() {
        return Ok(());
    }
    let place = next_place(tx, "session_commands", session).await?;
    for (place, command) in (place..).zip(commands) {
        query(
            "INSERT INTO session_commands (session, place, command, cwd, ended_with, duration_ms, output,
                                           shown, started_by, turn, at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
        )
        .bind(session)
        .bind(place)
        .bind(&command.command)
        .bind(&command.cwd)
        .bind(command.exit.map(i64::from))
        .bind(int(command.duration_ms))
        .bind(&command.output)
        .bind(&command.shown)
        .bind(command.by.name())
        .bind(i64::from(command.turn))
        .bind(moment(tx, command.at))
        .execute(&mut *tx)
        .await?;
        if let Some(output) = &command.output {
            hold_text(tx, session, output, &format!("command:{place}")).await?;
        }
    }
    Ok(())
}

fn read_operation(row: &Row) -> Result<FileOperation, sqlx::Error> {
    Ok(FileOperation {
        path: row.try_get(0)?,
        op: named(row, 1, FileOpKind::from_name)?,
        hash_before: row.try_get(2)?,
        hash_after: row.try_get(3)?,
        md5: row.try_get(4)?,
        size: count(row, 5)?,
        by: named(row, 6, FileOpBy::from_name)?,
        at: Timestamp(row.try_get(7)?),
        turn: number(row, 8)?,
    })
}

fn read_bug(row: &Row) -> Result<BugReport, sqlx::Error> {
    Ok(BugReport {
        kind: named(row, 0, BugKind::from_name)?,
        by: named(row, 1, BugBy::from_name)?,
        description: row.try_get(2)?,
        turn: number(row, 3)?,
        at: Timestamp(row.try_get(4)?),
    })
}

fn read_command(row: &Row) -> Result<CommandResult, sqlx::Error> {
    let exit = row.try_get::<Option<i64>>(2)?;
    Ok(CommandResult {
        command: row.try_get(0)?,
        cwd: row.try_get(1)?,
        exit: exit.map(|exit| i32::try_from(exit).unwrap_or(i32::MAX)),
        duration_ms: count(row, 3)?,
        output: row.try_get(4)?,
        shown: row.try_get(5)?,
        by: named(row, 6, CommandBy::from_name)?,
        turn: number(row, 7)?,
        at: Timestamp(row.try_get(8)?),
    })
}
