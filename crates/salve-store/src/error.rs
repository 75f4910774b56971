//! Why the store could not do something.
//!
//! In: what the database or the file system said. Out: an error that names what was being done, and
//! what to do next. Never an outcome: a budget that does not suffice is a `Reservation`.

use crate::{CallId, KeyId};
use salve_types::EngineRefusal;
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
        /// The cause.
        #[source]
        source: DatabaseError,
    },
    /// The tables on a server could not be brought to a newer version and stay as they were.
    #[error("the tables at {place} could not be brought to version {to} and stay as they were")]
    Tables {
        /// Where they are.
        place: String,
        /// The version that was not reached.
        to: i64,
        /// The cause.
        #[source]
        source: DatabaseError,
    },
    /// Another process holds it for too long.
    #[error("`{}` is in use by another process that does not let go of it", path.display())]
    Busy {
        /// The database.
        path: PathBuf,
    },
    /// The server cannot be reached.
    #[error("cannot reach the database at {place}")]
    Unreachable {
        /// Where it should be.
        place: String,
        /// What was said.
        #[source]
        source: DatabaseError,
    },
    /// The address of a server cannot be understood.
    #[error(
        "`{given}` is not the address of a Postgres database: {problem}; write \
         postgres://user@host:port/database?sslmode=require"
    )]
    Address {
        /// The address, without its password.
        given: String,
        /// What is wrong with it.
        problem: String,
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
    /// There is no such decision.
    #[error("there is no decision {0}; `salve decisions list` shows those there are")]
    NoSuchDecision(String),
    /// Another decision took its place already.
    #[error("decision {id} was replaced by {by}; name that one")]
    DecisionReplaced {
        /// The decision.
        id: String,
        /// The one that took its place.
        by: String,
    },
    /// There is no such session.
    #[error("there is no session {0}; `salve sessions list` shows those there are")]
    NoSuchSession(String),
    /// There is no such turn.
    #[error(
        "session {session} has no turn {turn}; `salve sessions show {session}` lists its turns"
    )]
    NoSuchTurn {
        /// The session.
        session: String,
        /// The turn.
        turn: i64,
    },
    /// There is no such task.
    #[error("there is no task {0} in the session; `salve todos` lists those there are")]
    NoSuchTodo(String),
    /// There is no such change.
    #[error("the session has no change {0}")]
    NoSuchChange(String),
    /// The durable engine's tables refused.
    #[error(transparent)]
    Engine(EngineRefusal),
}

/// What the database said, whichever database it is.
#[derive(Debug, Clone, thiserror::Error)]
#[error(transparent)]
pub struct DatabaseError(Arc<sqlx::Error>);

impl StoreError {
    /// Returns whether the database could not be reached, or was too busy to answer: what was asked can
    /// be asked again, and may have been done.
    pub fn is_unreachable(&self) -> bool {
        match self {
            Self::Unreachable { .. } | Self::Busy { .. } => true,
            Self::Database { source, .. } => is_unreachable(&source.0),
            _ => false,
        }
    }

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

/// Returns whether this says that the database could not be reached or was too busy.
pub(crate) fn is_unreachable(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_)
        | sqlx::Error::Tls(_)
        | sqlx::Error::Protocol(_)
        | sqlx::Error::PoolTimedOut
        | sqlx::Error::WorkerCrashed => true,
        sqlx::Error::Database(error) => error.code().is_some_and(|code| is_passing(&code)),
        _ => false,
    }
}

/// What Postgres says when it stops, starts, is full, waits for a lock or breaks a deadlock.
const PASSING: &[&str] =
    &["08", "57P0", "57014", "53", "55P03", "25P03", "25P02", "40001", "40P01"];

// Postgres has codes of five characters. Those of SQLite are numbers, the low byte of which says
// whether another process holds the database.
fn is_passing(code: &str) -> bool {
    if code.len() == 5 {
        return PASSING.iter().any(|passing| code.starts_with(passing));
    }
    code.parse::<u32>().is_ok_and(|code| matches!(code & 0xff, 5 | 6))
}

fn remedy(backup: Option<&PathBuf>) -> String {
    match backup {
        Some(backup) => {
            format!("the newest backup is `{}`: copy it over the database", backup.display())
        }
        None => "there is no backup: move the file away to begin anew".to_owned(),
    }
}
