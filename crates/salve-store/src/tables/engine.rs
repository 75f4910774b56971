//! The tables of the durable engine on one machine.
//!
//! In: turns, steps and messages, serialised. Out: the same, claimed by one worker at a time. Each
//! write is one transaction with everything it means, on the disk before it is answered; only
//! leases may be lost with the power. Texts are kept as they came, because they are replayed.

mod import;
mod rows;
mod steps;
mod turns;
mod values;

use super::{Table, jobs};
use crate::commit::Rollback;
use crate::migrations::Migration;
use crate::sql::Row;
use crate::{Durability, JobReport, Store, StoreError};
use salve_types::{
    ClaimedStep, ClaimedTurn, DeletedInstances, EngineCounts, EngineRefusal, ExecutionRow,
    FlowMessage, FlowValue, HistoryEvent, InstanceRow, NewJob, QueuedStep, StepClaim, Timestamp,
    TurnClaim, TurnCommit,
};

/// The tables of the durable engine.
#[derive(Debug, Clone)]
pub struct EngineTables(Store);

impl Store {
    /// Returns the tables of the durable engine.
    pub fn engine(&self) -> EngineTables {
        EngineTables(self.clone())
    }
}

/// Writes, each in a transaction of its own.
macro_rules! write {
    ($self:ident, $durability:ident, $doing:literal, |$tx:ident| $work:expr) => {
        $self
            .0
            .write(Durability::$durability, $doing, move |$tx| Box::pin(async move { $work.await }))
            .await
    };
}

/// Reads, without waiting for writers.
macro_rules! read {
    ($self:ident, $doing:literal, |$readers:ident| $work:expr) => {{
        let $readers = $self.0.readers();
        $work.await.map_err(StoreError::database($doing))
    }};
}

#[expect(
    clippy::missing_errors_doc,
    reason = "each fails when the database does, and says what it refuses with `EngineRefusal`"
)]
impl EngineTables {
    /// Claims the oldest turn that is due and whose instance no worker holds.
    pub async fn claim_turn(&self, claim: TurnClaim) -> Result<Option<ClaimedTurn>, StoreError> {
        // Mostly there is none, and to see that needs no writer.
        let next = read!(self, "look for a turn", |readers| turns::next(&claim, readers))?;
        if next.is_none() {
            return Ok(None);
        }
        write!(self, Normal, "claim a turn", |tx| turns::claim(&claim, tx))
    }

    /// Commits a turn under its lease, which ends with it. Returns whether what it means for the
    /// job index was written with it.
    pub async fn commit_turn(
        &self,
        turn: TurnCommit,
        children: Vec<NewJob>,
        report: Option<JobReport>,
    ) -> Result<bool, StoreError> {
        let redactor = self.0.redactor();
        let children: Result<Vec<_>, _> =
            children.iter().map(|child| jobs::Redacted::new(redactor, child)).collect();
        let report = report.map(|report| jobs::ReadyReport::new(redactor, report)).transpose()?;
        let children = children?;
        write!(self, Full, "commit a turn", |tx| async {
            turns::commit(&turn, tx).await?;
            for child in children {
                // A child that is known already is the same: its parent's history says so.
                let _ = jobs::register(tx, child).await?;
            }
            match report {
                Some(report) => jobs::report(tx, report).await,
                None => Ok(false),
            }
        })
    }

    /// Gives a turn back; `due` delays its messages, `uncount` takes the attempt back.
    pub async fn abandon_turn(
        &self,
        token: String,
        due: Option<Timestamp>,
        uncount: bool,
    ) -> Result<(), StoreError> {
        write!(self, Normal, "give a turn back", |tx| turns::abandon(&token, due, uncount, tx))
    }

    /// Extends the lease of a turn.
    pub async fn renew_turn(
        &self,
        token: String,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<(), StoreError> {
        write!(self, Normal, "renew a lease", |tx| turns::renew(&token, now, until, tx))
    }

    /// Claims the oldest step that is due and is wanted.
    pub async fn claim_step(&self, claim: StepClaim) -> Result<Option<ClaimedStep>, StoreError> {
        let next = read!(self, "look for a step", |readers| steps::next(&claim, readers))?;
        if next.is_none() {
            return Ok(None);
        }
        write!(self, Normal, "claim a step", |tx| steps::claim(&claim, tx))
    }

    /// Takes a step out of the queue under its lease, and sends the outcome.
    pub async fn complete_step(
        &self,
        token: String,
        now: Timestamp,
        completion: Option<FlowMessage>,
    ) -> Result<(), StoreError> {
        write!(self, Full, "complete a step", |tx| {
            steps::complete(&token, now, completion.as_ref(), tx)
        })
    }

    /// Gives a step back, to be done from `due` on; `uncount` takes the attempt back.
    pub async fn abandon_step(
        &self,
        token: String,
        due: Timestamp,
        uncount: bool,
    ) -> Result<(), StoreError> {
        write!(self, Normal, "give a step back", |tx| steps::abandon(&token, due, uncount, tx))
    }

    /// Extends the lease of a step.
    pub async fn renew_step(
        &self,
        token: String,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<(), StoreError> {
        write!(self, Normal, "renew a lease", |tx| steps::renew(&token, now, until, tx))
    }

    /// Extends the sessions of these owners that were active since `active_since`.
    pub async fn renew_sessions(
        &self,
        owners: Vec<String>,
        now: Timestamp,
        until: Timestamp,
        active_since: Timestamp,
    ) -> Result<u64, StoreError> {
        write!(self, Normal, "renew sessions", |tx| {
            steps::renew_sessions(&owners, now, until, active_since, tx)
        })
    }

    /// Removes sessions that ran out and have no step.
    pub async fn clean_sessions(&self, now: Timestamp) -> Result<u64, StoreError> {
        write!(self, Normal, "remove sessions", |tx| steps::clean_sessions(now, tx))
    }

    /// Returns the processes that hold leases, or were seen to make calls.
    pub async fn lease_owners(&self) -> Result<Vec<String>, StoreError> {
        read!(self, "read leases", |readers| steps::owners(readers))
    }

    /// Takes all leases of these processes away, and puts their open calls in doubt; returns how many leases.
    pub async fn release_leases(&self, owners: Vec<String>) -> Result<u64, StoreError> {
        write!(self, Normal, "release leases", |tx| steps::release(&owners, tx))
    }

    /// Sends a message to a flow.
    pub async fn send(&self, message: FlowMessage) -> Result<(), StoreError> {
        write!(self, Full, "send a message", |tx| turns::send(std::slice::from_ref(&message), tx))
    }

    /// Queues a step.
    pub async fn queue_step(&self, step: QueuedStep, now: Timestamp) -> Result<(), StoreError> {
        write!(self, Full, "queue a step", |tx| turns::queue(std::slice::from_ref(&step), now, tx))
    }

    /// Adds to a history.
    pub async fn append(
        &self,
        instance: String,
        execution: u64,
        events: Vec<HistoryEvent>,
    ) -> Result<(), StoreError> {
        write!(self, Full, "add to a history", |tx| turns::append(
            &instance, execution, &events, tx
        ))
    }

    /// Returns a history; of the last execution when none is named.
    pub async fn history(
        &self,
        instance: &str,
        execution: Option<u64>,
    ) -> Result<Vec<String>, StoreError> {
        read!(self, "read a history", |readers| rows::history(instance, execution, readers))
    }

    /// Returns an instance.
    pub async fn instance(&self, id: &str) -> Result<Option<InstanceRow>, StoreError> {
        read!(self, "read an instance", |readers| rows::instance(id, readers))
    }

    /// Returns the children of an instance, or all instances, newest first.
    pub async fn instances(&self, parent: Option<&str>) -> Result<Vec<InstanceRow>, StoreError> {
        read!(self, "list instances", |readers| rows::instances(parent, readers))
    }

    /// Returns the executions of an instance, in order.
    pub async fn executions(&self, instance: &str) -> Result<Vec<ExecutionRow>, StoreError> {
        read!(self, "list executions", |readers| rows::executions(instance, readers))
    }

    /// Returns the values of an instance, with those of its current execution.
    pub async fn values(&self, instance: &str) -> Result<Vec<FlowValue>, StoreError> {
        read!(self, "read values", |readers| values::all(instance, readers))
    }

    /// Returns how much there is.
    pub async fn counts(&self) -> Result<EngineCounts, StoreError> {
        read!(self, "count what the engine keeps", |readers| rows::counts(readers))
    }

    /// Deletes instances with everything they have; running ones only by force.
    pub async fn delete(
        &self,
        instances: Vec<String>,
        force: bool,
    ) -> Result<DeletedInstances, StoreError> {
        write!(self, Full, "delete instances", |tx| rows::delete(&instances, force, tx))
    }

    /// Deletes executions of an instance; returns how many events went with them.
    pub async fn prune(&self, instance: String, executions: Vec<u64>) -> Result<u64, StoreError> {
        write!(self, Full, "delete executions", |tx| rows::prune(&instance, &executions, tx))
    }
}

fn refuse<T>(refusal: EngineRefusal) -> Result<T, Rollback> {
    Err(StoreError::Engine(refusal).into())
}

fn count(row: &Row, at: usize) -> Result<u64, sqlx::Error> {
    Ok(u64::try_from(row.try_get::<i64>(at)?).unwrap_or_default())
}

/// The durable engine's tables. On Postgres they stay empty: the engine has its own there.
pub(super) const TABLE: Table = Table {
    names: &[
        "engine_instances",
        "engine_executions",
        "engine_history",
        "engine_messages",
        "engine_turns",
        "engine_steps",
        "engine_sessions",
        "engine_values",
    ],
    migrations: &[Migration {
        version: 6,
        name: "0006_engine",
        sql: MIGRATION,
        #[cfg(test)]
        rows: tests::ROWS,
    }],
    #[cfg(test)]
    conforms: tests::conforms,
};

const MIGRATION: &str = "
-- The durable engine of one machine: flows, their histories, what waits for a worker. Texts are the
-- engine's own and are kept as they came: they are replayed byte for byte.
CREATE TABLE engine_instances (
    id TEXT PRIMARY KEY,
    flow TEXT NOT NULL,
    version TEXT,
    parent TEXT,
    -- The current one.
    execution BIGINT NOT NULL,
    -- What the flow says of itself, and how many times it did.
    stage TEXT,
    stage_version BIGINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX engine_instances_by_parent ON engine_instances (parent) WHERE parent IS NOT NULL;

CREATE TABLE engine_executions (
    instance TEXT NOT NULL,
    execution BIGINT NOT NULL,
    status TEXT NOT NULL,
    output TEXT,
    -- The version of the engine that can replay it, as one number.
    engine_version BIGINT,
    started_at BIGINT NOT NULL,
    ended_at BIGINT,
    PRIMARY KEY (instance, execution)
);

CREATE TABLE engine_history (
    instance TEXT NOT NULL,
    execution BIGINT NOT NULL,
    event BIGINT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (instance, execution, event)
);

-- Messages to flows, in their order.
CREATE TABLE engine_messages (
    id INTEGER PRIMARY KEY,
    instance TEXT NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    due BIGINT NOT NULL,
    -- The turn it was claimed with.
    token TEXT,
    attempts BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX engine_messages_by_instance ON engine_messages (instance);
CREATE INDEX engine_messages_by_token ON engine_messages (token) WHERE token IS NOT NULL;

-- Turns that a worker holds: one of each instance.
CREATE TABLE engine_turns (
    instance TEXT PRIMARY KEY,
    token TEXT NOT NULL UNIQUE,
    owner TEXT NOT NULL,
    until BIGINT NOT NULL
);

-- Steps that wait for a worker, or that one holds.
CREATE TABLE engine_steps (
    id INTEGER PRIMARY KEY,
    instance TEXT,
    execution BIGINT,
    event BIGINT,
    session TEXT,
    tag TEXT,
    body TEXT NOT NULL,
    due BIGINT NOT NULL,
    token TEXT,
    owner TEXT,
    until BIGINT,
    attempts BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX engine_steps_by_token ON engine_steps (token) WHERE token IS NOT NULL;
CREATE INDEX engine_steps_by_event ON engine_steps (instance, execution, event);

CREATE TABLE engine_sessions (
    session TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    until BIGINT NOT NULL,
    active_at BIGINT NOT NULL
);

-- Values of instances: those of ended executions are settled, those of the current one are not. One
-- without a value was removed.
CREATE TABLE engine_values (
    instance TEXT NOT NULL,
    name TEXT NOT NULL,
    settled BIGINT NOT NULL,
    value TEXT,
    set_at BIGINT NOT NULL,
    PRIMARY KEY (instance, name, settled)
);
";

#[cfg(test)]
mod tests;
