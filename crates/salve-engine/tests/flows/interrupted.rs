//! Workers that go away in the middle of an answer.

use crate::bench::{Bench, Told, rust, said};
use FinishReason::Stop;
use salve_engine::jobs::{GenerateInput, JobStatus};
use salve_jobs::{Decision, DoubtPolicy, JobFilter, JobId, Jobs, StepError, StepName, Steps};
use salve_model::{Model, ModelError, ModelReply, ModelRequest, Watch};
use salve_store::CallState;
use salve_types::FinishReason;
use serde_json::json;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

fn whole() -> String {
    let line = |at: u32| format!("    let line_{at} = \"number {at}\";\n");
    format!("fn main() {{\n{}}}\n", (0..100).map(line).collect::<String>())
}

/// Says the beginning of an answer, and then nothing more.
struct Halting(Arc<AtomicU32>);

impl Model for Halting {
    async fn call(
        &self,
        _: &ModelRequest,
        watch: &mut dyn Watch,
    ) -> Result<ModelReply, ModelError> {
        watch.arrived(&whole()[..2000]);
        self.0.fetch_add(1, Ordering::SeqCst);
        std::future::pending().await
    }
}

// A job whose worker went away while it was answered; the folder is all that is left.
async fn interrupted(folder: &Path, doubt: DoubtPolicy) -> JobId {
    let begun = Arc::new(AtomicU32::new(0));
    let bench = Bench::new(folder, Halting(Arc::clone(&begun))).await;
    let id = bench.generate("a", "write", GenerateInput { doubt, ..rust() }).await;
    while begun.load(Ordering::SeqCst) == 0 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    // What arrived is on disk a moment later.
    tokio::time::sleep(Duration::from_millis(400)).await;
    bench.stop().await;
    id
}

#[tokio::test]
async fn a_call_in_doubt_is_shown_and_waits_for_a_person() {
    let folder = tempfile::tempdir().unwrap();
    let id = interrupted(folder.path(), DoubtPolicy::Ask).await;
    let model = Told::new(|_, _| said("no", Stop));
    let bench = Bench::new(folder.path(), model.clone()).await;
    bench.until(&id, JobStatus::NeedsAttention).await;
    let filter = JobFilter { within: Some(id.clone()), ..JobFilter::default() };
    let doubts = bench.open.jobs.in_doubt(filter.clone()).await.unwrap();
    assert_eq!(doubts.len(), 1, "{doubts:?}");
    assert_eq!(doubts[0].job.as_ref(), Some(&id));
    let answer = Decision::UseResult(whole());
    bench.open.jobs.resolve(&doubts[0].key, answer).await.unwrap();
    let done = bench.until(&id, JobStatus::Completed).await;
    assert_eq!((done.code_result, model.asked().len()), (Some(whole()), 0));
    assert!(bench.open.jobs.in_doubt(filter).await.unwrap().is_empty());
    bench.stop().await;
}

#[tokio::test]
async fn c221_what_had_arrived_for_a_worker_that_died_is_continued() {
    let folder = tempfile::tempdir().unwrap();
    let id = interrupted(folder.path(), DoubtPolicy::Retry).await;
    // The store holds back the last few bytes for as long as they could begin a secret.
    let model = Told::new(|request, _| {
        let turn = request.turns.get(1).map_or("", |turn| turn.text.as_str());
        said(whole().strip_prefix(turn).unwrap_or("no"), Stop)
    });
    let bench = Bench::new(folder.path(), model.clone()).await;
    let done = bench.until(&id, JobStatus::Completed).await;
    assert_eq!(done.code_result.as_deref(), Some(whole().as_str()));
    let asked = model.asked();
    assert_eq!(asked.len(), 1, "only the rest was asked for");
    let kept = asked[0].turns.get(1).map_or(0, |turn| turn.text.len());
    assert!((1000..=2000).contains(&kept), "{kept} bytes were kept");
    // Two calls went out: the one that was lost, and the continuation.
    let rows = bench.went_out().await;
    assert_eq!(rows.len(), 3, "{rows:?}");
    assert_eq!(rows.iter().filter(|call| call.state == CallState::Unknown).count(), 1, "{rows:?}");
    assert_eq!(done.facts.lost_calls, 1);
    bench.stop().await;
}

/// Never says a word.
struct Mute(Arc<AtomicU32>);

impl Model for Mute {
    async fn call(&self, _: &ModelRequest, _: &mut dyn Watch) -> Result<ModelReply, ModelError> {
        self.0.fetch_add(1, Ordering::SeqCst);
        std::future::pending().await
    }
}

#[tokio::test]
async fn a_call_that_is_made_again_is_in_the_ledger_twice_with_its_money() {
    let folder = tempfile::tempdir().unwrap();
    let begun = Arc::new(AtomicU32::new(0));
    let bench = Bench::new(folder.path(), Mute(Arc::clone(&begun))).await;
    let doubt = DoubtPolicy::Retry;
    let id = bench.generate("a", "write", GenerateInput { doubt, ..rust() }).await;
    while begun.load(Ordering::SeqCst) == 0 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    bench.stop().await;
    let bench = Bench::new(folder.path(), Told::new(|_, _| said("fn main() {}\n", Stop))).await;
    let done = bench.until(&id, JobStatus::Completed).await;
    let rows = bench.went_out().await;
    let states: Vec<CallState> = rows.iter().map(|call| call.state).collect();
    assert_eq!(states, [CallState::Settled, CallState::Unknown], "{rows:?}");
    assert_eq!(rows[0].id, rows[1].id);
    // It is unknown what the lost one took, so it counts at its worst: in the ledger and in the job.
    let tokens = rows[1].worst.tokens;
    assert!(tokens > 0 && done.facts.tokens >= tokens, "{rows:?} {:?}", done.facts);
    assert_eq!(done.facts.lost_calls, 1);
    bench.stop().await;
}

#[tokio::test]
async fn c221_steps_that_were_completed_are_not_run_again_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let counts: Arc<[AtomicU32; 3]> = Arc::default();
    let steps = |halts: bool| {
        let counts = Arc::clone(&counts);
        Steps::default().with(StepName::new("work").unwrap(), move |_, input| {
            let at = usize::try_from(input.as_u64().unwrap()).unwrap();
            counts[at].fetch_add(1, Ordering::SeqCst);
            async move {
                if halts && at == 1 {
                    std::future::pending::<()>().await;
                }
                Ok::<_, StepError>(input)
            }
        })
    };
    let silent = || Told::new(|_, _| said("", Stop));
    let bench = Bench::with_steps(folder.path(), silent(), steps(true)).await;
    let plan = json!({"nodes": [
        {"id": "a", "step": "work", "input": 0},
        {"id": "b", "step": "work", "input": 1, "depends_on": ["a"]},
        {"id": "c", "step": "work", "input": 2, "depends_on": ["b"]},
    ]});
    let id = bench.start(salve_engine::jobs::GRAPH_FLOW, "g", plan).await;
    while counts[1].load(Ordering::SeqCst) == 0 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    bench.stop().await;
    let bench = Bench::with_steps(folder.path(), silent(), steps(false)).await;
    bench.until(&id, JobStatus::Completed).await;
    let ran = [0, 1, 2].map(|at: usize| counts[at].load(Ordering::SeqCst));
    assert_eq!(ran, [1, 2, 1]);
    bench.stop().await;
}
