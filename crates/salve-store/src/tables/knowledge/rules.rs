//! Rules that were learned, and the examples they were learned from.
//!
//! In: rules as JSON documents whose content only their owner knows, what came of applying them, and what
//! people decide about them. Out: rules with their counts. Two losses in a row quarantine a rule. What others
//! share orders candidates; it neither pins nor quarantines a rule here. Never a rule changed: its id is that
//! of its content.

mod outcome;
mod read;
#[cfg(test)]
mod tests;

pub use outcome::RuleOutcome;
pub use read::{RuleFilter, StoredRule, TeamPin};

use super::{KnowledgeScope, examples, me};
use crate::commit::{Rollback, Transaction};
use crate::migrations::Migration;
use crate::sql::query;
use crate::tables::Table;
use crate::{Durability, Store, StoreError};
use salve_types::Timestamp;
use serde::{Deserialize, Serialize};

/// A rule that is to be kept.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewRule {
    /// Its id, made of its content.
    pub id: String,
    /// The signature of the class of errors it is for.
    pub class: String,
    /// The tool that reports them.
    pub tool: String,
    /// Their code.
    pub code: Option<String>,
    /// The language of the files it changes.
    pub language: String,
    /// How general it is, from 0.
    pub level: u8,
    /// What orders rules first.
    pub priority: i64,
    /// The rule: a JSON document.
    pub body: String,
    /// How many stored examples it was replayed on.
    pub replays: u32,
    /// How many verified wins it begins with.
    pub wins: u32,
    /// The heal it was learned from.
    pub origin: String,
    /// Where.
    pub workspace: String,
    /// Who else may see it.
    pub scope: KnowledgeScope,
}

/// Whether a rule is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleState {
    /// It is.
    #[default]
    Active,
    /// It failed twice in a row, or cannot be read.
    Quarantined,
    /// A person took it out of use.
    Disabled,
}

impl RuleState {
    /// Lists them all.
    pub const ALL: [Self; 3] = [Self::Active, Self::Quarantined, Self::Disabled];

    /// Returns its name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Quarantined => "quarantined",
            Self::Disabled => "disabled",
        }
    }

    fn from_name(name: &str) -> Result<Self, sqlx::Error> {
        let found = Self::ALL.into_iter().find(|one| one.name() == name);
        found.ok_or_else(|| sqlx::Error::Decode(format!("no state of a rule `{name}`").into()))
    }
}

/// A person's word that a rule may be used where only such rules may.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RulePin {
    /// Who.
    pub by: String,
    /// Why.
    pub reason: String,
    /// When.
    pub at: Timestamp,
}

impl Store {
    /// Keeps a rule; returns whether it is new. One that is kept already stays as it is, quarantined ones
    /// too, but for the number of examples it was replayed on.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn add_rule(&self, rule: NewRule) -> Result<bool, StoreError> {
        let redactor = self.redactor();
        let name = |text: &str| redactor.name(text);
        let rule = NewRule {
            id: name(&rule.id),
            class: name(&rule.class),
            tool: name(&rule.tool),
            code: rule.code.as_deref().map(name),
            language: name(&rule.language),
            body: super::body(redactor, &rule.body),
            origin: name(&rule.origin),
            workspace: name(&rule.workspace),
            ..rule
        };
        self.write(Durability::Full, "keep a rule", |tx| Box::pin(add(tx, rule))).await
    }

    /// Pins a rule; returns whether there is one. A rule that another user shared becomes an own one.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn pin_rule(&self, id: &str, by: &str, reason: &str) -> Result<bool, StoreError> {
        let name = |text: &str| self.redactor().name(text);
        self.pin(name(id), Some((name(by), name(reason)))).await
    }

    /// Takes back the pin of a rule; returns whether there is one.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn unpin_rule(&self, id: &str) -> Result<bool, StoreError> {
        self.pin(self.redactor().name(id), None).await
    }

    async fn pin(&self, id: String, pin: Option<(String, String)>) -> Result<bool, StoreError> {
        self.write(Durability::Full, "pin a rule", move |tx| {
            Box::pin(async move {
                if !own_copy(tx, &id).await? {
                    return Ok(false);
                }
                let me = me(tx.connection().is_postgres());
                let at = pin.as_ref().map(|_| tx.now().0);
                let (by, reason) = pin.unzip();
                query(&format!(
                    "UPDATE knowledge_rules SET pinned_by = $1, pin_reason = $2, pinned_at = $3
                      WHERE id = $4 AND author = {me}"
                ))
                .bind(by)
                .bind(reason)
                .bind(at)
                .bind(id)
                .execute(tx)
                .await?;
                Ok(true)
            })
        })
        .await
    }

    /// Sets whether a rule is used; returns whether there is one. Its losses in a row are forgiven.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn set_rule_state(&self, id: &str, state: RuleState) -> Result<bool, StoreError> {
        let id = self.redactor().name(id);
        self.write(Durability::Full, "set the state of a rule", move |tx| {
            Box::pin(async move {
                if !own_copy(tx, &id).await? {
                    return Ok(false);
                }
                let me = me(tx.connection().is_postgres());
                query(&format!(
                    "UPDATE knowledge_rules SET state = $1, straight_losses = 0
                      WHERE id = $2 AND author = {me}"
                ))
                .bind(state.name())
                .bind(id)
                .execute(tx)
                .await?;
                Ok(true)
            })
        })
        .await
    }

    /// Forgets an own rule; returns whether there was one.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn forget_rule(&self, id: &str) -> Result<bool, StoreError> {
        let id = self.redactor().name(id);
        self.write(Durability::Full, "forget a rule", move |tx| {
            Box::pin(async move {
                let me = me(tx.connection().is_postgres());
                let sql = format!("DELETE FROM knowledge_rules WHERE id = $1 AND author = {me}");
                Ok(query(&sql).bind(id).execute(tx).await? > 0)
            })
        })
        .await
    }
}

async fn add(tx: &mut Transaction<'_>, new: NewRule) -> Result<bool, Rollback> {
    let me = me(tx.connection().is_postgres());
    let known: i64 =
        query(&format!("SELECT count(*) FROM knowledge_rules WHERE id = $1 AND author = {me}"))
            .bind(&new.id)
            .fetch_value(&mut *tx)
            .await?;
    query(
        "INSERT INTO knowledge_rules (id, scope, class, tool, code, language, level, priority, body,
                                      state, wins, losses, straight_losses, replays, origin,
                                      workspace, created)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'active', $10, 0, 0, $11, $12, $13, $14)
         ON CONFLICT (id, author) DO UPDATE
            SET replays = CASE WHEN excluded.replays > knowledge_rules.replays
                               THEN excluded.replays ELSE knowledge_rules.replays END",
    )
    .bind(&new.id)
    .bind(new.scope.name())
    .bind(&new.class)
    .bind(&new.tool)
    .bind(&new.code)
    .bind(&new.language)
    .bind(i64::from(new.level))
    .bind(new.priority)
    .bind(&new.body)
    .bind(i64::from(new.wins))
    .bind(i64::from(new.replays))
    .bind(&new.origin)
    .bind(&new.workspace)
    .bind(tx.now().0)
    .execute(tx)
    .await?;
    Ok(known == 0)
}

/// Makes sure that there is an own row of a rule: one that others share is copied, without their counts and
/// pins. Returns whether there is one now.
async fn own_copy(tx: &mut Transaction<'_>, id: &str) -> Result<bool, Rollback> {
    let me = me(tx.connection().is_postgres());
    query(&format!(
        "INSERT INTO knowledge_rules (id, scope, class, tool, code, language, level, priority, body,
                                      state, wins, losses, straight_losses, replays, origin,
                                      workspace, created)
         SELECT id, 'private', class, tool, code, language, level, priority, body, 'active', 0, 0, 0,
                0, origin, workspace, $2
           FROM knowledge_rules
          WHERE id = $1 AND scope = 'shared' AND author <> {me}
            AND NOT EXISTS (SELECT 1 FROM knowledge_rules own WHERE own.id = $1 AND own.author = {me})
          ORDER BY created, author LIMIT 1"
    ))
    .bind(id)
    .bind(tx.now().0)
    .execute(&mut *tx)
    .await?;
    let own: i64 =
        query(&format!("SELECT count(*) FROM knowledge_rules WHERE id = $1 AND author = {me}"))
            .bind(id)
            .fetch_value(tx)
            .await?;
    Ok(own > 0)
}

/// Rules and their examples.
pub(in crate::tables) const TABLE: Table = Table {
    names: &["knowledge_rules", "knowledge_examples"],
    migrations: &[
        Migration {
            version: 11,
            name: "0011_knowledge_rules",
            sql: MIGRATION,
            #[cfg(test)]
            rows: tests::ROWS,
        },
        examples::MIGRATION,
    ],
    #[cfg(test)]
    conforms: tests::conforms,
};

const MIGRATION: &str = "
-- Rules that were learned.
CREATE TABLE knowledge_rules (
    id TEXT NOT NULL,
    -- Whose it is: in Postgres the role that wrote it, which a trigger sets.
    author TEXT NOT NULL DEFAULT '',
    scope TEXT NOT NULL,
    class TEXT NOT NULL,
    tool TEXT NOT NULL,
    code TEXT,
    language TEXT NOT NULL,
    level BIGINT NOT NULL,
    priority BIGINT NOT NULL,
    body TEXT NOT NULL,
    state TEXT NOT NULL,
    wins BIGINT NOT NULL,
    losses BIGINT NOT NULL,
    straight_losses BIGINT NOT NULL,
    replays BIGINT NOT NULL,
    pinned_by TEXT,
    pin_reason TEXT,
    pinned_at BIGINT,
    origin TEXT NOT NULL,
    workspace TEXT NOT NULL,
    created BIGINT NOT NULL,
    last_used BIGINT,
    PRIMARY KEY (id, author)
);
CREATE INDEX knowledge_rules_by_class ON knowledge_rules (language, class);
--postgres CREATE TRIGGER author BEFORE INSERT OR UPDATE ON knowledge_rules
--postgres     FOR EACH ROW EXECUTE FUNCTION knowledge_author();
--postgres ALTER TABLE knowledge_rules ENABLE ROW LEVEL SECURITY;
--postgres CREATE POLICY seen ON knowledge_rules FOR SELECT
--postgres     USING (author = current_user OR scope = 'shared');
--postgres CREATE POLICY own ON knowledge_rules USING (author = current_user);
";
