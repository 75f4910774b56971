//! Settings and Doctor, from what only the command line knows.
//!
//! In: nothing. Out: every setting with where it is from, the last change that can be taken back, and what the doctor
//! found. Never changes any of it.

use super::super::answer::{Answer, Fault};
use super::super::config::{DoctorRow, SettingChanged, SettingRow};
use super::super::state::WorkbenchState;
use super::super::view::screens::settings::{
    ChangedView, DoctorView, SettingView, SettingsView, settings_screen,
};
use super::chosen::drawn;
use super::shell;
use axum::extract::{Query, State};
use axum::response::Response;
use serde::Deserialize;
use std::sync::Arc;

/// What is wanted.
#[derive(Debug, Clone, Default, Deserialize)]
pub(super) struct Wanted {
    /// Whether the doctor looks, too: that takes a while.
    doctor: Option<String>,
}

/// Answers `GET /settings`.
pub(super) async fn settings(
    State(state): State<Arc<WorkbenchState>>,
    Query(wanted): Query<Wanted>,
) -> Answer<Response> {
    let asked = Arc::clone(&state);
    let read = move || {
        let host = &asked.config.host;
        (host.settings(), wanted.doctor.map(|_| host.doctor()).unwrap_or_default())
    };
    let read = tokio::task::spawn_blocking(read).await;
    let (settings, doctor) = read.map_err(|error| Fault::broken(&error))?;
    let label = &state.config.label;
    let last = state.conversation().sessions(state.root(), 1).await?;
    let mut view = SettingsView {
        changed: state.config.host.changed_setting().map(changed),
        doctor: doctor.into_iter().map(fact).collect(),
        gateway: label.gateway.clone(),
        version: label.version.clone(),
        session: last.first().map(|session| session.id.to_string()),
        ..SettingsView::default()
    };
    match settings {
        Ok(settings) => view.settings = settings.into_iter().map(setting).collect(),
        Err(fault) => view.fault = Some(fault.to_string()),
    }
    drawn(shell(&state, "Settings"), move || settings_screen(&view)).await
}

fn setting(row: SettingRow) -> SettingView {
    SettingView { name: row.name, value: row.value, origin: row.origin, choices: row.choices }
}

fn changed(change: SettingChanged) -> ChangedView {
    let SettingChanged { name, before, after, file } = change;
    ChangedView { name, before, after, file }
}

fn fact(row: DoctorRow) -> DoctorView {
    DoctorView { name: row.name, state: row.state, detail: row.detail, hint: row.hint }
}
