//! A clock that is set by hand, a redactor that knows one secret, and short ways to a store.
#![expect(clippy::panic, reason = "a failure here is a failed test")]

use salve_store::{
    CallKey, NewCall, OpenCall, Redact, Reservation, Spend, Store, StoreOptions, StreamRedactor,
    WorstCase,
};
use salve_types::{Clock, Timestamp};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// The secret of every test.
pub(crate) const SECRET: &str = "sk-planted-0123456789abcdef";
/// What is in its place.
pub(crate) const REMOVED: &str = "[removed]";
/// The first day of the tests.
pub(crate) const START: i64 = 1_700_000_000_000;

/// A clock that is set by hand.
#[derive(Debug)]
pub(crate) struct HandClock(AtomicI64);

impl HandClock {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self(AtomicI64::new(START)))
    }

    pub(crate) fn advance(&self, millis: i64) {
        self.0.fetch_add(millis, Ordering::SeqCst);
    }

    pub(crate) fn next_day(&self) {
        self.advance(86_400_000);
    }
}

impl Clock for HandClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::SeqCst))
    }
}

/// Knows one secret, also when it arrives in pieces.
pub(crate) struct OneSecret;

impl Redact for OneSecret {
    fn redact(&self, text: &str) -> String {
        text.replace(SECRET, REMOVED)
    }

    fn stream(&self) -> Box<dyn StreamRedactor> {
        Box::new(OneSecretStream::default())
    }
}

#[derive(Default)]
struct OneSecretStream {
    kept_back: String,
}

impl StreamRedactor for OneSecretStream {
    fn push(&mut self, piece: &str) -> String {
        self.kept_back.push_str(piece);
        let clean = self.kept_back.replace(SECRET, REMOVED);
        // As long as the end may be the beginning of the secret it is kept back.
        let begun = (1..SECRET.len().min(clean.len() + 1))
            .rev()
            .find(|length| clean.ends_with(&SECRET[..*length]))
            .unwrap_or(0);
        let (certain, rest) = clean.split_at(clean.len() - begun);
        self.kept_back = rest.to_owned();
        certain.to_owned()
    }

    fn finish(&mut self) -> String {
        std::mem::take(&mut self.kept_back)
    }
}

pub(crate) fn options(clock: Arc<HandClock>) -> StoreOptions {
    StoreOptions::new(clock, Arc::new(OneSecret), "test")
}

/// A call that takes at most 100 tokens of prompt and 1000 of answer, at 1 and 10 dollars a
/// million.
pub(crate) fn call() -> NewCall {
    NewCall {
        purpose: "first".to_owned(),
        dialect: "chat".to_owned(),
        provider: "upstream".to_owned(),
        model: "model-a".to_owned(),
        worst: WorstCase {
            prompt: Spend { tokens: 100, micro_dollars: 100 },
            answer: Spend { tokens: 1000, micro_dollars: 10_000 },
        },
        ..NewCall::default()
    }
}

pub(crate) async fn fresh(store: &Store, call: NewCall) -> OpenCall {
    taken(store.reserve_unkeyed(call).await.expect("a reservation"))
}

pub(crate) async fn fresh_with(store: &Store, key: &CallKey, call: NewCall) -> OpenCall {
    taken(store.reserve(key, call).await.expect("a reservation"))
}

fn taken(reservation: Reservation) -> OpenCall {
    match reservation {
        Reservation::Fresh(open) => open,
        other => panic!("not fresh: {other:?}"),
    }
}

/// Waits, within reason, until something is true.
pub(crate) async fn eventually<F: Future<Output = bool>>(mut holds: impl FnMut() -> F) {
    for _ in 0..500 {
        if holds().await {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    panic!("it did not become true within ten seconds");
}
