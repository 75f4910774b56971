//! Server-sent events on their way to a client.
//!
//! In: headers, and the time since bytes were sent last. Out: whether a reply is a stream of events,
//! comments between events, and pings that keep a silent connection awake.

use bytes::Bytes;
use http::HeaderMap;
use http::header::CONTENT_TYPE;
use std::time::Duration;
use tokio::time::Instant;

/// A ping that every client skips.
pub(crate) const PING: &str = ": ping\n\n";

/// Returns whether a reply is a stream of events.
pub(crate) fn is_event_stream(headers: &HeaderMap) -> bool {
    headers
        .get(CONTENT_TYPE)
        .is_some_and(|value| value.as_bytes().starts_with(b"text/event-stream"))
}

/// When a ping is due.
pub(crate) struct KeepAlive {
    ping: &'static str,
    every: Duration,
    last: Instant,
}

impl KeepAlive {
    /// Starts the clock.
    pub(crate) fn new(ping: &'static str, every: Duration) -> Self {
        Self { ping, every: every.max(Duration::from_millis(1)), last: Instant::now() }
    }

    /// Returns when the connection has been silent for long enough.
    pub(crate) fn due(&self) -> Instant {
        self.last + self.every
    }

    /// Notes that bytes were sent.
    pub(crate) fn sent(&mut self) {
        self.last = Instant::now();
    }

    /// Returns the bytes of a ping.
    pub(crate) fn ping(&self) -> Bytes {
        Bytes::from_static(self.ping.as_bytes())
    }
}
