//! What was decided, why, and what took its place.
//!
//! In: a decision under the key of what it is about. Out: decisions, newest first. The newest one of a key
//! holds, or the one a person pinned; the others name the one that took their place. What people do to one is
//! kept beside it. Never changed otherwise, never deleted.

mod change;
#[cfg(test)]
mod tests;

pub use change::{ChangedDecision, DecisionChange, NewChoice};

use super::Table;
use crate::commit::{Rollback, Transaction};
use crate::migrations::Migration;
use crate::sql::{Row, query};
use crate::{Durability, Store, StoreError};
use salve_types::Timestamp;
use serde::Serialize;

/// A decision that is to be kept.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NewDecision {
    /// The key of what it is about: the same for the same inputs.
    pub key: String,
    /// The heal or job that decided; deciding the same again there changes nothing.
    pub job: String,
    /// Where.
    pub workspace: String,
    /// The module it is about; may be empty.
    pub module: String,
    /// The target it is for, such as a toolchain.
    pub target: Option<String>,
    /// Whether it is about building or about running.
    pub scope: DecisionScope,
    /// What was decided.
    pub decision_type: DecisionType,
    /// Which way.
    pub choice: String,
    /// Which other ways there were.
    pub alternatives: Vec<String>,
    /// Why.
    pub reasoning: Option<String>,
    /// The model that decided, or `deterministic`.
    pub model_id: String,
    /// How sure it was, from 0 to 1; nothing where that was not said.
    pub confidence: Option<f64>,
    /// Who pinned it, and why.
    pub pin: Option<DecisionPin>,
}

/// A person's word that a decision is to hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DecisionPin {
    /// Why.
    pub reason: String,
    /// Who.
    pub by: String,
    /// When.
    pub at: Timestamp,
}

/// What a decision is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DecisionScope {
    /// How something is built: it holds for later builds.
    #[default]
    Build,
    /// What is done while something runs.
    Runtime,
}

impl DecisionScope {
    /// Lists them all.
    pub const ALL: [Self; 2] = [Self::Build, Self::Runtime];

    /// Returns its name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Build => "build",
            Self::Runtime => "runtime",
        }
    }

    /// Returns the scope of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.name() == name)
    }
}

/// Which decisions are wanted. Nothing set means all.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DecisionFilter {
    /// Of this workspace.
    pub workspace: Option<String>,
    /// About this.
    pub scope: Option<DecisionScope>,
    /// Of this type.
    pub decision_type: Option<DecisionType>,
    /// Pinned, or not.
    pub pinned: Option<bool>,
    /// Only those that hold.
    pub held: bool,
}

/// What was decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DecisionType {
    /// A fix was accepted.
    #[default]
    Repair,
    /// A rule was applied.
    RuleApplied,
    /// A rule was learned.
    RuleLearned,
    /// A cut answer was continued.
    Continuation,
    /// Everything was rolled back.
    Rollback,
    /// A breaker ended or interrupted something.
    BreakerTrip,
}

impl DecisionType {
    /// Lists them all.
    pub const ALL: [Self; 6] = [
        Self::Repair,
        Self::RuleApplied,
        Self::RuleLearned,
        Self::Continuation,
        Self::Rollback,
        Self::BreakerTrip,
    ];

    /// Returns its name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Repair => "repair",
            Self::RuleApplied => "rule_applied",
            Self::RuleLearned => "rule_learned",
            Self::Continuation => "continuation",
            Self::Rollback => "rollback",
            Self::BreakerTrip => "breaker_trip",
        }
    }

    /// Returns the type of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.name() == name)
    }
}

/// A decision that is kept.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DecisionRecord {
    /// Its id: the key, with a number when it is not the first of it.
    pub id: String,
    /// The heal or job that decided.
    pub job: String,
    /// Where.
    pub workspace: String,
    /// The module it is about.
    pub module: String,
    /// The target it is for.
    pub target: Option<String>,
    /// Whether it is about building or about running.
    pub scope: DecisionScope,
    /// What was decided.
    pub decision_type: DecisionType,
    /// Which way.
    pub choice: String,
    /// Which other ways there were.
    pub alternatives: Vec<String>,
    /// Why.
    pub reasoning: Option<String>,
    /// The model that decided.
    pub model_id: String,
    /// How sure it was; nothing where that was not said.
    pub confidence: Option<f64>,
    /// Whether a person pinned it.
    pub pinned: bool,
    /// Why it was pinned.
    pub pin_reason: Option<String>,
    /// When it was pinned.
    pub pinned_at: Option<Timestamp>,
    /// Who pinned it.
    pub pinned_by: Option<String>,
    /// The decision that took its place.
    pub superseded_by: Option<String>,
    /// When it was made.
    pub timestamp: Timestamp,
}

const COLUMNS: &str = "id, job, workspace, module, target, decision_type, choice, alternatives, \
                       reasoning, model_id, confidence, pin_reason, pinned_at, pinned_by, \
                       superseded_by, at, scope";
/// Confidence is kept in millionths.
const MILLION: f64 = 1e6;
/// Kept where nothing was said of it.
const UNSAID: i64 = -1;

impl Store {
    /// Keeps a decision and returns its id. It takes the place of the one that held under its key, unless a
    /// person pinned that one and not this.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn add_decision(&self, decision: NewDecision) -> Result<String, StoreError> {
        let redactor = self.redactor();
        let name = |text: &str| redactor.name(text);
        let decision = NewDecision {
            key: name(&decision.key),
            job: name(&decision.job),
            workspace: name(&decision.workspace),
            module: name(&decision.module),
            target: decision.target.as_deref().map(name),
            choice: name(&decision.choice),
            alternatives: decision.alternatives.iter().map(|one| name(one)).collect(),
            reasoning: decision.reasoning.as_deref().map(name),
            model_id: name(&decision.model_id),
            pin: decision.pin.map(|pin| DecisionPin {
                reason: name(&pin.reason),
                by: name(&pin.by),
                at: pin.at,
            }),
            ..decision
        };
        self.write(Durability::Full, "keep a decision", |tx| Box::pin(add(tx, decision))).await
    }

    /// Returns a decision.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn decision(&self, id: &str) -> Result<Option<DecisionRecord>, StoreError> {
        let doing = "read a decision";
        let row = query(&format!("SELECT {COLUMNS} FROM decisions WHERE id = $1"))
            .bind(self.redactor().name(id))
            .fetch_optional(self.readers())
            .await
            .map_err(StoreError::database(doing))?;
        row.as_ref().map(read).transpose().map_err(StoreError::database(doing))
    }

    /// Lists decisions, newest first.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn decisions(
        &self,
        filter: &DecisionFilter,
        limit: u32,
    ) -> Result<Vec<DecisionRecord>, StoreError> {
        let doing = "list decisions";
        let rows = query(&format!(
            "SELECT {COLUMNS} FROM decisions
              WHERE (workspace = $1 OR $1 IS NULL) AND (scope = $2 OR $2 IS NULL)
                AND (decision_type = $3 OR $3 IS NULL)
                AND ($4 IS NULL OR (CASE WHEN pinned_at IS NULL THEN 0 ELSE 1 END) = $4)
                AND ($5 = 0 OR superseded_by IS NULL)
              ORDER BY number DESC LIMIT $6"
        ))
        .bind(filter.workspace.as_deref().map(|name| self.redactor().name(name)))
        .bind(filter.scope.map(DecisionScope::name))
        .bind(filter.decision_type.map(DecisionType::name))
        .bind(filter.pinned.map(i64::from))
        .bind(i64::from(filter.held))
        .bind(i64::from(limit))
        .fetch_all(self.readers())
        .await
        .map_err(StoreError::database(doing))?;
        rows.iter().map(read).collect::<Result<_, _>>().map_err(StoreError::database(doing))
    }
}

/// The decision that holds under a key.
struct Held {
    id: String,
    job: String,
    choice: String,
    decision_type: String,
    pinned: bool,
}

async fn add(tx: &mut Transaction<'_>, new: NewDecision) -> Result<String, Rollback> {
    let Some(held) = held(tx, &new.key).await? else {
        let id = free_id(tx, &new.key).await?;
        insert(tx, &id, &new, None).await?;
        return Ok(id);
    };
    let same = (&held.job, &held.choice, held.decision_type.as_str())
        == (&new.job, &new.choice, new.decision_type.name());
    if same {
        return Ok(held.id);
    }
    if held.pinned && new.pin.is_none() {
        return add_beside(tx, &held, &new).await;
    }
    let id = free_id(tx, &new.key).await?;
    supersede(tx, &held.id, &id).await?;
    insert(tx, &id, &new, None).await?;
    Ok(id)
}

async fn held(tx: &mut Transaction<'_>, key: &str) -> Result<Option<Held>, sqlx::Error> {
    let row = query(
        "SELECT id, job, choice, decision_type, pinned_at FROM decisions
          WHERE key = $1 AND superseded_by IS NULL",
    )
    .bind(key)
    .fetch_optional(tx)
    .await?;
    let Some(row) = row else { return Ok(None) };
    Ok(Some(Held {
        id: row.try_get(0)?,
        job: row.try_get(1)?,
        choice: row.try_get(2)?,
        decision_type: row.try_get(3)?,
        pinned: row.try_get::<Option<i64>>(4)?.is_some(),
    }))
}

/// Keeps a decision that does not hold, since a person pinned the one that does.
async fn add_beside(
    tx: &mut Transaction<'_>,
    held: &Held,
    new: &NewDecision,
) -> Result<String, Rollback> {
    let known: Vec<String> = query(
        "SELECT id FROM decisions
          WHERE key = $1 AND job = $2 AND choice = $3 AND decision_type = $4
          ORDER BY number DESC LIMIT 1",
    )
    .bind(&new.key)
    .bind(&new.job)
    .bind(&new.choice)
    .bind(new.decision_type.name())
    .fetch_values(&mut *tx)
    .await?;
    if let Some(known) = known.into_iter().next() {
        return Ok(known);
    }
    let id = free_id(tx, &new.key).await?;
    insert(tx, &id, new, Some(&held.id)).await?;
    Ok(id)
}

async fn supersede(tx: &mut Transaction<'_>, id: &str, by: &str) -> Result<(), sqlx::Error> {
    query("UPDATE decisions SET superseded_by = $1 WHERE id = $2")
        .bind(by)
        .bind(id)
        .execute(tx)
        .await?;
    Ok(())
}

/// Returns the key, with a number when it is not the first of it.
async fn free_id(tx: &mut Transaction<'_>, key: &str) -> Result<String, sqlx::Error> {
    let mut number: i64 = query("SELECT count(*) + 1 FROM decisions WHERE key = $1")
        .bind(key)
        .fetch_value(&mut *tx)
        .await?;
    loop {
        let id = if number == 1 { key.to_owned() } else { format!("{key}-{number}") };
        // Another key may be spelt like this one with a number.
        let taken: i64 = query("SELECT count(*) FROM decisions WHERE id = $1")
            .bind(&id)
            .fetch_value(&mut *tx)
            .await?;
        if taken == 0 {
            return Ok(id);
        }
        number += 1;
    }
}

async fn insert(
    tx: &mut Transaction<'_>,
    id: &str,
    new: &NewDecision,
    superseded_by: Option<&str>,
) -> Result<(), Rollback> {
    let alternatives = serde_json::json!(new.alternatives).to_string();
    #[expect(clippy::cast_possible_truncation, reason = "from 0 to a million")]
    let millionths = new.confidence.map_or(UNSAID, |said| {
        let sure = if said.is_finite() { said.clamp(0.0, 1.0) } else { 0.0 };
        (sure * MILLION).round() as i64
    });
    query(
        "INSERT INTO decisions (number, id, key, job, workspace, module, target, decision_type,
                                choice, alternatives, reasoning, model_id, confidence, pin_reason,
                                pinned_at, pinned_by, at, scope, superseded_by)
         VALUES ((SELECT coalesce(max(number), 0) + 1 FROM decisions), $1, $2, $3, $4, $5, $6, $7,
                 $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)",
    )
    .bind(id)
    .bind(&new.key)
    .bind(&new.job)
    .bind(&new.workspace)
    .bind(&new.module)
    .bind(&new.target)
    .bind(new.decision_type.name())
    .bind(&new.choice)
    .bind(alternatives)
    .bind(&new.reasoning)
    .bind(&new.model_id)
    .bind(millionths)
    .bind(new.pin.as_ref().map(|pin| pin.reason.as_str()))
    .bind(new.pin.as_ref().map(|pin| pin.at.0))
    .bind(new.pin.as_ref().map(|pin| pin.by.as_str()))
    .bind(tx.now().0)
    .bind(new.scope.name())
    .bind(superseded_by)
    .execute(&mut *tx)
    .await?;
    Ok(())
}

fn read(row: &Row) -> Result<DecisionRecord, sqlx::Error> {
    let damaged = |what: String| sqlx::Error::Decode(what.into());
    let named: String = row.try_get(5)?;
    let scope: String = row.try_get(16)?;
    let alternatives: String = row.try_get(7)?;
    let millionths: i64 = row.try_get(10)?;
    #[expect(clippy::cast_precision_loss, reason = "at most a million")]
    let confidence = (millionths != UNSAID).then_some(millionths as f64 / MILLION);
    let pinned_at: Option<i64> = row.try_get(12)?;
    Ok(DecisionRecord {
        id: row.try_get(0)?,
        job: row.try_get(1)?,
        workspace: row.try_get(2)?,
        module: row.try_get(3)?,
        target: row.try_get(4)?,
        scope: DecisionScope::from_name(&scope)
            .ok_or_else(|| damaged(format!("no scope of a decision `{scope}`")))?,
        decision_type: DecisionType::from_name(&named)
            .ok_or_else(|| damaged(format!("no type of decision `{named}`")))?,
        choice: row.try_get(6)?,
        alternatives: serde_json::from_str(&alternatives)
            .map_err(|error| sqlx::Error::Decode(error.into()))?,
        reasoning: row.try_get(8)?,
        model_id: row.try_get(9)?,
        confidence,
        pinned: pinned_at.is_some(),
        pin_reason: row.try_get(11)?,
        pinned_at: pinned_at.map(Timestamp),
        pinned_by: row.try_get(13)?,
        superseded_by: row.try_get(14)?,
        timestamp: Timestamp(row.try_get(15)?),
    })
}

/// Decisions, and what people did to them.
pub(super) const TABLE: Table = Table {
    names: &["decisions", "decision_changes"],
    migrations: &[
        Migration {
            version: 8,
            name: "0008_decisions",
            sql: MIGRATION,
            #[cfg(test)]
            rows: tests::ROWS,
        },
        change::MIGRATION,
    ],
    #[cfg(test)]
    conforms: tests::conforms,
};

const MIGRATION: &str = "
-- What was decided; the newest of a key holds.
CREATE TABLE decisions (
    number BIGINT NOT NULL UNIQUE,
    id TEXT NOT NULL PRIMARY KEY,
    key TEXT NOT NULL,
    job TEXT NOT NULL,
    workspace TEXT NOT NULL,
    module TEXT NOT NULL,
    target TEXT,
    decision_type TEXT NOT NULL,
    choice TEXT NOT NULL,
    alternatives TEXT NOT NULL,
    reasoning TEXT,
    model_id TEXT NOT NULL,
    -- In millionths; -1 where nothing was said.
    confidence BIGINT NOT NULL,
    pin_reason TEXT,
    pinned_at BIGINT,
    pinned_by TEXT,
    superseded_by TEXT,
    at BIGINT NOT NULL
);
CREATE UNIQUE INDEX decisions_that_hold ON decisions (key) WHERE superseded_by IS NULL;
";
