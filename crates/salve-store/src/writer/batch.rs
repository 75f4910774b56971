//! Everything one transaction writes, as one statement text and its parameters.
//!
//! In: rows by kind. Out: one trip to the database, whatever the number of rows. Never writes when
//! the ledger's version is not the one that was planned with.

use super::rows::Rows;
use sqlx::sqlite::{SqliteArguments, SqliteRow};
use sqlx::{Arguments, SqliteConnection};

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
    pub(crate) put_texts: Rows,
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
        connection: &mut SqliteConnection,
    ) -> Result<bool, sqlx::Error> {
        let statement = self.statement(begin);
        let arguments = self.arguments(stand).map_err(sqlx::Error::Encode)?;
        let rows: Vec<SqliteRow> =
            sqlx::query_with(&statement, arguments).fetch_all(connection).await?;
        Ok(!rows.is_empty())
    }

    // Only the sections that have rows, so that there are few different texts and each is prepared
    // once.
    fn statement(&self, begin: Begin) -> String {
        let mut text = String::with_capacity(4096);
        if begin == Begin::Here {
            text.push_str("BEGIN IMMEDIATE;");
        }
        text.push_str(RAISE_VERSION);
        let sections = [
            (&self.calls, CALLS),
            (&self.budgets, BUDGETS),
            (&self.settles, SETTLES),
            (&self.pieces, PIECES),
            (&self.texts, TEXTS),
            (&self.events, EVENTS),
            (&self.inspections, INSPECTIONS),
            (&self.judgements, JUDGEMENTS),
            (&self.jobs, JOBS),
            (&self.put_texts, PUT_TEXTS),
            (&self.lates, LATES),
        ];
        for (rows, section) in sections {
            if !rows.is_empty() {
                text.push_str(section);
            }
        }
        if self.seen_at.is_some() {
            text.push_str(SEEN);
        }
        text.push_str("COMMIT");
        text
    }

    fn arguments(
        mut self,
        stand: Stand<'_>,
    ) -> Result<SqliteArguments<'static>, sqlx::error::BoxDynError> {
        let mut arguments = SqliteArguments::default();
        arguments.add(stand.version)?;
        arguments.add(stand.worker.to_owned())?;
        arguments.add(self.next_call)?;
        arguments.add(self.next_event)?;
        for rows in [
            self.calls,
            self.budgets,
            self.settles,
            self.pieces,
            self.texts,
            self.events,
            self.inspections,
        ] {
            arguments.add(rows.finish())?;
        }
        // A part of a blob without bytes is NULL, and not a text without letters.
        if self.bytes.is_empty() {
            self.bytes.push(0);
        }
        arguments.add(self.bytes)?;
        arguments.add(self.seen_at)?;
        arguments.add(self.judgements.finish())?;
        arguments.add(self.next_job)?;
        for rows in [self.jobs, self.put_texts, self.lates] {
            arguments.add(rows.finish())?;
        }
        Ok(arguments)
    }
}

const RAISE_VERSION: &str = "
UPDATE ledger SET version = version + 1, writer = $2, next_call = $3, next_event = $4,
       next_job = $15
 WHERE version = $1 RETURNING version;";

// Every section repeats the condition: true only if the statement above has just raised the version.
// The name of the writer is part of it, since another process may have raised it by one as well.
macro_rules! if_raised {
    () => {
        " EXISTS (SELECT 1 FROM ledger WHERE version = $1 + 1 AND writer = $2) "
    };
}

const CALLS: &str = concat!(
    "
INSERT INTO calls (id, call_key, state, worker, reserved_at, day, purpose, dialect, provider, model,
                   gateway_key, session, parent, prompt_hash, prompt_tokens, prompt_micro_dollars,
                   answer_tokens, answer_micro_dollars)
SELECT value ->> 0, value ->> 1, 'open', $2, value ->> 2, value ->> 3, value ->> 4, value ->> 5,
       value ->> 6, value ->> 7, value ->> 8, value ->> 9, value ->> 10, value ->> 11, value ->> 12,
       value ->> 13, value ->> 14, value ->> 15
  FROM json_each($5) WHERE",
    if_raised!(),
    ";"
);

const BUDGETS: &str = concat!(
    "
INSERT INTO budgets (scope, day, held_tokens, held_micro_dollars, spent_tokens, spent_micro_dollars,
                     touched)
SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6
  FROM json_each($6) WHERE",
    if_raised!(),
    "
ON CONFLICT (scope, day) DO UPDATE
   SET held_tokens = excluded.held_tokens, held_micro_dollars = excluded.held_micro_dollars,
       spent_tokens = excluded.spent_tokens, spent_micro_dollars = excluded.spent_micro_dollars,
       touched = excluded.touched;"
);

const SETTLES: &str = concat!(
    "
UPDATE calls
   SET state = 'settled', settled_at = value ->> 1, outcome = value ->> 2,
       input_tokens = value ->> 3, output_tokens = value ->> 4, cached_tokens = value ->> 5,
       reasoning_tokens = value ->> 6, micro_dollars = value ->> 7, estimated = value ->> 8,
       raw_bytes = value ->> 9, finish = value ->> 10, status = value ->> 11, error = value ->> 12,
       note = value ->> 13, kind = coalesce(value ->> 14, kind),
       language = coalesce(value ->> 15, language)
  FROM json_each($7)
 WHERE calls.id = (value ->> 0) AND",
    if_raised!(),
    ";"
);

// A piece that was put back because nobody knew whether it was written may be there already, and the
// call of a late text may have been taken over, or decided about and forgotten.
const PIECES: &str = concat!(
    "
INSERT INTO call_pieces (call, position, content)
SELECT value ->> 0, value ->> 1, substr($12, value ->> 2, value ->> 3)
  FROM json_each($8)
 WHERE EXISTS (SELECT 1 FROM calls WHERE calls.id = (value ->> 0) AND epoch = (value ->> 4)) AND",
    if_raised!(),
    "
ON CONFLICT (call, position) DO NOTHING;"
);

const TEXTS: &str = concat!(
    "
INSERT INTO call_texts (call, slot, content)
SELECT value ->> 0, value ->> 1, substr($12, value ->> 2, value ->> 3)
  FROM json_each($9) WHERE EXISTS (SELECT 1 FROM calls WHERE calls.id = (value ->> 0)) AND",
    if_raised!(),
    "
ON CONFLICT (call, slot) DO UPDATE SET content = excluded.content;"
);

const EVENTS: &str = concat!(
    "
INSERT INTO events (id, at, kind, subject, body)
SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, substr($12, value ->> 4, value ->> 5)
  FROM json_each($10) WHERE",
    if_raised!(),
    ";"
);

const INSPECTIONS: &str = concat!(
    "
INSERT INTO inspections (day, kind, model, language, outcome, counted)
SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5
  FROM json_each($11) WHERE",
    if_raised!(),
    "
ON CONFLICT (day, kind, model, language, outcome) DO UPDATE
   SET counted = inspections.counted + excluded.counted;"
);

const JUDGEMENTS: &str = concat!(
    "
UPDATE calls SET kind = value ->> 1, language = value ->> 2
  FROM json_each($14)
 WHERE calls.id = (value ->> 0) AND",
    if_raised!(),
    ";"
);

const JOBS: &str = concat!(
    "
INSERT INTO jobs (id, number, root, flow, input_hash, needs, created_at, cancel_reason,
                  reported_execution, reported_event, ended, ended_at)
SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6,
       value ->> 7, value ->> 8, value ->> 9, value ->> 10, value ->> 11
  FROM json_each($16) WHERE",
    if_raised!(),
    "
ON CONFLICT (id) DO UPDATE
   SET cancel_reason = excluded.cancel_reason, reported_execution = excluded.reported_execution,
       reported_event = excluded.reported_event, ended = excluded.ended,
       ended_at = excluded.ended_at;"
);

const PUT_TEXTS: &str = concat!(
    "
INSERT INTO texts (id, content, put_at)
SELECT value ->> 0, substr($12, value ->> 1, value ->> 2), value ->> 3
  FROM json_each($17) WHERE",
    if_raised!(),
    "
ON CONFLICT (id) DO UPDATE SET put_at = excluded.put_at;"
);

const LATES: &str = concat!(
    "
INSERT INTO call_tries (call, epoch, state, worker, reserved_at, day, gateway_key, session,
                        counted_tokens, counted_micro_dollars, settled_at, outcome, input_tokens,
                        output_tokens, cached_tokens, reasoning_tokens, micro_dollars, note,
                        content)
SELECT value ->> 0, value ->> 1, 'late', $2, value ->> 2, value ->> 3, value ->> 4, value ->> 5,
       value ->> 6, value ->> 7, value ->> 8, value ->> 9, value ->> 10, value ->> 11,
       value ->> 12, value ->> 13, value ->> 14, value ->> 15,
       substr($12, value ->> 16, value ->> 17)
  FROM json_each($18) WHERE",
    if_raised!(),
    "
ON CONFLICT (call, epoch) DO UPDATE
   SET state = excluded.state, counted_tokens = excluded.counted_tokens,
       counted_micro_dollars = excluded.counted_micro_dollars, settled_at = excluded.settled_at,
       outcome = excluded.outcome, input_tokens = excluded.input_tokens,
       output_tokens = excluded.output_tokens, cached_tokens = excluded.cached_tokens,
       reasoning_tokens = excluded.reasoning_tokens, micro_dollars = excluded.micro_dollars,
       note = excluded.note,
       content = CASE WHEN length(excluded.content) > 0 THEN excluded.content
                      ELSE call_tries.content END;"
);

const SEEN: &str = concat!(
    "
INSERT INTO workers (worker, seen_at) SELECT $2, $13 WHERE",
    if_raised!(),
    "
ON CONFLICT (worker) DO UPDATE SET seen_at = excluded.seen_at;"
);
