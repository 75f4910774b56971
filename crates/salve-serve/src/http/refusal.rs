//! Why a request is not served.
//!
//! In: the reason. Out: its status and headers; the words of the body are each face's own. Never holds
//! anything the client sent.

use super::body::{ReplyBody, full};
use bytes::Bytes;
use http::header::{CONNECTION, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderName, HeaderValue, Response, StatusCode};
use serde_json::Value;
use std::time::Duration;

/// Why a request is not served. A face adds reasons of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Reason {
    /// The word of logs and metrics, and the `code` of the error.
    pub(crate) code: &'static str,
    /// The status of the response.
    pub(crate) status: StatusCode,
    // After some the rest of the connection cannot be trusted, or is not worth reading.
    closes: bool,
}

impl Reason {
    pub(crate) const BAD_REQUEST: Self = Self::new("bad_request", StatusCode::BAD_REQUEST);
    pub(crate) const AMBIGUOUS_LENGTH: Self =
        Self::new("conflicting_lengths", StatusCode::BAD_REQUEST).closing();
    pub(crate) const NO_KEY: Self = Self::new("missing_api_key", StatusCode::UNAUTHORIZED);
    pub(crate) const WRONG_KEY: Self = Self::new("invalid_api_key", StatusCode::UNAUTHORIZED);
    pub(crate) const WRONG_HOST: Self = Self::new("host_not_allowed", StatusCode::FORBIDDEN);
    pub(crate) const WRONG_ORIGIN: Self = Self::new("origin_not_allowed", StatusCode::FORBIDDEN);
    pub(crate) const NOT_FOUND: Self = Self::new("not_found", StatusCode::NOT_FOUND);
    pub(crate) const METHOD: Self = Self::new("method_not_allowed", StatusCode::METHOD_NOT_ALLOWED);
    pub(crate) const CONTENT_TYPE: Self =
        Self::new("unsupported_media_type", StatusCode::UNSUPPORTED_MEDIA_TYPE);
    pub(crate) const CONTENT_ENCODING: Self =
        Self::new("unsupported_content_encoding", StatusCode::UNSUPPORTED_MEDIA_TYPE);
    pub(crate) const TOO_LARGE: Self =
        Self::new("request_too_large", StatusCode::PAYLOAD_TOO_LARGE).closing();
    pub(crate) const SLOW_BODY: Self =
        Self::new("request_timeout", StatusCode::REQUEST_TIMEOUT).closing();
    pub(crate) const RATE_LIMITED: Self =
        Self::new("rate_limit_exceeded", StatusCode::TOO_MANY_REQUESTS);

    /// Makes a reason after which the connection stays open.
    pub(crate) const fn new(code: &'static str, status: StatusCode) -> Self {
        Self { code, status, closes: false }
    }

    const fn closing(self) -> Self {
        Self { closes: true, ..self }
    }
}

/// A request that is not served.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) reason: Reason,
    pub(crate) message: String,
    retry_after: Option<Duration>,
}

impl Refusal {
    /// Refuses with a message that says what to do next. It must hold nothing the client sent.
    pub(crate) fn new(reason: Reason, message: impl Into<String>) -> Self {
        Self { reason, message: message.into(), retry_after: None }
    }

    /// Says when it is worth trying again.
    pub(crate) fn retry_after(mut self, wait: Duration) -> Self {
        self.retry_after = Some(wait);
        self
    }

    /// Makes the response around a body of the face's own shape.
    pub(crate) fn response(&self, body: &Value) -> Response<ReplyBody> {
        let mut response = Response::new(full(Bytes::from(body.to_string())));
        *response.status_mut() = self.reason.status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(
            HeaderName::from_static("x-salve-refused"),
            HeaderValue::from_static(self.reason.code),
        );
        if let Some(wait) = self.retry_after {
            let seconds = wait.as_millis().div_ceil(1000).max(1);
            headers.insert(RETRY_AFTER, HeaderValue::from(u64::try_from(seconds).unwrap_or(1)));
        }
        if self.reason.closes {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }
}
