//! Cancelling: before it began, in a step, while it waits, with children, after it ended; and what
//! happens to a step when its runner is drained.

use crate::engine::world::{BOUND, World, echo, endless, flow, flow_name, one_step, quick};
use salve_jobs::{JobId, JobRunner, JobState, Jobs, JobsError, Json, Steps, join};
use serde_json::json;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::unbounded_channel;

#[tokio::test(flavor = "multi_thread")]
async fn a_job_that_was_cancelled_before_it_began_does_nothing() {
    let world = World::new().await;
    let (seen, mut told) = unbounded_channel();
    let id = world.start("One@1", "a", Json::Null).await;
    world.jobs.cancel(&id, "changed my mind").await.unwrap();
    world.jobs.cancel(&id, "again").await.unwrap();
    assert_eq!(world.state(&id).await, JobState::Cancelling);
    let _runner = world.run(one_step("One@1"), endless("do", seen)).await;
    let reason = "changed my mind".to_owned();
    assert_eq!(world.ended(&id).await, JobState::Cancelled { reason });
    assert!(told.try_recv().is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_step_hears_of_it_within_a_second_and_a_half_wherever_it_was_asked() {
    for from_elsewhere in [false, true] {
        let world = World::new().await;
        let (seen, mut told) = unbounded_channel();
        let _runner = world.run(one_step("One@1"), endless("do", seen)).await;
        let id = world.start("One@1", "a", Json::Null).await;
        assert_eq!(told.recv().await, Some("begun"));
        let asked = Instant::now();
        if from_elsewhere {
            world.peer().await.cancel(&id, "enough").await.unwrap();
        } else {
            world.jobs.cancel(&id, "enough").await.unwrap();
        }
        let heard = tokio::time::timeout(BOUND, told.recv()).await.unwrap();
        assert_eq!(heard, Some("cancelled"));
        println!("heard after {:?}, from elsewhere: {from_elsewhere}", asked.elapsed());
        assert_eq!(world.ended(&id).await, JobState::Cancelled { reason: "enough".into() });
        assert_eq!(world.story(&id).await.last().unwrap(), "ended cancelled");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_that_waits_is_cancelled() {
    let world = World::new().await;
    let flows =
        flow(
            "Wait@1",
            |context, _| async move { Ok(json!(context.wait_signal("never", None).await)) },
        );
    let _runner = world.run(flows, Steps::default()).await;
    let id = world.start("Wait@1", "a", Json::Null).await;
    world.until(&id, |state| matches!(state, JobState::Waiting { .. })).await;
    world.jobs.cancel(&id, "enough").await.unwrap();
    assert_eq!(world.ended(&id).await, JobState::Cancelled { reason: "enough".into() });
}

#[tokio::test(flavor = "multi_thread")]
async fn a_runner_without_steps_settles_what_is_cancelled() {
    for began in [false, true] {
        let world = World::new().await;
        let wait = || {
            flow("Wait@1", |context, _| async move {
                Ok(json!(context.wait_signal("never", None).await))
            })
        };
        let id = world.start("Wait@1", "a", Json::Null).await;
        if began {
            let runner = world.run(wait(), Steps::default()).await;
            world.until(&id, |state| matches!(state, JobState::Waiting { .. })).await;
            runner.drain(BOUND).await;
        }
        world.jobs.cancel(&id, "enough").await.unwrap();
        let options = salve_jobs::WorkerOptions { only: Some(id.clone()), ..quick() };
        let _runner = world.jobs.run(wait(), Steps::default(), options).await.unwrap();
        assert_eq!(world.ended(&id).await, JobState::Cancelled { reason: "enough".into() });
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn with_a_parent_all_its_children_end() {
    let world = World::new().await;
    let (seen, mut told) = unbounded_channel();
    let flows = flow("Parent@1", |context, _| async move {
        let children = (0..5)
            .map(|n| context.child(&flow_name("One@1"), &format!("c{n}"), Json::Null))
            .collect();
        let all: Result<Vec<_>, _> = join(children).await.into_iter().collect();
        Ok(Json::Array(all?))
    });
    let flows = one_step("One@1").iter().fold(flows, |flows, (name, code)| {
        let code = code.clone();
        flows.with(name.clone(), move |context, input| code(context, input))
    });
    let _runner = world.run(flows, endless("do", seen)).await;
    let id = world.start("Parent@1", "p", Json::Null).await;
    for _ in 0..5 {
        assert_eq!(told.recv().await, Some("begun"));
    }
    world.jobs.cancel(&id, "enough").await.unwrap();
    assert!(matches!(world.ended(&id).await, JobState::Cancelled { .. }));
    for n in 0..5 {
        let child = id.child(&format!("c{n}")).unwrap();
        assert!(matches!(world.ended(&child).await, JobState::Cancelled { .. }));
        let heard = tokio::time::timeout(BOUND, told.recv()).await.unwrap();
        assert_eq!(heard, Some("cancelled"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_has_ended_stays_as_it_is() {
    let world = World::new().await;
    let _runner = world.run(one_step("One@1"), echo()).await;
    let id = world.start("One@1", "a", json!(1)).await;
    let state = world.ended(&id).await;
    world.jobs.cancel(&id, "too late").await.unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(world.state(&id).await, state);
    let unknown = world.jobs.cancel(&JobId::new("nobody").unwrap(), "x").await;
    assert!(matches!(unknown, Err(JobsError::NoSuchJob { .. })), "{unknown:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_drained_runner_waits_for_its_steps_and_hands_back_what_does_not_end() {
    let world = World::new().await;
    let slow = crate::engine::world::step("do", |_, input| async move {
        let millis = input.as_u64().unwrap();
        tokio::time::sleep(Duration::from_millis(millis)).await;
        Ok(input)
    });
    let options = salve_jobs::WorkerOptions { step_lease: Duration::from_secs(60), ..quick() };
    let runner = world.jobs.run(one_step("One@1"), slow, options.clone()).await.unwrap();
    let short = world.start("One@1", "short", json!(300)).await;
    let long = world.start("One@1", "long", json!(60_000)).await;
    let both_begun = |state: &JobState| *state == JobState::Running;
    world.until(&short, both_begun).await;
    world.until(&long, both_begun).await;
    tokio::time::sleep(Duration::from_millis(150)).await;
    assert_eq!(runner.drain(Duration::from_millis(800)).await, 1);
    // The lease of a minute does not matter: it was given back.
    let _runner = world.jobs.run(one_step("One@1"), echo(), options).await.unwrap();
    assert_eq!(world.ended(&short).await, JobState::Done { output: json!(300) });
    assert_eq!(world.ended(&long).await, JobState::Done { output: json!(60_000) });
    let story = world.story(&short).await;
    assert_eq!(story, ["started One@1", "step do 1.1", "done do 1.1", "ended done"]);
}
