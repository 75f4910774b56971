//! The tasks of a session.
//!
//! In: the list as it is now, or one mark. Out: the list in its order. Never a mark lost: a mark changes one
//! row, and a list changes only what it says otherwise.

use super::changes;
use super::values::number;
use super::write::touch;
use crate::commit::{Rollback, Transaction};
use crate::redacted::Redactor;
use crate::sql::{Cell, Row, Rows, int, query};
use crate::{Durability, Store, StoreError};
use salve_types::{SessionId, TodoItem};

pub(super) fn redacted(todo: TodoItem, redactor: &Redactor) -> TodoItem {
    TodoItem {
        id: redactor.key(&todo.id),
        text: redactor.name(&todo.text),
        completed_by: todo.completed_by.map(|change| redactor.key(&change)),
        ..todo
    }
}

impl Store {
    /// Returns the tasks of a session in their order.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn todos(&self, session: &SessionId) -> Result<Vec<TodoItem>, StoreError> {
        let doing = "read the tasks of a session";
        let rows = query(
            "SELECT id, task, completed, completed_by, claimed, origin_turn FROM session_todos
              WHERE session = $1 ORDER BY place, id",
        )
        .bind(self.redactor().key(session.as_str()))
        .fetch_all(self.readers())
        .await
        .map_err(StoreError::database(doing))?;
        rows.iter().map(read).collect::<Result<_, _>>().map_err(StoreError::database(doing))
    }

    /// Marks a task as completed by a change. It stays that of the first change that completed it.
    ///
    /// # Errors
    /// When there is no such session or task, or the database refuses.
    pub async fn set_todo_completed(
        &self,
        session: &SessionId,
        todo: &str,
        change: &str,
    ) -> Result<(), StoreError> {
        let key = |text: &str| self.redactor().key(text);
        let (session, todo, change) = (key(session.as_str()), key(todo), key(change));
        self.write(Durability::Full, "mark a task as completed", move |tx| {
            Box::pin(async move {
                touch(tx, &session).await?;
                if complete(tx, &session, &todo, &change).await? {
                    return Ok(());
                }
                Err(StoreError::NoSuchTodo(todo).into())
            })
        })
        .await
    }
}

/// Marks a task as completed; no when there is no such task.
pub(super) async fn complete(
    tx: &mut Transaction<'_>,
    session: &str,
    todo: &str,
    change: &str,
) -> Result<bool, Rollback> {
    let found = query(
        "UPDATE session_todos
            SET completed_by = CASE WHEN completed = 1 THEN completed_by ELSE $3 END, completed = 1
          WHERE session = $1 AND id = $2",
    )
    .bind(session)
    .bind(todo)
    .bind(change)
    .execute(tx)
    .await?;
    Ok(found > 0)
}

/// Opens the tasks again that a change completed, unless another change in force is for them, too.
pub(super) async fn reopen(
    tx: &mut Transaction<'_>,
    session: &str,
    change: &str,
) -> Result<(), Rollback> {
    let opened: Vec<String> = query(
        "UPDATE session_todos SET completed = 0, completed_by = NULL
          WHERE session = $1 AND completed_by = $2 RETURNING id",
    )
    .bind(session)
    .bind(change)
    .fetch_values(&mut *tx)
    .await?;
    for todo in opened {
        if let Some(other) = changes::completing(tx, session, &todo).await? {
            complete(tx, session, &todo, &other).await?;
        }
    }
    Ok(())
}

/// Makes the list what it is now. Rows that are the same are left alone, and none is lost.
pub(super) async fn put(
    tx: &mut Transaction<'_>,
    session: &str,
    list: &[TodoItem],
) -> Result<(), Rollback> {
    let mut kept = Rows::default();
    for todo in list {
        kept.push(&[Cell::Text(&todo.id)]);
    }
    // The list may be from before another turn added to it: what is not on it comes after it.
    query(
        "UPDATE session_todos SET place = place + $3
          WHERE session = $1 AND place <= $3
            AND id NOT IN (SELECT value ->> 0 FROM json_each($2))",
    )
    .bind(session)
    .bind(kept.finish())
    .bind(int(list.len() as u64))
    .execute(&mut *tx)
    .await?;
    for (place, todo) in (1_u64..).zip(list) {
        // A list from before a change was taken back must not tick what that leaves open.
        let by = todo.completed_by.as_deref().filter(|_| todo.completed);
        let taken_back = match by {
            Some(change) => changes::is_taken_back(tx, session, change).await?,
            None => false,
        };
        query(PUT)
            .bind(session)
            .bind(&todo.id)
            .bind(int(place))
            .bind(&todo.text)
            .bind(i64::from(todo.completed && !taken_back))
            .bind(by.filter(|_| !taken_back))
            .bind(i64::from(todo.claimed))
            .bind(i64::from(todo.origin_turn))
            .execute(&mut *tx)
            .await?;
    }
    Ok(())
}

// A completed task stays completed: the list may be from before somebody marked it.
const PUT: &str = "
INSERT INTO session_todos (session, id, place, task, completed, completed_by, claimed, origin_turn)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT (session, id) DO UPDATE
   SET place = excluded.place, task = excluded.task, claimed = excluded.claimed,
       origin_turn = excluded.origin_turn,
       completed_by = CASE WHEN session_todos.completed = 1 THEN session_todos.completed_by
                           ELSE excluded.completed_by END,
       completed = CASE WHEN session_todos.completed = 1 THEN 1 ELSE excluded.completed END
 WHERE session_todos.place <> excluded.place OR session_todos.task <> excluded.task
    OR session_todos.claimed <> excluded.claimed
    OR session_todos.origin_turn <> excluded.origin_turn
    OR session_todos.completed < excluded.completed";

fn read(row: &Row) -> Result<TodoItem, sqlx::Error> {
    Ok(TodoItem {
        id: row.try_get(0)?,
        text: row.try_get(1)?,
        completed: row.try_get::<i64>(2)? != 0,
        completed_by: row.try_get(3)?,
        claimed: row.try_get::<i64>(4)? != 0,
        origin_turn: number(row, 5)?,
    })
}
