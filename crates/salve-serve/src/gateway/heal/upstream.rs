//! The upstream, seen from the healing side.
//!
//! In: the bytes of a request. Out: the status, headers and body of the reply. An implementation
//! holds the budget before it sends, and has the ledger's row before it answers; dropping a body ends the
//! connection it comes from.

use bytes::Bytes;
use futures_util::stream::BoxStream;
use http::{HeaderMap, StatusCode};
use salve_engine::answer::AskError;
use salve_model::{ModelReply, Purpose};
use salve_types::{FinishReason, Usage};
use std::future::Future;

/// What answers raw requests.
pub trait Upstream: Send + Sync + 'static {
    /// Sends one request. Dropping the future, or the body it gave, ends the connection.
    ///
    /// # Errors
    /// When there is no reply at all: the budget does not hold the call, or the upstream does not answer.
    fn send(
        &self,
        body: Bytes,
        purpose: Purpose,
        stream: bool,
    ) -> impl Future<Output = Result<UpstreamReply, AskError>> + Send;
}

/// A reply whose head has arrived.
pub struct UpstreamReply {
    /// The HTTP status.
    pub status: StatusCode,
    /// The headers as they came.
    pub headers: HeaderMap,
    /// The body.
    pub body: UpstreamBody,
    /// Told how the call ended; dropped untold when the call was given up.
    pub meter: Option<Box<dyn CallMeter>>,
}

/// The body of a reply, without any compression.
pub enum UpstreamBody {
    /// All of it.
    Whole(Bytes),
    /// Pieces as they arrive; an error is a broken connection.
    Stream(BoxStream<'static, std::io::Result<Bytes>>),
}

/// Learns how a call ended, so that its budget and its ledger row can be settled.
pub trait CallMeter: Send {
    /// Some more text of the answer arrived.
    fn arrived(&mut self, _text: &str) {}

    /// Bytes arrived that are no text of the answer: reasoning, arguments, other answers.
    fn arrived_besides(&mut self, _bytes: usize) {}

    /// The call is over.
    fn settle(self: Box<Self>, end: CallEnd);
}

/// Tells a meter of a reply that is all there, from this byte of its text on.
pub(super) fn tell(meter: &mut dyn CallMeter, reply: &ModelReply, from: usize) {
    meter.arrived(reply.text.get(from..).unwrap_or_default());
    let arguments: usize = reply.tool_calls.iter().map(|call| call.arguments.len()).sum();
    meter.arrived_besides(reply.thinking.len() + arguments);
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CallEnd {
    /// What the provider counted; `None` when it did not say.
    pub usage: Option<Usage>,
    /// Why the first answer ended, by the provider's word; `Disconnect` when the connection broke.
    pub finish: Option<FinishReason>,
}
