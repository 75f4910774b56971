//! Every prompt and answer of a session, where a person asked for that.
//!
//! In: a request with the ids of its prompt and its answer. Out: entries, oldest first. Never more bytes than
//! the options say: the oldest entries go, the newest stays whatever its size.

use super::values::{count, number};
use super::write::hold_text;
use crate::commit::{Rollback, Transaction};
use crate::redacted::Redactor;
use crate::sql::{Row, int, query};
use crate::{Store, StoreError};
use salve_types::{SessionId, Timestamp};
use serde::Serialize;

/// A prompt and its answer that are to be kept.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewAudit {
    /// The turn.
    pub turn: u32,
    /// What was asked.
    pub user_message: String,
    /// The id of the text that the model wrote.
    pub full_generation: String,
    /// The id of the text of the system prompt.
    pub system_prompt: String,
    /// The model.
    pub model: String,
    /// Why it stopped.
    pub finish_reason: Option<String>,
    /// Tokens of the prompt.
    pub tokens_in: u64,
    /// Tokens of the answer.
    pub tokens_out: u64,
}

impl NewAudit {
    pub(super) fn redacted(self, redactor: &Redactor) -> Self {
        Self {
            user_message: redactor.name(&self.user_message),
            full_generation: redactor.name(&self.full_generation),
            system_prompt: redactor.name(&self.system_prompt),
            model: redactor.name(&self.model),
            finish_reason: self.finish_reason.map(|reason| redactor.name(&reason)),
            ..self
        }
    }
}

/// A prompt and its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AuditEntry {
    /// The turn.
    pub turn: u32,
    /// What was asked.
    pub user_message: String,
    /// The id of the text that the model wrote.
    pub full_generation: String,
    /// The id of the text of the system prompt.
    pub system_prompt: String,
    /// The model.
    pub model: String,
    /// Why it stopped.
    pub finish_reason: Option<String>,
    /// Tokens of the prompt.
    pub tokens_in: u64,
    /// Tokens of the answer.
    pub tokens_out: u64,
    /// Bytes of its texts.
    pub bytes: u64,
    /// When.
    pub at: Timestamp,
}

impl Store {
    /// Returns the audit of a session, oldest first.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn audit_entries(&self, session: &SessionId) -> Result<Vec<AuditEntry>, StoreError> {
        let doing = "read the audit of a session";
        let rows = query(
            "SELECT turn, user_message, full_generation, system_prompt, model, finish_reason, tokens_in,
                    tokens_out, bytes, at FROM session_audit WHERE session = $1 ORDER BY place",
        )
        .bind(self.redactor().key(session.as_str()))
        .fetch_all(self.readers())
        .await
        .map_err(StoreError::database(doing))?;
        rows.iter().map(read).collect::<Result<_, _>>().map_err(StoreError::database(doing))
    }
}

/// Keeps an entry, if the session has an audit, and trims the oldest ones beyond `limit` bytes.
pub(super) async fn add(
    tx: &mut Transaction<'_>,
    session: &str,
    entry: &NewAudit,
    limit: u64,
) -> Result<(), Rollback> {
    let on: i64 = query("SELECT audit FROM sessions WHERE id = $1")
        .bind(session)
        .fetch_value(&mut *tx)
        .await?;
    if on == 0 {
        return Ok(());
    }
    let place = super::lists::next_place(tx, "session_audit", session).await?;
    let mut bytes = int(entry.user_message.len() as u64);
    for id in [&entry.full_generation, &entry.system_prompt] {
        bytes = bytes.saturating_add(length(tx, id).await?);
        hold_text(tx, session, id, &holder(place)).await?;
    }
    query(
        "INSERT INTO session_audit (session, place, turn, user_message, full_generation, system_prompt,
                                    model, finish_reason, tokens_in, tokens_out, bytes, at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
    )
    .bind(session)
    .bind(place)
    .bind(i64::from(entry.turn))
    .bind(&entry.user_message)
    .bind(&entry.full_generation)
    .bind(&entry.system_prompt)
    .bind(&entry.model)
    .bind(&entry.finish_reason)
    .bind(int(entry.tokens_in))
    .bind(int(entry.tokens_out))
    .bind(bytes)
    .bind(tx.now().0)
    .execute(&mut *tx)
    .await?;
    let all: i64 = query(
        "UPDATE sessions SET audit_bytes = audit_bytes + $2 WHERE id = $1 RETURNING audit_bytes",
    )
    .bind(session)
    .bind(bytes)
    .fetch_value(&mut *tx)
    .await?;
    if all > int(limit) {
        trim(tx, session, place, all - int(limit)).await?;
    }
    Ok(())
}

/// Forgets the oldest entries until this many bytes are gone, or only the newest is left.
async fn trim(
    tx: &mut Transaction<'_>,
    session: &str,
    newest: i64,
    mut excess: i64,
) -> Result<(), Rollback> {
    let rows = query(
        "SELECT place, bytes FROM session_audit WHERE session = $1 AND place < $2 ORDER BY place",
    )
    .bind(session)
    .bind(newest)
    .fetch_all(&mut *tx)
    .await?;
    let (mut trimmed, mut freed) = (0, 0);
    for row in &rows {
        if excess <= 0 {
            break;
        }
        let (place, bytes): (i64, i64) = (row.try_get(0)?, row.try_get(1)?);
        query("DELETE FROM session_audit WHERE session = $1 AND place = $2")
            .bind(session)
            .bind(place)
            .execute(&mut *tx)
            .await?;
        query("DELETE FROM session_texts WHERE session = $1 AND holder = $2")
            .bind(session)
            .bind(holder(place))
            .execute(&mut *tx)
            .await?;
        (trimmed, freed, excess) = (trimmed + 1, freed + bytes, excess - bytes);
    }
    query(
        "UPDATE sessions SET audit_bytes = audit_bytes - $2, audit_trimmed = audit_trimmed + $3
          WHERE id = $1",
    )
    .bind(session)
    .bind(freed)
    .bind(trimmed)
    .execute(&mut *tx)
    .await?;
    let session = session.to_owned();
    tx.after_commit(move || {
        tracing::info!(session, entries = trimmed, bytes = freed, "trimmed the oldest of an audit");
    });
    Ok(())
}

fn holder(place: i64) -> String {
    format!("audit:{place}")
}

async fn length(tx: &mut Transaction<'_>, text: &str) -> Result<i64, Rollback> {
    let found: Vec<i64> = query("SELECT CAST(length(content) AS BIGINT) FROM texts WHERE id = $1")
        .bind(text)
        .fetch_values(tx)
        .await?;
    Ok(found.first().copied().unwrap_or_default())
}

fn read(row: &Row) -> Result<AuditEntry, sqlx::Error> {
    Ok(AuditEntry {
        turn: number(row, 0)?,
        user_message: row.try_get(1)?,
        full_generation: row.try_get(2)?,
        system_prompt: row.try_get(3)?,
        model: row.try_get(4)?,
        finish_reason: row.try_get(5)?,
        tokens_in: count(row, 6)?,
        tokens_out: count(row, 7)?,
        bytes: count(row, 8)?,
        at: Timestamp(row.try_get(9)?),
    })
}
