//! What other agents say is wrong.
//!
//! In: a report as `salve report` takes it. Out: its id, and the heal that was run for it. Never runs a command that a
//! report names.

use super::super::answer::{Answer, Fault, Refusals, json_response};
use super::super::state::WorkbenchState;
use super::input::Told;
use axum::extract::State;
use http::StatusCode;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::ToSchema;

/// What an agent says.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Report {
    /// Who says it.
    from: String,
    /// What it is.
    kind: ReportKind,
    /// In words.
    text: String,
    /// The files it is about.
    #[serde(default)]
    files: Vec<String>,
    /// A fix, in any edit format.
    #[serde(default)]
    edit: Option<String>,
    /// Whether a heal shall start.
    #[serde(default)]
    auto_fix: bool,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum ReportKind {
    Error,
    Proposal,
    Diagnosis,
}

/// A report that is kept.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Reported {
    /// Its id.
    id: String,
    /// The job that heals, where one was run.
    heal: Option<String>,
}

/// Keeps a report, and heals where it asks for that.
#[utoipa::path(
    post, path = "/api/v1/reports", tag = "reports", request_body = Report,
    responses((status = 200, description = "It is kept.", body = Reported), Refusals),
)]
pub(super) async fn report(
    State(state): State<Arc<WorkbenchState>>,
    Told(report): Told<Report>,
) -> Answer {
    let text = serde_json::to_string(&report).map_err(|error| Fault::broken(&error))?;
    let done = tokio::task::spawn_blocking(move || state.config.host.report(&text)).await;
    let done = done.map_err(|error| Fault::broken(&error))?;
    let kept = done.map_err(|fault| Fault::conflict("report", fault.to_string()))?;
    Ok(json_response(StatusCode::OK, &kept))
}
