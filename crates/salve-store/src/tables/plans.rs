//! Plans of sub-tasks, and what became of each part.
//!
//! In: a plan as a document, then the states of its parts as they change, then what it came to. Out: the same, for
//! people and for the estimate of the next plan. Never a result of a sub-task: those hold code and are on the disk of
//! the machine that made them. A plan that has begun is not edited.

use super::Table;
use crate::commit::{Rollback, Transaction};
use crate::migrations::Migration;
use crate::sql::{Row, int, query};
use crate::{Durability, Store, StoreError};
use salve_types::Timestamp;
use serde::Serialize;
use serde_json::Value;

/// The status of a plan that has not begun.
const DRAFT: &str = "draft";

/// A plan that is to be kept.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NewPlan {
    /// Its name.
    pub id: String,
    /// Where it works.
    pub workspace: String,
    /// The session it belongs to.
    pub session: Option<String>,
    /// The plan itself.
    pub document: Value,
    /// What it was estimated to take.
    pub estimate: Value,
}

/// A plan that was kept.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanRecord {
    /// Its name.
    pub id: String,
    /// Where it works.
    pub workspace: String,
    /// The session it belongs to.
    pub session: Option<String>,
    /// The plan itself.
    pub document: Value,
    /// What it was estimated to take.
    pub estimate: Value,
    /// The word for where it is: `draft` before it has begun.
    pub status: String,
    /// What it came to so far.
    pub took: PlanTook,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was changed last.
    pub updated_at: Timestamp,
}

/// What a plan took.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanTook {
    /// The order in which it ran; empty before it has begun.
    pub execution_order: String,
    /// How many parts it has.
    pub tasks: u64,
    /// Tokens of all calls.
    pub tokens: u64,
    /// Their price in millionths of a dollar.
    pub micro_dollars: u64,
    /// How long it ran, in milliseconds.
    pub ms: u64,
    /// How often a person had to decide.
    pub stops: u64,
    /// The change set.
    pub change: Option<String>,
}

/// Where a plan is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlanNote {
    /// Its name.
    pub plan: String,
    /// The word for where it is.
    pub status: String,
    /// What it came to so far.
    pub took: PlanTook,
    /// The parts that changed.
    pub tasks: Vec<SubTaskNote>,
}

/// Where a part of a plan is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SubTaskNote {
    /// Its name in the plan.
    pub id: String,
    /// The word for its state.
    pub status: String,
    /// How often it was tried.
    pub attempts: u64,
    /// Tokens of its calls.
    pub tokens: u64,
    /// Their price in millionths of a dollar.
    pub micro_dollars: u64,
    /// What it did, or why it has no result; what was noted before stays where this is empty.
    pub summary: String,
}

/// A part of a plan that was noted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SubTaskRecord {
    /// Where it is.
    #[serde(flatten)]
    pub note: SubTaskNote,
    /// When it was noted first.
    pub created_at: Timestamp,
    /// When it was completed.
    pub completed_at: Option<Timestamp>,
}

impl Store {
    /// Keeps a plan. One of this name that has not begun is replaced; one that has stays as it is, and that is said.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn put_plan(&self, new: NewPlan) -> Result<bool, StoreError> {
        let redactor = self.redactor();
        let new = NewPlan {
            id: redactor.name(&new.id),
            workspace: redactor.name(&new.workspace),
            session: new.session.map(|name| redactor.name(&name)),
            document: redactor.json(new.document),
            estimate: redactor.json(new.estimate),
        };
        self.write(Durability::Full, "keep a plan", |tx| Box::pin(put(tx, new))).await
    }

    /// Returns a plan.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn plan(&self, id: &str) -> Result<Option<PlanRecord>, StoreError> {
        let doing = "read a plan";
        let rows = query(&format!("SELECT {COLUMNS} FROM plans WHERE id = $1"))
            .bind(self.redactor().name(id))
            .fetch_all(self.readers())
            .await
            .map_err(StoreError::database(doing))?;
        rows.first().map(record).transpose().map_err(StoreError::database(doing))
    }

    /// Lists the plans of a workspace, or all, the newest first.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn plans(
        &self,
        workspace: Option<&str>,
        limit: u32,
    ) -> Result<Vec<PlanRecord>, StoreError> {
        let doing = "list the plans";
        let rows = query(&format!(
            "SELECT {COLUMNS} FROM plans WHERE workspace = $1 OR $1 IS NULL
              ORDER BY created_at DESC, id DESC LIMIT $2"
        ))
        .bind(workspace.map(|name| self.redactor().name(name)))
        .bind(i64::from(limit))
        .fetch_all(self.readers())
        .await
        .map_err(StoreError::database(doing))?;
        rows.iter().map(record).collect::<Result<_, _>>().map_err(StoreError::database(doing))
    }

    /// Notes where a plan and its parts are. Noting the same again changes nothing.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn note_plan(&self, note: PlanNote) -> Result<(), StoreError> {
        let redactor = self.redactor();
        let task = |task: SubTaskNote| SubTaskNote {
            id: redactor.name(&task.id),
            status: redactor.name(&task.status),
            summary: redactor.text(&task.summary),
            ..task
        };
        let note = PlanNote {
            plan: redactor.name(&note.plan),
            status: redactor.name(&note.status),
            took: PlanTook {
                execution_order: redactor.name(&note.took.execution_order),
                change: note.took.change.map(|change| redactor.name(&change)),
                ..note.took
            },
            tasks: note.tasks.into_iter().map(task).collect(),
        };
        self.write(Durability::Full, "note a plan", |tx| Box::pin(noted(tx, note))).await
    }

    /// Notes where one part of a plan is.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn note_sub_task(&self, plan: &str, task: SubTaskNote) -> Result<(), StoreError> {
        let redactor = self.redactor();
        let (plan, task) = (
            redactor.name(plan),
            SubTaskNote {
                id: redactor.name(&task.id),
                status: redactor.name(&task.status),
                summary: redactor.text(&task.summary),
                ..task
            },
        );
        // What is lost with the power is noted again when the plan goes on.
        self.write(self.usual_durability(), "note a sub-task", |tx| {
            Box::pin(async move { part(tx, &plan, &task).await })
        })
        .await
    }

    /// Returns the parts of a plan that were noted, by their names.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn sub_tasks(&self, plan: &str) -> Result<Vec<SubTaskRecord>, StoreError> {
        let doing = "read the parts of a plan";
        let rows = query(
            "SELECT id, status, attempts, tokens, micro_dollars, summary, created_at, completed_at
               FROM sub_tasks WHERE plan = $1 ORDER BY id",
        )
        .bind(self.redactor().name(plan))
        .fetch_all(self.readers())
        .await
        .map_err(StoreError::database(doing))?;
        let read = |row: &Row| {
            Ok::<_, sqlx::Error>(SubTaskRecord {
                note: SubTaskNote {
                    id: row.try_get(0)?,
                    status: row.try_get(1)?,
                    attempts: count(row, 2)?,
                    tokens: count(row, 3)?,
                    micro_dollars: count(row, 4)?,
                    summary: row.try_get(5)?,
                },
                created_at: Timestamp(row.try_get(6)?),
                completed_at: row.try_get::<Option<i64>>(7)?.map(Timestamp),
            })
        };
        rows.iter().map(read).collect::<Result<_, _>>().map_err(StoreError::database(doing))
    }
}

const COLUMNS: &str = "id, workspace, session, document, estimate, status, execution_order, tasks, tokens, \
                       micro_dollars, ms, stops, change_set, created_at, updated_at";

fn record(row: &Row) -> Result<PlanRecord, sqlx::Error> {
    let value = |at: usize| {
        let text: String = row.try_get(at)?;
        serde_json::from_str(&text).map_err(|error| sqlx::Error::Decode(error.into()))
    };
    Ok(PlanRecord {
        id: row.try_get(0)?,
        workspace: row.try_get(1)?,
        session: row.try_get(2)?,
        document: value(3)?,
        estimate: value(4)?,
        status: row.try_get(5)?,
        took: PlanTook {
            execution_order: row.try_get(6)?,
            tasks: count(row, 7)?,
            tokens: count(row, 8)?,
            micro_dollars: count(row, 9)?,
            ms: count(row, 10)?,
            stops: count(row, 11)?,
            change: row.try_get(12)?,
        },
        created_at: Timestamp(row.try_get(13)?),
        updated_at: Timestamp(row.try_get(14)?),
    })
}

fn count(row: &Row, at: usize) -> Result<u64, sqlx::Error> {
    Ok(u64::try_from(row.try_get::<i64>(at)?).unwrap_or_default())
}

async fn put(tx: &mut Transaction<'_>, new: NewPlan) -> Result<bool, Rollback> {
    let written = query(
        "INSERT INTO plans (id, workspace, session, document, estimate, status, execution_order, tasks, tokens,
                            micro_dollars, ms, stops, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, '', 0, 0, 0, 0, 0, $7, $7)
         ON CONFLICT (id) DO UPDATE
            SET document = excluded.document, estimate = excluded.estimate, updated_at = excluded.updated_at
          WHERE plans.status = $6",
    )
    .bind(&new.id)
    .bind(&new.workspace)
    .bind(&new.session)
    .bind(new.document.to_string())
    .bind(new.estimate.to_string())
    .bind(DRAFT)
    .bind(tx.now().0)
    .execute(tx)
    .await?;
    Ok(written > 0)
}

async fn noted(tx: &mut Transaction<'_>, note: PlanNote) -> Result<(), Rollback> {
    let took = &note.took;
    query(
        "UPDATE plans SET status = $2, execution_order = $3, tasks = $4, tokens = $5, micro_dollars = $6, ms = $7,
                stops = $8, change_set = $9, updated_at = $10 WHERE id = $1",
    )
    .bind(&note.plan)
    .bind(&note.status)
    .bind(&took.execution_order)
    .bind(int(took.tasks))
    .bind(int(took.tokens))
    .bind(int(took.micro_dollars))
    .bind(int(took.ms))
    .bind(int(took.stops))
    .bind(&took.change)
    .bind(tx.now().0)
    .execute(&mut *tx)
    .await?;
    for task in &note.tasks {
        part(tx, &note.plan, task).await?;
    }
    Ok(())
}

async fn part(tx: &mut Transaction<'_>, plan: &str, task: &SubTaskNote) -> Result<(), Rollback> {
    query(
        "INSERT INTO sub_tasks (plan, id, status, attempts, tokens, micro_dollars, summary, created_at, completed_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, CASE WHEN $3 = 'completed' THEN $8 END)
         ON CONFLICT (plan, id) DO UPDATE
            SET status = excluded.status, attempts = excluded.attempts, tokens = excluded.tokens,
                micro_dollars = excluded.micro_dollars,
                summary = CASE WHEN excluded.summary = '' THEN sub_tasks.summary ELSE excluded.summary END,
                completed_at = CASE WHEN excluded.status = 'completed'
                                    THEN coalesce(sub_tasks.completed_at, excluded.completed_at) END",
    )
    .bind(plan)
    .bind(&task.id)
    .bind(&task.status)
    .bind(int(task.attempts))
    .bind(int(task.tokens))
    .bind(int(task.micro_dollars))
    .bind(&task.summary)
    .bind(tx.now().0)
    .execute(tx)
    .await?;
    Ok(())
}

/// Plans and their parts.
pub(super) const TABLE: Table = Table {
    names: &["plans", "sub_tasks"],
    migrations: &[Migration {
        version: 16,
        name: "0016_plans",
        sql: MIGRATION,
        #[cfg(test)]
        rows: tests::ROWS,
    }],
    #[cfg(test)]
    conforms: tests::conforms,
};

const MIGRATION: &str = "
-- Tasks that were split into parts.
CREATE TABLE plans (
    id TEXT NOT NULL PRIMARY KEY,
    workspace TEXT NOT NULL,
    session TEXT,
    document TEXT NOT NULL,
    estimate TEXT NOT NULL,
    status TEXT NOT NULL,
    execution_order TEXT NOT NULL,
    tasks BIGINT NOT NULL,
    tokens BIGINT NOT NULL,
    micro_dollars BIGINT NOT NULL,
    ms BIGINT NOT NULL,
    stops BIGINT NOT NULL,
    change_set TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX plans_by_workspace ON plans (workspace, created_at);
-- The parts, as they change.
CREATE TABLE sub_tasks (
    plan TEXT NOT NULL,
    id TEXT NOT NULL,
    status TEXT NOT NULL,
    attempts BIGINT NOT NULL,
    tokens BIGINT NOT NULL,
    micro_dollars BIGINT NOT NULL,
    summary TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    completed_at BIGINT,
    PRIMARY KEY (plan, id)
);
";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::Conforming;
    use crate::testing::{options, redacted};
    use serde_json::json;

    pub(super) const ROWS: &str = "INSERT INTO plans VALUES
        ('p', 'w', NULL, '{}', '{}', 'draft', '', 0, 0, 0, 0, 0, NULL, 1000, 1000);
     INSERT INTO sub_tasks VALUES ('p', '1', 'completed', 1, 10, 5, 's', 1000, 1000);";

    fn new(id: &str, text: &str) -> NewPlan {
        NewPlan {
            id: id.to_owned(),
            workspace: text.to_owned(),
            session: Some(text.to_owned()),
            document: json!({ "request": text }),
            estimate: json!({ "basis": text }),
        }
    }

    fn note(plan: &str, status: &str, text: &str) -> PlanNote {
        PlanNote {
            plan: plan.to_owned(),
            status: status.to_owned(),
            took: PlanTook {
                tasks: 1,
                tokens: 7,
                change: Some(text.to_owned()),
                ..PlanTook::default()
            },
            tasks: vec![SubTaskNote {
                id: "1".to_owned(),
                status: "completed".to_owned(),
                summary: text.to_owned(),
                tokens: 7,
                attempts: 1,
                micro_dollars: 3,
            }],
        }
    }

    pub(super) fn conforms<'a>(store: &'a Store, text: &'a str) -> Conforming<'a> {
        Box::pin(async move {
            assert!(store.put_plan(new("p", text)).await.expect("put"));
            store.note_plan(note("p", "completed", text)).await.expect("noted");
            let read = store.plan("p").await.expect("read").expect("there");
            assert_eq!((read.status.as_str(), read.took.tokens), ("completed", 7));
            assert_eq!(read.document, json!({ "request": redacted(text) }));
            assert_eq!(store.plans(Some(text), 10).await.expect("listed"), [read]);
            let parts = store.sub_tasks("p").await.expect("read");
            assert_eq!((parts.len(), &parts[0].note.summary), (1, &redacted(text)));
            assert!(parts[0].completed_at.is_some());
        })
    }

    #[tokio::test]
    async fn c217_a_plan_is_edited_until_it_has_begun() {
        let store = Store::memory(options()).await.expect("opened");
        let put = async |text: &str| store.put_plan(new("p", text)).await.expect("put");
        assert!(put("one").await && put("two").await);
        let read = async || store.plan("p").await.expect("read").expect("there");
        assert_eq!(read().await.document, json!({ "request": "two" }));
        store.note_plan(note("p", "running", "")).await.expect("noted");
        assert!(!put("three").await);
        assert_eq!(read().await.document, json!({ "request": "two" }));
        assert_eq!(store.plan("none").await.expect("read"), None);
    }

    #[tokio::test]
    async fn c222_a_part_that_is_done_again_is_no_longer_completed() {
        let store = Store::memory(options()).await.expect("opened");
        store.put_plan(new("p", "x")).await.expect("put");
        let part = async |status: &str, summary: &str| {
            let task = SubTaskNote {
                id: "1".to_owned(),
                status: status.to_owned(),
                summary: summary.to_owned(),
                ..SubTaskNote::default()
            };
            store.note_sub_task("p", task).await.expect("noted");
            store.sub_tasks("p").await.expect("read").remove(0)
        };
        assert!(part("completed", "did it").await.completed_at.is_some());
        let again = part("running", "").await;
        assert_eq!((again.completed_at, again.note.summary.as_str()), (None, "did it"));
    }
}
