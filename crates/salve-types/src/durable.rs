//! What the durable engine keeps: turns of flows, steps, histories, and the leases on them.
//!
//! In: serialised texts of the engine, which only it reads. Out: plain rows that its storage trait
//! and the store share. Never a type of the engine or of a database.

use crate::Timestamp;

/// A lease on a turn or a step. The caller that acknowledges must show its token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// Unlike any other.
    pub token: String,
    /// The process that holds it.
    pub owner: String,
    /// When it runs out.
    pub until: Timestamp,
}

/// A message to a flow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlowMessage {
    /// The instance of the flow.
    pub instance: String,
    /// What it means to an instance that does not exist yet.
    pub kind: MessageKind,
    /// What it says.
    pub body: String,
    /// From when on it is delivered.
    pub due: Timestamp,
}

/// What a message means to an instance that does not exist yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageKind {
    /// It creates the instance.
    Start,
    /// It is dropped.
    Signal,
    /// It waits for the start.
    Other,
}

impl MessageKind {
    /// Returns the word under which it is kept.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Signal => "signal",
            Self::Other => "other",
        }
    }
}

/// A step that waits for a worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueuedStep {
    /// By what it is cancelled.
    pub id: Option<StepId>,
    /// The session that ties it to one worker.
    pub session: Option<String>,
    /// What a worker must serve.
    pub tag: Option<String>,
    /// What is to be done.
    pub body: String,
}

/// A step in the history of an instance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepId {
    /// The instance.
    pub instance: String,
    /// The execution.
    pub execution: u64,
    /// The event that scheduled it.
    pub event: u64,
}

/// A claim on the next turn of any flow.
#[derive(Debug, Clone)]
pub struct TurnClaim {
    /// The time.
    pub now: Timestamp,
    /// The lease that is wanted.
    pub lease: Lease,
    /// The versions of the engine whose histories the claimant can replay; `None` is all of them.
    pub versions: Option<std::ops::RangeInclusive<u64>>,
    /// The one instance whose turns are wanted, with its descendants'; `None` is all of them.
    pub only: Option<String>,
}

/// A turn that was claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimedTurn {
    /// The instance.
    pub instance: String,
    /// What is known of it; `None` before its first turn is committed.
    pub run: Option<FlowRun>,
    /// The history of its current execution, in order.
    pub history: Vec<String>,
    /// The messages of this turn, in order.
    pub messages: Vec<String>,
    /// The values that its earlier executions left.
    pub values: Vec<FlowValue>,
    /// How many times the most often claimed of its messages was claimed.
    pub attempts: u32,
}

/// An instance's flow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlowRun {
    /// The flow.
    pub flow: String,
    /// Its version.
    pub version: Option<String>,
    /// The current execution.
    pub execution: u64,
}

/// A turn that is committed: everything of it or nothing.
#[derive(Debug, Clone)]
pub struct TurnCommit {
    /// The time.
    pub now: Timestamp,
    /// The token of its lease.
    pub token: String,
    /// The execution.
    pub execution: u64,
    /// What the flow is, when the engine says so.
    pub flow: Option<NewFlow>,
    /// The version of the engine that the execution is tied to from now on.
    pub engine_version: Option<u64>,
    /// What is added to the history.
    pub events: Vec<HistoryEvent>,
    /// How the execution ended.
    pub end: Option<ExecutionEnd>,
    /// The instance's custom status, when it was changed; the inner `None` clears it.
    pub stage: Option<Option<String>>,
    /// Changes of values, in order.
    pub values: Vec<ValueChange>,
    /// Steps that are queued.
    pub steps: Vec<QueuedStep>,
    /// Steps that are taken out of the queue, no matter who holds them.
    pub cancelled: Vec<StepId>,
    /// Messages that are sent.
    pub messages: Vec<FlowMessage>,
}

/// The flow of an instance, as its first turn says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFlow {
    /// The flow.
    pub flow: String,
    /// Its version.
    pub version: String,
    /// The instance that started it.
    pub parent: Option<String>,
}

/// An event of a history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryEvent {
    /// Its number in the execution, given by the engine.
    pub id: u64,
    /// What happened.
    pub body: String,
}

/// How an execution ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExecutionEnd {
    /// The engine's word for it.
    pub status: String,
    /// The result, the error, or the next input.
    pub output: Option<String>,
    /// Whether its values are final now.
    pub is_final: bool,
}

/// A value of an instance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlowValue {
    /// Its name.
    pub key: String,
    /// What it is.
    pub value: String,
    /// When it was set.
    pub set_at: Timestamp,
}

/// A change of an instance's values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ValueChange {
    /// One is set.
    Set(FlowValue),
    /// One is removed.
    Clear(String),
    /// All are removed.
    ClearAll,
}

/// A claim on the next step.
#[derive(Debug, Clone)]
pub struct StepClaim {
    /// The time.
    pub now: Timestamp,
    /// The lease that is wanted.
    pub lease: Lease,
    /// The session owner that claims, and until when the session is its own; without one, steps of
    /// sessions are left alone.
    pub session: Option<(String, Timestamp)>,
    /// The steps that are wanted.
    pub tags: TagChoice,
    /// The one instance whose steps are wanted, with its descendants'; `None` is all of them.
    pub only: Option<String>,
}

/// Which tags a worker serves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TagChoice {
    /// All steps.
    Any,
    /// Steps with one of these tags.
    Some {
        /// Also those without a tag.
        untagged: bool,
        /// The tags.
        tags: Vec<String>,
    },
}

/// A step that was claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimedStep {
    /// What is to be done.
    pub body: String,
    /// How many times it was claimed by now.
    pub attempts: u32,
}

/// An instance with its current execution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstanceRow {
    /// Its id.
    pub id: String,
    /// The flow.
    pub flow: String,
    /// Its version.
    pub version: Option<String>,
    /// The instance that started it.
    pub parent: Option<String>,
    /// The current execution.
    pub execution: u64,
    /// The status of that execution.
    pub status: Option<String>,
    /// Its result.
    pub output: Option<String>,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// The custom status.
    pub stage: Option<String>,
    /// How many times that was set.
    pub stage_version: u64,
    /// When it was created.
    pub created_at: Timestamp,
    /// When its last turn was committed.
    pub updated_at: Timestamp,
}

/// An execution of an instance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExecutionRow {
    /// Its number.
    pub execution: u64,
    /// Its status.
    pub status: String,
    /// Its result.
    pub output: Option<String>,
    /// When it started.
    pub started_at: Timestamp,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// How many events it has.
    pub events: u64,
}

/// How much the engine keeps, and how much waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EngineCounts {
    /// Executions.
    pub executions: u64,
    /// Events of histories.
    pub events: u64,
    /// Messages that are not claimed.
    pub messages: u64,
    /// Steps that are not claimed.
    pub steps: u64,
}

/// What was deleted with instances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DeletedInstances {
    /// Executions.
    pub executions: u64,
    /// Events of histories.
    pub events: u64,
    /// Messages and steps that waited.
    pub queued: u64,
}

/// Why the engine's storage refused. Asking again gives the same answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EngineRefusal {
    /// The lease ran out, was taken away, or was given back before.
    #[error("the lease is gone")]
    LeaseLost,
    /// The history has an event of this number already.
    #[error("the history has such an event already")]
    DuplicateEvent,
    /// The instance has not ended.
    #[error("instance {instance} is still running")]
    StillRunning {
        /// The instance.
        instance: String,
    },
    /// The instance has a child that would be left alone.
    #[error("instance {parent} has the child {child}, which was not to be deleted")]
    ChildLeft {
        /// The instance.
        parent: String,
        /// The child.
        child: String,
    },
}
