//! Tokens and money: what a call can take, what it took, and which limit it would pass.
//!
//! In: worst cases, counts and limits. Out: sums, estimates, and the first limit that is passed. Never
//! below nothing and never around the end of a number: everything saturates.

use crate::{KeyId, SpendLimit};
use salve_types::Usage;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Tokens and money.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Spend {
    /// Tokens of prompt and answer together.
    pub tokens: u64,
    /// Millionths of a dollar.
    pub micro_dollars: u64,
}

impl Spend {
    /// Returns both together.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_add(other.tokens),
            micro_dollars: self.micro_dollars.saturating_add(other.micro_dollars),
        }
    }

    /// Returns what remains without `other`, at least nothing.
    #[must_use]
    pub const fn minus(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_sub(other.tokens),
            micro_dollars: self.micro_dollars.saturating_sub(other.micro_dollars),
        }
    }
}

/// The most a call can take. What of the answer did not arrive is given back if the call is
/// abandoned, so the two parts are known apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Worst {
    /// What the prompt takes at most.
    pub prompt: Spend,
    /// What the answer takes at most: its output limit.
    pub answer: Spend,
}

impl Worst {
    /// Returns what is held: prompt and answer.
    pub const fn total(self) -> Spend {
        self.prompt.plus(self.answer)
    }

    /// Returns what it took if the whole prompt was read and this many bytes were answered: at two
    /// bytes a token, which no text in use goes below, and never beyond the worst case.
    pub(crate) fn estimate(self, arrived_bytes: u64) -> (Usage, u64) {
        let answered = arrived_bytes.div_ceil(2).min(self.answer.tokens);
        let usage =
            Usage { input_tokens: self.prompt.tokens, output_tokens: answered, ..Usage::default() };
        (usage, self.price(usage))
    }

    /// Returns what these tokens cost at the prices of the worst case.
    pub(crate) fn price(self, usage: Usage) -> u64 {
        let prompt = share(self.prompt, usage.input_tokens);
        prompt.saturating_add(share(self.answer, usage.output_tokens))
    }
}

fn share(worst: Spend, tokens: u64) -> u64 {
    if worst.tokens == 0 {
        return 0;
    }
    let price = u128::from(worst.micro_dollars) * u128::from(tokens);
    u64::try_from(price.div_ceil(u128::from(worst.tokens))).unwrap_or(u64::MAX)
}

/// A limit a call would not have fitted into.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OverBudget {
    /// Whose limit.
    pub scope: BudgetScope,
    /// What it counts.
    pub unit: BudgetUnit,
    /// The limit.
    pub limit: u64,
    /// What is left of it, what open calls hold taken off.
    pub left: u64,
    /// What the call needs at its worst.
    pub needed: u64,
}

impl fmt::Display for OverBudget {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (limit, left, needed) = (self.limit, self.left, self.needed);
        match self.unit {
            BudgetUnit::Tokens => {
                write!(out, "{}: {left} of {limit} tokens left, {needed} needed", self.scope)
            }
            BudgetUnit::MicroDollars => write!(
                out,
                "{}: ${:.4} of ${:.4} left, ${:.4} needed",
                self.scope,
                left as f64 / 1e6,
                limit as f64 / 1e6,
                needed as f64 / 1e6
            ),
        }
    }
}

/// Whose money is counted together.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum BudgetScope {
    /// Everything together, by day.
    Day,
    /// A gateway key, by day.
    Key(KeyId),
    /// A session, as long as it lasts.
    Session(String),
}

impl fmt::Display for BudgetScope {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Day => write!(out, "budget of the day"),
            Self::Key(id) => write!(out, "budget of the day of key {id}"),
            Self::Session(name) => write!(out, "budget of session {name}"),
        }
    }
}

impl SpendLimit {
    /// Returns the first limit that `taken` and `needed` together would pass.
    pub(crate) fn passed_by(self, taken: Spend, needed: Spend) -> Option<PassedLimit> {
        let tokens = (BudgetUnit::Tokens, self.tokens, taken.tokens, needed.tokens);
        let money = (
            BudgetUnit::MicroDollars,
            self.micro_dollars,
            taken.micro_dollars,
            needed.micro_dollars,
        );
        [tokens, money].into_iter().find_map(|(unit, limit, taken, needed)| {
            let limit = limit?;
            let left = limit.saturating_sub(taken);
            (needed > left).then_some(PassedLimit { unit, limit, left, needed })
        })
    }
}

/// What a limit counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum BudgetUnit {
    /// Tokens of prompts and answers.
    Tokens,
    /// Millionths of a dollar.
    MicroDollars,
}

/// A limit that would be passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PassedLimit {
    pub(crate) unit: BudgetUnit,
    pub(crate) limit: u64,
    pub(crate) left: u64,
    pub(crate) needed: u64,
}
