//! What the durable engine needs of a database, and no more.
//!
//! In: turns, steps and messages, serialised. Out: the same, claimed by one worker at a time under
//! a lease. Each call is one transaction. Never a type of the engine, and none of a database.

use crate::{Fut, JobUpdate, NewJob};
use salve_types::{
    ClaimedStep, ClaimedTurn, DeletedInstances, EngineCounts, EngineRefusal, ExecutionRow,
    FlowMessage, FlowValue, HistoryEvent, InstanceRow, QueuedStep, StepClaim, Timestamp, TurnClaim,
    TurnCommit,
};
use std::error::Error;
use std::sync::Arc;

/// What a storage operation gives.
pub type Stored<'a, T> = Fut<'a, Result<T, StorageError>>;

/// Why a storage operation failed.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum StorageError {
    /// It was refused, and will be again.
    #[error(transparent)]
    Refused(#[from] EngineRefusal),
    /// The database could not do it now.
    #[error("could not {doing}")]
    Unavailable {
        /// What was being done.
        doing: &'static str,
        /// What the database said.
        #[source]
        source: Arc<dyn Error + Send + Sync>,
    },
}

/// Where the durable engine keeps everything.
pub trait EngineStorage: Send + Sync {
    /// Returns the name of this process in its leases.
    fn owner(&self) -> String;

    /// Takes the leases of processes that have died on this machine away from them; returns how
    /// many.
    fn release_dead(&self) -> Stored<'_, u64>;

    /// Claims the oldest turn that is due and whose instance no worker holds. Messages to instances
    /// that do not exist wait for the start, except signals, which are dropped.
    fn claim_turn(&self, claim: TurnClaim) -> Stored<'_, Option<ClaimedTurn>>;

    /// Commits a turn under its lease, which ends with it. What the turn means for the job index is
    /// written in the same transaction; returns whether it was, which needs the index to be where
    /// the report begins.
    fn commit_turn(&self, turn: TurnCommit, news: Option<TurnNews>) -> Stored<'_, bool>;

    /// Gives a turn back; `due` delays its messages, `uncount` takes the attempt back.
    fn abandon_turn(&self, token: String, due: Option<Timestamp>, uncount: bool) -> Stored<'_, ()>;

    /// Extends the lease of a turn.
    fn renew_turn(&self, token: String, now: Timestamp, until: Timestamp) -> Stored<'_, ()>;

    /// Claims the oldest step that is due and is wanted.
    fn claim_step(&self, claim: StepClaim) -> Stored<'_, Option<ClaimedStep>>;

    /// Takes a step out of the queue under its lease, and sends the outcome.
    fn complete_step(
        &self,
        token: String,
        now: Timestamp,
        completion: Option<FlowMessage>,
    ) -> Stored<'_, ()>;

    /// Gives a step back, to be done from `due` on; `uncount` takes the attempt back.
    fn abandon_step(&self, token: String, due: Timestamp, uncount: bool) -> Stored<'_, ()>;

    /// Extends the lease of a step.
    fn renew_step(&self, token: String, now: Timestamp, until: Timestamp) -> Stored<'_, ()>;

    /// Extends the sessions of these owners that were active since `active_since`; returns how
    /// many.
    fn renew_sessions(
        &self,
        owners: Vec<String>,
        now: Timestamp,
        until: Timestamp,
        active_since: Timestamp,
    ) -> Stored<'_, u64>;

    /// Removes sessions that ran out and have no step; returns how many.
    fn clean_sessions(&self, now: Timestamp) -> Stored<'_, u64>;

    /// Sends a message to a flow.
    fn send(&self, message: FlowMessage) -> Stored<'_, ()>;

    /// Queues a step.
    fn queue_step(&self, step: QueuedStep, now: Timestamp) -> Stored<'_, ()>;

    /// Adds to a history.
    fn append(&self, instance: String, execution: u64, events: Vec<HistoryEvent>)
    -> Stored<'_, ()>;

    /// Returns a history; of the last execution when none is named.
    fn history(&self, instance: String, execution: Option<u64>) -> Stored<'_, Vec<String>>;

    /// Returns an instance.
    fn instance(&self, id: String) -> Stored<'_, Option<InstanceRow>>;

    /// Returns the children of an instance, or all instances, newest first.
    fn instances(&self, parent: Option<String>) -> Stored<'_, Vec<InstanceRow>>;

    /// Returns the executions of an instance, in order.
    fn executions(&self, instance: String) -> Stored<'_, Vec<ExecutionRow>>;

    /// Returns the values of an instance, with those of its current execution.
    fn values(&self, instance: String) -> Stored<'_, Vec<FlowValue>>;

    /// Returns how much there is.
    fn counts(&self) -> Stored<'_, EngineCounts>;

    /// Deletes instances with everything they have; running ones only by force.
    fn delete(&self, instances: Vec<String>, force: bool) -> Stored<'_, DeletedInstances>;

    /// Deletes executions of an instance; returns how many events went with them.
    fn prune(&self, instance: String, executions: Vec<u64>) -> Stored<'_, u64>;
}

/// What a turn means for the job index.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnNews {
    /// The children that were started.
    pub children: Vec<NewJob>,
    /// What happened.
    pub report: JobUpdate,
}
