//! Providers: where models are, how they are talked to, and with which key.
//!
//! In: values of the settings and a key that was found. Out: the address and the headers of a call.
//! Never reads the environment, never shows the key.

mod asking;
mod drawing;
mod failing;
mod genai_model;
mod hearing;
mod with_files;

pub use genai_model::GenaiModel;

use crate::key::Secret;
use crate::wire::Dialect;
use salve_types::Usage;
use std::time::Duration;

/// A provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provider {
    /// Its name in settings and records.
    pub name: String,
    /// How it is talked to.
    pub dialect: Dialect,
    /// Where it is, with or without the version at the end (`https://api.x.ai/v1`).
    pub base_url: String,
    /// Its key; none for one that wants none.
    pub key: Option<Secret>,
    /// Headers that are sent along.
    pub headers: Vec<(String, String)>,
    /// How many calls at once.
    pub parallel: usize,
    /// How long it is waited for.
    pub timeouts: ProviderTimeouts,
    /// Whether it has a place for files that models can search in.
    pub files: bool,
}

/// How long an answer is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProviderTimeouts {
    /// For all of it (`apiTimeout`).
    pub total: Duration,
    /// For the next piece of it.
    pub idle: Duration,
}

impl Default for ProviderTimeouts {
    fn default() -> Self {
        Self { total: Duration::from_secs(300), idle: Duration::from_secs(120) }
    }
}

impl Provider {
    /// How many calls a provider gets at once unless someone says otherwise.
    pub const PARALLEL: usize = 4;

    /// Makes a provider of its address and its key, with the usual limits.
    pub fn new(
        name: impl Into<String>,
        dialect: Dialect,
        base_url: impl Into<String>,
        key: Option<Secret>,
    ) -> Self {
        Self {
            name: name.into(),
            dialect,
            base_url: base_url.into(),
            key,
            headers: Vec::new(),
            parallel: Self::PARALLEL,
            timeouts: ProviderTimeouts::default(),
            files: false,
        }
    }

    /// Returns the address of its endpoint. An address that ends in a path has its version in it
    /// already, as the settings of other clients have.
    pub fn endpoint(&self) -> String {
        self.at(self.dialect.path())
    }

    /// Returns the address of one of its paths, which begins with `/v1`.
    pub(crate) fn at(&self, path: &str) -> String {
        let base = self.base_url.trim_end_matches('/');
        let host = base.split_once("://").map_or(base, |(_, host)| host);
        if host.contains('/') {
            let unversioned = path.strip_prefix("/v1").unwrap_or(path);
            format!("{base}{unversioned}")
        } else {
            format!("{base}{path}")
        }
    }

    // Chat Completions of xAI counts reasoning beside the answer, where everyone else counts it as a
    // part of it; it is charged like the rest.
    fn whole_usage(&self, usage: Usage) -> Usage {
        let apart = self.dialect == Dialect::Chat && self.base_url.contains("://api.x.ai");
        let beside = if apart { usage.reasoning_tokens } else { 0 };
        Usage { output_tokens: usage.output_tokens.saturating_add(beside), ..usage }
    }

    /// Returns the headers of a call, the key among them.
    pub(crate) fn call_headers(&self) -> Vec<(String, String)> {
        let mut headers = Vec::new();
        if self.dialect == Dialect::Messages {
            headers.push(("anthropic-version".to_owned(), "2023-06-01".to_owned()));
        }
        if let Some(key) = &self.key {
            headers.push(match self.dialect {
                Dialect::Messages => ("x-api-key".to_owned(), key.expose().to_owned()),
                Dialect::Chat | Dialect::Responses => {
                    ("authorization".to_owned(), format!("Bearer {}", key.expose()))
                }
            });
        }
        headers.extend(self.headers.iter().cloned());
        headers
    }

    /// Returns the headers of a call that is about files or holds some.
    pub(crate) fn file_headers(&self) -> Vec<(String, String)> {
        let mut headers = self.call_headers();
        if self.dialect == Dialect::Messages {
            headers.push(("anthropic-beta".to_owned(), "files-api-2025-04-14".to_owned()));
        }
        headers
    }
}

/// A well-known provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WellKnown {
    /// Its name.
    pub name: &'static str,
    /// How it is talked to.
    pub dialect: Dialect,
    /// Where it is.
    pub base_url: &'static str,
    /// The variable its key is usually kept in.
    pub key_variable: Option<&'static str>,
    /// Whether it has a place for files that models can search in.
    pub files: bool,
}

/// The well-known providers.
pub const WELL_KNOWN: [WellKnown; 6] = [
    WellKnown {
        name: "anthropic",
        dialect: Dialect::Messages,
        base_url: "https://api.anthropic.com/v1",
        key_variable: Some("ANTHROPIC_API_KEY"),
        files: true,
    },
    WellKnown {
        name: "openai",
        dialect: Dialect::Responses,
        base_url: "https://api.openai.com/v1",
        key_variable: Some("OPENAI_API_KEY"),
        files: true,
    },
    WellKnown {
        name: "xai",
        dialect: Dialect::Chat,
        base_url: "https://api.x.ai/v1",
        key_variable: Some("XAI_API_KEY"),
        files: true,
    },
    WellKnown {
        name: "openrouter",
        dialect: Dialect::Chat,
        base_url: "https://openrouter.ai/api/v1",
        key_variable: Some("OPENROUTER_API_KEY"),
        files: false,
    },
    WellKnown {
        name: "ollama",
        dialect: Dialect::Chat,
        base_url: "http://127.0.0.1:11434/v1",
        key_variable: None,
        files: false,
    },
    WellKnown {
        name: "llama.cpp",
        dialect: Dialect::Chat,
        base_url: "http://127.0.0.1:8080/v1",
        key_variable: None,
        files: false,
    },
];

/// Returns the well-known provider of this name.
pub fn well_known(name: &str) -> Option<&'static WellKnown> {
    WELL_KNOWN.iter().find(|provider| provider.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_are_found_from_the_addresses_people_write() {
        let cases = [
            (Dialect::Chat, "https://api.x.ai/v1", "https://api.x.ai/v1/chat/completions"),
            (Dialect::Chat, "https://api.x.ai/v1/", "https://api.x.ai/v1/chat/completions"),
            (Dialect::Chat, "http://127.0.0.1:8080", "http://127.0.0.1:8080/v1/chat/completions"),
            (Dialect::Chat, "https://h/v1beta/openai/", "https://h/v1beta/openai/chat/completions"),
            (
                Dialect::Responses,
                "https://api.openai.com/v1",
                "https://api.openai.com/v1/responses",
            ),
            (
                Dialect::Messages,
                "https://api.anthropic.com",
                "https://api.anthropic.com/v1/messages",
            ),
            (
                Dialect::Messages,
                "https://api.anthropic.com/v1",
                "https://api.anthropic.com/v1/messages",
            ),
        ];
        for (dialect, base, endpoint) in cases {
            assert_eq!(Provider::new("p", dialect, base, None).endpoint(), endpoint);
        }
    }

    #[test]
    fn reasoning_that_is_counted_beside_the_answer_is_added_to_it() {
        let usage = Usage { output_tokens: 35, reasoning_tokens: 192, ..Usage::default() };
        let output = |dialect, base: &str| {
            Provider::new("p", dialect, base, None).whole_usage(usage).output_tokens
        };
        assert_eq!(output(Dialect::Chat, "https://api.x.ai/v1"), 227);
        assert_eq!(output(Dialect::Responses, "https://api.x.ai/v1"), 35);
        assert_eq!(output(Dialect::Chat, "https://openrouter.ai/api/v1"), 35);
    }

    #[test]
    fn a_provider_without_a_key_sends_none_and_one_with_a_key_does_not_show_it() {
        let open = Provider::new("p", Dialect::Chat, "http://h", None);
        assert_eq!(open.call_headers(), []);
        let key = Secret::new("sk-planted").unwrap();
        for dialect in Dialect::ALL {
            let provider = Provider::new("p", dialect, "http://h", Some(key.clone()));
            let carries = |(_, value): &(String, String)| value.contains("sk-planted");
            assert_eq!(provider.call_headers().iter().filter(|header| carries(header)).count(), 1);
            assert!(!format!("{provider:?}").contains("planted"));
        }
    }
}
