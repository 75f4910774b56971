//! The calls to models: reserved, settled, and counted in budgets, in one statement for all that wait.
//!
//! In: operations that waited together. Out: answers after the commit. Never two transactions for what
//! waited together, never an answer before the commit, and never planned with what is not true any
//! more: the ledger's version shows it.

mod accounts;
mod answer;
mod batch;
mod call;
mod doubt;
mod late;
mod op;
mod open_call;
mod owner;
mod ownership;
mod plan;
mod raw;
mod read;
mod reserve;
mod sections;
mod spend;
mod state;
mod tables;

pub use call::{
    Call, CallDetail, CallFilter, CallId, CallState, CallTexts, CallTry, LateEnd, NewCall,
    Reservation, Resolution, Settled,
};
pub use doubt::{DoubtFilter, DoubtfulCall};
pub use open_call::{OpenCall, Receipt};
pub use read::{DaySpending, Spending};
pub use spend::{BudgetScope, OverBudget};

pub(crate) use op::Op;
pub(crate) use open_call::Opening;
pub(crate) use owner::Owner;
pub(crate) use tables::TABLE;

use crate::commit::{Effects, Rollback, Transaction};
use crate::sql::{Connection, query};
use crate::{Durability, StoreError, StoreOptions};
use batch::{Begin, PlannedAt};
use late::Lates;
use op::{Held, ReserveOp, Reserved, SettleOp};
use plan::{Answer, Given, Plan};
use raw::{Piece, RawText};
use salve_types::Clock;
use state::State;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// Text waits at most this long before it is written.
const FLUSH: Duration = Duration::from_millis(100);
/// How often a settlement is tried that cannot be written.
const TRIES: u32 = 50;
/// The longest wait after a failure, however many there were.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// The part of the writer that keeps the call ledger.
pub(crate) struct Ledger {
    clock: Arc<dyn Clock>,
    owner: Arc<Owner>,
    durability: Durability,
    state: State,
    /// Calls with text that waits, and until when.
    waiting: Vec<Arc<RawText>>,
    flush_at: Option<Instant>,
    /// When this worker is next to be seen alive, if it has open calls.
    beat_at: Instant,
    /// Settlements that could not be written yet, and when they are tried again.
    unsettled: Vec<Op>,
    retry_at: Option<Instant>,
    /// Whether something may have been written whose caller was not answered.
    unsure: bool,
    /// How long it waits after a failure; longer each time.
    pause: Duration,
}

/// Text that is to be written, and whose it is.
type Pieces = [(Arc<RawText>, Piece)];

impl Ledger {
    pub(crate) fn new(options: &StoreOptions, owner: Arc<Owner>) -> Self {
        Self {
            clock: Arc::clone(&options.clock),
            state: State::new(Arc::clone(&owner.keys)),
            owner,
            durability: options.durability,
            waiting: Vec::new(),
            flush_at: None,
            beat_at: Instant::now(),
            unsettled: Vec::new(),
            retry_at: None,
            unsure: false,
            pause: FLUSH,
        }
    }

    /// Returns when there is something to do without being asked.
    pub(crate) fn wake_at(&self) -> Option<Instant> {
        let beat_at = self.state.has_open_calls().then_some(self.beat_at);
        [self.flush_at, beat_at, self.retry_at].into_iter().flatten().min()
    }

    /// Takes note of what a transaction on other tables has to do with the ledger.
    pub(crate) fn note(&mut self, effects: &Effects) {
        self.unsure |= effects.unsure;
        if effects.unsure {
            self.state.forget();
        }
        self.state.note(effects);
    }

    /// Makes one transaction of everything and answers; then, if it is time or the end, tries again
    /// what could not be written before.
    pub(crate) async fn commit(&mut self, ops: Vec<Op>, end: bool, connection: &mut Connection) {
        self.commit_once(ops, end, connection).await;
        if end || self.retry_at.is_some_and(|moment| Instant::now() >= moment) {
            // Apart from the operations of others, which must not fail with it.
            self.retry_at = None;
            let unsettled = std::mem::take(&mut self.unsettled);
            self.commit_once(unsettled, false, connection).await;
        }
    }

    async fn commit_once(&mut self, ops: Vec<Op>, everything: bool, connection: &mut Connection) {
        let pieces = self.take_pieces(&ops, everything);
        let writes = |op: &Op| !matches!(op, Op::Arrived(_) | Op::PieceFull(_));
        let reserves = ops.iter().any(|op| matches!(op, Op::Reserve(_)));
        let has_open = reserves || self.state.has_open_calls();
        let seen = has_open && Instant::now() >= self.beat_at;
        if !seen && pieces.is_empty() && !ops.iter().any(writes) {
            return;
        }
        match self.write(&ops, &pieces, seen, connection).await {
            Ok(answers) => {
                self.pause = FLUSH;
                if seen {
                    self.beat_at = Instant::now() + self.owner.silence / 4;
                }
                self.answer(ops, answers);
            }
            Err(error) => self.put_back(ops, pieces, error),
        }
    }

    /// Keeps what has to be written for another try, and answers the rest that it failed.
    fn put_back(&mut self, ops: Vec<Op>, pieces: Vec<(Arc<RawText>, Piece)>, error: sqlx::Error) {
        let error = StoreError::database("write to the ledger")(error);
        for (raw, piece) in pieces.into_iter().rev() {
            raw.put_back(piece);
            self.waiting.push(raw);
        }
        // Said once, here: not every caller is there to hear it.
        tracing::error!(%error, operations = ops.len(), "the ledger could not be written");
        self.unsettled.extend(op::refused(ops, &error));
        let next = Instant::now() + self.pause;
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        if !self.waiting.is_empty() {
            self.flush_at = Some(next);
        }
        if !self.unsettled.is_empty() {
            self.retry_at.get_or_insert(next);
        }
        self.beat_at = self.beat_at.max(next);
    }

    async fn write(
        &mut self,
        ops: &[Op],
        pieces: &Pieces,
        seen: bool,
        connection: &mut Connection,
    ) -> Result<Vec<Answer>, sqlx::Error> {
        let written = self.write_once(ops, pieces, seen, connection).await;
        if written.is_err() {
            self.unsure = true;
            self.state.forget();
            connection.rollback().await;
        }
        written
    }

    /// Plans with what is known and writes. If another process has written meanwhile, it keeps others
    /// from writing, reads, and plans once more.
    async fn write_once(
        &mut self,
        ops: &[Op],
        pieces: &Pieces,
        seen: bool,
        connection: &mut Connection,
    ) -> Result<Vec<Answer>, sqlx::Error> {
        let (owner, durability) = (Arc::clone(&self.owner), op::durability(ops, self.durability));
        let (worker, process) = (owner.worker.as_str(), owner.process.as_str());
        if let Some(version) = self.state.version {
            let Plan { batch, answers } = self.plan(ops, pieces, seen, connection).await?;
            let at = PlannedAt { version, worker, process, durability };
            if batch.write(at, Begin::Here, connection).await? {
                self.state.version = Some(version + 1);
                return Ok(answers);
            }
            self.state.forget();
        }
        connection.begin(durability).await?;
        self.state.read(worker, connection).await?;
        if self.unsure {
            self.take_back_orphans(connection).await?;
        }
        let version = self.state.version.unwrap_or_default();
        let Plan { batch, answers } = self.plan(ops, pieces, seen, connection).await?;
        let at = PlannedAt { version, worker, process, durability };
        if !batch.write(at, Begin::Before, connection).await? {
            return Err(sqlx::Error::Protocol("the ledger has no state row".to_owned()));
        }
        self.unsure = false;
        self.state.version = Some(version + 1);
        Ok(answers)
    }

    async fn take_back_orphans(&mut self, connection: &mut Connection) -> Result<(), sqlx::Error> {
        let orphans = self.owner.orphans(&self.state.open);
        if orphans.is_empty() {
            return Ok(());
        }
        let mut tx = Transaction::new(connection, &self.owner.worker, self.clock.now());
        match ownership::take_back(&mut tx, &orphans, &mut self.state.accounts).await {
            Ok(()) => {}
            Err(Rollback::Database(error)) => return Err(error),
            Err(Rollback::Refused(error)) => tracing::warn!(%error, "a reservation stays"),
        }
        for (id, _) in orphans.iter().filter(|(_, epoch)| *epoch == 1) {
            self.state.open.remove(id);
        }
        if let Some((_, version)) = tx.effects().raised {
            self.state.version = Some(version);
        }
        Ok(())
    }

    /// Reads what planning needs and is not known, and plans.
    async fn plan(
        &mut self,
        ops: &[Op],
        pieces: &Pieces,
        seen: bool,
        connection: &mut Connection,
    ) -> Result<Plan, sqlx::Error> {
        let now = self.clock.now();
        self.state.accounts.make_room();
        let mut accounts = Vec::new();
        let mut keys = Vec::new();
        for op in ops {
            match op {
                Op::Reserve(op) => {
                    keys.extend(op.key.as_deref());
                    accounts.extend(op.held(CallId(0), now).accounts());
                }
                Op::Settle(op) => accounts.extend(op.held.accounts()),
                _ => {}
            }
        }
        self.state.accounts.read(accounts, connection).await?;
        let known = state::calls_by_key(&keys, connection).await?;
        let lates = Lates::read(ops, &self.state, connection).await?;
        let given = Given { now, budgets: &self.owner.budgets, known, lates, pieces, seen };
        Ok(plan::plan(ops, given, &mut self.state))
    }

    /// Takes out the text that is to be written with these operations.
    fn take_pieces(&mut self, ops: &[Op], everything: bool) -> Vec<(Arc<RawText>, Piece)> {
        let mut due: Vec<Arc<RawText>> = Vec::new();
        for op in ops {
            match op {
                Op::Arrived(raw) => {
                    self.waiting.push(Arc::clone(raw));
                    self.flush_at.get_or_insert_with(|| Instant::now() + FLUSH);
                }
                Op::PieceFull(raw) | Op::Save { raw, .. } => due.push(Arc::clone(raw)),
                Op::Settle(op) => due.push(Arc::clone(&op.raw)),
                _ => {}
            }
        }
        if everything || self.flush_at.is_some_and(|moment| Instant::now() >= moment) {
            due.append(&mut self.waiting);
            self.flush_at = None;
        }
        due.into_iter().filter_map(|raw| raw.take().map(|piece| (raw, piece))).collect()
    }

    /// Writes down that this worker has ended.
    pub(crate) async fn sign_off(&self, connection: &mut Connection) {
        let gone = query("DELETE FROM workers WHERE worker = $1")
            .bind(&self.owner.worker)
            .execute(connection)
            .await;
        if let Err(error) = gone {
            tracing::warn!(%error, "could not sign off from the ledger");
        }
    }
}
