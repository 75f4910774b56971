//! What was decided, why, and what took its place.
//!
//! In: a decision under the key of what it is about. Out: decisions, newest first. The newest one of a key
//! holds; those before it name the one after them. Never changed otherwise, never deleted.

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

    fn from_name(name: &str) -> Option<Self> {
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
                       superseded_by, at";
/// Confidence is kept in millionths.
const MILLION: f64 = 1e6;
/// Kept where nothing was said of it.
const UNSAID: i64 = -1;

impl Store {
    /// Keeps a decision and returns its id. It takes the place of the one that held under its key.
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

    /// Lists decisions, of one workspace or of all, newest first.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn decisions(
        &self,
        workspace: Option<&str>,
        limit: u32,
    ) -> Result<Vec<DecisionRecord>, StoreError> {
        let doing = "list decisions";
        let rows = query(&format!(
            "SELECT {COLUMNS} FROM decisions WHERE workspace = $1 OR $1 IS NULL
              ORDER BY number DESC LIMIT $2"
        ))
        .bind(workspace.map(|name| self.redactor().name(name)))
        .bind(i64::from(limit))
        .fetch_all(self.readers())
        .await
        .map_err(StoreError::database(doing))?;
        rows.iter().map(read).collect::<Result<_, _>>().map_err(StoreError::database(doing))
    }
}

async fn add(tx: &mut Transaction<'_>, new: NewDecision) -> Result<String, Rollback> {
    let held = query(
        "SELECT id, job, choice, decision_type, (SELECT count(*) FROM decisions d WHERE d.key = $1)
           FROM decisions WHERE key = $1 AND superseded_by IS NULL",
    )
    .bind(&new.key)
    .fetch_optional(&mut *tx)
    .await?;
    let mut id = new.key.clone();
    if let Some(held) = held {
        let held_id: String = held.try_get(0)?;
        let same = held.try_get::<String>(1)? == new.job
            && held.try_get::<String>(2)? == new.choice
            && held.try_get::<String>(3)? == new.decision_type.name();
        if same {
            return Ok(held_id);
        }
        id = format!("{}-{}", new.key, held.try_get::<i64>(4)? + 1);
        query("UPDATE decisions SET superseded_by = $1 WHERE id = $2")
            .bind(&id)
            .bind(&held_id)
            .execute(&mut *tx)
            .await?;
    }
    insert(tx, &id, &new).await?;
    Ok(id)
}

async fn insert(tx: &mut Transaction<'_>, id: &str, new: &NewDecision) -> Result<(), Rollback> {
    let alternatives = serde_json::json!(new.alternatives).to_string();
    #[expect(clippy::cast_possible_truncation, reason = "from 0 to a million")]
    let millionths = new.confidence.map_or(UNSAID, |said| {
        let sure = if said.is_finite() { said.clamp(0.0, 1.0) } else { 0.0 };
        (sure * MILLION).round() as i64
    });
    query(
        "INSERT INTO decisions (number, id, key, job, workspace, module, target, decision_type,
                                choice, alternatives, reasoning, model_id, confidence, pin_reason,
                                pinned_at, pinned_by, at)
         VALUES ((SELECT coalesce(max(number), 0) + 1 FROM decisions), $1, $2, $3, $4, $5, $6, $7,
                 $8, $9, $10, $11, $12, $13, $14, $15, $16)",
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
    .execute(&mut *tx)
    .await?;
    Ok(())
}

fn read(row: &Row) -> Result<DecisionRecord, sqlx::Error> {
    let damaged = |what: String| sqlx::Error::Decode(what.into());
    let named: String = row.try_get(5)?;
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

/// Decisions.
pub(super) const TABLE: Table = Table {
    names: &["decisions"],
    migrations: &[Migration {
        version: 8,
        name: "0008_decisions",
        sql: MIGRATION,
        #[cfg(test)]
        rows: tests::ROWS,
    }],
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::Conforming;
    use crate::testing::{options, redacted};

    pub(super) const ROWS: &str =
        "INSERT INTO decisions VALUES (1, 'k', 'k', 'j', 'w', '', NULL, 'repair', 'c', '[\"a\"]', NULL,
                                       'm', 750000, NULL, NULL, NULL, NULL, 1000);";

    fn decision(key: &str, job: &str, choice: &str) -> NewDecision {
        NewDecision {
            key: key.to_owned(),
            job: job.to_owned(),
            workspace: "w".to_owned(),
            choice: choice.to_owned(),
            model_id: "deterministic".to_owned(),
            confidence: None,
            ..NewDecision::default()
        }
    }

    pub(super) fn conforms<'a>(store: &'a Store, text: &'a str) -> Conforming<'a> {
        Box::pin(async move {
            let own = || text.to_owned();
            for decision_type in DecisionType::ALL {
                let new = NewDecision {
                    key: own(),
                    job: own(),
                    workspace: own(),
                    module: own(),
                    target: Some(own()),
                    decision_type,
                    choice: own(),
                    alternatives: vec![own(), own()],
                    reasoning: Some(own()),
                    model_id: own(),
                    confidence: Some(0.25),
                    pin: Some(DecisionPin { reason: own(), by: own(), at: Timestamp(5) }),
                };
                store.add_decision(new).await.expect("kept");
            }
            let kept = store.decisions(Some(text), 9).await.expect("listed");
            let first = kept.last().expect("one");
            let text = redacted(text);
            assert_eq!(kept.len(), DecisionType::ALL.len());
            assert_eq!(first.alternatives, [text.clone(), text.clone()]);
            assert_eq!(first.confidence, Some(0.25));
            assert_eq!(first.superseded_by, Some(format!("{text}-2")));
            assert_eq!((first.pinned, first.pinned_by.as_ref()), (true, Some(&text)));
        })
    }

    #[tokio::test]
    async fn r43_a_second_decision_takes_the_place_of_the_first() {
        let store = Store::memory(options()).await.expect("opened");
        let add = async |new| store.add_decision(new).await.expect("kept");
        assert_eq!(add(decision("k", "1", "a")).await, "k");
        assert_eq!(add(decision("k", "1", "a")).await, "k", "the same again");
        assert_eq!(add(decision("k", "2", "a")).await, "k-2");
        assert_eq!(add(decision("k", "2", "b")).await, "k-3");
        assert_eq!(add(decision("l", "2", "b")).await, "l");
        let by = async |id| store.decision(id).await.expect("read").expect("kept").superseded_by;
        assert_eq!(by("k").await.as_deref(), Some("k-2"));
        assert_eq!(by("k-2").await.as_deref(), Some("k-3"));
        assert_eq!(by("k-3").await, None);
        let ids: Vec<String> =
            store.decisions(None, 9).await.expect("listed").into_iter().map(|one| one.id).collect();
        assert_eq!(ids, ["l", "k-3", "k-2", "k"]);
        assert_eq!(store.decision("m").await.expect("read"), None);
    }
}
