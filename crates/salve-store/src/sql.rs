//! One way to ask either database: the same text, the same parameters, the same rows.
//!
//! In: a statement with `$1`, `$2`, … and its parameters. Out: rows, or how many were changed. Never
//! knows what is asked: the few words the databases do not share are said where they are needed.

mod connection;
#[cfg(feature = "fleet")]
mod link;
mod row;
mod rows;

#[cfg(feature = "fleet")]
pub(crate) use connection::SAFER_COMMIT;
pub(crate) use connection::{Asked, Connection, Pool, Snapshot};
#[cfg(feature = "fleet")]
pub(crate) use link::Link;
pub(crate) use row::{Row, Value};
pub(crate) use rows::{Cell, Rows, int};

use sqlx::Arguments;
use sqlx::sqlite::SqliteArguments;
use std::borrow::Cow;

/// A statement and its parameters.
#[derive(Debug)]
pub(crate) struct Query<'q> {
    pub(crate) sql: &'q str,
    pub(crate) parameters: Vec<Parameter<'q>>,
}

/// Begins a statement.
pub(crate) const fn query(sql: &str) -> Query<'_> {
    Query { sql, parameters: Vec::new() }
}

impl<'q> Query<'q> {
    /// Adds a parameter.
    pub(crate) fn bind(mut self, parameter: impl Into<Parameter<'q>>) -> Self {
        self.parameters.push(parameter.into());
        self
    }

    /// Returns all rows.
    pub(crate) async fn fetch_all(
        self,
        asked: impl Into<Asked<'_>>,
    ) -> Result<Vec<Row>, sqlx::Error> {
        asked.into().rows(self).await
    }

    /// Returns the first row, if there is one.
    pub(crate) async fn fetch_optional(
        self,
        asked: impl Into<Asked<'_>>,
    ) -> Result<Option<Row>, sqlx::Error> {
        Ok(asked.into().rows(self).await?.into_iter().next())
    }

    /// Returns the first row.
    pub(crate) async fn fetch_one(self, asked: impl Into<Asked<'_>>) -> Result<Row, sqlx::Error> {
        self.fetch_optional(asked).await?.ok_or(sqlx::Error::RowNotFound)
    }

    /// Returns the first column of the first row.
    pub(crate) async fn fetch_value<T: Value>(
        self,
        asked: impl Into<Asked<'_>>,
    ) -> Result<T, sqlx::Error> {
        self.fetch_one(asked).await?.try_get(0)
    }

    /// Returns the first column of all rows.
    pub(crate) async fn fetch_values<T: Value>(
        self,
        asked: impl Into<Asked<'_>>,
    ) -> Result<Vec<T>, sqlx::Error> {
        self.fetch_all(asked).await?.iter().map(|row| row.try_get(0)).collect()
    }

    /// Changes something, and returns how many rows.
    pub(crate) async fn execute(self, asked: impl Into<Asked<'_>>) -> Result<u64, sqlx::Error> {
        asked.into().change(self).await
    }

    fn into_sqlite(self) -> Result<SqliteArguments<'q>, sqlx::Error> {
        let mut arguments = SqliteArguments::default();
        for parameter in self.parameters {
            match parameter {
                Parameter::Int(value) => arguments.add(value),
                Parameter::Text(value) => arguments.add(value),
                Parameter::Bytes(value) => arguments.add(value),
            }
            .map_err(sqlx::Error::Encode)?;
        }
        Ok(arguments)
    }

    #[cfg(feature = "fleet")]
    fn into_postgres(self) -> Result<sqlx::postgres::PgArguments, sqlx::Error> {
        let mut arguments = sqlx::postgres::PgArguments::default();
        for parameter in self.parameters {
            match parameter {
                Parameter::Int(value) => arguments.add(value),
                Parameter::Text(value) => arguments.add(value),
                Parameter::Bytes(value) => arguments.add(value),
            }
            .map_err(sqlx::Error::Encode)?;
        }
        Ok(arguments)
    }
}

/// A parameter of a statement.
#[derive(Debug)]
pub(crate) enum Parameter<'q> {
    Int(Option<i64>),
    Text(Option<Cow<'q, str>>),
    Bytes(Vec<u8>),
}

macro_rules! parameter {
    ($from:ty, $value:ident => $made:expr) => {
        impl<'q> From<$from> for Parameter<'q> {
            fn from($value: $from) -> Self {
                $made
            }
        }
    };
}

parameter!(i64, value => Self::Int(Some(value)));
parameter!(Option<i64>, value => Self::Int(value));
parameter!(&'q str, value => Self::Text(Some(Cow::Borrowed(value))));
parameter!(&'q String, value => Self::Text(Some(Cow::Borrowed(value))));
parameter!(String, value => Self::Text(Some(Cow::Owned(value))));
parameter!(Option<&'q str>, value => Self::Text(value.map(Cow::Borrowed)));
parameter!(Option<String>, value => Self::Text(value.map(Cow::Owned)));
parameter!(&'q Option<String>, value => Self::Text(value.as_deref().map(Cow::Borrowed)));
parameter!(Vec<u8>, value => Self::Bytes(value));
