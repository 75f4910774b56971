//! One answer from a model: the first call and the ladder on top of it.
//!
//! In: models that answer from a list. Out: the answer, what was kept, what was sent. Never a network.

use crate::asking::{call, run, text, wants_person, wants_tools};
use FinishReason::{Length, Stop, ToolCalls};
use salve_engine::answer::{
    Completion, GenerateOptions, Generated, IncompleteCode, SCHEMA_NAME, Wanted, generate,
};
use salve_engine::statistics::inspections;
use salve_model::{
    BudgetError, BudgetLevel, Measure, Model, ModelError, ModelReply, ModelRequest, ToolSpec, Turn,
    Watch,
};
use salve_types::{FinishReason, Signal};
use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Duration;

const GOOD: &str = r#"{"name": "Ada", "age": 36}"#;

#[derive(Default)]
struct Listed {
    replies: Mutex<VecDeque<Result<ModelReply, ModelError>>>,
    asked: Mutex<Vec<ModelRequest>>,
}

impl Listed {
    fn of(replies: impl IntoIterator<Item = Result<ModelReply, ModelError>>) -> Self {
        Self { replies: Mutex::new(replies.into_iter().collect()), asked: Mutex::default() }
    }

    fn asked(&self) -> Vec<ModelRequest> {
        self.asked.lock().expect("not poisoned").clone()
    }
}

impl Model for Listed {
    async fn call(
        &self,
        request: &ModelRequest,
        watch: &mut dyn Watch,
    ) -> Result<ModelReply, ModelError> {
        self.asked.lock().expect("not poisoned").push(request.clone());
        let next = self.replies.lock().expect("not poisoned").pop_front();
        let reply = next.unwrap_or_else(|| Err(over(0)))?;
        watch.arrived(&reply.text);
        Ok(reply)
    }
}

fn over(left: u64) -> ModelError {
    let (scope, measure) = (BudgetLevel::Run, Measure::Tokens);
    BudgetError::Limit { scope, measure, left, needed: 400 }.into()
}

fn request() -> ModelRequest {
    let tool = ToolSpec {
        name: "write_file".into(),
        description: String::new(),
        parameters: serde_json::json!({}),
    };
    ModelRequest {
        model: "small".into(),
        turns: vec![Turn::user("Who?")],
        tools: vec![tool],
        max_output_tokens: 500,
        ..ModelRequest::default()
    }
}

fn made(model: &Listed, wanted: &Wanted, options: GenerateOptions) -> Generated {
    run(generate(model, request(), wanted.clone(), &options, &mut ()))
}

#[test]
fn c145_structured_outputs_are_off_unless_asked_for_and_possible() {
    assert!(!GenerateOptions::default().use_structured_outputs);
    let cases = [(false, true, false), (true, false, false), (true, true, true)];
    for (use_structured_outputs, has_structured_outputs, told) in cases {
        let model = Listed::of([Ok(text(GOOD, Stop))]);
        let options = GenerateOptions {
            use_structured_outputs,
            has_structured_outputs,
            ..GenerateOptions::default()
        };
        let generated = made(&model, &wants_person(), options);
        assert_eq!(generated.result(), Some(GOOD));
        assert_eq!(model.asked()[0].schema.is_some(), told);
    }
}

#[test]
fn c146_the_schema_goes_along_under_its_name_and_strict() {
    let model = Listed::of([Ok(text(GOOD, Stop))]);
    let options = GenerateOptions {
        use_structured_outputs: true,
        has_structured_outputs: true,
        ..GenerateOptions::default()
    };
    let _ = made(&model, &wants_person(), options);
    let sent = model.asked()[0].schema.clone().unwrap();
    assert_eq!((sent.name.as_str(), sent.strict), (SCHEMA_NAME, true));
    assert_eq!(SCHEMA_NAME, "grok_response");
    assert_eq!(sent.schema["required"][0], "name");
}

#[test]
fn c148_a_good_answer_takes_one_call_and_no_cleanup() {
    let fenced = format!("```json\n{GOOD}\n```");
    for words in [GOOD, &fenced] {
        let model = Listed::of([Ok(text(words, Stop))]);
        let generated = made(&model, &wants_person(), GenerateOptions::default());
        assert_eq!(generated.result(), Some(GOOD));
        assert_eq!(model.asked().len(), 1);
    }
}

#[test]
fn x19_an_enforced_schema_is_validated_all_the_same() {
    let options = GenerateOptions {
        use_structured_outputs: true,
        has_structured_outputs: true,
        ..GenerateOptions::default()
    };
    let model = Listed::of([Ok(text(r#"{"name": "Ada"}"#, Stop)), Ok(text(GOOD, Stop))]);
    let generated = made(&model, &wants_person(), options);
    assert_eq!(generated.result(), Some(GOOD));
    assert!(model.asked()[1].schema.is_some(), "a correction may be enforced");
    let model = Listed::of([Ok(text(&GOOD[..12], Length)), Ok(text(&GOOD[12..], Stop))]);
    let generated = made(&model, &wants_person(), options);
    assert_eq!(generated.result(), Some(GOOD));
    assert!(model.asked()[1].schema.is_none(), "the rest of a value cannot be");
}

#[test]
fn c025_a_timeout_fails_with_its_text_kept_and_a_retry_offered() {
    let partial = Box::new(text("half an ans", FinishReason::Disconnect));
    let late = ModelError::TimedOut { limit: Duration::from_secs(300), partial };
    let generated = made(&Listed::of([Err(late)]), &Wanted::default(), GenerateOptions::default());
    assert_eq!((generated.text(), generated.result()), ("half an ans", None));
    assert!(generated.offers_retry());
    assert_eq!(generated.signal(), Signal::FailDefault);
    let provider =
        |status| ModelError::Provider { status, message: String::new(), retry_after: None };
    for (error, retry) in [(provider(503), true), (provider(401), false), (over(0), false)] {
        let model = Listed::of([Err(error)]);
        let generated = made(&model, &Wanted::default(), GenerateOptions::default());
        assert_eq!(generated.offers_retry(), retry);
    }
}

#[test]
fn x02_a_budget_that_ends_ends_the_ladder_by_name() {
    let model = Listed::of([Ok(text(&GOOD[..12], Length)), Err(over(12))]);
    let Generated::Answered(completed) = made(&model, &wants_person(), GenerateOptions::default())
    else {
        panic!("there was an answer");
    };
    let Completion::Incomplete { code, why } = &completed.state else { panic!("{completed:?}") };
    assert_eq!(*code, IncompleteCode::OverBudget);
    assert!(why.contains("12 tokens left"));
    assert_eq!(model.asked().len(), 2);
}

#[test]
fn a_follow_up_is_the_request_with_turns_added() {
    let arguments = r#"{"path": "a", "content": "b"}"#;
    let model = Listed::of([
        Ok(call("write_file", &arguments[..15], Length)),
        Ok(text("nothing of use", Stop)),
        Ok(call("write_file", arguments, ToolCalls)),
    ]);
    let generated = made(&model, &wants_tools(), GenerateOptions::default());
    assert_eq!(generated.signal(), Signal::Success);
    let asked = model.asked();
    assert_eq!(asked[1].turns[0], Turn::user("Who?"));
    assert_eq!((asked[1].tools.len(), asked[2].tools.len()), (0, 1));
    assert_eq!((asked[1].turns.len(), asked[2].turns.len()), (3, 3));
}

/// Keeps what arrives, and breaks when all of it has.
struct Slot<'a>(&'a Mutex<String>);

impl Watch for Slot<'_> {
    fn arrived(&mut self, text: &str) {
        let mut kept = self.0.lock().expect("not poisoned");
        kept.push_str(text);
        let whole = *kept == GOOD;
        drop(kept);
        assert!(!whole, "injected");
    }
}

#[test]
fn c011_the_raw_text_is_kept_before_anything_can_break_on_it() {
    let kept = Mutex::new(String::new());
    let crash = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let model = Listed::of([Ok(text(&GOOD[..12], Length)), Ok(text(&GOOD[12..], Stop))]);
        let options = GenerateOptions::default();
        run(generate(&model, request(), wants_person(), &options, &mut Slot(&kept)))
    }));
    assert!(crash.is_err());
    assert_eq!(*kept.lock().expect("not poisoned"), GOOD);
}

#[test]
fn the_work_can_move_between_threads() {
    fn is_send<T: Send>(_: &T) {}
    let (model, options, mut watch) = (Listed::default(), GenerateOptions::default(), ());
    is_send(&generate(&model, request(), Wanted::default(), &options, &mut watch));
}

#[test]
fn t38_judgements_are_ready_to_be_counted() {
    let cases: [(Vec<ModelReply>, &[&str]); 3] = [
        (vec![text(GOOD, Stop)], &["none whole"]),
        (vec![text(&GOOD[..12], Stop), text(&GOOD[12..], Stop)], &["OPEN_DOUBLE_QUOTE healed"]),
        (vec![text("{}", Stop), text(GOOD, Stop)], &["MALFORMED healed"]),
    ];
    for (replies, expected) in cases {
        let model = Listed::of(replies.into_iter().map(Ok));
        let Generated::Answered(completed) =
            made(&model, &wants_person(), GenerateOptions::default())
        else {
            panic!("there was an answer");
        };
        let lines: Vec<String> = inspections(&completed, "small")
            .iter()
            .map(|it| format!("{} {}", it.kind.as_deref().unwrap_or("none"), it.outcome.name()))
            .collect();
        assert_eq!(lines, expected);
    }
}
