//! `salve setup`, as data.
//!
//! In: arguments. Out: one value, checked by clap. Never acts on it.

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct SetupArguments {
    /// The agent whose configuration is changed.
    #[arg(value_enum)]
    pub(crate) agent: Agent,
    /// Where the gateway listens.
    #[arg(long, default_value = "http://127.0.0.1:8790", value_parser = gateway_url)]
    pub(crate) url: String,
    /// Which of the agent's providers goes through the gateway, where it has several.
    #[arg(long, value_enum, default_value_t = Provider::Openai)]
    pub(crate) provider: Provider,
    /// Takes the gateway out of the configuration again.
    #[arg(long)]
    pub(crate) remove: bool,
    /// Shows the change without making it.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Does not ask.
    #[arg(long, conflicts_with = "dry_run")]
    pub(crate) yes: bool,
}

/// The agents whose configuration is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Agent {
    Aider,
    Cline,
    Goose,
    Opencode,
    Continue,
    Codex,
    ClaudeCode,
}

/// The providers that agents tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Provider {
    Openai,
    Anthropic,
}

// An address of these characters alone means the same in JSON, TOML and YAML without escapes.
fn gateway_url(text: &str) -> Result<String, String> {
    let url = text.trim_end_matches('/');
    let host = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
    let plain =
        |character: char| character.is_ascii_alphanumeric() || ":/._-[]%~".contains(character);
    match host {
        Some(host) if !host.is_empty() && host.chars().all(plain) => Ok(url.to_owned()),
        _ => Err("give the address of the gateway, such as http://127.0.0.1:8790".to_owned()),
    }
}
