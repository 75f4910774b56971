//! What Salve remembers: calls, events, statistics, keys and budgets, in one database.
//!
//! In: values; every text passes the redactor it was opened with. Out: rows, in order, after they
//! are safe. Never holds a secret, never loses a row it acknowledged.

mod redact;

pub use redact::{Redact, RedactStream};
