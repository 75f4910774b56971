//! Tries again what may succeed a little later.
//!
//! In: a model and a policy. Out: the same model, which waits and calls again when it was refused
//! for the moment (429, 5xx) or not reached. Never after text arrived: what was seen cannot be
//! taken back, and going on from it is another stage's work. Never for ever.

use crate::model::{Model, ModelError, Watch};
use crate::reply::ModelReply;
use crate::request::ModelRequest;
use std::time::Duration;

/// How often, and how long between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Calls in all, the first one included.
    pub attempts: u32,
    /// The longest first wait; it doubles with every attempt.
    pub base: Duration,
    /// The longest wait.
    pub cap: Duration,
    /// The longest wait a provider may ask for; if it asks for more, its refusal counts.
    pub retry_after_cap: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            attempts: 4,
            base: Duration::from_millis(500),
            cap: Duration::from_secs(20),
            retry_after_cap: Duration::from_secs(60),
        }
    }
}

impl RetryPolicy {
    /// Returns the policy of those who do not try again.
    pub const fn never() -> Self {
        let none = Duration::ZERO;
        Self { attempts: 1, base: none, cap: none, retry_after_cap: none }
    }

    /// Returns how long to wait after the failure of an attempt (counted from 1), or none when it
    /// is not tried again. `chance` is drawn from 0 to 1 anew for each wait, so that callers that
    /// failed together do not come back together.
    pub fn wait(&self, attempt: u32, error: &ModelError, chance: f64) -> Option<Duration> {
        if attempt >= self.attempts || !error.is_transient() {
            return None;
        }
        let doubled = 2_u32.saturating_pow(attempt.saturating_sub(1));
        let longest = self.base.saturating_mul(doubled).min(self.cap);
        let jitter = longest.mul_f64(chance.clamp(0.0, 1.0));
        match error.retry_after() {
            Some(asked) if asked > self.retry_after_cap => None,
            // As asked at least, and a little later, so that not all return in the same moment.
            Some(asked) => Some(asked.saturating_add(jitter.min(self.base))),
            None => Some(jitter),
        }
    }
}

/// A model that is called again when that may help.
pub struct Retrying<M> {
    model: M,
    policy: RetryPolicy,
}

impl<M> Retrying<M> {
    /// Wraps a model.
    pub const fn new(model: M, policy: RetryPolicy) -> Self {
        Self { model, policy }
    }
}

impl<M: Model> Model for Retrying<M> {
    async fn call(
        &self,
        request: &ModelRequest,
        watch: &mut dyn Watch,
    ) -> Result<ModelReply, ModelError> {
        let mut seen = Seen { watch, anything: false };
        let mut attempt = 1;
        loop {
            let error = match self.model.call(request, &mut seen).await {
                Ok(reply) => return Ok(reply),
                Err(error) => error,
            };
            let wait = self.policy.wait(attempt, &error, fastrand::f64());
            let Some(wait) = wait.filter(|_| !seen.anything) else {
                return Err(with_count(error, attempt));
            };
            tracing::debug!(attempt, ?wait, %error, "the call is made again");
            tokio::time::sleep(wait).await;
            attempt += 1;
        }
    }
}

// The provider's words stay; that it was tried more than once is added to them.
fn with_count(error: ModelError, attempts: u32) -> ModelError {
    if attempts < 2 {
        return error;
    }
    let add = |message: String| format!("{message} (after {attempts} attempts)");
    match error {
        ModelError::Provider { status, message, retry_after } => {
            ModelError::Provider { status, message: add(message), retry_after }
        }
        ModelError::Unreachable { message } => ModelError::Unreachable { message: add(message) },
        ModelError::Unconnected { message } => ModelError::Unconnected { message: add(message) },
        other => other,
    }
}

struct Seen<'a> {
    watch: &'a mut dyn Watch,
    anything: bool,
}

impl Watch for Seen<'_> {
    fn arrived(&mut self, text: &str) {
        self.anything |= !text.is_empty();
        self.watch.arrived(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Scripted, refused, text};
    use proptest::prelude::*;

    fn quick(attempts: u32) -> RetryPolicy {
        let moment = Duration::from_millis(1);
        RetryPolicy { attempts, base: moment, cap: moment, retry_after_cap: moment }
    }

    #[tokio::test]
    async fn what_passes_is_tried_again_and_the_rest_is_not() {
        // What the provider does call by call, and after how many calls it ends how.
        let unreachable = || ModelError::Unreachable { message: String::new() };
        let cases = [
            (vec![Err(refused(429)), Err(refused(503)), Ok(text("a"))], 3, true),
            (vec![Err(unreachable()), Ok(text("a"))], 2, true),
            (
                vec![Err(refused(529)), Err(refused(500)), Err(refused(502)), Ok(text("a"))],
                3,
                false,
            ),
            (vec![Err(refused(400)), Ok(text("a"))], 1, false),
            (vec![Err(refused(401)), Ok(text("a"))], 1, false),
            (vec![Err(refused(404)), Ok(text("a"))], 1, false),
        ];
        for (script, calls, good) in cases {
            let model = Retrying::new(Scripted::new(script), quick(3));
            let result = model.call(&ModelRequest::default(), &mut ()).await;
            assert_eq!((model.model.calls(), result.is_ok()), (calls, good), "{result:?}");
        }
    }

    #[tokio::test]
    async fn nothing_is_tried_again_after_text_arrived() {
        let script = vec![Err(refused(500)), Ok(text("b"))];
        let model = Retrying::new(Scripted::new(script).leaking("half a "), quick(3));
        let mut seen = String::new();
        assert!(model.call(&ModelRequest::default(), &mut seen).await.is_err());
        assert_eq!((model.model.calls(), seen.as_str()), (1, "half a "));
    }

    #[tokio::test]
    async fn a_wait_longer_than_allowed_is_not_waited_for() {
        let patient = ModelError::Provider {
            status: 429,
            message: "slow down".to_owned(),
            retry_after: Some(Duration::from_secs(3600)),
        };
        let model = Retrying::new(Scripted::new(vec![Err(patient), Ok(text("a"))]), quick(3));
        let error = model.call(&ModelRequest::default(), &mut ()).await.unwrap_err();
        assert_eq!(model.model.calls(), 1);
        assert!(error.to_string().contains("slow down"));
    }

    proptest! {
        #[test]
        fn waits_are_within_their_bounds(
            attempt in 1_u32..200,
            chance in -1.0..2.0_f64,
            asked in proptest::option::of(0_u64..100_000),
        ) {
            let policy = RetryPolicy::default();
            let retry_after = asked.map(Duration::from_millis);
            let error = ModelError::Provider { status: 503, message: String::new(), retry_after };
            let wait = policy.wait(attempt, &error, chance);
            if attempt >= policy.attempts {
                prop_assert_eq!(wait, None);
            } else if let Some(asked) = retry_after {
                prop_assert_eq!(wait.is_none(), asked > policy.retry_after_cap);
                prop_assert!(wait.is_none_or(|wait| wait >= asked && wait <= asked + policy.base));
            } else {
                prop_assert!(wait.is_some_and(|wait| wait <= policy.cap));
            }
        }
    }
}
