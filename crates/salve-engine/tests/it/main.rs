//! The adapters between crates, on real files.
//!
//! In: folders made for a test. Out: one test per promise. Never starts a process.

mod command_facts;
mod repository_facts;
