//! The pages: what the store knows becomes what a view draws.
//!
//! In: GET requests. Out: whole pages. Never has an effect.

use super::answer::{Answer, page};
use super::assets;
use super::state::WorkbenchState;
use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use http::StatusCode;
use maud::{DOCTYPE, html};
use std::sync::Arc;

/// Returns the pages.
pub(super) fn routes() -> Router<Arc<WorkbenchState>> {
    Router::new().route("/", get(home))
}

async fn home(State(state): State<Arc<WorkbenchState>>) -> Answer<Response> {
    let sessions = state.conversation().sessions(state.root(), 50).await?;
    let assets = assets::folder();
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                title { "Salve" }
                link rel="stylesheet" href={ (assets) "/app.css" };
                script type="module" src={ (assets) "/app.js" } {}
            }
            body {
                main {
                    h1 { "Salve" }
                    @if state.config.label.practice { p { "Practice model and sample project." } }
                    ul { @for session in &sessions { li { (session.title) } } }
                    div #conversation role="log" {}
                }
            }
        }
    };
    Ok(page(StatusCode::OK, markup))
}
