//! Random graphs with random failures, on a database in memory.
//!
//! In: graphs without cycles. Out: every node after what it waits for, never more at once than
//! allowed, and one result whatever the order in which nodes happened to end.

use crate::bench::clock;
use proptest::prelude::*;
use salve_engine::facts::TextRedactor;
use salve_engine::jobs::{
    GRAPH_FLOW, GraphNodeState, GraphResult, StoreEngine, StoreJobIndex, StoreLedger, all_flows,
};
use salve_jobs::{
    EngineJobs, FlowName, JobRunner, JobState, Jobs, Json, StartOptions, StepError, StepName,
    Steps, WorkerOptions, fresh_job_id,
};
use salve_store::{Store, StoreOptions};
use salve_text::RedactOptions;
use serde_json::json;
use std::sync::{Arc, Mutex};
use std::time::Duration;

#[derive(Debug, Clone)]
struct Node {
    after: Vec<usize>,
    fails: bool,
    priority: i32,
    yields: u32,
}

fn graphs() -> impl Strategy<Value = Vec<Node>> {
    let node = (any::<u16>(), 0_u32..10, -2_i32..3, 0_u32..6);
    prop::collection::vec(node, 1..14).prop_map(|nodes| {
        let make = |(at, (edges, luck, priority, yields)): (usize, (u16, u32, i32, u32))| Node {
            // A few of the nodes before it, so that there is something to do at the same time.
            after: (0..at)
                .filter(|before| edges >> before & 1 == 1 && (edges >> 3 ^ 5) % 3 > 0)
                .collect(),
            fails: luck == 0,
            priority,
            yields,
        };
        nodes.into_iter().enumerate().map(make).collect()
    })
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Seen {
    Began(usize),
    Ended(usize),
}

fn steps(log: &Arc<Mutex<Vec<Seen>>>) -> Steps {
    let log = Arc::clone(log);
    Steps::default().with(StepName::new("work").expect("a name"), move |_, input: Json| {
        let log = Arc::clone(&log);
        async move {
            let at = usize::try_from(input["at"].as_u64().expect("a number")).expect("a number");
            log.lock().expect("no test panicked").push(Seen::Began(at));
            for _ in 0..input["yields"].as_u64().expect("a number") {
                tokio::task::yield_now().await;
            }
            log.lock().expect("no test panicked").push(Seen::Ended(at));
            if input["fails"] == true {
                return Err(StepError::fatal("told to"));
            }
            let before =
                input["before"].as_array().expect("a list").iter().filter_map(Json::as_u64);
            Ok(json!(before.sum::<u64>() % 1000 + 1))
        }
    })
}

fn plan(nodes: &[Node], parallel: usize) -> Json {
    let name = |at: &usize| format!("n{at}");
    let node = |(at, node): (usize, &Node)| {
        let before: Vec<Json> = node.after.iter().map(|at| json!({"$from": name(at)})).collect();
        json!({
            "id": name(&at), "step": "work", "priority": node.priority,
            "depends_on": node.after.iter().map(name).collect::<Vec<_>>(),
            "input": {"at": at, "fails": node.fails, "yields": node.yields, "before": before},
        })
    };
    let nodes: Vec<Json> = nodes.iter().enumerate().map(node).collect();
    json!({"nodes": nodes, "parallel": parallel, "on_fail": "continue"})
}

async fn run(plan: Json, log: &Arc<Mutex<Vec<Seen>>>) -> GraphResult {
    let redactor = Arc::new(TextRedactor::new(&RedactOptions::default()));
    let options = StoreOptions::new(clock(), redactor, "test");
    let store = Store::memory(options).await.expect("a database in memory");
    let (index, ledger) = (StoreJobIndex::new(store.clone()), StoreLedger::new(store.clone()));
    let engine = Arc::new(StoreEngine::new(&store));
    let jobs = EngineJobs::local(engine, Arc::new(index), Arc::new(ledger), clock());
    let options = WorkerOptions::default();
    let runner = jobs
        .run(all_flows().expect("flows of ours"), steps(log), options)
        .await
        .expect("flows of ours");
    let (flow, id) = (FlowName::try_from(GRAPH_FLOW.to_owned()).expect("a name"), fresh_job_id());
    let _ = jobs.start(&flow, id.clone(), plan, StartOptions::default()).await.expect("it starts");
    let output = loop {
        match jobs.state(&id).await.expect("the job is there").expect("the job is there").state {
            JobState::Done { output } => break output,
            state => assert!(!state.is_terminal(), "{state:?}"),
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    };
    runner.drain(Duration::from_secs(5)).await;
    serde_json::from_value(output).expect("a result")
}

fn expected(nodes: &[Node]) -> Vec<GraphNodeState> {
    let mut states: Vec<GraphNodeState> = Vec::new();
    for node in nodes {
        let free = node.after.iter().all(|&at| states[at] == GraphNodeState::Done);
        states.push(match (free, node.fails) {
            (false, _) => GraphNodeState::Blocked,
            (true, true) => GraphNodeState::Failed,
            (true, false) => GraphNodeState::Done,
        });
    }
    states
}

fn check_order(nodes: &[Node], limit: usize, seen: &[Seen]) {
    let mut running = 0;
    for (place, what) in seen.iter().enumerate() {
        match what {
            Seen::Ended(_) => running -= 1,
            Seen::Began(at) => {
                running += 1;
                assert!(running <= limit, "{seen:?}");
                for before in &nodes[*at].after {
                    assert!(seen[..place].contains(&Seen::Ended(*before)), "{at} before {before}");
                }
                let again = seen.iter().filter(|other| *other == what).count();
                assert_eq!(again, 1, "{at} ran {again} times");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn random_graphs_run_in_order_within_the_limit_and_give_one_result(
        nodes in graphs(), limit in 1_usize..5,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let plan = plan(&nodes, limit);
        let (log, other) = (Arc::default(), Arc::default());
        let result = runtime.block_on(run(plan.clone(), &log));
        let seen = log.lock().unwrap().clone();
        check_order(&nodes, limit, &seen);
        let states = expected(&nodes);
        for (at, state) in states.iter().enumerate() {
            prop_assert_eq!(&result.nodes[&format!("n{at}")], state);
            let ran = seen.contains(&Seen::Began(at));
            prop_assert_eq!(ran, *state != GraphNodeState::Blocked);
        }
        let threads = tokio::runtime::Builder::new_multi_thread().worker_threads(3).enable_all().build().unwrap();
        prop_assert_eq!(threads.block_on(run(plan, &other)), result);
        let seen = other.lock().unwrap().clone();
        check_order(&nodes, limit, &seen);
    }
}

#[test]
fn of_the_nodes_that_are_ready_the_highest_priority_goes_first_then_the_first() {
    let node = |priority| Node { after: Vec::new(), fails: false, priority, yields: 1 };
    let nodes = [node(0), node(5), node(-1), node(5), node(0)];
    let log = Arc::default();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(run(plan(&nodes, 1), &log));
    let seen = log.lock().unwrap().clone();
    let began: Vec<usize> = seen
        .iter()
        .filter_map(|it| if let Seen::Began(at) = it { Some(*at) } else { None })
        .collect();
    assert_eq!(began, [1, 3, 0, 4, 2]);
}
