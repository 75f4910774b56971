//! The ledger in memory, shared by workers that can be declared gone.
//!
//! In: calls of workers. Out: leave to make them, once. Never forgets a payment: one that comes
//! late is kept as late.

use super::index::is_within;
use super::lock;
use crate::{
    CallKey, CallLedger, CallResult, Cause, Decision, Fut, InDoubtStep, JobFilter, LedgerError,
    Reserve, Settlement, StepCall,
};
use salve_types::{Clock, Timestamp};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

/// A ledger that lives as long as its process, as one worker sees it.
#[derive(Clone)]
pub struct MemoryLedger {
    worker: String,
    clock: Arc<dyn Clock>,
    books: Arc<Mutex<Books>>,
}

/// What all workers share.
#[derive(Default)]
struct Books {
    calls: BTreeMap<CallKey, Call>,
    late: Vec<(CallKey, CallResult)>,
    gone: BTreeSet<String>,
    cut_off: bool,
}

struct Call {
    epoch: u32,
    worker: String,
    since: Timestamp,
    worst_micro_dollars: u64,
    partial: String,
    decided: Option<Decision>,
    state: State,
}

/// The state of a call.
enum State {
    /// A worker makes it.
    Open,
    /// It was in doubt, and is to be made again by the caller that comes next.
    ToMakeAgain,
    Settled(CallResult),
    Refused,
}

impl MemoryLedger {
    /// Opens an empty ledger for one worker.
    pub fn new(clock: Arc<dyn Clock>, worker: impl Into<String>) -> Self {
        Self { worker: worker.into(), clock, books: Arc::default() }
    }

    /// Returns the same ledger as another worker sees it.
    #[must_use]
    pub fn of_worker(&self, worker: impl Into<String>) -> Self {
        Self { worker: worker.into(), ..self.clone() }
    }

    /// From now on this worker is not seen: what it has open is in doubt.
    pub fn declare_gone(&self, worker: &str) {
        lock(&self.books).gone.insert(worker.to_owned());
    }

    /// From now on the ledger cannot be reached, or can again.
    pub fn cut_off(&self, cut: bool) {
        lock(&self.books).cut_off = cut;
    }

    /// Returns what was settled too late, in the order in which it came.
    pub fn late(&self) -> Vec<(CallKey, CallResult)> {
        lock(&self.books).late.clone()
    }

    /// Does something with the books, if they can be reached.
    fn with<T>(
        &self,
        act: impl FnOnce(&mut Books) -> Result<T, LedgerError>,
    ) -> Result<T, LedgerError> {
        let mut books = lock(&self.books);
        if books.cut_off {
            return Err(LedgerError::Unreachable(Cause::words("it was cut off")));
        }
        act(&mut books)
    }

    fn reserve_now(
        &self,
        key: &CallKey,
        call: &StepCall,
        take: bool,
    ) -> Result<Reserve, LedgerError> {
        self.with(|books| {
            let Books { calls, gone, .. } = books;
            let Some(known) = calls.get_mut(key) else {
                calls.insert(key.clone(), self.open(call));
                return Ok(Reserve::Fresh { epoch: 1, partial: String::new() });
            };
            let alive = !gone.contains(&known.worker);
            match &known.state {
                State::Settled(result) => Ok(Reserve::Done(result.clone())),
                State::Refused => Ok(Reserve::Refused(format!(
                    "it was decided that the call {key} is not made again"
                ))),
                State::Open if alive || !take => Ok(Reserve::InDoubt {
                    partial: known.partial.clone(),
                    since: known.since,
                    worker: known.worker.clone(),
                    alive,
                }),
                State::Open | State::ToMakeAgain => {
                    let (epoch, partial) = (known.epoch + 1, std::mem::take(&mut known.partial));
                    *known = Call { epoch, decided: known.decided.take(), ..self.open(call) };
                    Ok(Reserve::Fresh { epoch, partial })
                }
            }
        })
    }

    fn open(&self, call: &StepCall) -> Call {
        Call {
            epoch: 1,
            worker: self.worker.clone(),
            since: self.clock.now(),
            worst_micro_dollars: call.worst.total().micro_dollars,
            partial: String::new(),
            decided: None,
            state: State::Open,
        }
    }

    fn append_now(&self, key: &CallKey, epoch: u32, text: &str) -> Result<(), LedgerError> {
        self.with(|books| match books.calls.get_mut(key) {
            Some(call) if call.epoch == epoch && matches!(call.state, State::Open) => {
                call.partial.push_str(text);
                Ok(())
            }
            _ => Err(LedgerError::Refused(format!("the call {key} is not this worker's any more"))),
        })
    }

    fn settle_now(
        &self,
        key: &CallKey,
        epoch: u32,
        result: CallResult,
    ) -> Result<Settlement, LedgerError> {
        self.with(|books| {
            let Some(call) = books.calls.get_mut(key) else {
                return Err(LedgerError::Refused(format!("the call {key} was never reserved")));
            };
            match &call.state {
                State::Open if call.epoch == epoch => {
                    call.state = State::Settled(result);
                    Ok(Settlement::Counted)
                }
                // Someone who did not hear that it was taken says it again.
                State::Settled(known) if call.epoch == epoch && *known == result => {
                    Ok(Settlement::Counted)
                }
                _ => {
                    let late = (key.clone(), result);
                    if !books.late.contains(&late) {
                        books.late.push(late);
                    }
                    Ok(Settlement::Late)
                }
            }
        })
    }

    fn in_doubt_now(&self, filter: &JobFilter) -> Result<Vec<InDoubtStep>, LedgerError> {
        self.with(|books| {
            let Books { calls, gone, .. } = books;
            let doubtful = calls.iter().filter(|(_, call)| {
                matches!(call.state, State::Open) && gone.contains(&call.worker)
            });
            let steps = doubtful.map(|(key, call)| InDoubtStep {
                key: key.clone(),
                job: key.job(),
                since: call.since,
                worker: call.worker.clone(),
                partial_bytes: u64::try_from(call.partial.len()).unwrap_or(u64::MAX),
                worst_micro_dollars: call.worst_micro_dollars,
            });
            let wanted = |step: &InDoubtStep| match (&filter.within, &step.job) {
                (Some(root), Some(job)) => is_within(job, root),
                (Some(_), None) => false,
                (None, _) => true,
            };
            Ok(steps.filter(wanted).collect())
        })
    }

    fn resolve_now(&self, key: &CallKey, decision: Decision) -> Result<bool, LedgerError> {
        self.with(|books| {
            let Books { calls, gone, .. } = books;
            let Some(call) = calls.get_mut(key) else { return Ok(false) };
            let in_doubt = matches!(call.state, State::Open) && gone.contains(&call.worker);
            if !in_doubt {
                // Said twice: it has been done.
                return Ok(call.decided.as_ref() == Some(&decision));
            }
            call.state = match &decision {
                Decision::Retry => State::ToMakeAgain,
                Decision::Fail => State::Refused,
                Decision::UseResult(text) => State::Settled(CallResult {
                    answered: true,
                    text: text.clone(),
                    ..CallResult::default()
                }),
            };
            // The process that had it would settle under the old epoch, and is late from now on.
            if !matches!(decision, Decision::Retry) {
                call.epoch += 1;
            }
            call.decided = Some(decision);
            Ok(true)
        })
    }
}

impl CallLedger for MemoryLedger {
    fn reserve<'a>(
        &'a self,
        key: &'a CallKey,
        call: &'a StepCall,
    ) -> Fut<'a, Result<Reserve, LedgerError>> {
        Box::pin(async move { self.reserve_now(key, call, false) })
    }

    fn take_over<'a>(
        &'a self,
        key: &'a CallKey,
        call: &'a StepCall,
    ) -> Fut<'a, Result<Reserve, LedgerError>> {
        Box::pin(async move { self.reserve_now(key, call, true) })
    }

    fn append<'a>(
        &'a self,
        key: &'a CallKey,
        epoch: u32,
        text: &'a str,
    ) -> Fut<'a, Result<(), LedgerError>> {
        Box::pin(async move { self.append_now(key, epoch, text) })
    }

    fn settle<'a>(
        &'a self,
        key: &'a CallKey,
        epoch: u32,
        result: CallResult,
    ) -> Fut<'a, Result<Settlement, LedgerError>> {
        Box::pin(async move { self.settle_now(key, epoch, result) })
    }

    fn in_doubt<'a>(
        &'a self,
        filter: &'a JobFilter,
    ) -> Fut<'a, Result<Vec<InDoubtStep>, LedgerError>> {
        Box::pin(async move { self.in_doubt_now(filter) })
    }

    fn resolve<'a>(
        &'a self,
        key: &'a CallKey,
        decision: Decision,
    ) -> Fut<'a, Result<bool, LedgerError>> {
        Box::pin(async move { self.resolve_now(key, decision) })
    }
}

#[cfg(test)]
mod tests;
