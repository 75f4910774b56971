//! The turns of one workspace, one after another.
//!
//! In: turns that are to be run or gone on with, from any number of sessions. Out: each is run while this process has
//! the workspace's lock, in one task that ends with its owner. What is not over then is found again by the next
//! process. Never two turns of a workspace at a time, and never a turn that was cancelled while it waited.

use super::{Conversation, ConversationError, RunningTurn, job_of};
use crate::heal::{HealLock, RepairError};
use crate::session::{TurnInput, TurnResume};
use salve_store::{SessionWrite, TurnRecord, TurnUpdate};
use salve_types::TurnStatus;
use std::path::Path;
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;

/// How many turns may wait.
const MOST: usize = 256;
/// How often it is looked whether another process has left the workspace.
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);

/// How long a turn that runs may take to end by itself when the queue is told to stop.
const LAST_STEP: Duration = Duration::from_secs(1);

/// A turn that is to be run, or gone on with.
#[derive(Debug, Clone)]
pub struct TurnOrder {
    /// What is to be answered, and what may be done about it.
    pub input: TurnInput,
    /// What a turn that waits is told.
    pub told: Option<TurnResume>,
    /// What must wait then: a decision is about what was shown, and about nothing that came after it.
    pub approval: Option<String>,
}

/// The turns of one workspace that wait or run. Dropped, it stops without waiting.
#[derive(Debug)]
pub struct TurnQueue {
    orders: mpsc::Sender<TurnOrder>,
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl TurnQueue {
    /// Begins to take turns, in the runtime it is called in. `grace` is how long a step that is being done may go on
    /// when the queue is told to stop.
    pub fn start(conversation: Conversation, grace: Duration) -> Self {
        let (orders, taken) = mpsc::channel(MOST);
        let (stop, stopped) = watch::channel(false);
        let worker = Worker { conversation, grace, stop: stopped };
        Self { orders, stop, task: tokio::spawn(worker.run(taken)) }
    }

    /// Adds a turn behind those that wait.
    ///
    /// # Errors
    /// When too many wait, or the queue has stopped.
    pub fn push(&self, order: TurnOrder) -> Result<(), ConversationError> {
        self.orders.try_send(order).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => ConversationError::Full(MOST),
            mpsc::error::TrySendError::Closed(_) => ConversationError::Stopping,
        })
    }

    /// Takes no more turns, hands back the one that runs, and returns when its steps have ended.
    pub async fn stop(self) {
        let _ = self.stop.send(true);
        // A task that ended badly has nothing more to hand back.
        let _ = self.task.await;
    }
}

impl Conversation {
    /// Notes that a turn which ended is to be tried again, and returns it as it is then. Another turn is returned as
    /// it is.
    ///
    /// # Errors
    /// When the store or the jobs cannot be reached.
    pub async fn again(&self, turn: &TurnRecord) -> Result<TurnRecord, ConversationError> {
        let attempt = self.attempt(turn).await?;
        if attempt == turn.attempt.max(1) {
            return Ok(turn.clone());
        }
        let id = job_of(&turn.session, turn.index, attempt)?;
        let write = SessionWrite {
            turn: Some(TurnUpdate {
                index: turn.index,
                status: Some(TurnStatus::Pending),
                attempt: Some(attempt),
                ..TurnUpdate::default()
            }),
            ..SessionWrite::new(turn.session.clone(), format!("{id}:asked"))
        };
        self.parts.store.write_session(write).await?;
        Ok(TurnRecord { attempt, status: TurnStatus::Pending, ..turn.clone() })
    }
}

// Waits until the queue is told to stop, or is dropped; returns at once where it was.
async fn stopping(stop: &mut watch::Receiver<bool>) {
    let _ = stop.wait_for(|stopped| *stopped).await;
}

struct Worker {
    conversation: Conversation,
    grace: Duration,
    stop: watch::Receiver<bool>,
}

impl Worker {
    async fn run(mut self, mut orders: mpsc::Receiver<TurnOrder>) {
        loop {
            let order = tokio::select! {
                biased;
                () = stopping(&mut self.stop) => return,
                order = orders.recv() => order,
            };
            let Some(order) = order else { return };
            let place = (order.input.session.clone(), order.input.turn);
            let id = job_of(&place.0, place.1, order.input.attempt);
            if let (Err(error), Ok(id)) = (self.turn(order).await, id)
                && !matches!(error, ConversationError::Failed(_) | ConversationError::Cancelled(_))
            {
                // Where the store cannot be reached either, the turn is still open and found at the next start.
                let why = error.to_string();
                let noted = self.conversation.note_end(&place, &id, TurnStatus::Failed, &why);
                let _ = noted.await;
            }
        }
    }

    async fn turn(&mut self, order: TurnOrder) -> Result<(), ConversationError> {
        let Some(_lock) = self.lock(&order.input.root).await? else { return Ok(()) };
        if !self.is_wanted(&order).await? {
            return Ok(());
        }
        let mut running = self.conversation.start(order.input, order.told).await?;
        let stopped = tokio::select! {
            stopped = running.stopped() => stopped.map(drop),
            () = stopping(&mut self.stop) => {
                // A turn that has just told its end may still end its job.
                let last = tokio::time::timeout(LAST_STEP, running.stopped()).await;
                last.map_or(Ok(()), |stopped| stopped.map(drop))
            }
        };
        running.finish(self.grace).await;
        stopped
    }

    // Waits for another process to leave the workspace; nothing when this one is to stop meanwhile.
    async fn lock(&mut self, root: &Path) -> Result<Option<HealLock>, ConversationError> {
        loop {
            match RunningTurn::lock(root) {
                Ok(lock) => return Ok(Some(lock)),
                Err(ConversationError::Workspace(RepairError::Busy { .. })) => {}
                Err(error) => return Err(error),
            }
            tokio::select! {
                () = stopping(&mut self.stop) => return Ok(None),
                () = tokio::time::sleep(BETWEEN_LOOKS) => {}
            }
        }
    }

    // While it waited, it may have been cancelled, decided about twice, or run by another process.
    async fn is_wanted(&self, order: &TurnOrder) -> Result<bool, ConversationError> {
        let TurnInput { session, turn, .. } = &order.input;
        let turn = self.conversation.store().turn(session, *turn).await?;
        let Some(turn) = turn.filter(|turn| !turn.rewound) else { return Ok(false) };
        let Some(approval) = &order.approval else {
            return Ok(match turn.status {
                TurnStatus::Pending | TurnStatus::Running => true,
                TurnStatus::Waiting => order.told.is_some(),
                _ => false,
            });
        };
        let waiting = self.conversation.waiting(&turn).await?;
        Ok(waiting.is_some_and(|waiting| waiting.approval == *approval))
    }
}
