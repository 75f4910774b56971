//! Accepted fixes in full, for merging rules and for trying new ones on old failures.
//!
//! In: an example as a JSON document, under the class of the error it fixed. Out: the newest of a class. Never
//! more than a bounded number of a class: the oldest go.

use super::{KnowledgeScope, me, visible};
use crate::commit::{Rollback, Transaction};
use crate::migrations::Migration;
use crate::sql::query;
use crate::{Durability, Store, StoreError};
use salve_types::Timestamp;
use serde::Serialize;

/// This many of a class are kept.
const KEPT: i64 = 32;

/// An example that is to be kept.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewExample {
    /// The signature of the class of errors.
    pub class: String,
    /// The language of the file.
    pub language: String,
    /// The example: a JSON document.
    pub body: String,
    /// The heal it is from.
    pub origin: String,
    /// Where.
    pub workspace: String,
    /// Who else may see it. It holds source text.
    pub scope: KnowledgeScope,
}

/// An example that is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExampleRecord {
    /// The hash of its document.
    pub hash: String,
    /// The signature of the class of errors.
    pub class: String,
    /// The language of the file.
    pub language: String,
    /// The example: a JSON document.
    pub body: String,
    /// The heal it is from.
    pub origin: String,
    /// Where.
    pub workspace: String,
    /// When it was kept.
    pub at: Timestamp,
}

impl Store {
    /// Keeps an example; returns whether it is new.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn add_example(&self, example: NewExample) -> Result<bool, StoreError> {
        let redactor = self.redactor();
        let name = |text: &str| redactor.name(text);
        let example = NewExample {
            class: name(&example.class),
            language: name(&example.language),
            body: super::body(redactor, &example.body),
            origin: name(&example.origin),
            workspace: name(&example.workspace),
            scope: example.scope,
        };
        self.write(Durability::Full, "keep an example", |tx| Box::pin(add(tx, example))).await
    }

    /// Returns the examples of a class of errors, newest first.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn examples(
        &self,
        language: &str,
        class: &str,
        limit: u32,
    ) -> Result<Vec<ExampleRecord>, StoreError> {
        let doing = "read examples";
        let visible = visible(self.readers().is_postgres());
        let rows = query(&format!(
            "SELECT hash, class, language, body, origin, workspace, at FROM knowledge_examples
              WHERE class = $1 AND language = $2 AND {visible} ORDER BY at DESC, hash LIMIT $3"
        ))
        .bind(self.redactor().name(class))
        .bind(self.redactor().name(language))
        .bind(i64::from(limit))
        .fetch_all(self.readers())
        .await
        .map_err(StoreError::database(doing))?;
        let read = |row: &crate::sql::Row| {
            Ok(ExampleRecord {
                hash: row.try_get(0)?,
                class: row.try_get(1)?,
                language: row.try_get(2)?,
                body: row.try_get(3)?,
                origin: row.try_get(4)?,
                workspace: row.try_get(5)?,
                at: Timestamp(row.try_get(6)?),
            })
        };
        rows.iter().map(read).collect::<Result<_, _>>().map_err(StoreError::database(doing))
    }
}

async fn add(tx: &mut Transaction<'_>, new: NewExample) -> Result<bool, Rollback> {
    let added = query(
        "INSERT INTO knowledge_examples (class, hash, scope, language, body, origin, workspace, at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
         ON CONFLICT (class, hash, author) DO NOTHING",
    )
    .bind(&new.class)
    .bind(blake3::hash(new.body.as_bytes()).to_hex().to_string())
    .bind(new.scope.name())
    .bind(&new.language)
    .bind(&new.body)
    .bind(&new.origin)
    .bind(&new.workspace)
    .bind(tx.now().0)
    .execute(&mut *tx)
    .await?;
    let me = me(tx.connection().is_postgres());
    query(&format!(
        "DELETE FROM knowledge_examples
          WHERE class = $1 AND author = {me} AND hash NOT IN
                (SELECT hash FROM knowledge_examples WHERE class = $1 AND author = {me}
                  ORDER BY at DESC, hash LIMIT {KEPT})"
    ))
    .bind(&new.class)
    .execute(tx)
    .await?;
    Ok(added > 0)
}

/// What makes the table.
pub(super) const MIGRATION: Migration = Migration {
    version: 12,
    name: "0012_knowledge_examples",
    sql: SQL,
    #[cfg(test)]
    rows:
        "INSERT INTO knowledge_examples (class, hash, scope, language, body, origin, workspace, at)
           VALUES ('c', 'h', 'private', 'rust', '{}', 'j', 'w', 1000);",
};

const SQL: &str = "
-- Accepted fixes in full.
CREATE TABLE knowledge_examples (
    class TEXT NOT NULL,
    hash TEXT NOT NULL,
    author TEXT NOT NULL DEFAULT '',
    scope TEXT NOT NULL,
    language TEXT NOT NULL,
    body TEXT NOT NULL,
    origin TEXT NOT NULL,
    workspace TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (class, hash, author)
);
--postgres CREATE TRIGGER author BEFORE INSERT OR UPDATE ON knowledge_examples
--postgres     FOR EACH ROW EXECUTE FUNCTION knowledge_author();
--postgres ALTER TABLE knowledge_examples ENABLE ROW LEVEL SECURITY;
--postgres CREATE POLICY seen ON knowledge_examples FOR SELECT
--postgres     USING (author = current_user OR scope = 'shared');
--postgres CREATE POLICY own ON knowledge_examples USING (author = current_user);
";
