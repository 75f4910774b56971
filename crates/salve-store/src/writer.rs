//! The one task that writes: takes what waits, makes one transaction of it, answers when it is safe.
//!
//! In: operations from every caller. Out: answers after the commit. Never two transactions for what
//! waited together, and never an answer before the commit.

mod accounts;
mod answer;
mod batch;
mod books;
mod jobs;
mod late;
mod op;
mod plan;
mod prune;
mod rare;
mod rows;
mod sections;
mod take_over;

pub(crate) use jobs::JobOp;
pub(crate) use op::{Held, Message, Op, Reply, ReserveOp, Reserved, SettleOp};
pub(crate) use rare::Rare;
pub(crate) use rows::{Cell, Rows};
pub(crate) use take_over::{TakeOver, Taken};

use crate::commit::{Change, Rollback, commit};
use crate::raw::{Piece, RawText};
use crate::sql::{Connection, query};
use crate::tables::gateway_keys::KeyRing;
use crate::{Budgets, CallId, Durability, StoreError};
use batch::{Begin, Stand};
use books::Books;
use jobs::Jobs;
use late::Lates;
use plan::{Answer, Given, Plan};
use salve_types::Clock;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::Instant;

/// Text waits at most so long before it is written.
const FLUSH: Duration = Duration::from_millis(100);
/// A settlement that cannot be written is tried so often.
const TRIES: u32 = 50;
/// The longest wait after a failure, however many there were.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);
/// The first look for what is old enough to be forgotten, and the next ones.
const FIRST_PRUNE: Duration = Duration::from_secs(60);
const PRUNE: Duration = Duration::from_secs(3600);
/// At most so many operations go into one transaction.
const BATCH: usize = 1024;
/// At most so many of them if each is several statements: other processes wait meanwhile.
const GROUP: usize = 256;

/// The task that writes.
pub(crate) struct Writer {
    pub(crate) connection: Connection,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) worker: String,
    pub(crate) budgets: Budgets,
    pub(crate) retention: crate::Retention,
    pub(crate) silence: Duration,
    /// How safe the ledger's own commits are.
    durability: Durability,
    pub(crate) news: Arc<watch::Sender<i64>>,
    books: Books,
    /// Calls with text that waits, and until when.
    waiting: Vec<Arc<RawText>>,
    flush_at: Option<Instant>,
    beat_at: Instant,
    prune_at: Instant,
    /// Settlements that could not be written yet, and when they are tried again.
    unsettled: Vec<Op>,
    retry_at: Option<Instant>,
    /// Calls that were handed to somebody and not settled by them.
    handed: HashSet<i64>,
    /// Whether something may have been written that nobody was told of.
    unsure: bool,
    /// How long it waits after a failure; longer each time.
    pause: Duration,
}

impl Writer {
    pub(crate) fn new(
        connection: Connection,
        options: &crate::StoreOptions,
        worker: String,
        keys: Arc<KeyRing>,
        news: Arc<watch::Sender<i64>>,
    ) -> Self {
        Self {
            connection,
            clock: Arc::clone(&options.clock),
            worker,
            budgets: options.budgets,
            retention: options.retention,
            silence: options.silence,
            durability: options.durability,
            news,
            books: Books::new(keys),
            waiting: Vec::new(),
            flush_at: None,
            beat_at: Instant::now(),
            prune_at: Instant::now() + FIRST_PRUNE,
            unsettled: Vec::new(),
            retry_at: None,
            handed: HashSet::new(),
            unsure: false,
            pause: FLUSH,
        }
    }

    /// Writes until it is told to end or nobody is left who could ask.
    pub(crate) async fn run(mut self, mut asked: mpsc::UnboundedReceiver<Message>) {
        let asker = self.serve(&mut asked).await;
        self.end().await;
        if let Err(error) = self.connection.close().await {
            tracing::warn!(%error, "the ledger could not be closed in order");
        }
        if let Some(done) = asker {
            let _ = done.send(());
        }
    }

    async fn serve(
        &mut self,
        asked: &mut mpsc::UnboundedReceiver<Message>,
    ) -> Option<oneshot::Sender<()>> {
        let mut ops = Vec::new();
        loop {
            if self.next(asked, &mut ops).await.is_break() {
                break;
            }
            let mut close = None;
            let (mut ordinary, mut rare, mut changes) = (Vec::new(), Vec::new(), Vec::new());
            for op in ops.drain(..) {
                match op {
                    Message::Ledger(op) => ordinary.push(op),
                    Message::Rare(op) => rare.push(op),
                    Message::Change(change) => changes.push(change),
                    Message::Close(done) => close = Some(done),
                }
            }
            self.commit(ordinary, close.is_some()).await;
            for rare in rare {
                self.run_rare(rare).await;
            }
            while !changes.is_empty() {
                let rest = changes.split_off(changes.len().min(GROUP));
                self.commit_changes(std::mem::replace(&mut changes, rest)).await;
            }
            if close.is_some() || self.retry_at.is_some_and(|moment| Instant::now() >= moment) {
                self.retry().await;
            }
            if close.is_some() {
                return close;
            }
            if Instant::now() >= self.prune_at {
                self.prune_in_passing().await;
            }
        }
        self.commit(Vec::new(), true).await;
        self.retry().await;
        None
    }

    /// Waits for something to do; with what is there already, it does not wait.
    async fn next(
        &mut self,
        asked: &mut mpsc::UnboundedReceiver<Message>,
        ops: &mut Vec<Message>,
    ) -> std::ops::ControlFlow<()> {
        use std::ops::ControlFlow::{Break, Continue};
        while ops.len() < BATCH {
            match asked.try_recv() {
                Ok(op) => ops.push(op),
                Err(mpsc::error::TryRecvError::Disconnected) if ops.is_empty() => return Break(()),
                Err(_) => break,
            }
        }
        if !ops.is_empty() {
            return Continue(());
        }
        let beat_at = (!self.books.open.is_empty()).then_some(self.beat_at);
        let soon = [self.flush_at, beat_at, self.retry_at].into_iter().flatten();
        let wake_at = soon.fold(self.prune_at, Instant::min);
        match tokio::time::timeout_at(wake_at, asked.recv()).await {
            Ok(Some(op)) => ops.push(op),
            Ok(None) => return Break(()),
            Err(_) => return Continue(()),
        }
        while ops.len() < BATCH {
            let Ok(op) = asked.try_recv() else { break };
            ops.push(op);
        }
        Continue(())
    }

    /// Makes one transaction of everything and answers.
    async fn commit(&mut self, ops: Vec<Op>, everything: bool) {
        let pieces = self.take_pieces(&ops, everything);
        let writes = |op: &Op| !matches!(op, Op::Arrived(_) | Op::PieceFull(_));
        let reserves = ops.iter().any(|op| matches!(op, Op::Reserve(_)));
        let has_open = reserves || !self.books.open.is_empty();
        let seen = has_open && Instant::now() >= self.beat_at;
        if !seen && pieces.is_empty() && !ops.iter().any(writes) {
            return;
        }
        match self.write(&ops, &pieces, seen).await {
            Ok(answers) => {
                self.pause = FLUSH;
                if seen {
                    self.beat_at = Instant::now() + self.silence / 4;
                }
                self.answer(ops, answers);
            }
            Err(error) => {
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
        }
    }

    /// Commits operations on the other tables.
    async fn commit_changes(&mut self, group: Vec<Change>) {
        let now = self.clock.now();
        let effects = commit(group, &mut self.connection, &self.worker, now).await;
        if effects.unsure {
            self.books.forget();
        }
        if let Some((before, after)) = effects.raised {
            // If this process alone has written, it knows all there is but the version.
            if effects.ledger_changed || self.books.version != Some(before) {
                self.books.forget();
            } else {
                self.books.version = Some(after);
            }
        }
        if let Some(newest) = effects.newest_event {
            self.announce(newest);
        }
    }

    /// Tries again what could not be written, apart from everybody else's operations, which must not
    /// fail with it.
    async fn retry(&mut self) {
        self.retry_at = None;
        let unsettled = std::mem::take(&mut self.unsettled);
        self.commit(unsettled, false).await;
    }

    /// Forgets a part of what is old, between batches.
    async fn prune_in_passing(&mut self) {
        let (reply, pruned) = oneshot::channel();
        self.run_rare(Rare::Prune(reply)).await;
        let wait = match pruned.await {
            Ok(Ok(pruned)) if pruned.more => FLUSH,
            Ok(Ok(_)) | Err(_) => PRUNE,
            Ok(Err(error)) => {
                tracing::warn!(%error, "what is old could not be forgotten");
                PRUNE
            }
        };
        self.prune_at = Instant::now() + wait;
    }

    async fn write(
        &mut self,
        ops: &[Op],
        pieces: &[(Arc<RawText>, Piece)],
        seen: bool,
    ) -> Result<Vec<Answer>, sqlx::Error> {
        let written = self.write_once(ops, pieces, seen).await;
        if written.is_err() {
            self.unsure = true;
            self.books.forget();
            self.connection.rollback().await;
        }
        written
    }

    /// Plans with what is known and writes. If somebody else has written meanwhile, it keeps others
    /// from writing, reads, and plans once more.
    async fn write_once(
        &mut self,
        ops: &[Op],
        pieces: &[(Arc<RawText>, Piece)],
        seen: bool,
    ) -> Result<Vec<Answer>, sqlx::Error> {
        if let Some(version) = self.books.version {
            let Plan { batch, answers } = self.plan(ops, pieces, seen).await?;
            let stand = Stand { version, worker: &self.worker, durability: self.durability };
            if batch.write(stand, Begin::Here, &mut self.connection).await? {
                self.books.version = Some(version + 1);
                return Ok(answers);
            }
            self.books.forget();
        }
        self.connection.begin(self.durability).await?;
        self.books.read(&self.worker, &mut self.connection).await?;
        if self.unsure {
            match self.take_back_orphans().await {
                Ok(()) => {}
                Err(Rollback::Database(error)) => return Err(error),
                Err(Rollback::Refused(error)) => tracing::warn!(%error, "a reservation stays"),
            }
        }
        let version = self.books.version.unwrap_or_default();
        let Plan { batch, answers } = self.plan(ops, pieces, seen).await?;
        let stand = Stand { version, worker: &self.worker, durability: self.durability };
        if !batch.write(stand, Begin::Before, &mut self.connection).await? {
            return Err(sqlx::Error::Protocol("the ledger has no state row".to_owned()));
        }
        self.unsure = false;
        self.books.version = Some(version + 1);
        Ok(answers)
    }

    /// Reads what planning needs and is not known, and plans.
    async fn plan(
        &mut self,
        ops: &[Op],
        pieces: &[(Arc<RawText>, Piece)],
        seen: bool,
    ) -> Result<Plan, sqlx::Error> {
        let now = self.clock.now();
        self.books.accounts.make_room();
        let mut accounts = Vec::new();
        let mut keys = Vec::new();
        for op in ops {
            match op {
                Op::Reserve(op) => {
                    keys.extend(op.key.as_deref());
                    let held = Held {
                        id: CallId(0),
                        epoch: 1,
                        reserved_at: now,
                        worst: op.call.worst,
                        day: now.day(),
                        key_id: op.call.key_id,
                        session: op.call.session.clone(),
                    };
                    accounts.extend(held.accounts());
                }
                Op::Settle(op) => accounts.extend(op.held.accounts()),
                _ => {}
            }
        }
        self.books.read_accounts(accounts, &mut self.connection).await?;
        let known = books::calls_by_key(&keys, &mut self.connection).await?;
        let jobs = Jobs::read(ops, &mut self.connection).await?;
        let lates = Lates::read(ops, &self.books, &mut self.connection).await?;
        let given = Given { now, budgets: &self.budgets, known, jobs, lates, pieces, seen };
        Ok(plan::plan(ops, given, &mut self.books))
    }

    /// Takes out the text that is to be written with these operations.
    fn take_pieces(&mut self, ops: &[Op], everything: bool) -> Vec<(Arc<RawText>, Piece)> {
        let mut due: Vec<Arc<RawText>> = Vec::new();
        for op in ops {
            match op {
                Op::Arrived(raw) => self.wait_for(Arc::clone(raw)),
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

    fn wait_for(&mut self, raw: Arc<RawText>) {
        self.waiting.push(raw);
        self.flush_at.get_or_insert_with(|| Instant::now() + FLUSH);
    }

    async fn end(&mut self) {
        let gone = query("DELETE FROM workers WHERE worker = $1")
            .bind(&self.worker)
            .execute(&mut self.connection)
            .await;
        if let Err(error) = gone {
            tracing::warn!(%error, "could not sign off from the ledger");
        }
        if !self.connection.is_postgres() {
            let _ = query("PRAGMA optimize").execute(&mut self.connection).await;
        }
    }
}
