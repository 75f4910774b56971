//! Following jobs: without gap or repeat, and the same on every store.

use crate::act::Act;
use crate::flows::Script;
use crate::judge;
use crate::world::{Store, World};
use futures_util::StreamExt;
use salve_jobs::{EventId, Happened, JobEvent, JobId, Retry};
use serde_json::json;
use std::path::Path;
use std::time::Duration;

pub(crate) async fn j15_watching_has_no_gap_and_no_repeat(mut world: World) {
    let mut worker = world.worker().await;
    let acts = (1..=6).map(|n| Act::paying(&format!("s{n}"), 250)).collect();
    let id = world.start("watched", &Script { acts, ..Script::default() }).await;
    let mut seen: Vec<JobEvent> = Vec::new();
    let mut killed = world.store == Store::Memory;
    // Each client disconnects after a few events; the next one goes on after the last.
    loop {
        let client = world.another_client().await;
        let after = seen.last().map_or(EventId(0), |event| event.id);
        let mut events = client.jobs.watch(&id, after);
        for _ in 0..4 {
            let next = tokio::time::timeout(Duration::from_secs(60), events.next()).await.unwrap();
            let Some(event) = next else { break };
            seen.push(event.unwrap());
        }
        if !killed && world.log.count("intent", "s3") > 0 {
            worker.kill();
            worker = world.worker().await;
            killed = true;
        }
        if seen.last().is_some_and(|event| matches!(event.what, Happened::Ended { .. })) {
            assert!(events.next().await.is_none(), "nothing behind the end");
            break;
        }
    }
    assert!(killed, "the worker was killed meanwhile");
    assert!(seen.windows(2).all(|two| two[0].id < two[1].id), "in order");
    assert_eq!(seen, world.events(&id).await, "each event, once");
    let scheduled: Vec<u32> = seen
        .iter()
        .filter_map(|event| match event.what {
            Happened::StepScheduled { position, .. } => Some(position),
            _ => None,
        })
        .collect();
    assert_eq!(scheduled, [1, 2, 3, 4, 5, 6]);
    drop(worker);
}

pub(crate) async fn j22_a_scenario_has_one_sequence_of_events(mut world: World) {
    let _worker = world.worker().await;
    let retry = Retry { attempts: 2, first_wait: Duration::from_millis(50), ..Retry::default() };
    let script = Script {
        signal: Some("go".to_owned()),
        times: 1,
        acts: vec![Act::paying("s1", 10), Act { fail_times: 1, ..Act::plain("s2") }],
        sleep_ms: 50,
        children: vec![Act::plain("child")],
        race: vec![Act { wait_ms: 30_000, ..Act::plain("slow") }, Act::plain("quick")],
        last: vec![Act::plain("last")],
        retry: Some(retry),
        again: 1,
        ..Script::default()
    };
    let id = world.start("scenario", &script).await;
    // It waits once in each of its two lives.
    for turn in ["1", "2"] {
        let waits = |event: &&JobEvent| matches!(event.what, Happened::Waiting { .. });
        let turns: usize = turn.parse().unwrap();
        for _ in 0..3000 {
            let events = world.jobs.history(&id, EventId(0), 1000).await.unwrap();
            if events.iter().filter(waits).count() >= turns {
                break;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        world.jobs.signal(&id, "go", turn, json!(turn)).await.unwrap();
    }
    world.ended(&id).await;
    let cancelled =
        Script { acts: vec![Act { wait_ms: 30_000, ..Act::plain("stops") }], ..Script::default() };
    let cancelled = world.start("stopped", &cancelled).await;
    world.log.wait_for("begin", "stops", 1).await;
    world.jobs.cancel(&cancelled, "enough").await.unwrap();
    let fails =
        Script { acts: vec![Act { fatal: true, ..Act::plain("fails") }], ..Script::default() };
    let fails = world.start("fails", &fails).await;
    let mut told = String::new();
    for job in [&id, &JobId::new("scenario/child").unwrap(), &cancelled, &fails] {
        world.ended(job).await;
        told += &format!("{job}\n{}", sequence(&world.events(job).await));
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/jobs/fixtures/sequence.txt");
    if judge::writes_fixtures() {
        crate::dump::write(&path, &told);
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(told, known, "{:?} tells it otherwise", world.store);
}

/// Returns events as text, without what differs from run to run.
fn sequence(events: &[JobEvent]) -> String {
    let lines = events.iter().map(|event| {
        let mut value = serde_json::to_value(&event.what).unwrap();
        if let Some(until) = value.get_mut("until") {
            *until = json!("then");
        }
        format!("  {value}\n")
    });
    lines.collect()
}
