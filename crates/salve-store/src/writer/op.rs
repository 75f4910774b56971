//! What callers ask the writer for, and what an open call holds.
//!
//! In: cleaned values. Out: the messages of one channel. Never holds a text that was not cleaned.

use super::accounts::Account;
use super::jobs::JobOp;
use super::rare::Rare;
use crate::commit::Change;
use crate::open_call::{OpenCall, Opening};
use crate::raw::RawText;
use crate::tables::events::ReadyEvent;
use crate::tables::statistics::Inspection;
use crate::{
    BudgetScope, CallId, KeyId, NewCall, OverBudget, Receipt, Settled, StoreError, WorstCase,
};
use salve_types::Timestamp;
use std::sync::Arc;
use tokio::sync::oneshot;

/// Who waits for an answer.
pub(crate) type Reply<T> = oneshot::Sender<Result<T, StoreError>>;

/// What the writer is asked for.
#[derive(Debug)]
pub(crate) enum Message {
    Ledger(Op),
    /// What happens so seldom that it gets a transaction of its own.
    Rare(Rare),
    /// A transaction on the other tables.
    Change(Change),
    /// Write what waits, and end.
    Close(oneshot::Sender<()>),
}

/// Something to be written to the call ledger.
#[derive(Debug)]
pub(crate) enum Op {
    Reserve(Box<ReserveOp>),
    Settle(Box<SettleOp>),
    /// Text of a call waits.
    Arrived(Arc<RawText>),
    /// So much text of a call waits that it should be written now.
    PieceFull(Arc<RawText>),
    /// Somebody waits for the text of a call to be safe.
    Save {
        raw: Arc<RawText>,
        reply: Reply<()>,
    },
    Event {
        event: ReadyEvent,
        reply: Reply<i64>,
    },
    /// Something about a job.
    Job(Box<JobOp>),
    /// A judgement, about this call if it has one.
    Inspect(Inspection, Option<CallId>),
}

/// A call that wants to be made. Its names are cleaned.
#[derive(Debug)]
pub(crate) struct ReserveOp {
    pub(crate) key: Option<String>,
    pub(crate) call: NewCall,
    pub(crate) opening: Opening,
    pub(crate) reply: Reply<Reserved>,
}

/// What came of it. If nobody is there to take it, dropping it gives the budget back.
#[derive(Debug)]
pub(crate) enum Reserved {
    Fresh(OpenCall),
    Before(CallId),
    OverBudget(OverBudget),
}

/// A call that ended. Its texts are cleaned.
#[derive(Debug)]
pub(crate) struct SettleOp {
    pub(crate) held: Held,
    pub(crate) raw: Arc<RawText>,
    pub(crate) settled: Settled,
    pub(crate) reply: Option<Reply<Receipt>>,
    /// How often it was refused.
    pub(crate) failures: u32,
}

/// What an open call holds, and where.
#[derive(Debug, Clone)]
pub(crate) struct Held {
    pub(crate) id: CallId,
    /// Raised each time the call changes hands.
    pub(crate) epoch: i64,
    pub(crate) reserved_at: Timestamp,
    pub(crate) worst: WorstCase,
    pub(crate) day: i64,
    pub(crate) key_id: Option<KeyId>,
    pub(crate) session: Option<String>,
}

impl Held {
    /// Returns the accounts it counts in.
    pub(crate) fn accounts(&self) -> impl Iterator<Item = Account> + '_ {
        let day = Account { scope: BudgetScope::Day, day: self.day };
        let key = self.key_id.map(|id| Account { scope: BudgetScope::Key(id), day: self.day });
        let session = self
            .session
            .as_ref()
            .map(|name| Account { scope: BudgetScope::Session(name.clone()), day: 0 });
        [Some(day), key, session].into_iter().flatten()
    }
}

// Settlements are kept for another try: they say what was paid. One that cannot be written at all
// leaves its call open in the ledger, and held.
pub(super) fn refused(ops: Vec<Op>, error: &StoreError) -> Vec<Op> {
    let mut unsettled = Vec::new();
    for op in ops {
        match op {
            Op::Reserve(op) => drop(op.reply.send(Err(error.clone()))),
            Op::Settle(mut op) if error.is_unreachable() || op.failures < super::TRIES => {
                op.failures += u32::from(!error.is_unreachable());
                unsettled.push(Op::Settle(op));
            }
            Op::Settle(op) => {
                if let Some(reply) = op.reply {
                    let _ = reply.send(Err(error.clone()));
                }
            }
            Op::Save { reply, .. } => drop(reply.send(Err(error.clone()))),
            Op::Job(op) => op.refuse(error),
            Op::Event { reply, .. } => drop(reply.send(Err(error.clone()))),
            _ => {}
        }
    }
    unsettled
}
