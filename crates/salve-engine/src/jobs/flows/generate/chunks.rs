//! An answer on a session's log while it arrives.
//!
//! In: pieces of text as the provider sends them. Out: events `updateResponseChunk`, some pieces in one where
//! they come fast. A secret that is split between pieces is taken out before the first of them is written. Never
//! holds up a call that is being paid: what cannot be written is left out, and the whole answer is kept elsewhere.

use super::input::ShownIn;
use crate::session::EventName;
use salve_jobs::JobId;
use salve_store::{NewSessionEvent, SessionWrite, Store, StreamRedactor};
use serde_json::json;
use std::time::{Duration, Instant};

/// How long pieces are gathered before they are written.
const BETWEEN_WRITES: Duration = Duration::from_millis(100);

/// Writes what arrives of one reply.
pub(super) struct Chunks {
    store: Store,
    place: ShownIn,
    /// The job that asked, which tells the replies of one turn apart.
    job: String,
    /// Tells this reply from others of the same job.
    reply: String,
    redactor: Box<dyn StreamRedactor>,
    waiting: String,
    written: u32,
    last: Option<Instant>,
}

impl Chunks {
    pub(super) fn new(store: &Store, place: &ShownIn, job: &JobId) -> Self {
        Self {
            store: store.clone(),
            place: place.clone(),
            job: job.to_string(),
            reply: uuid::Uuid::new_v4().simple().to_string(),
            redactor: store.stream_redactor(),
            waiting: String::new(),
            written: 0,
            last: None,
        }
    }

    /// Takes a piece.
    pub(super) async fn arrived(&mut self, piece: &str) {
        let safe = self.redactor.push(piece);
        self.waiting.push_str(&safe);
        if self.last.is_none_or(|last| last.elapsed() >= BETWEEN_WRITES) {
            self.write().await;
        }
    }

    /// Writes what is left.
    pub(super) async fn ended(&mut self) {
        let rest = self.redactor.finish();
        self.waiting.push_str(&rest);
        self.write().await;
    }

    async fn write(&mut self) {
        if self.waiting.is_empty() {
            return;
        }
        let key = format!("chunk:{}:{}:{}", self.job, self.reply, self.written);
        let payload = json!({
            "reply": self.reply, "piece": self.written, "text": std::mem::take(&mut self.waiting),
        });
        let write = SessionWrite {
            events: vec![NewSessionEvent {
                turn: Some(self.place.turn),
                name: EventName::UpdateResponseChunk.name().to_owned(),
                payload,
            }],
            ..SessionWrite::new(self.place.session.clone(), key)
        };
        // The answer itself is in the ledger; this is only for those who watch.
        let _ = self.store.write_session(write).await;
        self.written += 1;
        self.last = Some(Instant::now());
    }
}
