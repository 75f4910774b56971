//! What flows and steps are given.
//!
//! In: their job. Out: the few things they can do. A flow never reads a clock, a file or a random
//! number: it is replayed, and must do the same again.

use crate::{CallKey, CallLedger, FlowName, Fut, JobError, JobId, Json, StepError, StepName};
use salve_types::Timestamp;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// What a flow can do. It is replayed from its history after every wait, so it must be deterministic.
pub trait FlowCtx: Send + Sync {
    /// Returns the job.
    fn id(&self) -> &JobId;

    /// Does a step, at least once; a result that was recorded is never computed again. Each attempt
    /// has a key of its own. A step in doubt waits for the signal that [`resolve`] sends.
    ///
    /// [`resolve`]: crate::Jobs::resolve
    fn step(
        &self,
        name: &StepName,
        input: Json,
        retry: Retry,
    ) -> Fut<'static, Result<Json, StepError>>;

    /// Runs a child under this job's name and its own. Dropping the future cancels it.
    fn child(
        &self,
        flow: &FlowName,
        name: &str,
        input: Json,
    ) -> Fut<'static, Result<Json, JobError>>;

    /// Waits, also across restarts.
    fn sleep(&self, length: Duration) -> Fut<'static, ()>;

    /// Waits to be told something; none when that took too long. What was told before is found.
    fn wait_signal(&self, name: &str, timeout: Option<Duration>) -> Fut<'static, Option<Json>>;

    /// Says where it is.
    fn stage(&self, name: &str, detail: Json);

    /// Returns the time, the same on each replay.
    fn now(&self) -> Fut<'static, Timestamp>;

    /// Begins again with another input and an empty history. Return what it gives.
    fn restart_with(&self, input: Json) -> Fut<'static, Result<Json, crate::FlowError>>;
}

/// How often a step is tried, and how long is waited in between.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retry {
    /// At most this many attempts.
    pub attempts: u32,
    /// The wait after the first; it doubles each time.
    pub first_wait: Duration,
    /// Never longer than this.
    pub longest_wait: Duration,
}

impl Retry {
    /// One attempt.
    pub const NEVER: Self =
        Self { attempts: 1, first_wait: Duration::ZERO, longest_wait: Duration::ZERO };

    /// The longest wait that a step may ask for. Its number is often a provider's, which may be
    /// garbled: a job that waits for days by mistake looks like one that is lost.
    pub const LONGEST_ASKED: Duration = Duration::from_secs(3600);

    /// Returns the wait after this many attempts, and not before what the step asked for.
    pub fn wait_after(&self, attempts: u32, asked: Option<Duration>) -> Duration {
        let factor = 2_u32.saturating_pow(attempts.saturating_sub(1));
        let usual = self.first_wait.saturating_mul(factor).min(self.longest_wait);
        usual.max(asked.unwrap_or_default().min(Self::LONGEST_ASKED))
    }
}

impl Default for Retry {
    fn default() -> Self {
        Self {
            attempts: 3,
            first_wait: Duration::from_millis(500),
            longest_wait: Duration::from_secs(30),
        }
    }
}

/// What a step is given. It may do anything, and may be done more than once.
pub trait StepCtx: Send + Sync {
    /// Returns the job.
    fn job(&self) -> &JobId;

    /// Returns by what a paid call of this attempt is known.
    fn key(&self) -> &CallKey;

    /// Returns which attempt this is, from 1.
    fn attempt(&self) -> u32;

    /// Returns a token that is cancelled when the job is, within 1.5 seconds wherever that was asked.
    fn cancelled(&self) -> CancellationToken;

    /// Returns the ledger.
    fn ledger(&self) -> Arc<dyn CallLedger>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_that_is_asked_for_counts_up_to_a_limit() {
        let retry = Retry::default();
        let seconds = Duration::from_secs;
        assert_eq!(retry.wait_after(2, None), seconds(1));
        assert_eq!(retry.wait_after(40, None), seconds(30));
        assert_eq!(retry.wait_after(1, Some(seconds(90))), seconds(90));
        assert_eq!(retry.wait_after(1, Some(Duration::MAX)), Retry::LONGEST_ASKED);
        assert_eq!(retry.wait_after(3, Some(Duration::ZERO)), seconds(2));
    }
}
