//! The stream of a page: what changed, as pieces of HTML to put in place.
//!
//! In: a session and the last event that the page shows. Out: one message for each event that changes the page, with
//! the event's number as its id. A browser that lost the connection says the last number it saw, and gets every later
//! one once. Never the whole page again.

use super::answer::{Answer, Fault};
use super::state::WorkbenchState;
use super::view::{StreamFacts, Swap, swaps_for};
use crate::http::sse::PING;
use axum::body::Body;
use axum::extract::{Query, State};
use axum::response::Response;
use bytes::Bytes;
use futures_util::stream::unfold;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue};
use salve_engine::session::{ConversationError, EventName, EventScope};
use salve_store::EventNews;
use salve_types::{SessionEvent, SessionId};
use serde::Deserialize;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use utoipa::IntoParams;

/// How many events are read at a time.
const PAGE: u32 = 200;
/// How long a stream is silent before it says that it is alive.
const SILENCE: Duration = Duration::from_secs(15);

/// Which stream is wanted.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Wanted {
    /// One session; all of the workspace where none is named.
    pub(super) session: Option<String>,
    /// The last event that was seen.
    pub(super) after: Option<u64>,
}

/// Events as they are written, one by one, until the reader or the workbench ends.
pub(super) struct Following {
    state: Arc<WorkbenchState>,
    scope: EventScope,
    after: u64,
    read: VecDeque<SessionEvent>,
    news: EventNews,
    closing: watch::Receiver<bool>,
}

impl Following {
    /// Begins after an event. A browser that comes again says so in a header, which counts.
    pub(super) async fn new(
        state: Arc<WorkbenchState>,
        wanted: Wanted,
        headers: &HeaderMap,
    ) -> Answer<Self> {
        let again = headers.get("last-event-id").map(|value| {
            let text = value.to_str().ok().filter(|text| !text.is_empty());
            text.and_then(|text| text.parse().ok())
                .ok_or_else(|| Fault::invalid("Last-Event-ID is the number of an event"))
        });
        let after = again.transpose()?.or(wanted.after).unwrap_or(0);
        let scope = match wanted.session {
            Some(session) => EventScope::Session(state.session(&session).await?.id),
            None => EventScope::Workspace(state.root().to_owned()),
        };
        let (news, closing) = (state.conversation().event_news(), state.closing());
        Ok(Self { state, scope, after, read: VecDeque::new(), news, closing })
    }

    /// Returns the next event; nothing of it after a silence; `None` at the end.
    pub(super) async fn next(&mut self) -> Result<Option<Option<SessionEvent>>, ConversationError> {
        loop {
            if let Some(event) = self.read.pop_front() {
                self.after = event.id;
                return Ok(Some(Some(event)));
            }
            if *self.closing.borrow() {
                return Ok(None);
            }
            let page = self.state.conversation().events(&self.scope, self.after, PAGE).await?;
            self.read.extend(page);
            if !self.read.is_empty() {
                continue;
            }
            let begun = tokio::time::Instant::now();
            tokio::select! {
                () = self.news.wait(SILENCE) => {}
                _ = self.closing.changed() => {}
            }
            if begun.elapsed() >= SILENCE {
                return Ok(Some(None));
            }
        }
    }
}

/// Answers with a stream of events, each written by a function.
pub(super) fn events_response<F>(
    following: Following,
    write: impl Fn(Arc<WorkbenchState>, SessionEvent) -> F + Send + 'static,
) -> Response
where
    F: Future<Output = Option<String>> + Send,
{
    let state = Arc::clone(&following.state);
    let pieces = unfold((following, write, state), async |(mut following, write, state)| {
        loop {
            let text = match following.next().await {
                Ok(Some(Some(event))) => write(Arc::clone(&state), event).await,
                Ok(Some(None)) => Some(PING.to_owned()),
                Ok(None) => return None,
                Err(error) => {
                    let error = std::io::Error::other(error.to_string());
                    return Some((Err(error), (following, write, state)));
                }
            };
            if let Some(text) = text {
                return Some((Ok(Bytes::from(text)), (following, write, state)));
            }
        }
    });
    let mut response = Response::new(Body::from_stream(pieces));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Answers `GET /stream`.
pub(super) async fn follow(
    State(state): State<Arc<WorkbenchState>>,
    Query(wanted): Query<Wanted>,
    headers: HeaderMap,
) -> Answer {
    let following = Following::new(state, wanted, &headers).await?;
    Ok(events_response(following, async |state: Arc<WorkbenchState>, event: SessionEvent| {
        let facts = facts(&state, &event).await?;
        let swaps: Vec<Swap> = swaps_for(&event, &facts);
        if swaps.is_empty() {
            return None;
        }
        let data = serde_json::to_string(&swaps).ok()?;
        Some(format!("id: {}\ndata: {data}\n\n", event.id))
    }))
}

// What a piece of HTML needs beside the event. A chunk of an answer needs nothing.
async fn facts(state: &WorkbenchState, event: &SessionEvent) -> Option<StreamFacts> {
    if event.name == EventName::UpdateResponseChunk.name() {
        return Some(StreamFacts::default());
    }
    read_facts(state, &event.session, event.turn).await.ok()
}

async fn read_facts(
    state: &WorkbenchState,
    session: &SessionId,
    turn: Option<u32>,
) -> Result<StreamFacts, ConversationError> {
    let store = state.store();
    let turn = match turn {
        Some(turn) => store.turn(session, turn).await?,
        None => None,
    };
    Ok(StreamFacts {
        session: store.session(session).await?,
        waiting: match &turn {
            Some(turn) => state.conversation().waiting(turn).await?,
            None => None,
        },
        turn,
        todos: store.todos(session).await?,
    })
}
