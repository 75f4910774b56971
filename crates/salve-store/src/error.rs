//! Why the store could not do something.
//!
//! In: what the database or the file system said. Out: an error that names what was being done, and
//! what to do next. Never an outcome: a budget that does not suffice is a `Reservation`.

use crate::{CallId, KeyId};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Why the store could not do something. One error may reach many callers, so it can be cloned.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The file or its folder cannot be used.
    #[error("cannot use `{}`", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: Arc<std::io::Error>,
    },
    /// It was written by a newer Salve.
    #[error(
        "`{}` is of version {found}, this Salve knows versions up to {known}; use the newer Salve, or another file",
        path.display()
    )]
    TooNew {
        /// The database.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// The newest version known here.
        known: i64,
    },
    /// It is damaged, or not a database.
    #[error("`{}` is damaged or not a database: {message}; {}", path.display(), remedy(backup.as_ref()))]
    Corrupt {
        /// The database.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
        /// The newest backup.
        backup: Option<PathBuf>,
    },
    /// A step to a newer version failed and was taken back.
    #[error(
        "`{}` could not be brought to version {to} and stays as it was; {}",
        path.display(), remedy(backup.as_ref())
    )]
    Migration {
        /// The database.
        path: PathBuf,
        /// The version that was not reached.
        to: i64,
        /// The newest backup.
        backup: Option<PathBuf>,
        /// Why.
        #[source]
        source: DatabaseError,
    },
    /// Another process holds it for too long.
    #[error("`{}` is in use by another process that does not let go of it", path.display())]
    Busy {
        /// The database.
        path: PathBuf,
    },
    /// The database refused.
    #[error("could not {doing}")]
    Database {
        /// What was being done.
        doing: &'static str,
        /// What it said.
        #[source]
        source: DatabaseError,
    },
    /// The store was closed.
    #[error("the store is closed")]
    Closed,
    /// There is no such call.
    #[error("there is no call {0}")]
    NoSuchCall(CallId),
    /// The call is settled already.
    #[error("call {0} is settled already")]
    AlreadySettled(CallId),
    /// The call was not judged to be cut, so the judgement cannot be a false alarm.
    #[error("call {0} was not judged to be cut")]
    NotCut(CallId),
    /// The key of a call does not exist, or was revoked.
    #[error("there is no gateway key {0}, or it was revoked")]
    NoSuchKey(KeyId),
    /// There is no key of this name that could be revoked.
    #[error("there is no gateway key named `{0}` in force")]
    NoKeyNamed(String),
    /// Another key has this name.
    #[error("there is a gateway key named `{0}` already; choose another name")]
    KeyNameTaken(String),
}

/// What the database said, whichever database it is.
#[derive(Debug, Clone, thiserror::Error)]
#[error(transparent)]
pub struct DatabaseError(Arc<sqlx::Error>);

impl StoreError {
    /// Wraps what the database said while something was being done.
    pub(crate) fn database(doing: &'static str) -> impl FnOnce(sqlx::Error) -> Self {
        move |error| Self::Database { doing, source: DatabaseError::from(error) }
    }

    /// Wraps what the system said about a file.
    pub(crate) fn file(path: &Path) -> impl FnOnce(std::io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |error| Self::File { path, source: Arc::new(error) }
    }
}

impl From<sqlx::Error> for DatabaseError {
    fn from(error: sqlx::Error) -> Self {
        Self(Arc::new(error))
    }
}

fn remedy(backup: Option<&PathBuf>) -> String {
    match backup {
        Some(backup) => {
            format!("the newest backup is `{}`: copy it over the database", backup.display())
        }
        None => "there is no backup: move the file away to begin anew".to_owned(),
    }
}
