//! Asks the upstream again, on top of a client's own request.
//!
//! In: a follow-up in no provider's words. Out: the reply to it. A stream that breaks off is a reply
//! that says so. Never sends anything but the client's request with turns added.

use super::upstream::{CallEnd, UpstreamBody, UpstreamReply, tell};
use super::{Exchange, Upstream};
use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use salve_engine::answer::AskError;
use salve_model::wire::{Delta, Dialect, SseSplitter, StreamReader, follow_up, read_reply};
use salve_model::{FollowUp, ModelReply};
use salve_types::FinishReason;
use serde_json::Value;
use std::time::Duration;

/// A body of a follow-up that is longer is not read on, and is none: the rest of an answer is copied a
/// few times before it is judged.
const MOST_BYTES: usize = 16 << 20;
/// How much of an upstream's own error is told.
const MOST_TOLD: usize = 300;
/// How long the end of a connection is waited for, so that it can be used again.
pub(super) const LINGER: Duration = Duration::from_millis(50);

/// Asks the upstream of one exchange.
pub struct UpstreamAsker<'e, U> {
    exchange: &'e Exchange<U>,
    calls: u32,
    envelope: Option<Value>,
}

impl<'e, U: Upstream> UpstreamAsker<'e, U> {
    /// Makes an asker for one exchange.
    pub fn new(exchange: &'e Exchange<U>) -> Self {
        Self { exchange, calls: 0, envelope: None }
    }

    /// Returns how many calls were answered.
    pub fn calls(&self) -> u32 {
        self.calls
    }

    /// Returns the last whole body that came, for a reply whose own body cannot be read.
    pub(super) fn into_envelope(self) -> Option<Value> {
        self.envelope
    }

    /// Asks on top of the first request. A reply that broke off says `Disconnect`.
    ///
    /// # Errors
    /// When there is no reply.
    pub async fn ask(&mut self, asked: &FollowUp) -> Result<ModelReply, AskError> {
        let Exchange { request, upstream, asked: first, .. } = self.exchange;
        let body = follow_up(first.dialect, request, asked, first.stream);
        let body = Bytes::from(body.to_string());
        let UpstreamReply { status, headers, body, meter } =
            upstream.send(body, asked.purpose, first.stream).await?;
        self.calls += 1;
        let is_json = headers
            .get(http::header::CONTENT_TYPE)
            .and_then(|value| value.to_str().ok())
            .is_some_and(|kind| kind.contains("json"));
        let reply = match body {
            _ if !status.is_success() => {
                Err(AskError::Failed(refusal(status.as_u16(), &collected(body).await)))
            }
            UpstreamBody::Stream(pieces) if !is_json => read_stream(first.dialect, pieces).await,
            body => self.read_whole(&collected(body).await),
        };
        if let Some(mut meter) = meter {
            if let Ok(reply) = &reply {
                tell(&mut *meter, reply, 0);
            }
            meter.settle(reply.as_ref().map_or_else(|_| CallEnd::default(), end_of));
        }
        reply
    }

    fn read_whole(&mut self, bytes: &[u8]) -> Result<ModelReply, AskError> {
        let unreadable = |why: String| AskError::Failed(format!("the upstream's reply: {why}"));
        let body: Value =
            serde_json::from_slice(bytes).map_err(|error| unreadable(error.to_string()))?;
        let replies = read_reply(self.exchange.asked.dialect, &body)
            .map_err(|error| unreadable(error.message))?;
        self.envelope = Some(body);
        replies.into_iter().next().ok_or_else(|| unreadable("it holds no answer".to_owned()))
    }
}

/// Returns how a call ended, for its meter.
pub(super) fn end_of(reply: &ModelReply) -> CallEnd {
    CallEnd { usage: reply.usage, finish: reply.finish.clone() }
}

/// Reads what an upstream still sends after its last frame, for a moment: a connection that was
/// read to its end can be used again.
pub(super) async fn linger(pieces: &mut BoxStream<'static, std::io::Result<Bytes>>) {
    let rest = async { while let Some(Ok(_)) = pieces.next().await {} };
    // Whether the end came in time makes no difference to the reply.
    let _ = tokio::time::timeout(LINGER, rest).await;
}

async fn read_stream(
    dialect: Dialect,
    mut pieces: BoxStream<'static, std::io::Result<Bytes>>,
) -> Result<ModelReply, AskError> {
    let mut splitter = SseSplitter::default();
    let mut reader = StreamReader::new(dialect);
    reader.expect(1);
    let mut heard = Heard::default();
    let mut arrived = 0;
    while let Some(Ok(piece)) = pieces.next().await {
        arrived += piece.len();
        splitter.push(piece);
        while !heard.is_over() {
            match splitter.next_frame() {
                Ok(Some(frame)) => heard.note(&reader.read(&frame)),
                Ok(None) => break,
                // What such a frame says is never known.
                Err(_) => heard.lost = true,
            }
        }
        if heard.is_over() {
            break;
        }
        if arrived > MOST_BYTES {
            return Err(AskError::Failed("the upstream's reply is too long".to_owned()));
        }
    }
    if heard.ended {
        linger(&mut pieces).await;
    } else if let Some(frame) = splitter.finish().filter(|_| !heard.is_over()) {
        heard.note(&reader.read(&frame));
    }
    let mut reply = reader.into_replies().into_iter().next().unwrap_or_default();
    if reply.finish.is_none() && !heard.ended {
        reply.finish = Some(FinishReason::Disconnect);
        reply.lost = heard.lost;
    }
    let empty = reply.text.is_empty() && reply.thinking.is_empty() && reply.tool_calls.is_empty();
    match heard.error {
        Some(error) if empty => Err(AskError::Failed(format!("the upstream failed: {error}"))),
        Some(_) => Ok(ModelReply { finish: Some(FinishReason::Disconnect), ..reply }),
        None => Ok(reply),
    }
}

#[derive(Default)]
struct Heard {
    ended: bool,
    // A frame could not be read, so that nothing after it counts.
    lost: bool,
    error: Option<String>,
}

impl Heard {
    const fn is_over(&self) -> bool {
        self.ended || self.lost
    }

    fn note(&mut self, deltas: &[Delta]) {
        for delta in deltas {
            match delta {
                Delta::End => self.ended = true,
                Delta::Lost { .. } => self.lost = true,
                Delta::Error { message } => self.error = Some(message.clone()),
                _ => {}
            }
        }
    }
}

async fn collected(body: UpstreamBody) -> Bytes {
    match body {
        UpstreamBody::Whole(bytes) => bytes,
        UpstreamBody::Stream(mut pieces) => {
            let mut all = BytesMut::new();
            while let Some(Ok(piece)) = pieces.next().await {
                all.extend_from_slice(&piece);
                if all.len() > MOST_BYTES {
                    break;
                }
            }
            all.freeze()
        }
    }
}

fn refusal(status: u16, body: &[u8]) -> String {
    let told = String::from_utf8_lossy(&body[..body.len().min(MOST_TOLD)]);
    format!("the upstream answered {status}: {}", told.trim())
}
