//! Copies of the database from before something was done to it.
//!
//! In: an open database. Out: a whole copy beside it, and the newest of them when it is needed. Never
//! more copies than asked for, and never a copy that others can read.

use crate::StoreError;
use salve_types::Timestamp;
use sqlx::SqliteConnection;
use std::path::{Path, PathBuf};

/// Makes a copy beside the database, and forgets copies beyond the newest `keep`.
pub(crate) async fn make(
    connection: &mut SqliteConnection,
    path: &Path,
    version: i64,
    now: Timestamp,
    keep: usize,
) -> Result<PathBuf, StoreError> {
    let mut target = named(path, &format!("backup-{:015}-v{version}", now.0));
    let mut again = 1;
    while target.exists() {
        target = named(path, &format!("backup-{:015}-v{version}-{again}", now.0));
        again += 1;
    }
    // Made first, so that it is private from its first byte.
    crate::files::create_private(&target)?;
    sqlx::query("VACUUM INTO $1")
        .bind(target.to_string_lossy().into_owned())
        .execute(connection)
        .await
        .map_err(StoreError::database("make a backup of the database"))?;
    let mut copies = all(path);
    copies.reverse();
    for old in copies.into_iter().skip(keep.max(1)) {
        remove(&old)?;
    }
    Ok(target)
}

/// Returns the newest copy.
pub(crate) fn newest(path: &Path) -> Option<PathBuf> {
    all(path).pop()
}

/// Says of an error whether the database is damaged, and where its backup is.
pub(crate) fn explained(path: &Path, error: sqlx::Error) -> StoreError {
    let code = error.as_database_error().and_then(sqlx::error::DatabaseError::code);
    // The low byte is the kind; the rest says more about it.
    let kind = code.and_then(|code| code.parse::<i64>().ok()).map(|code| code & 0xff);
    match kind {
        Some(CORRUPT | NOT_A_DATABASE) => StoreError::Corrupt {
            path: path.to_owned(),
            message: error.to_string(),
            backup: newest(path),
        },
        Some(BUSY | LOCKED) => StoreError::Busy { path: path.to_owned() },
        _ => StoreError::database("open the database")(error),
    }
}

const BUSY: i64 = 5;
const LOCKED: i64 = 6;
const CORRUPT: i64 = 11;
const NOT_A_DATABASE: i64 = 26;

// Their names begin with the moment they were made at, so the order of names is the order of time.
fn all(path: &Path) -> Vec<PathBuf> {
    let beginning = format!("{}.backup-", file_name(path));
    let Some(folder) = path.parent() else { return Vec::new() };
    let mut copies: Vec<PathBuf> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|copy| file_name(copy).starts_with(&beginning))
        .collect();
    copies.sort();
    copies
}

fn named(path: &Path, ending: &str) -> PathBuf {
    path.with_file_name(format!("{}.{ending}", file_name(path)))
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

#[expect(
    clippy::disallowed_methods,
    reason = "a backup is the store's own state, not a project file"
)]
fn remove(path: &Path) -> Result<(), StoreError> {
    std::fs::remove_file(path).map_err(StoreError::file(path))
}
