//! Calls to the upstream on behalf of one request.
//!
//! In: the bytes of a request, and why it is made. Out: the reply, or why there is none. Each call is
//! paid for before it is made. One that failed before its first byte is made again; what an upstream
//! says in the end is passed on as it came.

use super::Shared;
use super::body::{self, Unread};
use super::headers;
use super::heal::{Receipt, Upstream, UpstreamBody, UpstreamReply};
use super::reply::BodyError;
use super::upstream::NoReply;
use bytes::Bytes;
use futures_util::stream::BoxStream;
use futures_util::{StreamExt, TryStreamExt};
use http::header::RETRY_AFTER;
use http::{HeaderMap, Method, Response, StatusCode};
use http_body::Body;
use http_body_util::{BodyExt, BodyStream};
use reqwest::Url;
use salve_engine::AskError;
use salve_model::Purpose;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Whether a call that failed before its first byte is made again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Persistence {
    /// It is, a few times.
    Repeat,
    /// Its failure is passed on.
    Once,
}

/// The calls of one request.
pub(crate) struct Calls {
    pub(crate) shared: Arc<Shared>,
    pub(crate) method: Method,
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
    pub(crate) persistence: Persistence,
}

/// A reply whose head is there.
pub(crate) struct Answer {
    pub(crate) response: Response<reqwest::Body>,
    pub(crate) receipt: Option<Box<dyn Receipt>>,
}

impl Calls {
    /// Makes one call.
    pub(crate) async fn make(&self, body: Bytes, _purpose: Purpose) -> Result<Answer, NoReply> {
        let most = match self.persistence {
            Persistence::Repeat => self.shared.config.limits.retries,
            Persistence::Once => 0,
        };
        let mut attempt = 0;
        loop {
            let begun = Instant::now();
            let outcome = self
                .shared
                .upstream
                .send(&self.method, &self.url, self.headers.clone(), body.clone())
                .await;
            self.shared.metrics.upstream_took(begun.elapsed());
            let wait = if attempt < most { self.wait(&outcome, attempt) } else { None };
            let Some(wait) = wait else {
                return outcome.map(|response| Answer { response, receipt: None });
            };
            drop(outcome);
            self.shared.metrics.repeated();
            tracing::info!(target: "salve::gateway", attempt, wait_ms = wait.as_millis() as u64, "call repeated");
            tokio::time::sleep(wait).await;
            attempt += 1;
        }
    }

    // How long to wait before the call is made again; none when it is not.
    fn wait(
        &self,
        outcome: &Result<Response<reqwest::Body>, NoReply>,
        attempt: u32,
    ) -> Option<Duration> {
        // A pause that differs from caller to caller, so that they do not all come back at once.
        let pause =
            Duration::from_millis(250 << attempt.min(6)).mul_f64(0.5 + fastrand::f64() / 2.0);
        let response = match outcome {
            Err(NoReply::Unreachable) => return Some(pause),
            // Whoever was silent for so long has perhaps done the work, and is paid for it.
            Err(NoReply::TimedOut) => return None,
            Ok(response) => response,
        };
        if !is_passing(response.status()) {
            return None;
        }
        match asked_wait(response.headers()) {
            None => Some(pause),
            Some(asked) if asked <= self.shared.config.limits.retry_after => Some(asked.max(pause)),
            Some(_) => None,
        }
    }
}

impl Upstream for Calls {
    async fn send(
        &self,
        body: Bytes,
        purpose: Purpose,
        stream: bool,
    ) -> Result<UpstreamReply, AskError> {
        let answer = self.make(body, purpose).await.map_err(|no_reply| match no_reply {
            NoReply::Unreachable => AskError::Failed("the upstream cannot be reached".to_owned()),
            NoReply::TimedOut => AskError::Failed("the upstream did not answer in time".to_owned()),
        })?;
        let (parts, body) = answer.response.into_parts();
        let packed_in = headers::packed_in(&parts.headers).cloned();
        let body = if stream && is_event_stream(&parts.headers) {
            UpstreamBody::Stream(match packed_in {
                Some(coding) => pieces(body::unpacked(body, &coding).await),
                None => pieces(body),
            })
        } else {
            UpstreamBody::Whole(self.whole(body, packed_in.as_ref()).await?)
        };
        Ok(UpstreamReply {
            status: parts.status,
            headers: parts.headers,
            body,
            receipt: answer.receipt,
        })
    }
}

impl Calls {
    async fn whole(
        &self,
        body: reqwest::Body,
        packed_in: Option<&http::HeaderValue>,
    ) -> Result<Bytes, AskError> {
        let most = self.shared.config.limits.reply;
        let read = async {
            let bytes = body::collect(body, most).await?;
            match packed_in {
                Some(coding) => body::unpack(bytes, coding, most).await,
                None => Ok(bytes),
            }
        };
        read.await.map_err(|unread| match unread {
            Unread::TooLarge => AskError::Failed("the upstream's reply is too large".to_owned()),
            Unread::Broken(_) => AskError::Failed("the upstream's reply broke off".to_owned()),
        })
    }
}

/// Returns the pieces of a body as they arrive.
pub(crate) fn pieces<B>(body: B) -> BoxStream<'static, std::io::Result<Bytes>>
where
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BodyError>,
{
    let body = body.map_err(|error| std::io::Error::other(error.into()));
    BodyStream::new(body)
        .try_filter_map(|frame| std::future::ready(Ok(frame.into_data().ok())))
        .boxed()
}

/// Returns whether a reply is a stream of events.
pub(crate) fn is_event_stream(headers: &HeaderMap) -> bool {
    headers
        .get(http::header::CONTENT_TYPE)
        .is_some_and(|value| value.as_bytes().starts_with(b"text/event-stream"))
}

// Failures that pass by themselves. 529 is Anthropic's "overloaded".
fn is_passing(status: StatusCode) -> bool {
    matches!(status.as_u16(), 408 | 409 | 429 | 500 | 502 | 503 | 504 | 529)
}

fn asked_wait(headers: &HeaderMap) -> Option<Duration> {
    let number = |name: &str| headers.get(name)?.to_str().ok()?.trim().parse::<f64>().ok();
    let millis = number("retry-after-ms").map(|millis| millis / 1000.0);
    let seconds = millis.or_else(|| number(RETRY_AFTER.as_str()));
    match seconds {
        Some(seconds) => Duration::try_from_secs_f64(seconds).ok(),
        // A date, or nonsense: longer than anyone waits here.
        None => headers.contains_key(RETRY_AFTER).then_some(Duration::MAX),
    }
}
