//! Sessions: conversations about a workspace, with all that happened in them.
//!
//! In: what a step of a turn did, as one write under a key. Out: sessions, and what each keeps, in order.
//! Never half a write, and never one twice: the same key again changes nothing. Nothing of a session is
//! forgotten by age; its audit alone is trimmed by size.

mod audit;
mod changes;
mod events;
mod fork;
mod handoff;
mod images;
mod lists;
mod moves;
#[cfg(test)]
mod tests;
mod todos;
mod turns;
mod values;
mod write;

pub use audit::{AuditEntry, NewAudit};
pub use events::{EventNews, NewSessionEvent};
pub use handoff::{HANDED_OVER, NewHandoff};
pub use moves::{MovedChanges, SessionMove};
pub use turns::{NewTurn, TurnRecord, TurnUpdate};
pub use write::{SessionWrite, WrittenSession};

use super::Table;
use crate::commit::{Counter, Rollback, Transaction};
use crate::migrations::Migration;
use crate::sql::{Row, int, query};
use crate::{Durability, Store, StoreError};
use salve_types::{SessionId, Timestamp};
use serde::Serialize;
use serde_json::Value;
use values::{count, json, number};

/// A session that is to begin.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NewSession {
    /// Where: the root of its workspace.
    pub workspace: String,
    /// What people know it by.
    pub title: String,
    /// The session it goes on from.
    pub parent: Option<SessionId>,
    /// Whether every prompt and answer is kept for an audit.
    pub audit: bool,
    /// What it may take: a document of its own.
    pub limits: Value,
}

/// A session that is kept.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SessionRecord {
    /// Its name.
    pub id: SessionId,
    /// Where.
    pub workspace: String,
    /// What people know it by.
    pub title: String,
    /// The session it goes on from.
    pub parent: Option<SessionId>,
    /// Whether every prompt and answer is kept for an audit.
    pub audit: bool,
    /// Entries of the audit that were trimmed.
    pub audit_trimmed: u64,
    /// What it may take.
    pub limits: Value,
    /// The limit of its context that a person extended it to, if one did.
    pub extended_limit: Option<u64>,
    /// Whether a handoff was offered.
    pub handoff_offered: bool,
    /// How many turns it has.
    pub turns: u32,
    /// Tokens of all its prompts.
    pub tokens_in: u64,
    /// Tokens of all its answers.
    pub tokens_out: u64,
    /// What it cost, in millionths of a dollar.
    pub micro_dollars: u64,
    /// When it began.
    pub created_at: Timestamp,
    /// When something was last written to it.
    pub updated_at: Timestamp,
}

/// What is changed of a session; nothing set changes nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SessionUpdate {
    /// What people know it by.
    pub title: Option<String>,
    /// The limit of its context.
    pub extended_limit: Option<u64>,
    /// Whether a handoff was offered.
    pub handoff_offered: Option<bool>,
    /// Whether every prompt and answer is kept.
    pub audit: Option<bool>,
}

/// Which sessions are wanted. Nothing set means all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionFilter {
    /// Of this workspace.
    pub workspace: Option<String>,
    /// That go on from this one.
    pub parent: Option<SessionId>,
    /// At most this many.
    pub limit: u32,
}

impl Default for SessionFilter {
    fn default() -> Self {
        Self { workspace: None, parent: None, limit: 50 }
    }
}

const COLUMNS: &str = "id, workspace, title, parent, audit, audit_trimmed, limits, extended_limit, \
                       handoff_offered, turns, tokens_in, tokens_out, micro_dollars, created_at, \
                       updated_at";

impl Store {
    /// Begins a session and returns it.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn new_session(&self, new: NewSession) -> Result<SessionRecord, StoreError> {
        let redactor = self.redactor();
        let new = NewSession {
            workspace: redactor.name(&new.workspace),
            title: redactor.name(&new.title),
            parent: new.parent.map(|parent| SessionId(redactor.key(parent.as_str()))),
            limits: redactor.json(new.limits),
            ..new
        };
        self.write(Durability::Full, "begin a session", |tx| {
            Box::pin(async move {
                let id = begin(tx, &new).await?;
                existing(tx, &id).await
            })
        })
        .await
    }

    /// Returns a session.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn session(&self, id: &SessionId) -> Result<Option<SessionRecord>, StoreError> {
        let doing = "read a session";
        let row = query(&format!("SELECT {COLUMNS} FROM sessions WHERE id = $1"))
            .bind(self.redactor().key(id.as_str()))
            .fetch_optional(self.readers())
            .await
            .map_err(StoreError::database(doing))?;
        row.as_ref().map(read).transpose().map_err(StoreError::database(doing))
    }

    /// Lists sessions: those that were written to last come first.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn sessions(&self, filter: &SessionFilter) -> Result<Vec<SessionRecord>, StoreError> {
        let doing = "list sessions";
        let rows = query(&format!(
            "SELECT {COLUMNS} FROM sessions
              WHERE (workspace = $1 OR $1 IS NULL) AND (parent = $2 OR $2 IS NULL)
              ORDER BY updated_at DESC, id DESC LIMIT $3"
        ))
        .bind(filter.workspace.as_deref().map(|name| self.redactor().name(name)))
        .bind(filter.parent.as_ref().map(|parent| self.redactor().key(parent.as_str())))
        .bind(i64::from(filter.limit))
        .fetch_all(self.readers())
        .await
        .map_err(StoreError::database(doing))?;
        rows.iter().map(read).collect::<Result<_, _>>().map_err(StoreError::database(doing))
    }

    /// Changes a session and returns it.
    ///
    /// # Errors
    /// When there is no such session, or the database refuses.
    pub async fn update_session(
        &self,
        id: &SessionId,
        update: SessionUpdate,
    ) -> Result<SessionRecord, StoreError> {
        let id = self.redactor().key(id.as_str());
        let title = update.title.as_deref().map(|title| self.redactor().name(title));
        self.write(Durability::Full, "change a session", move |tx| {
            Box::pin(async move {
                query(
                    "UPDATE sessions SET title = coalesce($2, title),
                            extended_limit = coalesce($3, extended_limit),
                            handoff_offered = coalesce($4, handoff_offered),
                            audit = coalesce($5, audit), updated_at = $6 WHERE id = $1",
                )
                .bind(&id)
                .bind(title)
                .bind(update.extended_limit.map(int))
                .bind(update.handoff_offered.map(i64::from))
                .bind(update.audit.map(i64::from))
                .bind(tx.now().0)
                .execute(&mut *tx)
                .await?;
                existing(tx, &id).await
            })
        })
        .await
    }
}

/// Begins a session and returns its name, in which the moment comes first, then a number that rises with
/// every commit.
async fn begin(tx: &mut Transaction<'_>, new: &NewSession) -> Result<String, Rollback> {
    let number = tx.take_numbers(Counter::Jobs, 1).await?;
    let bits = |value: i64| u128::from(u64::try_from(value).unwrap_or_default());
    let chance = u128::from(uuid::Uuid::new_v4().as_fields().0);
    let id = SessionId::of_number((bits(tx.now().0) << 80) | (bits(number) << 32) | chance);
    query(
        "INSERT INTO sessions (id, workspace, title, parent, audit, audit_bytes, audit_trimmed, limits,
                               handoff_offered, turns, tokens_in, tokens_out, micro_dollars, created_at,
                               updated_at)
         VALUES ($1, $2, $3, $4, $5, 0, 0, $6, 0, 0, 0, 0, 0, $7, $7)",
    )
    .bind(id.as_str())
    .bind(&new.workspace)
    .bind(&new.title)
    .bind(new.parent.as_ref().map(SessionId::as_str))
    .bind(i64::from(new.audit))
    .bind(new.limits.to_string())
    .bind(tx.now().0)
    .execute(&mut *tx)
    .await?;
    Ok(id.0)
}

/// Returns a session that must be there.
async fn existing(tx: &mut Transaction<'_>, id: &str) -> Result<SessionRecord, Rollback> {
    let row = query(&format!("SELECT {COLUMNS} FROM sessions WHERE id = $1"))
        .bind(id)
        .fetch_optional(tx)
        .await?;
    let row = row.ok_or_else(|| StoreError::NoSuchSession(id.to_owned()))?;
    Ok(read(&row)?)
}

fn read(row: &Row) -> Result<SessionRecord, sqlx::Error> {
    Ok(SessionRecord {
        id: SessionId(row.try_get(0)?),
        workspace: row.try_get(1)?,
        title: row.try_get(2)?,
        parent: row.try_get::<Option<String>>(3)?.map(SessionId),
        audit: row.try_get::<i64>(4)? != 0,
        audit_trimmed: count(row, 5)?,
        limits: json(&row.try_get::<String>(6)?)?,
        extended_limit: row.try_get::<Option<i64>>(7)?.and_then(|limit| u64::try_from(limit).ok()),
        handoff_offered: row.try_get::<i64>(8)? != 0,
        turns: number(row, 9)?,
        tokens_in: count(row, 10)?,
        tokens_out: count(row, 11)?,
        micro_dollars: count(row, 12)?,
        created_at: Timestamp(row.try_get(13)?),
        updated_at: Timestamp(row.try_get(14)?),
    })
}

/// Sessions, and what they keep.
pub(super) const TABLE: Table = Table {
    names: &[
        "sessions",
        "session_writes",
        "session_turns",
        "session_events",
        "session_todos",
        "session_files",
        "session_bugs",
        "session_commands",
        "session_changes",
        "session_audit",
        "session_texts",
    ],
    migrations: &[Migration {
        version: 15,
        name: "0015_sessions",
        sql: MIGRATION,
        #[cfg(test)]
        rows: tests::ROWS,
    }],
    #[cfg(test)]
    conforms: tests::conforms,
};

const MIGRATION: &str = "
-- Conversations about a workspace. Sums are kept beside them, so that a list needs no others.
CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    workspace TEXT NOT NULL,
    title TEXT NOT NULL,
    parent TEXT,
    audit BIGINT NOT NULL,
    audit_bytes BIGINT NOT NULL,
    audit_trimmed BIGINT NOT NULL,
    limits TEXT NOT NULL,
    extended_limit BIGINT,
    handoff_offered BIGINT NOT NULL,
    turns BIGINT NOT NULL,
    tokens_in BIGINT NOT NULL,
    tokens_out BIGINT NOT NULL,
    micro_dollars BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX sessions_by_age ON sessions (updated_at, id);
CREATE INDEX sessions_by_workspace ON sessions (workspace, updated_at, id);

-- Which writes were made, and what they gave: the same key again gives the same.
CREATE TABLE session_writes (
    session TEXT NOT NULL,
    key TEXT NOT NULL,
    turn BIGINT,
    first_event BIGINT NOT NULL,
    events BIGINT NOT NULL,
    PRIMARY KEY (session, key)
);

CREATE TABLE session_turns (
    session TEXT NOT NULL,
    turn BIGINT NOT NULL,
    request TEXT NOT NULL,
    images TEXT NOT NULL,
    status TEXT NOT NULL,
    raw TEXT,
    partial BIGINT NOT NULL,
    result TEXT,
    plan TEXT,
    tokens_in BIGINT NOT NULL,
    tokens_out BIGINT NOT NULL,
    micro_dollars BIGINT NOT NULL,
    attempt BIGINT NOT NULL,
    finish_reason TEXT,
    model TEXT,
    -- Whether the conversation was taken back to before it.
    rewound BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (session, turn)
);

-- What happened, in the order in which it was committed. Numbers are those of the other events, too.
CREATE TABLE session_events (
    id INTEGER PRIMARY KEY,
    session TEXT NOT NULL,
    turn BIGINT,
    name TEXT NOT NULL,
    at BIGINT NOT NULL,
    payload TEXT NOT NULL
);
CREATE INDEX session_events_by_session ON session_events (session, id);

CREATE TABLE session_todos (
    session TEXT NOT NULL,
    id TEXT NOT NULL,
    place BIGINT NOT NULL,
    task TEXT NOT NULL,
    completed BIGINT NOT NULL,
    completed_by TEXT,
    claimed BIGINT NOT NULL,
    origin_turn BIGINT NOT NULL,
    PRIMARY KEY (session, id)
);

CREATE TABLE session_files (
    session TEXT NOT NULL,
    place BIGINT NOT NULL,
    path TEXT NOT NULL,
    op TEXT NOT NULL,
    hash_before TEXT,
    hash_after TEXT,
    md5 TEXT,
    size BIGINT NOT NULL,
    done_by TEXT NOT NULL,
    at BIGINT NOT NULL,
    turn BIGINT NOT NULL,
    PRIMARY KEY (session, place)
);

CREATE TABLE session_bugs (
    session TEXT NOT NULL,
    place BIGINT NOT NULL,
    kind TEXT NOT NULL,
    reported_by TEXT NOT NULL,
    description TEXT NOT NULL,
    turn BIGINT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (session, place)
);

CREATE TABLE session_commands (
    session TEXT NOT NULL,
    place BIGINT NOT NULL,
    command TEXT NOT NULL,
    cwd TEXT NOT NULL,
    ended_with BIGINT,
    duration_ms BIGINT NOT NULL,
    output TEXT,
    shown TEXT NOT NULL,
    started_by TEXT NOT NULL,
    turn BIGINT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (session, place)
);

CREATE TABLE session_changes (
    session TEXT NOT NULL,
    change_id TEXT NOT NULL,
    place BIGINT NOT NULL,
    turn BIGINT NOT NULL,
    state TEXT NOT NULL,
    todos TEXT NOT NULL,
    micro_dollars BIGINT NOT NULL,
    checked BIGINT,
    parent_change TEXT,
    PRIMARY KEY (session, change_id)
);
CREATE UNIQUE INDEX session_changes_in_order ON session_changes (session, place);

-- Every prompt and answer, where a person asked for that. Texts are kept by their hash.
CREATE TABLE session_audit (
    session TEXT NOT NULL,
    place BIGINT NOT NULL,
    turn BIGINT NOT NULL,
    user_message TEXT NOT NULL,
    full_generation TEXT NOT NULL,
    system_prompt TEXT NOT NULL,
    model TEXT NOT NULL,
    finish_reason TEXT,
    tokens_in BIGINT NOT NULL,
    tokens_out BIGINT NOT NULL,
    bytes BIGINT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (session, place)
);

-- Texts that sessions refer to; those are not forgotten by age.
CREATE TABLE session_texts (
    content TEXT NOT NULL,
    session TEXT NOT NULL,
    -- What refers to it: a turn, a command, or an entry of the audit.
    holder TEXT NOT NULL,
    PRIMARY KEY (content, session, holder)
);
CREATE INDEX session_texts_by_session ON session_texts (session, holder);
";
