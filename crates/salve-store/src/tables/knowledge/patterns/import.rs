//! Patterns that another store wrote down.
//!
//! In: a pattern with its fixes and its own times. Out: what was new of it. Never replaces what was seen here:
//! of a fix that is known already, the own counts stay.

use super::super::KnowledgeScope;
use super::{KeptFix, PatternKey};
use crate::commit::{Rollback, Transaction};
use crate::sql::query;
use crate::{Durability, Store, StoreError};
use salve_types::Timestamp;

/// A pattern from a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ImportedPattern {
    /// The error.
    pub key: PatternKey,
    /// Its class.
    pub error_type: String,
    /// What the tools said, without places.
    pub error: String,
    /// The workspace it shall belong to.
    pub workspace: String,
    /// Who else may see it.
    pub scope: KnowledgeScope,
    /// When it was first seen.
    pub first_seen: Timestamp,
    /// When it was last seen.
    pub last_seen: Timestamp,
    /// What was tried, in that order.
    pub fixes: Vec<ImportedFix>,
}

/// A fix from a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ImportedFix {
    /// What it does.
    pub fix: KeptFix,
    /// Whether it healed.
    pub success: bool,
}

impl Store {
    /// Adds a pattern that another store wrote down; returns how many of its fixes were new. Importing it
    /// again changes nothing.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn import_pattern(&self, pattern: ImportedPattern) -> Result<u64, StoreError> {
        let redactor = self.redactor();
        let name = |text: &str| redactor.name(text);
        let fixes = pattern
            .fixes
            .iter()
            .map(|one| ImportedFix { fix: one.fix.redacted(redactor), success: one.success });
        let pattern = ImportedPattern {
            key: pattern.key.redacted(redactor),
            error_type: name(&pattern.error_type),
            error: name(&pattern.error),
            workspace: name(&pattern.workspace),
            fixes: fixes.collect(),
            ..pattern
        };
        self.write(Durability::Full, "import a pattern", |tx| Box::pin(add(tx, pattern))).await
    }
}

async fn add(tx: &mut Transaction<'_>, new: ImportedPattern) -> Result<u64, Rollback> {
    query(
        "INSERT INTO knowledge_patterns (exact, workspace, scope, shape, class, error_type, error,
                                         hits, first_seen, last_seen)
         VALUES ($1, $2, $3, $4, $5, $6, $7, 0, $8, $9)
         ON CONFLICT (exact, workspace, author) DO UPDATE
            SET first_seen = CASE WHEN excluded.first_seen < knowledge_patterns.first_seen
                                  THEN excluded.first_seen ELSE knowledge_patterns.first_seen END,
                last_seen = CASE WHEN excluded.last_seen > knowledge_patterns.last_seen
                                 THEN excluded.last_seen ELSE knowledge_patterns.last_seen END",
    )
    .bind(&new.key.exact)
    .bind(&new.workspace)
    .bind(new.scope.name())
    .bind(&new.key.shape)
    .bind(&new.key.class)
    .bind(&new.error_type)
    .bind(&new.error)
    .bind(new.first_seen.0)
    .bind(new.last_seen.0)
    .execute(&mut *tx)
    .await?;
    let mut added = 0;
    for (at, one) in (0_i64..).zip(&new.fixes) {
        // The order in which they were tried is kept, the last one with the pattern's own time.
        let later = i64::try_from(new.fixes.len()).unwrap_or(i64::MAX) - 1 - at;
        added += fix(tx, &new, one, new.last_seen.0.saturating_sub(later)).await?;
    }
    Ok(added)
}

async fn fix(
    tx: &mut Transaction<'_>,
    new: &ImportedPattern,
    one: &ImportedFix,
    tried: i64,
) -> Result<u64, Rollback> {
    let added = query(
        "INSERT INTO knowledge_fixes (exact, workspace, fix, scope, shape, class, kind, description,
                                      body, source, made_by, origin, successes, failures, demoted,
                                      disabled, works, first_seen, last_seen)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, '', $12, 1 - $12, 0, 0, $12, $13, $14)
         ON CONFLICT (exact, workspace, author, fix) DO NOTHING",
    )
    .bind(&new.key.exact)
    .bind(&new.workspace)
    .bind(&one.fix.fix)
    .bind(new.scope.name())
    .bind(&new.key.shape)
    .bind(&new.key.class)
    .bind(one.fix.kind.name())
    .bind(&one.fix.description)
    .bind(&one.fix.body)
    .bind(&one.fix.source)
    .bind(&one.fix.made_by)
    .bind(i64::from(one.success))
    .bind(new.first_seen.0)
    .bind(tried)
    .execute(tx)
    .await?;
    Ok(added)
}
