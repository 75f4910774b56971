//! The storage of the durable engine, over the store's tables.
//!
//! In: calls of the engine's storage trait. Out: calls of the store, in one file with the job index
//! and the call ledger. Never decides anything, except which processes of this machine are dead.

use salve_jobs::{EngineStorage, StorageError, Stored, TurnNews};
use salve_store::{EngineTables, Store, StoreError};
use salve_types::{
    ClaimedStep, ClaimedTurn, DeletedInstances, EngineCounts, ExecutionRow, FlowMessage, FlowValue,
    HistoryEvent, InstanceRow, QueuedStep, StepClaim, Timestamp, TurnClaim, TurnCommit,
};
use std::sync::Arc;

/// The storage of the durable engine in a store.
#[derive(Debug, Clone)]
pub struct StoreEngine {
    tables: EngineTables,
}

impl StoreEngine {
    /// Opens it.
    pub fn new(store: &Store) -> Self {
        Self { tables: store.engine() }
    }
}

fn failed(doing: &'static str) -> impl FnOnce(StoreError) -> StorageError {
    move |error| match error {
        StoreError::Engine(refusal) => StorageError::Refused(refusal),
        error => StorageError::Unavailable { doing, source: Arc::new(error) },
    }
}

/// Passes a call on to the tables.
macro_rules! pass {
    ($self:ident, $doing:literal, $call:ident($($argument:expr),*)) => {
        Box::pin(async move { $self.tables.$call($($argument),*).await.map_err(failed($doing)) })
    };
}

impl EngineStorage for StoreEngine {
    fn owner(&self) -> String {
        super::process::this_process()
    }

    fn release_dead(&self) -> Stored<'_, u64> {
        Box::pin(async move {
            let doing = "look for dead workers";
            let mut owners = self.tables.lease_owners().await.map_err(failed(doing))?;
            owners.retain(|owner| super::process::is_dead(owner));
            if owners.is_empty() {
                return Ok(0);
            }
            self.tables.release_leases(owners).await.map_err(failed(doing))
        })
    }

    fn claim_turn(&self, claim: TurnClaim) -> Stored<'_, Option<ClaimedTurn>> {
        pass!(self, "claim a turn", claim_turn(claim))
    }

    fn commit_turn(&self, turn: TurnCommit, news: Option<TurnNews>) -> Stored<'_, bool> {
        Box::pin(async move {
            let doing = "commit a turn";
            let (children, report) = match news {
                // What cannot be written as JSON is left to the projector, which says so.
                Some(news) => (news.children, super::index::job_report(news.report).ok()),
                None => (Vec::new(), None),
            };
            let committed = self.tables.commit_turn(turn, children, report);
            committed.await.map_err(failed(doing))
        })
    }

    fn abandon_turn(&self, token: String, due: Option<Timestamp>, uncount: bool) -> Stored<'_, ()> {
        pass!(self, "give a turn back", abandon_turn(token, due, uncount))
    }

    fn renew_turn(&self, token: String, now: Timestamp, until: Timestamp) -> Stored<'_, ()> {
        pass!(self, "renew a lease", renew_turn(token, now, until))
    }

    fn claim_step(&self, claim: StepClaim) -> Stored<'_, Option<ClaimedStep>> {
        pass!(self, "claim a step", claim_step(claim))
    }

    fn complete_step(
        &self,
        token: String,
        now: Timestamp,
        completion: Option<FlowMessage>,
    ) -> Stored<'_, ()> {
        pass!(self, "complete a step", complete_step(token, now, completion))
    }

    fn abandon_step(&self, token: String, due: Timestamp, uncount: bool) -> Stored<'_, ()> {
        pass!(self, "give a step back", abandon_step(token, due, uncount))
    }

    fn renew_step(&self, token: String, now: Timestamp, until: Timestamp) -> Stored<'_, ()> {
        pass!(self, "renew a lease", renew_step(token, now, until))
    }

    fn renew_sessions(
        &self,
        owners: Vec<String>,
        now: Timestamp,
        until: Timestamp,
        active_since: Timestamp,
    ) -> Stored<'_, u64> {
        pass!(self, "renew sessions", renew_sessions(owners, now, until, active_since))
    }

    fn clean_sessions(&self, now: Timestamp) -> Stored<'_, u64> {
        pass!(self, "remove sessions", clean_sessions(now))
    }

    fn send(&self, message: FlowMessage) -> Stored<'_, ()> {
        pass!(self, "send a message", send(message))
    }

    fn queue_step(&self, step: QueuedStep, now: Timestamp) -> Stored<'_, ()> {
        pass!(self, "queue a step", queue_step(step, now))
    }

    fn append(
        &self,
        instance: String,
        execution: u64,
        events: Vec<HistoryEvent>,
    ) -> Stored<'_, ()> {
        pass!(self, "add to a history", append(instance, execution, events))
    }

    fn history(&self, instance: String, execution: Option<u64>) -> Stored<'_, Vec<String>> {
        pass!(self, "read a history", history(&instance, execution))
    }

    fn instance(&self, id: String) -> Stored<'_, Option<InstanceRow>> {
        pass!(self, "read an instance", instance(&id))
    }

    fn instances(&self, parent: Option<String>) -> Stored<'_, Vec<InstanceRow>> {
        pass!(self, "list instances", instances(parent.as_deref()))
    }

    fn executions(&self, instance: String) -> Stored<'_, Vec<ExecutionRow>> {
        pass!(self, "list executions", executions(&instance))
    }

    fn values(&self, instance: String) -> Stored<'_, Vec<FlowValue>> {
        pass!(self, "read values", values(&instance))
    }

    fn counts(&self) -> Stored<'_, EngineCounts> {
        pass!(self, "count what the engine keeps", counts())
    }

    fn delete(&self, instances: Vec<String>, force: bool) -> Stored<'_, DeletedInstances> {
        pass!(self, "delete instances", delete(instances, force))
    }

    fn prune(&self, instance: String, executions: Vec<u64>) -> Stored<'_, u64> {
        pass!(self, "delete executions", prune(instance, executions))
    }
}
