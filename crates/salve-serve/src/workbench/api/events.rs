//! The log of what happened, as a stream.
//!
//! In: the last event that was seen. Out: every later one, once, in order, with its number as its id. Never an event
//! of another workspace.

use super::super::answer::{Answer, Fault, Refusals};
use super::super::state::WorkbenchState;
use super::super::stream::{Following, Wanted, events_response};
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use http::HeaderMap;
use salve_types::SessionEvent;
use std::sync::Arc;

/// Follows what happens in the sessions of the workspace, or in one of them.
#[utoipa::path(
    get, path = "/api/v1/events", tag = "events", params(Wanted),
    responses(
        (status = 200, description = "Events, until one of both ends.", body = String,
         content_type = "text/event-stream"),
        Refusals,
    ),
)]
pub(super) async fn follow(
    State(state): State<Arc<WorkbenchState>>,
    wanted: Result<Query<Wanted>, QueryRejection>,
    headers: HeaderMap,
) -> Answer {
    let Query(wanted) = wanted.map_err(|error| Fault::invalid(error.body_text()))?;
    let following = Following::new(state, wanted, &headers).await?;
    Ok(events_response(following, async |_, event: SessionEvent, _| {
        let data = serde_json::to_string(&event).ok()?;
        // A name is one of ours: letters alone.
        Some(format!("id: {}\nevent: {}\ndata: {data}\n\n", event.id, event.name))
    }))
}
