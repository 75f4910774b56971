//! Agents that a person registered, and what they are asked.
//!
//! In: `[[agent]]` of the user's own settings, the diagnostics of the state that is being healed. Out: who
//! is asked when, the document each gets, and what an answer comes to: an edit, words for the models, or a
//! code that says why neither. Never asks anybody itself, and never believes an answer: an edit passes
//! the same gates and the same check as any other fix.

use super::HealPrompt;
use salve_model::is_agent_address;
use salve_store::Redact;
use salve_types::Diagnostic;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::time::Duration;

/// How long an agent has where its settings do not say.
const USUAL_SECONDS: u64 = 60;
/// The longest that settings can say.
const MOST_SECONDS: u64 = 600;
/// How many diagnostics an agent is told in full.
const TOLD: usize = 50;
/// How much of an agent's words a model is told.
const MOST_WORDS: usize = 2000;

/// An agent of the user's own settings.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "AgentTable")]
pub struct AgentSettings {
    /// Its name, for people and records.
    pub name: String,
    /// How it is asked.
    pub means: AgentMeans,
    /// What it is a specialist for: classes of errors, tools, or codes of tools.
    pub classes: Vec<String>,
    /// Whether it is asked about what it is no specialist for.
    pub broadcast: bool,
    /// Whether its command has a network.
    pub network: bool,
    /// How long it has.
    pub deadline: Duration,
}

/// How an agent is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentMeans {
    /// A program that gets the document on its standard input.
    Command(Vec<String>),
    /// An address that the document is posted to.
    Url(String),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AgentTable {
    name: String,
    #[serde(default)]
    command: Vec<String>,
    url: Option<String>,
    #[serde(default)]
    classes: Vec<String>,
    #[serde(default = "yes")]
    broadcast: bool,
    #[serde(default)]
    network: bool,
    #[serde(default = "usual_seconds")]
    timeout_seconds: u64,
}

const fn yes() -> bool {
    true
}

const fn usual_seconds() -> u64 {
    USUAL_SECONDS
}

impl TryFrom<AgentTable> for AgentSettings {
    type Error = String;

    fn try_from(table: AgentTable) -> Result<Self, String> {
        let name = table.name;
        let means = match (table.command, table.url) {
            (command, None) if !command.is_empty() => AgentMeans::Command(command),
            (command, Some(url)) if command.is_empty() => {
                if !is_agent_address(&url) {
                    return Err(format!(
                        "`url` of the agent `{name}` must be https, or http on this machine"
                    ));
                }
                AgentMeans::Url(url)
            }
            _ => return Err(format!("the agent `{name}` needs either a `command` or a `url`")),
        };
        if name.is_empty() || name.chars().any(char::is_control) {
            return Err("the `name` of an agent is a word or a few".to_owned());
        }
        if !(1..=MOST_SECONDS).contains(&table.timeout_seconds) {
            return Err(format!(
                "`timeout_seconds` of the agent `{name}` is from 1 to {MOST_SECONDS}"
            ));
        }
        Ok(Self {
            name,
            means,
            classes: table.classes,
            broadcast: table.broadcast,
            network: table.network,
            deadline: Duration::from_secs(table.timeout_seconds),
        })
    }
}

impl AgentSettings {
    /// Returns whether one of the errors is of a class, a tool or a code that it is a specialist for.
    pub fn is_specialist_for(&self, diagnostics: &[Diagnostic]) -> bool {
        diagnostics.iter().any(|one| {
            let names = [Some(one.class.name()), Some(&*one.tool), one.code.as_deref()];
            let mut names = names.into_iter().flatten();
            names.any(|name| self.classes.iter().any(|class| class.eq_ignore_ascii_case(name)))
        })
    }
}

/// Which agents are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentWave {
    /// The specialists for one of the errors.
    Specialist,
    /// All others that take part.
    Broadcast,
}

impl AgentWave {
    /// Lists them in order.
    pub const ALL: [Self; 2] = [Self::Specialist, Self::Broadcast];

    /// Chooses the agents of a wave.
    pub fn of<'a>(
        self,
        agents: &'a [AgentSettings],
        diagnostics: &[Diagnostic],
    ) -> Vec<&'a AgentSettings> {
        let is_asked = |agent: &&AgentSettings| match self {
            Self::Specialist => agent.is_specialist_for(diagnostics),
            Self::Broadcast => agent.broadcast && !agent.is_specialist_for(diagnostics),
        };
        agents.iter().filter(is_asked).collect()
    }
}

/// What asking an agent came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AgentCode {
    /// It proposed a fix, which is tried.
    Proposed,
    /// It said something about the error, which models are told.
    Advised,
    /// It had nothing to say.
    Nothing,
    /// It could not be asked.
    NotAsked,
    /// It failed.
    Failed,
    /// It took too long and was ended.
    TooSlow,
    /// It answered with too much and was ended.
    TooMuch,
    /// Its answer cannot be read.
    Unreadable,
    /// Its edit cannot be used.
    Unusable,
}

/// What one agent did in a heal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentTurn {
    /// Its name.
    pub agent: String,
    /// Why it was asked.
    pub asked: AgentWave,
    /// What it came to.
    pub code: AgentCode,
    /// The same in words, where there is more to say.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
}

/// Writes what an agent is told, without secrets.
pub(super) fn question(
    agent: &AgentSettings,
    wave: AgentWave,
    command: &str,
    diagnostics: &[Diagnostic],
    prompt: &HealPrompt,
    redact: &dyn Redact,
) -> String {
    let told: Vec<&Diagnostic> = diagnostics.iter().take(TOLD).collect();
    let document = json!({
        "to": agent.name,
        "kind": "error",
        "asked": wave,
        "command": command,
        "file": prompt.target,
        "diagnostics": told,
        "context": prompt.prompt,
    });
    redacted(document, redact).to_string()
}

fn redacted(value: Value, redact: &dyn Redact) -> Value {
    match value {
        Value::String(text) => Value::String(redact.redact(&text)),
        Value::Array(all) => all.into_iter().map(|one| redacted(one, redact)).collect(),
        Value::Object(fields) => {
            let fields = fields.into_iter();
            Value::Object(fields.map(|(key, value)| (key, redacted(value, redact))).collect())
        }
        other => other,
    }
}

/// What an agent answered.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub(super) struct AgentAnswer {
    /// A fix, in any edit format.
    #[serde(default)]
    pub(super) edit: Option<String>,
    /// What it says about the error.
    #[serde(default)]
    pub(super) text: Option<String>,
}

/// Reads an answer: one JSON object. Fields that are not known are passed over.
pub(super) fn read(answer: &str) -> Result<AgentAnswer, String> {
    let answer: AgentAnswer =
        serde_json::from_str(answer.trim()).map_err(|error| format!("no JSON answer: {error}"))?;
    let said = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    Ok(AgentAnswer { edit: said(answer.edit), text: said(answer.text) })
}

/// Returns what models are told of an agent's words.
pub(super) fn advice(agent: &str, text: &str) -> String {
    let mut end = text.len().min(MOST_WORDS);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let text = text.get(..end).unwrap_or_default().trim();
    format!("{agent}: {text}")
}

#[cfg(test)]
mod tests;
