//! The flow `Graph@1`: a graph of steps and flows, given as data.
//!
//! In: a plan. Out: the state of every node and the outputs that were asked for. Nodes that are
//! ready are started by priority, then in the order of the plan, never more than the limit at once.
//! Never starts a node before what it depends on; a node whose dependencies failed is blocked, not
//! run.

mod plan;
mod reference;
mod schedule;

pub use plan::{Edge, GraphNode, GraphPlan, Join, KnownNames, NodeRetry, OnFail, PlanError, Work};
pub use schedule::GraphNodeState;

use super::JobStatus;
use reference::resolved;
use salve_jobs::{FlowCtx, FlowError, Fut, Happened, JobEvent, Json, Retry, Stage};
use schedule::Schedule;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

/// The longest error of a node that is repeated in a stage or a result.
const ERROR_BYTES: usize = 400;

/// The outcome of a graph.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GraphResult {
    /// Completed, or completed in part when a node failed and the others went on.
    pub status: JobStatus,
    /// How each node ended.
    pub nodes: BTreeMap<String, GraphNodeState>,
    /// Why those that failed did.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub errors: BTreeMap<String, String>,
    /// What the plan asked for, or the outputs of the nodes on which nothing depends.
    pub output: Json,
}

/// Runs a plan. This is the code of the flow: deterministic, and replayed.
///
/// # Errors
/// When the plan is none, or a node failed that stops the graph.
pub(super) async fn run_graph(context: Arc<dyn FlowCtx>, input: Json) -> Result<Json, FlowError> {
    let plan: GraphPlan = serde_json::from_value(input)
        .map_err(|error| FlowError::new(format!("the input is not a plan: {error}")))?;
    plan.check().map_err(|error| FlowError::new(error.to_string()))?;
    let limit = plan.parallel;
    let mut run = Run::new(&*context, &plan);
    let mut running: Vec<Running> = Vec::new();
    loop {
        let mut started = Vec::new();
        while running.len() < limit {
            let Some(node) = run.schedule.take_next() else { break };
            running.push((node, run.start(node)));
            started.push(node);
        }
        run.say(&started);
        if running.is_empty() {
            return run.finish();
        }
        let (node, result) = first_ended(&mut running).await;
        run.end(node, result);
    }
}

/// Reads from events the state of each node of a graph, as far as they tell.
pub fn node_states<'a>(
    events: impl IntoIterator<Item = &'a JobEvent>,
) -> BTreeMap<String, GraphNodeState> {
    let mut states = BTreeMap::new();
    for event in events {
        let Happened::Stage { stage: Stage { detail, .. } } = &event.what else { continue };
        let Some(changes) = detail.get("changes").and_then(Json::as_object) else { continue };
        for (node, state) in changes {
            if let Ok(state) = serde_json::from_value(state.clone()) {
                states.insert(node.clone(), state);
            }
        }
    }
    states
}

type Outcome = Result<Json, FlowError>;
type Running = (usize, Fut<'static, Outcome>);

struct Run<'a> {
    context: &'a dyn FlowCtx,
    plan: &'a GraphPlan,
    schedule: Schedule,
    outputs: BTreeMap<String, Json>,
    errors: BTreeMap<String, String>,
    // Nodes whose state changed since the last stage.
    changes: BTreeMap<String, GraphNodeState>,
    stopped_by: Option<(usize, FlowError)>,
}

impl<'a> Run<'a> {
    fn new(context: &'a dyn FlowCtx, plan: &'a GraphPlan) -> Self {
        Self {
            context,
            plan,
            schedule: Schedule::new(plan),
            outputs: BTreeMap::new(),
            errors: BTreeMap::new(),
            changes: BTreeMap::new(),
            stopped_by: None,
        }
    }

    fn start(&self, at: usize) -> Fut<'static, Outcome> {
        let node = &self.plan.nodes[at];
        let input = resolved(&node.input, &self.outputs);
        match &node.work {
            Work::Step(step) => {
                let retry = node.retry.map_or_else(Retry::default, NodeRetry::into_retry);
                let done = self.context.step(step, input, retry);
                Box::pin(async move { done.await.map_err(FlowError::from) })
            }
            Work::Flow(flow) => {
                let done = self.context.child(flow, &node.id, input);
                Box::pin(async move { done.await.map_err(FlowError::from) })
            }
        }
    }

    fn end(&mut self, at: usize, result: Outcome) {
        let node = &self.plan.nodes[at];
        let changed = match result {
            Ok(output) => {
                self.outputs.insert(node.id.clone(), output);
                self.schedule.end(at, GraphNodeState::Done)
            }
            Err(error) => {
                self.errors.insert(node.id.clone(), shortened(&error.to_string()));
                if node.on_fail.unwrap_or(self.plan.on_fail) == OnFail::Stop {
                    self.stopped_by.get_or_insert((at, error));
                    self.schedule.stop();
                }
                self.schedule.end(at, GraphNodeState::Failed)
            }
        };
        for at in changed {
            self.changes.insert(self.plan.nodes[at].id.clone(), self.schedule.state(at));
        }
    }

    // Every change of a node is in exactly one stage, so that the events tell the state of each.
    fn say(&mut self, started: &[usize]) {
        for &at in started {
            self.changes.insert(self.plan.nodes[at].id.clone(), GraphNodeState::Running);
        }
        let changes = std::mem::take(&mut self.changes);
        let (done, all) = (self.schedule.count(GraphNodeState::Done), self.plan.nodes.len());
        let failed = self.schedule.count(GraphNodeState::Failed);
        let detail =
            serde_json::json!({"changes": changes, "done": done, "failed": failed, "of": all});
        self.context.stage("running", detail);
    }

    fn finish(self) -> Result<Json, FlowError> {
        if let Some((at, error)) = self.stopped_by {
            let id = &self.plan.nodes[at].id;
            let why = self.errors.get(id).map_or("", String::as_str);
            return Err(error.said(format!("node `{id}` failed and stops the graph: {why}")));
        }
        let output = match &self.plan.output {
            Some(wanted) => resolved(wanted, &self.outputs),
            None => self.schedule.ends().filter_map(|at| self.output_of(at)).collect(),
        };
        let states = self.plan.nodes.iter().enumerate();
        let nodes = states.map(|(at, node)| (node.id.clone(), self.schedule.state(at))).collect();
        let whole = self.errors.is_empty();
        let status = if whole { JobStatus::Completed } else { JobStatus::CompletedPartial };
        serde_json::to_value(GraphResult { status, nodes, errors: self.errors, output })
            .map_err(|error| FlowError::new(error.to_string()))
    }

    fn output_of(&self, at: usize) -> Option<(String, Json)> {
        let id = &self.plan.nodes[at].id;
        Some((id.clone(), self.outputs.get(id)?.clone()))
    }
}

// Asks all of them each time, in the order in which they were started: what a replay does again.
async fn first_ended(running: &mut Vec<Running>) -> (usize, Outcome) {
    let (at, result) = poll_fn(|wake| {
        for (at, (_, work)) in running.iter_mut().enumerate() {
            if let Poll::Ready(result) = work.as_mut().poll(wake) {
                return Poll::Ready((at, result));
            }
        }
        Poll::Pending
    })
    .await;
    let (node, _) = running.remove(at);
    (node, result)
}

fn shortened(error: &str) -> String {
    if error.len() <= ERROR_BYTES {
        return error.to_owned();
    }
    let mut end = ERROR_BYTES;
    while !error.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}…", &error[..end])
}
