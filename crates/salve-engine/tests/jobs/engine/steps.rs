//! Steps: once, again, in doubt, too large, and side by side.

use crate::engine::world::{World, echo, flow, flow_name, one_step, step, step_name, tries};
use salve_jobs::{
    CallKey, CallLedger, CallResult, Decision, Flows, JobError, JobFilter, JobState, Jobs,
    JobsError, Json, MemoryLedger, Reserve, Retry, StepCall, StepError, Steps, join, join_limited,
    race,
};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::time::Duration;

#[tokio::test(flavor = "multi_thread")]
async fn a_job_of_one_step_is_done_and_its_story_is_told() {
    let world = World::new().await;
    let flows = flow("One@1", |context, input| async move {
        context.stage("working", json!({ "at": 1 }));
        let output = context.step(&step_name("do"), input, Retry::NEVER).await?;
        context.stage("over", Json::Null);
        Ok(output)
    });
    let runner = world.run(flows, echo()).await;
    let id = world.start("One@1", "a", json!({ "n": 1 })).await;
    assert_eq!(world.ended(&id).await, JobState::Done { output: json!({ "n": 1 }) });
    insta::assert_snapshot!(world.story(&id).await.join("\n"), @r"
    started One@1
    stage working
    step do 1.1
    done do 1.1
    stage over
    ended done
    ");
    let job = world.jobs.state(&id).await.unwrap().unwrap();
    assert_eq!((job.stage.unwrap().name.as_str(), job.stage_version), ("over", 2));
    assert_eq!(runner.drain(Duration::from_secs(5)).await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_step_is_tried_as_often_as_it_may_be_and_each_attempt_has_its_key() {
    for (fails, attempts, done) in [(0, 1, true), (2, 3, true), (3, 3, false), (1, 1, false)] {
        let world = World::new().await;
        let made = Arc::new(AtomicU32::new(0));
        let count = Arc::clone(&made);
        let steps = step("do", move |context, _| {
            let number = count.fetch_add(1, Ordering::SeqCst) + 1;
            async move {
                assert_eq!(context.attempt(), number);
                if number <= fails {
                    return Err(StepError::retryable(format!("no {number}")));
                }
                Ok(json!(context.key().as_str()))
            }
        });
        let flows = flow("Try@1", move |context, input| async move {
            Ok(context.step(&step_name("do"), input, tries(attempts)).await?)
        });
        let _runner = world.run(flows, steps).await;
        let id = world.start("Try@1", "a", Json::Null).await;
        let state = world.ended(&id).await;
        assert_eq!(made.load(Ordering::SeqCst), (fails + 1).min(attempts));
        match state {
            JobState::Done { output } => {
                assert!(done);
                let expected = format!("a:1:{}:", fails + 1);
                assert!(output.as_str().unwrap().starts_with(&expected), "{output}");
            }
            JobState::Failed { error: JobError::Flow { message } } => {
                assert!(!done);
                assert_eq!(message, format!("no {attempts}"));
            }
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_will_never_work_is_tried_once() {
    let world = World::new().await;
    let steps = step("do", |_, _| async move { Err(StepError::fatal("never")) });
    let flows = flow("Try@1", |context, input| async move {
        Ok(context.step(&step_name("do"), input, tries(5)).await?)
    });
    let _runner = world.run(flows, steps).await;
    let id = world.start("Try@1", "a", Json::Null).await;
    world.ended(&id).await;
    insta::assert_snapshot!(world.story(&id).await.join("\n"), @r"
    started Try@1
    step do 1.1
    failed do 1.1: never
    ended failed
    ");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_step_that_panics_fails_its_job_and_no_other() {
    let world = World::new().await;
    let steps = step("do", |_, input| async move {
        assert_ne!(input, json!("bad"), "the step's own words");
        Ok(input)
    });
    let _runner = world.run(one_step("One@1"), steps).await;
    let bad = world.start("One@1", "bad", json!("bad")).await;
    let good = world.start("One@1", "good", json!("good")).await;
    let JobState::Failed { error } = world.ended(&bad).await else { panic!() };
    assert!(error.to_string().contains("panicked"), "{error}");
    assert_eq!(world.ended(&good).await, JobState::Done { output: json!("good") });
}

#[tokio::test(flavor = "multi_thread")]
async fn waits_between_attempts_are_honoured() {
    let world = World::new().await;
    let begun = std::time::Instant::now();
    let steps = step("do", |context, _| async move {
        match context.attempt() {
            1 => Err(StepError::Retryable {
                message: "busy".into(),
                after: Some(Duration::from_millis(400)),
            }),
            _ => Ok(Json::Null),
        }
    });
    let flows = flow("Try@1", |context, input| async move {
        Ok(context.step(&step_name("do"), input, tries(2)).await?)
    });
    let _runner = world.run(flows, steps).await;
    let id = world.start("Try@1", "a", Json::Null).await;
    world.ended(&id).await;
    assert!(begun.elapsed() >= Duration::from_millis(400));
    insta::assert_snapshot!(world.story(&id).await.join("\n"), @r"
    started Try@1
    step do 1.1
    failed do 1.1: busy
    sleeping
    woke
    step do 1.2
    done do 1.2
    ended done
    ");
}

#[tokio::test(flavor = "multi_thread")]
async fn results_that_are_too_large_are_refused_with_their_size() {
    let world = World::new().await;
    let steps = step("do", |_, input| async move {
        Ok(Json::String("x".repeat(input.as_u64().and_then(|n| usize::try_from(n).ok()).unwrap())))
    });
    let _runner = world.run(one_step("One@1"), steps).await;
    let fits = world.start("One@1", "fits", json!(65_000)).await;
    let not = world.start("One@1", "not", json!(70_000)).await;
    assert!(matches!(world.ended(&fits).await, JobState::Done { .. }));
    let JobState::Failed { error } = world.ended(&not).await else { panic!() };
    assert_eq!(
        error.to_string(),
        "the step's result has 70002 bytes, the most is 65536: keep the text in the store and pass \
         its id"
    );
}

fn wide(limit: usize) -> Flows {
    flow("Wide@1", move |context, _| async move {
        let steps = (0..8)
            .map(|n| context.step(&step_name("do"), json!(n), Retry::NEVER))
            .collect::<Vec<_>>();
        let all = join_limited(limit, steps).await;
        Ok(Json::Array(all.into_iter().collect::<Result<_, _>>()?))
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn never_more_steps_than_the_limit_are_under_way() {
    for limit in [1, 3, 8] {
        let world = World::new().await;
        let (open, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (now, top) = (Arc::clone(&open), Arc::clone(&most));
        let steps = step("do", move |_, input| {
            let (now, top) = (Arc::clone(&now), Arc::clone(&top));
            async move {
                top.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                tokio::time::sleep(Duration::from_millis(30)).await;
                now.fetch_sub(1, Ordering::SeqCst);
                Ok(input)
            }
        });
        let _runner = world.run(wide(limit), steps).await;
        let id = world.start("Wide@1", "a", Json::Null).await;
        let output = json!([0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(world.ended(&id).await, JobState::Done { output });
        assert!(most.load(Ordering::SeqCst) <= limit);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_winner_of_a_race_is_the_same_for_good_and_the_loser_is_stopped() {
    let world = World::new().await;
    let (seen, mut told) = tokio::sync::mpsc::unbounded_channel();
    let steps = crate::engine::world::endless("slow", seen)
        .with(step_name("do"), |_, input| async move { Ok(input) });
    let flows = flow("Race@1", |context, _| async move {
        let slow = context.step(&step_name("slow"), Json::Null, Retry::NEVER);
        let quick = context.step(&step_name("do"), json!("quick"), Retry::NEVER);
        let (which, value) = race(vec![slow, quick]).await;
        let after = context.step(&step_name("do"), json!("after"), Retry::NEVER).await?;
        Ok(json!([which, value?, after]))
    });
    let _runner = world.run(flows, steps).await;
    let id = world.start("Race@1", "a", Json::Null).await;
    assert_eq!(world.ended(&id).await, JobState::Done { output: json!([1, "quick", "after"]) });
    let stopped = async { while told.recv().await != Some("cancelled") {} };
    tokio::time::timeout(crate::engine::world::BOUND, stopped).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn children_are_jobs_of_their_own_under_their_parents_name() {
    let world = World::new().await;
    let flows = flow("Parent@1", |context, _| async move {
        let children =
            ["x", "y"].map(|name| context.child(&flow_name("One@2"), name, json!(name))).into();
        let all: Result<Vec<_>, _> = join(children).await.into_iter().collect();
        Ok(Json::Array(all?))
    })
    .with(flow_name("One@2"), |context, input| async move {
        if input == json!("bad") {
            return Err(salve_jobs::FlowError::new("bad"));
        }
        Ok(context.step(&step_name("do"), input, Retry::NEVER).await?)
    });
    let _runner = world.run(flows, echo()).await;
    let id = world.start("Parent@1", "p", Json::Null).await;
    assert_eq!(world.ended(&id).await, JobState::Done { output: json!(["x", "y"]) });
    let tree = world.jobs.tree(&id).await.unwrap();
    let mut names: Vec<_> = tree.children.iter().map(|child| child.job.id.to_string()).collect();
    names.sort();
    assert_eq!(names, ["p/x", "p/y"]);
    for child in &tree.children {
        assert_eq!(child.job.flow, flow_name("One@2"));
        assert!(matches!(child.job.state, JobState::Done { .. }));
        let story = world.story(&child.job.id).await;
        assert_eq!(story, ["started One@2", "step do 1.1", "done do 1.1", "ended done"]);
    }
    let story = world.story(&id).await;
    assert_eq!(story[..3], ["started Parent@1", "child p/x", "child p/y"]);
    assert_eq!(story.last().unwrap(), "ended done");
}

// A step whose paid call was begun by a process that is gone, the first time it is tried.
fn doubted(ledger: &MemoryLedger, paid: &Arc<AtomicU32>) -> Steps {
    let (gone, paid) = (ledger.of_worker("gone"), Arc::clone(paid));
    let tried = Arc::new(AtomicU32::new(0));
    step("pay", move |context, _| {
        let (gone, paid, tried) = (gone.clone(), Arc::clone(&paid), Arc::clone(&tried));
        async move {
            let (ledger, call) = (context.ledger(), StepCall::default());
            if tried.fetch_add(1, Ordering::SeqCst) == 0 {
                let _ = CallLedger::reserve(&gone, context.key(), &call).await.unwrap();
                gone.declare_gone("gone");
            }
            match ledger.reserve(context.key(), &call).await.unwrap() {
                Reserve::Fresh { epoch, .. } => {
                    paid.fetch_add(1, Ordering::SeqCst);
                    let text = "paid".to_owned();
                    let result = CallResult { answered: true, text, ..CallResult::default() };
                    let _ = ledger.settle(context.key(), epoch, result).await.unwrap();
                    Ok(json!("paid"))
                }
                Reserve::Done(result) => Ok(json!(result.text)),
                Reserve::InDoubt { .. } => Err(StepError::InDoubt { key: context.key().clone() }),
                other => Err(StepError::fatal(format!("{other:?}"))),
            }
        }
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_step_in_doubt_waits_until_somebody_decides() {
    let known = "from a person".to_owned();
    for (decision, payments, done) in [
        (Decision::Retry, 1, Some("paid")),
        (Decision::UseResult(known), 0, Some("from a person")),
        (Decision::Fail, 0, None),
    ] {
        let world = World::new().await;
        let paid = Arc::new(AtomicU32::new(0));
        let flows = flow("Pay@1", |context, input| async move {
            Ok(context.step(&step_name("pay"), input, tries(3)).await?)
        });
        let _runner = world.run(flows, doubted(&world.ledger, &paid)).await;
        let id = world.start("Pay@1", "a", Json::Null).await;
        let state = world.until(&id, |state| matches!(state, JobState::Waiting { .. })).await;
        let doubts = world.jobs.in_doubt(JobFilter::default()).await.unwrap();
        assert_eq!(doubts.len(), 1);
        let key = doubts[0].key.clone();
        assert_eq!(state, JobState::Waiting { signal: key.resolve_signal() });
        world.jobs.resolve(&key, decision).await.unwrap();
        match (world.ended(&id).await, done) {
            (JobState::Done { output }, Some(expected)) => assert_eq!(output, json!(expected)),
            (JobState::Failed { .. }, None) => {}
            other => panic!("{other:?}"),
        }
        assert_eq!(paid.load(Ordering::SeqCst), payments);
        let story = world.story(&id).await;
        assert_eq!(story.iter().filter(|line| line.starts_with("step pay 1.1")).count(), 2);
        assert!(!story.iter().any(|line| line.contains("1.2")), "{story:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_nobody_doubts_cannot_be_decided_about() {
    let world = World::new().await;
    let key = CallKey::new("a:1:1:0");
    let decided = world.jobs.resolve(&key, Decision::Retry).await;
    assert!(matches!(decided, Err(JobsError::NoSuchCall { .. })), "{decided:?}");
}
