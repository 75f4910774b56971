//! Jobs in the memory of one process: for tests, and to say what every other store must do.
//!
//! In: what the real book, ledger and engine are given. Out: the same answers and the same events.
//! Never survives its process, and never pretends to.

mod book;
mod desk;
mod flow;
mod jobs;
mod ledger;
mod runner;

pub use book::MemoryBook;
pub use jobs::MemoryJobs;
pub use ledger::MemoryLedger;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks, also after a panic elsewhere: every change here is complete before the lock is given back.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
