//! The store from outside: what is acknowledged is there, whatever happens.

mod budgets;
mod calls;
mod events;
mod jobs;
mod keys;
mod kill;
mod knowledge;
mod opening;
mod place;
mod processes;
mod secrets;
#[cfg(feature = "fleet")]
mod server;
mod sessions;
mod statistics;
mod support;
mod take_over;
