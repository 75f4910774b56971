//! How many heals of an error ended unhealed, in each workspace.
//!
//! In: the errors that a heal left or healed. Out: counts that outlive it, which people can see and
//! reset. Never counts one heal twice, and a healed sighting starts the count again.

use super::Table;
use crate::commit::{Rollback, Transaction};
use crate::migrations::Migration;
use crate::sql::query;
use crate::{Durability, Store, StoreError};
use salve_types::Timestamp;
use serde::Serialize;
use std::collections::BTreeMap;

/// What a heal means for the counts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HealCount {
    /// The heal: its job.
    pub heal: String,
    /// Where.
    pub workspace: String,
    /// The errors that it left: exact signature and text.
    pub unhealed: Vec<(String, String)>,
    /// The exact signatures of the errors that it healed.
    pub healed: Vec<String>,
}

/// The count of one error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UnhealedError {
    /// Where.
    pub workspace: String,
    /// Its exact signature.
    pub signature: String,
    /// What the tools said.
    pub error: String,
    /// How many heals of it ended unhealed, one after the other.
    pub heals: u32,
    /// When the last one did.
    pub at: Timestamp,
}

impl Store {
    /// Counts a heal that ended. Counting it again changes nothing.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn count_heal(&self, count: HealCount) -> Result<(), StoreError> {
        let name = |text: &str| self.redactor().name(text);
        let count = HealCount {
            heal: name(&count.heal),
            workspace: name(&count.workspace),
            unhealed: count
                .unhealed
                .iter()
                .map(|(exact, text)| (name(exact), name(text)))
                .collect(),
            healed: count.healed.iter().map(|exact| name(exact)).collect(),
        };
        // A breaker that forgets is none.
        self.write(Durability::Full, "count a heal", |tx| Box::pin(add(tx, count))).await
    }

    /// Returns the counts of a workspace, by exact signature.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn unhealed_counts(
        &self,
        workspace: &str,
    ) -> Result<BTreeMap<String, u32>, StoreError> {
        let listed = self.unhealed_errors(Some(workspace)).await?;
        Ok(listed.into_iter().map(|one| (one.signature, one.heals)).collect())
    }

    /// Lists the counts, of one workspace or of all, the highest first.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn unhealed_errors(
        &self,
        workspace: Option<&str>,
    ) -> Result<Vec<UnhealedError>, StoreError> {
        let doing = "list the errors that were not healed";
        let rows = query(
            "SELECT workspace, signature, error, heals, at FROM heal_breakers
              WHERE workspace = $1 OR $1 IS NULL ORDER BY heals DESC, workspace, signature",
        )
        .bind(workspace.map(|name| self.redactor().name(name)))
        .fetch_all(self.readers())
        .await
        .map_err(StoreError::database(doing))?;
        let read = |row: &crate::sql::Row| {
            Ok(UnhealedError {
                workspace: row.try_get(0)?,
                signature: row.try_get(1)?,
                error: row.try_get(2)?,
                heals: u32::try_from(row.try_get::<i64>(3)?).unwrap_or(u32::MAX),
                at: Timestamp(row.try_get(4)?),
            })
        };
        rows.iter().map(read).collect::<Result<_, _>>().map_err(StoreError::database(doing))
    }

    /// Starts the counts of a workspace again: of one error, or of all. Returns how many there were.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn reset_unhealed(
        &self,
        workspace: &str,
        signature: Option<&str>,
    ) -> Result<u64, StoreError> {
        let workspace = self.redactor().name(workspace);
        let signature = signature.map(|name| self.redactor().name(name));
        self.write(Durability::Full, "reset a breaker", |tx| {
            Box::pin(async move {
                let deleted = query(
                    "DELETE FROM heal_breakers
                      WHERE workspace = $1 AND (signature = $2 OR $2 IS NULL)",
                )
                .bind(workspace)
                .bind(signature)
                .execute(tx)
                .await?;
                Ok(deleted)
            })
        })
        .await
    }
}

async fn add(tx: &mut Transaction<'_>, count: HealCount) -> Result<(), Rollback> {
    for signature in &count.healed {
        query("DELETE FROM heal_breakers WHERE workspace = $1 AND signature = $2")
            .bind(&count.workspace)
            .bind(signature)
            .execute(&mut *tx)
            .await?;
    }
    for (signature, error) in &count.unhealed {
        query(
            "INSERT INTO heal_breakers (workspace, signature, error, heals, last_heal, at)
             VALUES ($1, $2, $3, 1, $4, $5)
             ON CONFLICT (workspace, signature) DO UPDATE
                SET heals = heal_breakers.heals + 1, error = excluded.error,
                    last_heal = excluded.last_heal, at = excluded.at
              WHERE heal_breakers.last_heal <> excluded.last_heal",
        )
        .bind(&count.workspace)
        .bind(signature)
        .bind(error)
        .bind(&count.heal)
        .bind(tx.now().0)
        .execute(&mut *tx)
        .await?;
    }
    Ok(())
}

/// Counts of heals that ended unhealed.
pub(super) const TABLE: Table = Table {
    names: &["heal_breakers"],
    migrations: &[Migration {
        version: 9,
        name: "0009_heal_breakers",
        sql: MIGRATION,
        #[cfg(test)]
        rows: tests::ROWS,
    }],
    #[cfg(test)]
    conforms: tests::conforms,
};

const MIGRATION: &str = "
-- How many heals of an error ended unhealed, one after the other.
CREATE TABLE heal_breakers (
    workspace TEXT NOT NULL,
    signature TEXT NOT NULL,
    error TEXT NOT NULL,
    heals BIGINT NOT NULL,
    last_heal TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (workspace, signature)
);
";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::Conforming;
    use crate::testing::{options, redacted};

    pub(super) const ROWS: &str = "INSERT INTO heal_breakers VALUES ('w', 's', 'e', 2, 'h', 1000);";

    fn count(heal: &str, workspace: &str, unhealed: &[&str], healed: &[&str]) -> HealCount {
        let own = |text: &&str| (*text).to_owned();
        HealCount {
            heal: heal.to_owned(),
            workspace: workspace.to_owned(),
            unhealed: unhealed.iter().map(|one| (own(one), own(one))).collect(),
            healed: healed.iter().map(own).collect(),
        }
    }

    pub(super) fn conforms<'a>(store: &'a Store, text: &'a str) -> Conforming<'a> {
        Box::pin(async move {
            for heal in ["1", "2", "2"] {
                store.count_heal(count(heal, text, &[text], &[])).await.expect("counted");
            }
            store.count_heal(count(text, text, &["other"], &[])).await.expect("counted");
            let counts = store.unhealed_counts(text).await.expect("read");
            assert_eq!(counts, [(redacted(text), 2), ("other".to_owned(), 1)].into());
            let listed = store.unhealed_errors(None).await.expect("listed");
            assert_eq!((listed.len(), &listed[0].error), (2, &redacted(text)));
        })
    }

    #[tokio::test]
    async fn h41_a_count_is_of_one_workspace_and_starts_again_when_healed() {
        let store = Store::memory(options()).await.expect("opened");
        for heal in ["1", "2", "3"] {
            store.count_heal(count(heal, "w", &["s", "t"], &[])).await.expect("counted");
        }
        store.count_heal(count("4", "v", &["s"], &[])).await.expect("counted");
        store.count_heal(count("5", "w", &["t"], &["s"])).await.expect("counted");
        let counts = async |workspace| store.unhealed_counts(workspace).await.expect("read");
        assert_eq!(counts("w").await, [("t".to_owned(), 4)].into());
        assert_eq!(counts("v").await, [("s".to_owned(), 1)].into());
        assert_eq!(store.reset_unhealed("w", Some("u")).await.expect("reset"), 0);
        assert_eq!(store.reset_unhealed("w", None).await.expect("reset"), 1);
        assert_eq!(counts("w").await, BTreeMap::new());
        assert_eq!(counts("v").await.len(), 1);
    }
}
