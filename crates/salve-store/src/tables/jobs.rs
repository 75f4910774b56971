//! Jobs as people see them: who asked for what, how far it is, who is to stop.
//!
//! In: rows and reports of whoever runs jobs. Out: rows, newest first, and the events of one job.
//! Never decides anything: the engine's history is the truth, and this is what is read of it.

use crate::clean::Cleaner;
use crate::open_call::cleaned_note;
use crate::sql::{Row, query};
use crate::tables::events::{self, Event, NewEvent, ReadyEvent};
use crate::writer::{Cell, JobOp, Message, Op, Rare, Rows};
use crate::{Store, StoreError};
use salve_types::{
    FlowName, JobFilter, JobId, JobRow, JobState, NewJob, Page, Registered, Timestamp,
};
use serde::Serialize;
use serde_json::Value;
use std::collections::HashMap;
use std::error::Error;
use tokio::sync::oneshot;

/// A job that is about to be started, as it is kept: without secrets.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NewJobRow {
    pub(crate) id: String,
    pub(crate) flow: String,
    pub(crate) input_hash: String,
    pub(crate) needs: Value,
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
    /// Writes a job down before it is started. The same name stands for the same flow and input.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn register_job(&self, job: NewJob) -> Result<Registered, StoreError> {
        let cleaner = self.cleaner();
        let job = NewJobRow {
            id: job_name(cleaner, &job.id),
            flow: cleaner.name(&job.flow.to_string()),
            input_hash: cleaner.key(&job.input_hash),
            needs: cleaned_note(cleaner, to_json(&job.needs)?),
        };
        let (reply, answer) = oneshot::channel();
        self.send(Message::Ledger(Op::Job(Box::new(JobOp::Register(job, reply)))))?;
        answer.await.map_err(|_| StoreError::Closed)?
    }

    /// Writes down what happened to a job, if what was known of it before is what the report says;
    /// otherwise somebody else has done so, nothing is written, and the answer is no. Also no: when
    /// there is no such job.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn report_job(&self, report: JobReport) -> Result<bool, StoreError> {
        let cleaner = self.cleaner();
        let id = job_name(cleaner, &report.id);
        let ready = |event: NewEvent| ReadyEvent {
            kind: cleaner.name(&event.kind),
            subject: id.clone(),
            body: cleaned_note(cleaner, event.body).to_string(),
        };
        let events = report.events.into_iter().map(ready).collect();
        let ended = report.ended.as_ref().map(to_json).transpose()?;
        let ended = ended.map(|ended| cleaned_note(cleaner, ended).to_string());
        let (reply, answer) = oneshot::channel();
        let (from, to) = (report.from, report.to);
        self.send(Message::Ledger(Op::Job(Box::new(JobOp::Report {
            id,
            from,
            to,
            events,
            ended,
            reply,
        }))))?;
        answer.await.map_err(|_| StoreError::Closed)?
    }

    /// Notes that a job is to stop. The first reason stays; no when it is unknown or has ended.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn request_cancel(&self, id: &JobId, reason: &str) -> Result<bool, StoreError> {
        let (id, reason) = (job_name(self.cleaner(), id), self.cleaner().name(reason));
        let (reply, answer) = oneshot::channel();
        self.send(Message::Ledger(Op::Job(Box::new(JobOp::Cancel { id, reason, reply }))))?;
        answer.await.map_err(|_| StoreError::Closed)?
    }

    /// Forgets jobs with their events.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn forget_jobs(&self, ids: &[JobId]) -> Result<(), StoreError> {
        let ids = ids.iter().map(|id| job_name(self.cleaner(), id)).collect();
        self.ask(|reply| Rare::ForgetJobs(ids, reply)).await
    }

    /// Returns a job.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn job(&self, id: &JobId) -> Result<Option<JobRow>, StoreError> {
        let doing = "read a job";
        let sql = format!("SELECT {COLUMNS} FROM jobs WHERE id = $1");
        let row = query(&sql)
            .bind(job_name(self.cleaner(), id))
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
        let within = filter.within.as_ref().map(|id| job_name(self.cleaner(), id));
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
            .bind(page.after.as_ref().map(|id| job_name(self.cleaner(), id)))
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
        .bind(job_name(self.cleaner(), id))
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
        let names: Vec<String> = ids.iter().map(|id| job_name(self.cleaner(), id)).collect();
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

/// Returns the first part of a job's name.
pub(crate) fn root(id: &str) -> &str {
    id.split_once('/').map_or(id, |(root, _)| root)
}

/// Returns a job's name, then its parent's, and so on.
fn with_parents(id: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(id), |id| id.rsplit_once('/').map(|(parent, _)| parent))
}

// Part by part, so that a child still is its parent's child. A part that holds a secret becomes its
// hash, in letters that a job's name may have.
fn job_name(cleaner: &Cleaner, id: &JobId) -> String {
    let kept = |part: &str| cleaner.key(part).replace(':', "-");
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
