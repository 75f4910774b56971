//! What a heal has told already, so that a heal that goes on after a crash does not count twice.
//!
//! In: a heal and what it tells the outcome of. Out: whether that is news. Never counts itself.

use crate::commit::Transaction;
use crate::sql::query;

/// Notes that a heal told the outcome of something; returns whether it is the first time.
pub(super) async fn first_told(
    tx: &mut Transaction<'_>,
    heal: &str,
    subject: &str,
) -> Result<bool, sqlx::Error> {
    let added = query(
        "INSERT INTO knowledge_outcomes (heal, subject, at) VALUES ($1, $2, $3)
         ON CONFLICT (heal, subject, author) DO NOTHING",
    )
    .bind(heal)
    .bind(subject)
    .bind(tx.now().0)
    .execute(tx)
    .await?;
    Ok(added > 0)
}
