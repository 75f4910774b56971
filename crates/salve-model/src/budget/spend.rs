//! Amounts of what a budget limits: spend, attempts and time.
//!
//! In: counts. Out: sums that stop at the greatest number there is, and limits. Never negative.

use crate::cost::MicroDollars;
use salve_types::Spend;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What calls consume, or may consume.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Consumption {
    /// Tokens and money.
    pub spend: Spend,
    /// Calls.
    pub attempts: u64,
    /// Time waited for answers, in milliseconds.
    pub millis: u64,
}

/// The most that may be spent; what is not said is not limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BudgetLimits {
    /// Tokens of prompts and answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Money.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub money: Option<MicroDollars>,
    /// Calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempts: Option<u64>,
    /// Seconds waited for answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
}

/// One of the things that are limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Tokens of prompts and answers.
    Tokens,
    /// Money, counted in millionths of a dollar.
    Money,
    /// Calls.
    Attempts,
    /// Time, counted in milliseconds and limited in seconds.
    Seconds,
}

impl Measure {
    /// Lists them all.
    pub const ALL: [Self; 4] = [Self::Tokens, Self::Money, Self::Attempts, Self::Seconds];

    /// Returns its name in settings.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tokens => "tokens",
            Self::Money => "money",
            Self::Attempts => "attempts",
            Self::Seconds => "seconds",
        }
    }

    /// Returns a count of it as people write it.
    pub fn show(self, count: u64) -> String {
        match self {
            Self::Tokens => format!("{count} tokens"),
            Self::Money => MicroDollars(count).to_string(),
            Self::Attempts => format!("{count} attempts"),
            Self::Seconds => format!("{}.{:03} seconds", count / 1000, count % 1000),
        }
    }
}

impl Consumption {
    /// Returns the count of one measure.
    pub const fn of(&self, measure: Measure) -> u64 {
        match measure {
            Measure::Tokens => self.spend.tokens,
            Measure::Money => self.spend.micro_dollars,
            Measure::Attempts => self.attempts,
            Measure::Seconds => self.millis,
        }
    }

    /// Returns both together.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            spend: self.spend.plus(other.spend),
            attempts: self.attempts.saturating_add(other.attempts),
            millis: self.millis.saturating_add(other.millis),
        }
    }

    /// Returns what is left of this one, never less than nothing.
    #[must_use]
    pub const fn minus(self, other: Self) -> Self {
        Self {
            spend: self.spend.minus(other.spend),
            attempts: self.attempts.saturating_sub(other.attempts),
            millis: self.millis.saturating_sub(other.millis),
        }
    }

    /// Returns one attempt that took this long and nothing else.
    pub fn attempt(took: Duration) -> Self {
        let millis = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        Self { attempts: 1, millis, ..Self::default() }
    }
}

impl BudgetLimits {
    /// Returns the limit of one measure, in the unit it is counted in.
    pub fn of(&self, measure: Measure) -> Option<u64> {
        match measure {
            Measure::Tokens => self.tokens,
            Measure::Money => self.money.map(|money| money.0),
            Measure::Attempts => self.attempts,
            Measure::Seconds => self.seconds.map(|seconds| seconds.saturating_mul(1000)),
        }
    }
}
