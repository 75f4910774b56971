//! Opens the engine's store.
//!
//! In: a path or an address. Out: the engine's own store behind it, with its tables. Never reads the
//! environment: where the database is, and with what password, is passed in.

use crate::{Cause, JobsError};
use duroxide::providers::Provider;
use duroxide::providers::sqlite::SqliteProvider;
use std::fmt::Write;
use std::fs::OpenOptions;
use std::path::Path;
use std::sync::Arc;

/// Opens a file of our own, which only its owner can read; it is made if it is not there.
pub(super) async fn sqlite(path: &Path) -> Result<Arc<dyn Provider>, JobsError> {
    make_private(path).map_err(|error| unopened(path.display(), &error))?;
    let provider = SqliteProvider::new(&address(path), None).await;
    Ok(Arc::new(provider.map_err(|error| unopened(path.display(), &error))?))
}

fn make_private(path: &Path) -> std::io::Result<()> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder)?;
    }
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop)
}

// The address is a URL, in which `?`, `#` and `%` mean something; every other byte is safe escaped.
fn address(path: &Path) -> String {
    let mut address = "sqlite://".to_owned();
    for byte in path.as_os_str().as_encoded_bytes() {
        if byte.is_ascii_alphanumeric() || b"/._-".contains(byte) {
            address.push(char::from(*byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(address, "%{byte:02X}");
        }
    }
    address.push_str("?mode=rwc");
    address
}

/// Opens a schema of a Postgres database twice: for what must be on its disk before it counts, and
/// for leases, which need not. The tables are made if they are not there.
#[cfg(feature = "fleet")]
pub(super) async fn postgres(
    address: &str,
    schema: &str,
) -> Result<(Arc<dyn Provider>, Arc<dyn Provider>), JobsError> {
    use duroxide_pg::{MigrationPolicy, PostgresProvider, ProviderConfig};
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

fn unopened(what: impl std::fmt::Display, error: &impl std::fmt::Display) -> JobsError {
    JobsError::database("open the jobs", Cause::words(format!("{what}: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_stays_one_in_the_address() {
        let cases = [
            ("/a/jobs.db", "sqlite:///a/jobs.db?mode=rwc"),
            ("/a b/#1%?.db", "sqlite:///a%20b/%231%25%3F.db?mode=rwc"),
        ];
        for (path, expected) in cases {
            assert_eq!(address(Path::new(path)), expected);
        }
    }
}
