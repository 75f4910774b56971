//! Histories as tables: what is made of every event, and the state of a job after it.

use super::{end_of, news, standing};
use crate::engine::envelope::{FlowInput, StepInput, Told, job_error_text, step_error_text};
use crate::{CallKey, FlowName, Happened, JobError, JobState, Json, Needs, StepError};
use duroxide::{AppErrorKind, ConfigErrorKind, ErrorDetails, Event, EventKind, PoisonMessageType};
use serde_json::json;

fn event(id: u64, source: Option<u64>, kind: EventKind) -> Event {
    Event::with_event_id(id, "a", 1, source, kind)
}

fn started() -> EventKind {
    EventKind::OrchestrationStarted {
        name: "One".into(),
        version: "3.0.0".into(),
        input: String::new(),
        parent_instance: None,
        parent_id: None,
        parent_execution_id: None,
        carry_forward_events: None,
        initial_custom_status: None,
    }
}

fn step(position: u32) -> EventKind {
    let given = StepInput { key: CallKey::new("k"), attempt: 2, position, input: Json::Null };
    let input = serde_json::to_string(&given).unwrap();
    EventKind::ActivityScheduled { name: "do".into(), input, session_id: None, tag: None }
}

fn application(kind: AppErrorKind, message: &str) -> ErrorDetails {
    ErrorDetails::Application { kind, message: message.into(), retryable: false }
}

fn failed(details: ErrorDetails) -> EventKind {
    EventKind::OrchestrationFailed { details }
}

fn child(instance: &str) -> EventKind {
    let flow = Some(FlowName::new("Leaf", 2).unwrap());
    let given = FlowInput { needs: Needs::default(), flow, heard: Vec::new(), input: json!(1) };
    let input = serde_json::to_string(&given).unwrap();
    EventKind::SubOrchestrationScheduled { name: "Leaf".into(), instance: instance.into(), input }
}

fn told(name: &str, id: &str) -> EventKind {
    let data = serde_json::to_string(&Told { id: id.into(), payload: Json::Null }).unwrap();
    EventKind::QueueEventDelivered { name: name.into(), data }
}

fn waits(name: &str) -> EventKind {
    EventKind::QueueSubscribed { name: name.into() }
}

fn words(happened: &[Happened]) -> String {
    let lines = happened.iter().map(|what| serde_json::to_string(what).unwrap());
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn every_event_is_told_once_whatever_was_told_before() {
    let error = step_error_text(&StepError::retryable("busy"));
    let history = [
        event(1, None, started()),
        event(2, None, step(1)),
        event(
            3,
            Some(2),
            EventKind::ActivityFailed {
                details: application(AppErrorKind::ActivityFailed, &error),
            },
        ),
        event(4, None, EventKind::TimerCreated { fire_at_ms: 7 }),
        event(5, Some(4), EventKind::TimerFired { fire_at_ms: 7 }),
        event(6, None, step(2)),
        event(7, Some(6), EventKind::ActivityCompleted { result: "1".into() }),
        event(
            8,
            None,
            EventKind::CustomStatusUpdated {
                status: Some(r#"{"name":"s","detail":{"n":1}}"#.into()),
            },
        ),
        event(9, None, child("a/c")),
        event(10, Some(9), EventKind::SubOrchestrationCompleted { result: "1".into() }),
        event(11, None, waits("go")),
        event(12, None, told("go", "1")),
        event(13, None, told("go", "1")),
        event(14, None, EventKind::OrchestrationCompleted { output: "{\"x\":1}".into() }),
        event(15, Some(6), EventKind::ActivityCancelRequested { reason: "late".into() }),
    ];
    let all = news(&history, 0);
    insta::assert_snapshot!(words(&all.happened), @r#"
    {"what":"started","flow":"One@3"}
    {"what":"step_scheduled","step":"do","position":1,"attempt":2,"key":"k"}
    {"what":"step_failed","step":"do","position":1,"attempt":2,"error":"busy"}
    {"what":"sleeping","until":7}
    {"what":"woke"}
    {"what":"step_scheduled","step":"do","position":2,"attempt":2,"key":"k"}
    {"what":"step_done","step":"do","position":2,"attempt":2}
    {"what":"stage","name":"s","detail":{"n":1}}
    {"what":"child_started","child":"a/c"}
    {"what":"child_ended","child":"a/c","error":null}
    {"what":"waiting","signal":"go"}
    {"what":"signalled","signal":"go"}
    {"what":"other","kind":"step_cancelled","detail":{"step":"do","position":2}}
    {"what":"ended","state":"done","output":{"x":1}}
    "#);
    assert_eq!((all.last, all.children.len(), all.cancelled.len()), (15, 1, 1));
    assert_eq!(all.children[0].flow, FlowName::new("Leaf", 2).unwrap());
    // The report is the same in whatever pieces the history grows.
    for cut in 0..14 {
        let before = news(&history[..cut], 0);
        let after = news(&history, before.last);
        let both = [before.happened, after.happened].concat();
        assert_eq!(both.len(), all.happened.len(), "cut at {cut}");
        assert_eq!(news(&history, all.last).happened, []);
    }
}

#[test]
fn every_end_has_its_state() {
    let poison = |message_type| ErrorDetails::Poison {
        attempt_count: 11,
        max_attempts: 10,
        message_type,
        message: String::new(),
    };
    let (instance, execution_id) = ("a".to_owned(), 1);
    let step = PoisonMessageType::Activity {
        instance: instance.clone(),
        execution_id,
        activity_name: "boom".into(),
        activity_id: 2,
    };
    let flow = PoisonMessageType::Orchestration { instance, execution_id };
    let flow_error = job_error_text(&JobError::Flow { message: "no".into() });
    let cancelled = AppErrorKind::Cancelled { reason: "enough".into() };
    let cases = [
        (poison(step), "{\"state\":\"stuck\",\"step\":\"boom\",\"attempts\":10}"),
        (poison(flow), "{\"state\":\"stuck\",\"step\":\"flow\",\"attempts\":10}"),
        (application(cancelled, ""), "{\"state\":\"cancelled\",\"reason\":\"enough\"}"),
        (
            application(AppErrorKind::OrchestrationFailed, &flow_error),
            "{\"state\":\"failed\",\"error\":{\"why\":\"flow\",\"message\":\"no\"}}",
        ),
        (
            application(AppErrorKind::Panicked, "boo"),
            "{\"state\":\"failed\",\"error\":{\"why\":\"flow\",\"message\":\"the flow panicked: boo\"}}",
        ),
        (
            ErrorDetails::Configuration {
                kind: ConfigErrorKind::Nondeterminism,
                resource: String::new(),
                message: Some("timer, not step".into()),
            },
            "{\"state\":\"failed\",\"error\":{\"why\":\"flow_changed\",\"flow\":\"One@3\",\
             \"detail\":\"timer, not step\"}}",
        ),
    ];
    for (details, expected) in cases {
        let history = [event(1, None, started()), event(2, None, failed(details))];
        let state = end_of(&history).unwrap();
        assert_eq!(serde_json::to_string(&state).unwrap(), expected);
        assert_eq!(standing(&history), state);
    }
}

#[test]
fn a_changed_child_is_blamed_by_its_own_name() {
    let details = ErrorDetails::Configuration {
        kind: ConfigErrorKind::Nondeterminism,
        resource: String::new(),
        message: Some("x".into()),
    };
    let history = [
        event(1, None, started()),
        event(2, None, child("a/c")),
        event(3, Some(2), EventKind::SubOrchestrationFailed { details: details.clone() }),
        event(4, None, failed(details)),
    ];
    let Some(JobState::Failed { error: JobError::FlowChanged { flow, .. } }) = end_of(&history)
    else {
        panic!("{:?}", end_of(&history))
    };
    assert_eq!(flow, "Leaf@2");
}

#[test]
fn a_job_waits_only_when_nothing_else_is_done_for_it() {
    let waiting = JobState::Waiting { signal: "go".into() };
    let running = JobState::Running;
    let cancelled = || EventKind::QueueSubscriptionCancelled { reason: String::new() };
    let done = || EventKind::ActivityCompleted { result: "1".into() };
    let cases = [
        (vec![], running.clone()),
        (vec![(2, None, waits("go"))], waiting.clone()),
        (vec![(2, None, step(1)), (3, None, waits("go"))], running.clone()),
        (vec![(2, None, step(1)), (3, None, waits("go")), (4, Some(2), done())], waiting.clone()),
        (vec![(2, None, waits("go")), (3, None, told("go", "1"))], running.clone()),
        (vec![(2, None, told("go", "1")), (3, None, waits("go"))], running.clone()),
        (vec![(2, None, told("no", "1")), (3, None, waits("go"))], waiting.clone()),
        (vec![(2, None, waits("go")), (3, Some(2), cancelled())], running),
    ];
    assert_eq!(standing(&[]), JobState::Queued);
    for (rest, expected) in cases {
        let mut history = vec![event(1, None, started())];
        history.extend(rest.into_iter().map(|(id, source, kind)| event(id, source, kind)));
        assert_eq!(standing(&history), expected, "{history:?}");
    }
}
