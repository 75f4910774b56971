//! Where the ledger of calls is, and how commands open it.
//!
//! In: the user's data folder and the values of secret variables. Out: an open store that takes those
//! values out of everything it keeps. Never in a workspace.

use crate::environment;
use crate::failure::Failure;
use crate::runtime;
use salve_engine::TextRedactor;
use salve_store::{KEY_PREFIX, Store, StoreOptions};
use salve_text::{ExactSecret, ExtraPrefix, RedactOptions, is_secret_name, read_env_file};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Files whose values are secrets by custom.
const ENV_FILES: &[&str] =
    &[".env", ".env.local", ".env.development", ".env.production", ".env.test"];

/// Returns the path of the database.
pub(crate) fn path() -> Result<PathBuf, Failure> {
    let folder = environment::user_data_folder().ok_or_else(|| {
        Failure::new("there is no folder for your data")
            .hint(format!("Set {}, XDG_DATA_HOME or HOME.", environment::DATA))
    })?;
    Ok(folder.join("salve.db"))
}

/// Returns how it is opened by a command.
pub(crate) fn options(worker: &str) -> StoreOptions {
    let worker = format!("{worker}-{}", std::process::id());
    StoreOptions::new(Arc::new(environment::now), Arc::new(redactor()), worker)
}

/// Returns what takes secrets out of everything that is kept: by their shape, the values of variables
/// that promise one, those of the `.env` files of the folder this was started in, and the gateway's own
/// keys.
pub(crate) fn redactor() -> TextRedactor {
    let secret = |(name, value): (String, String)| {
        is_secret_name(&name).then(|| ExactSecret { name: name.to_ascii_lowercase(), value })
    };
    let own = ExtraPrefix {
        name: "salve_gateway_key".to_owned(),
        prefix: KEY_PREFIX.to_owned(),
        at_least: 40,
    };
    let mut exact: Vec<ExactSecret> = environment::all().into_iter().filter_map(secret).collect();
    exact.extend(environment::start_folder().into_iter().flat_map(|folder| secrets_in(&folder)));
    TextRedactor::new(&RedactOptions { exact, extra: vec![own] })
}

// A file that is not there, or cannot be read by us, gives nothing away to us either.
fn secrets_in(folder: &Path) -> Vec<ExactSecret> {
    let texts = ENV_FILES.iter().filter_map(|name| std::fs::read_to_string(folder.join(name)).ok());
    texts.flat_map(|text| read_env_file(&text)).collect()
}

/// Opens the ledger, does something with it, and closes it.
pub(crate) fn with<T>(
    worker: &str,
    act: impl AsyncFnOnce(&Store) -> Result<T, Failure>,
) -> Result<T, Failure> {
    runtime::run(async {
        let store = Store::open(&path()?, options(worker)).await?;
        let done = act(&store).await;
        store.close().await;
        done
    })?
}

/// The same for a command that only looks: where nothing was kept yet, it makes no database, and
/// returns nothing.
pub(crate) fn look<T>(
    worker: &str,
    act: impl AsyncFnOnce(&Store) -> Result<T, Failure>,
) -> Result<Option<T>, Failure> {
    if !path()?.exists() {
        return Ok(None);
    }
    with(worker, act).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;
    use salve_store::Redact;

    #[test]
    fn x24_values_of_env_files_are_taken_out() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(".env");
        let mut open = std::fs::File::create(file).unwrap();
        std::io::Write::write_all(&mut open, b"DB_PASSWORD=correct-horse-battery\n").unwrap();
        let exact = secrets_in(folder.path());
        let redactor = TextRedactor::new(&RedactOptions { exact, extra: Vec::new() });
        let kept = redactor.redact("it is correct-horse-battery, they say");
        assert!(!kept.contains("horse"), "{kept}");
    }
}
