//! Signals, timers and beginning again.

use crate::engine::world::{BOUND, World, echo, flow, step_name};
use salve_jobs::{JobState, Jobs, JobsError, Json, Retry, Steps};
use serde_json::json;
use std::time::Duration;

fn hears_two() -> salve_jobs::Flows {
    flow("Hear@1", |context, _| async move {
        let first = context.wait_signal("go", None).await;
        let second = context.wait_signal("go", Some(Duration::from_millis(600))).await;
        Ok(json!([first, second]))
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signal_is_kept_until_it_is_waited_for() {
    let world = World::new().await;
    let flows = flow("Hear@1", |context, input| async move {
        context.step(&step_name("do"), input, Retry::NEVER).await?;
        Ok(json!(context.wait_signal("go", None).await))
    });
    let id = world.start("Hear@1", "a", Json::Null).await;
    world.jobs.signal(&id, "go", "1", json!("early")).await.unwrap();
    let _runner = world.run(flows, echo()).await;
    assert_eq!(world.ended(&id).await, JobState::Done { output: json!("early") });
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_signal_twice_is_once() {
    let world = World::new().await;
    let _runner = world.run(hears_two(), Steps::default()).await;
    let id = world.start("Hear@1", "a", Json::Null).await;
    world.until(&id, |state| *state == JobState::Waiting { signal: "go".into() }).await;
    world.jobs.signal(&id, "go", "1", json!("once")).await.unwrap();
    world.jobs.signal(&id, "go", "1", json!("once")).await.unwrap();
    assert_eq!(world.ended(&id).await, JobState::Done { output: json!(["once", null]) });
    let story = world.story(&id).await;
    assert_eq!(story.iter().filter(|line| *line == "signalled go").count(), 1, "{story:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_signals_are_two_and_after_the_end_none() {
    let world = World::new().await;
    let _runner = world.run(hears_two(), Steps::default()).await;
    let id = world.start("Hear@1", "a", Json::Null).await;
    for number in ["1", "2"] {
        world.jobs.signal(&id, "go", number, json!(number)).await.unwrap();
    }
    assert_eq!(world.ended(&id).await, JobState::Done { output: json!(["1", "2"]) });
    let before = world.story(&id).await;
    world.jobs.signal(&id, "go", "3", Json::Null).await.unwrap();
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(world.story(&id).await, before);
    let nobody = salve_jobs::JobId::new("nobody").unwrap();
    let told = world.jobs.signal(&nobody, "go", "1", Json::Null).await;
    assert!(matches!(told, Err(JobsError::NoSuchJob { .. })), "{told:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_timer_outlives_its_worker_and_fires_once() {
    let world = World::new().await;
    let flows = || {
        flow("Sleep@1", |context, _| async move {
            let before = context.now().await;
            context.sleep(Duration::from_millis(900)).await;
            let after = context.now().await;
            Ok(json!(after.0 - before.0))
        })
    };
    let runner = world.run(flows(), Steps::default()).await;
    let id = world.start("Sleep@1", "a", Json::Null).await;
    tokio::time::sleep(Duration::from_millis(400)).await;
    assert_eq!(runner.drain(Duration::from_secs(5)).await, 0);
    assert_eq!(world.state(&id).await, JobState::Running);
    let _runner = world.run(flows(), Steps::default()).await;
    let JobState::Done { output } = world.ended(&id).await else { panic!() };
    assert!(output.as_i64().unwrap() >= 900, "{output}");
    let story = world.story(&id).await;
    assert_eq!(story.iter().filter(|line| *line == "woke").count(), 1, "{story:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_that_begins_again_has_new_calls_and_keeps_what_it_heard() {
    let world = World::new().await;
    let flows = flow("Again@1", |context, input| async move {
        let round = input["round"].as_i64().unwrap_or_default();
        let key = context.step(&step_name("key"), json!("same"), Retry::NEVER).await?;
        if round == 0 {
            context.wait_signal("go", None).await;
            return context.restart_with(json!({ "round": 1, "first": key })).await;
        }
        let again = context.wait_signal("go", Some(Duration::from_millis(400))).await;
        Ok(json!([input["first"], key, again]))
    });
    let steps =
        crate::engine::world::step(
            "key",
            |context, _| async move { Ok(json!(context.key().as_str())) },
        );
    let _runner = world.run(flows, steps).await;
    let id = world.start("Again@1", "a", json!({})).await;
    world.jobs.signal(&id, "go", "1", Json::Null).await.unwrap();
    let told_again = async {
        while !world.story_so_far(&id).await.contains(&"restarted".to_owned()) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        world.jobs.signal(&id, "go", "1", Json::Null).await.unwrap();
    };
    tokio::time::timeout(BOUND, told_again).await.unwrap();
    let JobState::Done { output } = world.ended(&id).await else { panic!() };
    assert_ne!(output[0], output[1]);
    assert_eq!(output[2], Json::Null);
    let story = world.story(&id).await;
    assert_eq!(story[0], "started Again@1");
    assert_eq!(story.iter().filter(|line| *line == "restarted").count(), 1);
    assert_eq!(story.iter().filter(|line| *line == "done key 1.1").count(), 2);
}
