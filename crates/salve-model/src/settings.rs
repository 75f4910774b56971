//! The settings of models: `[[provider]]`, `[roles]`, `[[model]]`, `[budget]`.
//!
//! In: tables of a settings file that is the user's own. Out: plain values. Never a key: only where
//! it is kept. A workspace's file has no say in any of this; the command line sees to it.

use crate::budget::BudgetLimits;
use crate::capability::ModelEntry;
use crate::key::{KeySource, Secret};
use crate::provider::{Provider, ProviderTimeouts, well_known};
use crate::roles::RoleSettings;
use crate::wire::Dialect;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// All settings of models, as one file says them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct ModelSettings {
    /// Who is asked; the first one is the usual one.
    pub provider: Vec<ProviderSettings>,
    /// Who does what.
    pub roles: RoleSettings,
    /// What models can do.
    pub model: Vec<ModelEntry>,
    /// What may be spent.
    pub budget: BudgetSettings,
}

impl ModelSettings {
    /// Lists the tables that belong to these settings.
    pub const TABLES: [&'static str; 4] = ["provider", "roles", "model", "budget"];

    /// Puts the settings of a higher file over these: providers by their name, roles and limits one
    /// by one; entries of models are added.
    #[must_use]
    pub fn overlaid(mut self, higher: Self) -> Self {
        for provider in higher.provider {
            match self.provider.iter_mut().find(|one| one.name == provider.name) {
                Some(one) => *one = provider,
                None => self.provider.push(provider),
            }
        }
        let (low, high) = (self.roles, higher.roles);
        self.roles = RoleSettings {
            preset: high.preset.or(low.preset),
            model: high.model.or(low.model),
            fast: high.fast.or(low.fast),
            medium: high.medium.or(low.medium),
            deep: high.deep.or(low.deep),
            vision: high.vision.or(low.vision),
            image: high.image.or(low.image),
            planner: high.planner.or(low.planner),
        };
        self.model.extend(higher.model);
        self.budget = self.budget.overlaid(higher.budget);
        self
    }
}

/// One `[[provider]]`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProviderSettings {
    /// Its name in `[roles]`. For a well-known one the address and the dialect need not be said.
    pub name: String,
    /// How it is talked to.
    #[serde(default)]
    pub dialect: Option<Dialect>,
    /// Where it is.
    #[serde(default)]
    pub base_url: Option<String>,
    /// Where its key is kept; none for one that wants no key.
    #[serde(default)]
    pub key: Option<KeySource>,
    /// Headers that are sent along.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// How many calls at once.
    #[serde(default)]
    pub parallel: Option<usize>,
    /// The longest a call may take.
    #[serde(default, deserialize_with = "duration")]
    pub total_timeout: Option<Duration>,
    /// The longest it may be silent.
    #[serde(default, deserialize_with = "duration")]
    pub idle_timeout: Option<Duration>,
    /// Whether it has a place for files that models can search in.
    #[serde(default)]
    pub files: Option<bool>,
}

/// A provider that lacks something.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the provider `{name}` is not well known; say its `base_url` and its `dialect`")]
pub struct UnknownProvider {
    /// Its name.
    pub name: String,
}

impl ProviderSettings {
    /// Returns the settings of a well-known provider, of which only the name is said.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            dialect: None,
            base_url: None,
            key: None,
            headers: BTreeMap::new(),
            parallel: None,
            total_timeout: None,
            idle_timeout: None,
            files: None,
        }
    }

    /// Returns the source of the key: the one that is said, or the usual variable of a well-known
    /// provider.
    pub fn key_source(&self) -> Option<KeySource> {
        self.key.clone().or_else(|| {
            let variable = well_known(&self.name)?.key_variable?;
            Some(KeySource::Environment(variable.to_owned()))
        })
    }

    /// Makes the provider, with the key that was found.
    ///
    /// # Errors
    /// When neither the settings nor what is well known tell where it is.
    pub fn provider(&self, key: Option<Secret>) -> Result<Provider, UnknownProvider> {
        let known = well_known(&self.name);
        let unknown = || UnknownProvider { name: self.name.clone() };
        let timeouts = ProviderTimeouts::default();
        Ok(Provider {
            name: self.name.clone(),
            dialect: self.dialect.or(known.map(|known| known.dialect)).ok_or_else(unknown)?,
            base_url: self
                .base_url
                .clone()
                .or_else(|| known.map(|known| known.base_url.to_owned()))
                .ok_or_else(unknown)?,
            key,
            headers: self.headers.clone().into_iter().collect(),
            parallel: self.parallel.unwrap_or(Provider::PARALLEL),
            timeouts: ProviderTimeouts {
                total: self.total_timeout.unwrap_or(timeouts.total),
                idle: self.idle_timeout.unwrap_or(timeouts.idle),
            },
            files: self.files.unwrap_or_else(|| known.is_some_and(|known| known.files)),
        })
    }
}

/// `[budget.run]`, `[budget.session]`, `[budget.day]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BudgetSettings {
    /// Of one command.
    pub run: BudgetLimits,
    /// Of one session.
    pub session: BudgetLimits,
    /// Of one day.
    pub day: BudgetLimits,
}

impl BudgetSettings {
    fn overlaid(self, higher: Self) -> Self {
        let over = |low: BudgetLimits, high: BudgetLimits| BudgetLimits {
            tokens: high.tokens.or(low.tokens),
            money: high.money.or(low.money),
            attempts: high.attempts.or(low.attempts),
            seconds: high.seconds.or(low.seconds),
        };
        Self {
            run: over(self.run, higher.run),
            session: over(self.session, higher.session),
            day: over(self.day, higher.day),
        }
    }
}

fn duration<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    let text = String::deserialize(deserializer)?;
    humantime::parse_duration(&text).map(Some).map_err(serde::de::Error::custom)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::MicroDollars;

    fn read(text: &str) -> ModelSettings {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn a_well_known_provider_needs_only_its_name() {
        let settings = read("[[provider]]\nname = 'xai'");
        let provider = settings.provider[0].provider(None).unwrap();
        assert_eq!(provider.base_url, "https://api.x.ai/v1");
        assert_eq!(provider.dialect, Dialect::Chat);
        let key = settings.provider[0].key_source();
        assert_eq!(key, Some(KeySource::Environment("XAI_API_KEY".to_owned())));
        let odd = read("[[provider]]\nname = 'mine'");
        assert!(odd.provider[0].provider(None).is_err());
    }

    #[test]
    fn c192_the_documents_limits_are_the_defaults() {
        let provider = read("[[provider]]\nname = 'xai'").provider[0].provider(None).unwrap();
        assert_eq!(provider.timeouts.total, Duration::from_secs(300));
        assert!(provider.timeouts.idle < provider.timeouts.total);
        assert_eq!(crate::tier::DEFAULT_OUTPUT_TOKENS, 16_384);
        let said = read("[[provider]]\nname = 'xai'\ntotal_timeout = '2m'\nidle_timeout = '5s'");
        let timeouts = said.provider[0].provider(None).unwrap().timeouts;
        assert_eq!(
            timeouts,
            ProviderTimeouts { total: Duration::from_secs(120), idle: Duration::from_secs(5) }
        );
    }

    #[test]
    fn a_higher_file_speaks_over_a_lower_one() {
        let low = read(
            "[[provider]]\nname = 'xai'\nparallel = 2\n[roles]\npreset = 'grok'\n\
             [budget.day]\nmoney = '5'\ntokens = 100",
        );
        let high = read(
            "[[provider]]\nname = 'xai'\nparallel = 9\n[[provider]]\nname = 'ollama'\n\
             [roles]\nfast = 'ollama/qwen3'\n[budget.day]\nmoney = '2.50'",
        );
        let both = low.overlaid(high);
        let shown: Vec<_> =
            both.provider.iter().map(|one| (one.name.as_str(), one.parallel)).collect();
        assert_eq!(shown, [("xai", Some(9)), ("ollama", None)]);
        assert!(both.roles.preset.is_some() && both.roles.fast.is_some());
        assert_eq!(both.budget.day.money, Some(MicroDollars(2_500_000)));
        assert_eq!(both.budget.day.tokens, Some(100));
    }

    #[test]
    fn a_slip_of_the_pen_is_an_error_and_a_key_has_no_place_here() {
        for wrong in [
            "[[provider]]\nname = 'xai'\nbase = 'x'",
            "[[provider]]\nname = 'xai'\nkey = 'sk-123'",
            "[[provider]]\nname = 'xai'\ntotal_timeout = 'soon'",
            "[roles]\nquick = 'x'",
            "[budget.week]\ntokens = 1",
            "[budget.day]\nmoney = 2.5",
            "[[model]]\nnames = ['x']\ncost = 1",
        ] {
            assert!(toml::from_str::<ModelSettings>(wrong).is_err(), "{wrong}");
        }
    }
}
