//! One attempt at a step: what its code is given, no matter who runs it.
//!
//! In: the job, the key, the token, the ledger. Out: the same, as a step may see them. Never does
//! anything by itself.

use crate::{CallKey, CallLedger, JobId, StepCtx};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// One attempt at a step, as the step sees it.
pub(crate) struct Attempt {
    pub(crate) job: JobId,
    pub(crate) key: CallKey,
    pub(crate) attempt: u32,
    pub(crate) token: CancellationToken,
    pub(crate) ledger: Arc<dyn CallLedger>,
}

impl StepCtx for Attempt {
    fn job(&self) -> &JobId {
        &self.job
    }

    fn key(&self) -> &CallKey {
        &self.key
    }

    fn attempt(&self) -> u32 {
        self.attempt
    }

    fn cancelled(&self) -> CancellationToken {
        self.token.clone()
    }

    fn ledger(&self) -> Arc<dyn CallLedger> {
        Arc::clone(&self.ledger)
    }
}
