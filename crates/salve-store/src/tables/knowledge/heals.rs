//! What each heal cost and what knowledge saved it.
//!
//! In: a heal that ended. Out: how many heals needed no model, day by day, what that saved, and which rules do
//! best and worst. Never counts a heal twice.

use super::{RuleFilter, StoredRule, count, me};
use crate::migrations::Migration;
use crate::sql::{Row, int, query};
use crate::tables::Table;
use crate::{Durability, Store, StoreError};
use salve_types::{Spend, Timestamp};
use serde::Serialize;

/// This many of the best and of the worst rules are shown.
const SHOWN: usize = 5;

/// What a heal cost.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewHealCost {
    /// The heal: its job.
    pub heal: String,
    /// Where.
    pub workspace: String,
    /// Whether it healed.
    pub healed: bool,
    /// Where the fix came from: a name such as `model` or `rule`; empty when it did not heal.
    pub source: String,
    /// How often a model was asked.
    pub model_calls: u32,
    /// What that took.
    pub spent: Spend,
    /// What a model would have taken, as far as is known.
    pub saved: Spend,
}

/// What a heal cost, as it is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct HealCost {
    /// How often a model was asked.
    pub model_calls: u64,
    /// What that took.
    pub spent: Spend,
}

/// What knowledge is worth.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct KnowledgeStats {
    /// Errors that are known.
    pub patterns: u64,
    /// Fixes of them that work.
    pub working_fixes: u64,
    /// Fixes of them that failed.
    pub failed_fixes: u64,
    /// Rules in use.
    pub active_rules: u64,
    /// Rules that failed twice in a row.
    pub quarantined_rules: u64,
    /// Rules that people took out of use.
    pub disabled_rules: u64,
    /// Rules that people pinned.
    pub pinned_rules: u64,
    /// All days that are looked at together.
    pub total: KnowledgeDay,
    /// Day by day, oldest first, days without a heal left out.
    pub days: Vec<KnowledgeDay>,
    /// The rules that do best.
    pub best: Vec<StoredRule>,
    /// The rules that do worst, of those that lost.
    pub worst: Vec<StoredRule>,
}

/// The heals of a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct KnowledgeDay {
    /// When it begins, in UTC; of a sum, when its first one does.
    pub day: Timestamp,
    /// Heals.
    pub heals: u64,
    /// Those that healed.
    pub healed: u64,
    /// Those that healed and asked no model.
    pub without_model: u64,
    /// What models took.
    pub spent: Spend,
    /// What they would have taken.
    pub saved: Spend,
}

impl Store {
    /// Keeps what a heal cost; returns whether it is new. The same heal again changes nothing.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn record_heal_cost(&self, cost: NewHealCost) -> Result<bool, StoreError> {
        let name = |text: &str| self.redactor().name(text);
        let cost = NewHealCost {
            heal: name(&cost.heal),
            workspace: name(&cost.workspace),
            source: name(&cost.source),
            ..cost
        };
        self.write(Durability::Full, "keep what a heal cost", move |tx| {
            Box::pin(async move {
                let added = query(
                    "INSERT INTO knowledge_heals (heal, workspace, healed, source, model_calls,
                                                  tokens, micro_dollars, saved_tokens,
                                                  saved_micro_dollars, at)
                     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
                     ON CONFLICT (heal, author) DO NOTHING",
                )
                .bind(cost.heal)
                .bind(cost.workspace)
                .bind(i64::from(cost.healed))
                .bind(cost.source)
                .bind(i64::from(cost.model_calls))
                .bind(int(cost.spent.tokens))
                .bind(int(cost.spent.micro_dollars))
                .bind(int(cost.saved.tokens))
                .bind(int(cost.saved.micro_dollars))
                .bind(tx.now().0)
                .execute(tx)
                .await?;
                Ok(added > 0)
            })
        })
        .await
    }

    /// Returns what a heal cost: what a fix that is from it is worth when it heals again.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn heal_cost(&self, heal: &str) -> Result<Option<HealCost>, StoreError> {
        let doing = "read what a heal cost";
        let me = me(self.readers().is_postgres());
        let row = query(&format!(
            "SELECT model_calls, tokens, micro_dollars FROM knowledge_heals
              WHERE heal = $1 AND author = {me}"
        ))
        .bind(self.redactor().name(heal))
        .fetch_optional(self.readers())
        .await
        .map_err(StoreError::database(doing))?;
        row.as_ref().map(cost).transpose().map_err(StoreError::database(doing))
    }

    /// Returns what a heal with a model cost on the average, for fixes whose own heal is not known.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn usual_heal_cost(&self) -> Result<HealCost, StoreError> {
        let doing = "read what heals cost";
        let me = me(self.readers().is_postgres());
        let row = query(&format!(
            "SELECT CAST(coalesce(avg(model_calls), 0) AS BIGINT),
                    CAST(coalesce(avg(tokens), 0) AS BIGINT),
                    CAST(coalesce(avg(micro_dollars), 0) AS BIGINT)
               FROM knowledge_heals WHERE healed = 1 AND model_calls > 0 AND author = {me}"
        ))
        .fetch_one(self.readers())
        .await
        .map_err(StoreError::database(doing))?;
        cost(&row).map_err(StoreError::database(doing))
    }

    /// Returns what knowledge is worth: counts, one row for each day asked for, the best and the worst rules.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn knowledge_stats(
        &self,
        workspace: Option<&str>,
        days: u32,
    ) -> Result<KnowledgeStats, StoreError> {
        let workspace = workspace.map(|name| self.redactor().name(name));
        let since = (self.now().day() - i64::from(days.max(1)) + 1) * DAY;
        let me = me(self.readers().is_postgres());
        let mut stats = self
            .read("read what knowledge is worth", async |snapshot| {
                let counts = query(&counts(me)).bind(&workspace).fetch_one(&mut *snapshot).await?;
                let sql = by_day(me);
                let rows = query(&sql).bind(since).bind(&workspace).fetch_all(snapshot).await?;
                let days: Vec<KnowledgeDay> = rows.iter().map(day).collect::<Result<_, _>>()?;
                Ok(KnowledgeStats {
                    patterns: count(&counts, 0)?,
                    working_fixes: count(&counts, 1)?,
                    failed_fixes: count(&counts, 2)?,
                    active_rules: count(&counts, 3)?,
                    quarantined_rules: count(&counts, 4)?,
                    disabled_rules: count(&counts, 5)?,
                    pinned_rules: count(&counts, 6)?,
                    total: sum(&days),
                    days,
                    ..KnowledgeStats::default()
                })
            })
            .await?;
        let filter = RuleFilter { workspace, ..RuleFilter::default() };
        let mut rules = self.rules(&filter, u32::MAX).await?;
        rules.retain(|rule| rule.wins + rule.losses > 0);
        rules.sort_by(|a, b| b.confidence().total_cmp(&a.confidence()).then(a.id.cmp(&b.id)));
        let lost = rules.iter().rev().filter(|rule| rule.losses > 0);
        stats.worst = lost.take(SHOWN).cloned().collect();
        let won = rules.into_iter().filter(|rule| rule.wins > 0);
        stats.best = won.take(SHOWN).collect();
        Ok(stats)
    }
}

const DAY: i64 = 86_400_000;

fn counts(me: &str) -> String {
    let of = |table: &str, also: &str| {
        format!(
            "(SELECT count(*) FROM {table}
               WHERE author = {me} AND (workspace = $1 OR $1 IS NULL) AND {also})"
        )
    };
    let parts = [
        of("knowledge_patterns", "1 = 1"),
        of("knowledge_fixes", "works = 1"),
        of("knowledge_fixes", "works = 0"),
        of("knowledge_rules", "state = 'active'"),
        of("knowledge_rules", "state = 'quarantined'"),
        of("knowledge_rules", "state = 'disabled'"),
        of("knowledge_rules", "pinned_at IS NOT NULL"),
    ];
    format!("SELECT {}", parts.join(", "))
}

fn by_day(me: &str) -> String {
    let sum = |what: &str| format!("CAST(sum({what}) AS BIGINT)");
    let columns = [
        sum("healed"),
        sum("CASE WHEN healed = 1 AND model_calls = 0 THEN 1 ELSE 0 END"),
        sum("tokens"),
        sum("micro_dollars"),
        sum("saved_tokens"),
        sum("saved_micro_dollars"),
    ];
    format!(
        "SELECT at / {DAY} AS day, count(*), {} FROM knowledge_heals
          WHERE at >= $1 AND author = {me} AND (workspace = $2 OR $2 IS NULL)
          GROUP BY at / {DAY} ORDER BY day",
        columns.join(", ")
    )
}

fn day(row: &Row) -> Result<KnowledgeDay, sqlx::Error> {
    Ok(KnowledgeDay {
        day: Timestamp(row.try_get::<i64>(0)? * DAY),
        heals: count(row, 1)?,
        healed: count(row, 2)?,
        without_model: count(row, 3)?,
        spent: Spend { tokens: count(row, 4)?, micro_dollars: count(row, 5)? },
        saved: Spend { tokens: count(row, 6)?, micro_dollars: count(row, 7)? },
    })
}

fn sum(days: &[KnowledgeDay]) -> KnowledgeDay {
    let first = KnowledgeDay {
        day: days.first().map(|one| one.day).unwrap_or_default(),
        ..KnowledgeDay::default()
    };
    days.iter().fold(first, |sum, one| KnowledgeDay {
        day: sum.day,
        heals: sum.heals + one.heals,
        healed: sum.healed + one.healed,
        without_model: sum.without_model + one.without_model,
        spent: sum.spent.plus(one.spent),
        saved: sum.saved.plus(one.saved),
    })
}

fn cost(row: &Row) -> Result<HealCost, sqlx::Error> {
    let spent = Spend { tokens: count(row, 1)?, micro_dollars: count(row, 2)? };
    Ok(HealCost { model_calls: count(row, 0)?, spent })
}

/// What heals cost.
pub(in crate::tables) const TABLE: Table = Table {
    names: &["knowledge_heals"],
    migrations: &[Migration {
        version: 13,
        name: "0013_knowledge_heals",
        sql: MIGRATION,
        #[cfg(test)]
        rows: tests::ROWS,
    }],
    #[cfg(test)]
    conforms: tests::conforms,
};

const MIGRATION: &str = "
-- What heals cost, and what knowledge saved them.
CREATE TABLE knowledge_heals (
    heal TEXT NOT NULL,
    author TEXT NOT NULL DEFAULT '',
    workspace TEXT NOT NULL,
    healed BIGINT NOT NULL,
    source TEXT NOT NULL,
    model_calls BIGINT NOT NULL,
    tokens BIGINT NOT NULL,
    micro_dollars BIGINT NOT NULL,
    saved_tokens BIGINT NOT NULL,
    saved_micro_dollars BIGINT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (heal, author)
);
CREATE INDEX knowledge_heals_by_age ON knowledge_heals (at);
--postgres CREATE TRIGGER author BEFORE INSERT OR UPDATE ON knowledge_heals
--postgres     FOR EACH ROW EXECUTE FUNCTION knowledge_author();
--postgres ALTER TABLE knowledge_heals ENABLE ROW LEVEL SECURITY;
--postgres CREATE POLICY own ON knowledge_heals USING (author = current_user);
";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::Conforming;
    use crate::testing::{options, redacted};
    use crate::{NewRule, StoreOptions};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicI64, Ordering};

    pub(super) const ROWS: &str =
        "INSERT INTO knowledge_heals (heal, workspace, healed, source, model_calls, tokens,
                                      micro_dollars, saved_tokens, saved_micro_dollars, at)
         VALUES ('h', 'w', 1, 'rule', 0, 0, 0, 10, 20, 1000);";

    fn heal(heal: &str, model_calls: u32, spent: u64, saved: u64) -> NewHealCost {
        let spend = |tokens| Spend { tokens, micro_dollars: 10 * tokens };
        NewHealCost {
            heal: heal.to_owned(),
            workspace: "w".to_owned(),
            healed: true,
            source: "model".to_owned(),
            model_calls,
            spent: spend(spent),
            saved: spend(saved),
        }
    }

    pub(super) fn conforms<'a>(store: &'a Store, text: &'a str) -> Conforming<'a> {
        Box::pin(async move {
            let own = || text.to_owned();
            let cost = NewHealCost { workspace: own(), source: own(), ..heal(text, 2, 100, 0) };
            assert!(store.record_heal_cost(cost.clone()).await.expect("kept"));
            assert!(!store.record_heal_cost(cost).await.expect("kept"), "the same heal again");
            let wanted =
                HealCost { model_calls: 2, spent: Spend { tokens: 100, micro_dollars: 1000 } };
            assert_eq!(store.heal_cost(text).await.expect("read"), Some(wanted));
            assert_eq!(store.heal_cost("other").await.expect("read"), None);
            assert_eq!(store.usual_heal_cost().await.expect("read"), wanted);
            let stats = store.knowledge_stats(Some(text), 7).await.expect("read");
            assert_eq!((stats.total.heals, stats.days.len()), (1, 1));
            let others = store.knowledge_stats(Some(&redacted("v")), 7).await.expect("read");
            assert_eq!(others.total.heals, 0);
        })
    }

    #[tokio::test]
    async fn what_was_saved_is_told_day_by_day_with_the_best_and_worst_rules() {
        let clock = Arc::new(AtomicI64::new(10 * DAY + 5));
        let tick = Arc::clone(&clock);
        let now = Arc::new(move || Timestamp(tick.load(Ordering::SeqCst)));
        let store = Store::memory(StoreOptions { clock: now, ..options() }).await.expect("opened");
        let record = async |cost| store.record_heal_cost(cost).await.expect("kept");
        record(heal("1", 3, 900, 0)).await;
        clock.store(12 * DAY, Ordering::SeqCst);
        record(heal("2", 1, 100, 0)).await;
        record(heal("3", 0, 0, 900)).await;
        record(NewHealCost { healed: false, ..heal("4", 0, 0, 0) }).await;
        for (id, wins, losses) in [("good", 5, 0), ("fair", 3, 1), ("bad", 0, 1), ("new", 0, 0)] {
            let rule = NewRule { id: id.to_owned(), wins, ..NewRule::default() };
            store.add_rule(rule).await.expect("kept");
            for number in 0..losses {
                let heal = format!("{number}");
                store.rule_outcome(&heal, id, false).await.expect("kept");
            }
        }
        let stats = store.knowledge_stats(None, 7).await.expect("read");
        let days: Vec<_> = stats
            .days
            .iter()
            .map(|one| (one.day.0 / DAY, one.heals, one.healed, one.without_model))
            .collect();
        assert_eq!(days, [(10, 1, 1, 0), (12, 3, 2, 1)]);
        assert_eq!(stats.total.saved, Spend { tokens: 900, micro_dollars: 9000 });
        assert_eq!(stats.total.spent.tokens, 1000);
        let ids = |rules: &[StoredRule]| {
            rules.iter().map(|rule| rule.id.as_str()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!((ids(&stats.best), ids(&stats.worst)), ("good fair".into(), "bad fair".into()));
        assert_eq!((stats.active_rules, stats.quarantined_rules), (4, 0));
        assert_eq!(store.knowledge_stats(None, 1).await.expect("read").days.len(), 1);
        assert_eq!(store.usual_heal_cost().await.expect("read").spent.tokens, 500);
    }
}
