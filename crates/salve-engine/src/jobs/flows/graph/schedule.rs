//! Which node is next.
//!
//! In: a plan, and the outcome of its nodes. Out: the next node that is ready. Never gives out a
//! node twice, nor one that still waits. The same ends in the same order give the same nodes.

use super::plan::{GraphPlan, Join};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// The state of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum GraphNodeState {
    /// It waits for others, or for room.
    Waiting,
    /// It runs.
    Running,
    /// It has an output.
    Done,
    /// It has none.
    Failed,
    /// What it waits for will not be done.
    Blocked,
}

/// What of a plan was done, and what can be.
pub(super) struct Schedule {
    states: Vec<GraphNodeState>,
    joins: Vec<Join>,
    before: Vec<BTreeSet<usize>>,
    after: Vec<BTreeSet<usize>>,
    // Ready nodes: the highest priority first, then the order of the plan.
    ready: BTreeSet<(Reverse<i32>, usize)>,
    priorities: Vec<i32>,
    stopped: bool,
}

impl Schedule {
    /// Begins with a plan. Names that are not in it are left out: the caller that checks it has
    /// said so.
    pub(super) fn new(plan: &GraphPlan) -> Self {
        let count = plan.nodes.len();
        let nodes = plan.nodes.iter().enumerate();
        let places: BTreeMap<&str, usize> =
            nodes.map(|(at, node)| (node.id.as_str(), at)).collect();
        let (mut before, mut after) = (vec![BTreeSet::new(); count], vec![BTreeSet::new(); count]);
        for (node, other) in plan.waits() {
            if let (Some(&node), Some(&other)) = (places.get(node), places.get(other)) {
                before[node].insert(other);
                after[other].insert(node);
            }
        }
        let mut schedule = Self {
            states: vec![GraphNodeState::Waiting; count],
            joins: plan.nodes.iter().map(|node| node.join).collect(),
            before,
            after,
            ready: BTreeSet::new(),
            priorities: plan.nodes.iter().map(|node| node.priority).collect(),
            stopped: false,
        };
        for at in 0..count {
            if schedule.before[at].is_empty() {
                schedule.ready.insert((Reverse(schedule.priorities[at]), at));
            }
        }
        schedule
    }

    /// Returns the next node that can run; it runs from now on.
    pub(super) fn take_next(&mut self) -> Option<usize> {
        if self.stopped {
            return None;
        }
        let (_, at) = self.ready.pop_first()?;
        self.states[at] = GraphNodeState::Running;
        Some(at)
    }

    /// Notes how a node ended, and returns every node whose end is known by that: itself, and those
    /// that are blocked now.
    pub(super) fn end(&mut self, at: usize, state: GraphNodeState) -> Vec<usize> {
        self.states[at] = state;
        let mut changed = vec![at];
        let mut next = 0;
        while let Some(&ended) = changed.get(next) {
            next += 1;
            for waiting in self.after[ended].clone() {
                if self.states[waiting] != GraphNodeState::Waiting {
                    continue;
                }
                match self.can_run(waiting) {
                    Some(true) => {
                        self.ready.insert((Reverse(self.priorities[waiting]), waiting));
                    }
                    Some(false) => {
                        self.states[waiting] = GraphNodeState::Blocked;
                        changed.push(waiting);
                    }
                    None => {}
                }
            }
        }
        changed
    }

    /// Gives out nothing more.
    pub(super) const fn stop(&mut self) {
        self.stopped = true;
    }

    pub(super) fn state(&self, at: usize) -> GraphNodeState {
        self.states[at]
    }

    pub(super) fn count(&self, state: GraphNodeState) -> usize {
        self.states.iter().filter(|&&it| it == state).count()
    }

    /// Returns the nodes on which nothing depends.
    pub(super) fn ends(&self) -> impl Iterator<Item = usize> {
        (0..self.after.len()).filter(|&at| self.after[at].is_empty())
    }

    /// Returns for each node all that go before it.
    ///
    /// # Errors
    /// The nodes that wait for each other, if there are any.
    pub(super) fn ancestors(&self) -> Result<Vec<BTreeSet<usize>>, Vec<usize>> {
        let count = self.before.len();
        let mut left: Vec<usize> = self.before.iter().map(BTreeSet::len).collect();
        let mut free: Vec<usize> = (0..count).filter(|&at| left[at] == 0).collect();
        let mut ancestors = vec![BTreeSet::new(); count];
        let mut next = 0;
        while let Some(&at) = free.get(next) {
            next += 1;
            let mut known: BTreeSet<usize> = ancestors[at].clone();
            known.insert(at);
            for &later in &self.after[at] {
                ancestors[later].extend(&known);
                left[later] -= 1;
                if left[later] == 0 {
                    free.push(later);
                }
            }
        }
        if free.len() == count {
            return Ok(ancestors);
        }
        Err(self.on_cycles(&free))
    }

    // Of the nodes that were never free, those that are also waited for by others that were not:
    // what only hangs on a cycle is left out.
    fn on_cycles(&self, free: &[usize]) -> Vec<usize> {
        let mut left: BTreeSet<usize> = (0..self.before.len()).collect();
        for at in free {
            left.remove(at);
        }
        loop {
            let behind: Vec<usize> =
                left.iter().copied().filter(|&at| self.after[at].is_disjoint(&left)).collect();
            if behind.is_empty() {
                return left.into_iter().collect();
            }
            for at in behind {
                left.remove(&at);
            }
        }
    }

    // Whether a node that waits can run, never will, or has to wait on.
    fn can_run(&self, at: usize) -> Option<bool> {
        let ended = |state| self.before[at].iter().filter(move |&&it| self.states[it] == state);
        let all = self.before[at].len();
        let done = ended(GraphNodeState::Done).count();
        let lost = ended(GraphNodeState::Failed).count() + ended(GraphNodeState::Blocked).count();
        match self.joins[at] {
            Join::All if lost > 0 => Some(false),
            Join::All => (done == all).then_some(true),
            Join::Any if done > 0 => Some(true),
            Join::Any => (lost == all).then_some(false),
        }
    }
}
