//! Connections to either database: one that writes, a pool that reads, a moment in it.
//!
//! In: statements. Out: what the database answers. Never retries: whoever asked knows whether that
//! is right.

use super::row::Row;
use super::{Query, query};
use sqlx::sqlite::SqlitePool;
use sqlx::{Connection as _, Sqlite, SqliteConnection, Transaction};

/// A connection of its own.
pub(crate) enum Connection {
    Sqlite(SqliteConnection),
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
pub(crate) enum Moment {
    Sqlite(Transaction<'static, Sqlite>),
    #[cfg(feature = "fleet")]
    Postgres(Transaction<'static, sqlx::Postgres>),
}

/// Whoever is asked.
pub(crate) enum Asked<'a> {
    Connection(&'a mut Connection),
    Pool(&'a Pool),
    Moment(&'a mut Moment),
}

impl Connection {
    /// Begins a transaction in which nobody else writes; in Postgres, from the moment the ledger's
    /// state is read.
    pub(crate) async fn begin(&mut self) -> Result<(), sqlx::Error> {
        let sql = if self.is_postgres() { "BEGIN" } else { "BEGIN IMMEDIATE" };
        query(sql).execute(self).await.map(drop)
    }

    /// Takes back what was begun. There may be nothing to take back; that is fine.
    pub(crate) async fn rollback(&mut self) {
        match self {
            Self::Sqlite(_) => drop(query("ROLLBACK").execute(self).await),
            #[cfg(feature = "fleet")]
            Self::Postgres(link) => link.rollback().await,
        }
    }

    pub(crate) const fn is_postgres(&self) -> bool {
        !matches!(self, Self::Sqlite(_))
    }

    pub(crate) async fn close(self) -> Result<(), sqlx::Error> {
        match self {
            Self::Sqlite(connection) => connection.close().await,
            #[cfg(feature = "fleet")]
            Self::Postgres(link) => link.close().await,
        }
    }
}

impl Pool {
    /// Returns one moment of the database, to be asked more than once.
    pub(crate) async fn moment(&self) -> Result<Moment, sqlx::Error> {
        Ok(match self {
            Self::Sqlite(pool) => Moment::Sqlite(pool.begin().await?),
            #[cfg(feature = "fleet")]
            Self::Postgres(pool) => {
                let begun = super::link::within(pool.begin()).await?;
                let mut moment = Moment::Postgres(begun);
                let sql = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY";
                query(sql).execute(&mut moment).await?;
                moment
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
            Self::Moment(moment) => Asked::Moment(moment),
        }
    }

    pub(crate) const fn is_postgres(&self) -> bool {
        match self {
            Self::Connection(connection) => connection.is_postgres(),
            Self::Pool(pool) => pool.is_postgres(),
            Self::Moment(moment) => !matches!(moment, Moment::Sqlite(_)),
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
            Self::Connection(Connection::Sqlite(connection)) => sqlite!(connection),
            Self::Pool(Pool::Sqlite(pool)) => sqlite!(pool),
            Self::Moment(Moment::Sqlite(moment)) => sqlite!(&mut **moment),
            #[cfg(feature = "fleet")]
            Self::Connection(Connection::Postgres(link)) => {
                let rows = postgres!(link.reach().await?);
                link.note(rows)
            }
            #[cfg(feature = "fleet")]
            Self::Pool(Pool::Postgres(pool)) => postgres!(pool),
            #[cfg(feature = "fleet")]
            Self::Moment(Moment::Postgres(moment)) => postgres!(&mut **moment),
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
            Self::Connection(Connection::Sqlite(connection)) => sqlite!(connection),
            Self::Pool(Pool::Sqlite(pool)) => sqlite!(pool),
            Self::Moment(Moment::Sqlite(moment)) => sqlite!(&mut **moment),
            #[cfg(feature = "fleet")]
            Self::Connection(Connection::Postgres(link)) => {
                let done = postgres!(link.reach().await?);
                link.note(done)
            }
            #[cfg(feature = "fleet")]
            Self::Pool(Pool::Postgres(pool)) => postgres!(pool),
            #[cfg(feature = "fleet")]
            Self::Moment(Moment::Postgres(moment)) => postgres!(&mut **moment),
        }
    }
}

impl<'a> From<&'a mut Connection> for Asked<'a> {
    fn from(connection: &'a mut Connection) -> Self {
        Self::Connection(connection)
    }
}

impl<'a> From<&'a Pool> for Asked<'a> {
    fn from(pool: &'a Pool) -> Self {
        Self::Pool(pool)
    }
}

impl<'a> From<&'a mut Moment> for Asked<'a> {
    fn from(moment: &'a mut Moment) -> Self {
        Self::Moment(moment)
    }
}

fn sqlite(rows: Vec<sqlx::sqlite::SqliteRow>) -> Vec<Row> {
    rows.into_iter().map(Row::Sqlite).collect()
}

#[cfg(feature = "fleet")]
fn postgres(rows: Vec<sqlx::postgres::PgRow>) -> Vec<Row> {
    rows.into_iter().map(Row::Postgres).collect()
}
