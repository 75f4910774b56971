//! Who does what: names of roles instead of names of models.
//!
//! In: settings, and a preset by name. Out: the model of a role. One model may fill all of them.
//! Never picks a model that was not named: a role without one is an error that says how to fill it.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A kind of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Small fixes; the cheapest.
    Fast,
    /// Fixes that need context.
    Medium,
    /// Analysis.
    Deep,
    /// Reads images.
    Vision,
    /// Makes images.
    Image,
    /// Splits work into steps.
    Planner,
}

impl Role {
    /// Lists them all.
    pub const ALL: [Self; 6] =
        [Self::Fast, Self::Medium, Self::Deep, Self::Vision, Self::Image, Self::Planner];

    /// Returns its name in settings.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Medium => "medium",
            Self::Deep => "deep",
            Self::Vision => "vision",
            Self::Image => "image",
            Self::Planner => "planner",
        }
    }
}

/// The models of the documents, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Preset {
    /// haiku, sonnet, opus.
    Claude,
    /// grok-3-mini, grok-4-fast, grok-4, grok-2-image.
    Grok,
}

impl Preset {
    /// Lists them all.
    pub const ALL: [Self; 2] = [Self::Claude, Self::Grok];

    /// Returns its name in settings.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Grok => "grok",
        }
    }

    /// Returns its model of a role, if it has one.
    pub const fn model(self, role: Role) -> Option<&'static str> {
        match (self, role) {
            (Self::Claude, Role::Fast | Role::Planner) => Some("haiku"),
            (Self::Claude, Role::Medium | Role::Vision) => Some("sonnet"),
            (Self::Claude, Role::Deep) => Some("opus"),
            (Self::Claude, Role::Image) => None,
            (Self::Grok, Role::Fast | Role::Planner) => Some("grok-3-mini"),
            (Self::Grok, Role::Medium) => Some("grok-4-fast"),
            (Self::Grok, Role::Deep | Role::Vision) => Some("grok-4"),
            (Self::Grok, Role::Image) => Some("grok-2-image"),
        }
    }

    /// Returns the provider its models are at.
    pub const fn provider(self) -> &'static str {
        match self {
            Self::Claude => "anthropic",
            Self::Grok => "xai",
        }
    }
}

/// The `[roles]` of a settings file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RoleSettings {
    /// Where to begin from.
    pub preset: Option<Preset>,
    /// The model of every role that is not named; this alone fills all of them.
    pub model: Option<String>,
    /// Small fixes.
    pub fast: Option<String>,
    /// Fixes that need context.
    pub medium: Option<String>,
    /// Analysis.
    pub deep: Option<String>,
    /// Reads images.
    pub vision: Option<String>,
    /// Makes images.
    pub image: Option<String>,
    /// Splits work into steps.
    pub planner: Option<String>,
}

/// A model at a provider.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ModelChoice {
    /// The provider's name in the settings.
    pub provider: String,
    /// The model, as the provider calls it or by a short name.
    pub model: String,
}

/// The model of each role.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Roles(BTreeMap<Role, ModelChoice>);

/// A role that no model fills, or a model at no provider.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RoleError {
    /// No model is named.
    #[error("no model fills the role `{role}`; set `{role}` or `model` in `[roles]`")]
    Unfilled {
        /// The role.
        role: &'static str,
    },
    /// There is no provider to ask.
    #[error("`{model}` is at no provider; add a `[[provider]]`")]
    NoProvider {
        /// The model.
        model: String,
    },
}

impl RoleSettings {
    /// Returns what these settings say of a role.
    pub fn of(&self, role: Role) -> Option<&str> {
        let own = match role {
            Role::Fast => &self.fast,
            Role::Medium => &self.medium,
            Role::Deep => &self.deep,
            Role::Vision => &self.vision,
            Role::Image => &self.image,
            Role::Planner => &self.planner,
        };
        own.as_deref()
    }
}

impl Roles {
    /// Finds the model of every role. `providers` are the names in the settings, in order.
    ///
    /// A model is written as `provider/model`, or alone when it is at the preset's provider or the
    /// first one. A name in front that is no provider belongs to the model, as in `x-ai/grok-4`.
    ///
    /// # Errors
    /// When a model is named and there is no provider at all.
    pub fn resolve(settings: &RoleSettings, providers: &[String]) -> Result<Self, RoleError> {
        let mut roles = BTreeMap::new();
        for role in Role::ALL {
            let preset = settings.preset.and_then(|preset| preset.model(role));
            let (said, home) = match (settings.of(role).or(settings.model.as_deref()), preset) {
                (Some(said), _) => (said, None),
                (None, Some(said)) => (said, settings.preset.map(Preset::provider)),
                (None, None) => continue,
            };
            roles.insert(role, choose(said, home, providers)?);
        }
        Ok(Self(roles))
    }

    /// Returns the model of a role.
    ///
    /// # Errors
    /// When no model fills it.
    pub fn of(&self, role: Role) -> Result<&ModelChoice, RoleError> {
        self.0.get(&role).ok_or(RoleError::Unfilled { role: role.name() })
    }

    /// Lists the roles that are filled.
    pub fn iter(&self) -> impl Iterator<Item = (Role, &ModelChoice)> {
        self.0.iter().map(|(role, choice)| (*role, choice))
    }
}

fn choose(said: &str, home: Option<&str>, providers: &[String]) -> Result<ModelChoice, RoleError> {
    let named = said.split_once('/').filter(|(first, _)| is_one_of(first, providers));
    if let Some((provider, model)) = named {
        return Ok(ModelChoice { provider: provider.to_owned(), model: model.to_owned() });
    }
    let provider = home
        .filter(|home| is_one_of(home, providers))
        .or_else(|| providers.first().map(String::as_str))
        .ok_or_else(|| RoleError::NoProvider { model: said.to_owned() })?;
    Ok(ModelChoice { provider: provider.to_owned(), model: said.to_owned() })
}

fn is_one_of(name: &str, providers: &[String]) -> bool {
    providers.iter().any(|provider| provider == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn providers() -> Vec<String> {
        ["anthropic", "xai", "openrouter"].map(str::to_owned).to_vec()
    }

    fn resolve(text: &str) -> Roles {
        Roles::resolve(&toml::from_str(text).unwrap(), &providers()).unwrap()
    }

    fn shown(roles: &Roles, role: Role) -> String {
        roles.of(role).map_or_else(
            |error| error.to_string(),
            |choice| format!("{} at {}", choice.model, choice.provider),
        )
    }

    #[test]
    fn x14_the_documents_names_map_to_roles() {
        let all = |text: &str| {
            let roles = resolve(text);
            Role::ALL.map(|role| shown(&roles, role)).join(", ")
        };
        insta::assert_snapshot!(all("preset = 'claude'"), @"haiku at anthropic, sonnet at anthropic, opus at anthropic, sonnet at anthropic, no model fills the role `image`; set `image` or `model` in `[roles]`, haiku at anthropic");
        insta::assert_snapshot!(all("preset = 'grok'"), @"grok-3-mini at xai, grok-4-fast at xai, grok-4 at xai, grok-4 at xai, grok-2-image at xai, grok-3-mini at xai");
    }

    #[test]
    fn x14_one_model_may_fill_all_roles() {
        let roles = resolve("model = 'openrouter/x-ai/grok-4'");
        for role in Role::ALL {
            assert_eq!(shown(&roles, role), "x-ai/grok-4 at openrouter");
        }
    }

    #[test]
    fn c230_vision_and_image_are_roles_with_the_documents_models() {
        let roles = resolve("preset = 'grok'");
        assert_eq!(shown(&roles, Role::Vision), "grok-4 at xai");
        assert_eq!(shown(&roles, Role::Image), "grok-2-image at xai");
        let roles = resolve("preset = 'grok'\nimage = 'openrouter/gpt-image-1'");
        assert_eq!(shown(&roles, Role::Image), "gpt-image-1 at openrouter");
    }

    #[test]
    fn a_role_of_ones_own_wins_over_the_preset_and_over_the_common_model() {
        let roles = resolve("preset = 'claude'\nmodel = 'xai/grok-4'\ndeep = 'xai/grok-4-fast'");
        assert_eq!(shown(&roles, Role::Deep), "grok-4-fast at xai");
        assert_eq!(shown(&roles, Role::Fast), "grok-4 at xai");
        let roles = resolve("fast = 'x-ai/grok-4'");
        assert_eq!(shown(&roles, Role::Fast), "x-ai/grok-4 at anthropic");
        let none = Roles::resolve(&toml::from_str("fast = 'a'").unwrap(), &[]);
        assert!(none.is_err());
    }
}
