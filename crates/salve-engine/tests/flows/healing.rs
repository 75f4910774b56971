//! Answers that are wrong, providers that fail, budgets that end, and answers that are only watched.

use crate::bench::{Bench, Told, in_pieces, input, refused, rust, said};
use FinishReason::{Length, Stop};
use salve_engine::jobs::{GenerateInput, JobStatus, StopCode, is_over_budget};
use salve_jobs::{JobError, JobState};
use salve_types::{FinishReason, Mode, SpendLimit};
use serde_json::json;

fn person() -> GenerateInput {
    let schema = json!({
        "type": "object",
        "properties": {"name": {"type": "string"}},
        "required": ["name"]
    });
    GenerateInput { schema: Some(schema), ..input() }
}

#[tokio::test]
async fn a_whole_answer_takes_one_call() {
    let folder = tempfile::tempdir().unwrap();
    let model = Told::new(|_, _| said("fn main() {}\n", Stop));
    let bench = Bench::new(folder.path(), model.clone()).await;
    let id = bench.generate("a", "write", rust()).await;
    let done = bench.until(&id, JobStatus::Completed).await;
    assert_eq!(done.code_result.as_deref(), Some("fn main() {}\n"));
    assert_eq!((model.asked().len(), done.facts.tokens), (1, 20));
    assert_eq!(model.asked()[0].turns[0].text, "write");
    bench.stop().await;
}

#[tokio::test]
async fn a_wrong_answer_is_reworked_at_most_three_times() {
    for (wrong, ends) in [(1, JobStatus::Completed), (9, JobStatus::NeedsAttention)] {
        let folder = tempfile::tempdir().unwrap();
        let model = Told::new(move |_, number| match number < wrong {
            true => said(r#"{"name": 7}"#, Stop),
            false => said(r#"{"name": "Ada"}"#, Stop),
        });
        let bench = Bench::new(folder.path(), model.clone()).await;
        let id = bench.generate("a", "who", person()).await;
        let done = bench.until(&id, ends).await;
        let error = done.facts.validation_error;
        if ends == JobStatus::Completed {
            assert_eq!(done.code_result.as_deref(), Some(r#"{"name": "Ada"}"#));
            assert_eq!((done.facts.reworks, error), (1, None));
            let stages = bench.stages(&id).await;
            assert!(stages.iter().any(|stage| stage.name == "needs_rework"), "{stages:?}");
        } else {
            assert_eq!((done.facts.reworks, model.asked().len()), (3, 4));
            let error = error.unwrap();
            assert_eq!(
                (error.code.as_str(), error.kind.as_deref()),
                ("VALIDATION_FAIL", Some("MALFORMED"))
            );
            assert_eq!(done.partial_output.as_deref(), Some(r#"{"name": 7}"#));
        }
        bench.stop().await;
    }
}

#[tokio::test]
async fn a_provider_that_fails_is_tried_again_and_then_the_job_fails() {
    for (failures, status, ends) in
        [(2, 503, JobStatus::Completed), (9, 503, JobStatus::Failed), (9, 401, JobStatus::Failed)]
    {
        let folder = tempfile::tempdir().unwrap();
        let model = Told::new(move |_, number| match number < failures {
            true => refused(status),
            false => said("fn main() {}\n", Stop),
        });
        let bench = Bench::new(folder.path(), model.clone()).await;
        let id = bench.generate("a", "write", rust()).await;
        let done = bench.until(&id, ends).await;
        let calls = if status == 401 { 1 } else { 3 };
        assert_eq!(model.asked().len(), calls, "{status}");
        if ends == JobStatus::Failed {
            assert_eq!((done.code_result, done.partial_output), (None, None));
            let JobState::Failed { error: JobError::Flow { message } } = bench.job(&id).await.state
            else {
                panic!("it failed")
            };
            assert!(message.contains(&status.to_string()), "{message}");
        }
        bench.stop().await;
    }
}

#[tokio::test]
async fn a_provider_that_fails_in_the_middle_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let model = Told::new(|_, number| match number {
        0 => said("fn main() {\n    one(", Length),
        1..=3 => refused(500),
        _ => said("1);\n}\n", Stop),
    });
    let bench = Bench::new(folder.path(), model.clone()).await;
    let id = bench.generate("a", "write", rust()).await;
    let held = bench.until(&id, JobStatus::NeedsAttention).await;
    assert_eq!(held.partial_output.as_deref(), Some("fn main() {\n    one("));
    assert!(held.facts.why.unwrap().contains("500"));
    // A retry goes on from what there is.
    bench.tell(&id, salve_engine::jobs::RETRY_SIGNAL, json!({"round": held.facts.round})).await;
    let done = bench.until(&id, JobStatus::Completed).await;
    assert_eq!(done.code_result.as_deref(), Some("fn main() {\n    one(1);\n}\n"));
    assert_eq!(model.asked().len(), 5);
    bench.stop().await;
}

#[tokio::test]
async fn a_call_beyond_the_budget_of_the_job_is_not_made() {
    let folder = tempfile::tempdir().unwrap();
    let model = Told::new(in_pieces(&["fn main() {\n    one(", "1);\n}\n"]));
    let bench = Bench::new(folder.path(), model.clone()).await;
    // Enough for the first call at its worst, and not for a second one on top of it.
    let budget = SpendLimit { tokens: Some(600), micro_dollars: None };
    let input = GenerateInput { budget, max_tokens: Some(500), ..rust() };
    let id = bench.generate("a", "write", input).await;
    let held = bench.until(&id, JobStatus::NeedsAttention).await;
    assert_eq!(model.asked().len(), 1);
    assert!(held.facts.why.unwrap().starts_with("budget: the job has 580 tokens left"));
    assert_eq!(held.facts.code, Some(StopCode::OverBudget));
    assert!(is_over_budget(&bench.job(&id).await));
    assert!(held.partial_output.is_some());
    let poor = SpendLimit { tokens: Some(20), micro_dollars: None };
    let id = bench.generate("b", "write", GenerateInput { budget: poor, ..rust() }).await;
    bench.until(&id, JobStatus::Failed).await;
    let state = bench.job(&id).await.state;
    assert!(matches!(state, JobState::Failed { error: JobError::OverBudget { .. } }), "{state:?}");
    assert_eq!(model.asked().len(), 1);
    bench.stop().await;
}

#[tokio::test]
async fn an_observed_job_passes_a_cut_answer_on_and_logs_it() {
    let folder = tempfile::tempdir().unwrap();
    let model = Told::new(in_pieces(&["fn main() {\n    one(", "1);\n}\n"]));
    let bench = Bench::new(folder.path(), model.clone()).await;
    let id = bench.generate("a", "write", GenerateInput { mode: Mode::Observe, ..rust() }).await;
    let done = bench.until(&id, JobStatus::CompletedPartial).await;
    assert_eq!((model.asked().len(), done.code_result), (1, None));
    assert_eq!(done.partial_output.as_deref(), Some("fn main() {\n    one("));
    let stages = bench.stages(&id).await;
    let logged = &stages.last().unwrap().detail["validation_error"];
    assert_eq!(logged["type"], "TRUNCATION_DETECTED");
    bench.stop().await;
}

#[tokio::test]
async fn what_cannot_be_asked_fails_with_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let bench = Bench::new(folder.path(), Told::new(|_, _| said("x", Stop))).await;
    let cases = [
        (json!({"prompt": "0000"}), "there is no text 0000"),
        (json!({"prompt": "0000", "language": "klingon"}), "there is no language `klingon`"),
        (json!({"prompt": 7}), "the input is not one of Generate"),
        (json!({"prompt": "0000", "promt": ""}), "unknown field `promt`"),
    ];
    for (number, (input, expected)) in cases.into_iter().enumerate() {
        let id = bench.start(salve_engine::jobs::GENERATE_FLOW, &format!("j{number}"), input).await;
        bench.until(&id, JobStatus::Failed).await;
        let JobState::Failed { error } = bench.job(&id).await.state else { panic!("it failed") };
        assert!(error.to_string().contains(expected), "{error}");
    }
    bench.stop().await;
}
