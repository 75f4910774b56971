//! The loop of a plan: which sub-task starts, what its end means, when a person is asked.
//!
//! In: the graph, limits, and what happened ([`PlanEvent`]). Out: the next [`PlanStep`]. A plain value without texts:
//! it can be written down and read back between any two steps. Never starts a task before those it depends on, never
//! more than the limit at once, never two that hold one file, and never gives out more money than there is.

mod money;
#[cfg(test)]
mod properties;
mod step;
#[cfg(test)]
mod tests;

pub use step::{
    Attention, AttentionCode, PlanEvent, PlanOutcome, PlanStep, Start, TaskEnd, UnexpectedEvent,
};

use super::{
    Difficulty, ExecutionOrder, GraphError, SubTask, SubTaskPlan, SubTaskStatus, check_graph,
};
use crate::jobs::WhichModel;
use salve_model::Role;
use salve_types::{Spend, SpendLimit};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The limits of a plan that runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanLimits {
    /// The order of the tasks.
    pub order: ExecutionOrder,
    /// How many run at once.
    pub parallel: usize,
    /// How often a task is tried before a person is asked; each time by a deeper model.
    pub attempts: u32,
    /// What all calls of all tasks together may take.
    pub budget: SpendLimit,
}

impl Default for PlanLimits {
    fn default() -> Self {
        let (order, budget) = (ExecutionOrder::default(), SpendLimit::default());
        Self { order, parallel: 4, attempts: 2, budget }
    }
}

/// A plan while it runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlanMachine {
    limits: PlanLimits,
    tasks: Vec<Task>,
    /// The tasks with a result, in the order in which they got it.
    completed: Vec<usize>,
    spent: Spend,
    paused: bool,
    cancelled: bool,
    /// Whether nothing is left of the budget for what is ready.
    out_of_budget: bool,
    merge: Merge,
}

/// Where the results are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Merge {
    /// They are not merged.
    Open,
    /// The whole of them does not pass the checks, and no task is known to be the cause.
    Red,
    /// They are in the tree, or there was nothing to write.
    Done,
}

/// A task as the machine knows it: without its texts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlanNode {
    /// Its name.
    pub id: String,
    /// The places of those it depends on.
    pub before: Vec<usize>,
    /// Of those that are ready, the lowest number goes first.
    pub priority: i64,
    /// The files it holds, each by a number.
    pub leases: Vec<u32>,
    /// Who is asked first.
    pub model: WhichModel,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Task {
    node: PlanNode,
    status: SubTaskStatus,
    attempts: u32,
    /// How often it may be tried; a person who says so gives it more.
    allowed: u32,
    /// Whether it works on top of everything there is, because it was in the way of something before.
    sees_all: bool,
    /// Whether it needs all of the money that is left.
    hungry: bool,
    /// What it may take while it runs.
    held: SpendLimit,
    spent: Spend,
}

impl PlanMachine {
    /// Begins a plan.
    ///
    /// # Errors
    /// When its tasks are no graph.
    pub fn new(plan: &SubTaskPlan, limits: PlanLimits) -> Result<Self, GraphError> {
        Ok(Self::of_nodes(plan_nodes(plan)?, limits))
    }

    /// Begins with tasks that were checked to be a graph.
    pub fn of_nodes(nodes: Vec<PlanNode>, limits: PlanLimits) -> Self {
        let task = |node| Task {
            node,
            status: SubTaskStatus::Waiting,
            attempts: 0,
            allowed: limits.attempts.max(1),
            sees_all: false,
            hungry: false,
            held: SpendLimit::default(),
            spent: Spend::default(),
        };
        let mut machine = Self {
            limits,
            tasks: nodes.into_iter().map(task).collect(),
            completed: Vec::new(),
            spent: Spend::default(),
            paused: false,
            cancelled: false,
            out_of_budget: false,
            merge: Merge::Open,
        };
        machine.settle();
        machine
    }

    /// Returns what is to be done next. Nothing changes until it is taken.
    pub fn next(&self) -> PlanStep {
        if self.cancelled {
            return PlanStep::Done(PlanOutcome::Cancelled);
        }
        let running = self.count(SubTaskStatus::Running);
        if self.paused {
            return if running > 0 { PlanStep::Wait } else { PlanStep::Paused };
        }
        if let Some(start) = self.start() {
            return PlanStep::Start(start);
        }
        if running > 0 {
            return PlanStep::Wait;
        }
        if let Some(attention) = self.attention() {
            return PlanStep::Attention(attention);
        }
        let left_out = self.count(SubTaskStatus::Cancelled) > 0;
        match (self.merge, self.completed.is_empty()) {
            (Merge::Open, false) => PlanStep::Merge(self.names(&self.completed)),
            (_, true) => PlanStep::Done(PlanOutcome::Cancelled),
            _ if left_out => PlanStep::Done(PlanOutcome::CompletedPartial),
            _ => PlanStep::Done(PlanOutcome::Completed),
        }
    }

    /// Takes what happened.
    ///
    /// # Errors
    /// When it cannot have happened now; nothing changes then.
    pub fn take(&mut self, event: PlanEvent) -> Result<(), UnexpectedEvent> {
        match event {
            PlanEvent::Started { task } => self.started(&task)?,
            PlanEvent::Ended { task, end, spent } => self.ended(&task, end, spent)?,
            PlanEvent::Merged => self.merge = Merge::Done,
            PlanEvent::Conflict { tasks } => self.in_conflict(&tasks)?,
            PlanEvent::Red { tasks } => self.red(&tasks)?,
            PlanEvent::Decided { retry, skip, budget } => self.decided(&retry, &skip, budget)?,
            PlanEvent::Pause => self.paused = true,
            PlanEvent::Resume => self.paused = false,
            PlanEvent::Cancel => self.cancel(),
        }
        self.settle();
        Ok(())
    }

    /// Returns the state of every task, in the order of the plan.
    pub fn states(&self) -> impl Iterator<Item = (&str, SubTaskStatus)> {
        self.tasks.iter().map(|task| (task.node.id.as_str(), task.status))
    }

    /// Returns what a task took, and how often it was tried.
    pub fn spent_by(&self, task: &str) -> (Spend, u32) {
        self.tasks
            .iter()
            .find(|one| one.node.id == task)
            .map_or_else(Default::default, |one| (one.spent, one.attempts))
    }

    /// Returns what all tasks took.
    pub const fn spent(&self) -> Spend {
        self.spent
    }

    /// Returns the limits.
    pub const fn limits(&self) -> &PlanLimits {
        &self.limits
    }

    fn started(&mut self, id: &str) -> Result<(), UnexpectedEvent> {
        let Some(start) = self.start().filter(|start| start.task == id) else {
            return Err(UnexpectedEvent::NotReady(id.to_owned()));
        };
        let at = self.place(id)?;
        let task = &mut self.tasks[at];
        (task.status, task.attempts, task.held) =
            (SubTaskStatus::Running, start.attempt, start.budget);
        Ok(())
    }

    fn ended(&mut self, id: &str, end: TaskEnd, spent: Spend) -> Result<(), UnexpectedEvent> {
        let at = self.place(id)?;
        if self.tasks[at].status != SubTaskStatus::Running {
            return Err(UnexpectedEvent::NotRunning(id.to_owned()));
        }
        let alone = self.count(SubTaskStatus::Running) == 1;
        self.spent = self.spent.plus(spent);
        let task = &mut self.tasks[at];
        task.spent = task.spent.plus(spent);
        task.held = SpendLimit::default();
        task.status = match end {
            TaskEnd::Completed => SubTaskStatus::Completed,
            TaskEnd::Failed if task.attempts < task.allowed => SubTaskStatus::Pending,
            TaskEnd::Failed => SubTaskStatus::Failed,
            // It was not begun: with what others give back it may be.
            TaskEnd::OverBudget => {
                self.out_of_budget |= alone && task.hungry;
                task.hungry = true;
                task.attempts = task.attempts.saturating_sub(1);
                SubTaskStatus::Pending
            }
        };
        if end == TaskEnd::Completed {
            self.completed.push(at);
        }
        Ok(())
    }

    fn in_conflict(&mut self, ids: &[String]) -> Result<(), UnexpectedEvent> {
        for at in self.places(ids)? {
            self.tasks[at].status = SubTaskStatus::Conflict;
            self.completed.retain(|one| *one != at);
        }
        Ok(())
    }

    // Those that are known to be the cause are done again, on top of everything, while they may be.
    fn red(&mut self, ids: &[String]) -> Result<(), UnexpectedEvent> {
        let blamed = self.places(ids)?;
        if blamed.is_empty() {
            self.merge = Merge::Red;
        }
        for at in blamed {
            let may = self.tasks[at].attempts < self.tasks[at].allowed;
            self.reopen(at);
            self.tasks[at].status =
                if may { SubTaskStatus::Pending } else { SubTaskStatus::Failed };
        }
        Ok(())
    }

    fn decided(
        &mut self,
        retry: &[String],
        skip: &[String],
        budget: Option<SpendLimit>,
    ) -> Result<(), UnexpectedEvent> {
        let (retry, skip) = (self.places(retry)?, self.places(skip)?);
        for at in retry {
            self.reopen(at);
            let task = &mut self.tasks[at];
            (task.status, task.allowed) = (SubTaskStatus::Pending, task.attempts + 1);
        }
        for at in skip {
            self.tasks[at].status = SubTaskStatus::Cancelled;
            self.completed.retain(|one| *one != at);
        }
        // What was in the way may be gone: the next merge says so.
        for at in 0..self.tasks.len() {
            if self.tasks[at].status == SubTaskStatus::Conflict {
                self.tasks[at].status = SubTaskStatus::Completed;
                self.completed.push(at);
            }
        }
        if let Some(budget) = budget {
            self.limits.budget = budget;
        }
        (self.out_of_budget, self.merge) = (false, Merge::Open);
        Ok(())
    }

    fn cancel(&mut self) {
        self.cancelled = true;
        for task in &mut self.tasks {
            if task.status != SubTaskStatus::Completed {
                task.status = SubTaskStatus::Cancelled;
            }
            task.held = SpendLimit::default();
        }
    }

    // A task that is done again, and with it what was built on its result.
    fn reopen(&mut self, at: usize) {
        self.completed.retain(|one| *one != at);
        self.tasks[at].sees_all = true;
        if self.limits.order == ExecutionOrder::Parallel {
            return;
        }
        for other in 0..self.tasks.len() {
            let task = &self.tasks[other];
            if task.node.before.contains(&at) && task.status == SubTaskStatus::Completed {
                self.reopen(other);
                let task = &mut self.tasks[other];
                (task.status, task.allowed) = (SubTaskStatus::Waiting, task.attempts + 1);
            }
        }
    }

    // What waits is ready, blocked or left out by what became of those it depends on.
    fn settle(&mut self) {
        use SubTaskStatus::{Blocked, Cancelled, Completed, Conflict, Failed, Pending, Waiting};
        let free = self.limits.order == ExecutionOrder::Parallel;
        loop {
            let mut changed = false;
            for at in 0..self.tasks.len() {
                let task = &self.tasks[at];
                if !matches!(task.status, Waiting | Pending | Blocked) {
                    continue;
                }
                let before = || task.node.before.iter().map(|one| self.tasks[*one].status);
                let status = match free {
                    true => Pending,
                    false if before().any(|one| one == Cancelled) => Cancelled,
                    false if before().any(|one| matches!(one, Failed | Conflict | Blocked)) => {
                        Blocked
                    }
                    false if before().all(|one| one == Completed) => Pending,
                    false => Waiting,
                };
                changed |= status != task.status;
                self.tasks[at].status = status;
            }
            if !changed {
                return;
            }
        }
    }

    // The task that starts next, and with what.
    fn start(&self) -> Option<Start> {
        let running = self.count(SubTaskStatus::Running);
        let sequential = self.limits.order == ExecutionOrder::Sequential;
        let limit = if sequential { 1 } else { self.limits.parallel.max(1) };
        if running >= limit || self.out_of_budget {
            return None;
        }
        let mut ready: Vec<usize> = (0..self.tasks.len()).filter(|at| self.is_ready(*at)).collect();
        ready.sort_by_key(|at| (self.tasks[*at].node.priority, *at));
        let at = *ready.iter().find(|at| !self.tasks[**at].hungry || running == 0)?;
        let others = if self.tasks[at].hungry { 1 } else { ready.len().min(limit - running) };
        let budget = self.share(others)?;
        let task = &self.tasks[at];
        Some(Start {
            task: task.node.id.clone(),
            attempt: task.attempts + 1,
            model: deeper(&task.node.model, task.attempts),
            sees: self.seen_by(at),
            budget,
        })
    }

    fn is_ready(&self, at: usize) -> bool {
        let task = &self.tasks[at];
        let held = |path: &u32| {
            let running = self.tasks.iter().filter(|one| one.status == SubTaskStatus::Running);
            running.flat_map(|one| &one.node.leases).any(|one| one == path)
        };
        let leased = self.limits.order == ExecutionOrder::DependencyGraph;
        task.status == SubTaskStatus::Pending && !(leased && task.node.leases.iter().any(held))
    }

    // The results that a task works on top of: of those it depends on, and of those that had its files before.
    fn seen_by(&self, at: usize) -> Vec<String> {
        let task = &self.tasks[at];
        let mut ancestors: Vec<usize> = task.node.before.clone();
        let mut next = 0;
        while let Some(one) = ancestors.get(next) {
            let more: Vec<usize> = self.tasks[*one]
                .node
                .before
                .iter()
                .filter(|it| !ancestors.contains(it))
                .copied()
                .collect();
            ancestors.extend(more);
            next += 1;
        }
        let shares =
            |other: &Task| other.node.leases.iter().any(|path| task.node.leases.contains(path));
        let sees = |other: usize| match self.limits.order {
            _ if task.sees_all => true,
            ExecutionOrder::Sequential => true,
            ExecutionOrder::Parallel => false,
            ExecutionOrder::DependencyGraph => {
                ancestors.contains(&other) || shares(&self.tasks[other])
            }
        };
        let seen: Vec<usize> =
            self.completed.iter().copied().filter(|other| sees(*other)).collect();
        self.names(&seen)
    }

    fn attention(&self) -> Option<Attention> {
        let of = |status: SubTaskStatus| {
            let found = self.tasks.iter().filter(move |task| task.status == status);
            found.map(|task| task.node.id.clone()).collect::<Vec<_>>()
        };
        let (failed, conflict) = (of(SubTaskStatus::Failed), of(SubTaskStatus::Conflict));
        let (code, tasks) = match () {
            () if self.count(SubTaskStatus::Pending) > 0 => {
                (AttentionCode::Budget, of(SubTaskStatus::Pending))
            }
            () if !failed.is_empty() => (AttentionCode::Failed, failed),
            () if !conflict.is_empty() => (AttentionCode::Conflict, conflict),
            () if self.merge == Merge::Red => (AttentionCode::Red, Vec::new()),
            () => return None,
        };
        Some(Attention { code, tasks, blocked: of(SubTaskStatus::Blocked) })
    }

    fn count(&self, status: SubTaskStatus) -> usize {
        self.tasks.iter().filter(|task| task.status == status).count()
    }

    fn names(&self, places: &[usize]) -> Vec<String> {
        places.iter().map(|at| self.tasks[*at].node.id.clone()).collect()
    }

    fn place(&self, id: &str) -> Result<usize, UnexpectedEvent> {
        let found = self.tasks.iter().position(|task| task.node.id == id);
        found.ok_or_else(|| UnexpectedEvent::NoSuchTask(id.to_owned()))
    }

    fn places(&self, ids: &[String]) -> Result<Vec<usize>, UnexpectedEvent> {
        ids.iter().map(|id| self.place(id)).collect()
    }
}

/// Returns the tasks of a plan as the machine knows them.
///
/// # Errors
/// When they are no graph.
pub fn plan_nodes<'a>(plan: &'a SubTaskPlan) -> Result<Vec<PlanNode>, GraphError> {
    let before = check_graph(&plan.tasks)?;
    let mut numbers: BTreeMap<&'a str, u32> = BTreeMap::new();
    let mut number = |path: &'a String| {
        let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
        *numbers.entry(path.as_str()).or_insert(next)
    };
    let node = |(task, before): (&'a SubTask, Vec<usize>)| PlanNode {
        id: task.id.clone(),
        before,
        priority: task.priority,
        leases: task.leases().iter().map(&mut number).collect(),
        model: model_of(task.model.as_deref(), task.difficulty),
    };
    Ok(plan.tasks.iter().zip(before).map(node).collect())
}

/// Returns who is asked first for a task. A name that is a role's is the role.
pub fn model_of(name: Option<&str>, difficulty: Difficulty) -> WhichModel {
    let role = name.and_then(|name| Role::ALL.into_iter().find(|role| role.name() == name));
    match (role, name) {
        (Some(role), _) => WhichModel::Role(role),
        (None, Some(name)) => WhichModel::Name(name.to_owned()),
        (None, None) => WhichModel::Role(match difficulty {
            Difficulty::Simple => Role::Fast,
            Difficulty::Medium => Role::Medium,
            Difficulty::Complex | Difficulty::Review => Role::Deep,
        }),
    }
}

// Each attempt is by a deeper model, as long as there is one.
fn deeper(model: &WhichModel, attempts: u32) -> WhichModel {
    let up = |role: Role| if role == Role::Fast { Role::Medium } else { Role::Deep };
    match model {
        _ if attempts == 0 => model.clone(),
        WhichModel::Role(role) => {
            WhichModel::Role((0..attempts.min(3)).fold(*role, |role, _| up(role)))
        }
        _ => WhichModel::Role(Role::Deep),
    }
}
