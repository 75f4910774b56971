//! What a client of the gateway is told when its request is not served.
//!
//! In: a refusal. Out: a response in the error shape of the dialect the client speaks, so that its
//! library raises the error it knows. Never holds anything the client sent.

use super::headers;
use crate::http::body::ReplyBody;
use crate::http::refusal::{Reason, Refusal};
use http::{Response, StatusCode};
use salve_model::wire::Dialect;
use serde_json::json;

pub(super) const BAD_JSON: Reason = Reason::new("invalid_json", StatusCode::BAD_REQUEST);
pub(super) const BAD_HEAL: Reason = Reason::new("invalid_x_salve_heal", StatusCode::BAD_REQUEST);
pub(super) const OVER_BUDGET: Reason =
    Reason::new("insufficient_quota", StatusCode::TOO_MANY_REQUESTS);
pub(super) const UNREACHABLE: Reason = Reason::new("upstream_unreachable", StatusCode::BAD_GATEWAY);
pub(super) const TIMED_OUT: Reason = Reason::new("upstream_timeout", StatusCode::GATEWAY_TIMEOUT);
pub(super) const BROKEN: Reason = Reason::new("upstream_broken", StatusCode::BAD_GATEWAY);
pub(super) const REDIRECTED: Reason = Reason::new("upstream_redirects", StatusCode::BAD_GATEWAY);
pub(super) const LEDGER: Reason =
    Reason::new("ledger_unavailable", StatusCode::SERVICE_UNAVAILABLE);

/// Makes the response in the shape of the dialect; OpenAI's where there is none.
pub(super) fn response(refusal: &Refusal, dialect: Option<Dialect>) -> Response<ReplyBody> {
    let (message, kind) = (&refusal.message, kind(refusal.reason, dialect));
    let body = if dialect == Some(Dialect::Messages) {
        json!({"type": "error", "error": {"type": kind, "message": message}})
    } else {
        let code = refusal.reason.code;
        json!({"error": {"message": message, "type": kind, "param": null, "code": code}})
    };
    let mut response = refusal.response(&body);
    // Both families of libraries try a 429 and a 502 again by themselves; a spent budget does not come
    // back in the seconds they wait, and the gateway has tried an upstream again already.
    if [OVER_BUDGET, UNREACHABLE, REDIRECTED].contains(&refusal.reason) {
        headers::say_no_retry(response.headers_mut());
    }
    response
}

// The words each family of libraries maps to its own error classes.
fn kind(reason: Reason, dialect: Option<Dialect>) -> &'static str {
    let anthropic = dialect == Some(Dialect::Messages);
    match reason.status {
        StatusCode::UNAUTHORIZED => "authentication_error",
        StatusCode::FORBIDDEN => "permission_error",
        StatusCode::NOT_FOUND => "not_found_error",
        StatusCode::PAYLOAD_TOO_LARGE if anthropic => "request_too_large",
        _ if reason == OVER_BUDGET && !anthropic => "insufficient_quota",
        StatusCode::TOO_MANY_REQUESTS => "rate_limit_error",
        StatusCode::GATEWAY_TIMEOUT if anthropic => "timeout_error",
        status if status.is_server_error() => "api_error",
        _ => "invalid_request_error",
    }
}
