//! Histories that Salve 0.1 kept in a database of their own.
//!
//! In: that file, if it is there. Out: its rows in our tables, in one transaction, and the file under
//! another name. Never loses a row: the old file stays, and a second try finds nothing left to do.

use crate::{Store, StoreError};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection, Executor, SqliteConnection};
use std::path::Path;
use std::time::Duration;

const DOING: &str = "import the jobs of an earlier version";
const PATIENCE: Duration = Duration::from_secs(10);

// The queues are emptied with it: what was imported twice would be done twice.
const COPY: &str = "
    BEGIN IMMEDIATE;
    INSERT OR IGNORE INTO engine_instances
           (id, flow, version, parent, execution, stage, stage_version, created_at, updated_at)
    SELECT instance_id, orchestration_name, orchestration_version, parent_instance_id,
           current_execution_id, custom_status, custom_status_version,
           coalesce(unixepoch(created_at), 0) * 1000, coalesce(unixepoch(updated_at), 0) * 1000
      FROM old.instances ORDER BY rowid;
    INSERT OR IGNORE INTO engine_executions
           (instance, execution, status, output, engine_version, started_at, ended_at)
    SELECT instance_id, execution_id, status, output,
           duroxide_version_major * 1000000 + duroxide_version_minor * 1000
               + duroxide_version_patch,
           coalesce(unixepoch(started_at), 0) * 1000, completed_at
      FROM old.executions;
    INSERT OR IGNORE INTO engine_history (instance, execution, event, body)
    SELECT instance_id, execution_id, event_id, event_data FROM old.history;
    INSERT INTO engine_messages (instance, kind, body, due, attempts)
    SELECT instance_id,
           CASE WHEN work_item LIKE '{\"StartOrchestration\"%'
                  OR work_item LIKE '{\"ContinueAsNew\"%' THEN 'start'
                WHEN work_item LIKE '{\"QueueMessage\"%' THEN 'signal' ELSE 'other' END,
           work_item, visible_at, attempt_count
      FROM old.orchestrator_queue ORDER BY id;
    INSERT INTO engine_steps (instance, execution, event, session, tag, body, due, attempts)
    SELECT instance_id, CAST(execution_id AS INTEGER), activity_id, session_id, tag, work_item,
           visible_at, attempt_count
      FROM old.worker_queue ORDER BY id;
    INSERT OR IGNORE INTO engine_values (instance, name, settled, value, set_at)
    SELECT instance_id, key, 1, value, last_updated_at_ms FROM old.kv_store
     UNION ALL
    SELECT instance_id, key, 0, value, last_updated_at_ms FROM old.kv_delta;
    DELETE FROM old.orchestrator_queue;
    DELETE FROM old.worker_queue;
    COMMIT;";

impl Store {
    /// Imports the histories that Salve 0.1 kept in the file `old`, and renames it. Does nothing where
    /// there is no such file.
    ///
    /// # Errors
    /// When a file cannot be read or written, or `old` is not such a database.
    pub async fn import_jobs(&self, old: &Path) -> Result<(), StoreError> {
        if self.readers().is_postgres() || !old.exists() {
            return Ok(());
        }
        let file = crate::sql::query("SELECT file FROM pragma_database_list WHERE name = 'main'");
        let file: String =
            file.fetch_value(self.readers()).await.map_err(StoreError::database(DOING))?;
        let options = SqliteConnectOptions::new().filename(&file).busy_timeout(PATIENCE);
        let imported = async {
            let mut connection = options.connect().await?;
            let copied = copy(old, &mut connection).await;
            connection.close().await?;
            copied
        };
        imported.await.map_err(StoreError::database(DOING))?;
        let kept = old.with_extension("db.imported");
        #[expect(clippy::disallowed_methods, reason = "a database of ours, no project's file")]
        let renamed = std::fs::rename(old, &kept);
        match renamed {
            // Another process has imported it meanwhile.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
            renamed => renamed.map_err(StoreError::file(old)),
        }
    }
}

async fn copy(old: &Path, connection: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    let path = old.to_string_lossy().into_owned();
    sqlx::query("ATTACH DATABASE $1 AS old").bind(path).execute(&mut *connection).await?;
    connection.execute(sqlx::raw_sql(COPY)).await.map(drop)
}
