//! Workers that are killed, stopped or cut off at the worst moments.

use crate::act::{Act, Pay};
use crate::flows::Script;
use crate::judge;
use crate::proxy::Proxy;
use crate::world::{LEASE, Worker, World};
use rustix::process::Signal;
use salve_jobs::{JobFilter, JobState};
use std::time::{Duration, Instant};

const RESUMED_WITHIN: Duration = LEASE.saturating_add(Duration::from_secs(2));

/// Kills the worker of this name and returns when.
fn kill(workers: &mut [Worker], name: &str) -> Instant {
    workers.iter_mut().find(|worker| worker.name == name).unwrap().kill()
}

pub(crate) async fn j02_a_peer_goes_on_after_a_kill_inside_any_step(mut world: World) {
    let tags = ["s1", "s2", "s3"];
    let acts = tags.map(|tag| Act::paying(tag, 800)).into();
    let mut workers = vec![world.worker().await, world.worker().await];
    let id = world.start("three", &Script { acts, ..Script::default() }).await;
    for tag in tags {
        let (intent, _) = world.log.wait_for("intent", tag, 1).await;
        tokio::time::sleep(Duration::from_millis(200)).await;
        let killed = kill(&mut workers, &intent.worker);
        workers.push(world.worker().await);
        let (again, seen) = world.log.wait_for("intent", tag, 2).await;
        assert_ne!(again.worker, intent.worker);
        assert_eq!(again.key, intent.key, "it is the same call");
        judge::at_most(&format!("{tag} resumed by a peer"), seen - killed, RESUMED_WITHIN);
    }
    world.done(&id).await;
    for tag in tags {
        assert_eq!(world.log.count("settled", tag), 1, "{tag} is settled once");
        assert_eq!(world.log.count("paid", tag), 1, "{tag} was paid once: the other was killed");
    }
    assert_eq!(world.jobs.in_doubt(JobFilter::default()).await.unwrap(), []);
}

pub(crate) async fn j03_a_kill_between_steps_repeats_nothing(mut world: World) {
    let acts = vec![Act::paying("s1", 50), Act::paying("s2", 50)];
    let mut workers = vec![world.worker().await];
    let id = world.start("two", &Script { acts, sleep_ms: 1500, ..Script::default() }).await;
    let (end, _) = world.log.wait_for("end", "s1", 1).await;
    let recorded =
        |event: &salve_jobs::JobEvent| matches!(event.what, salve_jobs::Happened::StepDone { .. });
    while !world.jobs.history(&id, salve_jobs::EventId(0), 100).await.unwrap().iter().any(recorded)
    {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    kill(&mut workers, &end.worker);
    workers.push(world.worker().await);
    world.done(&id).await;
    for tag in ["s1", "s2"] {
        assert_eq!(world.log.count("begin", tag), 1, "{tag}");
    }
}

pub(crate) async fn j04_a_kill_in_a_fan_out_keeps_what_has_ended(mut world: World) {
    let children =
        (1..=5).map(|n: u64| Act::paying(&format!("c{n}"), if n <= 2 { 50 } else { 3000 }));
    let script = Script {
        children: children.collect(),
        last: vec![Act::plain("last")],
        ..Script::default()
    };
    let mut config = world.config();
    config.steps_at_once = 8;
    let mut workers = vec![world.start_worker(config).await];
    let id = world.start("fan", &script).await;
    for tag in ["c1", "c2"] {
        world.log.wait_for("end", tag, 1).await;
    }
    for tag in ["c3", "c4", "c5"] {
        world.log.wait_for("intent", tag, 1).await;
    }
    let ended = ["c1", "c2"].map(|tag| id.child(tag).unwrap());
    for child in &ended {
        world.done(child).await;
    }
    let name = workers[0].name.clone();
    let killed = kill(&mut workers, &name);
    workers.push(world.worker().await);
    for tag in ["c3", "c4", "c5"] {
        let (_, seen) = world.log.wait_for("intent", tag, 2).await;
        judge::at_most(&format!("{tag} resumed by a peer"), seen - killed, RESUMED_WITHIN);
    }
    let output = world.done(&id).await;
    assert_eq!(output.as_array().unwrap().len(), 6, "all five are joined, and the last");
    for tag in ["c1", "c2", "last"] {
        assert_eq!(world.log.count("begin", tag), 1, "{tag} is not done again");
    }
    for tag in ["c3", "c4", "c5"] {
        assert_eq!(world.log.count("settled", tag), 1, "{tag}");
    }
    let tree = world.jobs.tree(&id).await.unwrap();
    assert!(tree.children.iter().all(|child| matches!(child.job.state, JobState::Done { .. })));
    assert_eq!(tree.children.len(), 5);
}

pub(crate) async fn j06_a_kill_behind_the_settlement_pays_nothing_again(mut world: World) {
    let act = Act { wait_ms: 1500, ..Act::paying("s1", 50) };
    let mut workers = vec![world.worker().await];
    let id = world.start("settled", &Script { acts: vec![act], ..Script::default() }).await;
    let (settled, _) = world.log.wait_for("settled", "s1", 1).await;
    let killed = kill(&mut workers, &settled.worker);
    workers.push(world.worker().await);
    let (_, seen) = world.log.wait_for("settled", "s1", 2).await;
    judge::at_most("the result reused by a peer", seen - killed, RESUMED_WITHIN);
    let output = world.done(&id).await;
    assert_eq!(output[0]["said"], format!("s1 by {}", settled.worker), "the first one's answer");
    assert_eq!((world.log.count("intent", "s1"), world.log.count("paid", "s1")), (1, 1));
}

pub(crate) async fn j07_a_database_that_is_away_costs_nothing_twice(mut world: World) {
    let mut config = world.config();
    let proxy = Proxy::before(world.address.as_deref().unwrap()).await;
    config.address = Some(proxy.address.clone());
    let _worker = world.start_worker(config).await;
    let id = world
        .start("away", &Script { acts: vec![Act::paying("s1", 1500)], ..Script::default() })
        .await;
    world.log.wait_for("intent", "s1", 1).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    proxy.cut();
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert_eq!(world.log.count("paid", "s1"), 1, "it was paid while nobody could be told");
    proxy.mend();
    let back = Instant::now();
    let output = world.done(&id).await;
    judge::at_most("ended behind the database's return", back.elapsed(), Duration::from_secs(20));
    assert_eq!((world.log.count("intent", "s1"), world.log.count("paid", "s1")), (1, 1));
    assert!(output[0]["said"].as_str().unwrap().starts_with("s1 by "));
    assert_eq!(world.jobs.in_doubt(JobFilter::default()).await.unwrap(), []);
}

pub(crate) async fn j08_a_zombie_is_late(mut world: World) {
    let first = world.worker().await;
    let act = Act { pay: Some(Pay { ms: 700, ..Pay::default() }), ..Act::plain("s1") };
    let id = world.start("zombie", &Script { acts: vec![act], ..Script::default() }).await;
    let (intent, _) = world.log.wait_for("intent", "s1", 1).await;
    first.signal(Signal::STOP);
    let stopped = Instant::now();
    let second = world.worker().await;
    let (again, seen) = world.log.wait_for("intent", "s1", 2).await;
    judge::at_most("taken over from a stopped worker", seen - stopped, RESUMED_WITHIN);
    assert_eq!((again.epoch, &*again.worker, &*again.key), (2, &*second.name, &*intent.key));
    let output = world.done(&id).await;
    first.signal(Signal::CONT);
    // It pays, is late, and hears what the other one got.
    let paid = world.log.wait_for("paid", "s1", 2).await.0;
    assert_eq!(paid.worker, first.name);
    world.log.wait_for("settled", "s1", 2).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(world.done(&id).await, output, "what it did is not used");
    assert_eq!(output[0]["said"], format!("s1 by {}", second.name));
    assert_eq!(world.jobs.in_doubt(JobFilter::default()).await.unwrap(), []);
    let events = world.events(&id).await;
    let done =
        |event: &&salve_jobs::JobEvent| matches!(event.what, salve_jobs::Happened::StepDone { .. });
    assert_eq!(events.iter().filter(done).count(), 1);
    let calls = world.calls().await;
    let [call] = &calls[..] else { panic!("one call in the ledger, not {calls:#?}") };
    let [lost] = &call.tries[..] else { panic!("one lost try, not {:#?}", call.tries) };
    assert!(lost.worker.contains(&first.name) && lost.late.is_some(), "{lost:#?}");
}
