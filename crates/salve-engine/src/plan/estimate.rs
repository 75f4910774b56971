//! What a plan will take: from plans that ran, or computed where none did.
//!
//! In: the size of each task, its model's price, and the figures of earlier plans. Out: cost, time and success of each
//! order, marked with what they rest on. Never a figure that was neither measured nor computed from sizes, limits and
//! prices.

use super::ExecutionOrder;
use salve_model::{Price, worst_of_tokens};
use serde::{Deserialize, Serialize};

/// Fewer plans than this say nothing about the next.
const ENOUGH: usize = 3;
/// The answer's tokens in a second that are counted with where nothing was measured.
const TOKENS_PER_SECOND: u64 = 50;

/// What a figure rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// The medians of plans that ran in this order.
    Measured,
    /// Sizes of prompts, limits of answers and prices.
    Computed,
}

/// What a plan that ran took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figures {
    /// Its order.
    pub order: ExecutionOrder,
    /// How many tasks it had.
    pub tasks: u64,
    /// Millionths of a dollar.
    pub micro_dollars: u64,
    /// Milliseconds.
    pub ms: u64,
    /// Whether it was completed without a person.
    pub success: bool,
}

/// The size of a task.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskSize {
    /// Tokens of its prompt.
    pub prompt_tokens: u64,
    /// Tokens of its answer.
    pub answer_tokens: u64,
    /// What its model costs, where that is known.
    pub price: Option<Price>,
    /// The places of the tasks it depends on.
    pub before: Vec<usize>,
    /// The files it holds.
    pub files: Vec<String>,
}

/// What a plan will take.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Estimate {
    /// Dollars.
    pub estimated_cost: f64,
    /// Milliseconds.
    pub estimated_time_ms: u64,
    /// What both rest on.
    pub basis: Basis,
    /// How many plans were measured.
    pub plans: usize,
    /// The share of them that were completed without a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub success: Option<f64>,
}

/// One order as a person is shown it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StrategyCard {
    /// A, B or C.
    pub letter: char,
    /// Its name.
    pub name: String,
    /// The order.
    pub execution_order: ExecutionOrder,
    /// Marks of speed, one to four, against the others.
    pub speed: String,
    /// Low, Medium or High.
    pub risk: String,
    /// What it means for this plan.
    pub text: String,
    /// What it will take.
    #[serde(flatten)]
    pub estimate: Estimate,
}

/// Estimates a plan in one order.
pub fn estimate_plan(
    sizes: &[TaskSize],
    order: ExecutionOrder,
    parallel: usize,
    history: &[Figures],
) -> Estimate {
    let known: Vec<&Figures> =
        history.iter().filter(|one| one.order == order && one.tasks > 0).collect();
    if known.len() < ENOUGH {
        let (cost, ms) = (computed_cost(sizes, order), computed_time(sizes, order, parallel));
        return Estimate {
            estimated_cost: cost as f64 / 1e6,
            estimated_time_ms: ms.max(1),
            basis: Basis::Computed,
            plans: known.len(),
            success: None,
        };
    }
    let count = sizes.len() as f64;
    let per_task = |of: fn(&Figures) -> u64| {
        median(known.iter().map(|one| of(one) as f64 / one.tasks as f64).collect()) * count
    };
    let successes = known.iter().filter(|one| one.success).count();
    Estimate {
        estimated_cost: per_task(|one| one.micro_dollars) / 1e6,
        estimated_time_ms: (per_task(|one| one.ms) as u64).max(1),
        basis: Basis::Measured,
        plans: known.len(),
        success: Some(successes as f64 / known.len() as f64),
    }
}

/// Returns the three orders as a person is shown them.
pub fn strategy_cards(
    sizes: &[TaskSize],
    parallel: usize,
    history: &[Figures],
) -> Vec<StrategyCard> {
    let waiting = sizes.iter().filter(|size| !size.before.is_empty()).count();
    let free = sizes.len() - waiting;
    let estimates =
        ExecutionOrder::ALL.map(|order| (order, estimate_plan(sizes, order, parallel, history)));
    let slowest = estimates.iter().map(|(_, one)| one.estimated_time_ms).max().unwrap_or(1);
    let card = |(order, estimate): (ExecutionOrder, Estimate)| {
        let times = slowest / estimate.estimated_time_ms.max(1);
        let marks = match times {
            0 | 1 => 1,
            2 => 2,
            3 => 3,
            _ => 4,
        };
        let (letter, name, risk, text) = match order {
            ExecutionOrder::DependencyGraph => {
                let text =
                    format!("{free} tasks run simultaneously, {waiting} waits for dependencies");
                ('A', "Parallel (Recommended)", "Medium", text)
            }
            ExecutionOrder::Sequential => {
                ('B', "Sequential", "Low", "Safest option, but takes longer".to_owned())
            }
            ExecutionOrder::Parallel => (
                'C',
                "Fast & Loose",
                "High",
                "All parallel, may need conflict resolution".to_owned(),
            ),
        };
        StrategyCard {
            letter,
            name: name.to_owned(),
            execution_order: order,
            speed: "⚡".repeat(marks),
            risk: risk.to_owned(),
            text,
            estimate,
        }
    };
    estimates.into_iter().map(card).collect()
}

fn cost(size: &TaskSize) -> u64 {
    worst_of_tokens(size.prompt_tokens, size.answer_tokens, size.price.as_ref())
        .total()
        .micro_dollars
}

// Where nothing waits, what depends on others or shares a file with them has to be done again.
fn computed_cost(sizes: &[TaskSize], order: ExecutionOrder) -> u64 {
    let shares = |at: usize| {
        let earlier = sizes[..at].iter().flat_map(|size| &size.files);
        earlier.into_iter().any(|file| sizes[at].files.contains(file))
    };
    let again = |at: &usize| {
        order == ExecutionOrder::Parallel && (!sizes[*at].before.is_empty() || shares(*at))
    };
    let once: u64 = sizes.iter().map(cost).sum();
    once + (0..sizes.len()).filter(again).map(|at| cost(&sizes[at])).sum::<u64>()
}

// When each task ends, in the order of the plan, with this many at once.
fn computed_time(sizes: &[TaskSize], order: ExecutionOrder, parallel: usize) -> u64 {
    let at_once = if order == ExecutionOrder::Sequential { 1 } else { parallel.max(1) };
    let mut free = vec![0_u64; at_once];
    let mut ends = vec![0_u64; sizes.len()];
    for at in in_order(sizes) {
        let size = &sizes[at];
        let waits = order != ExecutionOrder::Parallel;
        let ready =
            if waits { size.before.iter().map(|one| ends[*one]).max().unwrap_or(0) } else { 0 };
        let Some(slot) = free.iter_mut().min() else { continue };
        let length = size.answer_tokens.max(1).saturating_mul(1_000) / TOKENS_PER_SECOND;
        ends[at] = ready.max(*slot).saturating_add(length);
        *slot = ends[at];
    }
    ends.into_iter().max().unwrap_or(0)
}

// Each after those it depends on. The graph was checked: it has no cycle.
fn in_order(sizes: &[TaskSize]) -> Vec<usize> {
    let mut order: Vec<usize> = Vec::new();
    while order.len() < sizes.len() {
        let known = order.len();
        for (at, size) in sizes.iter().enumerate() {
            if !order.contains(&at) && size.before.iter().all(|one| order.contains(one)) {
                order.push(at);
            }
        }
        if order.len() == known {
            break;
        }
    }
    order
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let half = values.len() / 2;
    match values.len() {
        0 => 0.0,
        count if count % 2 == 1 => values[half],
        _ => f64::midpoint(values[half - 1], values[half]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use salve_model::MicroDollars;

    fn sizes() -> Vec<TaskSize> {
        let price = Price {
            input: MicroDollars(1_000_000),
            cached: None,
            output: MicroDollars(4_000_000),
            long: None,
            image: None,
            searches: None,
        };
        let size = |before: &[usize]| TaskSize {
            prompt_tokens: 1_000,
            answer_tokens: 500,
            price: Some(price),
            before: before.to_vec(),
            files: Vec::new(),
        };
        vec![size(&[]), size(&[]), size(&[]), size(&[0, 1, 2]), size(&[3])]
    }

    #[test]
    fn c224_without_history_figures_are_computed_differ_and_say_so() {
        let cards = strategy_cards(&sizes(), 4, &[]);
        let shown: Vec<(char, f64, u64, &str)> = cards
            .iter()
            .map(|card| {
                (
                    card.letter,
                    card.estimate.estimated_cost,
                    card.estimate.estimated_time_ms,
                    &*card.speed,
                )
            })
            .collect();
        // 1,000 tokens at 1 and 500 at 4 dollars a million are 0.003; 500 tokens take 10 s.
        assert_eq!(
            shown,
            [('A', 0.015, 30_000, "⚡"), ('B', 0.015, 50_000, "⚡"), ('C', 0.021, 20_000, "⚡⚡")]
        );
        assert!(
            cards
                .iter()
                .all(|card| card.estimate.basis == Basis::Computed
                    && card.estimate.success.is_none())
        );
        assert_eq!(cards[0].text, "3 tasks run simultaneously, 2 waits for dependencies");
    }

    #[test]
    fn c224_with_history_they_are_medians() {
        let figures = |micro_dollars, ms, success| Figures {
            order: ExecutionOrder::Sequential,
            tasks: 2,
            micro_dollars,
            ms,
            success,
        };
        let history = [
            figures(4_000, 2_000, true),
            figures(8_000, 6_000, false),
            figures(100_000, 4_000, true),
        ];
        let known = estimate_plan(&sizes(), ExecutionOrder::Sequential, 4, &history);
        let expected = Estimate {
            estimated_cost: 0.02,
            estimated_time_ms: 10_000,
            basis: Basis::Measured,
            plans: 3,
            success: Some(2.0 / 3.0),
        };
        assert_eq!(known, expected);
        let other = estimate_plan(&sizes(), ExecutionOrder::Parallel, 4, &history);
        assert_eq!(other.basis, Basis::Computed, "of another order nothing is known");
    }
}
