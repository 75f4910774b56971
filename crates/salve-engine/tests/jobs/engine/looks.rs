//! Looking: events without gap or repeat, lists, purging; and the file itself.

use crate::engine::world::{BOUND, World, echo, flow, one_step, step_name};
use futures_util::StreamExt;
use salve_jobs::{EventId, Happened, JobFilter, JobState, Jobs, JobsError, Json, Page, Retry};
use serde_json::json;
use std::time::Duration;

#[tokio::test(flavor = "multi_thread")]
async fn a_watcher_that_comes_back_finds_no_gap_and_no_repeat() {
    let world = World::new().await;
    let flows = flow("Five@1", |context, _| async move {
        for n in 0..5 {
            context.stage(&format!("s{n}"), Json::Null);
            context.step(&step_name("do"), json!(n), Retry::NEVER).await?;
        }
        Ok(Json::Null)
    });
    let _runner = world.run(flows, echo()).await;
    let id = world.start("Five@1", "a", Json::Null).await;
    // Each connection is lost after two events.
    let (mut after, mut seen) = (EventId(0), Vec::new());
    let following = async {
        loop {
            let two: Vec<_> = world.jobs.watch(&id, after).take(2).collect().await;
            let two: Vec<_> = two.into_iter().map(Result::unwrap).collect();
            let Some(last) = two.last() else { break };
            after = last.id;
            seen.extend(two);
        }
    };
    tokio::time::timeout(BOUND, following).await.unwrap();
    let whole = world.jobs.history(&id, EventId(0), 1000).await.unwrap();
    assert_eq!(seen, whole);
    assert_eq!(seen.len(), 1 + 5 * 3 + 1);
    assert!(matches!(seen.last().unwrap().what, Happened::Ended { .. }));
    let nobody = salve_jobs::JobId::new("nobody").unwrap();
    let unknown: Vec<_> = world.jobs.watch(&nobody, EventId(0)).collect().await;
    assert!(matches!(unknown[..], [Err(JobsError::NoSuchJob { .. })]), "{unknown:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_runners_on_one_file_tell_one_story() {
    let world = World::new().await;
    let peer = world.peer().await;
    let _here = world.run(one_step("One@1"), echo()).await;
    let _there =
        salve_jobs::JobRunner::run(&peer, one_step("One@1"), echo(), crate::engine::world::quick())
            .await
            .unwrap();
    let mut ids = Vec::new();
    for n in 0..20 {
        ids.push(world.start("One@1", &format!("j{n:02}"), json!(n)).await);
    }
    for id in &ids {
        assert!(matches!(world.ended(id).await, JobState::Done { .. }));
        let story = world.story(id).await;
        assert_eq!(story, ["started One@1", "step do 1.1", "done do 1.1", "ended done"]);
    }
    let page = Page { after: None, limit: 7 };
    let filter = JobFilter { ended: Some(true), ..JobFilter::default() };
    assert_eq!(world.jobs.list(filter, page).await.unwrap().len(), 7);
}

#[tokio::test(flavor = "multi_thread")]
async fn purging_never_touches_a_job_that_lives() {
    let world = World::new().await;
    let flows = flow("Parent@1", |context, input| async move {
        let name = crate::engine::world::flow_name("Leaf@1");
        context.child(&name, "c", input.clone()).await?;
        if input == json!("wait") {
            context.wait_signal("go", None).await;
        }
        Ok(input)
    })
    .with(crate::engine::world::flow_name("Leaf@1"), |_, input| async move { Ok(input) });
    let _runner = world.run(flows, echo()).await;
    let done = world.start("Parent@1", "done", json!("no")).await;
    let live = world.start("Parent@1", "live", json!("wait")).await;
    world.ended(&done).await;
    // A child whose end is not written down yet counts as one that lives.
    world.ended(&done.child("c").unwrap()).await;
    world.ended(&live.child("c").unwrap()).await;
    world.until(&live, |state| matches!(state, JobState::Waiting { .. })).await;
    let hour = Duration::from_secs(3600);
    assert_eq!(world.jobs.purge(JobFilter::default(), hour).await.unwrap(), 0);
    assert_eq!(world.jobs.purge(JobFilter::default(), Duration::ZERO).await.unwrap(), 2);
    let mut left: Vec<_> = world.all().await.iter().map(ToString::to_string).collect();
    left.sort();
    assert_eq!(left, ["live", "live/c"]);
    // Its name is free again.
    world.start("Parent@1", "done", json!("again")).await;
    assert_eq!(world.ended(&done).await, JobState::Done { output: json!("again") });
    world.jobs.signal(&live, "go", "1", Json::Null).await.unwrap();
    assert_eq!(world.ended(&live).await, JobState::Done { output: json!("wait") });
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn only_its_owner_can_read_the_file() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new().await;
    world.start("One@1", "a", Json::Null).await;
    let mut files = 0;
    for entry in std::fs::read_dir(world.path().parent().unwrap()).unwrap() {
        let mode = entry.unwrap().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{mode:o}");
        files += 1;
    }
    assert!(files >= 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_dead_worker_did_not_write_down_is_written_down_later() {
    let world = World::new().await;
    let id = world.start("One@1", "a", json!(1)).await;
    // Its index is lost with it, so nothing that it does is written down in ours.
    let clock = crate::engine::world::clock();
    let lost = std::sync::Arc::new(salve_jobs::MemoryJobIndex::new(clock));
    let dead = crate::engine::world::open(&world.path(), lost, world.ledger.clone()).await;
    let quick = crate::engine::world::quick();
    let runner = salve_jobs::JobRunner::run(&dead, one_step("One@1"), echo(), quick).await.unwrap();
    tokio::time::sleep(Duration::from_millis(700)).await;
    runner.drain(Duration::from_secs(5)).await;
    assert_eq!(world.story_so_far(&id).await, [""; 0]);
    // A watcher does it, or the sweep of any worker, or the caller that asks for its state.
    let story = world.story(&id).await;
    assert_eq!(story, ["started One@1", "step do 1.1", "done do 1.1", "ended done"]);
    assert_eq!(world.state(&id).await, JobState::Done { output: json!(1) });
}
