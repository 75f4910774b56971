//! The pages: what the store knows becomes what a view draws.
//!
//! In: GET requests. Out: whole pages, and names to choose from. Never has an effect.

mod audit;
mod chat;
mod chosen;
mod complete;
mod diffs;
mod files;
mod follow;
mod heal;
mod history;
mod home;
mod jobs;
mod knowledge;
mod plans;
mod settings;
mod turn;

pub(super) use follow::PageFollower;

use super::assets;
use super::state::WorkbenchState;
use super::view::shell::Shell;
use axum::Router;
use axum::routing::get;
use std::sync::Arc;

/// Returns the pages.
pub(super) fn routes() -> Router<Arc<WorkbenchState>> {
    Router::new()
        .route("/", get(home::home))
        .route("/chat", get(chat::last))
        .route("/chat/{id}", get(chat::one))
        .route("/history", get(history::history))
        .route("/files", get(files::files))
        .route("/heal", get(heal::heal))
        .route("/knowledge", get(knowledge::knowledge))
        .route("/plans", get(plans::plans))
        .route("/jobs", get(jobs::jobs))
        .route("/audit", get(audit::audit))
        .route("/settings", get(settings::settings))
        .route("/complete", get(complete::complete))
}

/// The frame of a screen.
fn shell(state: &WorkbenchState, screen: &str) -> Shell {
    Shell {
        screen: screen.to_owned(),
        assets: assets::folder().to_owned(),
        workspace: state.root().display().to_string(),
        practice: state.config.label.practice,
        ..Shell::default()
    }
}
