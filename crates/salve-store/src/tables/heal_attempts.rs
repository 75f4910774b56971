//! What heals tried, error by error.
//!
//! In: one record for each attempt, with the errors it was made for. Out: what failed before for an
//! error, so that it is not tried again; counts; a list for people. Never two rows for one attempt: a
//! heal that goes on after a crash writes its attempts again.

use super::Table;
use crate::commit::{Rollback, Transaction};
use crate::migrations::Migration;
use crate::sql::{Row, int, query};
use crate::{Durability, Store, StoreError};
use salve_types::Timestamp;
use serde::Serialize;

/// An attempt that is to be kept.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewHealAttempt {
    /// The heal it belongs to: its job.
    pub heal: String,
    /// Which attempt of it, counted from one.
    pub number: u32,
    /// Where it was.
    pub workspace: String,
    /// The errors it was made for: exact signature and text.
    pub errors: Vec<(String, String)>,
    /// Where the fix is from.
    pub source: String,
    /// The role of the model, where it is from one.
    pub tier: Option<String>,
    /// Who made it.
    pub author: String,
    /// What it does.
    pub description: String,
    /// The hash of what it does.
    pub fix: String,
    /// What happened: a name such as `no_progress`.
    pub result: String,
    /// The same in words.
    pub detail: String,
    /// Whether trying it again is of no use.
    pub failed: bool,
    /// The tokens it took.
    pub tokens: u64,
    /// How long it took.
    pub milliseconds: u64,
}

/// An attempt that is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HealAttempt {
    /// The heal it belongs to.
    pub heal: String,
    /// Which attempt of it.
    pub number: u32,
    /// Where it was.
    pub workspace: String,
    /// Where the fix is from.
    pub source: String,
    /// The role of the model.
    pub tier: Option<String>,
    /// Who made it.
    pub author: String,
    /// What it does.
    pub description: String,
    /// The hash of what it does.
    pub fix: String,
    /// What happened.
    pub result: String,
    /// The same in words.
    pub detail: String,
    /// Whether trying it again is of no use.
    pub failed: bool,
    /// The tokens it took.
    pub tokens: u64,
    /// How long it took.
    pub milliseconds: u64,
    /// When.
    pub at: Timestamp,
}

/// Which attempts are wanted. Nothing set means all.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HealAttemptFilter {
    /// Of this workspace.
    pub workspace: Option<String>,
    /// For this error: exact signature.
    pub signature: Option<String>,
    /// Of this heal.
    pub heal: Option<String>,
}

/// A fix that failed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FailedFix {
    /// The hash of what it does.
    pub fix: String,
    /// What it does.
    pub description: String,
}

/// How often an error was tried to be healed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct HealAttemptCounts {
    /// Heals that met it.
    pub heals: u64,
    /// Attempts of them.
    pub attempts: u64,
    /// Attempts that failed.
    pub failed: u64,
    /// Tokens they took.
    pub tokens: u64,
}

const COLUMNS: &str = "heal, number, workspace, source, tier, author, description, fix, result, detail, \
                       failed, tokens, milliseconds, at";

impl Store {
    /// Keeps an attempt. One that is kept already gets its newest result.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn add_heal_attempt(&self, attempt: NewHealAttempt) -> Result<(), StoreError> {
        let redactor = self.redactor();
        let name = |text: &str| redactor.name(text);
        let errors = attempt.errors.iter().map(|(exact, text)| (name(exact), name(text)));
        let attempt = NewHealAttempt {
            heal: name(&attempt.heal),
            workspace: name(&attempt.workspace),
            errors: errors.collect(),
            source: name(&attempt.source),
            tier: attempt.tier.as_deref().map(name),
            author: name(&attempt.author),
            description: name(&attempt.description),
            fix: name(&attempt.fix),
            result: name(&attempt.result),
            detail: name(&attempt.detail),
            ..attempt
        };
        self.write(Durability::Normal, "keep an attempt of a heal", |tx| Box::pin(add(tx, attempt)))
            .await
    }

    /// Returns the fixes that failed for an error in a workspace, newest first.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn failed_fixes(
        &self,
        workspace: &str,
        signature: &str,
        limit: u32,
    ) -> Result<Vec<FailedFix>, StoreError> {
        let doing = "read what failed before";
        let rows = query(
            "SELECT a.fix, a.description FROM heal_attempt_errors e
               JOIN heal_attempts a ON a.heal = e.heal AND a.number = e.number
              WHERE e.signature = $1 AND a.workspace = $2 AND a.failed = 1 AND a.fix <> ''
              GROUP BY a.fix, a.description ORDER BY max(a.at) DESC, a.fix LIMIT $3",
        )
        .bind(self.redactor().name(signature))
        .bind(self.redactor().name(workspace))
        .bind(i64::from(limit))
        .fetch_all(self.readers())
        .await
        .map_err(StoreError::database(doing))?;
        let read = |row: &Row| Ok(FailedFix { fix: row.try_get(0)?, description: row.try_get(1)? });
        rows.iter().map(read).collect::<Result<_, _>>().map_err(StoreError::database(doing))
    }

    /// Lists attempts, newest first.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn heal_attempts(
        &self,
        filter: HealAttemptFilter,
        limit: u32,
    ) -> Result<Vec<HealAttempt>, StoreError> {
        let doing = "list the attempts of heals";
        let wanted = |name: &Option<String>| name.as_deref().map(|name| self.redactor().name(name));
        let rows = query(&format!(
            "SELECT {COLUMNS} FROM heal_attempts a
              WHERE (workspace = $1 OR $1 IS NULL) AND (heal = $2 OR $2 IS NULL)
                AND ($3 IS NULL OR EXISTS (SELECT 1 FROM heal_attempt_errors e
                      WHERE e.signature = $3 AND e.heal = a.heal AND e.number = a.number))
              ORDER BY at DESC, heal, number DESC LIMIT $4"
        ))
        .bind(wanted(&filter.workspace))
        .bind(wanted(&filter.heal))
        .bind(wanted(&filter.signature))
        .bind(i64::from(limit))
        .fetch_all(self.readers())
        .await
        .map_err(StoreError::database(doing))?;
        rows.iter().map(read).collect::<Result<_, _>>().map_err(StoreError::database(doing))
    }

    /// Counts the attempts for an error in a workspace.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn heal_attempt_counts(
        &self,
        workspace: &str,
        signature: &str,
    ) -> Result<HealAttemptCounts, StoreError> {
        let doing = "count the attempts for an error";
        let row = query(
            "SELECT count(DISTINCT a.heal), count(*), CAST(coalesce(sum(a.failed), 0) AS BIGINT),
                    CAST(coalesce(sum(a.tokens), 0) AS BIGINT)
               FROM heal_attempt_errors e
               JOIN heal_attempts a ON a.heal = e.heal AND a.number = e.number
              WHERE e.signature = $1 AND a.workspace = $2",
        )
        .bind(self.redactor().name(signature))
        .bind(self.redactor().name(workspace))
        .fetch_one(self.readers())
        .await
        .map_err(StoreError::database(doing))?;
        counted(&row).map_err(StoreError::database(doing))
    }
}

async fn add(tx: &mut Transaction<'_>, attempt: NewHealAttempt) -> Result<(), Rollback> {
    query(
        "INSERT INTO heal_attempts (heal, number, workspace, source, tier, author, description, fix,
                                    result, detail, failed, tokens, milliseconds, at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
         ON CONFLICT (heal, number) DO UPDATE
            SET result = excluded.result, detail = excluded.detail, failed = excluded.failed",
    )
    .bind(&attempt.heal)
    .bind(i64::from(attempt.number))
    .bind(&attempt.workspace)
    .bind(&attempt.source)
    .bind(&attempt.tier)
    .bind(&attempt.author)
    .bind(&attempt.description)
    .bind(&attempt.fix)
    .bind(&attempt.result)
    .bind(&attempt.detail)
    .bind(i64::from(attempt.failed))
    .bind(int(attempt.tokens))
    .bind(int(attempt.milliseconds))
    .bind(tx.now().0)
    .execute(&mut *tx)
    .await?;
    for (signature, error) in &attempt.errors {
        query(
            "INSERT INTO heal_attempt_errors (signature, heal, number, error)
             VALUES ($1, $2, $3, $4) ON CONFLICT (signature, heal, number) DO NOTHING",
        )
        .bind(signature)
        .bind(&attempt.heal)
        .bind(i64::from(attempt.number))
        .bind(error)
        .execute(&mut *tx)
        .await?;
    }
    Ok(())
}

fn read(row: &Row) -> Result<HealAttempt, sqlx::Error> {
    Ok(HealAttempt {
        heal: row.try_get(0)?,
        number: u32::try_from(row.try_get::<i64>(1)?).unwrap_or(u32::MAX),
        workspace: row.try_get(2)?,
        source: row.try_get(3)?,
        tier: row.try_get(4)?,
        author: row.try_get(5)?,
        description: row.try_get(6)?,
        fix: row.try_get(7)?,
        result: row.try_get(8)?,
        detail: row.try_get(9)?,
        failed: row.try_get::<i64>(10)? != 0,
        tokens: count(row, 11)?,
        milliseconds: count(row, 12)?,
        at: Timestamp(row.try_get(13)?),
    })
}

fn counted(row: &Row) -> Result<HealAttemptCounts, sqlx::Error> {
    Ok(HealAttemptCounts {
        heals: count(row, 0)?,
        attempts: count(row, 1)?,
        failed: count(row, 2)?,
        tokens: count(row, 3)?,
    })
}

fn count(row: &Row, at: usize) -> Result<u64, sqlx::Error> {
    Ok(u64::try_from(row.try_get::<i64>(at)?).unwrap_or_default())
}

/// Attempts of heals, and the errors they were made for.
pub(super) const TABLE: Table = Table {
    names: &["heal_attempts", "heal_attempt_errors"],
    migrations: &[Migration {
        version: 7,
        name: "0007_heal_attempts",
        sql: MIGRATION,
        #[cfg(test)]
        rows: tests::ROWS,
    }],
    #[cfg(test)]
    conforms: tests::conforms,
};

const MIGRATION: &str = "
-- What heals tried.
CREATE TABLE heal_attempts (
    heal TEXT NOT NULL,
    number BIGINT NOT NULL,
    workspace TEXT NOT NULL,
    source TEXT NOT NULL,
    tier TEXT,
    author TEXT NOT NULL,
    description TEXT NOT NULL,
    fix TEXT NOT NULL,
    result TEXT NOT NULL,
    detail TEXT NOT NULL,
    failed BIGINT NOT NULL,
    tokens BIGINT NOT NULL,
    milliseconds BIGINT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (heal, number)
);
CREATE INDEX heal_attempts_by_age ON heal_attempts (at);
-- The errors that an attempt was made for.
CREATE TABLE heal_attempt_errors (
    signature TEXT NOT NULL,
    heal TEXT NOT NULL,
    number BIGINT NOT NULL,
    error TEXT NOT NULL,
    PRIMARY KEY (signature, heal, number)
);
";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::Conforming;
    use crate::testing::{options, redacted};

    pub(super) const ROWS: &str =
        "INSERT INTO heal_attempts VALUES ('h', 1, 'w', 'fixer', NULL, 'a', 'd', 'f', 'healed', 'x', 0,
                                           0, 5, 1000);
     INSERT INTO heal_attempt_errors VALUES ('s', 'h', 1, 'e');";

    fn attempt(text: &str, number: u32, failed: bool) -> NewHealAttempt {
        let own = || text.to_owned();
        NewHealAttempt {
            heal: own(),
            number,
            workspace: own(),
            errors: vec![(own(), own())],
            source: own(),
            tier: Some(own()),
            author: own(),
            description: own(),
            fix: format!("{text}{number}"),
            result: own(),
            detail: own(),
            failed,
            tokens: 7,
            milliseconds: 9,
        }
    }

    pub(super) fn conforms<'a>(store: &'a Store, text: &'a str) -> Conforming<'a> {
        Box::pin(async move {
            for (number, failed) in [(1, true), (2, false), (2, true), (1, true), (3, false)] {
                store.add_heal_attempt(attempt(text, number, failed)).await.expect("kept");
            }
            let failed = store.failed_fixes(text, text, 9).await.expect("read");
            let text_kept = redacted(text);
            let mut fixes: Vec<String> = failed.into_iter().map(|one| one.fix).collect();
            fixes.sort();
            assert_eq!(fixes, [format!("{text_kept}1"), format!("{text_kept}2")]);
            let counts = store.heal_attempt_counts(text, text).await.expect("counted");
            let wanted = HealAttemptCounts { heals: 1, attempts: 3, failed: 2, tokens: 21 };
            assert_eq!(counts, wanted);
            let filter = HealAttemptFilter {
                workspace: Some(text.to_owned()),
                signature: Some(text.to_owned()),
                heal: Some(text.to_owned()),
            };
            let listed = store.heal_attempts(filter, 9).await.expect("listed");
            assert_eq!(listed.len(), 3);
            assert_eq!((listed[0].number, &listed[0].description), (3, &text_kept));
        })
    }

    #[tokio::test]
    async fn attempts_are_found_by_error_workspace_and_heal() {
        let store = Store::memory(options()).await.expect("opened");
        for (heal, workspace, signature) in [("1", "w", "s"), ("2", "w", "t"), ("3", "v", "s")] {
            let mut one = attempt("x", 1, true);
            (one.heal, one.workspace) = (heal.to_owned(), workspace.to_owned());
            one.errors = vec![(signature.to_owned(), "e".to_owned())];
            store.add_heal_attempt(one).await.expect("kept");
        }
        let heals = async |workspace: Option<&str>, signature: Option<&str>, heal: Option<&str>| {
            let own = |name: Option<&str>| name.map(str::to_owned);
            let filter = HealAttemptFilter {
                workspace: own(workspace),
                signature: own(signature),
                heal: own(heal),
            };
            let listed = store.heal_attempts(filter, 9).await.expect("listed");
            let mut heals: Vec<String> = listed.into_iter().map(|one| one.heal).collect();
            heals.sort();
            heals.join(" ")
        };
        assert_eq!(heals(None, None, None).await, "1 2 3");
        assert_eq!(heals(Some("w"), None, None).await, "1 2");
        assert_eq!(heals(Some("w"), Some("s"), None).await, "1");
        assert_eq!(heals(None, Some("s"), None).await, "1 3");
        assert_eq!(heals(None, None, Some("2")).await, "2");
        assert_eq!(store.failed_fixes("w", "s", 9).await.expect("read").len(), 1);
        assert_eq!(store.failed_fixes("w", "u", 9).await.expect("read"), []);
        let counts = store.heal_attempt_counts("w", "u").await.expect("counted");
        assert_eq!(counts, HealAttemptCounts::default());
    }
}
