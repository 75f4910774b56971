//! A ledger with a spool on this machine in front of it.
//!
//! In: what a ledger is asked. Out: the ledger's answers, and results that are safe before the
//! ledger has them. Never loses a result that was paid for: neither when the ledger cannot be
//! reached, nor when the process dies before it can again.
//!
//! A result is written to a file and synced, then settled, then the file is removed. What is left
//! over, now or by an earlier process, is delivered in the background as soon as the ledger
//! answers.

mod deliver;
mod folder;

use crate::{
    CallKey, CallLedger, CallResult, Decision, Fut, InDoubtStep, JobFilter, LedgerError, Reserve,
    Settlement, StepCall,
};
use deliver::{Delivered, Deliveries};
use folder::{Folder, Waiting};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::AbortHandle;

/// A shared ledger, and a folder on this machine for what it has not taken yet.
pub struct SpooledLedger {
    ledger: Arc<dyn CallLedger>,
    deliveries: Arc<Deliveries>,
    damaged: Vec<String>,
    in_background: AbortHandle,
}

/// Why a spool cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("could not {doing} the spool {}", path.display())]
pub struct SpoolError {
    doing: &'static str,
    path: PathBuf,
    source: std::io::Error,
}

impl SpooledLedger {
    /// Opens the spool in a folder of its own, and begins to deliver what an earlier process left.
    /// To be called inside a runtime, whose task it starts.
    ///
    /// # Errors
    /// When the folder cannot be made, opened or read.
    pub async fn open(ledger: Arc<dyn CallLedger>, folder: &Path) -> Result<Self, SpoolError> {
        let path = folder.to_owned();
        let failed = |doing| {
            let path = path.clone();
            move |source| SpoolError { doing, path, source }
        };
        let spool = Folder::open(folder).map_err(failed("open"))?;
        let found = spool.look().map_err(failed("read"))?;
        for name in &found.damaged {
            tracing::warn!(folder = %folder.display(), name, "a file in the spool is not whole");
            spool.put_aside(name).map_err(failed("clear"))?;
        }
        let deliveries = Arc::new(Deliveries::new(Arc::clone(&ledger), spool));
        deliveries.expect(found.waiting.into_iter().map(|(name, _)| name));
        let in_background = tokio::spawn(Arc::clone(&deliveries).run()).abort_handle();
        Ok(Self { ledger, deliveries, damaged: found.damaged, in_background })
    }

    /// Returns the names of files that a crash left half written. They are not used, and were put
    /// aside with `.unused` after their names.
    pub fn damaged(&self) -> &[String] {
        &self.damaged
    }

    /// Returns how many results the shared ledger does not have yet.
    pub fn waiting(&self) -> usize {
        self.deliveries.waiting()
    }

    /// Waits until the shared ledger has everything, or this long. Returns how many it has not.
    pub async fn delivered(&self, longest: Duration) -> usize {
        self.deliveries.hurry();
        let _ = tokio::time::timeout(longest, self.deliveries.emptied()).await;
        self.waiting()
    }

    /// Looks for the answer on this machine when the shared ledger has none.
    async fn reserve_or_find(
        &self,
        key: &CallKey,
        call: &StepCall,
    ) -> Result<Reserve, LedgerError> {
        let waited = self.waiting() > 0;
        let shared = self.ledger.reserve(key, call).await;
        let under = match &shared {
            Ok(Reserve::Fresh { epoch, .. }) => Some(*epoch),
            Ok(Reserve::InDoubt { .. }) | Err(LedgerError::Unreachable(_)) => None,
            _ => return shared,
        };
        let Some((name, mut waiting)) = self.deliveries.find(key).await? else {
            if !waited || shared.is_err() {
                return shared;
            }
            // It may have been delivered since the ledger was asked; leave that was just given is no doubt.
            let again = self.ledger.reserve(key, call).await;
            let is_known = under.is_none() || matches!(again, Ok(Reserve::Done(_)));
            return if is_known { again } else { shared };
        };
        // A ledger that gives leave for a call that was paid has lost it: it gets it again.
        waiting.epoch = under.unwrap_or(waiting.epoch);
        let result = waiting.result.clone();
        match self.deliveries.deliver(&name, waiting).await {
            // Someone has taken it over: theirs counts, when they have it.
            Delivered::Taken(Settlement::Late) => self.ledger.reserve(key, call).await,
            Delivered::Taken(_) | Delivered::Away => Ok(Reserve::Done(result)),
            Delivered::Refused(_) => shared,
        }
    }
}

impl Drop for SpooledLedger {
    fn drop(&mut self) {
        self.in_background.abort();
    }
}

impl CallLedger for SpooledLedger {
    fn reserve<'a>(
        &'a self,
        key: &'a CallKey,
        call: &'a StepCall,
    ) -> Fut<'a, Result<Reserve, LedgerError>> {
        Box::pin(self.reserve_or_find(key, call))
    }

    fn take_over<'a>(
        &'a self,
        key: &'a CallKey,
        call: &'a StepCall,
    ) -> Fut<'a, Result<Reserve, LedgerError>> {
        Box::pin(async move {
            // Before the call changes hands: afterwards what is here would be late.
            match self.reserve_or_find(key, call).await? {
                Reserve::InDoubt { alive: false, .. } => self.ledger.take_over(key, call).await,
                answer => Ok(answer),
            }
        })
    }

    fn append<'a>(
        &'a self,
        key: &'a CallKey,
        epoch: u32,
        text: &'a str,
    ) -> Fut<'a, Result<(), LedgerError>> {
        self.ledger.append(key, epoch, text)
    }

    fn settle<'a>(
        &'a self,
        key: &'a CallKey,
        epoch: u32,
        result: CallResult,
    ) -> Fut<'a, Result<Settlement, LedgerError>> {
        Box::pin(async move {
            let waiting = Waiting { key: key.clone(), epoch, result };
            let name = match self.deliveries.put(&waiting).await {
                Ok(name) => name,
                Err(error) => {
                    tracing::warn!(%key, %error, "the spool could not be written");
                    return self.ledger.settle(key, epoch, waiting.result).await;
                }
            };
            match self.deliveries.deliver(&name, waiting).await {
                Delivered::Taken(settlement) => Ok(settlement),
                Delivered::Away => Ok(Settlement::Spooled),
                Delivered::Refused(why) => Err(LedgerError::Refused(why)),
            }
        })
    }

    fn in_doubt<'a>(
        &'a self,
        filter: &'a JobFilter,
    ) -> Fut<'a, Result<Vec<InDoubtStep>, LedgerError>> {
        self.ledger.in_doubt(filter)
    }

    fn resolve<'a>(
        &'a self,
        key: &'a CallKey,
        decision: Decision,
    ) -> Fut<'a, Result<bool, LedgerError>> {
        self.ledger.resolve(key, decision)
    }
}

#[cfg(test)]
mod tests;
