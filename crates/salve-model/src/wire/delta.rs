//! What one event of a stream means.
//!
//! In: a frame. Out: the steps it stands for, the same for every dialect. Never anything about the
//! frame's own spelling: the caller that passes it on passes its bytes.

use salve_types::{FinishReason, Usage};

/// One step of a reply that is being streamed. `choice` counts answers, `call` the tool calls of an
/// answer, both from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Delta {
    /// More of the text.
    Text {
        /// Which answer.
        choice: usize,
        /// The text.
        text: String,
    },
    /// More of the reasoning.
    Thinking {
        /// Which answer.
        choice: usize,
        /// The text.
        text: String,
    },
    /// A tool call begins.
    ToolStart {
        /// Which answer.
        choice: usize,
        /// Which call.
        call: usize,
        /// The provider's id of it.
        id: String,
        /// The tool.
        name: String,
    },
    /// More of a call's arguments.
    ToolArguments {
        /// Which answer.
        choice: usize,
        /// Which call.
        call: usize,
        /// The text.
        text: String,
    },
    /// The text, or a call, can take no more once this frame has been passed on. Chat has no such
    /// frame before its `Finish`.
    BlockEnd {
        /// Which answer.
        choice: usize,
        /// Which call ended; none when it was text.
        call: Option<usize>,
    },
    /// An answer ends, and why the provider says so.
    Finish {
        /// Which answer.
        choice: usize,
        /// The reason.
        reason: FinishReason,
    },
    /// What was counted so far; a later one replaces it.
    Usage(Usage),
    /// The provider gave up in the middle.
    Error {
        /// What it said.
        message: String,
    },
    /// The frame cannot be read, or shows that one before it is lost. Nothing of it was taken: what
    /// the frames before it said is all that is known.
    Lost {
        /// What is wrong with it.
        why: &'static str,
    },
    /// The stream is over (`[DONE]`, `message_stop`, `response.completed`).
    End,
}
