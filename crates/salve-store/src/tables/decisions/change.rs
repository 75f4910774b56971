//! What people do to decisions: pin, unpin, replace.
//!
//! In: the id of a decision, who and why. Out: the decision as it is then, and a line that stays. Never what a
//! model or a heal does: those decide anew.

use super::{COLUMNS, DecisionRecord, NewDecision, free_id, insert, read, supersede};
use crate::commit::{Rollback, Transaction};
use crate::migrations::Migration;
use crate::sql::query;
use crate::{Durability, Store, StoreError};
use salve_types::Timestamp;
use serde::Serialize;

/// What a person did to a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DecisionChange {
    /// It is to hold.
    Pin,
    /// It need not hold.
    Unpin,
    /// Another one took its place.
    Supersede,
}

impl DecisionChange {
    /// Lists them all.
    pub const ALL: [Self; 3] = [Self::Pin, Self::Unpin, Self::Supersede];

    /// Returns its name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pin => "pin",
            Self::Unpin => "unpin",
            Self::Supersede => "supersede",
        }
    }
}

/// A line of what people did to decisions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChangedDecision {
    /// The decision.
    pub decision: String,
    /// What was done to it.
    pub change: DecisionChange,
    /// Who, as they say.
    pub by: String,
    /// Who, as the database says: its role; empty in a file.
    pub author: String,
    /// Why.
    pub reason: String,
    /// When.
    pub at: Timestamp,
}

/// What a person decides in place of a decision.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewChoice {
    /// Which way.
    pub choice: String,
    /// Who.
    pub by: String,
    /// Why.
    pub reason: String,
}

impl Store {
    /// Pins a decision, so that only a person replaces it, and returns it.
    ///
    /// # Errors
    /// When there is no such decision, another took its place, or the database refuses.
    pub async fn pin_decision(
        &self,
        id: &str,
        by: &str,
        reason: &str,
    ) -> Result<DecisionRecord, StoreError> {
        self.change_pin(DecisionChange::Pin, id, by, reason).await
    }

    /// Takes back the pin of a decision, and returns it.
    ///
    /// # Errors
    /// When there is no such decision, another took its place, or the database refuses.
    pub async fn unpin_decision(
        &self,
        id: &str,
        by: &str,
        reason: &str,
    ) -> Result<DecisionRecord, StoreError> {
        self.change_pin(DecisionChange::Unpin, id, by, reason).await
    }

    async fn change_pin(
        &self,
        change: DecisionChange,
        id: &str,
        by: &str,
        reason: &str,
    ) -> Result<DecisionRecord, StoreError> {
        let name = |text: &str| self.redactor().name(text);
        let (id, by, reason) = (name(id), name(by), name(reason));
        self.write(Durability::Full, "pin a decision", move |tx| {
            Box::pin(async move {
                holding(tx, &id).await?;
                let pin = change == DecisionChange::Pin;
                query(
                    "UPDATE decisions SET pin_reason = $1, pinned_at = $2, pinned_by = $3
                      WHERE id = $4",
                )
                .bind(pin.then_some(reason.as_str()))
                .bind(pin.then_some(tx.now().0))
                .bind(pin.then_some(by.as_str()))
                .bind(&id)
                .execute(&mut *tx)
                .await?;
                note(tx, change, &id, &by, &reason).await?;
                holding(tx, &id).await
            })
        })
        .await
    }

    /// Replaces a decision by what a person decides, pinned or not, and returns the new one's id.
    ///
    /// # Errors
    /// When there is no such decision, another took its place already, or the database refuses.
    pub async fn supersede_decision(&self, id: &str, new: NewChoice) -> Result<String, StoreError> {
        let name = |text: &str| self.redactor().name(text);
        let id = name(id);
        let new =
            NewChoice { choice: name(&new.choice), by: name(&new.by), reason: name(&new.reason) };
        self.write(Durability::Full, "replace a decision", move |tx| {
            Box::pin(async move {
                let old = holding(tx, &id).await?;
                let sql = "SELECT key FROM decisions WHERE id = $1";
                let key: String = query(sql).bind(&id).fetch_value(&mut *tx).await?;
                let decision = NewDecision {
                    job: old.job,
                    workspace: old.workspace,
                    module: old.module,
                    target: old.target,
                    scope: old.scope,
                    decision_type: old.decision_type,
                    choice: new.choice,
                    alternatives: vec![old.choice],
                    reasoning: Some(new.reason.clone()),
                    model_id: "deterministic".to_owned(),
                    confidence: None,
                    pin: None,
                    key,
                };
                let by = free_id(tx, &decision.key).await?;
                supersede(tx, &id, &by).await?;
                insert(tx, &by, &decision, None).await?;
                note(tx, DecisionChange::Supersede, &id, &new.by, &new.reason).await?;
                Ok(by)
            })
        })
        .await
    }

    /// Lists what people did to decisions, to one or to all, newest first.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn decision_changes(
        &self,
        id: Option<&str>,
        limit: u32,
    ) -> Result<Vec<ChangedDecision>, StoreError> {
        let doing = "list what was done to decisions";
        let rows = query(
            "SELECT decision, change, by_whom, author, reason, at FROM decision_changes
              WHERE decision = $1 OR $1 IS NULL ORDER BY number DESC LIMIT $2",
        )
        .bind(id.map(|id| self.redactor().name(id)))
        .bind(i64::from(limit))
        .fetch_all(self.readers())
        .await
        .map_err(StoreError::database(doing))?;
        let read = |row: &crate::sql::Row| {
            let named: String = row.try_get(1)?;
            let change = DecisionChange::ALL.into_iter().find(|one| one.name() == named);
            Ok(ChangedDecision {
                decision: row.try_get(0)?,
                change: change
                    .ok_or_else(|| sqlx::Error::Decode(format!("no change `{named}`").into()))?,
                by: row.try_get(2)?,
                author: row.try_get(3)?,
                reason: row.try_get(4)?,
                at: Timestamp(row.try_get(5)?),
            })
        };
        rows.iter().map(read).collect::<Result<_, _>>().map_err(StoreError::database(doing))
    }
}

/// Returns a decision that holds.
async fn holding(tx: &mut Transaction<'_>, id: &str) -> Result<DecisionRecord, Rollback> {
    let sql = format!("SELECT {COLUMNS} FROM decisions WHERE id = $1");
    let row = query(&sql).bind(id).fetch_optional(tx).await?;
    let Some(row) = row else {
        return Err(StoreError::NoSuchDecision(id.to_owned()).into());
    };
    let record = read(&row)?;
    match record.superseded_by {
        Some(by) => Err(StoreError::DecisionReplaced { id: id.to_owned(), by }.into()),
        None => Ok(record),
    }
}

async fn note(
    tx: &mut Transaction<'_>,
    change: DecisionChange,
    id: &str,
    by: &str,
    reason: &str,
) -> Result<(), Rollback> {
    query(
        "INSERT INTO decision_changes (number, decision, change, by_whom, reason, at)
         VALUES ((SELECT coalesce(max(number), 0) + 1 FROM decision_changes), $1, $2, $3, $4, $5)",
    )
    .bind(id)
    .bind(change.name())
    .bind(by)
    .bind(reason)
    .bind(tx.now().0)
    .execute(tx)
    .await?;
    Ok(())
}

/// What makes the table, and the scope of decisions.
pub(super) const MIGRATION: Migration = Migration {
    version: 14,
    name: "0014_decision_changes",
    sql: SQL,
    #[cfg(test)]
    rows: "INSERT INTO decision_changes (number, decision, change, by_whom, reason, at)
           VALUES (1, 'k', 'pin', 'me', 'r', 1000);",
};

const SQL: &str = "
ALTER TABLE decisions ADD COLUMN scope TEXT NOT NULL DEFAULT 'build';
-- What people did to decisions.
CREATE TABLE decision_changes (
    number BIGINT NOT NULL PRIMARY KEY,
    decision TEXT NOT NULL,
    change TEXT NOT NULL,
    by_whom TEXT NOT NULL,
    -- In Postgres the role that wrote it, which a trigger sets.
    author TEXT NOT NULL DEFAULT '',
    reason TEXT NOT NULL,
    at BIGINT NOT NULL
);
CREATE INDEX decision_changes_by_decision ON decision_changes (decision, number);
--postgres CREATE TRIGGER author BEFORE INSERT OR UPDATE ON decision_changes
--postgres     FOR EACH ROW EXECUTE FUNCTION knowledge_author();
";
