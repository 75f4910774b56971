//! Bringing results from the spool to the shared ledger.
//!
//! In: files that wait. Out: settlements, and no file any more. Never gives up while it runs, and
//! never keeps a step waiting for a ledger that is away.

use super::SpoolError;
use super::folder::{Folder, Waiting};
use crate::{CallKey, CallLedger, LedgerError, Settlement};
use std::collections::BTreeSet;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;

/// A ledger that has not answered for so long is away; what it was told is said again.
const LONGEST_ANSWER: Duration = Duration::from_secs(5);

/// How often a ledger that is away is tried.
const BETWEEN_TRIES: Duration = Duration::from_millis(500);

/// What waits, and where it is to go.
pub(super) struct Deliveries {
    ledger: Arc<dyn CallLedger>,
    folder: Arc<Folder>,
    names: Mutex<BTreeSet<String>>,
    wake: Notify,
    empty: Notify,
}

/// The outcome of bringing one result.
pub(super) enum Delivered {
    /// The ledger has it.
    Taken(Settlement),
    /// The ledger cannot be reached; it is tried again in the background.
    Away,
    /// The ledger does not want it; the file was put aside.
    Refused(String),
}

impl Deliveries {
    pub(super) fn new(ledger: Arc<dyn CallLedger>, folder: Folder) -> Self {
        let names = Mutex::default();
        Self { ledger, folder: Arc::new(folder), names, wake: Notify::new(), empty: Notify::new() }
    }

    /// Notes files that are to be delivered.
    pub(super) fn expect(&self, names: impl IntoIterator<Item = String>) {
        self.names().extend(names);
        self.wake.notify_one();
    }

    pub(super) fn waiting(&self) -> usize {
        self.names().len()
    }

    /// Tries now rather than later.
    pub(super) fn hurry(&self) {
        self.wake.notify_one();
    }

    /// Waits until nothing waits.
    pub(super) async fn emptied(&self) {
        loop {
            let told = self.empty.notified();
            if self.waiting() == 0 {
                return;
            }
            told.await;
        }
    }

    /// Delivers what waits, for ever.
    pub(super) async fn run(self: Arc<Self>) {
        loop {
            if self.waiting() == 0 {
                self.wake.notified().await;
            } else {
                let _ = tokio::time::timeout(BETWEEN_TRIES, self.wake.notified()).await;
            }
            let names: Vec<String> = self.names().iter().cloned().collect();
            for name in names {
                if !self.bring(&name).await {
                    break;
                }
            }
        }
    }

    /// Brings the result in a file; false when the ledger is away.
    async fn bring(&self, name: &str) -> bool {
        let folder = Arc::clone(&self.folder);
        let wanted = name.to_owned();
        let read = blocking(move || folder.read(&wanted)).await;
        match read {
            Ok(waiting) => !matches!(self.deliver(name, waiting).await, Delivered::Away),
            Err(error) => {
                // Another process of this machine may have delivered it.
                if error.kind() != io::ErrorKind::NotFound {
                    tracing::warn!(name, %error, "a file in the spool cannot be read");
                }
                self.done(name);
                true
            }
        }
    }

    /// Brings a result whose file is there.
    pub(super) async fn deliver(&self, name: &str, waiting: Waiting) -> Delivered {
        let Waiting { key, epoch, result } = waiting;
        let told = self.ledger.settle(&key, epoch, result);
        match tokio::time::timeout(LONGEST_ANSWER, told).await {
            Ok(Ok(settlement)) => {
                self.clear(name, Folder::remove).await;
                Delivered::Taken(settlement)
            }
            Ok(Err(LedgerError::Refused(why))) => {
                tracing::warn!(%key, name, why, "the ledger refused a result that was paid for");
                self.clear(name, Folder::put_aside).await;
                Delivered::Refused(why)
            }
            Ok(Err(LedgerError::Unreachable(_))) | Err(_) => {
                self.expect([name.to_owned()]);
                Delivered::Away
            }
        }
    }

    /// Writes a result to a file of its own.
    pub(super) async fn put(&self, waiting: &Waiting) -> io::Result<String> {
        let (folder, waiting) = (Arc::clone(&self.folder), waiting.clone());
        blocking(move || folder.put(&waiting)).await
    }

    /// Looks for a result on this machine, whichever process left it.
    pub(super) async fn find(
        &self,
        key: &CallKey,
    ) -> Result<Option<(String, Waiting)>, LedgerError> {
        let (folder, key) = (Arc::clone(&self.folder), key.clone());
        let path = folder.path().to_owned();
        let unreadable = |source| SpoolError { doing: "read", path, source };
        blocking(move || folder.find(&key))
            .await
            .map_err(|error| LedgerError::Unreachable(unreadable(error).into()))
    }

    async fn clear(&self, name: &str, how: fn(&Folder, &str) -> io::Result<()>) {
        let (folder, cleared) = (Arc::clone(&self.folder), name.to_owned());
        // A file that stays is delivered again by the next process, and settles the same once more.
        if let Err(error) = blocking(move || how(&folder, &cleared)).await {
            tracing::warn!(name, %error, "a file in the spool cannot be removed");
        }
        self.done(name);
    }

    fn done(&self, name: &str) {
        let mut names = self.names();
        names.remove(name);
        if names.is_empty() {
            self.empty.notify_waiters();
        }
    }

    fn names(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.names.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Does something with files where waiting for a disk holds no task up.
async fn blocking<T: Send + 'static>(
    act: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    tokio::task::spawn_blocking(act).await.unwrap_or_else(|error| Err(io::Error::other(error)))
}
