//! What a client asked for, read from its own request.
//!
//! In: the JSON body of a request in one of the dialects. Out: the parts the gateway acts on. Never
//! the request itself: that is passed on as it came.

use super::Dialect;
use crate::request::{SchemaAsk, ToolSpec};

/// The parts of a client's request that matter to healing.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// How it is spelt.
    pub dialect: Dialect,
    /// The model's name as the client wrote it.
    pub model: String,
    /// Whether the reply is to be streamed.
    pub stream: bool,
    /// The client's own output limit.
    pub max_output_tokens: Option<u64>,
    /// How many answers are wanted (`n`).
    pub choices: u32,
    /// Texts that end an answer on purpose.
    pub stop: Vec<String>,
    /// Whether probabilities of tokens are wanted; they cannot be made up for a stitched text.
    pub logprobs: bool,
    /// Whether a stream is to end with the usage.
    pub include_usage: bool,
    /// The tools that may be called.
    pub tools: Vec<ToolSpec>,
    /// The schema the text must fit.
    pub schema: Option<SchemaAsk>,
    /// Whether the text must be JSON of any shape.
    pub json: bool,
    /// The reply this one goes on from, kept by the provider (Responses only).
    pub previous_response_id: Option<String>,
}
