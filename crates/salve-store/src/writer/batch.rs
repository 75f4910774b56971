//! Everything one transaction writes, as one statement text and its parameters.
//!
//! In: rows by kind. Out: one trip to the database, whatever the number of rows. Never writes when
//! the ledger's version is not the one that was planned with.

use super::rows::Rows;
use super::sections::SQLITE;
#[cfg(feature = "fleet")]
use super::sections::{JUDGEMENTS_AT, POSTGRES};
use crate::Durability;
#[cfg(feature = "fleet")]
use crate::sql::query;
use crate::sql::{Connection, Parameter, Query};

/// What one transaction writes.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    pub(crate) calls: Rows,
    pub(crate) budgets: Rows,
    pub(crate) settles: Rows,
    pub(crate) pieces: Rows,
    pub(crate) texts: Rows,
    pub(crate) events: Rows,
    pub(crate) inspections: Rows,
    pub(crate) judgements: Rows,
    pub(crate) jobs: Rows,
    pub(crate) lates: Rows,
    /// Texts, one after the other; rows say where theirs begins and how long it is. As bytes, since
    /// a text may hold NUL.
    pub(crate) bytes: Vec<u8>,
    /// When this worker was alive; none when that is known well enough.
    pub(crate) seen_at: Option<i64>,
    pub(crate) next_call: i64,
    pub(crate) next_event: i64,
    pub(crate) next_job: i64,
}

/// Where the ledger stands, and who writes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stand<'a> {
    pub(crate) version: i64,
    pub(crate) worker: &'a str,
    pub(crate) durability: Durability,
}

/// Whether the transaction is begun here or was begun before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Begin {
    Here,
    Before,
}

impl Batch {
    /// Adds a text and returns where it begins, from 1, and how long it is.
    pub(crate) fn keep(&mut self, text: &[u8]) -> (i64, i64) {
        let start = self.bytes.len() + 1;
        self.bytes.extend_from_slice(text);
        (super::rows::int(start as u64), super::rows::int(text.len() as u64))
    }

    /// Writes everything; returns false, and writes nothing, if the ledger has moved on.
    pub(crate) async fn write(
        self,
        stand: Stand<'_>,
        begin: Begin,
        connection: &mut Connection,
    ) -> Result<bool, sqlx::Error> {
        #[cfg(feature = "fleet")]
        if connection.is_postgres() {
            return self.write_postgres(stand, begin, connection).await;
        }
        if begin == Begin::Here {
            connection.set_durability(stand.durability).await?;
        }
        let statement = self.statement(begin);
        let parameters = self.parameters(stand);
        let rows = Query { sql: &statement, parameters }.fetch_all(connection).await?;
        Ok(!rows.is_empty())
    }

    // Only the sections that have rows, so that there are few different texts and each is prepared
    // once.
    fn statement(&self, begin: Begin) -> String {
        let mut text = String::with_capacity(4096);
        if begin == Begin::Here {
            text.push_str("BEGIN IMMEDIATE;");
        }
        text.push_str(&SQLITE.raise);
        for (rows, section) in self.kinds().into_iter().zip(&SQLITE.sections) {
            if !rows.is_empty() {
                text.push(';');
                text.push_str(section);
            }
        }
        if self.seen_at.is_some() {
            text.push(';');
            text.push_str(&SQLITE.seen);
        }
        text.push_str(";COMMIT");
        text
    }

    /// One statement is one trip and a transaction of its own. What it cannot do at once follows in
    /// the same transaction.
    #[cfg(feature = "fleet")]
    async fn write_postgres(
        self,
        stand: Stand<'_>,
        begin: Begin,
        connection: &mut Connection,
    ) -> Result<bool, sqlx::Error> {
        let statement = self.postgres_statement();
        let judged = !self.judgements.is_empty();
        if judged && begin == Begin::Here {
            connection.begin(stand.durability).await?;
        }
        let mut parameters = self.parameters(stand);
        let judgements = parameters.get_mut(13).map(|rows| std::mem::replace(rows, "[]".into()));
        let rows = Query { sql: &statement, parameters }.fetch_all(&mut *connection).await?;
        if judged && !rows.is_empty() {
            // Its own list is its first parameter, and nobody else can have moved the ledger on.
            let sql = POSTGRES.sections.get(JUDGEMENTS_AT).map_or("", String::as_str);
            let sql = sql.replace("EXISTS (SELECT 1 FROM raised)", "TRUE").replace("$14", "$1");
            let parameters = judgements.into_iter().collect();
            Query { sql: &sql, parameters }.execute(&mut *connection).await?;
        }
        if begin == Begin::Before || judged {
            query("COMMIT").execute(connection).await?;
        }
        Ok(!rows.is_empty())
    }

    #[cfg(feature = "fleet")]
    fn postgres_statement(&self) -> String {
        use std::fmt::Write;
        let mut text = format!("WITH raised AS ({})", POSTGRES.raise);
        for (at, (rows, section)) in self.kinds().into_iter().zip(&POSTGRES.sections).enumerate() {
            if !rows.is_empty() && at != JUDGEMENTS_AT {
                // Writing to a string cannot fail.
                let _ = write!(text, ", part{at} AS ({section})");
            }
        }
        if self.seen_at.is_some() {
            let _ = write!(text, ", seen AS ({})", POSTGRES.seen);
        }
        text.push_str(" SELECT version FROM raised");
        text
    }

    /// The kinds of rows, in the order of the statements that write them.
    const fn kinds(&self) -> [&Rows; 10] {
        [
            &self.calls,
            &self.budgets,
            &self.settles,
            &self.pieces,
            &self.texts,
            &self.events,
            &self.inspections,
            &self.judgements,
            &self.jobs,
            &self.lates,
        ]
    }

    fn parameters(self, stand: Stand<'_>) -> Vec<Parameter<'_>> {
        vec![
            stand.version.into(),
            stand.worker.into(),
            self.next_call.into(),
            self.next_event.into(),
            self.calls.finish().into(),
            self.budgets.finish().into(),
            self.settles.finish().into(),
            self.pieces.finish().into(),
            self.texts.finish().into(),
            self.events.finish().into(),
            self.inspections.finish().into(),
            self.bytes.into(),
            self.seen_at.into(),
            self.judgements.finish().into(),
            self.next_job.into(),
            self.jobs.finish().into(),
            self.lates.finish().into(),
        ]
    }
}
