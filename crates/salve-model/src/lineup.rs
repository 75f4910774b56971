//! All models that can be asked, by role.
//!
//! In: settings, the keys that were found, a client for HTTP and a budget. Out: for each role a model
//! with everything around it: tried again when that may help, a number of calls at once per provider,
//! each reserved before it is made. Never reads a setting or a key by itself.

use crate::any_model::AnyModel;
use crate::budget::{Budget, Budgeted};
use crate::capability::{Capabilities, Capability};
use crate::files::ProviderFiles;
use crate::key::{KeySource, Secret};
use crate::limit::{CallGate, Limited};
use crate::model::ModelError;
use crate::provider::GenaiModel;
use crate::request::ModelRequest;
use crate::retry::{RetryPolicy, Retrying};
use crate::roles::{ModelChoice, Role, RoleError, RoleSettings, Roles};
use crate::settings::{ModelSettings, ProviderSettings, UnknownProvider};
use crate::tier::{Attempt, DEFAULT_OUTPUT_TOKENS};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The models of all roles.
pub struct Lineup {
    providers: BTreeMap<String, Result<AnyModel, KeySource>>,
    files: BTreeMap<String, ProviderFiles>,
    roles: Roles,
    capabilities: Arc<Capabilities>,
}

/// What a lineup is made with.
pub struct LineupParts<'a> {
    /// The settings in force.
    pub settings: &'a ModelSettings,
    /// The keys that were found, by the name of the provider.
    pub keys: BTreeMap<String, Secret>,
    /// How providers are reached.
    pub client: reqwest::Client,
    /// What all calls together may spend.
    pub budget: Budget,
    /// How often a call is tried.
    pub retry: RetryPolicy,
}

/// The model of a role.
#[derive(Clone)]
pub struct Chosen {
    /// How it is asked.
    pub model: AnyModel,
    /// What its provider calls it.
    pub name: String,
    /// Its provider.
    pub provider: String,
    /// What is known of it.
    pub capability: Capability,
}

/// Why a role's model cannot be asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LineupError {
    /// No model fills the role.
    #[error(transparent)]
    Role(#[from] RoleError),
    /// It is not known where a provider is.
    #[error(transparent)]
    Provider(#[from] UnknownProvider),
    /// A provider's address is none.
    #[error(transparent)]
    Address(#[from] ModelError),
    /// The provider's key was not found.
    #[error("the provider `{provider}` has no key; it should be in the {place}")]
    NoKey {
        /// The provider.
        provider: String,
        /// Where the settings say it is.
        place: KeySource,
    },
}

impl Lineup {
    /// Makes the lineup. A provider whose key was not found is left out until someone needs it.
    ///
    /// # Errors
    /// When a provider's address is not known or none, or a role's model is at no provider.
    pub fn new(parts: LineupParts<'_>) -> Result<Self, LineupError> {
        let LineupParts { settings, mut keys, client, budget, retry } = parts;
        let capabilities = Arc::new(Capabilities::built_in().with(settings.model.clone()));
        let (mut providers, mut files) = (BTreeMap::new(), BTreeMap::new());
        for one in &settings.provider {
            let key = keys.remove(&one.name);
            if key.is_some() || one.key_source().is_none() {
                let place = ProviderFiles::of(&one.provider(key.clone())?, client.clone());
                files.extend(place.map(|place| (one.name.clone(), place)));
            }
            let made = match (key, one.key_source()) {
                (None, Some(place)) => Err(place),
                (key, _) => Ok(guarded(one, key, client.clone(), &budget, &capabilities, retry)?),
            };
            providers.insert(one.name.clone(), made);
        }
        let names: Vec<String> = settings.provider.iter().map(|one| one.name.clone()).collect();
        let roles = Roles::resolve(&settings.roles, &names)?;
        Ok(Self { providers, files, roles, capabilities })
    }

    /// Returns the model of a role.
    ///
    /// # Errors
    /// When no model fills it, or its provider has no key.
    pub fn of(&self, role: Role) -> Result<Chosen, LineupError> {
        self.chosen(self.roles.of(role)?)
    }

    /// Returns a model by its name, as `provider/model` or alone.
    ///
    /// # Errors
    /// When there is no provider for it, or that has no key.
    pub fn named(&self, model: &str) -> Result<Chosen, LineupError> {
        let settings = RoleSettings { model: Some(model.to_owned()), ..RoleSettings::default() };
        let names: Vec<String> = self.providers.keys().cloned().collect();
        self.chosen(Roles::resolve(&settings, &names)?.of(Role::Fast)?)
    }

    fn chosen(&self, choice: &ModelChoice) -> Result<Chosen, LineupError> {
        let model = match self.providers.get(&choice.provider) {
            Some(Ok(model)) => model.clone(),
            Some(Err(place)) => {
                let (provider, place) = (choice.provider.clone(), place.clone());
                return Err(LineupError::NoKey { provider, place });
            }
            None => return Err(RoleError::NoProvider { model: choice.model.clone() }.into()),
        };
        Ok(Chosen {
            model,
            name: self.capabilities.full_name(&choice.model).to_owned(),
            provider: choice.provider.clone(),
            capability: self.capabilities.of(&choice.model),
        })
    }

    /// Returns the model of an attempt, and the request addressed to it: with its name, and with the
    /// least of the attempt's, the general and the model's own output limit.
    ///
    /// # Errors
    /// As [`Self::of`].
    pub fn address(
        &self,
        attempt: &Attempt,
        request: ModelRequest,
    ) -> Result<(Chosen, ModelRequest), LineupError> {
        let chosen = self.of(attempt.role)?;
        let max_output_tokens = attempt.max_output_tokens(&chosen.capability);
        let request = ModelRequest { model: chosen.name.clone(), max_output_tokens, ..request };
        Ok((chosen, request))
    }

    /// Returns the place for files of a provider that has one.
    pub fn files(&self, provider: &str) -> Option<ProviderFiles> {
        self.files.get(provider).cloned()
    }

    /// Returns what is known of models.
    pub const fn capabilities(&self) -> &Arc<Capabilities> {
        &self.capabilities
    }
}

impl Chosen {
    /// Returns the output limit to send when no attempt's own is less.
    pub fn max_output_tokens(&self) -> u32 {
        self.capability.output_tokens.min(DEFAULT_OUTPUT_TOKENS)
    }
}

// The order matters: a call waits for its place before anything is set aside for it, and what it is
// tried again for is set aside anew each time.
fn guarded(
    settings: &ProviderSettings,
    key: Option<Secret>,
    client: reqwest::Client,
    budget: &Budget,
    capabilities: &Arc<Capabilities>,
    retry: RetryPolicy,
) -> Result<AnyModel, LineupError> {
    let provider = settings.provider(key)?;
    let (gate, limit) = (Arc::new(CallGate::new(provider.parallel)), provider.timeouts.total);
    let model = GenaiModel::new(provider, client, Arc::clone(capabilities))?;
    let model = Budgeted::new(model, budget.clone(), Arc::clone(capabilities), limit);
    Ok(AnyModel::new(Retrying::new(Limited::new(model, gate), retry)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::{BudgetLevel, BudgetLimits, Consumption};
    use crate::http_client::{HttpClientOptions, http_client};
    use crate::model::Model;
    use crate::request::Turn;
    use crate::sim::{Script, SimHandle, SimServer};
    use crate::tier::TierLadder;
    use salve_types::Timestamp;
    use std::net::Ipv4Addr;
    use std::time::Duration;

    async fn sim(script: &str) -> SimHandle {
        let addr = (Ipv4Addr::LOCALHOST, 0).into();
        SimServer::start(Script::parse(script).unwrap(), addr).await.unwrap()
    }

    fn budget(limits: BudgetLimits) -> Budget {
        Budget::new(BudgetLevel::Run, limits, Consumption::default(), Arc::new(|| Timestamp(0)))
    }

    fn lineup(settings: &str, keys: &[&str], budget: &Budget) -> Result<Lineup, LineupError> {
        let settings: ModelSettings = toml::from_str(settings).unwrap();
        let keys = keys.iter().map(|name| ((*name).to_owned(), Secret::new("sk-x").unwrap()));
        let moment = Duration::from_millis(1);
        Lineup::new(LineupParts {
            settings: &settings,
            keys: keys.collect(),
            client: http_client(&HttpClientOptions::default()).unwrap(),
            budget: budget.clone(),
            retry: RetryPolicy { attempts: 3, base: moment, cap: moment, retry_after_cap: moment },
        })
    }

    fn at(sim: &SimHandle) -> String {
        format!("[[provider]]\nname = 'xai'\nbase_url = '{}'\n", sim.url())
    }

    #[tokio::test]
    async fn h23_h24_h25_x15_five_attempts_ask_these_models_for_these_tokens() {
        let sim = sim(r#"{"reply":{"text":"x"}}"#).await;
        let settings = format!("{}[roles]\npreset = 'grok'", at(&sim));
        let lineup = lineup(&settings, &["xai"], &budget(BudgetLimits::default())).unwrap();
        let ladder = TierLadder::default();
        for number in 1.. {
            let Some(attempt) = ladder.attempt(number) else { break };
            let asked = ModelRequest { turns: vec![Turn::user("fix")], ..ModelRequest::default() };
            let (chosen, request) = lineup.address(&attempt, asked).unwrap();
            chosen.model.call(&request, &mut ()).await.unwrap();
        }
        let trace: Vec<String> = sim
            .requests()
            .iter()
            .map(|seen| {
                let body: serde_json::Value = serde_json::from_slice(&seen.body).unwrap();
                format!("{} {}", body["model"].as_str().unwrap(), body["max_tokens"])
            })
            .collect();
        assert_eq!(
            trace,
            [
                "grok-3-mini 5000",
                "grok-3-mini 5000",
                "grok-4-fast 10000",
                "grok-4-fast 10000",
                "grok-4 16384",
            ]
        );
    }

    #[tokio::test]
    async fn r16_a_failing_provider_is_tried_again_and_every_try_is_paid_for_once() {
        let script = "{\"times\":2,\"reply\":{\"status\":503}}\n{\"reply\":{\"text\":\"x\"}}";
        let sim = sim(script).await;
        let spent = budget(BudgetLimits::default());
        let settings = format!("{}[roles]\nmodel = 'grok-4'", at(&sim));
        let lineup = lineup(&settings, &["xai"], &spent).unwrap();
        let chosen = lineup.of(Role::Deep).unwrap();
        let request = ModelRequest {
            model: chosen.name.clone(),
            turns: vec![Turn::user("fix")],
            max_output_tokens: chosen.max_output_tokens(),
            ..ModelRequest::default()
        };
        let reply = chosen.model.call(&request, &mut ()).await.unwrap();
        assert_eq!(spent.spent().attempts, 3);
        assert_eq!(spent.spent().spend.tokens, reply.usage.unwrap().total());
        assert_eq!(spent.held(), Consumption::default());
    }

    #[tokio::test]
    async fn a_call_over_budget_never_reaches_the_provider() {
        let sim = sim(r#"{"reply":{"text":"x"}}"#).await;
        let settings = format!("{}[roles]\nmodel = 'grok-4'", at(&sim));
        let poor = budget(BudgetLimits { tokens: Some(10), ..BudgetLimits::default() });
        let chosen = lineup(&settings, &["xai"], &poor).unwrap().of(Role::Fast).unwrap();
        let request = ModelRequest { max_output_tokens: 100, ..ModelRequest::default() };
        let error = chosen.model.call(&request, &mut ()).await.unwrap_err();
        assert!(matches!(error, ModelError::OverBudget { .. }), "{error:?}");
        assert_eq!(sim.requests().len(), 0);
    }

    #[tokio::test]
    async fn a_missing_key_is_named_when_it_is_needed_and_not_before() {
        let settings = "[[provider]]\nname = 'xai'\n[[provider]]\nname = 'ollama'\n\
                        [roles]\nfast = 'ollama/qwen3'\ndeep = 'xai/grok-4'";
        let lineup = lineup(settings, &[], &budget(BudgetLimits::default())).unwrap();
        assert!(lineup.of(Role::Fast).is_ok());
        let error = lineup.of(Role::Deep).map(drop).unwrap_err();
        insta::assert_snapshot!(error, @"the provider `xai` has no key; it should be in the variable XAI_API_KEY");
        assert_eq!(lineup.named("ollama/qwen3:8b").unwrap().name, "qwen3:8b");
        let error = lineup.named("xai/grok-4").map(drop).unwrap_err();
        assert!(error.to_string().contains("has no key"));
        let error = lineup.of(Role::Image).map(drop).unwrap_err();
        assert!(error.to_string().contains("no model fills the role `image`"));
    }
}
