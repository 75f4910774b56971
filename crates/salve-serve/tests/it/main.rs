//! The faces over real HTTP on loopback.
//!
//! In: a gateway or a workbench, and a scripted model. Out: one test per promise. Never reaches another machine.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod abuse;
mod healing;
mod keys;
mod limits;
mod passing;
mod repeating;
mod stage;
mod tls;
mod workbench;
