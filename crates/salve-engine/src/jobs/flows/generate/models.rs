//! Who can be asked by a job.
//!
//! In: a role, a rung of the ladder or a name. Out: a model with everything around it. Never reads
//! a setting or a key: the caller that starts a worker passes the models in.

use super::input::WhichModel;
use salve_model::{Capabilities, Chosen, Lineup, LineupError, ProviderFiles, Role, TierLadder};

/// Gives out models.
pub trait ModelSource: Send + Sync {
    /// Returns the model that is asked for.
    ///
    /// # Errors
    /// When no model fills the role, or its provider has no key here.
    fn choose(&self, which: &WhichModel) -> Result<Chosen, NoModel>;

    /// Returns the place for files of a provider, where it has one that can be used here.
    fn files(&self, _provider: &str) -> Option<ProviderFiles> {
        None
    }

    /// Returns the model that is asked for if it reads images; where only a role was asked for, one of another
    /// role that does.
    ///
    /// # Errors
    /// When there is none; the message names models that do.
    fn choose_seeing(&self, which: &WhichModel) -> Result<Chosen, NoModel> {
        let first = self.choose(which)?;
        let roles = [Role::Vision, Role::Medium, Role::Deep, Role::Fast];
        let others = roles.into_iter().filter(|_| !matches!(which, WhichModel::Name(_)));
        let others = others.filter_map(|role| self.choose(&WhichModel::Role(role)).ok());
        let name = format!("{}/{}", first.provider, first.name);
        std::iter::once(first).chain(others).find(|one| one.capability.vision).ok_or_else(|| {
            NoModel(format!(
                "`{name}` reads no images, and no model of `[roles]` does that could be asked instead. Models that \
                 do: {}. Name one as `vision` in `[roles]`, or say `vision = true` in a `[[model]]` of your own",
                Capabilities::built_in().seeing().join(", ")
            ))
        })
    }
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

    fn files(&self, provider: &str) -> Option<ProviderFiles> {
        Self::files(self, provider)
    }
}
