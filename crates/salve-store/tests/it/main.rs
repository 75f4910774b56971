//! The store from outside: what is acknowledged is there, whatever happens.

mod budgets;
mod calls;
mod events;
mod kill;
mod keys;
mod opening;
mod processes;
mod secrets;
mod statistics;
mod support;
