//! What a simulated provider saw and sold.
//!
//! In: every request and the end of every body. Out: counts, and the latest requests. Never grows
//! without bound: old requests make room for new ones.

use bytes::Bytes;
use http::{HeaderMap, Method};
use salve_types::Usage;
use serde::Serialize;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// What was counted so far.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Calls {
    /// Requests for an answer, refused ones included.
    pub calls: u64,
    /// Requests that nothing in the script or the recording answers.
    pub unmatched: u64,
    /// Tokens a provider would have billed: prompts, and what was said until the words ended.
    pub paid: Usage,
    /// Images a provider would have billed.
    pub images: u64,
    /// Connections that are open now.
    pub open_connections: u64,
    /// Connections that were ever accepted.
    pub connections: u64,
    /// Answers that are being sent now.
    pub in_flight: u64,
    /// Answers whose reader went away before the end.
    pub aborted: u64,
    /// Files that were uploaded, those that were deleted since included.
    #[serde(skip_serializing_if = "is_zero")]
    pub uploads: u64,
    /// Every rule of the script in order.
    pub rules: Vec<RuleCalls>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// What one rule did.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct RuleCalls {
    /// Its line in the script.
    pub line: usize,
    /// Requests that fitted it, whether or not it was their turn.
    pub matched: u64,
    /// Requests it answered.
    pub answered: u64,
}

/// A request as it arrived.
#[derive(Debug, Clone)]
pub struct SeenRequest {
    /// The method.
    pub method: Method,
    /// Path and query.
    pub path: String,
    /// The headers, keys included: this is a test's own traffic.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
}

/// How much is kept of what was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeptRequests {
    /// Requests.
    pub requests: usize,
    /// Bytes of their bodies together.
    pub bytes: usize,
}

impl Default for KeptRequests {
    fn default() -> Self {
        Self { requests: 1000, bytes: 16 << 20 }
    }
}

/// Counts and remembers.
#[derive(Debug, Default)]
pub(super) struct Counter {
    pub(super) calls: AtomicU64,
    pub(super) images: AtomicU64,
    pub(super) open: AtomicU64,
    pub(super) connections: AtomicU64,
    in_flight: AtomicU64,
    aborted: AtomicU64,
    paid: Mutex<Usage>,
    seen: Mutex<Seen>,
    keep: KeptRequests,
}

#[derive(Debug, Default)]
struct Seen {
    requests: VecDeque<Arc<SeenRequest>>,
    bytes: usize,
}

impl Counter {
    pub(super) fn new(keep: KeptRequests) -> Self {
        Self { keep, ..Self::default() }
    }

    pub(super) fn pay(&self, usage: Usage) {
        *self.paid.lock().unwrap_or_else(PoisonError::into_inner) += usage;
    }

    pub(super) fn see(&self, request: Arc<SeenRequest>) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.bytes += request.body.len();
        seen.requests.push_back(request);
        while seen.requests.len() > self.keep.requests || seen.bytes > self.keep.bytes {
            let Some(oldest) = seen.requests.pop_front() else { break };
            seen.bytes -= oldest.body.len();
        }
    }

    pub(super) fn requests(&self) -> Vec<SeenRequest> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.requests.iter().map(|request| request.as_ref().clone()).collect()
    }

    /// Returns the counts, without those of the rules.
    pub(super) fn counts(&self) -> Calls {
        let of = |count: &AtomicU64| count.load(Ordering::SeqCst);
        Calls {
            calls: of(&self.calls),
            images: of(&self.images),
            unmatched: 0,
            paid: *self.paid.lock().unwrap_or_else(PoisonError::into_inner),
            open_connections: of(&self.open),
            connections: of(&self.connections),
            in_flight: of(&self.in_flight),
            aborted: of(&self.aborted),
            uploads: 0,
            rules: Vec::new(),
        }
    }
}

/// An answer that is being sent; counted until it is dropped.
#[derive(Debug)]
pub(super) struct InFlight {
    counter: Arc<Counter>,
    has_ended: bool,
}

impl InFlight {
    pub(super) fn new(counter: &Arc<Counter>) -> Self {
        counter.in_flight.fetch_add(1, Ordering::SeqCst);
        Self { counter: Arc::clone(counter), has_ended: false }
    }

    /// Notes that everything was said.
    pub(super) fn ended(&mut self) {
        self.has_ended = true;
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.counter.in_flight.fetch_sub(1, Ordering::SeqCst);
        if !self.has_ended {
            self.counter.aborted.fetch_add(1, Ordering::SeqCst);
        }
    }
}

/// A connection that is open; counted until it is dropped.
#[derive(Debug)]
pub(super) struct Open(Arc<Counter>);

impl Open {
    pub(super) fn new(counter: &Arc<Counter>) -> Self {
        counter.open.fetch_add(1, Ordering::SeqCst);
        counter.connections.fetch_add(1, Ordering::SeqCst);
        Self(Arc::clone(counter))
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Ordering::SeqCst);
    }
}
