//! Whether the file is sound and the budgets add up.
//!
//! In: the database. Out: everything that is wrong with it, in words; nothing when all is well. Never
//! repairs.

use crate::sql::query;
use crate::{Store, StoreError};

/// What each scope should hold and have spent, from the calls themselves, beside what is written
/// down. A session whose old calls were forgotten has spent more than its calls tell.
const SUMS: &str = "
WITH took AS (
    SELECT day, gateway_key, session,
           CASE WHEN state = 'open' THEN prompt_tokens + answer_tokens ELSE 0 END AS held_tokens,
           CASE WHEN state = 'open' THEN prompt_micro_dollars + answer_micro_dollars ELSE 0 END
               AS held_micro_dollars,
           CASE WHEN state = 'settled' THEN input_tokens + output_tokens ELSE 0 END AS spent_tokens,
           CASE WHEN state = 'settled' THEN micro_dollars ELSE 0 END AS spent_micro_dollars
      FROM calls
    UNION ALL
    SELECT day, gateway_key, session, 0, 0, counted_tokens, counted_micro_dollars FROM call_tries
), counted AS (
    SELECT 'day' AS scope, day AS since, took.* FROM took
    UNION ALL
    SELECT 'key:' || gateway_key, day, took.* FROM took WHERE gateway_key IS NOT NULL
    UNION ALL
    SELECT 'session:' || session, 0, took.* FROM took WHERE session IS NOT NULL
), sums AS (
    SELECT scope, since, sum(held_tokens) AS held_tokens,
           sum(held_micro_dollars) AS held_micro_dollars, sum(spent_tokens) AS spent_tokens,
           sum(spent_micro_dollars) AS spent_micro_dollars
      FROM counted GROUP BY scope, since
)
SELECT coalesce(sums.scope, budgets.scope) || ' of day ' || coalesce(sums.since, budgets.day)
  FROM sums FULL JOIN budgets ON budgets.scope = sums.scope AND budgets.day = sums.since
 WHERE coalesce(sums.held_tokens, 0) <> coalesce(budgets.held_tokens, 0)
    OR coalesce(sums.held_micro_dollars, 0) <> coalesce(budgets.held_micro_dollars, 0)
    OR coalesce(sums.spent_tokens, 0) > coalesce(budgets.spent_tokens, 0)
    OR coalesce(sums.spent_micro_dollars, 0) > coalesce(budgets.spent_micro_dollars, 0)
    OR (coalesce(sums.since, budgets.day) <> 0
        AND (coalesce(sums.spent_tokens, 0) <> coalesce(budgets.spent_tokens, 0)
             OR coalesce(sums.spent_micro_dollars, 0) <> coalesce(budgets.spent_micro_dollars, 0)))";

impl Store {
    /// Checks that the file is sound and the budgets are what the calls add up to; returns what is
    /// wrong.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn check_integrity(&self) -> Result<Vec<String>, StoreError> {
        let checked = async {
            let mut wrong = Vec::new();
            // A server looks after its files itself.
            if !self.readers().is_postgres() {
                let found: Vec<String> =
                    query("PRAGMA integrity_check").fetch_values(self.readers()).await?;
                wrong.extend(found.into_iter().filter(|finding| finding != "ok"));
            }
            let sums: Vec<String> = query(SUMS).fetch_values(self.readers()).await?;
            wrong.extend(
                sums.into_iter().map(|scope| format!("the budget {scope} does not add up")),
            );
            Ok(wrong)
        };
        checked.await.map_err(StoreError::database("check the ledger"))
    }
}
