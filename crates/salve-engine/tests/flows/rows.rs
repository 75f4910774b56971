//! The rows of the ledger about jobs that were cut.

use crate::bench::{Bench, Told, in_pieces, rust, said};
use salve_engine::answer::{AnswerVerdict, Wanted, judge};
use salve_engine::jobs::{AUTO_HEALING, JobStatus};
use salve_jobs::{Happened, Jobs, Json, Stage};
use salve_model::ModelReply;
use salve_types::{FinishReason, Language};

const CUT: &[&str] = &["fn main() {\n    let words = \"on", "e\";\n}\n"];
const WHOLE: &str = "fn main() {\n    let words = \"one\";\n}\n";

fn stage_of<'a>(stages: &'a [Stage], name: &str) -> &'a Json {
    let found = stages.iter().find(|stage| stage.name == name);
    &found.expect("the job was at this stage").detail
}

#[tokio::test]
async fn t26_a_job_that_needs_continuation_shows_its_partial_text() {
    let folder = tempfile::tempdir().unwrap();
    let bench = Bench::new(folder.path(), Told::new(in_pieces(CUT))).await;
    let id = bench.generate("a", "write", rust()).await;
    let done = bench.until(&id, JobStatus::Completed).await;
    let stages = bench.stages(&id).await;
    let partial = &stage_of(&stages, "needs_continuation")["partial_output"];
    assert_eq!(bench.text(partial).await, CUT[0]);
    assert_eq!((done.code_result.as_deref(), done.partial_output), (Some(WHOLE), None));
    bench.stop().await;
}

#[tokio::test]
async fn t28_a_continuation_may_be_cut_and_three_are_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let model =
        Told::new(in_pieces(&["fn a() {\n    one(\"", "1\");\n", "    two(\"2", "\");\n}\n"]));
    let bench = Bench::new(folder.path(), model.clone()).await;
    let id = bench.generate("a", "write", rust()).await;
    let done = bench.until(&id, JobStatus::Completed).await;
    assert_eq!(
        done.code_result.as_deref(),
        Some("fn a() {\n    one(\"1\");\n    two(\"2\");\n}\n")
    );
    assert_eq!((done.facts.continuations, done.facts.calls), (3, 4));
    assert_eq!(model.asked().len(), 4);
    bench.stop().await;
}

#[tokio::test]
async fn t29_t30_t43_a_cut_job_has_status_result_and_error_with_its_context() {
    let folder = tempfile::tempdir().unwrap();
    let long = format!("fn main() {{\n    let a = \"{}\n    call(", "x".repeat(500));
    let first = long.clone();
    let model = Told::new(move |_, number| match number {
        0 => said(&first, FinishReason::Length),
        _ => said("", FinishReason::Stop),
    });
    let bench = Bench::new(folder.path(), model).await;
    let id = bench.generate("a", "write", rust()).await;
    let cut = bench.until(&id, JobStatus::NeedsAttention).await;
    let shown = serde_json::to_value(&cut).unwrap();
    assert_eq!(shown["status"], "needs_attention");
    assert_eq!(shown["code_result"], Json::Null);
    let error = &shown["validation_error"];
    assert_eq!(error["type"], "TRUNCATION_DETECTED");
    for field in ["message", "kind"] {
        assert!(error[field].as_str().is_some_and(|text| !text.is_empty()), "{error}");
    }
    assert_eq!(error["line"], 3);
    let tail: String = long.chars().skip(long.chars().count() - 400).collect();
    assert_eq!(error["tail"], Json::String(tail));
    assert_eq!(shown["partial_output"], Json::String(long));
    bench.stop().await;
}

#[tokio::test]
async fn t31_t34_t35_a_cut_is_continued_without_anybody_asking_and_said_so() {
    let folder = tempfile::tempdir().unwrap();
    let model = Told::new(in_pieces(CUT));
    let bench = Bench::new(folder.path(), model.clone()).await;
    let id = bench.generate("a", "write", rust()).await;
    bench.until(&id, JobStatus::Completed).await;
    assert_eq!(model.asked().len(), 2, "the continuation was asked for");
    let stages = bench.stages(&id).await;
    let names: Vec<&str> = stages.iter().map(|stage| stage.name.as_str()).collect();
    let expected = "running validating needs_continuation running validating completed";
    assert_eq!(names.join(" "), expected);
    assert_eq!(stage_of(&stages, "needs_continuation")["toast"], AUTO_HEALING);
    assert_eq!(AUTO_HEALING, "Auto-healing code...");
    bench.stop().await;
}

#[tokio::test]
async fn t44_the_check_the_continuation_and_the_listener_say_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let bench = Bench::new(folder.path(), Told::new(in_pieces(CUT))).await;
    let id = bench.generate("a", "write", rust()).await;
    bench.until(&id, JobStatus::Completed).await;
    let wanted = Wanted { language: Some(Language::Rust), ..Wanted::default() };
    let text = CUT[0].to_owned();
    let reply = ModelReply { text, finish: Some(FinishReason::Length), ..ModelReply::default() };
    let AnswerVerdict::Cut(cut) = judge(&reply, &wanted) else { panic!("it is cut") };
    let stages = bench.stages(&id).await;
    let error = &stage_of(&stages, "needs_continuation")["validation_error"];
    assert_eq!(error["kind"], cut.verdict.kind.unwrap().name());
    assert_eq!(error["message"].as_str(), cut.verdict.error_message.as_deref());
    assert_eq!(error["line"].as_u64(), cut.verdict.truncation_line.map(u64::from));
    // The caller that listens from an event on sees the rest and nothing twice.
    let all = bench.events(&id).await;
    let middle = all[all.len() / 2].id;
    let rest = bench.open.jobs.history(&id, middle, 10_000).await.unwrap();
    assert!(rest.iter().all(|event| event.id > middle));
    assert_eq!(rest.len(), all.len() - all.len() / 2 - 1);
    assert!(matches!(rest.last().unwrap().what, Happened::Ended { .. }));
    bench.stop().await;
}
