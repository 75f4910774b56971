//! Reserving a call before it is made.
//!
//! In: what is about to be asked. Out: an open call, or the outcome it had before. Never two calls
//! under one key, and never one beyond a budget.

use super::op::{Op, ReserveOp, Reserved};
use crate::writer::Message;
use crate::{CallKey, NewCall, Reservation, Store, StoreError};
use tokio::sync::oneshot;

impl Store {
    /// Reserves a call: holds its worst case in every budget it counts in, and writes it down, in
    /// one transaction. A call that was reserved under the same key before is not reserved again.
    ///
    /// # Errors
    /// When the database refuses, or its gateway key is not in force.
    pub async fn reserve(&self, key: &CallKey, call: NewCall) -> Result<Reservation, StoreError> {
        let call = self.redacted_call(call);
        let again = call.clone();
        match self.reserved(Some(self.redactor().key(key.as_str())), call).await? {
            Reserved::Fresh(call) => Ok(Reservation::Fresh(call.handed_over())),
            Reserved::OverBudget(over) => Ok(Reservation::OverBudget(over)),
            Reserved::Before(id) => match self.found(id).await? {
                found if found.is_to_be_made_again() => Box::pin(self.take_over(key, again)).await,
                found => Ok(found.said()),
            },
        }
    }

    /// Reserves a call that is never asked for again, such as a gateway's.
    ///
    /// # Errors
    /// When the database refuses, or its gateway key is not in force.
    pub async fn reserve_unkeyed(&self, call: NewCall) -> Result<Reservation, StoreError> {
        match self.reserved(None, self.redacted_call(call)).await? {
            Reserved::Fresh(call) => Ok(Reservation::Fresh(call.handed_over())),
            Reserved::OverBudget(over) => Ok(Reservation::OverBudget(over)),
            Reserved::Before(id) => Ok(self.found(id).await?.said()),
        }
    }

    async fn reserved(&self, key: Option<String>, call: NewCall) -> Result<Reserved, StoreError> {
        let (reply, answer) = oneshot::channel();
        let op = ReserveOp { key, call, opening: self.opening(), reply };
        self.send(Message::Ledger(Op::Reserve(Box::new(op))))?;
        answer.await.map_err(|_| StoreError::Closed)?
    }

    pub(crate) fn redacted_call(&self, call: NewCall) -> NewCall {
        let redactor = self.redactor();
        NewCall {
            purpose: redactor.name(&call.purpose),
            dialect: redactor.name(&call.dialect),
            provider: redactor.name(&call.provider),
            model: redactor.name(&call.model),
            session: call.session.map(|session| redactor.name(&session)),
            prompt_hash: call.prompt_hash.map(|hash| redactor.name(&hash)),
            ..call
        }
    }
}
