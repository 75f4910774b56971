//! Connections to either database: one that writes, a pool that reads, a snapshot of it.
//!
//! In: statements. Out: what the database answers. Never retries: the caller knows whether that is
//! right.

use super::row::Row;
use super::{Query, query};
use crate::Durability;
use crate::commit;
use sqlx::sqlite::SqlitePool;
use sqlx::{Connection as _, Sqlite, SqliteConnection, Transaction};

/// Makes the commit of a transaction on Postgres wait for the disk; only ever safer than the server's own
/// setting, which may be `remote_apply`.
pub(crate) const SAFER_COMMIT: &str = "SELECT set_config('synchronous_commit', 'on', true) AS level
      WHERE current_setting('synchronous_commit') IN ('off', 'local')";

/// A connection of its own.
pub(crate) enum Connection {
    /// With how safe its commits are now.
    Sqlite(SqliteConnection, Durability),
    #[cfg(feature = "fleet")]
    Postgres(Box<super::Link>),
}

/// Connections that only read.
#[derive(Clone)]
pub(crate) enum Pool {
    Sqlite(SqlitePool),
    #[cfg(feature = "fleet")]
    Postgres(sqlx::PgPool),
}

/// One moment of the database.
pub(crate) enum Snapshot {
    Sqlite(Transaction<'static, Sqlite>),
    #[cfg(feature = "fleet")]
    Postgres(Transaction<'static, sqlx::Postgres>),
}

/// What a statement is sent to.
pub(crate) enum Asked<'a> {
    Connection(&'a mut Connection),
    Pool(&'a Pool),
    Snapshot(&'a mut Snapshot),
}

impl Connection {
    /// Begins a transaction that will be as safe as asked. In SQLite no other process writes meanwhile;
    /// in Postgres, none does once the ledger's one row is locked, which has to be the first thing that
    /// is asked: that order keeps processes from waiting for each other in a circle.
    pub(crate) async fn begin(&mut self, durability: Durability) -> Result<(), sqlx::Error> {
        self.set_durability(durability).await?;
        if !self.is_postgres() {
            return query("BEGIN IMMEDIATE").execute(self).await.map(drop);
        }
        query("BEGIN").execute(&mut *self).await?;
        if durability == Durability::Full {
            query(SAFER_COMMIT).execute(self).await?;
        }
        Ok(())
    }

    /// Locks the ledger's row, where beginning does not keep others from writing.
    pub(crate) async fn lock_ledger(&mut self) -> Result<(), sqlx::Error> {
        if self.is_postgres() {
            query("SELECT 1 FROM ledger FOR UPDATE").execute(self).await?;
        }
        Ok(())
    }

    /// Says how safe the next transaction is to be, where that is said between transactions.
    pub(crate) async fn set_durability(&mut self, wanted: Durability) -> Result<(), sqlx::Error> {
        match self {
            Self::Sqlite(connection, now) if *now != wanted => {
                let sql = match wanted {
                    Durability::Normal => "PRAGMA synchronous = NORMAL",
                    Durability::Full => "PRAGMA synchronous = FULL",
                };
                sqlx::query(sql).execute(connection).await?;
                *now = wanted;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Takes back what was begun. There may be nothing to take back; that is fine.
    pub(crate) async fn rollback(&mut self) {
        match self {
            Self::Sqlite(..) => drop(query("ROLLBACK").execute(self).await),
            #[cfg(feature = "fleet")]
            Self::Postgres(link) => link.rollback().await,
        }
    }

    pub(crate) const fn is_postgres(&self) -> bool {
        !matches!(self, Self::Sqlite(..))
    }

    pub(crate) async fn close(self) -> Result<(), sqlx::Error> {
        match self {
            Self::Sqlite(connection, _) => connection.close().await,
            #[cfg(feature = "fleet")]
            Self::Postgres(link) => link.close().await,
        }
    }
}

impl Pool {
    /// Returns one moment of the database, to be asked more than once.
    pub(crate) async fn snapshot(&self) -> Result<Snapshot, sqlx::Error> {
        Ok(match self {
            Self::Sqlite(pool) => Snapshot::Sqlite(pool.begin().await?),
            #[cfg(feature = "fleet")]
            Self::Postgres(pool) => {
                let begun = super::link::within(pool.begin()).await?;
                let mut snapshot = Snapshot::Postgres(begun);
                let sql = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY";
                query(sql).execute(&mut snapshot).await?;
                snapshot
            }
        })
    }

    pub(crate) const fn is_postgres(&self) -> bool {
        !matches!(self, Self::Sqlite(_))
    }

    pub(crate) async fn close(&self) {
        match self {
            Self::Sqlite(pool) => pool.close().await,
            #[cfg(feature = "fleet")]
            Self::Postgres(pool) => pool.close().await,
        }
    }
}

impl Asked<'_> {
    /// Returns the same, to be asked and used again.
    pub(crate) fn again(&mut self) -> Asked<'_> {
        match self {
            Self::Connection(connection) => Asked::Connection(connection),
            Self::Pool(pool) => Asked::Pool(pool),
            Self::Snapshot(snapshot) => Asked::Snapshot(snapshot),
        }
    }

    pub(crate) const fn is_postgres(&self) -> bool {
        match self {
            Self::Connection(connection) => connection.is_postgres(),
            Self::Pool(pool) => pool.is_postgres(),
            Self::Snapshot(snapshot) => !matches!(snapshot, Snapshot::Sqlite(_)),
        }
    }

    pub(super) async fn rows(self, asked: Query<'_>) -> Result<Vec<Row>, sqlx::Error> {
        let sql = asked.sql;
        macro_rules! sqlite {
            ($target:expr) => {
                sqlx::query_with(sql, asked.into_sqlite()?).fetch_all($target).await.map(sqlite)
            };
        }
        #[cfg(feature = "fleet")]
        macro_rules! postgres {
            ($target:expr) => {{
                let query = sqlx::query_with(sql, asked.into_postgres()?);
                super::link::within(query.fetch_all($target)).await.map(postgres)
            }};
        }
        match self {
            Self::Connection(Connection::Sqlite(connection, _)) => sqlite!(connection),
            Self::Pool(Pool::Sqlite(pool)) => sqlite!(pool),
            Self::Snapshot(Snapshot::Sqlite(snapshot)) => sqlite!(&mut **snapshot),
            #[cfg(feature = "fleet")]
            Self::Connection(Connection::Postgres(link)) => {
                let rows = postgres!(link.reach().await?);
                link.note(rows)
            }
            #[cfg(feature = "fleet")]
            Self::Pool(Pool::Postgres(pool)) => postgres!(pool),
            #[cfg(feature = "fleet")]
            Self::Snapshot(Snapshot::Postgres(snapshot)) => postgres!(&mut **snapshot),
        }
    }

    pub(super) async fn change(self, asked: Query<'_>) -> Result<u64, sqlx::Error> {
        let sql = asked.sql;
        macro_rules! sqlite {
            ($target:expr) => {{
                let done = sqlx::query_with(sql, asked.into_sqlite()?).execute($target).await;
                done.map(|done| done.rows_affected())
            }};
        }
        #[cfg(feature = "fleet")]
        macro_rules! postgres {
            ($target:expr) => {{
                let query = sqlx::query_with(sql, asked.into_postgres()?);
                let done = super::link::within(query.execute($target)).await;
                done.map(|done| done.rows_affected())
            }};
        }
        match self {
            Self::Connection(Connection::Sqlite(connection, _)) => sqlite!(connection),
            Self::Pool(Pool::Sqlite(pool)) => sqlite!(pool),
            Self::Snapshot(Snapshot::Sqlite(snapshot)) => sqlite!(&mut **snapshot),
            #[cfg(feature = "fleet")]
            Self::Connection(Connection::Postgres(link)) => {
                let done = postgres!(link.reach().await?);
                link.note(done)
            }
            #[cfg(feature = "fleet")]
            Self::Pool(Pool::Postgres(pool)) => postgres!(pool),
            #[cfg(feature = "fleet")]
            Self::Snapshot(Snapshot::Postgres(snapshot)) => postgres!(&mut **snapshot),
        }
    }
}

impl<'a> From<&'a mut Connection> for Asked<'a> {
    fn from(connection: &'a mut Connection) -> Self {
        Self::Connection(connection)
    }
}

impl<'a> From<&'a mut commit::Transaction<'_>> for Asked<'a> {
    fn from(transaction: &'a mut commit::Transaction<'_>) -> Self {
        Self::Connection(transaction.connection())
    }
}

impl<'a> From<&'a Pool> for Asked<'a> {
    fn from(pool: &'a Pool) -> Self {
        Self::Pool(pool)
    }
}

impl<'a> From<&'a mut Snapshot> for Asked<'a> {
    fn from(snapshot: &'a mut Snapshot) -> Self {
        Self::Snapshot(snapshot)
    }
}

fn sqlite(rows: Vec<sqlx::sqlite::SqliteRow>) -> Vec<Row> {
    rows.into_iter().map(Row::Sqlite).collect()
}

#[cfg(feature = "fleet")]
fn postgres(rows: Vec<sqlx::postgres::PgRow>) -> Vec<Row> {
    rows.into_iter().map(Row::Postgres).collect()
}
