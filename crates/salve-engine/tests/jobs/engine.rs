//! The adapter to the engine, in one process: what flows, steps and callers may rely on.

mod cancels;
mod looks;
mod signals;
mod starts;
mod steps;
mod world;
