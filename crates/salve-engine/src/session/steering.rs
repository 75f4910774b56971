//! What a person says between steps: guidance for the next one, or a pause.
//!
//! In: a session, words. Out: the request that the model gets, with them. They are events on the one log, so that
//! any face can give them, and count until the next request begins. Never changes a request that was sent.

use super::{CONTINUE_INPUT, EventName};
use salve_store::{NewSessionEvent, NewTurn, SessionWrite, Store, StoreError, TurnRecord};
use salve_types::{SessionEvent, SessionId};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// How many events are read at once.
const PAGE: u32 = 500;

/// Gives guidance: it enters the next request, whoever sends that. The same key again changes nothing.
///
/// # Errors
/// When there is no such session, or the database refuses.
pub async fn guide(
    store: &Store,
    session: &SessionId,
    text: &str,
    key: &str,
) -> Result<(), StoreError> {
    say(store, session, EventName::GuidanceGiven, json!({ "text": text.trim() }), key).await
}

/// Holds steps that are sent by themselves, until a person sends the next one. The same key again changes nothing.
///
/// # Errors
/// When there is no such session, or the database refuses.
pub async fn pause_steps(store: &Store, session: &SessionId, key: &str) -> Result<(), StoreError> {
    say(store, session, EventName::StepsPaused, json!({}), key).await
}

async fn say(
    store: &Store,
    session: &SessionId,
    name: EventName,
    payload: Value,
    key: &str,
) -> Result<(), StoreError> {
    let event = NewSessionEvent { turn: None, name: name.name().to_owned(), payload };
    let key = format!("{}/{key}", name.name());
    let write = SessionWrite { events: vec![event], ..SessionWrite::new(session.clone(), key) };
    store.write_session(write).await.map(drop)
}

/// What was said since the last request.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Steering {
    /// Guidance, in order.
    pub guidance: Vec<String>,
    /// Whether steps are held.
    pub paused: bool,
}

/// Returns what was said since the last request.
///
/// # Errors
/// When the database refuses.
pub async fn steering(store: &Store, session: &SessionId) -> Result<Steering, StoreError> {
    let request = store.last_session_event(session, EventName::NewMessagePair.name()).await?;
    let (mut said, mut last) = (Steering::default(), request.map_or(0, |event| event.id));
    loop {
        let page = store.session_events(session, last, PAGE).await?;
        let Some(event) = page.last() else { return Ok(said) };
        last = event.id;
        page.iter().for_each(|event| said.hear(event));
    }
}

impl Steering {
    fn hear(&mut self, event: &SessionEvent) {
        match EventName::from_name(&event.name) {
            Some(EventName::GuidanceGiven) => {
                let text = event.payload["text"].as_str().unwrap_or_default();
                self.guidance.extend((!text.is_empty()).then(|| text.to_owned()));
            }
            Some(EventName::StepsPaused) => self.paused = true,
            _ => {}
        }
    }
}

/// Begins a turn with a request, and with the guidance that was given since the last one.
///
/// # Errors
/// When there is no such session, or the database refuses.
pub async fn add_request(
    store: &Store,
    session: &SessionId,
    new: NewTurn,
) -> Result<TurnRecord, StoreError> {
    let said = steering(store, session).await?;
    let text = guided(&new.text, &said.guidance);
    store.add_turn(session, NewTurn { text, ..new }).await
}

/// Adds guidance to a request.
#[must_use]
pub fn guided(request: &str, guidance: &[String]) -> String {
    let mut text = request.to_owned();
    if !guidance.is_empty() {
        text.push_str("\n\nGuidance from the user:");
    }
    for one in guidance {
        let _ = write!(text, "\n- {}", one.replace('\n', "\n  "));
    }
    text
}

/// Tells whether a request asks for the next step, with guidance or without.
#[must_use]
pub fn is_continue(request: &str) -> bool {
    let first = request.split("\n\n").next().unwrap_or_default();
    first.trim().eq_ignore_ascii_case(CONTINUE_INPUT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::TextRedactor;
    use salve_store::{NewSession, StoreOptions};
    use salve_types::Timestamp;
    use std::sync::Arc;

    #[test]
    fn c022_guidance_is_below_the_request() {
        assert_eq!(guided("continue", &[]), "continue");
        let said = ["use tabs".to_owned(), "two\nlines".to_owned()];
        let text = guided("continue", &said);
        assert_eq!(text, "continue\n\nGuidance from the user:\n- use tabs\n- two\n  lines");
        assert!(is_continue(&text) && is_continue(" Continue ") && !is_continue("continued"));
    }

    #[tokio::test]
    async fn c022_guidance_and_a_pause_count_until_the_next_request() {
        let clock = Arc::new(|| Timestamp(1_000));
        let options = StoreOptions::new(clock, Arc::new(TextRedactor::default()), "test");
        let store = Store::memory(options).await.unwrap();
        let session = store.new_session(NewSession::default()).await.unwrap().id;
        let ask = |key: &str| NewTurn {
            text: "go".to_owned(),
            key: key.to_owned(),
            ..NewTurn::default()
        };
        assert_eq!(add_request(&store, &session, ask("1")).await.unwrap().text, "go");
        for key in ["a", "a", "b"] {
            guide(&store, &session, &format!("say {key}"), key).await.unwrap();
        }
        pause_steps(&store, &session, "p").await.unwrap();
        let said = steering(&store, &session).await.unwrap();
        assert_eq!(
            (said.guidance, said.paused),
            (vec!["say a".to_owned(), "say b".to_owned()], true)
        );
        let turn = add_request(&store, &session, ask("2")).await.unwrap();
        assert_eq!(turn.text, "go\n\nGuidance from the user:\n- say a\n- say b");
        assert_eq!(steering(&store, &session).await.unwrap(), Steering::default());
    }
}
