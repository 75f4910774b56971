//! A call that is being made: what its owner does with it.
//!
//! In: text as it arrives, then how the call ended. Out: a receipt once the ledger has it. Never
//! lost: an owner that ends without settling leaves a call that is settled as abandoned.

use super::raw::{Announce, RawText};
use super::{Held, Op, SettleOp};
use crate::redacted::Redactor;
use crate::writer::Message;
use crate::{CallId, CallOutcome, Settled, StoreError, StreamRedactor};
use salve_types::Usage;
use std::fmt;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};

/// A call that was reserved and is not settled yet. Its worst case is held in every budget it counts
/// in until it is.
///
/// What is appended is safe from the death of the process 100 ms later or after 16 KiB, whichever is
/// first; only what is younger, and what the redactor holds back to see whether a secret is
/// beginning, can be lost.
#[must_use]
pub struct OpenCall {
    held: Held,
    partial: String,
    raw: Arc<RawText>,
    redaction: Box<dyn StreamRedactor>,
    redactor: Arc<Redactor>,
    writer: mpsc::UnboundedSender<Message>,
    handed_over: bool,
    settled: bool,
}

/// What an open call is made with.
pub(crate) struct Opening {
    pub(crate) raw_cap: usize,
    pub(crate) redactor: Arc<Redactor>,
    pub(crate) writer: mpsc::UnboundedSender<Message>,
}

impl fmt::Debug for Opening {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Opening").finish_non_exhaustive()
    }
}

/// What a settled call took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Receipt {
    /// The call.
    pub id: CallId,
    /// Its tokens.
    pub usage: Usage,
    /// Its price in millionths of a dollar.
    pub micro_dollars: u64,
    /// Whether either was estimated.
    pub estimated: bool,
    /// Whether another process had taken the call over or decided about it: then this was written down
    /// beside it, and is not its result.
    pub late: bool,
}

impl OpenCall {
    pub(crate) fn new(held: Held, opening: Opening) -> Self {
        let Opening { raw_cap, redactor, writer } = opening;
        let raw = Arc::new(RawText::new(held.id, held.epoch, raw_cap));
        let redaction = redactor.stream();
        let partial = String::new();
        Self { held, partial, raw, redaction, redactor, writer, handed_over: false, settled: false }
    }

    /// Notes that it has reached its caller, who may make the call from now on.
    pub(crate) fn handed_over(mut self) -> Self {
        self.handed_over = true;
        self
    }

    /// Returns its number.
    pub const fn id(&self) -> CallId {
        self.held.id
    }

    /// Returns the epoch it is in: 1, and one more each time the call changes hands.
    pub fn epoch(&self) -> u32 {
        u32::try_from(self.held.epoch).unwrap_or(u32::MAX)
    }

    /// Returns what had arrived for its owner before.
    pub fn partial(&self) -> &str {
        &self.partial
    }

    /// Notes what had arrived for its owner before.
    pub(crate) fn after(mut self, partial: String) -> Self {
        self.partial = partial;
        self
    }

    /// Takes text as it arrives. Never waits.
    pub fn append(&mut self, text: &str) {
        let redacted = self.redaction.push(text);
        self.announce(&redacted, text.len());
    }

    /// Waits until everything that was appended is safe, apart from what the redactor holds back.
    ///
    /// # Errors
    /// When the database refuses.
    pub fn save(&self) -> impl Future<Output = Result<(), StoreError>> + Send + use<> {
        let (reply, answer) = oneshot::channel();
        self.send(Op::Save { raw: Arc::clone(&self.raw), reply });
        async { answer.await.map_err(|_| StoreError::Closed)? }
    }

    /// Ends the call: writes how it ended and gives the unused part of its budgets back, together.
    ///
    /// # Errors
    /// When the database refuses. That another process had taken the call over is none: the receipt says
    /// that this came late. It is on its way before this returns: a caller that does not wait, or goes
    /// away while it waits, only misses the receipt.
    pub fn settle(
        mut self,
        settled: Settled,
    ) -> impl Future<Output = Result<Receipt, StoreError>> + Send + use<> {
        let (reply, answer) = oneshot::channel();
        self.end(settled, Some(reply));
        async { answer.await.map_err(|_| StoreError::Closed)? }
    }

    /// Lets go of the call without a word about how it ended: it stays open in the ledger, and is in
    /// doubt as soon as this process is not seen any more.
    pub fn leave_open(mut self) {
        self.settled = true;
    }

    fn end(
        &mut self,
        settled: Settled,
        reply: Option<oneshot::Sender<Result<Receipt, StoreError>>>,
    ) {
        self.settled = true;
        let rest = self.redaction.finish();
        self.raw.push(&rest, 0);
        let settled = redacted(&self.redactor, settled);
        let (held, raw) = (self.held.clone(), Arc::clone(&self.raw));
        let op = SettleOp { held, raw, settled, reply, failures: 0 };
        self.send(Op::Settle(Box::new(op)));
    }

    fn announce(&self, redacted: &str, arrived: usize) {
        match self.raw.push(redacted, arrived) {
            Announce::Nothing => {}
            Announce::Soon => self.send(Op::Arrived(Arc::clone(&self.raw))),
            Announce::Now => self.send(Op::PieceFull(Arc::clone(&self.raw))),
        }
    }

    // A writer that is gone leaves the call open in the ledger: visible as unknown, still held.
    fn send(&self, op: Op) {
        let _ = self.writer.send(Message::Ledger(op));
    }
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        if !self.settled {
            // The caller had gone before the answer came, so nothing was sent to the provider.
            let nothing = Settled::failed(None, "given up before it was made");
            let known = if self.handed_over { Settled::default() } else { nothing };
            self.end(Settled { outcome: CallOutcome::Abandoned, ..known }, None);
        }
    }
}

impl fmt::Debug for OpenCall {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("OpenCall").field("held", &self.held).finish_non_exhaustive()
    }
}

fn redacted(redactor: &Redactor, settled: Settled) -> Settled {
    let line = |text: Option<String>| text.map(|text| redactor.name(&text));
    Settled {
        finish: line(settled.finish),
        error: line(settled.error),
        text: settled.text.map(|text| redactor.text(&text)),
        stat: settled.stat.map(|stat| stat.redacted(redactor)),
        note: settled.note.map(|note| redactor.json(note)),
        ..settled
    }
}
