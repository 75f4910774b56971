//! The stream of a page: what changed, as pieces of HTML to put in place.
//!
//! In: a session and the last event that the page shows. Out: one message for each event that changes the page, with
//! the event's number as its id. A browser that lost the connection says the last number it saw, and gets every later
//! one once. Never the whole page again.

use super::answer::{Answer, Fault};
use super::pages::PageFollower;
use super::state::WorkbenchState;
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
use salve_types::SessionEvent;
use serde::Deserialize;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Mutex, watch};
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

    // Whether the event after the last one was read already, and is no piece of an answer.
    fn has_plain(&self) -> bool {
        let chunk = EventName::UpdateResponseChunk.name();
        self.read.front().is_some_and(|event| event.name != chunk)
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

/// Answers with a stream of events, each written by a function; it is told whether another one that is no piece of an
/// answer was read already.
pub(super) fn events_response<F>(
    following: Following,
    write: impl Fn(Arc<WorkbenchState>, SessionEvent, bool) -> F + Send + 'static,
) -> Response
where
    F: Future<Output = Option<String>> + Send,
{
    let state = Arc::clone(&following.state);
    let pieces = unfold((following, write, state), async |(mut following, write, state)| {
        loop {
            let text = match following.next().await {
                Ok(Some(Some(event))) => {
                    let joined = following.has_plain();
                    write(Arc::clone(&state), event, joined).await
                }
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
    let Some(session) = wanted.session.clone() else {
        return Err(Fault::invalid("a page follows one session: name it"));
    };
    let session = state.session(&session).await?;
    let following = Following::new(Arc::clone(&state), wanted, &headers).await?;
    let page = PageFollower::new(&state, &session, following.after).await?;
    let page = Arc::new(Mutex::new(page));
    Ok(events_response(
        following,
        move |state: Arc<WorkbenchState>, event: SessionEvent, joined| {
            let page = Arc::clone(&page);
            async move {
                let id = event.id;
                // Every event is told, so that a page that comes again names the last one.
                let swaps = page.lock().await.take(&state, event, joined).await;
                let data = serde_json::to_string(&swaps).ok()?;
                Some(format!("id: {id}\ndata: {data}\n\n"))
            }
        },
    ))
}
