//! Graphs on the engine.

use crate::bench::{Bench, Told, said};
use salve_engine::jobs::{GRAPH_FLOW, GraphNodeState, GraphResult, JobStatus, node_states};
use salve_jobs::{JobState, Json, StepError, StepName, Steps};
use salve_types::FinishReason::Stop;
use serde_json::json;
use std::time::Duration;

fn steps() -> Steps {
    Steps::default()
        .with(StepName::new("add").expect("a name"), |_, input: Json| async move {
            let numbers = input.as_array().cloned().unwrap_or_default();
            Ok(json!(numbers.iter().filter_map(Json::as_i64).sum::<i64>()))
        })
        .with(StepName::new("fail").expect("a name"), |_, _| async move {
            tokio::time::sleep(Duration::from_millis(1)).await;
            Err(StepError::fatal("it always does"))
        })
}

#[tokio::test]
async fn c222_the_events_tell_the_state_of_every_node() {
    let folder = tempfile::tempdir().unwrap();
    let bench = Bench::with_steps(folder.path(), Told::new(|_, _| said("", Stop)), steps()).await;
    let plan = json!({
        "on_fail": "continue",
        "nodes": [
            {"id": "one", "step": "add", "input": [1, 2]},
            {"id": "two", "step": "add", "input": [{"$from": "one"}, 10], "depends_on": ["one"]},
            {"id": "bad", "step": "fail"},
            {"id": "lost", "step": "add", "depends_on": ["bad", "one"]},
            {"id": "either", "step": "add", "input": [{"$from": "two"}, 100],
             "depends_on": ["two", "bad"], "join": "any"},
        ],
        "output": {"two": {"$from": "two"}, "either": {"$from": "either"}},
    });
    let id = bench.start(GRAPH_FLOW, "g", plan).await;
    bench.until(&id, JobStatus::CompletedPartial).await;
    let JobState::Done { output } = bench.job(&id).await.state else { panic!("it is done") };
    let result: GraphResult = serde_json::from_value(output).unwrap();
    assert_eq!(result.output, json!({"two": 13, "either": 113}));
    assert_eq!(result.errors["bad"], "it always does");
    let states = node_states(&bench.events(&id).await);
    assert_eq!(states, result.nodes);
    let of = |node: &str| states[node];
    assert_eq!(
        (of("one"), of("two"), of("either")),
        (GraphNodeState::Done, GraphNodeState::Done, GraphNodeState::Done)
    );
    assert_eq!((of("bad"), of("lost")), (GraphNodeState::Failed, GraphNodeState::Blocked));
    bench.stop().await;
}

#[tokio::test]
async fn a_failed_node_stops_the_graph_unless_told_otherwise() {
    let folder = tempfile::tempdir().unwrap();
    let bench = Bench::with_steps(folder.path(), Told::new(|_, _| said("", Stop)), steps()).await;
    let plan = json!({"nodes": [
        {"id": "bad", "step": "fail", "priority": 1},
        {"id": "after", "step": "add", "input": [1]},
    ], "parallel": 1});
    let id = bench.start(GRAPH_FLOW, "g", plan).await;
    bench.until(&id, JobStatus::Failed).await;
    let JobState::Failed { error } = bench.job(&id).await.state else { panic!("it failed") };
    assert_eq!(error.to_string(), "node `bad` failed and stops the graph: it always does");
    let states = node_states(&bench.events(&id).await);
    assert_eq!(states.get("after"), None, "it was never started");
    bench.stop().await;
}

#[tokio::test]
async fn a_graph_may_hold_flows_as_its_nodes() {
    let folder = tempfile::tempdir().unwrap();
    let model = Told::new(|_, _| said("fn main() {}\n", Stop));
    let bench = Bench::with_steps(folder.path(), model, steps()).await;
    let prompt = bench.open.store.put_text("write").await.unwrap();
    let plan = json!({
        "nodes": [
            {"id": "sum", "step": "add", "input": [1, 2]},
            {"id": "code", "flow": "Generate@1", "depends_on": ["sum"], "input": {"prompt": prompt}},
        ],
        "output": {"$from": "code", "at": "/code_result"},
    });
    let id = bench.start(GRAPH_FLOW, "g", plan).await;
    bench.until(&id, JobStatus::Completed).await;
    let JobState::Done { output } = bench.job(&id).await.state else { panic!("it is done") };
    assert_eq!(bench.text(&output["output"]).await, "fn main() {}\n");
    bench.stop().await;
}
