//! Who this process is to the ledger, and which calls it has handed to callers.
//!
//! In: the options the store was opened with. Out: what the writer and the operations on calls share.
//! Never trusted for what others own: that is read.

use crate::tables::gateway_keys::KeyRing;
use crate::{Budgets, CallId};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// This process, as the owner of calls.
#[derive(Debug)]
pub(crate) struct Owner {
    pub(crate) worker: String,
    /// The process it is in, as its machine names it.
    pub(crate) process: String,
    pub(crate) budgets: Budgets,
    pub(crate) silence: Duration,
    pub(crate) keys: Arc<KeyRing>,
    handed_over: Mutex<HashSet<i64>>,
}

impl Owner {
    pub(crate) fn new(
        worker: String,
        process: String,
        budgets: Budgets,
        silence: Duration,
        keys: Arc<KeyRing>,
    ) -> Self {
        Self { worker, process, budgets, silence, keys, handed_over: Mutex::default() }
    }

    /// Notes that a caller has this call and may make it.
    pub(super) fn hand_over(&self, call: CallId) {
        self.handed_over().insert(call.0);
    }

    /// Notes that no caller has this call any more.
    pub(super) fn take_back(&self, call: CallId) {
        self.handed_over().remove(&call.0);
    }

    /// Returns those of its open calls, with their epochs, that no caller has.
    pub(super) fn orphans(&self, open: &HashMap<i64, i64>) -> Vec<(i64, i64)> {
        let handed_over = self.handed_over();
        let orphaned = |(id, _): &(&i64, &i64)| !handed_over.contains(id);
        open.iter().filter(orphaned).map(|(id, epoch)| (*id, *epoch)).collect()
    }

    fn handed_over(&self) -> MutexGuard<'_, HashSet<i64>> {
        self.handed_over.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
