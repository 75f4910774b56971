//! Starting: once, with the same name, with another input, too large, of a flow that is not here, of
//! a flow that was changed, where there is what it needs, and by a runner of one job alone.

use crate::engine::world::{BOUND, World, echo, flow, flow_name, one_step, quick, step_name};
use salve_jobs::{
    JobError, JobId, JobRunner, JobState, Jobs, JobsError, Json, Needs, Retry, StartOptions,
    Started, WorkerOptions,
};
use serde_json::json;
use std::time::Duration;

async fn start(world: &World, flow: &str, id: &str, input: Json) -> Result<Started, JobsError> {
    let id = JobId::new(id).unwrap();
    world.jobs.start(&flow_name(flow), id, input, StartOptions::default()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_is_one_job_with_one_input() {
    let world = World::new().await;
    assert_eq!(start(&world, "One@1", "a", json!({"x": 1, "y": 2})).await.unwrap(), Started::New);
    let same = start(&world, "One@1", "a", json!({"y": 2, "x": 1})).await.unwrap();
    assert_eq!(same, Started::Existing(JobState::Queued));
    for (flow, input) in [("One@1", json!({"x": 2})), ("Other@1", json!({"x": 1, "y": 2}))] {
        let other = start(&world, flow, "a", input).await;
        assert!(matches!(other, Err(JobsError::Conflict { .. })), "{other:?}");
    }
    let _runner = world.run(one_step("One@1"), echo()).await;
    let id = JobId::new("a").unwrap();
    let done = world.ended(&id).await;
    let again = start(&world, "One@1", "a", json!({"x": 1, "y": 2})).await.unwrap();
    assert_eq!(again, Started::Existing(done));
    let story = world.story(&id).await;
    assert_eq!(story.iter().filter(|line| line.starts_with("step")).count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_start_that_was_only_written_down_is_made_up_for() {
    let world = World::new().await;
    // Another process wrote the job down and died: its index is ours, its engine never heard.
    let elsewhere = World::new().await;
    let index = world.index.clone();
    let path = elsewhere.folder.path().join("other.db");
    let lost = crate::engine::world::open(&path, index, world.ledger.clone()).await;
    let id = JobId::new("a").unwrap();
    let options = StartOptions::default();
    let started = lost.start(&flow_name("One@1"), id.clone(), json!(1), options).await.unwrap();
    assert_eq!(started, Started::New);
    let _runner = world.run(one_step("One@1"), echo()).await;
    let again = start(&world, "One@1", "a", json!(1)).await.unwrap();
    assert_eq!(again, Started::Existing(JobState::Queued));
    assert_eq!(world.ended(&id).await, JobState::Done { output: json!(1) });
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_too_large_is_refused_before_the_start() {
    let world = World::new().await;
    let large = start(&world, "One@1", "a", Json::String("x".repeat(70_000))).await;
    let Err(error) = large else { panic!() };
    assert_eq!(
        error.to_string(),
        "the job's input has 70012 bytes, the most is 65536: keep the text in the store and pass its \
         id"
    );
    assert_eq!(world.all().await, []);
    let id = world.start("One@1", "b", Json::Null).await;
    let told = world.jobs.signal(&id, "go", "1", Json::String("x".repeat(70_000))).await;
    assert!(matches!(told, Err(JobsError::TooLarge { .. })), "{told:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flow_that_is_not_here_is_refused_by_name() {
    let world = World::new().await;
    let _runner = world.run(one_step("One@1"), echo()).await;
    let other = start(&world, "One@2", "a", Json::Null).await;
    assert_eq!(other.unwrap_err().to_string(), "there is no flow One@2 here; there is One@1");
}

#[tokio::test(flavor = "multi_thread")]
async fn each_worker_takes_the_flows_it_knows_and_leaves_the_others_alone() {
    let world = World::new().await;
    let peer = world.peer().await;
    let new = world.start("One@2", "new", json!(2)).await;
    let old = world.start("One@1", "old", json!(1)).await;
    let _old = world.run(one_step("One@1"), echo()).await;
    assert_eq!(world.ended(&old).await, JobState::Done { output: json!(1) });
    // The old binary meets the new job many times and never counts that against it.
    tokio::time::sleep(Duration::from_millis(1200)).await;
    assert_eq!(world.state(&new).await, JobState::Queued);
    let few_deaths = WorkerOptions { most_deaths: 1, ..quick() };
    let _new = peer.run(one_step("One@2"), echo(), few_deaths).await.unwrap();
    assert_eq!(world.ended(&new).await, JobState::Done { output: json!(2) });
}

#[tokio::test(flavor = "multi_thread")]
async fn a_runner_of_one_job_does_it_with_its_children_and_leaves_the_others_alone() {
    let world = World::new().await;
    let other = world.start("One@1", "other", json!(1)).await;
    let alike = world.start("One@1", "own-not", json!(1)).await;
    let flows = one_step("One@1").with(flow_name("Parent@1"), |context, input| async move {
        Ok(context.child(&flow_name("One@1"), "c", input).await?)
    });
    let own = world.start("Parent@1", "own", json!(2)).await;
    let options = WorkerOptions { only: Some(own.clone()), ..quick() };
    let runner = world.jobs.run(flows, echo(), options).await.unwrap();
    assert_eq!(world.ended(&own).await, JobState::Done { output: json!(2) });
    assert_eq!(runner.drain(BOUND).await, 0);
    for id in [&other, &alike] {
        assert_eq!(world.state(id).await, JobState::Queued);
    }
    let _all = world.run(one_step("One@1"), echo()).await;
    for id in [&other, &alike] {
        assert_eq!(world.ended(id).await, JobState::Done { output: json!(1) });
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flow_that_was_changed_under_its_name_is_refused_by_name() {
    let world = World::new().await;
    let runner = world
        .run(
            flow("Changed@1", |context, input| async move {
                context.step(&step_name("do"), input, Retry::NEVER).await?;
                context.wait_signal("go", None).await;
                Ok(Json::Null)
            }),
            echo(),
        )
        .await;
    let id = world.start("Changed@1", "a", json!(1)).await;
    world.until(&id, |state| matches!(state, JobState::Waiting { .. })).await;
    runner.drain(Duration::from_secs(5)).await;
    let changed = flow("Changed@1", |context, _| async move {
        context.sleep(Duration::from_secs(1)).await;
        Ok(Json::Null)
    });
    let _runner = world.run(changed, echo()).await;
    world.jobs.signal(&id, "go", "1", Json::Null).await.unwrap();
    let JobState::Failed { error: JobError::FlowChanged { flow, .. } } = world.ended(&id).await
    else {
        panic!("{:?}", world.state(&id).await)
    };
    assert_eq!(flow, "Changed@1");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_is_taken_only_where_there_is_what_it_needs() {
    let world = World::new().await;
    let needs = Needs { toolchain: Some("rust".into()), root: Some("web".into()) };
    let id = JobId::new("a").unwrap();
    let options = StartOptions { needs };
    let started =
        world.jobs.start(&flow_name("One@1"), id.clone(), json!(1), options).await.unwrap();
    assert_eq!(started, Started::New);
    let with = |toolchains: &[&str], roots: &[&str]| WorkerOptions {
        toolchains: toolchains.iter().map(|name| (*name).to_owned()).collect(),
        roots: roots.iter().map(|name| (*name).to_owned()).collect(),
        ..quick()
    };
    let peer = world.peer().await;
    let _lacking = peer.run(one_step("One@1"), echo(), with(&["rust"], &["app"])).await.unwrap();
    tokio::time::sleep(Duration::from_millis(700)).await;
    assert_eq!(world.state(&id).await, JobState::Running);
    let many: Vec<String> = (0..12).map(|n| format!("root{n}")).collect();
    let mut roots: Vec<&str> = many.iter().map(String::as_str).collect();
    roots.push("web");
    let _having =
        world.jobs.run(one_step("One@1"), echo(), with(&["go", "rust"], &roots)).await.unwrap();
    let ended = tokio::time::timeout(BOUND, world.ended(&id)).await.unwrap();
    assert_eq!(ended, JobState::Done { output: json!(1) });
}
