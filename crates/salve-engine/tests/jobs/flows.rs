//! The flows of these tests.
//!
//! In: scripts as data. Out: what their steps gave. Deterministic, except for the one that is
//! registered in place of another to show that this is seen.

use crate::act::{Act, Stage};
use salve_jobs::{
    FlowCtx, FlowError, FlowName, Flows, Fut, Json, Retry, StepError, StepName, Steps, join, race,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

/// What a flow is to do.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Script {
    /// It waits for this signal first, so often.
    pub(crate) signal: Option<String>,
    pub(crate) times: u32,
    pub(crate) patience_ms: Option<u64>,
    /// Steps, one after the other.
    pub(crate) acts: Vec<Act>,
    /// A sleep after each step.
    pub(crate) sleep_ms: u64,
    /// Children with one step each, at the same time.
    pub(crate) children: Vec<Act>,
    /// Steps of which the first one wins.
    pub(crate) race: Vec<Act>,
    /// Steps after all that.
    pub(crate) last: Vec<Act>,
    /// How steps are tried again.
    pub(crate) retry: Option<Retry>,
    /// It begins again so often.
    pub(crate) again: u32,
}

/// Which flows a worker has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) enum Generation {
    /// The flow in its first version.
    #[default]
    Old,
    /// Both versions.
    New,
    /// Another flow under the name of the first version.
    Changed,
}

/// Returns the name of the flow in one of its versions.
pub(crate) fn script_flow(version: u32) -> FlowName {
    FlowName::new("Script", version).unwrap()
}

/// Returns the flows of a generation.
pub(crate) fn flows(generation: Generation) -> Flows {
    let first = script_flow(1);
    match generation {
        Generation::Old => Flows::default().with(first, |context, input| run(context, input, 1)),
        Generation::New => Flows::default()
            .with(first, |context, input| run(context, input, 1))
            .with(script_flow(2), |context, input| run(context, input, 2)),
        Generation::Changed => Flows::default().with(first, |context, input| async move {
            step(&context, &Act::plain("new-first-step"), Retry::NEVER).await?;
            run(context, input, 1).await
        }),
    }
}

/// Returns the steps of a worker.
pub(crate) fn steps(stage: &Stage) -> Steps {
    let stage = stage.clone();
    Steps::default().with(step_name(), move |context, input| {
        let stage = stage.clone();
        async move { stage.act(context, input).await }
    })
}

fn step_name() -> StepName {
    StepName::new("act").unwrap()
}

fn step(
    context: &Arc<dyn FlowCtx>,
    act: &Act,
    retry: Retry,
) -> Fut<'static, Result<Json, StepError>> {
    context.step(&step_name(), serde_json::to_value(act).unwrap(), retry)
}

async fn run(context: Arc<dyn FlowCtx>, input: Json, version: u32) -> Result<Json, FlowError> {
    let script: Script =
        serde_json::from_value(input).map_err(|error| FlowError::new(error.to_string()))?;
    let retry = script.retry.unwrap_or(Retry::NEVER);
    let mut given = Vec::new();
    for _ in 0..script.times {
        let signal = script.signal.as_deref().unwrap_or("go");
        let patience = script.patience_ms.map(Duration::from_millis);
        given.push(context.wait_signal(signal, patience).await.unwrap_or_else(|| json!("nothing")));
    }
    for act in &script.acts {
        context.stage(&act.tag, json!({ "version": version }));
        given.push(step(&context, act, retry).await?);
        if script.sleep_ms > 0 {
            context.sleep(Duration::from_millis(script.sleep_ms)).await;
        }
    }
    if !script.children.is_empty() {
        context.stage("children", Json::Null);
        given.extend(children(&context, &script.children, retry).await?);
    }
    if !script.race.is_empty() {
        let runners = script.race.iter().map(|act| step(&context, act, retry)).collect();
        let (winner, result) = race(runners).await;
        result?;
        given.push(json!(winner));
    }
    for act in &script.last {
        given.push(step(&context, act, retry).await?);
    }
    if script.again > 0 {
        // A child's name is never free again; after a restart the job goes on without it.
        let next = Script { again: script.again - 1, children: Vec::new(), ..script };
        return context.restart_with(serde_json::to_value(next).unwrap()).await;
    }
    Ok(json!(given))
}

async fn children(
    context: &Arc<dyn FlowCtx>,
    acts: &[Act],
    retry: Retry,
) -> Result<Vec<Json>, FlowError> {
    let children = acts.iter().map(|act| {
        let script = Script { acts: vec![act.clone()], retry: Some(retry), ..Script::default() };
        let input = serde_json::to_value(script).unwrap();
        context.child(&script_flow(1), &act.tag, input)
    });
    let mut given = Vec::new();
    for ended in join(children.collect()).await {
        given.push(ended?);
    }
    Ok(given)
}
