//! One request from its head to its response.
//!
//! In: a request that passed the guard. Out: a response: the upstream's reply, healed as far as the
//! mode says, or a refusal. Never logs a header, a body, a query or a path, because each of them may
//! hold a key.

use super::Shared;
use super::admission;
use super::forward::Forward;
use super::headers;
use super::refusal::{self, BAD_HEAL};
use super::route::{self, Route, Target};
use crate::http::body::{self, ReplyBody, full};
use crate::http::refusal::{Reason, Refusal};
use crate::http::{ConnectionEvent, Face};
use bytes::Bytes;
use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, CONTENT_SECURITY_POLICY,
    CONTENT_TYPE, ORIGIN, X_CONTENT_TYPE_OPTIONS,
};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode};
use hyper::body::Incoming;
use salve_types::Mode;
use std::sync::Arc;
use std::time::Instant;

impl Face for Shared {
    async fn answer(self: Arc<Self>, request: Request<Incoming>) -> Response<ReplyBody> {
        let begun = Instant::now();
        let (parts, body) = request.into_parts();
        let path = parts.uri.path().to_owned();
        let outcome = match check(&parts, &path) {
            Ok(_) if is_preflight(&parts) => Ok(preflight()),
            Ok(target) => dispatch(&self, target, parts, body, begun).await,
            Err(refusal) => Err(refusal),
        };
        shielded(outcome.unwrap_or_else(|refusal| self.refuse(&path, &refusal)))
    }

    fn refuse(&self, path: &str, refusal: &Refusal) -> Response<ReplyBody> {
        let (reason, status) = (refusal.reason.code, refusal.reason.status.as_u16());
        self.metrics.refused(reason);
        let route = route::find(path).map(|target| target.route);
        let name = route.map_or("none", Route::name);
        tracing::warn!(target: "salve::gateway", route = name, status, reason, "refused");
        shielded(refusal::response(refusal, route.and_then(Route::dialect)))
    }

    fn hear(&self, event: ConnectionEvent) {
        match event {
            ConnectionEvent::Opened => {
                self.metrics.connections.inc();
            }
            ConnectionEvent::Closed => {
                self.metrics.connections.dec();
            }
            ConnectionEvent::Refused(reason) => {
                self.metrics.refused(reason);
                tracing::warn!(target: "salve::gateway", reason, "refused");
            }
            ConnectionEvent::Broken(reason) => {
                self.metrics.refused(reason);
                tracing::info!(target: "salve::gateway", reason, "connection ended early");
            }
            ConnectionEvent::Cut(cut) => {
                tracing::warn!(
                    target: "salve::gateway", cut, "connections cut at the end of the drain"
                );
            }
        }
    }
}

// What an upstream wrote is for programs: a browser that is shown it takes it for data, and runs nothing of it.
fn shielded(mut response: Response<ReplyBody>) -> Response<ReplyBody> {
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static("sandbox"));
    response
}

fn check<'p>(parts: &Parts, path: &'p str) -> Result<Target<'p>, Refusal> {
    let target = route::find(path).ok_or_else(|| {
        let why = "there is no such path; those of the gateway begin with /v1/";
        Refusal::new(Reason::NOT_FOUND, why)
    })?;
    if !is_preflight(parts) {
        route::check_kind(target.route, &parts.method, &parts.headers)?;
    }
    Ok(target)
}

// Before a page of an allowed origin sends anything, its browser asks whether it may.
fn is_preflight(parts: &Parts) -> bool {
    parts.method == Method::OPTIONS && parts.headers.contains_key(ORIGIN)
}

async fn dispatch(
    shared: &Arc<Shared>,
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
    let key = admission::admit(shared, &mut parts.headers).await?;
    let mode = mode_of(&parts.headers, shared.config.mode)?;
    let server = &shared.config.server;
    let (most, patience) = (server.limits.body, server.timeouts.body);
    let bytes = body::read(body, &parts.headers, most, patience).await?;
    let forward = Forward { shared, target, parts, bytes, begun, key };
    match target.route {
        Route::Answer(dialect) => forward.answer(dialect, mode).await,
        _ => forward.other().await,
    }
}

fn mode_of(headers: &HeaderMap, default: Mode) -> Result<Mode, Refusal> {
    let Some(value) = headers.get(headers::SALVE_HEAL) else { return Ok(default) };
    value.to_str().ok().and_then(Mode::from_name).ok_or_else(|| {
        Refusal::new(BAD_HEAL, "`x-salve-heal` must be one of: off, observe, enforce")
    })
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
