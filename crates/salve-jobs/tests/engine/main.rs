//! The adapter to the engine, in one process: what flows, steps and callers may rely on.
#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

mod cancels;
mod looks;
mod signals;
mod starts;
mod steps;
mod world;
