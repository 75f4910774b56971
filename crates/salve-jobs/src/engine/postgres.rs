//! The engine's own store on Postgres, for many machines.
//!
//! In: an address. Out: the store behind it, with its tables. Never reads the environment: where the
//! database is, and with what password, is passed in.

use crate::{Cause, JobsError};
use duroxide::providers::{Provider, ProviderError};
use duroxide_pg::{MigrationPolicy, PostgresProvider, ProviderConfig};
use std::sync::Arc;

/// Opens a schema of a Postgres database twice: for what must be on its disk before it counts, and
/// for leases, which need not. The tables are made if they are not there.
pub(super) async fn open(
    address: &str,
    schema: &str,
) -> Result<(Arc<dyn Provider>, Arc<dyn Provider>), JobsError> {
    let mut config = ProviderConfig::url(address);
    config.schema_name = Some(schema.to_owned());
    let store = PostgresProvider::new_with_config(config).await;
    // The address may hold a password, so it is not said where the database was looked for.
    let store: Arc<dyn Provider> =
        Arc::new(store.map_err(|error| unopened("in Postgres", &error))?);
    let joined = if address.contains('?') { '&' } else { '?' };
    let quick = format!("{address}{joined}options[synchronous_commit]=off");
    let mut config = ProviderConfig::url(quick);
    config.schema_name = Some(schema.to_owned());
    config.migration_policy = MigrationPolicy::VerifyOnly;
    let leases: Arc<dyn Provider> = match PostgresProvider::new_with_config(config).await {
        Ok(leases) => Arc::new(leases),
        Err(error) => {
            // A connection pooler in between may not pass the option on.
            tracing::info!(%error, "leases wait for the disk like everything else");
            Arc::clone(&store)
        }
    };
    Ok((store, leases))
}

/// Tells a refusal, which is an answer, from a database that cannot be reached: this store calls both
/// permanent.
pub(super) fn is_answer(error: &ProviderError) -> bool {
    // The words of duroxide-pg: its errors have no code for this.
    const REFUSALS: [&str; 6] =
        ["lock token", "lock renewal failed", "not found", "constraint", "duplicate", "serializ"];
    let message = error.message.to_ascii_lowercase();
    !error.retryable && REFUSALS.iter().any(|word| message.contains(word))
}

fn unopened(what: impl std::fmt::Display, error: &impl std::fmt::Display) -> JobsError {
    JobsError::database("open the jobs", Cause::words(format!("{what}: {error}")))
}
