//! What a call to a model took.
//!
//! In: the counts a provider reports. Out: one value that adds up. Never estimates: an estimate is a
//! budget's business.

use serde::{Deserialize, Serialize};

/// Tokens of one call, or of all the pieces of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Tokens of the prompt, those read from a cache included.
    pub input_tokens: u64,
    /// Tokens of the answer, its reasoning included.
    pub output_tokens: u64,
    /// The part of the prompt that came from a cache.
    pub cached_tokens: u64,
    /// The part of the answer that was reasoning.
    pub reasoning_tokens: u64,
    /// How often the provider searched in files that it was given.
    #[serde(skip_serializing_if = "is_zero")]
    pub search_calls: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Usage {
    /// Returns the tokens of prompt and answer together.
    pub const fn total(self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }
}

impl std::ops::Add for Usage {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
            cached_tokens: self.cached_tokens.saturating_add(other.cached_tokens),
            reasoning_tokens: self.reasoning_tokens.saturating_add(other.reasoning_tokens),
            search_calls: self.search_calls.saturating_add(other.search_calls),
        }
    }
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}
