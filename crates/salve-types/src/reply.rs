//! What a model sent, before anything was done to it.
//!
//! In: text and what came with it. Out: one value that stages start from. Never changed after it is
//! made: the raw text is the evidence.

use crate::Language;
use serde::{Deserialize, Serialize};

/// A model's reply as received, with what is known about it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RawReply {
    /// The text, byte for byte.
    pub text: String,
    /// Why the provider said the model stopped, if it said so.
    pub finish_reason: Option<FinishReason>,
    /// The language the caller asked for, if any.
    pub language: Option<Language>,
    /// The file the reply is meant for, if known; its ending tells the language.
    pub path: Option<String>,
}

impl RawReply {
    /// Wraps text about which nothing else is known.
    pub fn from_text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

/// Why a provider says its model stopped. It is evidence, never proof.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FinishReason {
    /// The model ended its answer.
    Stop,
    /// The output limit was reached.
    Length,
    /// The model asked for a tool.
    ToolCalls,
    /// A filter ended the answer.
    ContentFilter,
    /// The connection broke before an end was announced.
    Disconnect,
    /// A word no provider known to us uses.
    Other(String),
}

impl FinishReason {
    /// Reads the words of the usual providers; an unknown word is kept as it is.
    pub fn from_name(name: &str) -> Self {
        match name.trim().to_ascii_lowercase().as_str() {
            "stop" | "end_turn" | "stop_sequence" | "eos" | "completed" | "complete" | "finish" => {
                Self::Stop
            }
            "length"
            | "max_tokens"
            | "max_output_tokens"
            | "incomplete"
            | "model_length"
            | "model_context_window_exceeded" => Self::Length,
            "tool_calls" | "tool_use" | "function_call" => Self::ToolCalls,
            "content_filter" | "safety" | "recitation" | "refusal" => Self::ContentFilter,
            "disconnect" | "network" | "network_error" | "aborted" | "error" => Self::Disconnect,
            _ => Self::Other(name.to_owned()),
        }
    }

    /// Returns whether the provider says that the answer ends before its end.
    pub const fn is_cut(&self) -> bool {
        matches!(self, Self::Length | Self::Disconnect)
    }

    /// Returns whether the answer was ended before the model ended it, by a filter too.
    pub const fn is_early(&self) -> bool {
        matches!(self, Self::Length | Self::Disconnect | Self::ContentFilter)
    }

    /// Returns the word used on our own wire.
    pub fn name(&self) -> &str {
        match self {
            Self::Stop => "stop",
            Self::Length => "length",
            Self::ToolCalls => "tool_calls",
            Self::ContentFilter => "content_filter",
            Self::Disconnect => "disconnect",
            Self::Other(name) => name,
        }
    }
}
