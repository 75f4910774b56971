//! Tokens and money: what a call can take, what it took, and which limit it would pass.
//!
//! In: counts and limits. Out: sums, estimates, and the first limit that is passed. Never below zero
//! and never past the end of a number: everything saturates.

use crate::Usage;
use serde::{Deserialize, Serialize};

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

    // The part of the money that these tokens cost, rounded up.
    fn price_of(self, tokens: u64) -> u64 {
        if self.tokens == 0 {
            return 0;
        }
        let price = u128::from(self.micro_dollars) * u128::from(tokens);
        u64::try_from(price.div_ceil(u128::from(self.tokens))).unwrap_or(u64::MAX)
    }
}

/// The most a call can take. Tokens of a prompt and of an answer have different prices, and what of
/// the answer did not arrive is given back, so the two parts are kept apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct WorstCase {
    /// What the prompt takes at most.
    pub prompt: Spend,
    /// What the answer takes at most: its output limit.
    pub answer: Spend,
}

impl WorstCase {
    /// Returns what is held: prompt and answer.
    pub const fn total(self) -> Spend {
        self.prompt.plus(self.answer)
    }

    /// Returns what it took if the whole prompt was read and this many bytes were answered: at two
    /// bytes a token, which no text in use goes below, and never beyond the worst case.
    pub fn usage_after(self, arrived_bytes: u64) -> Usage {
        let output_tokens = arrived_bytes.div_ceil(2).min(self.answer.tokens);
        Usage { input_tokens: self.prompt.tokens, output_tokens, ..Usage::default() }
    }

    /// Returns what these tokens cost, in millionths of a dollar, at the prices of the worst case.
    pub fn price(self, usage: Usage) -> u64 {
        let prompt = self.prompt.price_of(usage.input_tokens);
        prompt.saturating_add(self.answer.price_of(usage.output_tokens))
    }
}

/// The most that may be spent; `None` is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SpendLimit {
    /// Tokens of prompts and answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Millionths of a dollar.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub micro_dollars: Option<u64>,
}

impl SpendLimit {
    /// Returns what is left of it after something was spent.
    pub fn less(self, spent: Spend) -> Self {
        let rest = |limit: Option<u64>, spent: u64| limit.map(|limit| limit.saturating_sub(spent));
        Self {
            tokens: rest(self.tokens, spent.tokens),
            micro_dollars: rest(self.micro_dollars, spent.micro_dollars),
        }
    }

    /// Returns the first limit that `taken` and `needed` together would pass.
    pub fn passed_by(self, taken: Spend, needed: Spend) -> Option<PassedLimit> {
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

/// A limit that a call would pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PassedLimit {
    /// What it counts.
    pub unit: BudgetUnit,
    /// The limit.
    pub limit: u64,
    /// What is left of it.
    pub left: u64,
    /// What the call needs at its worst.
    pub needed: u64,
}

/// What a limit counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BudgetUnit {
    /// Tokens of prompts and answers.
    Tokens,
    /// Millionths of a dollar.
    MicroDollars,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompt_and_answer_keep_their_own_prices() {
        let worst = WorstCase {
            prompt: Spend { tokens: 100, micro_dollars: 100 },
            answer: Spend { tokens: 100, micro_dollars: 1500 },
        };
        assert_eq!(worst.total(), Spend { tokens: 200, micro_dollars: 1600 });
        let usage = worst.usage_after(20);
        assert_eq!((usage.input_tokens, usage.output_tokens), (100, 10));
        assert_eq!(worst.price(usage), 100 + 150);
        assert_eq!(worst.usage_after(u64::MAX).output_tokens, 100);
        assert_eq!(WorstCase::default().price(usage), 0);
    }

    #[test]
    fn the_first_limit_that_is_passed_is_named() {
        let limit = SpendLimit { tokens: Some(10), micro_dollars: Some(5) };
        let (taken, needed) =
            (Spend { tokens: 4, micro_dollars: 3 }, Spend { tokens: 6, micro_dollars: 3 });
        let unit = BudgetUnit::MicroDollars;
        let passed = PassedLimit { unit, limit: 5, left: 2, needed: 3 };
        assert_eq!(limit.passed_by(taken, needed), Some(passed));
        assert_eq!(limit.passed_by(taken, taken.minus(needed)), None);
        assert_eq!(SpendLimit::default().passed_by(taken, needed), None);
    }
}
