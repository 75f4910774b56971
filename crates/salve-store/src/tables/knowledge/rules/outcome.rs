//! What came of applying a rule.
//!
//! In: a rule, the heal that applied it, and whether that healed. Out: its counts and its state. Never counts
//! one result of one heal twice.

use super::super::me;
use super::super::outcomes::first_told;
use super::{RuleState, own_copy};
use crate::commit::{Rollback, Transaction};
use crate::sql::query;
use crate::tables::knowledge::count;
use crate::{Durability, Store, StoreError};
use serde::Serialize;

/// This many losses in a row quarantine a rule.
const STRAIGHT_LOSSES: i64 = 2;

/// What is known of a rule after it was applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct RuleOutcome {
    /// Whether this was counted: a heal is counted once.
    pub counted: bool,
    /// Whether the rule is still used.
    pub state: RuleState,
    /// How often it healed.
    pub wins: u64,
    /// How often it did not.
    pub losses: u64,
}

impl Store {
    /// Counts what came of applying a rule; nothing when there is no such rule. The same heal telling it
    /// again changes nothing; at two places it may lose and win, which counts once each. Two losses in a
    /// row quarantine it.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn rule_outcome(
        &self,
        heal: &str,
        id: &str,
        won: bool,
    ) -> Result<Option<RuleOutcome>, StoreError> {
        let (heal, id) = (self.redactor().name(heal), self.redactor().name(id));
        self.write(Durability::Full, "keep what came of a rule", move |tx| {
            Box::pin(async move { tell(tx, &heal, &id, won).await })
        })
        .await
    }
}

async fn tell(
    tx: &mut Transaction<'_>,
    heal: &str,
    id: &str,
    won: bool,
) -> Result<Option<RuleOutcome>, Rollback> {
    if !own_copy(tx, id).await? {
        return Ok(None);
    }
    let counted = first_told(tx, heal, &format!("rule\n{id}\n{won}")).await?;
    let me = me(tx.connection().is_postgres());
    if counted {
        query(&format!(
            "UPDATE knowledge_rules
                SET wins = wins + $1, losses = losses + 1 - $1, last_used = $2,
                    straight_losses = CASE WHEN $1 = 1 THEN 0 ELSE straight_losses + 1 END,
                    state = CASE WHEN $1 = 0 AND straight_losses + 1 >= {STRAIGHT_LOSSES}
                                      AND state = 'active'
                                 THEN 'quarantined' ELSE state END
              WHERE id = $3 AND author = {me}"
        ))
        .bind(i64::from(won))
        .bind(tx.now().0)
        .bind(id)
        .execute(&mut *tx)
        .await?;
    }
    let sql =
        format!("SELECT state, wins, losses FROM knowledge_rules WHERE id = $1 AND author = {me}");
    let row = query(&sql).bind(id).fetch_one(tx).await?;
    Ok(Some(RuleOutcome {
        counted,
        state: RuleState::from_name(&row.try_get::<String>(0)?)?,
        wins: count(&row, 1)?,
        losses: count(&row, 2)?,
    }))
}
