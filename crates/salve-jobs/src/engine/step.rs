//! What a step is given, on the engine.
//!
//! In: an attempt that a worker took. Out: its result or error, as text for the history. Never a
//! result that a history should not hold: it fails and says how large it was.

use super::envelope::{StepInput, check_size, step_error_text};
use super::wakeups::{Running, Wakeups};
use crate::attempt::Attempt;
use crate::{CallLedger, JobId, Step, StepError};
use duroxide::ActivityContext;
use std::sync::Arc;

/// Does one attempt at a step.
pub(super) async fn run(
    step: Step,
    wakeups: Arc<Wakeups>,
    ledger: Arc<dyn CallLedger>,
    context: ActivityContext,
    input: String,
) -> Result<String, String> {
    attempt(step, wakeups, ledger, context, &input).await.map_err(|error| step_error_text(&error))
}

async fn attempt(
    step: Step,
    wakeups: Arc<Wakeups>,
    ledger: Arc<dyn CallLedger>,
    context: ActivityContext,
    input: &str,
) -> Result<String, StepError> {
    let unreadable = |error: String| StepError::fatal(format!("the step's input: {error}"));
    let envelope: StepInput =
        serde_json::from_str(input).map_err(|error| unreadable(error.to_string()))?;
    let job = JobId::new(context.instance_id()).map_err(|error| unreadable(error.to_string()))?;
    // The engine's own token ends it, and so does ours, which is seen sooner.
    let token = context.cancellation_token().child_token();
    let _in_step = Running::enter(&wakeups, &job, &envelope.key, token.clone());
    let asked = token.clone();
    let attempt = Attempt { job, key: envelope.key, attempt: envelope.attempt, token, ledger };
    let output = match step(Arc::new(attempt), envelope.input).await {
        // Its flow waits for the cancellation to arrive, so there must be one.
        Err(StepError::Cancelled) if !asked.is_cancelled() => {
            return Err(StepError::fatal("the step stopped without being cancelled"));
        }
        ended => ended?,
    };
    let text = output.to_string();
    check_size("the step's result", text.len())
        .map_err(|error| StepError::fatal(error.to_string()))?;
    Ok(text)
}
