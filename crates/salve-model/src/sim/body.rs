//! The body of a simulated response.
//!
//! In: steps. Out: frames of HTTP, each written to the socket before the next one is made, waiting
//! in between, and an error where the connection is to break. Never sends a length for a stream.

use super::calls::InFlight;
use super::template::Step;
use bytes::Bytes;
use futures_util::Stream;
use http_body::{Body, Frame, SizeHint};
use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::time::Sleep;

/// The body of another's response, as it arrives.
pub(super) type Relayed = Pin<Box<dyn Stream<Item = io::Result<Bytes>> + Send>>;

/// A body that plays its steps, or hands on what another process sends.
pub(super) struct SimBody {
    steps: VecDeque<Step>,
    relay: Option<Relayed>,
    sleep: Option<Pin<Box<Sleep>>>,
    // Whether the last bytes are still to be written out before anything else happens.
    flushing: bool,
    length: Option<u64>,
    in_flight: Option<InFlight>,
}

impl SimBody {
    /// Makes a body that is sent in one piece.
    pub(super) fn whole(bytes: impl Into<Bytes>) -> Self {
        let bytes = bytes.into();
        let length = u64::try_from(bytes.len()).ok();
        let steps = if bytes.is_empty() { VecDeque::new() } else { [Step::Send(bytes)].into() };
        Self { steps, relay: None, sleep: None, flushing: false, length, in_flight: None }
    }

    /// Makes a body that is played step by step; `in_flight` counts it until it ends.
    pub(super) fn steps(steps: Vec<Step>, in_flight: InFlight) -> Self {
        // A connection that breaks before the first byte of the body has still sent its head.
        let flushing = steps.first() == Some(&Step::Break);
        Self {
            flushing,
            steps: steps.into(),
            in_flight: Some(in_flight),
            length: None,
            ..Self::whole(Bytes::new())
        }
    }

    /// Makes a body of another's.
    pub(super) fn relay(relay: Relayed) -> Self {
        Self { relay: Some(relay), length: None, ..Self::whole(Bytes::new()) }
    }

    fn ended(&mut self) {
        if let Some(in_flight) = self.in_flight.as_mut() {
            in_flight.ended();
        }
    }
}

impl Body for SimBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        let body = self.get_mut();
        if let Some(relay) = body.relay.as_mut() {
            let next = ready!(relay.as_mut().poll_next(context));
            return Poll::Ready(next.map(|piece| piece.map(Frame::data)));
        }
        loop {
            if std::mem::take(&mut body.flushing) {
                // The server writes out what it has whenever a body is not ready.
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
            if let Some(sleep) = body.sleep.as_mut() {
                ready!(sleep.as_mut().poll(context));
                body.sleep = None;
            }
            match body.steps.pop_front() {
                Some(Step::Send(bytes)) => {
                    body.flushing = !body.steps.is_empty();
                    if body.steps.is_empty() {
                        body.ended();
                    }
                    return Poll::Ready(Some(Ok(Frame::data(bytes))));
                }
                Some(Step::Wait(time)) => body.sleep = Some(Box::pin(tokio::time::sleep(time))),
                Some(Step::Break) => {
                    body.ended();
                    let broken =
                        io::Error::new(io::ErrorKind::ConnectionReset, "as the script says");
                    return Poll::Ready(Some(Err(broken)));
                }
                None => return Poll::Ready(None),
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.steps.is_empty() && self.sleep.is_none() && self.relay.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        self.length.map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}
