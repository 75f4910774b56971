//! The adapter to the engine, in one process: what flows, steps and callers may rely on.

#[path = "engine/cancels.rs"]
mod cancels;
#[path = "engine/looks.rs"]
mod looks;
#[path = "engine/signals.rs"]
mod signals;
#[path = "engine/starts.rs"]
mod starts;
#[path = "engine/steps.rs"]
mod steps;
#[path = "engine/world.rs"]
mod world;
