//! A paid call of a step: made once, however often the step is done.
//!
//! In: a step, what its call can take at worst, and how to make it. Out: the outcome of the call,
//! now or in an earlier life of the step. Never pays again while a process that is seen may still
//! be paying, and never turns a doubt into another attempt: that would have another key, and pay.

use crate::error::with_causes;
use crate::{
    CallKey, CallLedger, CallResult, Cause, DoubtPolicy, LedgerError, Reserve, Settlement,
    StepCall, StepCtx, StepError,
};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout_at};

/// The first wait for another process that has the call; it doubles up to the second one.
const FIRST_LOOK: Duration = Duration::from_millis(50);
const SLOWEST_LOOK: Duration = Duration::from_secs(1);

/// How long is waited for a worker that is seen and does not settle, before a person is asked.
const LONGEST_CALL: Duration = Duration::from_secs(15 * 60);

/// How long a ledger may be away before the step says so.
const LONGEST_OUTAGE: Duration = Duration::from_secs(30);

/// A call that was reserved: what `make` needs to know of it.
pub struct PaidCall {
    ledger: Arc<dyn CallLedger>,
    key: CallKey,
    epoch: u32,
    partial: String,
}

impl PaidCall {
    /// Returns what had arrived for the process that began this call before.
    pub fn partial(&self) -> &str {
        &self.partial
    }

    /// Returns how often this call has changed hands, from 1. Above 1 it may have been paid before.
    pub fn epoch(&self) -> u32 {
        self.epoch
    }

    /// Keeps a piece of the answer. A ledger that cannot be reached does not stop a call that is
    /// being paid: the whole answer is settled at its end.
    pub async fn append(&self, text: &str) {
        if let Err(error) = self.ledger.append(&self.key, self.epoch, text).await {
            tracing::debug!(key = %self.key, %error, "a piece of an answer was not kept");
        }
    }
}

/// Makes a paid call, unless it was made before. When `make` fails, that is the outcome of the
/// call: this attempt of the step fails the same way each time it is done.
///
/// # Errors
/// What `make` returned; [`InDoubt`](StepError::InDoubt) when a person has to decide; an error that
/// another attempt may not have when the ledger cannot be reached and nothing was paid.
pub async fn paid_once<Made>(
    context: &dyn StepCtx,
    call: &StepCall,
    policy: DoubtPolicy,
    make: impl FnOnce(PaidCall) -> Made,
) -> Result<CallResult, StepError>
where
    Made: Future<Output = Result<CallResult, StepError>>,
{
    let (ledger, key, cancelled) = (context.ledger(), context.key(), context.cancelled());
    let begun = leave(&*ledger, key, call, policy);
    let (epoch, partial) = tokio::select! {
        biased;
        () = cancelled.cancelled() => return Err(StepError::Cancelled),
        begun = begun => match begun? {
            Leave::Make { epoch, partial } => (epoch, partial),
            Leave::Made(result) => return told(result),
        },
    };
    let paid = PaidCall { ledger: Arc::clone(&ledger), key: key.clone(), epoch, partial };
    let made = tokio::select! {
        biased;
        made = make(paid) => made,
        // Dropping the call ends it; what had arrived has been kept.
        () = cancelled.cancelled() => Err(StepError::Cancelled),
    };
    let result = made.unwrap_or_else(|error| CallResult::failed(&error));
    match settled(&*ledger, key, epoch, &result).await? {
        Settlement::Counted | Settlement::Spooled => told(result),
        // Someone took the call over while this worker was not seen: theirs counts.
        Settlement::Late => match leave(&*ledger, key, call, DoubtPolicy::Ask).await? {
            Leave::Made(result) => told(result),
            Leave::Make { .. } => Err(StepError::InDoubt { key: key.clone() }),
        },
    }
}

/// Whether the call is to be made.
enum Leave {
    Make { epoch: u32, partial: String },
    Made(CallResult),
}

/// Asks the ledger until it says make it, or the outcome.
async fn leave(
    ledger: &dyn CallLedger,
    key: &CallKey,
    call: &StepCall,
    policy: DoubtPolicy,
) -> Result<Leave, StepError> {
    let (begun, mut pause) = (Instant::now(), FIRST_LOOK);
    let mut take = false;
    loop {
        let ask = || if take { ledger.take_over(key, call) } else { ledger.reserve(key, call) };
        let reserve = reachable(LONGEST_OUTAGE, ask).await.map_err(unreserved)?;
        take = false;
        match reserve {
            Reserve::Fresh { epoch, partial } => return Ok(Leave::Make { epoch, partial }),
            Reserve::Done(result) => return Ok(Leave::Made(result)),
            Reserve::Refused(why) => return Err(StepError::fatal(why)),
            Reserve::OverBudget(message) => return Err(StepError::OverBudget { message }),
            Reserve::InDoubt { alive: true, .. } if begun.elapsed() < LONGEST_CALL => {
                sleep(pause).await;
                pause = (pause * 2).min(SLOWEST_LOOK);
            }
            Reserve::InDoubt { alive: true, .. } => {
                return Err(StepError::InDoubt { key: key.clone() });
            }
            Reserve::InDoubt { worker, .. } => {
                decide(policy, key, call, &worker)?;
                take = true;
            }
        }
    }
}

/// Returns whether a call in doubt may be made again.
fn decide(
    policy: DoubtPolicy,
    key: &CallKey,
    call: &StepCall,
    worker: &str,
) -> Result<(), StepError> {
    match policy {
        DoubtPolicy::Retry => Ok(()),
        DoubtPolicy::AskAbove(price) if call.worst.total().micro_dollars <= price => Ok(()),
        DoubtPolicy::Ask | DoubtPolicy::AskAbove(_) => Err(StepError::InDoubt { key: key.clone() }),
        DoubtPolicy::Fail => Err(StepError::fatal(format!(
            "{worker} began the paid call {key} and is gone: it may have been paid, and is not made \
             again"
        ))),
    }
}

/// Settles, and does not give up easily: the call has been paid.
async fn settled(
    ledger: &dyn CallLedger,
    key: &CallKey,
    epoch: u32,
    result: &CallResult,
) -> Result<Settlement, StepError> {
    match reachable(LONGEST_OUTAGE, || ledger.settle(key, epoch, result.clone())).await {
        Ok(settlement) => Ok(settlement),
        Err(LedgerError::Refused(why)) => Err(StepError::fatal(why)),
        // It was paid and that could not be written down. Another attempt would pay again.
        Err(_) => Err(StepError::InDoubt { key: key.clone() }),
    }
}

/// Asks again while the ledger is away.
async fn reachable<'a, T>(
    longest: Duration,
    ask: impl Fn() -> crate::Fut<'a, Result<T, LedgerError>>,
) -> Result<T, LedgerError> {
    let (end, mut pause) = (Instant::now() + longest, FIRST_LOOK);
    loop {
        let answer = match timeout_at(end, ask()).await {
            Ok(answer) => answer,
            Err(_) => Err(LedgerError::Unreachable(Cause::words("it does not answer"))),
        };
        match answer {
            Err(LedgerError::Unreachable(_)) if Instant::now() + pause < end => {
                sleep(pause).await;
                pause = (pause * 2).min(SLOWEST_LOOK);
            }
            answer => return answer,
        }
    }
}

fn unreserved(error: LedgerError) -> StepError {
    match error {
        LedgerError::Refused(why) => StepError::fatal(why),
        away => StepError::Retryable { message: with_causes(&away), after: Some(SLOWEST_LOOK) },
    }
}

/// Returns the outcome of a call as the step sees it.
fn told(result: CallResult) -> Result<CallResult, StepError> {
    result.failure().map_or(Ok(result), Err)
}

#[cfg(test)]
mod tests;
