//! The face of the workbench: who is let in, and which handler answers.
//!
//! In: requests past the guard. Out: responses, each with the headers that keep a browser in its place. Never lets a
//! request with an effect through that a form or a foreign page could have sent.

use super::access::{Caller, has_effect};
use super::answer::{harden, page, refused};
use super::state::WorkbenchState;
use super::{api, assets, pages, stream, view};
use crate::http::body::{self, ReplyBody};
use crate::http::refusal::{Reason, Refusal};
use crate::http::{ConnectionEvent, Face};
use axum::Router;
use axum::body::Body;
use axum::routing::get;
use http::{HeaderMap, Method, Request, Response, StatusCode};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use std::sync::Arc;
use tower::ServiceExt;
use tower_http::compression::CompressionLayer;

/// Answers the requests of one workbench.
pub(super) struct WorkbenchFace {
    state: Arc<WorkbenchState>,
    router: Router,
}

impl WorkbenchFace {
    pub(super) fn new(state: Arc<WorkbenchState>) -> Self {
        let router = Router::new()
            .merge(pages::routes())
            .nest("/api/v1", api::routes())
            .route("/stream", get(stream::follow))
            .route("/assets/{version}/{name}", get(assets::get))
            .route("/health", get(api::health))
            .with_state(Arc::clone(&state))
            .layer(CompressionLayer::new());
        Self { state, router }
    }

    async fn admitted(&self, request: Request<Incoming>) -> Response<ReplyBody> {
        let (parts, body) = request.into_parts();
        let open = is_open(&parts.method, parts.uri.path());
        match self.state.access.admit(&parts.method, &parts.headers) {
            Ok(_) => {}
            Err(_) if open == Open::ToAll => {}
            Err(refusal) if open == Open::ToExchange => {
                // Who exchanges a token has no cookie yet; the rest holds for them, too.
                if let Err(refusal) = self.state.access.proven(&parts.headers, Caller::Browser) {
                    return refused(&refusal);
                }
                drop(refusal);
            }
            Err(refusal) if wants_page(&parts.method, parts.uri.path()) => {
                let status = match is_first_visit(&parts.headers, refusal.reason.status) {
                    true => StatusCode::OK,
                    false => refusal.reason.status,
                };
                return reply(page(status, view::entrance::entrance(assets::folder())));
            }
            Err(refusal) => return refused(&refusal),
        }
        let limits = &self.state.config.server;
        let body = if has_effect(&parts.method) {
            let (most, patience) = (limits.limits.body, limits.timeouts.body);
            match body::read(body, &parts.headers, most, patience).await {
                Ok(bytes) => Body::from(bytes),
                Err(refusal) => return refused(&refusal),
            }
        } else {
            Body::empty()
        };
        let answered = self.router.clone().oneshot(Request::from_parts(parts, body)).await;
        match answered {
            Ok(response) => reply(response),
            Err(never) => match never {},
        }
    }
}

fn reply<B>(response: Response<B>) -> Response<ReplyBody>
where
    B: http_body::Body<Data = bytes::Bytes> + Send + 'static,
    B::Error: Into<body::BodyError>,
{
    let mut response = response.map(|body| body.map_err(Into::into).boxed_unsync());
    harden(response.headers_mut());
    response
}

/// What is answered without a token: nothing of it is about anybody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    No,
    ToAll,
    ToExchange,
}

fn is_open(method: &Method, path: &str) -> Open {
    match path {
        "/health" if !has_effect(method) => Open::ToAll,
        "/api/v1/exchange" if *method == Method::POST => Open::ToExchange,
        path if !has_effect(method) && path.starts_with("/assets/") => Open::ToAll,
        _ => Open::No,
    }
}

// A person who opens the address has no cookie yet. That is no fault which a browser should write on its console; every
// other request without one is refused by its status, too.
fn is_first_visit(headers: &HeaderMap, status: StatusCode) -> bool {
    let says = |name: &str, value: &str| headers.get(name).is_some_and(|found| found == value);
    status == StatusCode::UNAUTHORIZED
        && says("sec-fetch-mode", "navigate")
        && says("sec-fetch-dest", "document")
}

// A person who opens a page gets one that lets them in; a program gets an error it can read.
fn wants_page(method: &Method, path: &str) -> bool {
    *method == Method::GET && !path.starts_with("/api/") && path != "/stream"
}

impl Face for WorkbenchFace {
    async fn answer(self: Arc<Self>, request: Request<Incoming>) -> Response<ReplyBody> {
        self.admitted(request).await
    }

    fn refuse(&self, _: &str, refusal: &Refusal) -> Response<ReplyBody> {
        refused(refusal)
    }

    fn hear(&self, event: ConnectionEvent) {
        if let ConnectionEvent::Refused(why) | ConnectionEvent::Broken(why) = event {
            tracing::debug!(target: "salve::workbench", why, "a connection to the workbench ended");
        }
    }
}

/// Answers what no route answers.
pub(super) async fn not_found() -> super::answer::Fault {
    super::answer::Fault::new(
        StatusCode::NOT_FOUND,
        Reason::NOT_FOUND.code,
        "there is no such page",
    )
}
