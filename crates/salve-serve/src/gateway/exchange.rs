//! One request from its head to its response.
//!
//! In: a request. Out: a response: the upstream's reply, healed as far as the mode says, or a refusal.
//! Never logs a header, a body, a query or a path, because each of them may hold a key.

use super::Shared;
use super::admission;
use crate::http::body;
use super::forward::Forward;
use crate::http::guard;
use super::headers;
use crate::http::refusal::{Reason, Refusal};
use crate::http::reply::{ReplyBody, full};
use super::route::{self, Route, Target};
use crate::http::socket::HeadWatch;
use bytes::Bytes;
use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    CONTENT_TYPE,
};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode};
use hyper::body::Incoming;
use salve_types::Mode;
use std::sync::Arc;
use std::time::Instant;

/// Answers one request.
pub(crate) async fn serve(
    shared: Arc<Shared>,
    watch: Arc<HeadWatch>,
    request: Request<Incoming>,
) -> Response<ReplyBody> {
    let begun = Instant::now();
    let (parts, body) = request.into_parts();
    let path = parts.uri.path().to_owned();
    let target = route::find(&path);
    let origin = shared.guard.allowed_origin(&parts.headers).cloned();
    let outcome = match check(&shared, &watch, &parts, target) {
        Ok(_) if parts.method == Method::OPTIONS => Ok(preflight()),
        Ok(target) => dispatch(&shared, &watch, target, parts, body, begun).await,
        Err(refusal) => Err(refusal),
    };
    let mut response = outcome.unwrap_or_else(|refusal| refused(&shared, target, &refusal));
    if let Some(origin) = origin {
        response.headers_mut().insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    }
    response
}

fn check<'p>(
    shared: &Shared,
    watch: &HeadWatch,
    parts: &Parts,
    target: Option<Target<'p>>,
) -> Result<Target<'p>, Refusal> {
    if watch.conflicting() {
        return Err(Refusal::new(
            Reason::Smuggled,
            "the request has both Content-Length and Transfer-Encoding",
        ));
    }
    shared.guard.check(parts)?;
    let target = target.ok_or_else(|| {
        Refusal::new(
            Reason::NotFound,
            "there is no such path; those of the gateway begin with /v1/",
        )
    })?;
    // Before a page of an allowed origin sends anything, its browser asks whether it may.
    let asks =
        parts.method == Method::OPTIONS && shared.guard.allowed_origin(&parts.headers).is_some();
    if !asks {
        guard::check_kind(target.route, &parts.method, &parts.headers)?;
    }
    Ok(target)
}

async fn dispatch(
    shared: &Arc<Shared>,
    watch: &HeadWatch,
    target: Target<'_>,
    mut parts: Parts,
    body: Incoming,
    begun: Instant,
) -> Result<Response<ReplyBody>, Refusal> {
    match target.route {
        Route::Health => return Ok(page("application/json", r#"{"status":"ok"}"#.to_owned())),
        Route::Metrics => {
            let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
            return Ok(page(kind, shared.metrics.page()));
        }
        Route::Other | Route::Answer(_) => {}
    }
    let key = admission::admit(shared, &mut parts.headers)?;
    let mode = mode_of(&parts.headers, shared.config.mode)?;
    let (limits, timeouts) = (&shared.config.limits, &shared.config.timeouts);
    let bytes = body::read(body, &parts.headers, limits.body, timeouts.body).await?;
    watch.expect_next();
    let forward = Forward { shared, target, parts, bytes, begun, key };
    match target.route {
        Route::Answer(dialect) => forward.answer(dialect, mode).await,
        _ => forward.other().await,
    }
}

fn mode_of(headers: &HeaderMap, default: Mode) -> Result<Mode, Refusal> {
    let Some(value) = headers.get(headers::SALVE_HEAL) else { return Ok(default) };
    value.to_str().ok().and_then(Mode::from_name).ok_or_else(|| {
        Refusal::new(Reason::BadHeal, "`x-salve-heal` must be one of: off, observe, enforce")
    })
}

fn refused(shared: &Shared, target: Option<Target<'_>>, refusal: &Refusal) -> Response<ReplyBody> {
    let (reason, status) = (refusal.reason.code(), refusal.status().as_u16());
    shared.metrics.refused(reason);
    let route = target.map_or("none", |target| target.route.name());
    tracing::warn!(target: "salve::gateway", route, status, reason, "refused");
    refusal.response(target.and_then(|target| target.route.dialect()))
}

fn page(kind: &'static str, text: String) -> Response<ReplyBody> {
    let mut response = Response::new(full(Bytes::from(text)));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

fn preflight() -> Response<ReplyBody> {
    let mut response = Response::new(full(Bytes::new()));
    *response.status_mut() = StatusCode::NO_CONTENT;
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, POST, DELETE"));
    headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static("*, authorization"));
    response
}
