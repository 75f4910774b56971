//! Doubles of the job index and the call ledger in memory, for tests.
//!
//! In: what the real ones are given. Out: the same answers. Never survive their process.

mod index;
mod ledger;

pub use index::MemoryJobIndex;
pub use ledger::MemoryLedger;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks, also after a panic elsewhere: every change here is complete before the lock is given back.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
