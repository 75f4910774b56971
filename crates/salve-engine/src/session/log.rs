//! What the log of a session tells beside its tables.
//!
//! In: the store. Out: the edits that wait as they were shown last, what arrived of an answer. Never writes.

use super::EventName;
use super::review::HeldHunk;
use salve_store::{Store, StoreError};
use salve_types::{SessionEvent, SessionId};

/// How many events are read at once.
const PAGE: u32 = 1_000;

/// Returns the edits of a turn that wait, as they were shown last; none where none do.
///
/// # Errors
/// When the database refuses.
pub async fn held_edits(
    store: &Store,
    session: &SessionId,
    turn: u32,
) -> Result<Vec<HeldHunk>, StoreError> {
    let last = store.last_session_event(session, EventName::EditsHeld.name()).await?;
    let hunks = last.filter(|event| event.turn == Some(turn));
    let hunks = hunks.map(|mut event| event.payload["hunks"].take());
    Ok(hunks.and_then(|hunks| serde_json::from_value(hunks).ok()).unwrap_or_default())
}

/// Returns what arrived of the last answer of a turn, as it was shown; nothing where nothing did.
///
/// # Errors
/// When the database refuses.
pub async fn text_so_far(
    store: &Store,
    session: &SessionId,
    turn: u32,
) -> Result<Option<String>, StoreError> {
    let chunk = EventName::UpdateResponseChunk.name();
    let is_piece = |event: &SessionEvent| event.turn == Some(turn) && event.name == chunk;
    let pieces = matching(store, session, is_piece).await?;
    let Some(last) = pieces.last().map(|event| event.payload["reply"].clone()) else {
        return Ok(None);
    };
    let of_last = pieces.iter().filter(|event| event.payload["reply"] == last);
    Ok(Some(of_last.filter_map(|event| event.payload["text"].as_str()).collect()))
}

/// Returns the events of a session that are wanted, in order.
pub(super) async fn matching(
    store: &Store,
    session: &SessionId,
    wanted: impl Fn(&SessionEvent) -> bool,
) -> Result<Vec<SessionEvent>, StoreError> {
    let (mut found, mut last) = (Vec::new(), 0);
    loop {
        let page = store.session_events(session, last, PAGE).await?;
        let Some(event) = page.last() else { return Ok(found) };
        last = event.id;
        found.extend(page.into_iter().filter(|event| wanted(event)));
    }
}
