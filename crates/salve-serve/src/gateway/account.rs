//! What the calls of one request are booked on.
//!
//! In: a call that is about to be made. Out: its place in the ledger, with its worst case held in
//! every budget it counts in, until it is settled. A call that a budget limits and that cannot be booked
//! is not made; of any other one nothing is used before it is booked.

use super::heal::{CallEnd, CallMeter};
use futures_util::FutureExt;
use salve_model::{Price, Purpose, worst_of_tokens};
use salve_store::{
    AnswerStat, CallId, CallOutcome, GatewayKey, NewCall, OpenCall, OverBudget, Reservation,
    Settled, Store, StoreError,
};
use salve_types::{FinishReason, WorstCase};
use serde_json::json;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Where calls are booked.
pub(crate) struct Account {
    pub(crate) store: Option<Store>,
    pub(crate) key: Option<Arc<GatewayKey>>,
    pub(crate) dialect: &'static str,
    pub(crate) provider: Arc<str>,
    pub(crate) model: String,
    pub(crate) price: Option<Price>,
    pub(crate) budgeted: bool,
    pub(crate) first: OnceLock<CallId>,
    pub(crate) first_call: FirstCall,
}

/// The first call, once it is over and until its reply is judged: how it ended is then known better.
#[derive(Clone, Default)]
pub(crate) struct FirstCall(Arc<Mutex<First>>);

#[derive(Default)]
enum First {
    /// It is not over, or it is judged.
    #[default]
    Nothing,
    /// It is over, and not settled yet.
    Ended(Box<Pending>),
    /// It is settled as answered, because another call followed: its answer was not whole.
    Answered(CallId, Store),
}

struct Pending {
    call: Option<OpenCall>,
    settled: Settled,
}

impl FirstCall {
    fn put(&self, call: OpenCall, settled: Settled) {
        *self.lock() = First::Ended(Box::new(Pending { call: Some(call), settled }));
    }

    /// Settles the call with what the judgement says; returns whether the answer was counted with it.
    pub(crate) fn judged(&self, outcome: CallOutcome, stat: Option<&AnswerStat>) -> bool {
        match std::mem::take(&mut *self.lock()) {
            First::Nothing => false,
            First::Ended(mut pending) => {
                pending.settled.outcome = outcome;
                pending.settled.stat = stat.cloned();
                true
            }
            First::Answered(id, store) => {
                // The first look hands it to the ledger's writer.
                let _ = store.judge_call(id, outcome, stat).now_or_never();
                false
            }
        }
    }

    // Settles the call before another one is booked, so that what it did not take can be used. What
    // its answer was is known only when all that followed it is done.
    fn settle(&self, store: &Store) {
        let mut first = self.lock();
        if let First::Ended(pending) = &mut *first
            && let Some(id) = pending.call.as_ref().map(OpenCall::id)
        {
            pending.settled.outcome = CallOutcome::Answered;
            *first = First::Answered(id, store.clone());
        }
    }

    fn lock(&self) -> MutexGuard<'_, First> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if let Some(call) = self.call.take() {
            end(call, std::mem::take(&mut self.settled));
        }
    }
}

/// Why a call is not booked.
#[derive(Debug)]
pub(crate) enum NotBooked {
    /// It would not fit.
    OverBudget(OverBudget),
    /// The ledger cannot be written.
    Ledger(StoreError),
}

impl Account {
    /// Books one call; `None` when there is no ledger.
    pub(crate) async fn book(
        &self,
        purpose: Purpose,
        worst: WorstCase,
    ) -> Result<Option<Booking>, NotBooked> {
        let Some(store) = &self.store else { return Ok(None) };
        self.first_call.settle(store);
        let call = NewCall {
            purpose: purpose_name(purpose).to_owned(),
            dialect: self.dialect.to_owned(),
            provider: self.provider.to_string(),
            model: self.model.clone(),
            key_id: self.key.as_ref().map(|key| key.id),
            parent: self.first.get().copied(),
            worst,
            ..NewCall::default()
        };
        match store.reserve_unkeyed(call).await {
            Ok(Reservation::Fresh(open)) => {
                let _ = self.first.set(open.id());
                let first = (purpose == Purpose::First).then(|| self.first_call.clone());
                Ok(Some(Booking { first, open, worst, price: self.price, status: None, bytes: 0 }))
            }
            Ok(Reservation::OverBudget(over)) => Err(NotBooked::OverBudget(over)),
            // A call without a name of its own is always a new one.
            Ok(_) => Err(NotBooked::Ledger(StoreError::Closed)),
            Err(error) => Err(NotBooked::Ledger(error)),
        }
    }

    /// Returns the most a request of this many bytes can take, with this many tokens of all answers
    /// together. No text in use takes more tokens than half its bytes.
    pub(crate) fn worst_case(&self, prompt_bytes: usize, answer_tokens: u64) -> WorstCase {
        worst_of_tokens((prompt_bytes as u64).div_ceil(2), answer_tokens, self.price.as_ref())
    }
}

/// A call that is booked and not yet settled. Dropped, it is settled as given up, at what had arrived.
pub(crate) struct Booking {
    open: OpenCall,
    first: Option<FirstCall>,
    worst: WorstCase,
    price: Option<Price>,
    status: Option<u16>,
    bytes: usize,
}

impl Booking {
    /// Returns its number in the ledger.
    pub(crate) fn id(&self) -> CallId {
        self.open.id()
    }

    /// Settles a call that was answered with a failure, or not at all: it took nothing.
    pub(crate) fn failed(self, status: Option<u16>, error: &str) {
        end(self.open, Settled::failed(status, error));
    }

    /// Settles a call whose reply was not read: it is counted at the most it can have taken.
    pub(crate) fn unread(self) {
        let settled = Settled {
            outcome: CallOutcome::Answered,
            usage: Some(self.worst.usage_after(u64::MAX)),
            micro_dollars: Some(self.worst.total().micro_dollars),
            status: self.status,
            ..Settled::default()
        };
        end(self.open, settled);
    }

    /// Notes the status of the reply.
    pub(crate) fn answered(&mut self, status: u16) {
        self.status = Some(status);
    }
}

impl CallMeter for Booking {
    fn arrived(&mut self, text: &str) {
        self.bytes += text.len();
        self.open.append(text);
    }

    fn arrived_besides(&mut self, bytes: usize) {
        self.bytes += bytes;
    }

    fn settle(self: Box<Self>, ended: CallEnd) {
        // What a provider says of its end proves nothing: that an answer is whole, its judge says.
        let outcome = match ended.finish {
            Some(FinishReason::Length | FinishReason::Disconnect) | None => CallOutcome::Incomplete,
            Some(_) => CallOutcome::Answered,
        };
        let usage = ended.usage.unwrap_or_else(|| self.worst.usage_after(self.bytes as u64));
        let estimated = ended.usage.is_none();
        let money = Some(usage).zip(self.price).map(|(usage, price)| price.cost(usage).0);
        let finish = ended.finish.map(|finish| finish.name().to_owned());
        let settled = Settled {
            outcome,
            usage: Some(usage),
            micro_dollars: money,
            finish,
            status: self.status,
            note: estimated.then(|| json!({"usage": "estimated"})),
            ..Settled::default()
        };
        match self.first {
            Some(first) => first.put(self.open, settled),
            None => end(self.open, settled),
        }
    }
}

// The first look hands the settlement to the ledger's writer; nothing here waits for the disk.
fn end(open: OpenCall, settled: Settled) {
    let _ = open.settle(settled).now_or_never();
}

fn purpose_name(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::First => "first",
        Purpose::Resume => "resume",
        Purpose::Rework => "rework",
        Purpose::Retry => "retry",
        _ => "other",
    }
}
