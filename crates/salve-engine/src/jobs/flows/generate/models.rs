//! Who can be asked by a job.
//!
//! In: a role, a rung of the ladder or a name. Out: a model with everything around it. Never reads
//! a setting or a key: the caller that starts a worker passes the models in.

use super::input::WhichModel;
use salve_model::{Chosen, Lineup, LineupError, TierLadder};

/// Gives out models.
pub trait ModelSource: Send + Sync {
    /// Returns the model that is asked for.
    ///
    /// # Errors
    /// When no model fills the role, or its provider has no key here.
    fn choose(&self, which: &WhichModel) -> Result<Chosen, NoModel>;
}

/// Why no one can be asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoModel(pub String);

impl From<LineupError> for NoModel {
    fn from(error: LineupError) -> Self {
        Self(error.to_string())
    }
}

impl ModelSource for Lineup {
    fn choose(&self, which: &WhichModel) -> Result<Chosen, NoModel> {
        match which {
            WhichModel::Role(role) => Ok(self.of(*role)?),
            WhichModel::Name(name) => Ok(self.named(name)?),
            WhichModel::Tier(number) => match TierLadder::default().attempt(*number) {
                Some(attempt) => Ok(self.of(attempt.role)?),
                None => Err(NoModel(format!("there is no attempt {number} on the ladder"))),
            },
        }
    }
}
