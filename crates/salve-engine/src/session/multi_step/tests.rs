//! The triggers, the documented example, and when steps are sent by themselves.

use super::*;
use crate::session::reply::read_answer;
use crate::session::todos::{TodoProgress, linked, merge_todos, tick};
use serde_json::json;

#[test]
fn c021_c170_three_steps_three_files_or_several_concerns() {
    for (steps, files, concerns, expected) in
        [(2, 2, 1, false), (3, 0, 0, true), (0, 3, 1, true), (1, 1, 2, true), (0, 0, 0, false)]
    {
        assert_eq!(is_multi_step(steps, files, concerns), expected, "{steps} {files} {concerns}");
    }
}

#[test]
fn c170_concerns_are_told_by_names_and_words() {
    use Concern::{Backend, Config, Docs, Frontend};
    for (paths, expected) in [
        (vec!["src/a.py", "src/b.rs"], vec![Backend]),
        (vec!["web/app.ts", "server/app.ts"], vec![Frontend, Backend]),
        (vec!["README.md", "docs/conf.py"], vec![Backend, Docs]),
        (vec!["Dockerfile", "package.json", ".github/workflows/ci.yml"], vec![Config]),
        (vec!["docs/logo", "x/y"], vec![Docs]),
        (
            vec!["src/Button.tsx", "api/users.go", "app/config.sample.json"],
            vec![Frontend, Backend, Config],
        ),
    ] {
        let found: Vec<Concern> = concerns_of(paths.iter().copied()).into_iter().collect();
        assert_eq!(found, expected, "{paths:?}");
    }
    for (text, expected) in [
        ("Set up deployment for Mac, Windows, and Docker", vec![Config]),
        (
            "Add an endpoint to the API and show it in the UI, with docs",
            vec![Frontend, Backend, Docs],
        ),
        ("Fix the typo", vec![]),
        ("capitalise the uiua server-side docsets", vec![]),
    ] {
        let found: Vec<Concern> = concerns_in(text).into_iter().collect();
        assert_eq!(found, expected, "{text}");
    }
}

/// The two answers of the documented example; `...` stands for what the example leaves out.
const RESPONSE_1: &str = r#"{
  "summary": "Created config.sample.json for deployment configuration.",
  "todos": [
    {"text": "Create config.sample.json", "completed": true},
    {"text": "Update Mac deployment docs", "completed": false},
    {"text": "Update Windows deployment docs", "completed": false},
    {"text": "Update Docker configuration", "completed": false}
  ],
  "fileChanges": [{"path": "app/config.sample.json", ...}],
  "nextSteps": [{"html": "Continue to Mac deployment", "inputText": "continue"}]
}"#;
const RESPONSE_2: &str = r#"{
  "summary": "Updated Mac deployment configuration.",
  "todos": [
    {"text": "Create config.sample.json", "completed": true},
    {"text": "Update Mac deployment docs", "completed": true},
    {"text": "Update Windows deployment docs", "completed": false},
    {"text": "Update Docker configuration", "completed": false}
  ],
  "fileChanges": [{"path": "docs/mac-deploy.md", ...}],
  "nextSteps": [{"html": "Continue to Windows deployment", "inputText": "continue"}]
}"#;

#[test]
fn c171_c172_c173_the_example_word_for_word() {
    let mut list = Vec::new();
    let mut next = 0;
    for (text, index, label, done) in [
        (RESPONSE_1, 0, "Continue to Mac deployment", "1/4"),
        (RESPONSE_2, 1, "Continue to Windows deployment", "2/4"),
    ] {
        let text = text.replace("...", &format!(r#""content": "{{}}\n", "todoIndex": {index}"#));
        let mut answer = read_answer(&text, true);
        assert!(answer.is_actionable(), "{answer:?}");
        assert_eq!(answer.todos.len(), 4, "all steps are listed at once");
        assert_eq!(too_many_steps(&answer), None);
        let steps = answer.next_steps.clone();
        ensure_continue(&mut answer.next_steps);
        assert_eq!(answer.next_steps, steps, "it is there");
        assert_eq!((steps[0].html.as_str(), steps[0].input_text.as_str()), (label, CONTINUE_INPUT));
        list = merge_todos(&list, &answer.todos, index, || {
            next += 1;
            format!("t{next}")
        });
        assert_eq!(list.len(), 4, "sent again, not doubled");
        let before = TodoProgress::of(&list).done;
        let link = &answer.todo_links()[0];
        let id = linked(&answer.todos, &list, link.todo_index).expect("it is in the list");
        assert_eq!(tick(&mut list, &[id], &format!("cs-{index}")).len(), 1);
        assert_eq!(TodoProgress::of(&list).to_string(), done, "{before}");
    }
}

#[test]
fn c172_the_step_that_goes_on_is_added_where_it_lacks() {
    let mut steps = vec![SuggestedStep {
        html: "Run tests to verify".to_owned(),
        input_text: "run tests".to_owned(),
        legacy: false,
    }];
    ensure_continue(&mut steps);
    ensure_continue(&mut steps);
    assert_eq!(
        serde_json::to_value(&steps[1..]).expect("it serialises"),
        json!([{"html": "Continue to next step", "inputText": "continue", "legacy": false}])
    );
}

#[test]
fn c171_an_answer_with_more_than_two_steps_is_flagged() {
    let change = |index: u32| json!({"path": format!("{index}"), "todoIndex": index});
    let answer = |count| ChatAnswer {
        file_changes: (0..count).map(change).chain([json!({"path": "x"})]).collect(),
        ..ChatAnswer::default()
    };
    assert_eq!(too_many_steps(&answer(2)), None);
    assert_eq!(too_many_steps(&answer(3)), Some(3));
}

#[test]
fn c177_c205_c206_when_the_next_step_is_sent() {
    let todo = |completed, claimed| TodoItem {
        id: "t".to_owned(),
        text: "t".to_owned(),
        completed,
        completed_by: None,
        claimed,
        origin_turn: 0,
    };
    let open = [todo(true, true), todo(false, false)];
    let work = ChatAnswer { file_changes: vec![json!({"path": "a"})], ..ChatAnswer::default() };
    let question = ChatAnswer { summary: Some("Which one?".to_owned()), ..ChatAnswer::default() };
    let on = AutoContinue { on: true, ..AutoContinue::default() };
    let done = TurnStatus::Completed;
    for (what, settings, status, answer, todos, breaker, expected) in [
        ("on", on, done, &work, &open[..], false, Advance::Send),
        ("off", AutoContinue::default(), done, &work, &open, false, Advance::Wait(WaitReason::Off)),
        ("all done", on, done, &work, &open[..1], false, Advance::Finished),
        ("a step without a file", on, done, &work, &[todo(false, true)], false, Advance::Finished),
        (
            "paused",
            AutoContinue { paused: true, ..on },
            done,
            &work,
            &open,
            false,
            Advance::Wait(WaitReason::Paused),
        ),
        (
            "failed",
            on,
            TurnStatus::Failed,
            &work,
            &open,
            false,
            Advance::Wait(WaitReason::NotCompleted),
        ),
        (
            "edits wait",
            on,
            TurnStatus::Waiting,
            &work,
            &open,
            false,
            Advance::Wait(WaitReason::NotCompleted),
        ),
        (
            "partial",
            on,
            TurnStatus::CompletedPartial,
            &work,
            &open[..1],
            false,
            Advance::Wait(WaitReason::NotCompleted),
        ),
        ("breaker", on, done, &work, &open, true, Advance::Wait(WaitReason::Breaker)),
        ("a question", on, done, &question, &open, false, Advance::Wait(WaitReason::Question)),
        (
            "twenty rounds",
            AutoContinue { rounds: 20, ..on },
            done,
            &work,
            &open,
            false,
            Advance::Wait(WaitReason::TooManyRounds),
        ),
    ] {
        assert_eq!(advance(&settings, status, answer, todos, breaker), expected, "{what}");
    }
}
