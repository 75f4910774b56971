//! How many calls a provider gets at once, and when it is left alone.
//!
//! In: a number, and what the provider answers. Out: a queue in the order of arrival. A 429 stops
//! the whole provider for as long as it asks, not only the call that met it. Never more calls in
//! flight than the number.

use crate::model::{Model, ModelError, Watch};
use crate::reply::ModelReply;
use crate::request::ModelRequest;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{Semaphore, SemaphorePermit};

/// The gate of one provider.
#[derive(Debug)]
pub struct CallGate {
    parallel: usize,
    permits: Semaphore,
    waiting: AtomicUsize,
    pause: Mutex<Pause>,
}

#[derive(Debug, Default)]
struct Pause {
    until: Option<Instant>,
    refusals: u32,
}

/// The right to make one call; it ends when this is dropped.
#[derive(Debug)]
pub struct Pass<'a>(#[expect(dead_code, reason = "held for its drop")] Option<SemaphorePermit<'a>>);

const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

impl CallGate {
    /// Makes a gate for this many calls at once; none at all would be a gate that nothing passes, so it is
    /// at least one.
    pub fn new(parallel: usize) -> Self {
        let parallel = parallel.clamp(1, Semaphore::MAX_PERMITS);
        Self {
            parallel,
            permits: Semaphore::new(parallel),
            waiting: AtomicUsize::new(0),
            pause: Mutex::default(),
        }
    }

    /// Waits for a place, and until the provider is to be asked again.
    pub async fn enter(&self) -> Pass<'_> {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let left = Leaving(&self.waiting);
        // The semaphore is never closed, so there always is a permit in the end.
        let permit = self.permits.acquire().await.ok();
        while let Some(rest) = self.rest() {
            tokio::time::sleep(rest).await;
        }
        drop(left);
        Pass(permit)
    }

    /// Notes how a call ended: a 429 pauses the provider, anything else that it answered ends its
    /// row of refusals.
    pub fn note<T>(&self, result: &Result<T, ModelError>) {
        match result {
            Err(ModelError::Provider { status: 429, retry_after, .. }) => self.pause(*retry_after),
            // An overloaded provider that says when to come back is taken at its word.
            Err(ModelError::Provider {
                status: 503 | 529, retry_after: asked @ Some(_), ..
            }) => {
                self.pause(*asked);
            }
            Err(_) => {}
            Ok(_) => self.pause_state().refusals = 0,
        }
    }

    /// Returns how long the provider is still left alone.
    pub fn rest(&self) -> Option<Duration> {
        let until = self.pause_state().until?;
        until.checked_duration_since(Instant::now()).filter(|rest| !rest.is_zero())
    }

    /// Returns how many calls are in flight.
    pub fn in_flight(&self) -> usize {
        self.parallel.saturating_sub(self.permits.available_permits())
    }

    /// Returns how many calls are in flight or wait.
    pub fn load(&self) -> usize {
        self.in_flight().saturating_add(self.waiting.load(Ordering::Relaxed))
    }

    fn pause(&self, asked: Option<Duration>) {
        let mut pause = self.pause_state();
        let own = FIRST_PAUSE.saturating_mul(2_u32.saturating_pow(pause.refusals));
        let until = Instant::now() + asked.unwrap_or(own).min(LONGEST_PAUSE);
        pause.refusals = pause.refusals.saturating_add(1);
        pause.until = Some(pause.until.map_or(until, |earlier| earlier.max(until)));
    }

    fn pause_state(&self) -> std::sync::MutexGuard<'_, Pause> {
        self.pause.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

// The caller that stops waiting, for whatever reason, does not count as waiting any more.
struct Leaving<'a>(&'a AtomicUsize);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A model behind a gate, which may be shared with other models of the same provider.
pub struct Limited<M> {
    model: M,
    gate: Arc<CallGate>,
}

impl<M> Limited<M> {
    /// Puts a model behind a gate.
    pub const fn new(model: M, gate: Arc<CallGate>) -> Self {
        Self { model, gate }
    }

    /// Returns the gate.
    pub const fn gate(&self) -> &Arc<CallGate> {
        &self.gate
    }
}

impl<M: Model> Model for Limited<M> {
    async fn call(
        &self,
        request: &ModelRequest,
        watch: &mut dyn Watch,
    ) -> Result<ModelReply, ModelError> {
        let pass = self.gate.enter().await;
        let result = self.model.call(request, watch).await;
        self.gate.note(&result);
        drop(pass);
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Counting, Scripted, refused, text};

    #[tokio::test]
    async fn c212_never_more_than_n_calls_in_flight() {
        for parallel in [1, 2, 5] {
            let counting = Counting::default();
            let gate = Arc::new(CallGate::new(parallel));
            let model = Limited::new(&counting, Arc::clone(&gate));
            let request = ModelRequest::default();
            let calls = (0..20).map(|_| async { model.call(&request, &mut ()).await.unwrap() });
            futures_util::future::join_all(calls).await;
            assert_eq!(counting.most(), parallel);
            assert_eq!(gate.load(), 0, "everyone left");
        }
    }

    #[tokio::test]
    async fn c212_a_429_backs_off_the_whole_provider() {
        let asked = Duration::from_millis(80);
        let busy =
            ModelError::Provider { status: 429, message: String::new(), retry_after: Some(asked) };
        let gate = Arc::new(CallGate::new(4));
        let first = Limited::new(Scripted::new(vec![Err(busy)]), Arc::clone(&gate));
        let other = Limited::new(Scripted::new(vec![Ok(text("a"))]), Arc::clone(&gate));
        let request = ModelRequest::default();
        let begun = Instant::now();
        first.call(&request, &mut ()).await.unwrap_err();
        assert!(gate.rest().is_some());
        other.call(&request, &mut ()).await.unwrap();
        assert!(begun.elapsed() >= asked, "another model of the provider waited as well");
    }

    #[tokio::test]
    async fn pauses_grow_while_refusals_last_and_other_errors_pause_nothing() {
        let gate = CallGate::new(1);
        gate.note::<()>(&Err(refused(500)));
        assert_eq!(gate.rest(), None);
        gate.note::<()>(&Err(refused(429)));
        let first = gate.rest().unwrap();
        gate.note::<()>(&Err(refused(429)));
        assert!(gate.rest().unwrap() > first);
        for _ in 0..100 {
            gate.note::<()>(&Err(refused(429)));
        }
        assert!(gate.rest().unwrap() <= LONGEST_PAUSE);
    }

    #[tokio::test]
    async fn who_gives_up_waiting_leaves_no_trace() {
        let gate = CallGate::new(1);
        let pass = gate.enter().await;
        let waiting = tokio::time::timeout(Duration::from_millis(5), gate.enter()).await;
        assert!(waiting.is_err());
        assert_eq!(gate.load(), 1);
        drop(pass);
        assert_eq!(gate.load(), 0);
    }
}
