//! Jobs in a batch: registered, reported, asked to stop.
//!
//! In: job operations, and the rows they are about as they are now. Out: those rows as they are
//! afterwards, one for each job, and the events of reports. Never touches the database but to read.

use super::batch::Batch;
use super::books::Books;
use super::plan::{Answer, keep_event};
use super::rows::{Cell, Rows, int};
use super::{Op, Reply};
use crate::StoreError;
use crate::sql::{Connection, query};
use crate::tables::events::ReadyEvent;
use crate::tables::jobs::{NewJobRow, root};
use salve_types::{Registered, Timestamp};
use std::collections::{BTreeSet, HashMap};

/// Something about a job. Its texts are cleaned.
#[derive(Debug)]
pub(crate) enum JobOp {
    Register(NewJobRow, Reply<Registered>),
    Report {
        id: String,
        from: (u64, u64),
        to: (u64, u64),
        events: Vec<ReadyEvent>,
        ended: Option<String>,
        reply: Reply<bool>,
    },
    Cancel {
        id: String,
        reason: String,
        reply: Reply<bool>,
    },
}

impl JobOp {
    fn id(&self) -> &str {
        match self {
            Self::Register(job, _) => &job.id,
            Self::Report { id, .. } | Self::Cancel { id, .. } => id,
        }
    }

    /// Tells whoever asked what came of it.
    pub(super) fn answer(self, answer: Answer) {
        match (self, answer) {
            (Self::Register(_, reply), Answer::Registered(registered)) => {
                drop(reply.send(Ok(registered)));
            }
            (Self::Report { reply, .. } | Self::Cancel { reply, .. }, Answer::Told(done)) => {
                drop(reply.send(Ok(done)));
            }
            _ => {}
        }
    }

    /// Answers that it could not be written.
    pub(super) fn refuse(self, error: &StoreError) {
        match self {
            Self::Register(_, reply) => drop(reply.send(Err(error.clone()))),
            Self::Report { reply, .. } | Self::Cancel { reply, .. } => {
                drop(reply.send(Err(error.clone())));
            }
        }
    }
}

/// A row, as far as planning is concerned.
#[derive(Debug)]
struct Entry {
    number: i64,
    flow: String,
    input_hash: String,
    needs: String,
    created_at: i64,
    cancel_reason: Option<String>,
    reported: (i64, i64),
    ended: Option<String>,
    ended_at: Option<i64>,
}

/// The jobs that a batch is about.
#[derive(Debug, Default)]
pub(crate) struct Jobs {
    known: HashMap<String, Entry>,
    changed: BTreeSet<String>,
}

impl Jobs {
    /// Reads the jobs that these operations are about.
    pub(super) async fn read(ops: &[Op], connection: &mut Connection) -> Result<Self, sqlx::Error> {
        let mut wanted = Rows::default();
        for op in ops {
            if let Op::Job(op) = op {
                wanted.push(&[Cell::Text(op.id())]);
            }
        }
        if wanted.is_empty() {
            return Ok(Self::default());
        }
        let rows = query(
            "SELECT id, number, flow, input_hash, needs, created_at, cancel_reason,
                    reported_execution, reported_event, ended, ended_at
               FROM jobs WHERE id IN (SELECT value ->> 0 FROM json_each($1))",
        )
        .bind(wanted.finish())
        .fetch_all(connection)
        .await?;
        let mut known = HashMap::with_capacity(rows.len());
        for row in rows {
            let entry = Entry {
                number: row.try_get(1)?,
                flow: row.try_get(2)?,
                input_hash: row.try_get(3)?,
                needs: row.try_get(4)?,
                created_at: row.try_get(5)?,
                cancel_reason: row.try_get(6)?,
                reported: (row.try_get(7)?, row.try_get(8)?),
                ended: row.try_get(9)?,
                ended_at: row.try_get(10)?,
            };
            known.insert(row.try_get(0)?, entry);
        }
        Ok(Self { known, changed: BTreeSet::new() })
    }

    /// Plans one operation.
    pub(super) fn plan(
        &mut self,
        op: &JobOp,
        now: Timestamp,
        books: &mut Books,
        batch: &mut Batch,
    ) -> Answer {
        match op {
            JobOp::Register(job, _) => Answer::Registered(self.register(job, now, books)),
            JobOp::Report { id, from, to, events, ended, .. } => {
                let stored = |at: &(u64, u64)| (int(at.0), int(at.1));
                let Some(entry) = self.known.get_mut(id).filter(|job| job.reported == stored(from))
                else {
                    return Answer::Told(false);
                };
                entry.reported = stored(to);
                if entry.ended.is_none() && ended.is_some() {
                    entry.ended.clone_from(ended);
                    entry.ended_at = Some(now.0);
                }
                self.changed.insert(id.clone());
                for event in events {
                    keep_event(event, now, books, batch);
                }
                Answer::Told(true)
            }
            JobOp::Cancel { id, reason, .. } => {
                let Some(entry) = self.known.get_mut(id).filter(|job| job.ended.is_none()) else {
                    return Answer::Told(false);
                };
                if entry.cancel_reason.is_none() {
                    entry.cancel_reason = Some(reason.clone());
                    self.changed.insert(id.clone());
                }
                Answer::Told(true)
            }
        }
    }

    fn register(&mut self, job: &NewJobRow, now: Timestamp, books: &mut Books) -> Registered {
        if let Some(known) = self.known.get(&job.id) {
            let same = known.flow == job.flow && known.input_hash == job.input_hash;
            return if same { Registered::Same } else { Registered::Conflict };
        }
        let entry = Entry {
            number: books.next_job,
            flow: job.flow.clone(),
            input_hash: job.input_hash.clone(),
            needs: job.needs.to_string(),
            created_at: now.0,
            cancel_reason: None,
            reported: (0, 0),
            ended: None,
            ended_at: None,
        };
        books.next_job += 1;
        self.known.insert(job.id.clone(), entry);
        self.changed.insert(job.id.clone());
        Registered::New
    }

    /// Puts the rows that changed into the batch.
    pub(super) fn finish(self, batch: &mut Batch) {
        for id in &self.changed {
            let Some(job) = self.known.get(id) else { continue };
            batch.jobs.push(&[
                Cell::Text(id),
                Cell::Int(job.number),
                Cell::Text(root(id)),
                Cell::Text(&job.flow),
                Cell::Text(&job.input_hash),
                Cell::Text(&job.needs),
                Cell::Int(job.created_at),
                Cell::MaybeText(job.cancel_reason.as_deref()),
                Cell::Int(job.reported.0),
                Cell::Int(job.reported.1),
                Cell::MaybeText(job.ended.as_deref()),
                Cell::MaybeInt(job.ended_at),
            ]);
        }
    }
}
