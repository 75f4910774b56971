//! What a client is told when its request is not served.
//!
//! In: the reason. Out: a response with the status and the error shape of the dialect it speaks, so
//! that its library raises the error it knows. Never holds anything the client sent.

use super::reply::{ReplyBody, full};
use bytes::Bytes;
use http::header::{CONNECTION, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderName, HeaderValue, Response, StatusCode};
use salve_model::wire::Dialect;
use serde_json::{Value, json};
use std::time::Duration;

/// Why a request is not served.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Reason {
    BadRequest,
    BadJson,
    BadHeal,
    Smuggled,
    NoKey,
    WrongKey,
    WrongHost,
    WrongOrigin,
    NotFound,
    Method,
    ContentType,
    ContentEncoding,
    TooLarge,
    SlowBody,
    RateLimited,
    OverBudget,
    Unreachable,
    TimedOut,
    Broken,
    Ledger,
}

impl Reason {
    /// Returns the word of logs and metrics, and the `code` of the error.
    pub(crate) const fn code(self) -> &'static str {
        match self {
            Self::BadRequest => "bad_request",
            Self::BadJson => "invalid_json",
            Self::BadHeal => "invalid_x_salve_heal",
            Self::Smuggled => "conflicting_lengths",
            Self::NoKey => "missing_api_key",
            Self::WrongKey => "invalid_api_key",
            Self::WrongHost => "host_not_allowed",
            Self::WrongOrigin => "origin_not_allowed",
            Self::NotFound => "not_found",
            Self::Method => "method_not_allowed",
            Self::ContentType => "unsupported_media_type",
            Self::ContentEncoding => "unsupported_content_encoding",
            Self::TooLarge => "request_too_large",
            Self::SlowBody => "request_timeout",
            Self::RateLimited => "rate_limit_exceeded",
            Self::OverBudget => "insufficient_quota",
            Self::Unreachable => "upstream_unreachable",
            Self::TimedOut => "upstream_timeout",
            Self::Broken => "upstream_broken",
            Self::Ledger => "ledger_unavailable",
        }
    }

    const fn status(self) -> StatusCode {
        match self {
            Self::BadRequest | Self::BadJson | Self::BadHeal | Self::Smuggled => {
                StatusCode::BAD_REQUEST
            }
            Self::NoKey | Self::WrongKey => StatusCode::UNAUTHORIZED,
            Self::WrongHost | Self::WrongOrigin => StatusCode::FORBIDDEN,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::Method => StatusCode::METHOD_NOT_ALLOWED,
            Self::ContentType | Self::ContentEncoding => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::SlowBody => StatusCode::REQUEST_TIMEOUT,
            Self::RateLimited | Self::OverBudget => StatusCode::TOO_MANY_REQUESTS,
            Self::Unreachable | Self::Broken => StatusCode::BAD_GATEWAY,
            Self::TimedOut => StatusCode::GATEWAY_TIMEOUT,
            Self::Ledger => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    // The words each family of libraries maps to its own error classes.
    const fn kind(self, dialect: Option<Dialect>) -> &'static str {
        let anthropic = matches!(dialect, Some(Dialect::Messages));
        match self {
            Self::NoKey | Self::WrongKey => "authentication_error",
            Self::WrongHost | Self::WrongOrigin => "permission_error",
            Self::NotFound => "not_found_error",
            Self::TooLarge if anthropic => "request_too_large",
            Self::OverBudget if !anthropic => "insufficient_quota",
            Self::RateLimited | Self::OverBudget => "rate_limit_error",
            Self::Unreachable | Self::Broken | Self::Ledger => "api_error",
            Self::TimedOut if anthropic => "timeout_error",
            Self::TimedOut => "api_error",
            _ => "invalid_request_error",
        }
    }

    // After these the rest of the connection cannot be trusted, or is not worth reading.
    const fn closes(self) -> bool {
        matches!(self, Self::Smuggled | Self::TooLarge | Self::SlowBody)
    }
}

/// A request that is not served.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) reason: Reason,
    message: String,
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

    /// Returns the status.
    pub(crate) fn status(&self) -> StatusCode {
        self.reason.status()
    }

    /// Makes the response in the shape of the dialect; OpenAI's where there is none.
    pub(crate) fn response(&self, dialect: Option<Dialect>) -> Response<ReplyBody> {
        let body = self.body(dialect).to_string();
        let mut response = Response::new(full(Bytes::from(body)));
        *response.status_mut() = self.status();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(
            HeaderName::from_static("x-salve-refused"),
            HeaderValue::from_static(self.reason.code()),
        );
        if let Some(wait) = self.retry_after {
            let seconds = wait.as_millis().div_ceil(1000).max(1);
            headers.insert(RETRY_AFTER, HeaderValue::from(u64::try_from(seconds).unwrap_or(1)));
        }
        // Both families of libraries try a 429 again by themselves; a spent budget does not come back
        // in the seconds they wait.
        if self.reason == Reason::OverBudget {
            let never = HeaderValue::from_static("false");
            headers.insert(HeaderName::from_static("x-should-retry"), never);
        }
        if self.reason.closes() {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }

    fn body(&self, dialect: Option<Dialect>) -> Value {
        let kind = self.reason.kind(dialect);
        if dialect == Some(Dialect::Messages) {
            return json!({
                "type": "error",
                "error": {"type": kind, "message": self.message},
            });
        }
        json!({"error": {
            "message": self.message,
            "type": kind,
            "param": null,
            "code": self.reason.code(),
        }})
    }
}
