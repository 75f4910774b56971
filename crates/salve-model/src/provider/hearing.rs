//! Listens to a stream until it ends, one way or another.
//!
//! In: the `genai` crate's stream, and every frame of it as it came. Out: the reply that our own
//! reader makes of the frames, the same reader the gateway uses. A break in the middle is a reply
//! with what had arrived and the finish `Disconnect`, not an error. Never waits longer than told.

use super::ProviderTimeouts;
use super::failing::{Failure, sort};
use crate::model::{ModelError, Watch};
use crate::reply::ModelReply;
use crate::wire::{Delta, Dialect, SseFrame, StreamReader};
use futures_util::StreamExt;
use genai::chat::{ChatFrameSink, ChatStream, FrameCtx, RawFrameRef};
use salve_types::FinishReason;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::time::{Instant, timeout_at};

/// Where the crate puts the frames as they arrive.
#[derive(Default)]
pub(super) struct Frames(Mutex<Vec<SseFrame>>);

impl ChatFrameSink for Frames {
    fn on_frame(&self, _: &FrameCtx, frame: RawFrameRef<'_>) {
        let frame = SseFrame::of(frame.event.unwrap_or_default(), frame.data);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(frame);
    }
}

impl Frames {
    fn take(&self) -> Vec<SseFrame> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Listens to a stream.
///
/// # Errors
/// When there is no reply: refused, not reached, not readable, or too slow.
pub(super) async fn hear(
    mut stream: ChatStream,
    frames: Arc<Frames>,
    dialect: Dialect,
    timeouts: ProviderTimeouts,
    watch: &mut dyn Watch,
) -> Result<ModelReply, ModelError> {
    let deadline = Instant::now() + timeouts.total;
    let mut heard = Heard::new(dialect);
    loop {
        let next = timeout_at(deadline, stream.next()).await;
        heard.take(&frames.take(), watch);
        if heard.lost {
            return heard.broken("a frame of the stream cannot be read".to_owned());
        }
        let failure = match next {
            Err(_) => return Err(heard.timed_out(timeouts.total)),
            Ok(None) => return heard.ended(),
            Ok(Some(Ok(_))) => continue,
            Ok(Some(Err(error))) => sort(error),
        };
        match failure {
            // Our own reader has seen the frame, and decides what it is worth.
            Failure::Garbled => {}
            Failure::Silent => return Err(heard.timed_out(timeouts.idle)),
            Failure::Refused(error) => return Err(error),
            Failure::Unconnected(message) => return Err(ModelError::Unconnected { message }),
            Failure::Broken(message) => return heard.broken(message),
            Failure::GaveUp(error) => return heard.gave_up(error),
        }
    }
}

struct Heard {
    reader: StreamReader,
    // Whether anything of an answer came: text, reasoning, or a tool call.
    anything: bool,
    frames: usize,
    // Whether a frame could not be read: nothing after it counts.
    lost: bool,
    complaint: Option<String>,
}

impl Heard {
    fn new(dialect: Dialect) -> Self {
        let reader = StreamReader::new(dialect);
        Self { reader, anything: false, frames: 0, lost: false, complaint: None }
    }

    fn take(&mut self, frames: &[SseFrame], watch: &mut dyn Watch) {
        for frame in frames {
            if self.lost {
                return;
            }
            self.frames += usize::from(!frame.data.is_empty());
            for delta in self.reader.read(frame) {
                match delta {
                    Delta::Text { choice: 0, text } => {
                        self.anything |= !text.is_empty();
                        watch.arrived(&text);
                    }
                    Delta::Thinking { .. } | Delta::ToolStart { .. } => self.anything = true,
                    Delta::Lost { .. } => self.lost = true,
                    Delta::Error { message } => self.complaint = Some(message),
                    _ => {}
                }
            }
        }
    }

    // The connection came to its end. Whether the answer did, the provider has to have said.
    fn ended(self) -> Result<ModelReply, ModelError> {
        if let Some(message) = self.complaint.clone().filter(|_| !self.anything) {
            return Err(ModelError::Provider { status: 500, message, retry_after: None });
        }
        if self.frames == 0 {
            let message = "it sent no event at all; does it stream at this address?".to_owned();
            return Err(ModelError::Unreadable { message });
        }
        self.broken("the stream ended before any of an answer".to_owned())
    }

    fn broken(self, message: String) -> Result<ModelReply, ModelError> {
        let anything = self.anything;
        let reply = self.reply();
        if anything || reply.finish.as_ref().is_some_and(|it| *it != FinishReason::Disconnect) {
            return Ok(reply);
        }
        Err(ModelError::Unreachable { message })
    }

    fn gave_up(self, error: ModelError) -> Result<ModelReply, ModelError> {
        if self.anything { Ok(self.reply()) } else { Err(error) }
    }

    fn timed_out(self, limit: std::time::Duration) -> ModelError {
        ModelError::TimedOut { limit, partial: Box::new(self.reply()) }
    }

    fn reply(self) -> ModelReply {
        let lost = self.lost;
        let mut reply = self.reader.into_replies().into_iter().next().unwrap_or_default();
        if reply.finish.is_none() {
            reply.finish = Some(FinishReason::Disconnect);
            reply.lost = lost;
        }
        reply
    }
}
