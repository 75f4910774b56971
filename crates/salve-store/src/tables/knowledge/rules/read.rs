//! Rules as they are looked up and as people see them.
//!
//! In: a language and classes of errors, a filter, or an id. Out: rules, best first: the highest priority,
//! then pinned ones, then by confidence, then the newest. Never a rule twice: what others say of it is beside
//! what is known here.

use super::super::{count, me, visible};
use super::{RulePin, RuleState};
use crate::sql::{Cell, Query, Row, Rows, query};
use crate::tables::knowledge::KnowledgeScope;
use crate::{Store, StoreError};
use salve_types::Timestamp;
use serde::Serialize;
use std::collections::BTreeMap;

/// Which rules are wanted. Nothing set means all.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RuleFilter {
    /// Learned in this workspace.
    pub workspace: Option<String>,
    /// Of this language.
    pub language: Option<String>,
    /// In this state.
    pub state: Option<RuleState>,
    /// Pinned here, or not.
    pub pinned: Option<bool>,
}

/// A rule that is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StoredRule {
    /// Its id.
    pub id: String,
    /// The signature of the class of errors it is for.
    pub class: String,
    /// The tool that reports them.
    pub tool: String,
    /// Their code.
    pub code: Option<String>,
    /// The language of the files it changes.
    pub language: String,
    /// How general it is.
    pub level: u8,
    /// What orders rules first.
    pub priority: i64,
    /// The rule: a JSON document.
    pub body: String,
    /// Whether it is used.
    pub state: RuleState,
    /// How often it healed.
    pub wins: u64,
    /// How often it did not.
    pub losses: u64,
    /// How often it did not, since it last did.
    pub straight_losses: u64,
    /// How many stored examples it was replayed on.
    pub replays: u64,
    /// Who pinned it here.
    pub pin: Option<RulePin>,
    /// The heal it was learned from.
    pub origin: String,
    /// Where.
    pub workspace: String,
    /// Whose it is, where it is another user's: a role of the database.
    pub author: Option<String>,
    /// Who else may see it.
    pub scope: KnowledgeScope,
    /// When it was learned.
    pub created: Timestamp,
    /// When it was last applied.
    pub last_used: Option<Timestamp>,
    /// How often it healed for others.
    pub team_wins: u64,
    /// How often it did not for others.
    pub team_losses: u64,
    /// Who else pinned it. Whose pins count is a setting.
    pub team_pins: Vec<TeamPin>,
}

/// A pin of another user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TeamPin {
    /// Whose it is: the role of the database.
    pub author: String,
    /// What they said.
    pub pin: RulePin,
}

impl StoredRule {
    /// Returns the pin that counts: an own one, or one of the authors whose pins count here.
    pub fn pin_of(&self, trusted: &[String]) -> Option<&RulePin> {
        let theirs = || self.team_pins.iter().find(|one| trusted.contains(&one.author));
        self.pin.as_ref().or_else(|| theirs().map(|one| &one.pin))
    }

    /// Returns how sure it is from verified outcomes alone, from 0 to 1: the lower end of what its rate of
    /// wins may be. What others verified counts to order rules.
    pub fn confidence(&self) -> f64 {
        lower_bound(self.wins + self.team_wins, self.losses + self.team_losses)
    }
}

/// The lower end of the 95 % interval of a rate, after Wilson.
fn lower_bound(wins: u64, losses: u64) -> f64 {
    const Z: f64 = 1.96;
    #[expect(clippy::cast_precision_loss, reason = "counts of heals")]
    let (wins, all) = (wins as f64, (wins + losses) as f64);
    if all == 0.0 {
        return 0.0;
    }
    let (rate, square) = (wins / all, Z * Z);
    let spread = Z * (rate * (1.0 - rate) / all + square / (4.0 * all * all)).sqrt();
    ((rate + square / (2.0 * all) - spread) / (1.0 + square / all)).max(0.0)
}

const COLUMNS: &str = "id, class, tool, code, language, level, priority, body, state, wins, losses, \
                       straight_losses, replays, pinned_by, pin_reason, pinned_at, origin, workspace, \
                       author, scope, created, last_used";

impl Store {
    /// Returns the rules in use for a language and classes of errors, best first.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn rules_for(
        &self,
        language: &str,
        classes: &[String],
    ) -> Result<Vec<StoredRule>, StoreError> {
        let mut wanted = Rows::default();
        for class in classes {
            wanted.push(&[Cell::Text(&self.redactor().name(class))]);
        }
        let filter = "language = $1 AND class IN (SELECT value ->> 0 FROM json_each($2))";
        let values = [Some(self.redactor().name(language)), Some(wanted.finish())];
        let rules = self.select_rules(filter, &values).await?;
        Ok(rules.into_iter().filter(|rule| rule.state == RuleState::Active).collect())
    }

    /// Returns a rule.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn rule(&self, id: &str) -> Result<Option<StoredRule>, StoreError> {
        let id = self.redactor().name(id);
        Ok(self.select_rules("id = $1", &[Some(id)]).await?.into_iter().next())
    }

    /// Lists rules, best first.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn rules(
        &self,
        filter: &RuleFilter,
        limit: u32,
    ) -> Result<Vec<StoredRule>, StoreError> {
        let wanted = |name: &Option<String>| name.as_deref().map(|name| self.redactor().name(name));
        let sql = "(workspace = $1 OR $1 IS NULL) AND (language = $2 OR $2 IS NULL)";
        let values = [wanted(&filter.workspace), wanted(&filter.language)];
        let rules = self.select_rules(sql, &values).await?.into_iter();
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        // The state and the pin are those that hold here, which are known once all rows of a rule are.
        let held = rules
            .filter(|rule| filter.state.is_none_or(|state| rule.state == state))
            .filter(|rule| filter.pinned.is_none_or(|pinned| rule.pin.is_some() == pinned));
        Ok(held.take(limit).collect())
    }

    async fn select_rules(
        &self,
        filter: &str,
        values: &[Option<String>],
    ) -> Result<Vec<StoredRule>, StoreError> {
        let doing = "read rules";
        let postgres = self.readers().is_postgres();
        let (me, visible) = (me(postgres), visible(postgres));
        let sql = format!(
            "SELECT {COLUMNS}, CAST(CASE WHEN author = {me} THEN 1 ELSE 0 END AS BIGINT) AS mine
               FROM knowledge_rules WHERE {filter} AND {visible}
              ORDER BY id, mine DESC, created, author"
        );
        let asked = values.iter().fold(query(&sql), Query::bind);
        let rows = asked.fetch_all(self.readers()).await.map_err(StoreError::database(doing))?;
        joined(&rows).map_err(StoreError::database(doing))
    }
}

/// Makes one rule of all rows of it: what is known here, or else what the first one of the others knows, and
/// beside it the counts and pins of the others.
fn joined(rows: &[Row]) -> Result<Vec<StoredRule>, sqlx::Error> {
    let mut rules: BTreeMap<String, StoredRule> = BTreeMap::new();
    for row in rows {
        let mine = row.try_get::<i64>(22)? != 0;
        let id: String = row.try_get(0)?;
        let read = read(row)?;
        let rule = rules.entry(id).or_insert_with(|| StoredRule {
            wins: 0,
            losses: 0,
            straight_losses: 0,
            pin: None,
            last_used: None,
            ..read.clone()
        });
        if mine {
            *rule = StoredRule { author: None, ..read };
            continue;
        }
        rule.team_wins += read.wins;
        rule.team_losses += read.losses;
        let author = read.author.unwrap_or_default();
        rule.team_pins.extend(read.pin.map(|pin| TeamPin { author, pin }));
        // What one of the others gave up, another may still use.
        if rule.author.is_some() && read.state == RuleState::Active {
            rule.state = RuleState::Active;
        }
    }
    let mut rules: Vec<StoredRule> = rules.into_values().collect();
    rules.sort_by(|a, b| {
        let pinned = |rule: &StoredRule| rule.pin.is_some();
        (b.priority, pinned(b))
            .cmp(&(a.priority, pinned(a)))
            .then(b.confidence().total_cmp(&a.confidence()))
            .then(b.created.cmp(&a.created))
            .then(a.id.cmp(&b.id))
    });
    Ok(rules)
}

fn read(row: &Row) -> Result<StoredRule, sqlx::Error> {
    let pinned_at: Option<i64> = row.try_get(15)?;
    let (by, reason): (Option<String>, Option<String>) = (row.try_get(13)?, row.try_get(14)?);
    Ok(StoredRule {
        id: row.try_get(0)?,
        class: row.try_get(1)?,
        tool: row.try_get(2)?,
        code: row.try_get(3)?,
        language: row.try_get(4)?,
        level: u8::try_from(row.try_get::<i64>(5)?).unwrap_or(u8::MAX),
        priority: row.try_get(6)?,
        body: row.try_get(7)?,
        state: RuleState::from_name(&row.try_get::<String>(8)?)?,
        wins: count(row, 9)?,
        losses: count(row, 10)?,
        straight_losses: count(row, 11)?,
        replays: count(row, 12)?,
        pin: pinned_at.map(|at| RulePin {
            by: by.unwrap_or_default(),
            reason: reason.unwrap_or_default(),
            at: Timestamp(at),
        }),
        origin: row.try_get(16)?,
        workspace: row.try_get(17)?,
        author: Some(row.try_get(18)?),
        scope: KnowledgeScope::from_name(&row.try_get::<String>(19)?),
        created: Timestamp(row.try_get(20)?),
        last_used: row.try_get::<Option<i64>>(21)?.map(Timestamp),
        team_wins: 0,
        team_losses: 0,
        team_pins: Vec::new(),
    })
}
