//! Everything one transaction writes to the ledger, as one statement text and its parameters.
//!
//! In: rows by kind. Out: one trip to the database, whatever the number of rows. Never writes when
//! the ledger's version is not the one that was planned with.

#[cfg(feature = "fleet")]
use super::sections::POSTGRES;
use super::sections::{SECTIONS, SHARED, SQLITE};
use crate::Durability;
use crate::sql::{Connection, Parameter, Query, Rows, int};
#[cfg(feature = "fleet")]
use crate::sql::{SAFER_COMMIT, query};

/// What one transaction writes.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    pub(crate) calls: Rows,
    pub(crate) budgets: Rows,
    pub(crate) settlements: Rows,
    pub(crate) pieces: Rows,
    pub(crate) texts: Rows,
    pub(crate) counts: Rows,
    pub(crate) late: Rows,
    /// Texts, one after the other; rows say where theirs begins and how long it is. As bytes, since
    /// a text may hold NUL.
    pub(crate) bytes: Vec<u8>,
    /// When this worker was alive; `None` when that is known well enough.
    pub(crate) seen_at: Option<i64>,
    pub(crate) next_call: i64,
}

/// The version a batch was planned with, who writes it, and how safe it must be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlannedAt<'a> {
    pub(crate) version: i64,
    pub(crate) worker: &'a str,
    pub(crate) process: &'a str,
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
        (int(start as u64), int(text.len() as u64))
    }

    /// Writes everything; returns false, and writes nothing, if the ledger has moved on.
    pub(crate) async fn write(
        mut self,
        at: PlannedAt<'_>,
        begin: Begin,
        connection: &mut Connection,
    ) -> Result<bool, sqlx::Error> {
        #[cfg(feature = "fleet")]
        if connection.is_postgres() {
            return self.write_postgres(at, begin, connection).await;
        }
        if begin == Begin::Here {
            connection.set_durability(at.durability).await?;
        }
        let statement = self.statement(begin);
        let parameters = self.parameters(at);
        let rows = Query { sql: &statement, parameters }.fetch_all(connection).await?;
        Ok(!rows.is_empty())
    }

    // Only the sections that have rows, so that there are few different texts and each is prepared
    // once.
    fn statement(&mut self, begin: Begin) -> String {
        let mut text = String::with_capacity(4096);
        if begin == Begin::Here {
            text.push_str("BEGIN IMMEDIATE;");
        }
        text.push_str(SQLITE.raise);
        for (section, sql) in SECTIONS.iter().zip(&SQLITE.sections) {
            if !(section.rows)(self).is_empty() {
                text.push(';');
                text.push_str(sql);
            }
        }
        if self.seen_at.is_some() {
            text.push(';');
            text.push_str(&SQLITE.seen);
        }
        text.push_str(";COMMIT");
        text
    }

    /// One statement is one trip, and a transaction of its own if none was begun.
    #[cfg(feature = "fleet")]
    async fn write_postgres(
        mut self,
        at: PlannedAt<'_>,
        begin: Begin,
        connection: &mut Connection,
    ) -> Result<bool, sqlx::Error> {
        let statement = self.postgres_statement(at.durability);
        let parameters = self.parameters(at);
        let raised = Query { sql: &statement, parameters }.fetch_all(&mut *connection).await?;
        if begin == Begin::Before {
            query("COMMIT").execute(connection).await?;
        }
        Ok(!raised.is_empty())
    }

    #[cfg(feature = "fleet")]
    fn postgres_statement(&mut self, durability: Durability) -> String {
        use std::fmt::Write;
        let mut text = String::with_capacity(4096);
        // Writing to a string cannot fail.
        let _ = write!(text, "WITH raised AS ({})", POSTGRES.raise);
        if durability == Durability::Full {
            let _ = write!(text, ", safer AS ({SAFER_COMMIT})");
        }
        for (section, sql) in SECTIONS.iter().zip(&POSTGRES.sections) {
            if !(section.rows)(self).is_empty() {
                let _ = write!(text, ", write_{} AS ({sql})", section.name);
            }
        }
        if self.seen_at.is_some() {
            let _ = write!(text, ", write_seen AS ({})", POSTGRES.seen);
        }
        text.push_str(match durability {
            // A part that only reads is not done unless something asks for its rows.
            Durability::Full => " SELECT version, (SELECT max(level) FROM safer) FROM raised",
            Durability::Normal => " SELECT version FROM raised",
        });
        text
    }

    fn parameters(mut self, at: PlannedAt<'_>) -> Vec<Parameter<'_>> {
        let mut parameters: Vec<Parameter<'_>> = Vec::with_capacity(SHARED + SECTIONS.len());
        parameters.push(at.version.into());
        parameters.push(at.worker.into());
        parameters.push(self.next_call.into());
        parameters.push(self.seen_at.into());
        parameters.push(std::mem::take(&mut self.bytes).into());
        parameters.push(at.process.into());
        for section in SECTIONS {
            parameters.push(std::mem::take((section.rows)(&mut self)).finish().into());
        }
        parameters
    }
}
