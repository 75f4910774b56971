//! What came back from one call.
//!
//! In: the pieces of a stream or a body, already taken apart by the wire. Out: one value. Never
//! judged here: a finish reason is what the provider said, whether true or not.

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
