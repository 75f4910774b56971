//! Where the ledger of calls is, and how commands open it.
//!
//! In: the user's data folder and the values of secret variables. Out: an open store that takes those
//! values out of everything it keeps. Never in a workspace.

use crate::environment;
use crate::failure::Failure;
use crate::runtime;
use salve_engine::TextRedactor;
use salve_store::{KEY_PREFIX, Store, StoreOptions};
use salve_text::{ExactSecret, ExtraPrefix, RedactOptions, is_secret_name};
use std::path::PathBuf;
use std::sync::Arc;

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
/// that promise one, and the gateway's own keys.
pub(crate) fn redactor() -> TextRedactor {
    let secret = |(name, value): (String, String)| {
        is_secret_name(&name).then(|| ExactSecret { name: name.to_ascii_lowercase(), value })
    };
    let own = ExtraPrefix {
        name: "salve_gateway_key".to_owned(),
        prefix: KEY_PREFIX.to_owned(),
        at_least: 40,
    };
    TextRedactor::new(&RedactOptions {
        exact: environment::all().into_iter().filter_map(secret).collect(),
        extra: vec![own],
    })
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
