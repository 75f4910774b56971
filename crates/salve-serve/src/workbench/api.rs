//! The API: what other programs, and the pages, ask for.
//!
//! In: JSON, past the guard. Out: JSON, or a stream of events; `openapi.json` says which. Never an effect on a GET,
//! and never an approval of anything but what is named by its hash.

mod act;
mod actions;
mod events;
mod images;
mod input;
mod openapi;
mod plans;
mod reports;
mod sessions;
mod workspace;

use super::answer::{Answer, json_response};
use super::face::not_found;
use super::state::WorkbenchState;
use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use http::header::SET_COOKIE;
use http::{HeaderMap, StatusCode};
use input::Told;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::sync::Arc;
use utoipa::ToSchema;

/// Returns the routes below `/api/v1`.
pub(super) fn routes() -> Router<Arc<WorkbenchState>> {
    Router::new()
        .route("/sessions", get(sessions::list).post(sessions::begin))
        .route("/sessions/{id}", get(sessions::show))
        .route("/sessions/{id}/messages", post(sessions::say))
        .route("/sessions/{id}/actions", post(actions::act))
        .route("/sessions/{id}/images/{image}", get(images::bytes))
        .route("/actions", post(workspace::act))
        .route("/events", get(events::follow))
        .route("/reports", post(reports::report))
        .route("/exchange", post(exchange))
        .route("/openapi.json", get(openapi::document))
        .fallback(not_found)
}

/// What the token of an address is exchanged by.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Exchange {
    /// The token after `#token=`.
    token: String,
}

/// Exchanges the token of an address, once, for a cookie.
#[utoipa::path(
    post, path = "/api/v1/exchange", tag = "access", security(()),
    request_body = Exchange,
    responses((status = 204, description = "The cookie is set."), super::answer::Refusals),
)]
async fn exchange(
    State(state): State<Arc<WorkbenchState>>,
    Told(said): Told<Exchange>,
) -> Response {
    match state.access.exchange(&said.token) {
        Ok(cookie) => {
            let mut headers = HeaderMap::new();
            headers.insert(SET_COOKIE, cookie);
            (StatusCode::NO_CONTENT, headers).into_response()
        }
        Err(refusal) => super::answer::refused(&refusal).map(axum::body::Body::new),
    }
}

/// Whether the workbench answers.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Health {
    /// `ok`.
    status: String,
}

/// Says that the workbench answers; needs no token, and says nothing else.
#[utoipa::path(
    get, path = "/health", tag = "access", security(()),
    responses((status = 200, description = "It answers.", body = Health)),
)]
pub(super) async fn health() -> Answer {
    Ok(json_response(StatusCode::OK, &json!({ "status": "ok" })))
}
