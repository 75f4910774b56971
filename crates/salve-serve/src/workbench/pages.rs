//! The pages: what the store knows becomes what a view draws.
//!
//! In: GET requests. Out: whole pages, and names to choose from. Never has an effect.

mod chat;
mod complete;
mod diffs;
mod follow;
mod plain;
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
        .route("/", get(plain::home))
        .route("/chat", get(chat::last))
        .route("/chat/{id}", get(chat::one))
        .route("/history", get(plain::history))
        .route("/files", get(plain::files))
        .route("/heal", get(plain::heal))
        .route("/knowledge", get(plain::knowledge))
        .route("/jobs", get(plain::jobs))
        .route("/audit", get(plain::audit))
        .route("/settings", get(plain::settings))
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
