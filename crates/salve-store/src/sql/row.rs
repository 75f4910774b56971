//! A row of either database.
//!
//! In: what the driver gave. Out: numbers, texts and bytes by their place. Never another type: the
//! tables have no others.

use sqlx::sqlite::SqliteRow;

/// A row.
pub(crate) enum Row {
    Sqlite(SqliteRow),
    #[cfg(feature = "fleet")]
    Postgres(sqlx::postgres::PgRow),
}

impl Row {
    /// Returns the value at a place.
    pub(crate) fn try_get<T: Value>(&self, at: usize) -> Result<T, sqlx::Error> {
        T::read(self, at)
    }
}

/// What a column can hold.
pub(crate) trait Value: Sized {
    /// Reads it.
    fn read(row: &Row, at: usize) -> Result<Self, sqlx::Error>;
}

macro_rules! value {
    ($($kind:ty),*) => {$(
        impl Value for $kind {
            fn read(row: &Row, at: usize) -> Result<Self, sqlx::Error> {
                match row {
                    Row::Sqlite(row) => sqlx::Row::try_get(row, at),
                    #[cfg(feature = "fleet")]
                    Row::Postgres(row) => sqlx::Row::try_get(row, at),
                }
            }
        }
    )*};
}

value!(i64, Option<i64>, String, Option<String>, Vec<u8>);
