//! A session: a person asks for a change in words, and gets it planned, written, applied, checked and
//! tracked, over many turns.
//!
//! In: what the person says, and a workspace. Out: events on one log, changes of files, a list of tasks. A
//! turn is a plain value that a durable flow drives; everything but `driver`, `work`, `load` and `urls` is
//! pure. Never applies or runs what was only recovered from a broken answer.

mod event;
pub mod machine;

pub use event::{EventName, TurnEvent};
