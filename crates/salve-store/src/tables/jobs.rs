//! The index of jobs: what was asked for, how far it is, which are to stop.
//!
//! In: rows, and reports of the job engine. Out: rows, newest first, and the events of one job.
//! Never decides anything: the engine's history is the truth, and this is what is read of it.

use super::Table;
use super::events::{self, Event, NewEvent, ReadyEvent};
use crate::commit::{Counter, Rollback, Transaction};
use crate::migrations::Migration;
use crate::redacted::Redactor;
use crate::sql::{Cell, Row, Rows, int, query};
use crate::{Durability, Store, StoreError};
use salve_types::{
    FlowName, JobFilter, JobId, JobRow, JobState, NewJob, Page, Registered, Timestamp,
};
use serde::Serialize;
use serde_json::Value;
use std::collections::HashMap;
use std::error::Error;

/// A job that is about to be started, as it is kept: without secrets.
pub(super) struct Redacted {
    id: String,
    flow: String,
    input_hash: String,
    needs: Value,
}

impl Redacted {
    pub(super) fn new(redactor: &Redactor, job: &NewJob) -> Result<Self, StoreError> {
        Ok(Self {
            id: job_name(redactor, &job.id),
            flow: redactor.name(&job.flow.to_string()),
            input_hash: redactor.key(&job.input_hash),
            needs: redactor.json(to_json(&job.needs)?),
        })
    }
}

/// A report as it is kept: without secrets.
pub(super) struct ReadyReport {
    id: String,
    from: (u64, u64),
    to: (u64, u64),
    events: Vec<ReadyEvent>,
    ended: Option<String>,
}

impl ReadyReport {
    pub(super) fn new(redactor: &Redactor, report: JobReport) -> Result<Self, StoreError> {
        let id = job_name(redactor, &report.id);
        let ready = |event: NewEvent| ReadyEvent {
            kind: redactor.name(&event.kind),
            subject: id.clone(),
            body: redactor.json(event.body).to_string(),
        };
        let events = report.events.into_iter().map(ready).collect();
        let ended = report.ended.as_ref().map(to_json).transpose()?;
        let ended = ended.map(|ended| redactor.json(ended).to_string());
        Ok(Self { id, from: report.from, to: report.to, events, ended })
    }
}

/// What happened to a job since it was last reported.
#[derive(Debug, Clone, PartialEq)]
pub struct JobReport {
    /// The job.
    pub id: JobId,
    /// How far its history was written down before.
    pub from: (u64, u64),
    /// How far it is afterwards.
    pub to: (u64, u64),
    /// What happened in between. The subject of each is the job, whatever it says.
    pub events: Vec<NewEvent>,
    /// How it ended, if it has.
    pub ended: Option<JobState>,
}

const COLUMNS: &str = "id, flow, input_hash, needs, created_at, cancel_reason, reported_execution,
    reported_event, ended, ended_at";

impl Store {
    /// Writes a job down before it is started. The same name means the same flow and input.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn register_job(&self, job: NewJob) -> Result<Registered, StoreError> {
        let job = Redacted::new(self.redactor(), &job)?;
        self.write(Durability::Full, "write a job down", |tx| Box::pin(register(tx, job))).await
    }

    /// Writes down what happened to a job, if what was known of it before is what the report says;
    /// otherwise another process has done so, nothing is written, and the answer is no. Also no:
    /// when there is no such job.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn report_job(&self, report: JobReport) -> Result<bool, StoreError> {
        let ready = ReadyReport::new(self.redactor(), report)?;
        // The engine's history is what is safe; a report that is lost is made again from it.
        self.write(Durability::Normal, "write down what happened to a job", |tx| {
            Box::pin(self::report(tx, ready))
        })
        .await
    }

    /// Notes that a job is to stop. The first reason stays; no when it is unknown or has ended.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn request_cancel(&self, id: &JobId, reason: &str) -> Result<bool, StoreError> {
        let (id, reason) = (job_name(self.redactor(), id), self.redactor().name(reason));
        self.write(Durability::Full, "note that a job is to stop", move |tx| {
            Box::pin(async move {
                let sql = "UPDATE jobs SET cancel_reason = coalesce(cancel_reason, $2)
                            WHERE id = $1 AND ended IS NULL";
                Ok(query(sql).bind(id).bind(reason).execute(tx).await? > 0)
            })
        })
        .await
    }

    /// Forgets jobs with their events.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn forget_jobs(&self, ids: &[JobId]) -> Result<(), StoreError> {
        let mut forgotten = Rows::default();
        for id in ids {
            forgotten.push(&[Cell::Text(&job_name(self.redactor(), id))]);
        }
        let forgotten = forgotten.finish();
        self.write(Durability::Full, "forget jobs", move |tx| {
            Box::pin(async move {
                for sql in [
                    "DELETE FROM events
                      WHERE subject <> '' AND subject IN (SELECT value ->> 0 FROM json_each($1))",
                    "DELETE FROM jobs WHERE id IN (SELECT value ->> 0 FROM json_each($1))",
                ] {
                    query(sql).bind(&forgotten).execute(&mut *tx).await?;
                }
                Ok(())
            })
        })
        .await
    }

    /// Returns a job.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn job(&self, id: &JobId) -> Result<Option<JobRow>, StoreError> {
        let doing = "read a job";
        let sql = format!("SELECT {COLUMNS} FROM jobs WHERE id = $1");
        let row = query(&sql)
            .bind(job_name(self.redactor(), id))
            .fetch_optional(self.readers())
            .await
            .map_err(StoreError::database(doing))?;
        row.map(|row| read_job(&row)).transpose().map_err(StoreError::database(doing))
    }

    /// Returns jobs, newest first.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn jobs(&self, filter: &JobFilter, page: &Page) -> Result<Vec<JobRow>, StoreError> {
        let doing = "list jobs";
        let within = filter.within.as_ref().map(|id| job_name(self.redactor(), id));
        let root = within.as_deref().map(|id| root(id).to_owned());
        let sql = format!(
            "SELECT {COLUMNS} FROM jobs
              WHERE ($1 IS NULL OR (root = $2 AND (id = $1
                     OR substr(id, 1, length($1) + 1) = $1 || '/')))
                AND ($3 IS NULL OR flow = $3 OR substr(flow, 1, length($3) + 1) = $3 || '@')
                AND ($4 IS NULL OR $4 = CASE WHEN ended IS NULL THEN 0 ELSE 1 END)
                AND ($5 = 0 OR id = root)
                AND ($6 IS NULL OR number < (SELECT number FROM jobs WHERE id = $6))
              ORDER BY number DESC LIMIT $7"
        );
        let rows = query(&sql)
            .bind(within)
            .bind(root)
            .bind(filter.flow.as_deref())
            .bind(filter.ended.map(i64::from))
            .bind(i64::from(filter.roots_only))
            .bind(page.after.as_ref().map(|id| job_name(self.redactor(), id)))
            .bind(i64::from(page.limit))
            .fetch_all(self.readers())
            .await
            .map_err(StoreError::database(doing))?;
        rows.iter().map(read_job).collect::<Result<_, _>>().map_err(StoreError::database(doing))
    }

    /// Returns at most `limit` events of a job after the one numbered `after`, oldest first.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn job_events(
        &self,
        id: &JobId,
        after: i64,
        limit: u32,
    ) -> Result<Vec<Event>, StoreError> {
        let doing = "read the events of a job";
        let rows = query(
            "SELECT id, at, kind, subject, body FROM events
              WHERE subject = $1 AND subject <> '' AND id > $2 ORDER BY id LIMIT $3",
        )
        .bind(job_name(self.redactor(), id))
        .bind(after)
        .bind(i64::from(limit))
        .fetch_all(self.readers())
        .await
        .map_err(StoreError::database(doing))?;
        events::read(&rows).map_err(StoreError::database(doing))
    }

    /// Returns those of these jobs that are to stop, themselves or with one of their parents, and
    /// why. The reason nearest to the job counts.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn cancel_requested(
        &self,
        ids: &[JobId],
    ) -> Result<Vec<(JobId, String)>, StoreError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let names: Vec<String> = ids.iter().map(|id| job_name(self.redactor(), id)).collect();
        let mut wanted = Rows::default();
        for name in names.iter().flat_map(|name| with_parents(name)) {
            wanted.push(&[Cell::Text(name)]);
        }
        let read = async {
            let rows = query(
                "SELECT id, cancel_reason FROM jobs
                  WHERE cancel_reason IS NOT NULL
                    AND id IN (SELECT value ->> 0 FROM json_each($1))",
            )
            .bind(wanted.finish())
            .fetch_all(self.readers())
            .await?;
            rows.iter()
                .map(|row| Ok((row.try_get(0)?, row.try_get(1)?)))
                .collect::<Result<HashMap<String, String>, sqlx::Error>>()
        };
        let reasons = read.await.map_err(StoreError::database("read who is to stop"))?;
        let reason = |name: &str| with_parents(name).find_map(|name| reasons.get(name)).cloned();
        let named = ids.iter().zip(&names);
        Ok(named.filter_map(|(id, name)| Some((id.clone(), reason(name)?))).collect())
    }

    /// Waits until there may be new events, or this long. What came since the last wait of this
    /// caller is not remembered: read after it, and wait not too long.
    pub async fn wait_for_events(&self, longest: std::time::Duration) {
        let mut news = self.news();
        news.borrow_and_update();
        let _ = tokio::time::timeout(longest, news.changed()).await;
    }
}

/// Writes a job down, unless it is known.
pub(super) async fn register(
    tx: &mut Transaction<'_>,
    job: Redacted,
) -> Result<Registered, Rollback> {
    let known = query("SELECT flow, input_hash FROM jobs WHERE id = $1")
        .bind(&job.id)
        .fetch_optional(&mut *tx)
        .await?;
    if let Some(known) = known {
        let (flow, input_hash): (String, String) = (known.try_get(0)?, known.try_get(1)?);
        let same = flow == job.flow && input_hash == job.input_hash;
        return Ok(if same { Registered::Same } else { Registered::Conflict });
    }
    let number = tx.take_numbers(Counter::Jobs, 1).await?;
    query(
        "INSERT INTO jobs (id, number, root, flow, input_hash, needs, created_at,
                           reported_execution, reported_event)
         VALUES ($1, $2, $3, $4, $5, $6, $7, 0, 0)",
    )
    .bind(&job.id)
    .bind(number)
    .bind(root(&job.id))
    .bind(&job.flow)
    .bind(&job.input_hash)
    .bind(job.needs.to_string())
    .bind(tx.now().0)
    .execute(tx)
    .await?;
    Ok(Registered::New)
}

/// Writes down what happened to a job, if the index is where the report begins.
pub(super) async fn report(
    tx: &mut Transaction<'_>,
    report: ReadyReport,
) -> Result<bool, Rollback> {
    let ReadyReport { id, from, to, events, ended } = report;
    let moved = move_on(tx, &id, from, to, ended).await?;
    if moved && !events.is_empty() {
        events::append(tx, events).await?;
    }
    Ok(moved)
}

/// Moves on how far a job's history was written down, if no other process has.
async fn move_on(
    tx: &mut Transaction<'_>,
    id: &str,
    from: (u64, u64),
    to: (u64, u64),
    ended: Option<String>,
) -> Result<bool, sqlx::Error> {
    let changed = query(
        "UPDATE jobs SET reported_execution = $4, reported_event = $5,
                ended_at = CASE WHEN ended IS NULL AND $6 IS NOT NULL THEN $7 ELSE ended_at END,
                ended = coalesce(ended, $6)
          WHERE id = $1 AND reported_execution = $2 AND reported_event = $3",
    )
    .bind(id)
    .bind(int(from.0))
    .bind(int(from.1))
    .bind(int(to.0))
    .bind(int(to.1))
    .bind(ended)
    .bind(tx.now().0)
    .execute(tx)
    .await?;
    Ok(changed > 0)
}

/// Returns the first part of a job's name.
fn root(id: &str) -> &str {
    id.split_once('/').map_or(id, |(root, _)| root)
}

/// Returns a job's name, then its parent's, and so on.
fn with_parents(id: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(id), |id| id.rsplit_once('/').map(|(parent, _)| parent))
}

// Part by part, so that a child still is its parent's child. A part that holds a secret becomes its
// hash, in letters that a job's name may have.
fn job_name(redactor: &Redactor, id: &JobId) -> String {
    let kept = |part: &str| redactor.key(part).replace(':', "-");
    id.as_str().split('/').map(kept).collect::<Vec<_>>().join("/")
}

fn to_json(value: &impl Serialize) -> Result<Value, StoreError> {
    let failed = |error: serde_json::Error| sqlx::Error::Encode(error.into());
    serde_json::to_value(value).map_err(failed).map_err(StoreError::database("write a job"))
}

fn read_job(row: &Row) -> Result<JobRow, sqlx::Error> {
    let count = |at: usize| -> Result<u64, sqlx::Error> {
        Ok(u64::try_from(row.try_get::<i64>(at)?).unwrap_or_default())
    };
    let ended = row.try_get::<Option<String>>(8)?;
    Ok(JobRow {
        id: JobId::new(&row.try_get::<String>(0)?).map_err(unreadable)?,
        flow: FlowName::try_from(row.try_get::<String>(1)?).map_err(unreadable)?,
        input_hash: row.try_get(2)?,
        needs: serde_json::from_str(&row.try_get::<String>(3)?).map_err(unreadable)?,
        created_at: Timestamp(row.try_get(4)?),
        cancel_reason: row.try_get(5)?,
        reported: (count(6)?, count(7)?),
        ended: ended.map(|ended| serde_json::from_str(&ended)).transpose().map_err(unreadable)?,
        ended_at: row.try_get::<Option<i64>>(9)?.map(Timestamp),
    })
}

fn unreadable(error: impl Error + Send + Sync + 'static) -> sqlx::Error {
    sqlx::Error::Decode(Box::new(error))
}

/// Jobs; made together with the texts they pass around, and with the outcome of calls that changed
/// hands.
pub(crate) const TABLE: Table = Table {
    names: &["jobs"],
    migrations: &[Migration {
        version: 5,
        name: "0005_jobs",
        sql: MIGRATION,
        #[cfg(test)]
        rows: tests::ROWS,
    }],
    #[cfg(test)]
    conforms: tests::conforms,
};

const MIGRATION: &str = "
-- Jobs as people see them. What a job does is written down by the engine, elsewhere.
CREATE TABLE jobs (
    id TEXT PRIMARY KEY,
    -- Rises with every job, so that lists have an order.
    number BIGINT NOT NULL UNIQUE,
    -- The first part of its name, which a job has in common with its children.
    root TEXT NOT NULL,
    flow TEXT NOT NULL,
    input_hash TEXT NOT NULL,
    needs TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    -- Why it is to stop, once somebody wants it to.
    cancel_reason TEXT,
    -- How far into its history events were written down.
    reported_execution BIGINT NOT NULL,
    reported_event BIGINT NOT NULL,
    ended TEXT,
    ended_at BIGINT
);
CREATE INDEX jobs_by_root ON jobs (root);
ALTER TABLE ledger ADD COLUMN next_job BIGINT NOT NULL DEFAULT 1;
CREATE INDEX events_by_subject ON events (subject, id) WHERE subject <> '';

-- Texts that jobs pass around by their hash.
CREATE TABLE texts (
    id TEXT PRIMARY KEY,
    content BLOB NOT NULL,
    -- When it was last put.
    put_at BIGINT NOT NULL
);
CREATE INDEX texts_by_age ON texts (put_at);

-- Raised each time a call changes hands.
ALTER TABLE calls ADD COLUMN epoch BIGINT NOT NULL DEFAULT 1;
-- What somebody decided about a call in doubt.
ALTER TABLE calls ADD COLUMN decided TEXT CHECK (decided IN ('retry', 'result', 'fail'));

-- Tries at a call that were taken from their owner. Each may have been paid.
CREATE TABLE call_tries (
    call BIGINT NOT NULL REFERENCES calls (id) ON DELETE CASCADE,
    epoch BIGINT NOT NULL,
    -- Lost until its owner says how it ended, then late.
    state TEXT NOT NULL CHECK (state IN ('lost', 'late')),
    worker TEXT NOT NULL,
    reserved_at BIGINT NOT NULL,
    -- Where it counts in budgets, and as what: its worst case, until it is known what it took.
    day BIGINT NOT NULL,
    gateway_key BIGINT,
    session TEXT,
    counted_tokens BIGINT NOT NULL,
    counted_micro_dollars BIGINT NOT NULL,
    -- From here on: known when it is late.
    settled_at BIGINT,
    outcome TEXT,
    input_tokens BIGINT,
    output_tokens BIGINT,
    cached_tokens BIGINT,
    reasoning_tokens BIGINT,
    micro_dollars BIGINT,
    note TEXT,
    -- What had arrived; the whole answer once it is late.
    content BLOB NOT NULL,
    PRIMARY KEY (call, epoch)
);
";

#[cfg(test)]
mod tests;
