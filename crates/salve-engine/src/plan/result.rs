//! What a plan is started with and what it came to, as values that a history can hold.
//!
//! In: ids, limits. Out: the same, and counts. Never a text of a file but the sides of a conflict, which a person
//! must see.

use super::machine::{AttentionCode, PlanLimits};
use super::{SubTaskConflict, SubTaskStatus};
use salve_types::SpendLimit;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A plan that is to run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlanInput {
    /// The root of the workspace.
    pub root: PathBuf,
    /// The plan.
    pub plan: String,
    /// Its limits.
    pub limits: PlanLimits,
    /// What one answer may take at most; the model's own limit otherwise.
    #[serde(default)]
    pub answer_tokens: Option<u32>,
    /// Whether it ends where a person would be asked, in place of waiting.
    #[serde(default)]
    pub unattended: bool,
}

/// What a plan that stopped is told.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PlanResume {
    /// Tasks that are done again.
    #[serde(default)]
    pub retry: Vec<String>,
    /// Tasks that are left out.
    #[serde(default)]
    pub skip: Vec<String>,
    /// Another limit for all calls together.
    #[serde(default)]
    pub budget: Option<SpendLimit>,
    /// Whether everything is given up.
    #[serde(default)]
    pub cancel: bool,
}

/// What became of one task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskReport {
    /// Which.
    pub id: String,
    /// Its state.
    pub status: SubTaskStatus,
    /// How often it was tried.
    pub attempts: u32,
    /// Tokens of its calls.
    pub tokens: u64,
    /// Their price in millionths of a dollar.
    pub micro_dollars: u64,
    /// What it did, or why it has no result.
    pub summary: String,
}

/// What a plan came to, for good or for now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlanReport {
    /// The word for it: completed, completed_partial, cancelled, paused, or needs_attention.
    pub outcome: String,
    /// Why a person decides, where one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<AttentionCode>,
    /// Tokens of all calls.
    pub tokens: u64,
    /// Their price in dollars.
    pub cost: f64,
    /// The tasks, in the order of the plan.
    pub tasks: Vec<TaskReport>,
    /// The change set, where one was written.
    pub change: Option<String>,
    /// The files that changed.
    pub files: Vec<String>,
    /// What overlaps, with both sides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<SubTaskConflict>,
    /// What the checks of the whole complain about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<String>,
    /// The toolchains that checked the whole.
    #[serde(default)]
    pub checked_by: Vec<String>,
    /// What a person should know beside the outcome.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

impl PlanReport {
    /// Begins a report of which nothing else is known yet.
    pub fn new(outcome: &str) -> Self {
        Self {
            outcome: outcome.to_owned(),
            code: None,
            tokens: 0,
            cost: 0.0,
            tasks: Vec::new(),
            change: None,
            files: Vec::new(),
            conflicts: Vec::new(),
            findings: Vec::new(),
            checked_by: Vec::new(),
            warnings: Vec::new(),
        }
    }
}
