//! What came of a fix is added to what is known of its error.
//!
//! In: an outcome that a check verified. Out: counts, and whether the fix works as far as is known. Never
//! counts one heal's outcome twice, and never moves when an error was first seen.

use super::super::me;
use super::super::outcomes::first_told;
use super::NewFixOutcome;
use crate::commit::{Rollback, Transaction};
use crate::sql::query;
use crate::{Durability, Store, StoreError};

impl Store {
    /// Adds what came of a fix to what is known of its error; returns whether it was counted. The same heal
    /// telling it again changes nothing. A fix that healed before and fails now is demoted until it heals
    /// again.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn record_fix_outcome(&self, outcome: NewFixOutcome) -> Result<bool, StoreError> {
        let redactor = self.redactor();
        let name = |text: &str| redactor.name(text);
        let outcome = NewFixOutcome {
            heal: name(&outcome.heal),
            workspace: name(&outcome.workspace),
            scope: outcome.scope,
            key: outcome.key.redacted(redactor),
            error_type: name(&outcome.error_type),
            error: name(&outcome.error),
            fix: outcome.fix.redacted(redactor),
            success: outcome.success,
        };
        self.write(Durability::Full, "keep what came of a fix", |tx| Box::pin(add(tx, outcome)))
            .await
    }

    /// Takes the fixes of an error out of use, or back into it; returns how many there are. Without a
    /// workspace, those of all workspaces.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn disable_pattern(
        &self,
        workspace: Option<&str>,
        exact: &str,
        disabled: bool,
    ) -> Result<u64, StoreError> {
        let workspace = workspace.map(|name| self.redactor().name(name));
        let exact = self.redactor().name(exact);
        self.write(Durability::Full, "disable what is known of an error", move |tx| {
            Box::pin(async move {
                let me = me(tx.connection().is_postgres());
                let changed = query(&format!(
                    "UPDATE knowledge_fixes
                        SET disabled = $1,
                            works = CASE WHEN $1 = 0 AND demoted = 0 AND successes > 0
                                         THEN 1 ELSE 0 END
                      WHERE exact = $2 AND author = {me} AND (workspace = $3 OR $3 IS NULL)"
                ))
                .bind(i64::from(disabled))
                .bind(exact)
                .bind(workspace)
                .execute(tx)
                .await?;
                Ok(changed)
            })
        })
        .await
    }

    /// Forgets an error and its fixes; returns whether it was known.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn forget_pattern(&self, workspace: &str, exact: &str) -> Result<bool, StoreError> {
        let (workspace, exact) = (self.redactor().name(workspace), self.redactor().name(exact));
        self.write(Durability::Full, "forget an error", move |tx| {
            Box::pin(async move {
                let me = me(tx.connection().is_postgres());
                let mut gone = 0;
                for table in ["knowledge_fixes", "knowledge_patterns"] {
                    gone += query(&format!(
                        "DELETE FROM {table}
                          WHERE exact = $1 AND workspace = $2 AND author = {me}"
                    ))
                    .bind(&exact)
                    .bind(&workspace)
                    .execute(&mut *tx)
                    .await?;
                }
                Ok(gone > 0)
            })
        })
        .await
    }
}

async fn add(tx: &mut Transaction<'_>, told: NewFixOutcome) -> Result<bool, Rollback> {
    let exact = &told.key.exact;
    let subject = format!("fix\n{exact}\n{}\n{}\n{}", told.workspace, told.fix.fix, told.success);
    if !first_told(tx, &told.heal, &subject).await? {
        return Ok(false);
    }
    // Several fixes of one heal are one sighting.
    let subject = format!("pattern\n{exact}\n{}", told.workspace);
    let seen = first_told(tx, &told.heal, &subject).await?;
    sighting(tx, &told, i64::from(seen)).await?;
    fix(tx, &told).await?;
    Ok(true)
}

async fn sighting(
    tx: &mut Transaction<'_>,
    told: &NewFixOutcome,
    hits: i64,
) -> Result<(), Rollback> {
    query(
        "INSERT INTO knowledge_patterns (exact, workspace, scope, shape, class, error_type, error,
                                         hits, first_seen, last_seen)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)
         ON CONFLICT (exact, workspace, author) DO UPDATE
            SET hits = knowledge_patterns.hits + excluded.hits, last_seen = excluded.last_seen,
                scope = excluded.scope, shape = excluded.shape, class = excluded.class,
                error_type = excluded.error_type, error = excluded.error",
    )
    .bind(&told.key.exact)
    .bind(&told.workspace)
    .bind(told.scope.name())
    .bind(&told.key.shape)
    .bind(&told.key.class)
    .bind(&told.error_type)
    .bind(&told.error)
    .bind(hits)
    .bind(tx.now().0)
    .execute(tx)
    .await?;
    Ok(())
}

async fn fix(tx: &mut Transaction<'_>, told: &NewFixOutcome) -> Result<(), Rollback> {
    query(
        "INSERT INTO knowledge_fixes (exact, workspace, fix, scope, shape, class, kind, description,
                                      body, source, made_by, origin, successes, failures, demoted,
                                      disabled, works, first_seen, last_seen)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 1 - $13, 0, 0, $13, $14, $14)
         ON CONFLICT (exact, workspace, author, fix) DO UPDATE
            SET successes = knowledge_fixes.successes + excluded.successes,
                failures = knowledge_fixes.failures + excluded.failures,
                demoted = CASE WHEN excluded.works = 0 AND knowledge_fixes.successes > 0
                               THEN 1 ELSE 0 END,
                works = CASE WHEN knowledge_fixes.disabled = 0 THEN excluded.works ELSE 0 END,
                scope = excluded.scope, shape = excluded.shape, class = excluded.class,
                last_seen = excluded.last_seen",
    )
    .bind(&told.key.exact)
    .bind(&told.workspace)
    .bind(&told.fix.fix)
    .bind(told.scope.name())
    .bind(&told.key.shape)
    .bind(&told.key.class)
    .bind(told.fix.kind.name())
    .bind(&told.fix.description)
    .bind(&told.fix.body)
    .bind(&told.fix.source)
    .bind(&told.fix.made_by)
    .bind(&told.heal)
    .bind(i64::from(told.success))
    .bind(tx.now().0)
    .execute(tx)
    .await?;
    Ok(())
}
