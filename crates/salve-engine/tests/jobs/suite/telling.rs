//! Telling jobs something: to stop, to go on, to wait.

use crate::act::Act;
use crate::flows::Script;
use crate::judge;
use crate::world::{Store, World};
use salve_jobs::{Happened, JobId, JobState, JobsError};
use serde_json::json;
use std::time::{Duration, Instant};

const SEEN_WITHIN: Duration = Duration::from_millis(1500);

fn slow(tag: &str) -> Act {
    Act { wait_ms: 60_000, ..Act::plain(tag) }
}

pub(crate) async fn j12_cancel_reaches_a_job_wherever_it_stands(mut world: World) {
    let cancelled = || JobState::Cancelled { reason: "enough".to_owned() };
    let queued =
        world.start("queued", &Script { acts: vec![slow("q")], ..Script::default() }).await;
    world.jobs.cancel(&queued, "enough").await.unwrap();
    world.jobs.cancel(&queued, "said twice").await.unwrap();
    let _worker = world.worker().await;
    assert_eq!(world.ended(&queued).await, cancelled());
    assert_eq!(world.log.count("begin", "q"), 0, "it never began");

    let running =
        world.start("running", &Script { acts: vec![slow("r")], ..Script::default() }).await;
    world.log.wait_for("begin", "r", 1).await;
    let asked = Instant::now();
    world.jobs.cancel(&running, "enough").await.unwrap();
    let (_, seen) = world.log.wait_for("cancelled", "r", 1).await;
    judge::at_most("a running step saw the cancel", seen - asked, SEEN_WITHIN);
    assert_eq!(world.ended(&running).await, cancelled());

    let wait = Script { times: 1, ..Script::default() };
    let waiting = world.start("waiting", &wait).await;
    world.until(&waiting, |state| matches!(state, JobState::Waiting { .. })).await;
    world.jobs.cancel(&waiting, "enough").await.unwrap();
    assert_eq!(world.ended(&waiting).await, cancelled());

    let children = (1..=5).map(|n| slow(&format!("f{n}"))).collect();
    let fan_out = &Script { children, last: vec![slow("last")], ..Script::default() };
    let fan = world.start("fan", fan_out).await;
    for n in 1..=5 {
        world.log.wait_for("begin", &format!("f{n}"), 1).await;
    }
    let asked = Instant::now();
    world.jobs.cancel(&fan, "enough").await.unwrap();
    for n in 1..=5 {
        let (_, seen) = world.log.wait_for("cancelled", &format!("f{n}"), 1).await;
        judge::at_most(&format!("child {n} saw the cancel"), seen - asked, SEEN_WITHIN);
        let child = world.ended(&fan.child(&format!("f{n}")).unwrap()).await;
        assert!(matches!(child, JobState::Cancelled { .. }), "{child:?}");
    }
    assert_eq!(world.ended(&fan).await, cancelled());
    assert_eq!(world.log.count("begin", "last"), 0);

    let done = world.start("done", &Script::default()).await;
    let output = world.done(&done).await;
    world.jobs.cancel(&done, "too late").await.unwrap();
    assert_eq!(world.look(&done).await.state, JobState::Done { output });
    let nobody = world.jobs.cancel(&JobId::new("nobody").unwrap(), "who").await;
    assert!(matches!(nobody, Err(JobsError::NoSuchJob { .. })));
}

pub(crate) async fn j13_signals_are_kept_and_count_once(mut world: World) {
    // Told before anybody has taken the job, and the same thing twice.
    let script = Script { signal: Some("go".to_owned()), times: 3, ..Script::default() };
    let id = world.start("told", &script).await;
    for _ in 0..2 {
        world.jobs.signal(&id, "go", "first", json!({ "n": 1 })).await.unwrap();
    }
    let _worker = world.worker().await;
    world.until(&id, |state| matches!(state, JobState::Waiting { signal } if signal == "go")).await;
    world.jobs.signal(&id, "other", "x", json!("not this one")).await.unwrap();
    // Told while it waits, again twice, and with the id of what it has heard.
    for signal_id in ["second", "first", "second"] {
        world.jobs.signal(&id, "go", signal_id, json!({ "n": 2 })).await.unwrap();
    }
    world.jobs.signal(&id, "go", "third", json!({ "n": 3 })).await.unwrap();
    assert_eq!(world.done(&id).await, json!([{ "n": 1 }, { "n": 2 }, { "n": 3 }]));
    world.jobs.signal(&id, "go", "late", json!(4)).await.unwrap();
    let nobody = JobId::new("nobody").unwrap();
    let refused = world.jobs.signal(&nobody, "go", "1", json!(1)).await;
    assert!(matches!(refused, Err(JobsError::NoSuchJob { .. })));
    let signalled = |event: &salve_jobs::JobEvent| matches!(&event.what, Happened::Signalled { signal } if signal == "go");
    let events = world.events(&id).await;
    assert_eq!(events.iter().filter(|event| signalled(event)).count(), 3, "each once: {events:#?}");

    let impatient = Script { times: 1, patience_ms: Some(200), ..Script::default() };
    let id = world.start("impatient", &impatient).await;
    assert_eq!(world.done(&id).await, json!(["nothing"]));
}

pub(crate) async fn j14_a_timer_fires_once(mut world: World) {
    let mut worker = world.worker().await;
    let script = Script { acts: vec![Act::plain("s1")], sleep_ms: 2500, ..Script::default() };
    let id = world.start("sleeps", &script).await;
    world.log.wait_for("end", "s1", 1).await;
    let begun = Instant::now();
    if world.store != Store::Memory {
        tokio::time::sleep(Duration::from_millis(600)).await;
        worker.kill();
        worker = world.worker().await;
    }
    world.done(&id).await;
    let slept = begun.elapsed();
    assert!(slept >= Duration::from_millis(2400), "it slept on: {slept:?}");
    judge::at_most("a timer of 2.5 s across a restart", slept, Duration::from_secs(5));
    assert_eq!(world.log.count("begin", "s1"), 1);
    let events = world.events(&id).await;
    assert_eq!(events.iter().filter(|event| event.what == Happened::Woke).count(), 1);
    drop(worker);
}
