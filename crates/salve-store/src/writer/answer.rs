//! Tells whoever asked what came of it, once it is safe.
//!
//! In: operations and their answers, in the same order. Out: replies, and news for subscribers. Never
//! waits for anybody.

use super::plan::{Answer, Planned};
use super::{Op, ReserveOp, Reserved, Writer};
use crate::open_call::OpenCall;

impl Writer {
    pub(super) fn answer(&mut self, ops: Vec<Op>, answers: Vec<Answer>) {
        for (op, answer) in ops.into_iter().zip(answers) {
            // Whoever does not wait any more has gone away; what was asked is done all the same.
            match (op, answer) {
                (Op::Reserve(op), Answer::Reserved(planned)) => {
                    let ReserveOp { opening, reply, .. } = *op;
                    if let Ok(Planned::Fresh(held)) = &planned {
                        self.handed.insert(held.id.0);
                    }
                    drop(reply.send(planned.map(|planned| match planned {
                        Planned::Fresh(held) => Reserved::Fresh(OpenCall::new(held, opening)),
                        Planned::Before(id) => Reserved::Before(id),
                        Planned::OverBudget(over) => Reserved::OverBudget(over),
                    })));
                }
                (Op::Settle(op), Answer::Settled(receipt)) => {
                    if !self.books.open.contains_key(&op.held.id.0) {
                        self.handed.remove(&op.held.id.0);
                    }
                    if let Some(reply) = op.reply {
                        let _ = reply.send(receipt);
                    }
                }
                (Op::Save { reply, .. }, _) => drop(reply.send(Ok(()))),
                (Op::Event { reply, .. }, Answer::Event(id)) => drop(reply.send(Ok(id))),
                (Op::Job(op), answer) => op.answer(answer),
                _ => {}
            }
        }
        self.announce(self.books.next_event - 1);
    }

    /// Wakes those who wait for events.
    pub(super) fn announce(&self, newest: i64) {
        self.news.send_if_modified(|known| {
            let newer = newest > *known;
            *known = newest.max(*known);
            newer
        });
    }
}
