//! Patterns as people see them: an error with all that was tried on it.
//!
//! In: a filter, or a signature. Out: patterns with their fixes, last seen first. Never those of others that
//! are private.

use super::super::{count, visible};
use super::{FixKind, FixResult};
use crate::sql::{Row, Snapshot, query};
use crate::tables::knowledge::KnowledgeScope;
use crate::{Store, StoreError};
use salve_types::Timestamp;
use serde::Serialize;

/// Which patterns are wanted. Nothing set means all.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PatternFilter {
    /// Of this workspace.
    pub workspace: Option<String>,
    /// Of this exact signature.
    pub signature: Option<String>,
    /// Of this class of error.
    pub error_type: Option<String>,
}

/// An error that was seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PatternRecord {
    /// Its exact signature.
    pub error_signature: String,
    /// The signature with its names numbered.
    pub shape: String,
    /// The signature of its class.
    pub class: String,
    /// Its class.
    pub error_type: String,
    /// What the tools said, without places.
    pub normalized_error: String,
    /// Where it was seen.
    pub workspace: String,
    /// Whose it is: a role of the database; empty in a file.
    pub author: String,
    /// Who else may see it.
    pub scope: KnowledgeScope,
    /// How many heals met it.
    pub hits: u64,
    /// When it was first seen.
    pub first_seen: Timestamp,
    /// When it was last seen.
    pub last_seen: Timestamp,
    /// What was tried, newest first.
    pub fixes: Vec<FixRecord>,
}

/// What was tried on an error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FixRecord {
    /// The hash that tells it from others.
    pub fix: String,
    /// What it is made of.
    pub kind: FixKind,
    /// What it does, in words.
    pub description: String,
    /// The same for programs; may be empty.
    pub body: String,
    /// Where it came from.
    pub source: String,
    /// Who made it.
    pub made_by: String,
    /// The heal that tried it first.
    pub origin: String,
    /// Whether it ever healed.
    pub result: FixResult,
    /// How often it healed.
    pub successes: u64,
    /// How often it failed.
    pub failures: u64,
    /// Whether it healed before and failed when it was last tried.
    pub demoted: bool,
    /// Whether a person took it out of use.
    pub disabled: bool,
    /// When it was first tried.
    pub first_seen: Timestamp,
    /// When it was last tried.
    pub last_seen: Timestamp,
}

impl PatternRecord {
    /// Returns the fix that works, the newest if there are several.
    pub fn successful_fix(&self) -> Option<&FixRecord> {
        let works =
            |fix: &&FixRecord| fix.result == FixResult::Success && !fix.demoted && !fix.disabled;
        self.fixes.iter().find(works)
    }
}

const PATTERN: &str = "exact, shape, class, error_type, error, workspace, author, scope, hits, first_seen, \
                       last_seen";
const FIX: &str = "fix, kind, description, body, source, made_by, origin, successes, failures, demoted, \
                   disabled, first_seen, last_seen";

impl Store {
    /// Lists patterns with their fixes, last seen first.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn patterns(
        &self,
        filter: &PatternFilter,
        limit: u32,
    ) -> Result<Vec<PatternRecord>, StoreError> {
        let wanted = |name: &Option<String>| name.as_deref().map(|name| self.redactor().name(name));
        let (workspace, exact) = (wanted(&filter.workspace), wanted(&filter.signature));
        let error_type = wanted(&filter.error_type);
        let visible = visible(self.readers().is_postgres());
        // A search by signature uses its index only if it is not one of two ways.
        let signature = if exact.is_some() { "exact = $2" } else { "$2 IS NULL" };
        let sql = format!(
            "SELECT {PATTERN} FROM knowledge_patterns
              WHERE (workspace = $1 OR $1 IS NULL) AND {signature}
                AND (error_type = $3 OR $3 IS NULL) AND {visible}
              ORDER BY last_seen DESC, exact, workspace, author LIMIT $4"
        );
        self.read("list patterns", async |snapshot| {
            let rows = query(&sql)
                .bind(workspace)
                .bind(exact)
                .bind(error_type)
                .bind(i64::from(limit))
                .fetch_all(&mut *snapshot)
                .await?;
            let mut patterns = Vec::with_capacity(rows.len());
            for row in &rows {
                let mut pattern = pattern(row)?;
                pattern.fixes = fixes(snapshot, &pattern).await?;
                patterns.push(pattern);
            }
            Ok(patterns)
        })
        .await
    }
}

async fn fixes(
    snapshot: &mut Snapshot,
    pattern: &PatternRecord,
) -> Result<Vec<FixRecord>, sqlx::Error> {
    let sql = format!(
        "SELECT {FIX} FROM knowledge_fixes WHERE exact = $1 AND workspace = $2 AND author = $3
          ORDER BY last_seen DESC, fix"
    );
    let rows = query(&sql)
        .bind(&pattern.error_signature)
        .bind(&pattern.workspace)
        .bind(&pattern.author)
        .fetch_all(snapshot)
        .await?;
    rows.iter().map(fix).collect()
}

fn pattern(row: &Row) -> Result<PatternRecord, sqlx::Error> {
    Ok(PatternRecord {
        error_signature: row.try_get(0)?,
        shape: row.try_get(1)?,
        class: row.try_get(2)?,
        error_type: row.try_get(3)?,
        normalized_error: row.try_get(4)?,
        workspace: row.try_get(5)?,
        author: row.try_get(6)?,
        scope: KnowledgeScope::from_name(&row.try_get::<String>(7)?),
        hits: count(row, 8)?,
        first_seen: Timestamp(row.try_get(9)?),
        last_seen: Timestamp(row.try_get(10)?),
        fixes: Vec::new(),
    })
}

fn fix(row: &Row) -> Result<FixRecord, sqlx::Error> {
    let successes = count(row, 7)?;
    Ok(FixRecord {
        fix: row.try_get(0)?,
        kind: FixKind::from_name(&row.try_get::<String>(1)?)?,
        description: row.try_get(2)?,
        body: row.try_get(3)?,
        source: row.try_get(4)?,
        made_by: row.try_get(5)?,
        origin: row.try_get(6)?,
        result: if successes > 0 { FixResult::Success } else { FixResult::Failed },
        successes,
        failures: count(row, 8)?,
        demoted: row.try_get::<i64>(9)? != 0,
        disabled: row.try_get::<i64>(10)? != 0,
        first_seen: Timestamp(row.try_get(11)?),
        last_seen: Timestamp(row.try_get(12)?),
    })
}
