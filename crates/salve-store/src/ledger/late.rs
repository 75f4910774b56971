//! Settlements of calls that their owner does not own any more.
//!
//! In: settlements, and the outcome of the call meanwhile. Out: a row beside the call that says
//! what the try took. Never changes the result of the call; what the try counts for in budgets
//! becomes what it took, since that is known now.

use super::batch::Batch;
use super::plan::taken;
use super::state::State;
use super::{Op, SettleOp};
use crate::sql::{Cell, Connection, int, query};
use crate::{CallOutcome, Receipt, Spend, StoreError};
use salve_types::Timestamp;
use std::collections::HashMap;

/// The outcome of a call whose owner comes late.
#[derive(Debug, Clone, Copy)]
enum Fate {
    /// There is no trace of it.
    Gone,
    /// This settlement was written before, though its caller was not answered.
    Written,
    /// It was written as late before.
    Late,
    /// It was taken over, and counts as this.
    Lost(Spend),
    /// A person decided what it took.
    Decided,
}

/// What is known of the calls of late settlements.
#[derive(Debug, Default)]
pub(crate) struct Lates(HashMap<(i64, i64), Fate>);

impl Lates {
    /// Reads the outcome of the calls that are settled by a worker that does not own them.
    pub(super) async fn read(
        ops: &[Op],
        state: &State,
        connection: &mut Connection,
    ) -> Result<Self, sqlx::Error> {
        let mut fates = HashMap::new();
        for op in ops {
            let Op::Settle(op) = op else { continue };
            let (id, epoch) = (op.held.id.0, op.held.epoch);
            if state.open.get(&id) != Some(&epoch) {
                fates.insert((id, epoch), fate(id, epoch, connection).await?);
            }
        }
        Ok(Self(fates))
    }

    /// Plans a settlement that comes late.
    pub(super) fn settle(
        &mut self,
        op: &SettleOp,
        now: Timestamp,
        state: &mut State,
        batch: &mut Batch,
    ) -> Result<Receipt, StoreError> {
        let held = &op.held;
        let receipt = taken(op);
        let late = Receipt { late: true, ..receipt };
        let took = Spend { tokens: receipt.usage.total(), micro_dollars: receipt.micro_dollars };
        let known = self.0.insert((held.id.0, held.epoch), Fate::Late);
        let counted = match known.unwrap_or(Fate::Gone) {
            Fate::Gone => return Err(StoreError::NoSuchCall(held.id)),
            Fate::Written => return Ok(receipt),
            Fate::Late => return Ok(late),
            Fate::Decided => Spend::default(),
            Fate::Lost(counted) => {
                state.accounts.correct(held, counted, took);
                took
            }
        };
        push(op, receipt, counted, now, batch);
        Ok(late)
    }
}

fn push(op: &SettleOp, receipt: Receipt, counted: Spend, now: Timestamp, batch: &mut Batch) {
    let (held, settled) = (&op.held, &op.settled);
    let text = settled.text.as_deref().unwrap_or_default();
    let (start, length) = batch.keep(text.as_bytes());
    let note = settled.note.as_ref().map(ToString::to_string);
    batch.late.push(&[
        Cell::Int(held.id.0),
        Cell::Int(held.epoch),
        Cell::Int(held.reserved_at.0),
        Cell::Int(held.day),
        Cell::MaybeInt(held.key_id.map(|key| key.0)),
        Cell::MaybeText(held.session.as_deref()),
        Cell::Int(int(counted.tokens)),
        Cell::Int(int(counted.micro_dollars)),
        Cell::Int(now.0),
        Cell::Text(settled.outcome.name()),
        Cell::Int(int(receipt.usage.input_tokens)),
        Cell::Int(int(receipt.usage.output_tokens)),
        Cell::Int(int(receipt.usage.cached_tokens)),
        Cell::Int(int(receipt.usage.reasoning_tokens)),
        Cell::Int(int(receipt.micro_dollars)),
        Cell::MaybeText(note.as_deref()),
        Cell::Int(start),
        Cell::Int(length),
    ]);
}

async fn fate(id: i64, epoch: i64, connection: &mut Connection) -> Result<Fate, sqlx::Error> {
    let row = query(
        "SELECT calls.epoch, calls.outcome, call_tries.state, counted_tokens,
                counted_micro_dollars
           FROM calls LEFT JOIN call_tries ON call_tries.call = calls.id AND call_tries.epoch = $2
          WHERE calls.id = $1",
    )
    .bind(id)
    .bind(epoch)
    .fetch_optional(connection)
    .await?;
    let Some(row) = row else { return Ok(Fate::Gone) };
    let count = |at: usize| -> Result<u64, sqlx::Error> {
        Ok(u64::try_from(row.try_get::<i64>(at)?).unwrap_or_default())
    };
    Ok(match row.try_get::<Option<String>>(2)?.as_deref() {
        Some("late") => Fate::Late,
        Some(_) => Fate::Lost(Spend { tokens: count(3)?, micro_dollars: count(4)? }),
        None => {
            // An epoch has one owner, so this is what it wrote itself, unless a person decided.
            let resolved =
                row.try_get::<Option<String>>(1)?.as_deref() == Some(CallOutcome::Resolved.name());
            let same = row.try_get::<i64>(0)? == epoch;
            if same && !resolved { Fate::Written } else { Fate::Decided }
        }
    })
}
