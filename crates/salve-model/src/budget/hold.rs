//! What is set aside for one call.
//!
//! In: the worst case, reserved. Out: it is settled with what the call took, given back when the
//! call was never sent, or counted as spent when that is unknown. Never both, never neither.

use super::{Consumption, Level};
use std::sync::Arc;

/// The worst case of one call, set aside.
#[must_use = "a hold that is dropped is given back, or spent when the call was sent"]
pub struct Hold {
    level: Arc<Level>,
    worst: Consumption,
    sent: bool,
    settled: bool,
}

/// How a hold was settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SettledHold {
    /// What the call took.
    pub spent: Consumption,
    /// What was set aside and not needed.
    pub returned: Consumption,
    /// What the call took beyond its worst case: a provider that passed the limit it was sent, or a
    /// count of the prompt that was too low. It is spent anyway.
    pub beyond: Consumption,
}

impl Hold {
    pub(super) fn new(level: Arc<Level>, worst: Consumption) -> Self {
        Self { level, worst, sent: false, settled: false }
    }

    /// Returns what is set aside.
    pub const fn worst(&self) -> Consumption {
        self.worst
    }

    /// Says that the call is on its way: from now on it costs its worst case until it is settled.
    pub fn sent(&mut self) {
        self.sent = true;
    }

    /// Ends the hold with what the call took.
    pub fn settle(mut self, actual: Consumption) -> SettledHold {
        self.end(actual);
        SettledHold {
            spent: actual,
            returned: self.worst.minus(actual),
            beyond: actual.minus(self.worst),
        }
    }

    fn end(&mut self, actual: Consumption) {
        if !self.settled {
            self.settled = true;
            self.level.settle(self.worst, actual);
        }
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        let unknown = if self.sent { self.worst } else { Consumption::default() };
        self.end(unknown);
    }
}
