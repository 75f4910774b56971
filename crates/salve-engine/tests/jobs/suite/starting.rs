//! Starting, forgetting, and how much and how fast.

use crate::act::Act;
use crate::flows::{Script, script_flow};
use crate::judge;
use crate::world::World;
use salve_jobs::{JobFilter, JobId, JobState, JobsError, StartOptions, Started};
use std::time::{Duration, Instant};

pub(crate) async fn j01_one_id_is_one_job(mut world: World) {
    let script = Script { acts: vec![Act::paying("s1", 300)], ..Script::default() };
    let other = Script { acts: vec![Act::paying("s2", 300)], ..Script::default() };
    let id = world.start("one", &script).await;
    let again = async |script: &Script| {
        let input = serde_json::to_value(script).unwrap();
        world.jobs.start(&script_flow(1), id.clone(), input, StartOptions::default()).await
    };
    assert_eq!(again(&script).await.unwrap(), Started::Existing(JobState::Queued));
    assert!(matches!(again(&other).await, Err(JobsError::Conflict { .. })));
    let _worker = world.worker().await;
    let again = async |script: &Script| {
        let input = serde_json::to_value(script).unwrap();
        world.jobs.start(&script_flow(1), id.clone(), input, StartOptions::default()).await
    };
    world.log.wait_for("intent", "s1", 1).await;
    assert_eq!(again(&script).await.unwrap(), Started::Existing(JobState::Running));
    assert!(matches!(again(&other).await, Err(JobsError::Conflict { .. })));
    let output = world.done(&id).await;
    assert_eq!(again(&script).await.unwrap(), Started::Existing(JobState::Done { output }));
    assert!(matches!(again(&other).await, Err(JobsError::Conflict { .. })));
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(world.log.count("begin", "s1"), 1, "one run");
    assert_eq!(world.log.count("begin", "s2"), 0, "and of one input only");
}

pub(crate) async fn j18_purge_leaves_live_jobs_alone(mut world: World) {
    let _worker = world.worker().await;
    let children = vec![Act::plain("c1"), Act::plain("c2")];
    let done = world.start("done", &Script { children, ..Script::default() }).await;
    let slow = Act { wait_ms: 2500, ..Act::plain("slow") };
    let running = world.start("running", &Script { acts: vec![slow], ..Script::default() }).await;
    let wait = Script { signal: Some("go".to_owned()), times: 1, ..Script::default() };
    let waiting = world.start("waiting", &wait).await;
    world.done(&done).await;
    for child in ["c1", "c2"] {
        world.done(&done.child(child).unwrap()).await;
    }
    world.log.wait_for("begin", "slow", 1).await;
    world.until(&waiting, |state| matches!(state, JobState::Waiting { .. })).await;
    let all = JobFilter::default;
    assert_eq!(world.jobs.purge(all(), Duration::from_secs(3600)).await.unwrap(), 0, "too young");
    assert_eq!(world.jobs.purge(all(), Duration::ZERO).await.unwrap(), 3, "with its children");
    assert!(world.jobs.state(&done).await.unwrap().is_none());
    assert_eq!(world.jobs.purge(all(), Duration::ZERO).await.unwrap(), 0);
    world.jobs.signal(&waiting, "go", "1", 1.into()).await.unwrap();
    world.done(&waiting).await;
    world.done(&running).await;
    assert_eq!(world.log.count("begin", "slow"), 1);
}

pub(crate) async fn j19_what_is_too_large_is_refused_before_it_starts(mut world: World) {
    let _worker = world.worker().await;
    let id = JobId::new("large").unwrap();
    let large = serde_json::json!({ "acts": [], "signal": "x".repeat(70_000) });
    let flow = script_flow(1);
    let refused = world.jobs.start(&flow, id.clone(), large, StartOptions::default()).await;
    let error = refused.unwrap_err();
    assert!(matches!(error, JobsError::TooLarge { most: 65_536, .. }), "{error}");
    assert!(error.to_string().contains("keep the text in the store"), "{error}");
    assert!(world.jobs.state(&id).await.unwrap().is_none(), "nothing was started");
    let small = world.start("large", &Script { times: 1, ..Script::default() }).await;
    let text = serde_json::Value::String("x".repeat(70_000));
    let refused = world.jobs.signal(&small, "go", "1", text).await;
    assert!(matches!(refused, Err(JobsError::TooLarge { .. })));
    world.jobs.cancel(&small, "enough").await.unwrap();
    let result = Act { bytes: 70_000, ..Act::plain("much") };
    let id = world.start("result", &Script { acts: vec![result], ..Script::default() }).await;
    let JobState::Failed { error } = world.ended(&id).await else { panic!("it did not fail") };
    assert!(error.to_string().contains("bytes"), "{error}");
}

pub(crate) async fn j20_many_small_jobs_are_quick_and_small(mut world: World) {
    let worker = world.worker().await;
    let count = judge::size("SALVE_JOBS_SMALL", 64);
    let begun = Instant::now();
    let mut at_once = tokio::task::JoinSet::new();
    let mut started = 0;
    let script = |tag: &str| Script { acts: vec![Act::plain(tag)], ..Script::default() };
    while started < count || !at_once.is_empty() {
        if started < count && at_once.len() < 16 {
            let id = world.start(&format!("small-{started}"), &script("small")).await;
            let events = world.jobs.watch(&id, salve_jobs::EventId(0));
            at_once.spawn(futures_util::StreamExt::count(events));
            started += 1;
        } else {
            assert!(at_once.join_next().await.unwrap().unwrap() > 0);
        }
    }
    let rate = f64::from(count) / begun.elapsed().as_secs_f64();
    assert_eq!(world.log.count("end", "small"), usize::try_from(count).unwrap());
    judge::figure("one-step jobs per second, 16 at a time", rate, 40.0, rate >= 40.0);
    let memory = worker.memory_mib().unwrap();
    judge::figure("memory of the worker in MiB", memory, 40.0, memory < 40.0);
}
