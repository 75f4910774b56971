//! The runner with real processes: what it executes, what it keeps, what it survives.
//!
//! In: the built launcher. Out: one test per promise. Never asks for a layer to be missing that the
//! machine has, but to test what happens then.
#![expect(clippy::panic, clippy::unwrap_used, reason = "what the tests share may fail like a test")]

mod bash;
mod denied;
mod endings;
mod everyday;
mod hostile;
mod ports;
mod protected;
mod records;
mod shadow;
mod workplace;
