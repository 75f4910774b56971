//! Which session a screen is about, and pages drawn off the hot path.
//!
//! In: a query. Out: the named session, or the one used last; whole pages. Never more sessions than fit a menu.

use super::super::answer::{Answer, Fault, page};
use super::super::state::WorkbenchState;
use super::super::view::screens::SessionChoice;
use super::super::view::shell::{self, Shell};
use axum::response::Response;
use http::StatusCode;
use maud::Markup;
use salve_store::SessionRecord;

/// How many sessions are offered.
const OFFERED: u32 = 12;

/// The sessions of a screen.
pub(super) struct Chosen {
    /// The session that the screen is about.
    pub(super) session: Option<SessionRecord>,
    /// Those that are offered.
    pub(super) offered: Vec<SessionChoice>,
}

impl Chosen {
    /// Finds the named session, or the one used last.
    pub(super) async fn find(state: &WorkbenchState, named: Option<&str>) -> Answer<Self> {
        let sessions = state.conversation().sessions(state.root(), OFFERED).await?;
        let offered = sessions.iter().map(choice).collect();
        let session = match named {
            Some(id) => Some(state.session(id).await?),
            None => sessions.into_iter().next(),
        };
        Ok(Self { session, offered })
    }

    /// Returns the session as it is shown.
    pub(super) fn choice(&self) -> Option<SessionChoice> {
        self.session.as_ref().map(choice)
    }
}

fn choice(session: &SessionRecord) -> SessionChoice {
    SessionChoice { id: session.id.to_string(), title: session.title.clone() }
}

/// Draws a page where it may take a while: colours of code do.
pub(super) async fn drawn(
    frame: Shell,
    body: impl FnOnce() -> Markup + Send + 'static,
) -> Answer<Response> {
    let drawn = tokio::task::spawn_blocking(move || shell::page(&frame, &body()));
    let drawn = drawn.await.map_err(|error| Fault::broken(&error))?;
    Ok(page(StatusCode::OK, drawn))
}

/// Cuts a long text for a page, and says so.
pub(super) fn shown(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let mut end = most;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let rest = text.len() - end;
    format!("{}\n… {rest} more bytes are not shown", text.get(..end).unwrap_or_default())
}
