//! Goes on with a stream that a client is already reading.
//!
//! In: the frames that were passed on, and what is to follow them. Out: frames in the words of the
//! same provider, with the same ids and with numbers that go on from what the client saw. Never
//! repeats what was passed on, never leaves a block open at the end.

mod chat;
mod messages;
mod responses;

use super::{Delta, Dialect, SseFrame};
use crate::reply::ToolCall;
use bytes::Bytes;
use chat::ChatTail;
use messages::MessagesTail;
use responses::ResponsesTail;
use salve_types::{FinishReason, Usage};
use serde_json::Value;

/// Writes the rest of a stream.
///
/// A stream from its very beginning is the rest of one of which nothing was passed on. Everything
/// returned is to be sent as it is, in the order of the calls; it may be empty.
#[derive(Debug)]
pub struct StreamTail {
    words: Words,
}

#[derive(Debug)]
enum Words {
    Chat(ChatTail),
    Responses(Box<ResponsesTail>),
    Messages(MessagesTail),
}

/// Calls the same method of whichever dialect it is.
macro_rules! each {
    ($self:ident, $tail:ident => $call:expr) => {
        match &mut $self.words {
            Words::Chat($tail) => $call,
            Words::Responses($tail) => $call,
            Words::Messages($tail) => $call,
        }
    };
}

impl StreamTail {
    /// Starts without anything passed on.
    pub fn new(dialect: Dialect) -> Self {
        let words = match dialect {
            Dialect::Chat => Words::Chat(ChatTail::default()),
            Dialect::Responses => Words::Responses(Box::default()),
            Dialect::Messages => Words::Messages(MessagesTail::default()),
        };
        Self { words }
    }

    /// Says whether the client asked for the usage at the end. Only Chat leaves that open.
    pub const fn include_usage(&mut self, wanted: bool) {
        if let Words::Chat(tail) = &mut self.words {
            tail.include_usage = wanted;
        }
    }

    /// Names a stream that no provider has begun. `created` is in seconds since 1970.
    pub fn identify(&mut self, id: &str, model: &str, created: i64) {
        each!(self, tail => tail.identify(id, model, created));
    }

    /// Passes a frame on: notes that the client has it, and returns the bytes to send. They are the
    /// frame's own unless something was left out or put in before, so that its numbers must change
    /// or the role must be said that was in what was left out.
    /// `deltas` are what the reader made of this very frame.
    pub fn forward(&mut self, frame: &SseFrame, deltas: &[Delta]) -> Bytes {
        each!(self, tail => tail.forward(frame, deltas))
    }

    /// Writes more of an answer's text.
    pub fn text(&mut self, choice: usize, text: &str) -> Bytes {
        each!(self, tail => tail.text(choice, text)).into()
    }

    /// Writes more of an answer's reasoning.
    pub fn thinking(&mut self, choice: usize, text: &str) -> Bytes {
        each!(self, tail => tail.thinking(choice, text)).into()
    }

    /// Writes a whole call.
    pub fn tool_call(&mut self, choice: usize, call: &ToolCall) -> Bytes {
        each!(self, tail => tail.tool_call(choice, call)).into()
    }

    /// Says why an answer ended. Where the dialect says so in its last frames, that is when it is
    /// written.
    pub fn finish(&mut self, choice: usize, reason: &FinishReason) -> Bytes {
        each!(self, tail => tail.finish(choice, reason)).into()
    }

    /// Says what was counted for the whole answer. Where the dialect says so in its last frames,
    /// that is when it is written.
    pub fn usage(&mut self, usage: Usage) -> Bytes {
        each!(self, tail => tail.usage(usage)).into()
    }

    /// Ends the stream: closes what is open and says that nothing follows.
    pub fn end(&mut self) -> Bytes {
        each!(self, tail => tail.end()).into()
    }

    /// Ends the stream with an error that every client library raises.
    pub fn error(&mut self, message: &str) -> Bytes {
        each!(self, tail => tail.error(message)).into()
    }

    /// Writes a comment, which every client skips.
    pub fn comment(value: &Value) -> Bytes {
        format!(": salve {value}\n\n").into()
    }

    /// Learns the ids and the first objects of a stream, whether its frames are passed on or not.
    pub(super) fn opened_by(&mut self, frame: &SseFrame) {
        each!(self, tail => tail.opened_by(frame));
    }

    /// Learns that the provider says the role of an answer. Only Chat says it with the answer.
    pub(super) fn role_said(&mut self, choice: u64) {
        if let Words::Chat(tail) = &mut self.words {
            tail.role_said(choice);
        }
    }

    /// Learns what the provider counted; the client gets it unless something else is said.
    pub(super) fn counted(&mut self, usage: Option<Usage>) {
        match &mut self.words {
            Words::Chat(_) => {}
            Words::Responses(tail) => tail.usage = usage.or(tail.usage),
            Words::Messages(tail) => tail.usage = usage.or(tail.usage),
        }
    }

    /// Learns that the provider uses the older form of calls, which have no ids.
    pub(super) const fn uses_older_calls(&mut self) {
        if let Words::Chat(tail) = &mut self.words {
            tail.older_calls = true;
        }
    }
}

// What clients can tell this error by.
const ERROR_CODE: &str = "salve_incomplete";

// Writes one event after others.
fn write_event(out: &mut String, event: &str, data: &Value) {
    if !event.is_empty() {
        out.extend(["event: ", event, "\n"]);
    }
    out.extend(["data: ", &data.to_string(), "\n\n"]);
}

// The frame with its data changed.
fn rewritten(frame: &SseFrame, change: impl FnOnce(&mut Value)) -> Bytes {
    let Ok(mut data) = serde_json::from_slice(&frame.data) else { return frame.raw.clone() };
    change(&mut data);
    let mut out = String::new();
    write_event(&mut out, frame.event_name().unwrap_or_default(), &data);
    out.into()
}

#[cfg(test)]
mod tests;
