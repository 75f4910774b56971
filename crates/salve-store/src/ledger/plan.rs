//! Turns what was asked into one batch: who fits the budget, which numbers, which rows.
//!
//! In: the operations that waited, and the ledger's state. Out: a batch and an answer to each.
//! Never touches the database: what it needs was read before.

use super::batch::Batch;
use super::late::Lates;
use super::raw::{Piece, RawText};
use super::state::State;
use super::{Held, Op, ReserveOp, SettleOp};
use crate::sql::{Cell, int};
use crate::{AnswerStat, Budgets, CallId, OverBudget, Receipt, Spend, StoreError};
use salve_types::Timestamp;
use std::collections::HashMap;
use std::sync::Arc;

/// What the caller is answered once the batch is safe.
#[derive(Debug)]
pub(crate) enum Answer {
    Reserved(Result<Planned, StoreError>),
    Settled(Result<Receipt, StoreError>),
    Done,
}

/// What comes of a reservation once the batch is safe.
#[derive(Debug)]
pub(crate) enum Planned {
    Fresh(Held),
    Before(CallId),
    OverBudget(OverBudget),
}

/// A batch, and the answers in the order of the operations.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) batch: Batch,
    pub(crate) answers: Vec<Answer>,
}

/// What a plan is made from besides the ledger's state.
#[derive(Debug)]
pub(crate) struct Given<'a> {
    pub(crate) now: Timestamp,
    pub(crate) budgets: &'a Budgets,
    /// Calls that were reserved before under a key that is asked for now.
    pub(crate) known: HashMap<String, i64>,
    /// What is known of calls that are settled by a worker that does not own them any more.
    pub(crate) lates: Lates,
    pub(crate) pieces: &'a [(Arc<RawText>, Piece)],
    pub(crate) seen: bool,
}

/// Plans a batch.
pub(crate) fn plan(ops: &[Op], mut given: Given<'_>, state: &mut State) -> Plan {
    let mut batch = Batch { seen_at: given.seen.then_some(given.now.0), ..Batch::default() };
    let mut counts: HashMap<AnswerStat, i64> = HashMap::new();
    let mut answers = Vec::with_capacity(ops.len());
    for op in ops {
        answers.push(match op {
            Op::Reserve(op) => Answer::Reserved(reserve(op, &mut given, state, &mut batch)),
            Op::Settle(op) if state.open.get(&op.held.id.0) != Some(&op.held.epoch) => {
                Answer::Settled(given.lates.settle(op, given.now, state, &mut batch))
            }
            Op::Settle(op) => {
                Answer::Settled(Ok(settle(op, given.now, state, &mut batch, &mut counts)))
            }
            Op::Count(stat) => {
                *counts.entry(stat.clone()).or_default() += 1;
                Answer::Done
            }
            Op::Save { .. } | Op::Arrived(_) | Op::PieceFull(_) => Answer::Done,
        });
    }
    for (raw, piece) in given.pieces {
        let (start, length) = batch.keep(piece.text.as_bytes());
        batch.pieces.push(&[
            Cell::Int(raw.call.0),
            Cell::Int(piece.position),
            Cell::Int(start),
            Cell::Int(length),
            Cell::Int(raw.epoch),
        ]);
    }
    count(&counts, given.now.day(), &mut batch);
    for (account, balance) in state.accounts.take_changed() {
        batch.budgets.push(&[
            Cell::Text(&account.stored()),
            Cell::Int(account.day),
            Cell::Int(int(balance.held.tokens)),
            Cell::Int(int(balance.held.micro_dollars)),
            Cell::Int(int(balance.spent.tokens)),
            Cell::Int(int(balance.spent.micro_dollars)),
            Cell::Int(given.now.day()),
        ]);
    }
    batch.next_call = state.next_call;
    Plan { batch, answers }
}

fn reserve(
    op: &ReserveOp,
    given: &mut Given<'_>,
    state: &mut State,
    batch: &mut Batch,
) -> Result<Planned, StoreError> {
    if let Some(id) = op.key.as_ref().and_then(|key| given.known.get(key)) {
        return Ok(Planned::Before(CallId(*id)));
    }
    let call = &op.call;
    if let Some(key) = call.key_id
        && state.keys.in_force(key).is_none()
    {
        return Err(StoreError::NoSuchKey(key));
    }
    let held = op.held(CallId(state.next_call), given.now);
    if let Err(over) = state.accounts.hold(&held, given.budgets, &state.keys) {
        return Ok(Planned::OverBudget(over));
    }
    let id = state.next_call;
    state.next_call += 1;
    state.open.insert(id, 1);
    if let Some(key) = &op.key {
        given.known.insert(key.clone(), id);
    }
    batch.calls.push(&[
        Cell::Int(id),
        Cell::MaybeText(op.key.as_deref()),
        Cell::Int(given.now.0),
        Cell::Int(held.day),
        Cell::Text(&call.purpose),
        Cell::Text(&call.dialect),
        Cell::Text(&call.provider),
        Cell::Text(&call.model),
        Cell::MaybeInt(call.key_id.map(|key| key.0)),
        Cell::MaybeText(call.session.as_deref()),
        Cell::MaybeInt(call.parent.map(|parent| parent.0)),
        Cell::MaybeText(call.prompt_hash.as_deref()),
        Cell::Int(int(call.worst.prompt.tokens)),
        Cell::Int(int(call.worst.prompt.micro_dollars)),
        Cell::Int(int(call.worst.answer.tokens)),
        Cell::Int(int(call.worst.answer.micro_dollars)),
    ]);
    Ok(Planned::Fresh(held))
}

/// Returns what a call took, as far as that is known.
pub(super) fn taken(op: &SettleOp) -> Receipt {
    let settled = &op.settled;
    let worst = op.held.worst;
    let usage = settled.usage.unwrap_or_else(|| worst.usage_after(op.raw.arrived()));
    let micro_dollars = settled.micro_dollars.unwrap_or_else(|| worst.price(usage));
    let estimated = settled.usage.is_none() || settled.micro_dollars.is_none();
    Receipt { id: op.held.id, usage, micro_dollars, estimated, late: false }
}

fn settle(
    op: &SettleOp,
    now: Timestamp,
    state: &mut State,
    batch: &mut Batch,
    counts: &mut HashMap<AnswerStat, i64>,
) -> Receipt {
    let id = op.held.id;
    state.open.remove(&id.0);
    let settled = &op.settled;
    let receipt = taken(op);
    let Receipt { usage, micro_dollars, estimated, .. } = receipt;
    state.accounts.release(&op.held, Spend { tokens: usage.total(), micro_dollars });
    let note = settled.note.as_ref().map(ToString::to_string);
    let stat = settled.stat.as_ref();
    batch.settlements.push(&[
        Cell::Int(id.0),
        Cell::Int(now.0),
        Cell::Text(settled.outcome.name()),
        Cell::Int(int(usage.input_tokens)),
        Cell::Int(int(usage.output_tokens)),
        Cell::Int(int(usage.cached_tokens)),
        Cell::Int(int(usage.reasoning_tokens)),
        Cell::Int(int(micro_dollars)),
        Cell::Int(i64::from(estimated)),
        Cell::Int(int(op.raw.arrived())),
        Cell::MaybeText(settled.finish.as_deref()),
        Cell::MaybeInt(settled.status.map(i64::from)),
        Cell::MaybeText(settled.error.as_deref()),
        Cell::MaybeText(note.as_deref()),
        Cell::MaybeText(stat.and_then(|stat| stat.kind.as_deref())),
        Cell::MaybeText(stat.map(|stat| stat.language.as_str())),
    ]);
    if let Some(text) = &settled.text {
        let slot = if settled.outcome.is_whole() { "result" } else { "partial" };
        let (start, length) = batch.keep(text.as_bytes());
        batch.texts.push(&[Cell::Int(id.0), Cell::Text(slot), Cell::Int(start), Cell::Int(length)]);
    }
    if let Some(stat) = stat {
        *counts.entry(stat.clone()).or_default() += 1;
    }
    receipt
}

fn count(counts: &HashMap<AnswerStat, i64>, day: i64, batch: &mut Batch) {
    for (stat, count) in counts {
        batch.counts.push(&[
            Cell::Int(day),
            Cell::Text(stat.kind.as_deref().unwrap_or("")),
            Cell::Text(&stat.model),
            Cell::Text(&stat.language),
            Cell::Text(stat.outcome.name()),
            Cell::Int(*count),
        ]);
    }
}
