//! What a person can tell a job: retry, continue, pause, resume, cancel.

use crate::bench::{Bench, Told, in_pieces, rust, said};
use FinishReason::{Length, Stop};
use salve_engine::jobs::{CONTINUE_SIGNAL, JobStatus, PAUSE_SIGNAL, RESUME_SIGNAL, RETRY_SIGNAL};
use salve_jobs::{Jobs, Json};
use salve_types::FinishReason;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const NEVER_ENDS: &[&str] = &[
    "fn a() {\n    one(\"1",
    "1\");\n    two(\"2",
    "2\");\n    three(\"3",
    "3\");\n    four(\"4",
    "fn a() {}\n",
];

#[tokio::test]
async fn t28_beyond_the_cap_a_person_takes_what_there_is_or_tries_again() {
    let folder = tempfile::tempdir().unwrap();
    let model = Told::new(in_pieces(NEVER_ENDS));
    let bench = Bench::new(folder.path(), model.clone()).await;
    let id = bench.generate("a", "write", rust()).await;
    let held = bench.until(&id, JobStatus::NeedsAttention).await;
    assert_eq!((model.asked().len(), held.facts.continuations), (4, 3));
    let partial = "fn a() {\n    one(\"11\");\n    two(\"22\");\n    three(\"33\");\n    four(\"4";
    assert_eq!((held.code_result, held.partial_output.as_deref()), (None, Some(partial)));
    // A decision about another round is not taken for one about this.
    bench.tell(&id, CONTINUE_SIGNAL, json!({"round": 7})).await;
    bench.tell(&id, RETRY_SIGNAL, json!({"round": 1})).await;
    let done = bench.until(&id, JobStatus::Completed).await;
    assert_eq!(done.code_result.as_deref(), Some("fn a() {}\n"));
    assert_eq!((done.facts.round, done.facts.continuations), (2, 0));
    let names: Vec<String> = bench.stages(&id).await.into_iter().map(|stage| stage.name).collect();
    assert!(names.windows(2).any(|two| two == ["needs_attention", "pending"]), "{names:?}");
    bench.stop().await;
}

#[tokio::test]
async fn x17_continue_ends_with_what_was_recovered_and_never_with_a_result() {
    let folder = tempfile::tempdir().unwrap();
    let bench = Bench::new(folder.path(), Told::new(in_pieces(NEVER_ENDS))).await;
    let id = bench.generate("a", "write", rust()).await;
    let held = bench.until(&id, JobStatus::NeedsAttention).await;
    bench.tell(&id, CONTINUE_SIGNAL, Json::Null).await;
    let done = bench.until(&id, JobStatus::CompletedPartial).await;
    assert_eq!((done.code_result, done.partial_output), (None, held.partial_output));
    assert_eq!(done.facts.validation_error, held.facts.validation_error);
    bench.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn x17_a_paused_job_makes_no_call_until_it_is_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let open = Arc::new(AtomicBool::new(false));
    let gate = Arc::clone(&open);
    let model = Told::new(move |_, number| {
        while !gate.load(Ordering::Acquire) {
            std::thread::sleep(Duration::from_millis(5));
        }
        match number {
            0 => said("fn a() {\n    one(", Length),
            _ => said("1);\n}\n", Stop),
        }
    });
    let bench = Bench::new(folder.path(), model.clone()).await;
    let id = bench.generate("a", "write", rust()).await;
    while model.asked().is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    bench.tell(&id, PAUSE_SIGNAL, Json::Null).await;
    open.store(true, Ordering::Release);
    bench.until(&id, JobStatus::Paused).await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(model.asked().len(), 1, "what was being answered was kept, nothing more was asked");
    bench.tell(&id, RESUME_SIGNAL, Json::Null).await;
    let done = bench.until(&id, JobStatus::Completed).await;
    assert_eq!(done.code_result.as_deref(), Some("fn a() {\n    one(1);\n}\n"));
    bench.stop().await;
}

#[tokio::test]
async fn x17_a_job_that_needs_attention_can_be_cancelled() {
    let folder = tempfile::tempdir().unwrap();
    let bench = Bench::new(folder.path(), Told::new(in_pieces(NEVER_ENDS))).await;
    let id = bench.generate("a", "write", rust()).await;
    bench.until(&id, JobStatus::NeedsAttention).await;
    bench.open.jobs.cancel(&id, "not needed").await.unwrap();
    let done = bench.until(&id, JobStatus::Cancelled).await;
    assert!(done.code_result.is_none());
    assert!(done.partial_output.is_some(), "what was recovered can still be read");
    bench.stop().await;
}
