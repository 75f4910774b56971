//! What a flow is given, on the engine.
//!
//! In: the engine's context of one turn. Out: steps, children, waits and stages, in the order of the
//! flow. Never a clock or a random number: the same history leads to the same calls.

use super::envelope::{
    FlowInput, MOST_BYTES, StepInput, Told, check_size, child_error, engine_version, input_hash,
    job_error_text, step_outcome, tag,
};
use super::wakeups::locked;
use crate::names::step_key;
use crate::{
    CallKey, Flow, FlowCtx, FlowError, FlowName, Fut, JobError, JobId, Json, Needs, Retry, Stage,
    StepError, StepName,
};
use duroxide::OrchestrationContext;
use salve_types::Timestamp;
use serde_json::json;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::{Duration, UNIX_EPOCH};

/// Runs a flow for one turn of the engine.
pub(super) async fn run(
    flow: Flow,
    name: FlowName,
    context: OrchestrationContext,
    input: String,
) -> Result<String, String> {
    let failed = |message: String| job_error_text(&JobError::Flow { message });
    let input: FlowInput =
        serde_json::from_str(&input).map_err(|error| failed(error.to_string()))?;
    let job = JobId::new(&context.instance_id()).map_err(|error| failed(error.to_string()))?;
    let given = input.input;
    let turn = Turn {
        execution: context.execution_id(),
        context,
        job,
        flow: name,
        tag: tag(&input.needs),
        needs: input.needs,
        position: AtomicU32::new(0),
        heard: Arc::new(Mutex::new(input.heard.into_iter().collect())),
    };
    let output =
        flow(Arc::new(turn), given).await.map_err(|error| job_error_text(&error.into()))?;
    let text = output.to_string();
    check_size("the job's result", text.len()).map_err(|error| failed(error.to_string()))?;
    Ok(text)
}

struct Turn {
    context: OrchestrationContext,
    job: JobId,
    flow: FlowName,
    needs: Needs,
    tag: Option<String>,
    execution: u64,
    position: AtomicU32,
    heard: Arc<Mutex<BTreeSet<String>>>,
}

impl FlowCtx for Turn {
    fn id(&self) -> &JobId {
        &self.job
    }

    fn step(
        &self,
        name: &StepName,
        input: Json,
        retry: Retry,
    ) -> Fut<'static, Result<Json, StepError>> {
        // The place is taken now, in the order of the flow; the engine is asked when the future is
        // first polled, so that a limit on parallel steps is one.
        let step = StepCalls {
            context: self.context.clone(),
            job: self.job.clone(),
            name: name.clone(),
            position: self.position.fetch_add(1, Ordering::Relaxed) + 1,
            execution: self.execution,
            tag: self.tag.clone(),
            heard: Arc::clone(&self.heard),
        };
        Box::pin(async move { step.attempts(input, retry).await })
    }

    fn child(
        &self,
        flow: &FlowName,
        name: &str,
        input: Json,
    ) -> Fut<'static, Result<Json, JobError>> {
        let refused = |message: String| -> Fut<'static, Result<Json, JobError>> {
            Box::pin(std::future::ready(Err(JobError::Flow { message })))
        };
        let id = match self.job.child(name) {
            Ok(id) => id,
            Err(error) => return refused(error.to_string()),
        };
        let needs = self.needs.clone();
        let input = FlowInput { needs, flow: Some(flow.clone()), heard: Vec::new(), input };
        let text = match super::envelope::text_of("the child's input", &input) {
            Ok(text) => text,
            Err(error) => return refused(error.to_string()),
        };
        let (context, flow) = (self.context.clone(), flow.clone());
        Box::pin(async move {
            let version = Some(engine_version(&flow));
            let ended = context
                .schedule_sub_orchestration_versioned_with_id(
                    flow.name(),
                    version,
                    id.as_str(),
                    text,
                )
                .await;
            let text = ended.map_err(|text| child_error(&text))?;
            serde_json::from_str(&text)
                .map_err(|error| JobError::Engine { message: error.to_string() })
        })
    }

    fn sleep(&self, length: Duration) -> Fut<'static, ()> {
        let context = self.context.clone();
        Box::pin(async move { context.schedule_timer(length).await })
    }

    fn wait_signal(&self, name: &str, timeout: Option<Duration>) -> Fut<'static, Option<Json>> {
        let (context, name) = (self.context.clone(), name.to_owned());
        let heard = Arc::clone(&self.heard);
        Box::pin(async move {
            let Some(timeout) = timeout else { return Some(hear(&context, &heard, &name).await) };
            let mut timer = Box::pin(context.schedule_timer(timeout));
            let mut hearing = Box::pin(hear(&context, &heard, &name));
            std::future::poll_fn(|waker| {
                if let Poll::Ready(payload) = hearing.as_mut().poll(waker) {
                    return Poll::Ready(Some(payload));
                }
                timer.as_mut().poll(waker).map(|()| None)
            })
            .await
        })
    }

    fn stage(&self, name: &str, detail: Json) {
        let bytes = detail.to_string().len();
        let detail = if bytes > MOST_BYTES { json!({ "left_out_bytes": bytes }) } else { detail };
        let stage = Stage { name: name.to_owned(), detail };
        if let Ok(text) = serde_json::to_string(&stage) {
            self.context.set_custom_status(text);
        }
    }

    fn now(&self) -> Fut<'static, Timestamp> {
        let context = self.context.clone();
        Box::pin(async move {
            loop {
                // The engine's own step for it has no way to fail but a lost worker; it is asked again.
                if let Ok(now) = context.utc_now().await {
                    let millis = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
                    return Timestamp(i64::try_from(millis).unwrap_or(i64::MAX));
                }
            }
        })
    }

    fn restart_with(&self, input: Json) -> Fut<'static, Result<Json, FlowError>> {
        let heard = locked(&self.heard).iter().cloned().collect();
        let input = FlowInput { needs: self.needs.clone(), flow: None, heard, input };
        let text = super::envelope::text_of("the job's next input", &input);
        let (context, version) = (self.context.clone(), engine_version(&self.flow));
        Box::pin(async move {
            let text = text.map_err(|error| FlowError::new(error.to_string()))?;
            // It never comes back: the engine ends this history and begins the next.
            let next = context.continue_as_new_versioned(version, text).await;
            next.map(Json::String).map_err(FlowError::new)
        })
    }
}

/// One step of a flow with all its attempts.
struct StepCalls {
    context: OrchestrationContext,
    job: JobId,
    name: StepName,
    position: u32,
    execution: u64,
    tag: Option<String>,
    heard: Arc<Mutex<BTreeSet<String>>>,
}

impl StepCalls {
    async fn attempts(&self, input: Json, retry: Retry) -> Result<Json, StepError> {
        let bytes = input.to_string().len();
        check_size("the step's input", bytes)
            .map_err(|error| StepError::fatal(error.to_string()))?;
        // A job that began again reaches the same places again; its calls are different ones.
        let seed = format!("{}:{}:{}", self.execution, self.name, input_hash(&input));
        let mut attempt = 1;
        loop {
            let key = step_key(&self.job, self.position, attempt, &seed);
            match self.once(key, attempt, input.clone()).await {
                Err(StepError::InDoubt { key }) => {
                    hear(&self.context, &self.heard, &key.resolve_signal()).await;
                }
                Err(StepError::Retryable { after, .. }) if attempt < retry.attempts => {
                    let wait = retry.wait_after(attempt, after);
                    if !wait.is_zero() {
                        self.context.schedule_timer(wait).await;
                    }
                    attempt += 1;
                }
                // The step heard of the cancellation before the flow did: the flow hears of it here.
                Err(StepError::Cancelled) => std::future::pending().await,
                ended => return ended,
            }
        }
    }

    async fn once(&self, key: CallKey, attempt: u32, input: Json) -> Result<Json, StepError> {
        let envelope = StepInput { key, attempt, position: self.position, input };
        let text = serde_json::to_string(&envelope)
            .map_err(|error| StepError::fatal(format!("the step's input: {error}")))?;
        let doing = self.context.schedule_activity(self.name.as_str(), text);
        let outcome = match &self.tag {
            Some(tag) => doing.with_tag(tag.as_str()).await,
            None => doing.await,
        };
        step_outcome(outcome)
    }
}

/// Waits for a signal that was not heard yet.
async fn hear(context: &OrchestrationContext, heard: &Mutex<BTreeSet<String>>, name: &str) -> Json {
    loop {
        let text = context.dequeue_event(name).await;
        let Ok(told) = serde_json::from_str::<Told>(&text) else { return Json::String(text) };
        if locked(heard).insert(format!("{name}:{}", told.id)) {
            return told.payload;
        }
    }
}
