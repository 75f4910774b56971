//! The money of a plan: what a task may take, so that all together never take more than there is.
//!
//! In: the limit, what was spent and what is held by tasks that run. Out: the share of the next one. Never a share
//! that would pass the limit.

use super::{PlanMachine, SubTaskStatus};
use salve_types::SpendLimit;

impl PlanMachine {
    /// Returns what one of this many tasks may take that could start now; nothing when there is nothing left.
    pub(super) fn share(&self, others: usize) -> Option<SpendLimit> {
        let parts = u64::try_from(others.max(1)).unwrap_or(u64::MAX);
        let budget = self.limits.budget;
        let held = |of: fn(&SpendLimit) -> Option<u64>| {
            let running = self.tasks.iter().filter(|task| task.status == SubTaskStatus::Running);
            running.filter_map(|task| of(&task.held)).fold(0, u64::saturating_add)
        };
        let left = |limit: Option<u64>, spent: u64, held: u64| match limit {
            None => Some(None),
            Some(limit) => match limit.saturating_sub(spent).saturating_sub(held) / parts {
                0 => None,
                share => Some(Some(share)),
            },
        };
        Some(SpendLimit {
            tokens: left(budget.tokens, self.spent.tokens, held(|limit| limit.tokens))?,
            micro_dollars: left(
                budget.micro_dollars,
                self.spent.micro_dollars,
                held(|limit| limit.micro_dollars),
            )?,
        })
    }
}
