//! The tables: each file has all that is written to it and read from it.
//!
//! In: values. Out: methods of the store. Never a batch: each operation is a transaction (see
//! `commit.rs`). Only the calls to models are written otherwise.

pub(crate) mod events;
pub(crate) mod gateway_keys;
pub(crate) mod jobs;
pub(crate) mod statistics;
mod texts;
