//! What came back from one call.
//!
//! In: the pieces of a stream or a body, already taken apart by the wire. Out: one value. Never
//! judged here: a finish reason is what the provider said, whether true or not.

use crate::image::ImageError;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use salve_types::{FinishReason, Usage};
use serde::{Deserialize, Serialize};

/// A reply, or the part of it that arrived.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ModelReply {
    /// The text of the answer.
    pub text: String,
    /// The reasoning that was shown, apart from the answer.
    pub thinking: String,
    /// The tools it asked for, in order.
    pub tool_calls: Vec<ToolCall>,
    /// Why the provider said it ended; `Disconnect` when the connection broke before it said so.
    pub finish: Option<FinishReason>,
    /// Whether it ended at a frame that could not be read: what that frame said, and what may have
    /// come after it, is missing, however complete the rest looks.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub lost: bool,
    /// What the provider counted; none when it said nothing.
    pub usage: Option<Usage>,
    /// The model that answered, if the provider said so.
    pub model: Option<String>,
    /// The images it made, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<DrawnImage>,
}

/// An image that a model made: its bytes, or where they are for a while.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct DrawnImage {
    /// The bytes in Base64.
    pub base64: Option<String>,
    /// Where the bytes are. Such an address expires.
    pub url: Option<String>,
    /// The prompt as the provider rewrote it.
    pub revised_prompt: Option<String>,
}

impl DrawnImage {
    /// Returns the bytes, where the provider sent them.
    pub fn bytes(&self) -> Option<Result<Vec<u8>, ImageError>> {
        let text = self.base64.as_ref()?;
        Some(STANDARD.decode(text.trim()).map_err(|_| ImageError::NotAnImage))
    }
}

/// A tool the model asked for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ToolCall {
    /// The provider's id of the call.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments as text, as they arrived: perhaps cut, perhaps not JSON.
    pub arguments: String,
}
