//! What the ladder is told before it begins.
//!
//! In: what the caller asked for, how often a model may be asked again, what its reader has already.
//! Out: values that can be written down and read back; a schema as its source. Never a connection.

use salve_text::CompiledSchema;
use salve_types::Language;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What the caller wants to get.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Wanted {
    /// The language of the answer, where it is known to be code.
    pub language: Option<Language>,
    /// The schema the text must fit.
    #[serde(with = "schema")]
    pub schema: Option<Arc<CompiledSchema>>,
    /// The text must be JSON, of any shape.
    pub json: bool,
    /// The text holds edits of files. Their markers say where they end, and the code between them need
    /// not be whole by itself.
    #[serde(default)]
    pub edits: bool,
    /// The tools that may be called, with the schemas of their arguments.
    pub tools: Vec<WantedTool>,
    /// Texts that end an answer on purpose.
    pub stop: Vec<String>,
    /// Arguments come as values that the provider has closed itself, so that their end proves
    /// nothing where it does not say that the answer ended.
    pub closed_calls: bool,
    /// The caller's own output limit. Plain text that ends at it is what was asked for.
    pub output_limit: Option<u64>,
}

impl Wanted {
    /// Returns whether the text must be JSON.
    pub fn is_json(&self) -> bool {
        self.json || self.schema.is_some()
    }
}

/// A tool that may be called.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct WantedTool {
    /// Its name.
    pub name: String,
    /// What its arguments must fit; `None` when the request's own schema cannot be compiled.
    #[serde(with = "schema")]
    pub schema: Option<Arc<CompiledSchema>>,
}

/// How often each rung of the ladder is tried.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Caps {
    /// Continuations of a cut answer.
    pub resumes: u32,
    /// Corrections of a wrong answer.
    pub reworks: u32,
    /// Starts from the beginning.
    pub retries: u32,
    /// Code, JSON and tool calls may grow to this multiple of the caller's own output limit.
    pub continue_factor: f64,
}

impl Default for Caps {
    fn default() -> Self {
        Self { resumes: 3, reworks: 3, retries: 1, continue_factor: 4.0 }
    }
}

/// How much of an answer is beyond recall because its reader has it already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AlreadySent {
    /// Bytes of the text; the completed text must begin with them.
    pub text: usize,
    /// Tool calls, from the first, that were passed on whole.
    pub tool_calls: usize,
}

/// Why there is no reply.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    /// The call would not fit the budget and was not made.
    #[error("budget: {0}")]
    OverBudget(String),
    /// The model could not be reached, or refused.
    #[error("{0}")]
    Failed(String),
}

mod schema {
    use salve_text::CompiledSchema;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use serde_json::Value;
    use std::sync::Arc;

    pub(super) fn serialize<S: Serializer>(
        schema: &Option<Arc<CompiledSchema>>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        schema.as_deref().map(CompiledSchema::source).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Arc<CompiledSchema>>, D::Error> {
        let source = Option::<Value>::deserialize(deserializer)?;
        let compiled = source.map(CompiledSchema::new).transpose().map_err(D::Error::custom)?;
        Ok(compiled.map(Arc::new))
    }
}

/// Writes what is shared as the value itself.
pub(super) mod shared {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::sync::Arc;

    pub(in super::super) fn serialize<T: Serialize, S: Serializer>(
        value: &Arc<T>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        T::serialize(value, serializer)
    }

    pub(in super::super) fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Arc<T>, D::Error> {
        T::deserialize(deserializer).map(Arc::new)
    }
}
