//! What may still be spent: tokens, money, attempts and seconds, by run, session and day.
//!
//! In: limits, nested from a run up to a day, and the worst case of every call before it is made.
//! Out: a hold on every level or on none, which is settled with what the call really took. Never
//! lets the sum of what is spent and held pass a limit.

mod budgeted;
mod hold;
mod spend;
mod worst;

pub use budgeted::Budgeted;
pub use hold::{Hold, SettledHold};
pub use spend::{BudgetLimits, Consumption, Measure};
pub use worst::{BytesByTwo, TokenCount, worst_case, worst_of_tokens};

use salve_types::Clock;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A budget. A copy is the same budget.
#[derive(Clone)]
pub struct Budget(Arc<Level>);

/// What a budget is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BudgetLevel {
    /// One command, or one request to the gateway.
    Run,
    /// One session of work.
    Session,
    /// A day in UTC; at midnight it begins anew.
    Day,
}

impl BudgetLevel {
    /// Returns its name in settings and messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Session => "session",
            Self::Day => "day",
        }
    }
}

/// A call that does not fit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BudgetError {
    /// A limit would be passed.
    #[error(
        "the {} budget has {} left and this call may take {}; raise `{}` in `[budget.{}]`",
        scope.name(), measure.show(*left), measure.show(*needed), measure.name(), scope.name()
    )]
    Limit {
        /// Whose limit.
        scope: BudgetLevel,
        /// Of what.
        measure: Measure,
        /// What is neither spent nor held.
        left: u64,
        /// What the call may take at worst.
        needed: u64,
    },
    /// Money is limited and the price of the model is unknown.
    #[error("money is limited and the price of `{model}` is not known; say it in `[[model]]`")]
    NoPrice {
        /// The model.
        model: String,
    },
}

struct Level {
    scope: BudgetLevel,
    limits: BudgetLimits,
    clock: Arc<dyn Clock>,
    within: Option<Arc<Level>>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    day: i64,
    spent: Consumption,
    held: Consumption,
}

impl Budget {
    /// Makes a budget of its own, of which this much is spent already.
    pub fn new(
        scope: BudgetLevel,
        limits: BudgetLimits,
        spent: Consumption,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self::make(scope, limits, spent, clock, None)
    }

    /// Makes a budget within this one: what it spends, this one spends too.
    #[must_use]
    pub fn narrow(&self, scope: BudgetLevel, limits: BudgetLimits) -> Self {
        let clock = Arc::clone(&self.0.clock);
        Self::make(scope, limits, Consumption::default(), clock, Some(Arc::clone(&self.0)))
    }

    fn make(
        scope: BudgetLevel,
        limits: BudgetLimits,
        spent: Consumption,
        clock: Arc<dyn Clock>,
        within: Option<Arc<Level>>,
    ) -> Self {
        let state = State { day: clock.now().day(), spent, held: Consumption::default() };
        Self(Arc::new(Level { scope, limits, clock, within, state: Mutex::new(state) }))
    }

    /// Sets the worst case of a call aside, here and in every budget around this one.
    ///
    /// # Errors
    /// When it does not fit somewhere; then nothing is set aside anywhere.
    pub fn reserve(&self, worst: Consumption) -> Result<Hold, BudgetError> {
        self.0.hold(worst)?;
        Ok(Hold::new(Arc::clone(&self.0), worst))
    }

    /// Returns what is spent.
    pub fn spent(&self) -> Consumption {
        self.0.today().spent
    }

    /// Returns what is set aside for calls that are not settled.
    pub fn held(&self) -> Consumption {
        self.0.today().held
    }

    /// Returns what could still be reserved, here and in every budget around this one; none where
    /// nothing is limited.
    pub fn left(&self, measure: Measure) -> Option<u64> {
        self.0.levels().filter_map(|level| level.left(&level.today(), measure)).min()
    }

    /// Tells whether this budget or one around it limits a measure.
    pub fn limits(&self, measure: Measure) -> bool {
        self.0.levels().any(|level| level.limits.of(measure).is_some())
    }
}

impl fmt::Debug for Budget {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.0.today();
        out.debug_struct("Budget")
            .field("scope", &self.0.scope)
            .field("limits", &self.0.limits)
            .field("spent", &state.spent)
            .field("held", &state.held)
            .finish_non_exhaustive()
    }
}

impl Level {
    // Every level stays locked until the outermost one agreed, inner before outer and never the
    // other way round: all of them take the hold, or none.
    fn hold(&self, worst: Consumption) -> Result<(), BudgetError> {
        let mut state = self.today();
        for measure in Measure::ALL {
            let needed = worst.of(measure);
            if let Some(left) = self.left(&state, measure)
                && needed > left
            {
                return Err(BudgetError::Limit { scope: self.scope, measure, left, needed });
            }
        }
        if let Some(outer) = &self.within {
            outer.hold(worst)?;
        }
        state.held = state.held.plus(worst);
        Ok(())
    }

    fn settle(&self, worst: Consumption, actual: Consumption) {
        let mut state = self.today();
        state.held = state.held.minus(worst);
        state.spent = state.spent.plus(actual);
        if let Some(outer) = &self.within {
            outer.settle(worst, actual);
        }
    }

    fn left(&self, state: &State, measure: Measure) -> Option<u64> {
        let taken = state.spent.of(measure).saturating_add(state.held.of(measure));
        self.limits.of(measure).map(|limit| limit.saturating_sub(taken))
    }

    // What is held stays held over midnight and counts for the day it is settled in. A clock that
    // is set back gives nothing back.
    fn today(&self) -> MutexGuard<'_, State> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let today = self.clock.now().day();
        if self.scope == BudgetLevel::Day && today > state.day {
            state.day = today;
            state.spent = Consumption::default();
        }
        state
    }

    fn levels(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |level| level.within.as_deref())
    }
}

#[cfg(test)]
mod tests;
