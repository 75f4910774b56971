//! The models of a host: settings, keys and budgets put together.
//!
//! In: the settings and a way to fetch keys. Out: the lineup, and the providers whose key was not
//! found. Never asks a model.

use super::{HostConfig, HostError};
use salve_model::{
    Budget, BudgetLevel, Consumption, HttpClientOptions, KeySource, Lineup, LineupParts,
    RetryPolicy, Secret, http_client,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Fetches a key from where it is kept. It may run a password manager, so it is called only for
/// providers that are asked.
pub type KeyLookup = Arc<
    dyn Fn(&KeySource) -> Result<Secret, Box<dyn std::error::Error + Send + Sync>> + Send + Sync,
>;

/// The models of all roles.
pub struct Models {
    /// Who is asked for what.
    pub lineup: Arc<Lineup>,
    /// Providers that are left out because their key was not found, with the reason.
    pub without_key: Vec<(String, Box<dyn std::error::Error + Send + Sync>)>,
}

pub(super) fn lineup(config: &HostConfig) -> Result<Models, HostError> {
    let settings = &config.models;
    if settings.provider.is_empty() {
        return Err(HostError::NoModels);
    }
    let mut keys = BTreeMap::new();
    let mut without_key = Vec::new();
    for provider in &settings.provider {
        let Some(source) = provider.key_source() else { continue };
        match (config.keys)(&source) {
            Ok(key) => drop(keys.insert(provider.name.clone(), key)),
            Err(why) => without_key.push((provider.name.clone(), why)),
        }
    }
    let limits = settings.budget;
    let budget = Budget::new(
        BudgetLevel::Day,
        limits.day,
        Consumption::default(),
        Arc::new(config.machine.clock),
    )
    .narrow(BudgetLevel::Session, limits.session)
    .narrow(BudgetLevel::Run, limits.run);
    let lineup = Lineup::new(LineupParts {
        settings,
        keys,
        client: http_client(&HttpClientOptions::default())?,
        budget,
        // Every attempt of a step has its own key in the ledger, so the model is asked once for each:
        // what is tried again inside a call could be paid twice unseen.
        retry: RetryPolicy { attempts: 1, ..RetryPolicy::default() },
    })?;
    Ok(Models { lineup: Arc::new(lineup), without_key })
}
