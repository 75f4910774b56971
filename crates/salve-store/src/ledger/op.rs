//! What is asked of the call ledger, and what an open call holds.
//!
//! In: redacted values. Out: operations for the writer. Never holds a text that was not redacted.

use super::accounts::Account;
use super::open_call::{OpenCall, Opening};
use super::raw::RawText;
use crate::{
    AnswerStat, BudgetScope, CallId, Durability, KeyId, NewCall, OverBudget, Receipt, Settled,
    StoreError, WorstCase,
};
use salve_types::Timestamp;
use std::sync::Arc;
use tokio::sync::oneshot;

/// Where the caller waits for its answer.
pub(crate) type Reply<T> = oneshot::Sender<Result<T, StoreError>>;

/// Something to be written to the call ledger.
#[derive(Debug)]
pub(crate) enum Op {
    Reserve(Box<ReserveOp>),
    Settle(Box<SettleOp>),
    /// Text of a call waits.
    Arrived(Arc<RawText>),
    /// Enough text of a call waits that it should be written now.
    PieceFull(Arc<RawText>),
    /// The caller waits for the text of a call to be safe.
    Save {
        raw: Arc<RawText>,
        reply: Reply<()>,
    },
    /// An answer to be counted.
    Count(AnswerStat),
}

/// A call that is to be made. Its names are redacted.
#[derive(Debug)]
pub(crate) struct ReserveOp {
    pub(crate) key: Option<String>,
    pub(crate) call: NewCall,
    pub(crate) opening: Opening,
    pub(crate) reply: Reply<Reserved>,
}

impl ReserveOp {
    /// Returns what it would hold as this call.
    pub(crate) fn held(&self, id: CallId, now: Timestamp) -> Held {
        Held {
            id,
            epoch: 1,
            reserved_at: now,
            worst: self.call.worst,
            day: now.day(),
            key_id: self.call.key_id,
            session: self.call.session.clone(),
            has_key: self.key.is_some(),
        }
    }
}

/// The outcome. Dropped without a taker, it gives the budget back.
#[derive(Debug)]
pub(crate) enum Reserved {
    Fresh(OpenCall),
    Before(CallId),
    OverBudget(OverBudget),
}

/// A call that ended. Its texts are redacted.
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
    /// Whether it is under a key, by which a resumed job finds it again.
    pub(crate) has_key: bool,
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

/// Returns how safe these must be. A call under a key is repeated by the job that is resumed, unless
/// its reservation says that it went out: that must outlive a power cut before the call is made. So
/// must its settlement before it is acknowledged, for then the spool forgets the result. Of any other
/// call, a settlement that is lost leaves it in doubt, which is seen.
pub(super) fn durability(ops: &[Op], usual: Durability) -> Durability {
    let keyed = |op: &Op| match op {
        Op::Reserve(op) => op.key.is_some(),
        Op::Settle(op) => op.held.has_key,
        _ => false,
    };
    if ops.iter().any(keyed) { Durability::Full } else { usual }
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
            _ => {}
        }
    }
    unsettled
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redacted::Redactor;
    use crate::testing::options;
    use tokio::sync::mpsc;

    fn reserve(key: Option<&str>) -> Op {
        let opening = Opening {
            raw_cap: 0,
            redactor: Arc::new(Redactor::new(options().redactor)),
            writer: mpsc::unbounded_channel().0,
        };
        let (reply, _) = oneshot::channel();
        let key = key.map(str::to_owned);
        Op::Reserve(Box::new(ReserveOp { key, call: NewCall::default(), opening, reply }))
    }

    fn settle(has_key: bool) -> Op {
        let Op::Reserve(op) = reserve(has_key.then_some("job/1")) else { unreachable!() };
        let held = op.held(CallId(1), Timestamp(1));
        let raw = Arc::new(RawText::new(CallId(1), 1, 0));
        Op::Settle(Box::new(SettleOp {
            held,
            raw,
            settled: Settled::default(),
            reply: None,
            failures: 0,
        }))
    }

    #[test]
    fn a_call_that_a_resumed_job_would_repeat_survives_a_loss_of_power() {
        use Durability::{Full, Normal};
        let of = |ops: &[Op], usual| durability(ops, usual);
        assert_eq!(of(&[reserve(None), reserve(Some("job/1"))], Normal), Full);
        assert_eq!(of(&[reserve(None), reserve(None)], Normal), Normal);
        assert_eq!(of(&[reserve(None)], Full), Full);
        assert_eq!([of(&[settle(true)], Normal), of(&[settle(false)], Normal)], [Full, Normal]);
    }
}
