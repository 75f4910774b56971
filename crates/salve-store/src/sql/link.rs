//! A connection to Postgres that is made anew after it was lost.
//!
//! In: how to connect. Out: the connection there is, or a new one. Never waits without end: a server
//! that does not answer is an error, and the connection is not used again.

use crate::error::is_unreachable;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{ConnectOptions, Connection as _};
use std::time::Duration;

/// A server that has not answered within this time is not reached. Longer than the server itself lets a
/// statement wait for a lock.
const PATIENCE: Duration = Duration::from_secs(15);

/// A connection, or how to make one.
pub(crate) struct Link {
    options: PgConnectOptions,
    connection: Option<PgConnection>,
}

impl Link {
    pub(crate) const fn new(options: PgConnectOptions) -> Self {
        Self { options, connection: None }
    }

    /// Returns the connection; a new one if the last was lost.
    pub(super) async fn reach(&mut self) -> Result<&mut PgConnection, sqlx::Error> {
        let connection = match self.connection.take() {
            Some(connection) => connection,
            None => within(self.options.connect()).await?,
        };
        Ok(self.connection.insert(connection))
    }

    /// Lets go of the connection if this says that it is lost.
    pub(super) fn note<T>(&mut self, answer: Result<T, sqlx::Error>) -> Result<T, sqlx::Error> {
        if answer.as_ref().is_err_and(is_unreachable) {
            self.connection = None;
        }
        answer
    }

    /// Takes back what was begun. A connection that was lost has taken it back already.
    pub(super) async fn rollback(&mut self) {
        let Some(connection) = &mut self.connection else { return };
        let done = within(sqlx::query("ROLLBACK").execute(connection)).await;
        if done.is_err() {
            self.connection = None;
        }
    }

    pub(super) async fn close(self) -> Result<(), sqlx::Error> {
        match self.connection {
            Some(connection) => within(connection.close()).await,
            None => Ok(()),
        }
    }
}

/// Waits for the server, within reason.
pub(super) async fn within<T>(
    answer: impl Future<Output = Result<T, sqlx::Error>>,
) -> Result<T, sqlx::Error> {
    match tokio::time::timeout(PATIENCE, answer).await {
        Ok(answer) => answer,
        Err(_) => {
            let message = format!("no answer within {} seconds", PATIENCE.as_secs());
            Err(sqlx::Error::Io(std::io::Error::new(std::io::ErrorKind::TimedOut, message)))
        }
    }
}
