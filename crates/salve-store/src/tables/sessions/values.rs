//! How the rows of sessions are read: counts, names of enums, documents.
//!
//! In: a column. Out: its value. Never a guess: a name that nobody knows is an error.

use crate::sql::Row;
use serde::de::DeserializeOwned;

/// Reads a count.
pub(super) fn count(row: &Row, at: usize) -> Result<u64, sqlx::Error> {
    Ok(u64::try_from(row.try_get::<i64>(at)?).unwrap_or_default())
}

/// Reads a small number, such as that of a turn.
pub(super) fn number(row: &Row, at: usize) -> Result<u32, sqlx::Error> {
    Ok(u32::try_from(row.try_get::<i64>(at)?).unwrap_or(u32::MAX))
}

/// Reads the name of one of a few.
pub(super) fn named<T>(
    row: &Row,
    at: usize,
    from_name: fn(&str) -> Option<T>,
) -> Result<T, sqlx::Error> {
    let name: String = row.try_get(at)?;
    from_name(&name).ok_or_else(|| sqlx::Error::Decode(format!("no meaning of `{name}`").into()))
}

/// Reads a document.
pub(super) fn json<T: DeserializeOwned>(text: &str) -> Result<T, sqlx::Error> {
    serde_json::from_str(text).map_err(|error| sqlx::Error::Decode(error.into()))
}

/// Reads a document that may be missing.
pub(super) fn maybe_json<T: DeserializeOwned>(
    row: &Row,
    at: usize,
) -> Result<Option<T>, sqlx::Error> {
    row.try_get::<Option<String>>(at)?.as_deref().map(json).transpose()
}

/// Writes names as a document.
pub(super) fn names(names: &[String]) -> String {
    serde_json::Value::from(names).to_string()
}
