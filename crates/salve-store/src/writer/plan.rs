//! Turns what was asked into one batch: who fits the budget, which numbers, which rows.
//!
//! In: the operations that waited, and the books. Out: a batch and an answer to each operation.
//! Never touches the database: what it needs was read before.

use super::batch::Batch;
use super::books::Books;
use super::jobs::Jobs;
use super::late::Lates;
use super::rows::{Cell, int};
use super::{Held, Op, ReserveOp, SettleOp};
use crate::raw::{Piece, RawText};
use crate::tables::events::ReadyEvent;
use crate::tables::statistics::Inspection;
use crate::{Budgets, CallId, OverBudget, Receipt, Registered, Spend, StoreError};
use salve_types::Timestamp;
use std::collections::HashMap;
use std::sync::Arc;

/// What is told to whoever asked, once the batch is safe.
#[derive(Debug)]
pub(crate) enum Answer {
    Reserved(Result<Planned, StoreError>),
    Settled(Result<Receipt, StoreError>),
    Event(i64),
    Registered(Registered),
    /// Whether it was done.
    Told(bool),
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

/// What a plan is made from besides the books.
#[derive(Debug)]
pub(crate) struct Given<'a> {
    pub(crate) now: Timestamp,
    pub(crate) budgets: &'a Budgets,
    /// Calls that were reserved before under a key that is asked for now.
    pub(crate) known: HashMap<String, i64>,
    /// The jobs that are asked about now.
    pub(crate) jobs: Jobs,
    /// What is known of calls that are settled by somebody who does not own them any more.
    pub(crate) lates: Lates,
    pub(crate) pieces: &'a [(Arc<RawText>, Piece)],
    pub(crate) seen: bool,
}

/// Plans a batch.
pub(crate) fn plan(ops: &[Op], mut given: Given<'_>, books: &mut Books) -> Plan {
    let mut batch = Batch { seen_at: given.seen.then_some(given.now.0), ..Batch::default() };
    let mut counts: HashMap<Inspection, i64> = HashMap::new();
    let mut answers = Vec::with_capacity(ops.len());
    for op in ops {
        answers.push(match op {
            Op::Reserve(op) => Answer::Reserved(reserve(op, &mut given, books, &mut batch)),
            Op::Settle(op) if books.open.get(&op.held.id.0) != Some(&op.held.epoch) => {
                Answer::Settled(given.lates.settle(op, given.now, books, &mut batch))
            }
            Op::Settle(op) => {
                Answer::Settled(Ok(settle(op, given.now, books, &mut batch, &mut counts)))
            }
            Op::Event { event, .. } => {
                Answer::Event(keep_event(event, given.now, books, &mut batch))
            }
            Op::Job(op) => given.jobs.plan(op, given.now, books, &mut batch),
            Op::Inspect(inspection, call) => {
                *counts.entry(inspection.clone()).or_default() += 1;
                if let (Some(call), Some(kind)) = (call, &inspection.kind) {
                    batch.judgements.push(&[
                        Cell::Int(call.0),
                        Cell::Text(kind),
                        Cell::Text(&inspection.language),
                    ]);
                }
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
    given.jobs.finish(&mut batch);
    count(&counts, given.now.day(), &mut batch);
    for (account, balance) in books.accounts.take_changed() {
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
    batch.next_call = books.next_call;
    batch.next_event = books.next_event;
    batch.next_job = books.next_job;
    Plan { batch, answers }
}

fn reserve(
    op: &ReserveOp,
    given: &mut Given<'_>,
    books: &mut Books,
    batch: &mut Batch,
) -> Result<Planned, StoreError> {
    if let Some(id) = op.key.as_ref().and_then(|key| given.known.get(key)) {
        return Ok(Planned::Before(CallId(*id)));
    }
    let call = &op.call;
    if let Some(key) = call.key_id
        && books.keys.in_force(key).is_none()
    {
        return Err(StoreError::NoSuchKey(key));
    }
    let held = Held {
        id: CallId(books.next_call),
        epoch: 1,
        reserved_at: given.now,
        worst: call.worst,
        day: given.now.day(),
        key_id: call.key_id,
        session: call.session.clone(),
    };
    if let Err(over) = books.accounts.hold(&held, given.budgets, &books.keys) {
        return Ok(Planned::OverBudget(over));
    }
    let id = books.next_call;
    books.next_call += 1;
    books.open.insert(id, 1);
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

/// Plans an event and returns its number.
pub(super) fn keep_event(
    event: &ReadyEvent,
    now: Timestamp,
    books: &mut Books,
    batch: &mut Batch,
) -> i64 {
    let id = books.next_event;
    books.next_event += 1;
    let (start, length) = batch.keep(event.body.as_bytes());
    batch.events.push(&[
        Cell::Int(id),
        Cell::Int(now.0),
        Cell::Text(&event.kind),
        Cell::Text(&event.subject),
        Cell::Int(start),
        Cell::Int(length),
    ]);
    id
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
    books: &mut Books,
    batch: &mut Batch,
    counts: &mut HashMap<Inspection, i64>,
) -> Receipt {
    let id = op.held.id;
    books.open.remove(&id.0);
    let settled = &op.settled;
    let receipt = taken(op);
    let Receipt { usage, micro_dollars, estimated, .. } = receipt;
    books.accounts.release(&op.held, Spend { tokens: usage.total(), micro_dollars });
    let note = settled.note.as_ref().map(ToString::to_string);
    let inspection = settled.inspection.as_ref();
    batch.settles.push(&[
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
        Cell::MaybeText(inspection.and_then(|inspection| inspection.kind.as_deref())),
        Cell::MaybeText(inspection.map(|inspection| inspection.language.as_str())),
    ]);
    if let Some(text) = &settled.text {
        let slot = if settled.outcome.is_whole() { "result" } else { "partial" };
        let (start, length) = batch.keep(text.as_bytes());
        batch.texts.push(&[Cell::Int(id.0), Cell::Text(slot), Cell::Int(start), Cell::Int(length)]);
    }
    if let Some(inspection) = inspection {
        *counts.entry(inspection.clone()).or_default() += 1;
    }
    receipt
}

fn count(counts: &HashMap<Inspection, i64>, day: i64, batch: &mut Batch) {
    for (inspection, count) in counts {
        batch.inspections.push(&[
            Cell::Int(day),
            Cell::Text(inspection.kind.as_deref().unwrap_or("")),
            Cell::Text(&inspection.model),
            Cell::Text(&inspection.language),
            Cell::Text(inspection.outcome.name()),
            Cell::Int(*count),
        ]);
    }
}
