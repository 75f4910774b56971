//! What is asked of a model, in no provider's words.
//!
//! In: turns, tools, a schema and limits. Out: one value every provider's dialect can be made from.
//! Never holds a key.

use crate::files::FilePart;
use crate::image::ImagePart;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One call.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ModelRequest {
    /// The provider's name of the model.
    pub model: String,
    /// Standing instructions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// The conversation, oldest first.
    pub turns: Vec<Turn>,
    /// Tools the model may ask for.
    pub tools: Vec<ToolSpec>,
    /// The shape the answer must have, where the provider can be told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<SchemaAsk>,
    /// The most tokens the answer may take; always sent, because budgets count on it.
    pub max_output_tokens: u32,
    /// How freely it is sampled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Texts that end the answer.
    pub stop: Vec<String>,
    /// Images are wanted, and no words; the last turn is what they are to show.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draw: Option<DrawAsk>,
}

/// What is asked of a model that makes images.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DrawAsk {
    /// How many images of the one prompt.
    pub count: u32,
}

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Speaker {
    /// The person or the program that asks.
    User,
    /// The model. As the last turn it is a start to be continued, where the model can do that.
    Assistant,
}

/// One turn of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    /// Who speaks.
    pub speaker: Speaker,
    /// What is said.
    pub text: String,
    /// Images that go with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<ImagePart>,
    /// Files that go with it, which the provider has already.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FilePart>,
}

impl Turn {
    /// Makes a turn of the one who asks.
    pub fn user(text: impl Into<String>) -> Self {
        Self { speaker: Speaker::User, text: text.into(), images: Vec::new(), files: Vec::new() }
    }

    /// Makes a turn of the model.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self {
            speaker: Speaker::Assistant,
            text: text.into(),
            images: Vec::new(),
            files: Vec::new(),
        }
    }
}

/// A tool the model may ask for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// Its name.
    pub name: String,
    /// What it does.
    #[serde(default)]
    pub description: String,
    /// JSON Schema of its arguments.
    #[serde(default)]
    pub parameters: Value,
}

/// The shape an answer must have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SchemaAsk {
    /// The name sent along with it.
    pub name: String,
    /// Whether the provider is asked to enforce it.
    pub strict: bool,
    /// JSON Schema.
    pub schema: Value,
}

/// What is asked after a reply, on top of the request it answered: go on, do it again, mend it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FollowUp {
    /// Why it is asked; for headers, statistics and the ledger.
    pub purpose: Purpose,
    /// Turns that are added to the conversation: usually what came so far, and what to do about it.
    pub turns: Vec<Turn>,
    /// Whether the tools and the schema of the request go along. A continuation of half-written
    /// arguments is asked for as plain text, where they would be in the way.
    pub keep_tools: bool,
    /// The most tokens this piece may take; none keeps what the request says.
    pub max_output_tokens: Option<u64>,
}

/// Why a model is asked again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Purpose {
    /// The first call.
    First,
    /// The reply was cut.
    Resume,
    /// The reply was whole and wrong.
    Rework,
    /// From the beginning.
    Retry,
}
