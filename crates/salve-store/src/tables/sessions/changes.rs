//! The change sets of a session, and what became of them.
//!
//! In: a change set by its name in the history of the workspace, with its state. Out: change sets in the order
//! they were first told. Never a tick of a change that was taken back.

use super::todos;
use super::values::{count, json, named, names, number};
use crate::commit::{Rollback, Transaction};
use crate::redacted::Redactor;
use crate::sql::{Row, int, query};
use crate::{Store, StoreError};
use salve_types::{ChangeState, SessionChange, SessionId};

pub(super) fn redacted(change: &SessionChange, redactor: &Redactor) -> SessionChange {
    let key = |text: &String| redactor.key(text);
    SessionChange {
        change_id: key(&change.change_id),
        turn: change.turn,
        state: change.state,
        todos: change.todos.iter().map(key).collect(),
        micro_dollars: change.micro_dollars,
        checked: change.checked,
        parent_change: change.parent_change.as_ref().map(key),
    }
}

const COLUMNS: &str = "change_id, turn, state, todos, micro_dollars, checked, parent_change";

impl Store {
    /// Returns the change sets of a session, oldest first.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn session_changes(
        &self,
        session: &SessionId,
    ) -> Result<Vec<SessionChange>, StoreError> {
        let doing = "read the changes of a session";
        let sql =
            format!("SELECT {COLUMNS} FROM session_changes WHERE session = $1 ORDER BY place");
        let rows = query(&sql)
            .bind(self.redactor().key(session.as_str()))
            .fetch_all(self.readers())
            .await
            .map_err(StoreError::database(doing))?;
        rows.iter().map(read).collect::<Result<_, _>>().map_err(StoreError::database(doing))
    }
}

impl Store {
    /// Counts the change sets of all sessions of a workspace by what became of them.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn change_counts(
        &self,
        workspace: &str,
    ) -> Result<Vec<(ChangeState, u64)>, StoreError> {
        let doing = "count the changes of a workspace";
        let rows = query(
            "SELECT state, CAST(count(*) AS BIGINT) FROM session_changes
              WHERE session IN (SELECT id FROM sessions WHERE workspace = $1) GROUP BY state ORDER BY state",
        )
        .bind(self.redactor().name(workspace))
        .fetch_all(self.readers())
        .await
        .map_err(StoreError::database(doing))?;
        let counted = |row: &Row| {
            let state = named(row, 0, ChangeState::from_name)?;
            Ok::<_, sqlx::Error>((state, count(row, 1)?))
        };
        rows.iter().map(counted).collect::<Result<_, _>>().map_err(StoreError::database(doing))
    }
}

/// Writes down what became of change sets. One that was taken back meanwhile stays so: only a move makes it
/// again.
pub(super) async fn put(
    tx: &mut Transaction<'_>,
    session: &str,
    changes: &[SessionChange],
) -> Result<(), Rollback> {
    for change in changes {
        query(
            "INSERT INTO session_changes (session, change_id, place, turn, state, todos, micro_dollars,
                                          checked, parent_change)
             VALUES ($1, $2, (SELECT coalesce(max(place), 0) + 1 FROM session_changes
                               WHERE session = $1), $3, $4, $5, $6, $7, $8)
             ON CONFLICT (session, change_id) DO UPDATE
                SET turn = excluded.turn, todos = excluded.todos,
                    state = CASE WHEN session_changes.state = 'reverted' THEN 'reverted'
                                 ELSE excluded.state END,
                    micro_dollars = excluded.micro_dollars, checked = excluded.checked,
                    parent_change = excluded.parent_change",
        )
        .bind(session)
        .bind(&change.change_id)
        .bind(i64::from(change.turn))
        .bind(change.state.name())
        .bind(names(&change.todos))
        .bind(int(change.micro_dollars))
        .bind(change.checked.map(i64::from))
        .bind(&change.parent_change)
        .execute(&mut *tx)
        .await?;
        if change.state == ChangeState::Reverted {
            todos::reopen(tx, session, &change.change_id).await?;
        }
    }
    Ok(())
}

/// Moves a change set to another state: the tasks it completes are ticked, or open again.
pub(super) async fn set_state(
    tx: &mut Transaction<'_>,
    session: &str,
    change: &str,
    state: ChangeState,
) -> Result<(), Rollback> {
    let sql = format!(
        "UPDATE session_changes SET state = $3 WHERE session = $1 AND change_id = $2 RETURNING {COLUMNS}"
    );
    let row =
        query(&sql).bind(session).bind(change).bind(state.name()).fetch_optional(&mut *tx).await?;
    let row = row.ok_or_else(|| StoreError::NoSuchChange(change.to_owned()))?;
    let moved = read(&row)?;
    match state {
        ChangeState::Reverted => todos::reopen(tx, session, change).await?,
        ChangeState::Applied if moved.checked != Some(false) => {
            for todo in &moved.todos {
                todos::complete(tx, session, todo, change).await?;
            }
        }
        _ => {}
    }
    Ok(())
}

/// Tells whether a change of a session was taken back.
pub(super) async fn is_taken_back(
    tx: &mut Transaction<'_>,
    session: &str,
    change: &str,
) -> Result<bool, Rollback> {
    let found = query(
        "SELECT state FROM session_changes
          WHERE session = $1 AND change_id = $2 AND state = 'reverted'",
    )
    .bind(session)
    .bind(change)
    .fetch_optional(tx)
    .await?;
    Ok(found.is_some())
}

/// Returns the first change in force that completes a task: applied, and checked where a check fits.
pub(super) async fn completing(
    tx: &mut Transaction<'_>,
    session: &str,
    todo: &str,
) -> Result<Option<String>, Rollback> {
    let sql = format!(
        "SELECT {COLUMNS} FROM session_changes
          WHERE session = $1 AND state = 'applied' AND coalesce(checked, 1) = 1 ORDER BY place"
    );
    let rows = query(&sql).bind(session).fetch_all(tx).await?;
    for row in &rows {
        let change = read(row)?;
        if change.todos.iter().any(|one| one == todo) {
            return Ok(Some(change.change_id));
        }
    }
    Ok(None)
}

fn read(row: &Row) -> Result<SessionChange, sqlx::Error> {
    Ok(SessionChange {
        change_id: row.try_get(0)?,
        turn: number(row, 1)?,
        state: named(row, 2, ChangeState::from_name)?,
        todos: json(&row.try_get::<String>(3)?)?,
        micro_dollars: count(row, 4)?,
        checked: row.try_get::<Option<i64>>(5)?.map(|checked| checked != 0),
        parent_change: row.try_get(6)?,
    })
}
