//! What one page has been sent, and what comes next.
//!
//! In: events after the last one that the page shows. Out: swaps. What a page had of an answer that arrives is read
//! again from the log, so that it goes on in the middle of a word. Never draws on a thread that others wait for.

use super::super::answer::Answer;
use super::super::state::WorkbenchState;
use super::super::view::swap::{PageStream, Swap};
use super::chat::changed;
use salve_engine::session::EventName;
use salve_store::SessionRecord;
use salve_types::{SessionEvent, SessionId};

/// How many turns may have begun since the page was drawn.
const RECENT: u32 = 8;

/// A page that follows its session.
pub(in crate::workbench) struct PageFollower {
    session: SessionId,
    stream: PageStream,
    /// Events that are drawn with the next one.
    waiting: Vec<SessionEvent>,
}

impl PageFollower {
    /// Begins after an event.
    pub(in crate::workbench) async fn new(
        state: &WorkbenchState,
        session: &SessionRecord,
        after: u64,
    ) -> Answer<Self> {
        let recent = session.turns.saturating_sub(RECENT);
        let events = state.store().events_of_turns(&session.id, recent + 1, None).await?;
        let seen: Vec<&SessionEvent> = events.iter().filter(|event| event.id <= after).collect();
        let known = seen.iter().filter_map(|event| event.turn).max().unwrap_or(recent);
        let mut stream = PageStream::new(1..=known);
        for event in seen.iter().filter(|event| event.turn == Some(known)) {
            stream.catch_up(event);
        }
        Ok(Self { session: session.id.clone(), stream, waiting: Vec::new() })
    }

    /// Takes an event; `joined` says that the next one is there already, and both are drawn as one.
    pub(in crate::workbench) async fn take(
        &mut self,
        state: &WorkbenchState,
        event: SessionEvent,
        joined: bool,
    ) -> Vec<Swap> {
        if event.name == EventName::UpdateResponseChunk.name() {
            return self.draw(move |stream| stream.chunk(&event)).await;
        }
        self.waiting.push(event);
        if joined {
            return Vec::new();
        }
        let view = match state.session(self.session.as_str()).await {
            Ok(session) => changed(state, &session, &self.waiting).await,
            Err(fault) => Err(fault),
        };
        // What cannot be read now is drawn with the next event.
        let Ok(view) = view else { return Vec::new() };
        let events = std::mem::take(&mut self.waiting);
        self.draw(move |stream| stream.update(&events, &view)).await
    }

    // Colours of code take a while.
    async fn draw(
        &mut self,
        draw: impl FnOnce(&mut PageStream) -> Vec<Swap> + Send + 'static,
    ) -> Vec<Swap> {
        let mut stream = std::mem::take(&mut self.stream);
        let drawn = tokio::task::spawn_blocking(move || {
            let swaps = draw(&mut stream);
            (stream, swaps)
        });
        let Ok((stream, swaps)) = drawn.await else { return Vec::new() };
        self.stream = stream;
        swaps
    }
}
