//! The one task that writes: takes what waits, and has it committed.
//!
//! In: messages of every caller. Out: the ledger's batch, then transactions on the other tables. Never
//! waits while something is there to be written.

use crate::commit::{Change, commit};
use crate::ledger::{Ledger, Op};
use crate::poll::announce;
use crate::sql::{Connection, query};
use crate::{Retention, retention};
use salve_types::Clock;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::Instant;

/// When what is old is first forgotten, and how often afterwards.
const FIRST_PRUNE: Duration = Duration::from_secs(60);
const PRUNE: Duration = Duration::from_secs(3600);
/// The pause between parts of what is forgotten.
const PRUNE_PAUSE: Duration = Duration::from_millis(100);
/// At most this many messages are taken at once.
const BATCH: usize = 1024;
/// At most this many transactions share a commit: other processes wait for the whole of it.
const GROUP: usize = 256;

/// What the writer is asked for.
#[derive(Debug)]
pub(crate) enum Message {
    /// An operation on the call ledger.
    Ledger(Op),
    /// A transaction.
    Change(Change),
    /// Write what waits, and end.
    Close(oneshot::Sender<()>),
}

/// The task that writes.
pub(crate) struct Writer {
    pub(crate) connection: Connection,
    pub(crate) ledger: Ledger,
    pub(crate) worker: String,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) retention: Retention,
    pub(crate) news: Arc<watch::Sender<i64>>,
}

impl Writer {
    /// Writes until it is told to end, or no caller is left.
    pub(crate) async fn run(mut self, mut messages: mpsc::UnboundedReceiver<Message>) {
        let closed = self.serve(&mut messages).await;
        self.ledger.sign_off(&mut self.connection).await;
        if !self.connection.is_postgres() {
            let _ = query("PRAGMA optimize").execute(&mut self.connection).await;
        }
        if let Err(error) = self.connection.close().await {
            tracing::warn!(%error, "the database could not be closed in order");
        }
        if let Some(closed) = closed {
            let _ = closed.send(());
        }
    }

    async fn serve(
        &mut self,
        messages: &mut mpsc::UnboundedReceiver<Message>,
    ) -> Option<oneshot::Sender<()>> {
        let mut prune_at = Instant::now() + FIRST_PRUNE;
        let mut waiting = Vec::new();
        loop {
            let wake_at = self.ledger.wake_at().map_or(prune_at, |moment| moment.min(prune_at));
            if next(messages, wake_at, &mut waiting).await.is_break() {
                break;
            }
            let (mut ops, mut changes, mut close) = (Vec::new(), Vec::new(), None);
            for message in waiting.drain(..) {
                match message {
                    Message::Ledger(op) => ops.push(op),
                    Message::Change(change) => changes.push(change),
                    Message::Close(done) => close = Some(done),
                }
            }
            self.ledger.commit(ops, close.is_some(), &mut self.connection).await;
            while !changes.is_empty() {
                let rest = changes.split_off(changes.len().min(GROUP));
                self.commit(std::mem::replace(&mut changes, rest)).await;
            }
            if close.is_some() {
                return close;
            }
            if Instant::now() >= prune_at {
                prune_at = Instant::now() + self.prune().await;
            }
        }
        self.ledger.commit(Vec::new(), true, &mut self.connection).await;
        None
    }

    async fn commit(&mut self, group: Vec<Change>) {
        let now = self.clock.now();
        let effects = commit(group, &mut self.connection, &self.worker, now).await;
        self.ledger.note(&effects);
        if let Some(newest) = effects.newest_event {
            announce(&self.news, newest);
        }
    }

    /// Forgets a part of what is old; returns how long to wait before the next.
    async fn prune(&mut self) -> Duration {
        let (change, pruned) = retention::change(self.retention);
        self.commit(vec![change]).await;
        match pruned.await {
            Ok(Ok(pruned)) if pruned.more => PRUNE_PAUSE,
            Ok(Err(error)) => {
                tracing::warn!(%error, "what is old could not be forgotten");
                PRUNE
            }
            Ok(Ok(_)) | Err(_) => PRUNE,
        }
    }
}

/// Waits for something to do; with what is there already, it does not wait. Breaks when no caller is
/// left.
async fn next(
    messages: &mut mpsc::UnboundedReceiver<Message>,
    wake_at: Instant,
    waiting: &mut Vec<Message>,
) -> ControlFlow<()> {
    match messages.try_recv() {
        Ok(message) => waiting.push(message),
        Err(mpsc::error::TryRecvError::Disconnected) => return ControlFlow::Break(()),
        Err(mpsc::error::TryRecvError::Empty) => {
            match tokio::time::timeout_at(wake_at, messages.recv()).await {
                Ok(Some(message)) => waiting.push(message),
                Ok(None) => return ControlFlow::Break(()),
                Err(_) => return ControlFlow::Continue(()),
            }
        }
    }
    while waiting.len() < BATCH {
        let Ok(message) = messages.try_recv() else { break };
        waiting.push(message);
    }
    ControlFlow::Continue(())
}
