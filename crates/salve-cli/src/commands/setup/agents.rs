//! The agents: where each keeps its configuration, and what in it points at a provider.
//!
//! In: an agent, the address of the gateway and the configuration as it is. Out: the configuration as
//! it should be, or the lines to paste. The places and names are those that each agent documents for
//! its user's own configuration. Never reads or writes a file.

use super::{continue_models, jsonc, toml_key, yaml_keys};
use crate::arguments::{Agent, Provider};
use crate::environment;
use crate::failure::Failure;
use std::path::PathBuf;

/// Where a configuration is.
pub(super) struct Place {
    pub(super) folder: PathBuf,
    pub(super) file: String,
}

impl Place {
    pub(super) fn path(&self) -> PathBuf {
        self.folder.join(&self.file)
    }
}

/// What a person wants.
pub(super) struct Wish<'a> {
    pub(super) url: &'a str,
    pub(super) provider: Provider,
    pub(super) remove: bool,
}

/// What happens to a configuration.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Edited {
    /// It is as it should be.
    Same,
    /// This is the new text.
    Text(String),
    /// A person must do it, because of this.
    Unsure(String),
}

/// One setting: where it is, and what it should be.
pub(super) struct Setting {
    pub(super) path: Vec<&'static str>,
    pub(super) value: String,
}

impl Agent {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Aider => "aider",
            Self::Cline => "cline",
            Self::Goose => "goose",
            Self::Opencode => "opencode",
            Self::Continue => "continue",
            Self::Codex => "codex",
            Self::ClaudeCode => "claude-code",
        }
    }
}

/// Returns where the agent's configuration is, if it is in a file.
pub(super) fn place(agent: Agent) -> Result<Option<Place>, Failure> {
    let home = environment::value("HOME")
        .map(PathBuf::from)
        .ok_or_else(|| Failure::new("the home folder is not known").hint("Set HOME."))?;
    let config =
        environment::value("XDG_CONFIG_HOME").map_or_else(|| home.join(".config"), PathBuf::from);
    let named =
        |variable: &str, usual: PathBuf| environment::value(variable).map_or(usual, PathBuf::from);
    let (folder, file) = match agent {
        Agent::Aider => (home, ".aider.conf.yml"),
        Agent::Cline => return Ok(None),
        Agent::Goose => (config.join("goose"), "config.yaml"),
        Agent::Opencode => {
            let folder = config.join("opencode");
            let commented = folder.join("opencode.jsonc").is_file();
            (folder, if commented { "opencode.jsonc" } else { "opencode.json" })
        }
        Agent::Continue => (home.join(".continue"), "config.yaml"),
        Agent::Codex => (named("CODEX_HOME", home.join(".codex")), "config.toml"),
        Agent::ClaudeCode => (named("CLAUDE_CONFIG_DIR", home.join(".claude")), "settings.json"),
    };
    Ok(Some(Place { folder, file: file.to_owned() }))
}

/// Changes the configuration of an agent; without a file, the text of a new one.
pub(super) fn edit(agent: Agent, before: Option<&str>, wish: &Wish<'_>) -> Edited {
    if wish.remove && before.is_none() {
        return Edited::Same;
    }
    let text = before.unwrap_or_default();
    let settings = settings(agent, wish);
    match agent {
        Agent::Cline => Edited::Unsure("its settings are not in a file".to_owned()),
        Agent::Continue => continue_models::edit(text, wish),
        Agent::Aider | Agent::Goose => every(text, &settings, wish.remove, yaml_keys::edit),
        Agent::Codex => every(text, &settings, wish.remove, toml_key::edit),
        Agent::Opencode | Agent::ClaudeCode => every(text, &settings, wish.remove, jsonc::edit),
    }
}

// One setting after the other; one that cannot be made leaves all unmade.
fn every(
    text: &str,
    settings: &[Setting],
    remove: bool,
    edit: fn(&str, &Setting, bool) -> Edited,
) -> Edited {
    let mut now = text.to_owned();
    for setting in settings {
        match edit(&now, setting, remove) {
            Edited::Same => {}
            Edited::Text(text) => now = text,
            Edited::Unsure(why) => return Edited::Unsure(why),
        }
    }
    if now == text { Edited::Same } else { Edited::Text(now) }
}

fn settings(agent: Agent, wish: &Wish<'_>) -> Vec<Setting> {
    let (root, versioned) = (wish.url.to_owned(), format!("{}/v1", wish.url));
    let openai = wish.provider == Provider::Openai;
    let one = |path: &[&'static str], value: String| vec![Setting { path: path.to_vec(), value }];
    match agent {
        Agent::Aider => one(&["openai-api-base"], versioned),
        Agent::Goose if openai => one(&["OPENAI_HOST"], root),
        Agent::Goose => one(&["ANTHROPIC_HOST"], root),
        Agent::Codex => one(&["openai_base_url"], versioned),
        Agent::Opencode if openai => one(&["provider", "openai", "options", "baseURL"], versioned),
        Agent::Opencode => one(&["provider", "anthropic", "options", "baseURL"], versioned),
        Agent::ClaudeCode => one(&["env", "ANTHROPIC_BASE_URL"], root),
        Agent::Continue | Agent::Cline => Vec::new(),
    }
}

/// Returns the lines that a person pastes, or takes out.
pub(super) fn lines(agent: Agent, wish: &Wish<'_>) -> String {
    let versioned = format!("{}/v1", wish.url);
    let settings = settings(agent, wish);
    let written = |edit: fn(&str, &Setting, bool) -> Edited| match every("", &settings, false, edit)
    {
        Edited::Text(text) => text,
        Edited::Same | Edited::Unsure(_) => String::new(),
    };
    match agent {
        Agent::Cline if wish.provider == Provider::Openai => {
            format!("API Provider: OpenAI Compatible\nBase URL: {versioned}\n")
        }
        Agent::Cline => format!("API Provider: Anthropic\nUse custom base URL: {}\n", wish.url),
        Agent::Continue => format!("apiBase: {versioned}\n"),
        Agent::Aider | Agent::Goose => written(yaml_keys::edit),
        Agent::Codex => written(toml_key::edit),
        Agent::Opencode | Agent::ClaudeCode => written(jsonc::edit),
    }
}
