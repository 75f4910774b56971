//! What a step of these tests does: waits, pays, fails or dies, as its input says.
//!
//! In: an act as data. Out: lines in the log of payments, and a small result. Never a payment that is
//! not in the log, before and after.

use crate::paid_log::{Line, PaidLog};
use salve_jobs::{
    CallResult, DoubtPolicy, Json, PaidCall, StepCall, StepCtx, StepError, paid_once,
};
use salve_model::{HttpClientOptions, http_client};
use salve_types::{Spend, WorstCase};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;

/// What a step is to do, in this order.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Act {
    /// By what it is known in the log.
    pub(crate) tag: String,
    /// It kills its own process.
    pub(crate) die: bool,
    /// It fails this many times in a way that may pass.
    pub(crate) fail_times: u32,
    /// It fails in a way that will not pass.
    pub(crate) fatal: bool,
    /// It pays.
    pub(crate) pay: Option<Pay>,
    /// It waits so long, or until it is cancelled.
    pub(crate) wait_ms: u64,
    /// Its result has this many bytes more.
    pub(crate) bytes: usize,
}

/// A payment.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Pay {
    /// How long the provider takes.
    pub(crate) ms: u64,
    /// How long the worker keeps the answer to itself.
    pub(crate) hold_ms: u64,
    /// The most it can cost.
    pub(crate) micro_dollars: u64,
    /// What is done when it is unknown whether it was paid.
    pub(crate) policy: DoubtPolicy,
}

impl Default for Pay {
    fn default() -> Self {
        Self { ms: 0, hold_ms: 0, micro_dollars: 1, policy: DoubtPolicy::Retry }
    }
}

impl Act {
    /// An act that only leaves its name in the log.
    pub(crate) fn plain(tag: &str) -> Self {
        Self { tag: tag.to_owned(), ..Self::default() }
    }

    /// An act that pays for this long.
    pub(crate) fn paying(tag: &str, ms: u64) -> Self {
        Self { pay: Some(Pay { ms, ..Pay::default() }), ..Self::plain(tag) }
    }
}

/// What the steps of one worker have.
#[derive(Clone)]
pub(crate) struct Stage {
    pub(crate) worker: String,
    pub(crate) log: PaidLog,
    /// The simulated provider that counts, if there is one.
    pub(crate) provider: Option<String>,
}

impl Stage {
    /// Does an act.
    pub(crate) async fn act(
        &self,
        context: Arc<dyn StepCtx>,
        input: Json,
    ) -> Result<Json, StepError> {
        let act: Act =
            serde_json::from_value(input).map_err(|error| StepError::fatal(error.to_string()))?;
        let say = |what: &str, epoch| {
            let key = context.key().as_str().to_owned();
            let (worker, tag) = (self.worker.clone(), act.tag.clone());
            self.log.say(&Line { what: what.to_owned(), tag, worker, key, epoch });
        };
        say("begin", 0);
        if act.die {
            let this = rustix::process::getpid();
            rustix::process::kill_process(this, rustix::process::Signal::KILL).unwrap();
        }
        if context.attempt() <= act.fail_times {
            return Err(StepError::retryable("not yet"));
        }
        if act.fatal {
            return Err(StepError::fatal("never"));
        }
        let mut said = String::new();
        if let Some(pay) = &act.pay {
            let prompt = Spend { tokens: 0, micro_dollars: pay.micro_dollars };
            let call = StepCall {
                purpose: "test".to_owned(),
                worst: WorstCase { prompt, ..WorstCase::default() },
                ..StepCall::default()
            };
            let make = async |call: PaidCall| {
                let epoch = call.epoch();
                say("intent", epoch);
                let text = self.provider_says(&act.tag, pay.ms).await?;
                say("paid", epoch);
                sleep(Duration::from_millis(pay.hold_ms)).await;
                Ok(CallResult { answered: true, text, ..CallResult::default() })
            };
            said = paid_once(&*context, &call, pay.policy, make).await?.text;
            say("settled", 0);
        }
        let cancelled = context.cancelled();
        tokio::select! {
            () = sleep(Duration::from_millis(act.wait_ms)) => {}
            () = cancelled.cancelled() => {
                say("cancelled", 0);
                return Err(StepError::Cancelled);
            }
        }
        say("end", 0);
        Ok(json!({ "tag": act.tag, "said": said, "more": "x".repeat(act.bytes) }))
    }

    async fn provider_says(&self, tag: &str, ms: u64) -> Result<String, StepError> {
        let Some(address) = &self.provider else {
            sleep(Duration::from_millis(ms)).await;
            return Ok(format!("{tag} by {}", self.worker));
        };
        let failed = |error: String| StepError::retryable(error);
        let client = http_client(&HttpClientOptions::default())
            .map_err(|error| failed(error.to_string()))?;
        let body = json!({
            "model": "sim",
            "messages": [{ "role": "user", "content": format!("<{tag}>") }],
        });
        let sent = client
            .post(format!("{address}/v1/chat/completions"))
            .header("content-type", "application/json")
            .body(body.to_string())
            .send()
            .await
            .map_err(|error| failed(error.to_string()))?;
        sent.text().await.map_err(|error| failed(error.to_string()))
    }
}
