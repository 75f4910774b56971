//! Answers the callers, once what they asked is safe.
//!
//! In: operations and their answers, in the same order. Out: replies. Never waits for anybody.

use super::open_call::OpenCall;
use super::plan::{Answer, Planned};
use super::{Ledger, Op, ReserveOp, Reserved};

impl Ledger {
    pub(super) fn answer(&mut self, ops: Vec<Op>, answers: Vec<Answer>) {
        for (op, answer) in ops.into_iter().zip(answers) {
            // A caller that does not wait any more is gone; what it asked for is done anyway.
            match (op, answer) {
                (Op::Reserve(op), Answer::Reserved(planned)) => {
                    let ReserveOp { opening, reply, .. } = *op;
                    if let Ok(Planned::Fresh(held)) = &planned {
                        self.owner.hand_over(held.id);
                    }
                    drop(reply.send(planned.map(|planned| match planned {
                        Planned::Fresh(held) => Reserved::Fresh(OpenCall::new(held, opening)),
                        Planned::Before(id) => Reserved::Before(id),
                        Planned::OverBudget(over) => Reserved::OverBudget(over),
                    })));
                }
                (Op::Settle(op), Answer::Settled(receipt)) => {
                    if !self.state.open.contains_key(&op.held.id.0) {
                        self.owner.take_back(op.held.id);
                    }
                    if let Some(reply) = op.reply {
                        let _ = reply.send(receipt);
                    }
                }
                (Op::Save { reply, .. }, _) => drop(reply.send(Ok(()))),
                _ => {}
            }
        }
    }
}
