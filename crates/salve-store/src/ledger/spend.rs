//! Whose limit a call would pass, and how that is said.
//!
//! In: a scope and the limit that is passed. Out: the words for people. Never counts: the accounts of
//! the writer do.

use crate::KeyId;
use salve_types::BudgetUnit;
use serde::Serialize;
use std::fmt;

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
