//! The turns of a session: what was asked, how far it is, what came of it.
//!
//! In: a request, and what a step changes of its turn. Out: turns in their order. Never a turn twice: the
//! same key gives the turn that was made under it.

use super::events::{self, NewSessionEvent};
use super::images;
use super::values::{count, json, maybe_json, named, names, number};
use super::write::{Known, hold_text, known, remember, touch};
use crate::commit::{Rollback, Transaction};
use crate::redacted::Redactor;
use crate::sql::{Row, int, query};
use crate::{Durability, Store, StoreError};
use salve_types::{SessionId, Timestamp, TurnStatus};
use serde::Serialize;
use serde_json::{Value, json as document};

/// A request that begins a turn.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewTurn {
    /// What was asked.
    pub text: String,
    /// The ids of images that belong to it.
    pub images: Vec<String>,
    /// What the request is known by in the session.
    pub key: String,
}

/// What a step changes of a turn; nothing set changes nothing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TurnUpdate {
    /// Which turn, counted from one.
    pub index: u32,
    /// How far it is.
    pub status: Option<TurnStatus>,
    /// The id of the text that the model wrote.
    pub raw: Option<String>,
    /// Whether that text is only a part of an answer.
    pub partial: Option<bool>,
    /// What the answer says.
    pub result: Option<Value>,
    /// What was planned.
    pub plan: Option<Value>,
    /// Tokens of prompts, added to those before.
    pub tokens_in: u64,
    /// Tokens of answers, added to those before.
    pub tokens_out: u64,
    /// Millionths of a dollar, added to those before.
    pub micro_dollars: u64,
    /// Which attempt at an answer it is.
    pub attempt: Option<u32>,
    /// Why the model stopped.
    pub finish_reason: Option<String>,
    /// Which model answers.
    pub model: Option<String>,
    /// What changed of images that it made: fields of those of the result that have the same `id`.
    pub images: Vec<Value>,
    /// The ids of contents that it keeps.
    pub held: Vec<String>,
}

impl TurnUpdate {
    pub(super) fn redacted(self, redactor: &Redactor) -> Self {
        let name = |text: String| redactor.name(&text);
        Self {
            raw: self.raw.map(name),
            result: self.result.map(|result| redactor.json(result)),
            plan: self.plan.map(|plan| redactor.json(plan)),
            finish_reason: self.finish_reason.map(name),
            model: self.model.map(name),
            images: self.images.into_iter().map(|image| redactor.json(image)).collect(),
            held: self.held.into_iter().map(name).collect(),
            ..self
        }
    }
}

/// A turn that is kept.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TurnRecord {
    /// The session.
    pub session: SessionId,
    /// Which turn of it, counted from one.
    pub index: u32,
    /// What was asked.
    pub text: String,
    /// The ids of images that belong to it.
    pub images: Vec<String>,
    /// How far it is.
    pub status: TurnStatus,
    /// The id of the text that the model wrote.
    pub raw: Option<String>,
    /// Whether that text is only a part of an answer.
    pub partial: bool,
    /// What the answer says.
    pub result: Option<Value>,
    /// What was planned.
    pub plan: Option<Value>,
    /// Tokens of its prompts.
    pub tokens_in: u64,
    /// Tokens of its answers.
    pub tokens_out: u64,
    /// What it cost, in millionths of a dollar.
    pub micro_dollars: u64,
    /// Which attempt at an answer it is.
    pub attempt: u32,
    /// Why the model stopped.
    pub finish_reason: Option<String>,
    /// Which model answered.
    pub model: Option<String>,
    /// Whether the conversation was taken back to before it.
    pub rewound: bool,
    /// When it was asked for.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

const COLUMNS: &str = "session, turn, request, images, status, raw, partial, result, plan, tokens_in, \
                       tokens_out, micro_dollars, attempt, finish_reason, model, rewound, created_at, \
                       updated_at";

impl Store {
    /// Begins a turn: it is kept as pending, with the event `newMessagePair`. The same key again gives the
    /// turn that was made under it.
    ///
    /// # Errors
    /// When there is no such session, or the database refuses.
    pub async fn add_turn(
        &self,
        session: &SessionId,
        new: NewTurn,
    ) -> Result<TurnRecord, StoreError> {
        let redactor = self.redactor();
        let session = redactor.key(session.as_str());
        let new = NewTurn {
            text: redactor.name(&new.text),
            images: new.images.iter().map(|image| redactor.name(image)).collect(),
            key: redactor.key(&new.key),
        };
        self.write(Durability::Full, "begin a turn", |tx| Box::pin(add(tx, session, new))).await
    }

    /// Returns the turns of a session, oldest first.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn turns(&self, session: &SessionId) -> Result<Vec<TurnRecord>, StoreError> {
        let doing = "read the turns of a session";
        let rows =
            query(&format!("SELECT {COLUMNS} FROM session_turns WHERE session = $1 ORDER BY turn"))
                .bind(self.redactor().key(session.as_str()))
                .fetch_all(self.readers())
                .await
                .map_err(StoreError::database(doing))?;
        rows.iter().map(read).collect::<Result<_, _>>().map_err(StoreError::database(doing))
    }

    /// Returns a turn of a session.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn turn(
        &self,
        session: &SessionId,
        index: u32,
    ) -> Result<Option<TurnRecord>, StoreError> {
        let doing = "read a turn";
        let sql = format!("SELECT {COLUMNS} FROM session_turns WHERE session = $1 AND turn = $2");
        let row = query(&sql)
            .bind(self.redactor().key(session.as_str()))
            .bind(i64::from(index))
            .fetch_optional(self.readers())
            .await
            .map_err(StoreError::database(doing))?;
        row.as_ref().map(read).transpose().map_err(StoreError::database(doing))
    }

    /// Returns the turns of a workspace that were asked for, count, and neither ended nor wait for a person,
    /// oldest first.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn open_turns(&self, workspace: &str) -> Result<Vec<TurnRecord>, StoreError> {
        let doing = "read the turns that are open";
        let rows = query(&format!(
            "SELECT {COLUMNS} FROM session_turns
              WHERE status IN ($2, $3) AND rewound = 0
                AND session IN (SELECT id FROM sessions WHERE workspace = $1)
              ORDER BY created_at, session, turn"
        ))
        .bind(self.redactor().name(workspace))
        .bind(TurnStatus::Pending.name())
        .bind(TurnStatus::Running.name())
        .fetch_all(self.readers())
        .await
        .map_err(StoreError::database(doing))?;
        rows.iter().map(read).collect::<Result<_, _>>().map_err(StoreError::database(doing))
    }
}

async fn add(
    tx: &mut Transaction<'_>,
    session: String,
    new: NewTurn,
) -> Result<TurnRecord, Rollback> {
    let made = known(tx, &session, &new.key).await?.and_then(|known| known.turn);
    if let Some(index) = made {
        return existing(tx, &session, index).await;
    }
    touch(tx, &session).await?;
    let index: i64 = query("UPDATE sessions SET turns = turns + 1 WHERE id = $1 RETURNING turns")
        .bind(&session)
        .fetch_value(&mut *tx)
        .await?;
    query(
        "INSERT INTO session_turns (session, turn, request, images, status, partial, tokens_in,
                                    tokens_out, micro_dollars, attempt, rewound, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, 0, 0, 0, 0, 1, 0, $6, $6)",
    )
    .bind(&session)
    .bind(index)
    .bind(&new.text)
    .bind(names(&new.images))
    .bind(TurnStatus::Pending.name())
    .bind(tx.now().0)
    .execute(&mut *tx)
    .await?;
    for image in &new.images {
        hold_text(tx, &session, image, &format!("turn:{index}")).await?;
    }
    let event = NewSessionEvent {
        turn: u32::try_from(index).ok(),
        name: "newMessagePair".to_owned(),
        payload: document!({ "text": new.text, "images": new.images, "status": "pending" }),
    };
    let first = events::append(tx, &session, &[event]).await?;
    remember(tx, &session, &new.key, &Known { turn: Some(index), first, events: 1 }).await?;
    existing(tx, &session, index).await
}

/// Changes a turn, and adds what it took to the sums of its session.
pub(super) async fn update(
    tx: &mut Transaction<'_>,
    session: &str,
    turn: &TurnUpdate,
) -> Result<(), Rollback> {
    // A step that was being done when its turn was cancelled does not make it run again.
    let found = query(
        "UPDATE session_turns SET status = CASE
                    WHEN $3 = 'running' AND status = 'cancelled'
                     AND coalesce($11, 1) <= CASE WHEN attempt < 1 THEN 1 ELSE attempt END
                    THEN status ELSE coalesce($3, status) END,
                raw = coalesce($4, raw),
                partial = coalesce($5, partial), result = coalesce($6, result),
                plan = coalesce($7, plan), tokens_in = tokens_in + $8, tokens_out = tokens_out + $9,
                micro_dollars = micro_dollars + $10, attempt = coalesce($11, attempt),
                finish_reason = coalesce($12, finish_reason), model = coalesce($13, model),
                updated_at = $14
          WHERE session = $1 AND turn = $2",
    )
    .bind(session)
    .bind(i64::from(turn.index))
    .bind(turn.status.map(TurnStatus::name))
    .bind(&turn.raw)
    .bind(turn.partial.map(i64::from))
    .bind(turn.result.as_ref().map(Value::to_string))
    .bind(turn.plan.as_ref().map(Value::to_string))
    .bind(int(turn.tokens_in))
    .bind(int(turn.tokens_out))
    .bind(int(turn.micro_dollars))
    .bind(turn.attempt.map(i64::from))
    .bind(&turn.finish_reason)
    .bind(&turn.model)
    .bind(tx.now().0)
    .execute(&mut *tx)
    .await?;
    if found == 0 {
        return Err(no_such_turn(session, i64::from(turn.index)).into());
    }
    for content in turn.raw.iter().chain(&turn.held) {
        hold_text(tx, session, content, &format!("turn:{}", turn.index)).await?;
    }
    images::change(tx, session, turn).await?;
    if (turn.tokens_in, turn.tokens_out, turn.micro_dollars) != (0, 0, 0) {
        query(
            "UPDATE sessions SET tokens_in = tokens_in + $2, tokens_out = tokens_out + $3,
                    micro_dollars = micro_dollars + $4 WHERE id = $1",
        )
        .bind(session)
        .bind(int(turn.tokens_in))
        .bind(int(turn.tokens_out))
        .bind(int(turn.micro_dollars))
        .execute(tx)
        .await?;
    }
    Ok(())
}

async fn existing(
    tx: &mut Transaction<'_>,
    session: &str,
    index: i64,
) -> Result<TurnRecord, Rollback> {
    let sql = format!("SELECT {COLUMNS} FROM session_turns WHERE session = $1 AND turn = $2");
    let row = query(&sql).bind(session).bind(index).fetch_optional(tx).await?;
    Ok(read(&row.ok_or_else(|| no_such_turn(session, index))?)?)
}

pub(super) fn no_such_turn(session: &str, index: i64) -> StoreError {
    StoreError::NoSuchTurn { session: session.to_owned(), turn: index }
}

fn read(row: &Row) -> Result<TurnRecord, sqlx::Error> {
    Ok(TurnRecord {
        session: SessionId(row.try_get(0)?),
        index: number(row, 1)?,
        text: row.try_get(2)?,
        images: json(&row.try_get::<String>(3)?)?,
        status: named(row, 4, TurnStatus::from_name)?,
        raw: row.try_get(5)?,
        partial: row.try_get::<i64>(6)? != 0,
        result: maybe_json(row, 7)?,
        plan: maybe_json(row, 8)?,
        tokens_in: count(row, 9)?,
        tokens_out: count(row, 10)?,
        micro_dollars: count(row, 11)?,
        attempt: number(row, 12)?,
        finish_reason: row.try_get(13)?,
        model: row.try_get(14)?,
        rewound: row.try_get::<i64>(15)? != 0,
        created_at: Timestamp(row.try_get(16)?),
        updated_at: Timestamp(row.try_get(17)?),
    })
}
