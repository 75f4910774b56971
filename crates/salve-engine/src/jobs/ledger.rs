//! The ledger of paid calls, over the store's.
//!
//! In: calls of steps by their keys. Out: leave to make them, and their outcomes, with everything
//! a step needs to go on. Never settles a call that this process only gave up: it stays in doubt,
//! for it may have been paid.

use super::ledger_error;
use salve_jobs::{
    CallKey, CallLedger, CallResult, Decision, Fut, InDoubtStep, JobFilter, JobId, Json,
    LedgerError, Reserve, Settlement, StepCall,
};
use salve_store::{
    CallDetail, CallOutcome, DoubtFilter, NewCall, OpenCall, Reservation, Resolution, Settled,
    Store, StoreError,
};
use serde::Deserialize;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The dialect under which calls of jobs are in the ledger.
const DIALECT: &str = "job";
/// How many calls in doubt are listed.
const MOST_DOUBTS: u32 = 10_000;

/// The ledger in a store.
pub struct StoreLedger {
    store: Store,
    // Calls that were begun here and are not settled.
    open: Mutex<HashMap<(String, u32), OpenCall>>,
}

/// A note as rows of earlier versions have it: around the step's own one, and with a word that the
/// outcome says as well.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrappedNote {
    answered: bool,
    #[serde(default)]
    note: Json,
}

impl StoreLedger {
    /// Opens the ledger.
    pub fn new(store: Store) -> Self {
        Self { store, open: Mutex::default() }
    }

    fn calls(&self) -> MutexGuard<'_, HashMap<(String, u32), OpenCall>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn reserved(&self, key: &CallKey, reservation: Reservation) -> Reserve {
        match reservation {
            Reservation::Fresh(call) => {
                let (epoch, partial) = (call.epoch(), call.partial().to_owned());
                self.calls().insert((key.as_str().to_owned(), epoch), call);
                Reserve::Fresh { epoch, partial }
            }
            Reservation::Done(detail) => Reserve::Done(result_of(*detail)),
            Reservation::InDoubt { partial, since, worker, alive, .. } => {
                Reserve::InDoubt { partial, since, worker, alive }
            }
            Reservation::Refused(why) => Reserve::Refused(why),
            Reservation::OverBudget(over) => Reserve::OverBudget(over.to_string()),
            other => Reserve::Refused(format!("the store said something new: {other:?}")),
        }
    }

    async fn settled(
        &self,
        key: &CallKey,
        epoch: u32,
        result: CallResult,
    ) -> Result<Settlement, LedgerError> {
        let open = self.calls().remove(&(key.as_str().to_owned(), epoch));
        let settled = settled_as(result);
        let receipt = match open {
            Some(call) => call.settle(settled).await.map(Some),
            // Begun by an earlier process on this machine, or settled once already.
            None => self.store.settle_key(key, epoch, settled).await,
        };
        match receipt {
            Ok(Some(receipt)) if receipt.late => Ok(Settlement::Late),
            Ok(Some(_)) | Err(StoreError::AlreadySettled(_)) => Ok(Settlement::Counted),
            Ok(None) => Err(LedgerError::Refused(format!(
                "there is no call {key} of epoch {epoch} in the ledger"
            ))),
            Err(error) => Err(ledger_error(error)),
        }
    }

    // A call whose job is not in the index belongs to no flow and no list of jobs.
    async fn is_wanted(&self, job: &JobId, filter: &JobFilter) -> Result<bool, LedgerError> {
        if filter.within.as_ref().is_some_and(|within| !is_within(job, within))
            || (filter.roots_only && job.parent().is_some())
        {
            return Ok(false);
        }
        if filter.flow.is_none() && filter.ended.is_none() {
            return Ok(true);
        }
        let row = self.store.job(job).await.map_err(ledger_error)?;
        Ok(row.is_some_and(|row| {
            let of_flow = filter.flow.as_deref().is_none_or(|wanted| row.flow.name() == wanted);
            of_flow && filter.ended.is_none_or(|ended| row.ended.is_some() == ended)
        }))
    }
}

impl Drop for StoreLedger {
    fn drop(&mut self) {
        for (_, call) in self.calls().drain() {
            call.leave_open();
        }
    }
}

impl CallLedger for StoreLedger {
    fn reserve<'a>(
        &'a self,
        key: &'a CallKey,
        call: &'a StepCall,
    ) -> Fut<'a, Result<Reserve, LedgerError>> {
        Box::pin(async move {
            let reservation = self.store.reserve(key, new_call(call)).await;
            Ok(self.reserved(key, reservation.map_err(ledger_error)?))
        })
    }

    fn take_over<'a>(
        &'a self,
        key: &'a CallKey,
        call: &'a StepCall,
    ) -> Fut<'a, Result<Reserve, LedgerError>> {
        Box::pin(async move {
            let reservation = self.store.take_over(key, new_call(call)).await;
            Ok(self.reserved(key, reservation.map_err(ledger_error)?))
        })
    }

    fn append<'a>(
        &'a self,
        key: &'a CallKey,
        epoch: u32,
        text: &'a str,
    ) -> Fut<'a, Result<(), LedgerError>> {
        // The store takes it without waiting, and has it on disk a moment later.
        let taken = match self.calls().get_mut(&(key.as_str().to_owned(), epoch)) {
            Some(call) => {
                call.append(text);
                Ok(())
            }
            None => Err(LedgerError::Refused(format!("call {key} is not open here"))),
        };
        Box::pin(std::future::ready(taken))
    }

    fn settle<'a>(
        &'a self,
        key: &'a CallKey,
        epoch: u32,
        result: CallResult,
    ) -> Fut<'a, Result<Settlement, LedgerError>> {
        Box::pin(self.settled(key, epoch, result))
    }

    fn in_doubt<'a>(
        &'a self,
        filter: &'a JobFilter,
    ) -> Fut<'a, Result<Vec<InDoubtStep>, LedgerError>> {
        Box::pin(async move {
            let key_prefix = filter.within.as_ref().map(|id| id.as_str().to_owned());
            let asked = DoubtFilter { key_prefix, limit: MOST_DOUBTS };
            let mut steps = Vec::new();
            for call in self.store.in_doubt(&asked).await.map_err(ledger_error)? {
                let key = call.key;
                // Calls of others than jobs are not ours to decide about.
                let Some(job) = key.job() else { continue };
                if !self.is_wanted(&job, filter).await? {
                    continue;
                }
                steps.push(InDoubtStep {
                    key,
                    job: Some(job),
                    since: call.since,
                    worker: call.worker,
                    partial_bytes: call.partial_bytes,
                    worst_micro_dollars: call.worst.micro_dollars,
                });
            }
            Ok(steps)
        })
    }

    fn resolve<'a>(
        &'a self,
        key: &'a CallKey,
        decision: Decision,
    ) -> Fut<'a, Result<bool, LedgerError>> {
        Box::pin(async move {
            let decision = match decision {
                Decision::Retry => Resolution::Retry,
                Decision::UseResult(text) => Resolution::UseResult(text),
                Decision::Fail => Resolution::Fail(format!(
                    "a person decided that the paid call {key} is not made again"
                )),
            };
            self.store.resolve_key(key, decision).await.map_err(ledger_error)
        })
    }
}

fn is_within(job: &JobId, parent: &JobId) -> bool {
    job.as_str()
        .strip_prefix(parent.as_str())
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn new_call(call: &StepCall) -> NewCall {
    NewCall {
        purpose: call.purpose.clone(),
        dialect: DIALECT.to_owned(),
        provider: call.provider.clone(),
        model: call.model.clone(),
        session: call.session.clone(),
        worst: call.worst,
        ..NewCall::default()
    }
}

fn settled_as(result: CallResult) -> Settled {
    let error = result.failure().map(|error| error.to_string());
    let CallResult { answered, text, usage, micro_dollars, note } = result;
    let finish = note.get("finish").and_then(Json::as_str).map(str::to_owned);
    Settled {
        // The process that asked judges the answer; until then it is an answer and no more.
        outcome: if answered { CallOutcome::Answered } else { CallOutcome::Failed },
        usage,
        micro_dollars,
        finish,
        error,
        text: Some(text),
        note: (!note.is_null()).then_some(note),
        ..Settled::default()
    }
}

// The text as it was settled, or as a person decided it is; only where neither is kept any more,
// what had arrived.
fn result_of(detail: CallDetail) -> CallResult {
    let CallDetail { call, texts, .. } = detail;
    let outcome = call.outcome.unwrap_or(CallOutcome::Failed);
    let answered = !matches!(outcome, CallOutcome::Failed | CallOutcome::Abandoned);
    let note = call.note.unwrap_or_default();
    let (answered, note) = match WrappedNote::deserialize(&note) {
        Ok(old) => (old.answered || outcome == CallOutcome::Resolved, old.note),
        Err(_) => (answered, note),
    };
    let known = !call.estimated;
    CallResult {
        answered,
        text: texts.result.or(texts.partial).unwrap_or(texts.raw),
        usage: call.usage.filter(|_| known),
        micro_dollars: call.micro_dollars.filter(|_| known),
        note,
    }
}
