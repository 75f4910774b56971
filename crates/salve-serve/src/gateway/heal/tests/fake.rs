//! An upstream that answers from memory.
//!
//! In: a rule that makes an answer of a request. Out: replies in the dialect of the exchange, in
//! pieces of any size; what was asked, what was settled, and which bodies are still open.

use super::canned::Canned;
use crate::gateway::heal::{CallEnd, CallMeter, Upstream, UpstreamBody, UpstreamReply};
use bytes::Bytes;
use futures_util::stream::{self, BoxStream, StreamExt};
use http::{HeaderMap, StatusCode};
use salve_engine::answer::AskError;
use salve_model::Purpose;
use salve_model::wire::Dialect;
use serde_json::Value;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// What the fake does with one request.
pub(super) enum Answer {
    Reply(Canned),
    /// These bytes, as a stream in pieces of this size.
    Stream(Bytes, usize),
    /// This status, with this body.
    Status(u16, &'static str),
    /// No call is made.
    Refused(AskError),
    /// The head arrives and then nothing.
    Hangs,
}

/// One request as it arrived.
#[derive(Debug, Clone)]
pub(super) struct Request {
    pub(super) body: Value,
    pub(super) purpose: Purpose,
    pub(super) stream: bool,
}

type Rule = dyn Fn(&Request, usize) -> Answer + Send + Sync;

/// An upstream that answers from memory.
pub(super) struct Fake {
    dialect: Dialect,
    rule: Box<Rule>,
    pub(super) asked: Mutex<Vec<Request>>,
    pub(super) settled: Arc<Mutex<Vec<CallEnd>>>,
    pub(super) open: Arc<AtomicUsize>,
}

impl Fake {
    pub(super) fn new(
        dialect: Dialect,
        rule: impl Fn(&Request, usize) -> Answer + Send + Sync + 'static,
    ) -> Self {
        Self {
            dialect,
            rule: Box::new(rule),
            asked: Mutex::default(),
            settled: Arc::default(),
            open: Arc::default(),
        }
    }

    fn open_body(&self, pieces: BoxStream<'static, std::io::Result<Bytes>>) -> UpstreamBody {
        self.open.fetch_add(1, Ordering::SeqCst);
        let guard = OpenBody(Arc::clone(&self.open));
        UpstreamBody::Stream(
            pieces
                .map(move |piece| {
                    let _ = &guard;
                    piece
                })
                .boxed(),
        )
    }
}

struct OpenBody(Arc<AtomicUsize>);

impl Drop for OpenBody {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

struct Slip(Arc<Mutex<Vec<CallEnd>>>);

impl CallMeter for Slip {
    fn settle(self: Box<Self>, end: CallEnd) {
        self.0.lock().unwrap().push(end);
    }
}

/// Cuts bytes into the pieces a network might.
pub(super) fn pieces(bytes: &Bytes, size: usize) -> Vec<std::io::Result<Bytes>> {
    (0..bytes.len())
        .step_by(size.max(1))
        .map(|at| Ok(bytes.slice(at..(at + size.max(1)).min(bytes.len()))))
        .collect()
}

impl Upstream for Fake {
    async fn send(
        &self,
        body: Bytes,
        purpose: Purpose,
        stream: bool,
    ) -> Result<UpstreamReply, AskError> {
        let body = serde_json::from_slice(&body).expect("a request is JSON");
        let request = Request { body, purpose, stream };
        let number = {
            let mut asked = self.asked.lock().unwrap();
            asked.push(request.clone());
            asked.len()
        };
        let (status, body) = match (self.rule)(&request, number) {
            Answer::Refused(error) => return Err(error),
            Answer::Status(status, body) => (status, UpstreamBody::Whole(Bytes::from(body))),
            Answer::Hangs => (200, self.open_body(stream::pending().boxed())),
            Answer::Stream(bytes, size) => {
                (200, self.open_body(stream::iter(pieces(&bytes, size)).boxed()))
            }
            Answer::Reply(canned) if stream => {
                let pieces = pieces(&canned.stream(self.dialect), 61);
                (200, self.open_body(stream::iter(pieces).boxed()))
            }
            Answer::Reply(canned) => (200, UpstreamBody::Whole(canned.whole(self.dialect))),
        };
        Ok(UpstreamReply {
            status: StatusCode::from_u16(status).unwrap(),
            headers: HeaderMap::new(),
            body,
            meter: Some(Box::new(Slip(Arc::clone(&self.settled)))),
        })
    }
}
