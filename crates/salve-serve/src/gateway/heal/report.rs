//! What was done to a reply, in one value.
//!
//! In: the outcomes of the ladder. Out: response headers, a comment for streams, statistics. Never
//! holds more of the reply than a few characters that explain what was wrong.

use http::{HeaderName, HeaderValue};
use salve_engine::answer::Truncation;
use salve_types::Usage;
use serde::Serialize;

/// How a reply reached the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum HealVerdict {
    /// As it came, proven whole.
    Whole,
    /// Changed: continued, reworked, asked for again, or its finish reason corrected.
    Healed,
    /// Not whole, and marked so or withheld.
    Incomplete,
    /// As it came, because the mode is to observe.
    Observed,
}

impl HealVerdict {
    /// Returns the word of the header.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::Healed => "healed",
            Self::Incomplete => "incomplete",
            Self::Observed => "observed",
        }
    }
}

/// The client's own output limit was passed, to finish what cannot be used in part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct LimitPassed {
    /// What the client asked for, in tokens.
    pub client: u64,
    /// What the answer took in the end.
    pub continued: u64,
}

/// What was done to a reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[must_use]
pub struct HealReport {
    /// How it reached the client.
    pub verdict: HealVerdict,
    /// Continuations that were asked for.
    pub resumes: u32,
    /// Corrections that were asked for.
    pub reworks: u32,
    /// Starts from the beginning.
    pub retries: u32,
    /// The client's own limit, where it was passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<LimitPassed>,
    /// The sum over all calls, where the provider counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// What was wrong with the reply, in words; for a reply that was observed, what would have been
    /// healed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Calls to the upstream, the first included.
    pub calls: u32,
    /// Every cut that was found, for statistics.
    #[serde(skip)]
    pub truncations: Vec<Truncation>,
}

impl HealReport {
    /// Returns the response headers that say what was done.
    pub fn headers(&self) -> Vec<(HeaderName, HeaderValue)> {
        let mut headers = vec![
            (
                HeaderName::from_static("x-salve-verdict"),
                HeaderValue::from_static(self.verdict.name()),
            ),
            (HeaderName::from_static("x-salve-resumes"), HeaderValue::from(self.resumes)),
            (HeaderName::from_static("x-salve-reworks"), HeaderValue::from(self.reworks)),
            (HeaderName::from_static("x-salve-retries"), HeaderValue::from(self.retries)),
        ];
        if let Some(limit) = self.limit {
            let text = format!("client {}, continued to {}", limit.client, limit.continued);
            if let Ok(value) = HeaderValue::from_str(&text) {
                headers.push((HeaderName::from_static("x-salve-limit"), value));
            }
        }
        headers
    }

    /// Returns the report as the comment that ends a stream.
    pub fn comment(&self) -> String {
        let json = serde_json::to_string(self).unwrap_or_default();
        format!(": salve {json}\n\n")
    }
}
