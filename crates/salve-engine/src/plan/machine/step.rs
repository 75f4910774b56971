//! What a plan does next, and what can happen to it.
//!
//! In: nothing. Out: plain values without texts, which a history can hold. Never a decision.

use crate::jobs::WhichModel;
use salve_types::{Spend, SpendLimit};
use serde::{Deserialize, Serialize};

/// What is done next.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanStep {
    /// A task starts.
    Start(Start),
    /// One that runs must end first.
    Wait,
    /// The results of these are merged, in this order, and checked as a whole.
    Merge(Vec<String>),
    /// Nothing, until it is told to go on.
    Paused,
    /// A person decides.
    Attention(Attention),
    /// It is over.
    Done(PlanOutcome),
}

/// A task that starts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Start {
    /// Which.
    pub task: String,
    /// Which attempt it is, from 1.
    pub attempt: u32,
    /// Who is asked.
    pub model: WhichModel,
    /// The tasks whose results it works on top of, in the order in which they got them.
    pub sees: Vec<String>,
    /// What its calls may take.
    pub budget: SpendLimit,
}

/// Why a person decides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attention {
    /// The kind of reason.
    pub code: AttentionCode,
    /// The tasks it is about.
    pub tasks: Vec<String>,
    /// The tasks that wait for them.
    pub blocked: Vec<String>,
}

/// The kind of reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AttentionCode {
    /// Tasks have no result after all their attempts.
    Failed,
    /// Results overlap.
    Conflict,
    /// The whole does not pass the checks.
    Red,
    /// The next call does not fit what is left of the budget.
    Budget,
}

impl AttentionCode {
    /// Returns the word of it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Conflict => "conflict",
            Self::Red => "red",
            Self::Budget => "budget",
        }
    }
}

/// How a plan ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PlanOutcome {
    /// Every task has a result, and the whole is in the tree.
    Completed,
    /// Some were left out; the rest is in the tree.
    CompletedPartial,
    /// Nothing is in the tree.
    Cancelled,
}

impl PlanOutcome {
    /// Returns the word of it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::CompletedPartial => "completed_partial",
            Self::Cancelled => "cancelled",
        }
    }
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanEvent {
    /// The task that was to start runs.
    Started {
        /// Which.
        task: String,
    },
    /// A task that ran ended.
    Ended {
        /// Which.
        task: String,
        /// How.
        end: TaskEnd,
        /// What its calls took.
        spent: Spend,
    },
    /// The results are merged and in the tree, or there was nothing to write.
    Merged,
    /// The results of these overlap with others.
    Conflict {
        /// Which.
        tasks: Vec<String>,
    },
    /// The whole does not pass the checks.
    Red {
        /// The tasks that changed what the checks complain about.
        tasks: Vec<String>,
    },
    /// A person decided.
    Decided {
        /// Tasks that are done again.
        retry: Vec<String>,
        /// Tasks that are left out, and with them those that depend on them.
        skip: Vec<String>,
        /// Another limit for all calls together.
        budget: Option<SpendLimit>,
    },
    /// Nothing more is to start.
    Pause,
    /// It goes on.
    Resume,
    /// Everything is given up.
    Cancel,
}

/// How a task ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskEnd {
    /// It has a result.
    Completed,
    /// It has none.
    Failed,
    /// A call was not made because it does not fit what the task may take.
    OverBudget,
}

/// What cannot have happened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnexpectedEvent {
    /// There is no such task.
    #[error("there is no sub-task `{0}` in the plan")]
    NoSuchTask(String),
    /// It is not the one that starts now.
    #[error("sub-task `{0}` does not start now")]
    NotReady(String),
    /// It does not run.
    #[error("sub-task `{0}` does not run")]
    NotRunning(String),
}
