//! How providers spell requests and replies.
//!
//! In: bytes of the three dialects. Out: what they mean, and bytes again. Unknown fields are never
//! dropped: what is not understood is passed on as it came.

mod asked;
mod delta;
mod follow;
mod lax;
mod reply;
mod sse;
mod stream;
mod tail;
mod words;

pub use asked::{Asked, read_request};
pub use delta::Delta;
pub use follow::follow_up;
pub use reply::{patch_reply, read_reply};
pub use sse::{SseFrame, SseSplitter};
pub use stream::StreamReader;
pub use tail::StreamTail;

use serde::{Deserialize, Serialize};

/// The three ways of talking to a model over HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dialect {
    /// OpenAI Chat Completions, and everyone who speaks it.
    Chat,
    /// OpenAI Responses.
    Responses,
    /// Anthropic Messages.
    Messages,
}

impl Dialect {
    /// Lists them all.
    pub const ALL: [Self; 3] = [Self::Chat, Self::Responses, Self::Messages];

    /// Returns the path of its endpoint.
    pub const fn path(self) -> &'static str {
        match self {
            Self::Chat => "/v1/chat/completions",
            Self::Responses => "/v1/responses",
            Self::Messages => "/v1/messages",
        }
    }

    /// Returns its name in settings and logs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Responses => "responses",
            Self::Messages => "messages",
        }
    }
}

/// Why bytes could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct WireError {
    /// What is wrong, where, and what would be right.
    pub message: String,
}
