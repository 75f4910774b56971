//! What a handler gives back, and the one shape of errors.
//!
//! In: values, pages, refusals. Out: responses with the headers that keep a browser from doing more than it should.
//! Never an error without a code, and never one that quotes what a client sent.

use crate::http::body::ReplyBody;
use crate::http::refusal::Refusal;
use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use salve_engine::session::{ConversationError, RewindError};
use salve_jobs::JobsError;
use salve_store::StoreError;
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;

/// What a browser may do with what it gets from here.
pub(super) const CONTENT_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
     img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; base-uri 'none'; \
     form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
     trusted-types salve";

const STANDING: &[(&str, &str)] = &[
    ("content-security-policy", CONTENT_POLICY),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("permissions-policy", "camera=(), microphone=(), geolocation=()"),
];

/// Adds the headers that every response carries. What says nothing about keeping it is not kept.
pub(super) fn harden(headers: &mut HeaderMap) {
    for (name, value) in STANDING {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
}

/// Why a request is not done: what every error of the API looks like.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ErrorBody {
    /// What went wrong.
    error: ErrorDetail,
}

/// The code and the words of an error.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ErrorDetail {
    /// What programs decide by.
    #[schema(example = "no_such_session")]
    code: String,
    /// What happened, and what to do next.
    message: String,
}

/// The errors that any request may get.
#[derive(utoipa::IntoResponses)]
#[expect(dead_code, reason = "it is read by the macro that writes the document of the API")]
pub(super) enum Refusals {
    /// The request cannot be read.
    #[response(status = 400)]
    Unreadable(ErrorBody),
    /// There is no token, or a wrong one.
    #[response(status = 401)]
    NotSignedIn(ErrorBody),
    /// The request is addressed to another host, or comes from a page that is not ours.
    #[response(status = 403)]
    Foreign(ErrorBody),
    /// What is named is not there.
    #[response(status = 404)]
    Missing(ErrorBody),
    /// What it is about has changed, or does not wait.
    #[response(status = 409)]
    Conflict(ErrorBody),
    /// The body took too long.
    #[response(status = 408)]
    Slow(ErrorBody),
    /// The body is too large.
    #[response(status = 413)]
    TooLarge(ErrorBody),
    /// The body is not JSON.
    #[response(status = 415)]
    NotJson(ErrorBody),
    /// The request does not fit.
    #[response(status = 422)]
    Invalid(ErrorBody),
    /// There were too many wrong tokens.
    #[response(status = 429)]
    TooMany(ErrorBody),
    /// The server is stopping, or too many turns wait.
    #[response(status = 503)]
    Unavailable(ErrorBody),
}

/// Why a request is not done.
#[derive(Debug)]
pub(super) struct Fault {
    status: StatusCode,
    code: &'static str,
    message: String,
}

/// What a handler gives back.
pub(super) type Answer<T = Response> = Result<T, Fault>;

impl Fault {
    pub(super) fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into() }
    }

    /// A part of the request cannot be used.
    pub(super) fn invalid(message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid_request", message)
    }

    /// What is named is not there.
    pub(super) fn missing(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, code, message)
    }

    /// It cannot be done now: what it is about has changed, or does not wait.
    pub(super) fn conflict(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, code, message)
    }

    /// Something of ours does not work.
    pub(super) fn broken(error: &dyn std::error::Error) -> Self {
        tracing::error!(target: "salve::workbench", %error, "a request could not be answered");
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", error.to_string())
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        Self::broken(&error)
    }
}

impl From<ConversationError> for Fault {
    fn from(error: ConversationError) -> Self {
        match error {
            ConversationError::Full(_) => {
                Self::new(StatusCode::SERVICE_UNAVAILABLE, "too_many_turns", error.to_string())
            }
            ConversationError::Stopping => {
                Self::new(StatusCode::SERVICE_UNAVAILABLE, "stopping", error.to_string())
            }
            error => Self::broken(&error),
        }
    }
}

impl From<JobsError> for Fault {
    fn from(error: JobsError) -> Self {
        match error {
            JobsError::NoSuchJob { .. } => Self::missing("no_such_job", error.to_string()),
            JobsError::NoSuchCall { .. } => Self::conflict("not_in_doubt", error.to_string()),
            error => Self::broken(&error),
        }
    }
}

impl From<RewindError> for Fault {
    fn from(error: RewindError) -> Self {
        match error {
            RewindError::NoSuchTurn { .. } => Self::missing("no_such_turn", error.to_string()),
            RewindError::MovedSince => Self::conflict("moved_since", error.to_string()),
            error => Self::broken(&error),
        }
    }
}

impl IntoResponse for Fault {
    fn into_response(self) -> Response {
        json_response(self.status, &error_body(self.code, &self.message))
    }
}

/// Makes a response of a value.
pub(super) fn json_response(status: StatusCode, value: &impl Serialize) -> Response {
    let text = serde_json::to_vec(value).unwrap_or_default();
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, json);
    response
}

/// Makes a response of HTML that this program wrote.
pub(super) fn page(status: StatusCode, markup: maud::Markup) -> Response {
    let mut response = Response::new(Body::from(markup.into_string()));
    *response.status_mut() = status;
    let html = HeaderValue::from_static("text/html; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, html);
    response
}

/// Makes the response to a request that is not let in.
pub(super) fn refused(refusal: &Refusal) -> http::Response<ReplyBody> {
    let mut response = refusal.response(&error_body(refusal.reason.code, &refusal.message));
    harden(response.headers_mut());
    response
}

fn error_body(code: &str, message: &str) -> serde_json::Value {
    json!({ "error": { "code": code, "message": message } })
}
