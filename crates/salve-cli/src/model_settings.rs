//! The settings of models, and the origin of each.
//!
//! In: `[[provider]]`, `[roles]`, `[[model]]` and `[budget]` of the system's and the user's files.
//! Out: one value of all of them, and a row for each. Never of a workspace: it could send code and
//! keys where it likes, and spend what it likes.

use crate::settings::Origin;
use salve_model::{BudgetLevel, BudgetLimits, Measure, ModelSettings, ProviderSettings, Role};
use std::collections::BTreeMap;

/// The settings of models in force.
#[derive(Debug, Clone, Default)]
pub(crate) struct Models {
    pub(crate) settings: ModelSettings,
    origins: BTreeMap<String, Origin>,
}

impl Models {
    /// Puts what a file says over what was said below.
    pub(crate) fn overlay(&mut self, said: ModelSettings, origin: &Origin) {
        for (key, _) in items(&said) {
            self.origins.insert(key, origin.clone());
        }
        self.settings = std::mem::take(&mut self.settings).overlaid(said);
    }

    /// Returns the provider of this name: the user's, or a well-known one.
    pub(crate) fn provider(&self, name: &str) -> Option<ProviderSettings> {
        let own = self.settings.provider.iter().find(|provider| provider.name == name);
        own.cloned().or_else(|| {
            salve_model::well_known(name).map(|known| ProviderSettings::named(known.name))
        })
    }

    /// Lists key, value and origin of everything that is set.
    pub(crate) fn rows(&self) -> Vec<(String, String, String)> {
        let origin = |key: &str| self.origins.get(key).map(Origin::to_string).unwrap_or_default();
        items(&self.settings)
            .into_iter()
            .map(|(key, value)| (key.clone(), value, origin(&key)))
            .collect()
    }
}

fn items(settings: &ModelSettings) -> Vec<(String, String)> {
    let providers = settings
        .provider
        .iter()
        .map(|provider| (format!("provider.{}", provider.name), describe(provider)));
    let preset = settings.roles.preset.map(|preset| preset.name().to_owned());
    let general = [("preset", preset), ("model", settings.roles.model.clone())];
    let own = Role::ALL.map(|role| (role.name(), settings.roles.of(role).map(str::to_owned)));
    let roles = general
        .into_iter()
        .chain(own)
        .filter_map(|(name, said)| Some((format!("roles.{name}"), said?)));
    let models = settings.model.iter().map(|entry| {
        let names = entry.names.join(", ");
        let price = entry.price.map_or_else(String::new, |price| {
            format!(", {} in and {} out per million tokens", price.input, price.output)
        });
        (format!("model.{names}"), format!("described{price}"))
    });
    let budget = settings.budget;
    let limits = [
        (BudgetLevel::Run, budget.run),
        (BudgetLevel::Session, budget.session),
        (BudgetLevel::Day, budget.day),
    ];
    let limits = limits.into_iter().flat_map(|(scope, limits)| limits_of(scope, limits));
    providers.chain(roles).chain(models).chain(limits).collect()
}

fn limits_of(scope: BudgetLevel, limits: BudgetLimits) -> impl Iterator<Item = (String, String)> {
    Measure::ALL.into_iter().filter_map(move |measure| {
        let limit = limits.of(measure)?;
        Some((format!("budget.{}.{}", scope.name(), measure.name()), measure.show(limit)))
    })
}

/// Returns a provider in a line; its key is named by where it is kept, never shown.
pub(crate) fn describe(provider: &ProviderSettings) -> String {
    let place = match provider.provider(None) {
        Ok(made) => format!("{} at {}", made.dialect.name(), made.base_url),
        Err(unknown) => unknown.to_string(),
    };
    match provider.key_source() {
        Some(source) => format!("{place}, key from {source}"),
        None => format!("{place}, no key"),
    }
}
