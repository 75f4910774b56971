//! Calls of which it is unknown whether they were paid.

use crate::act::{Act, Pay};
use crate::flows::Script;
use crate::judge;
use crate::world::{LEASE, World};
use salve_jobs::{Decision, DoubtPolicy, InDoubtStep, JobFilter, JobId, JobState, JobsError};
use std::time::{Duration, Instant};

fn held(tag: &str, policy: DoubtPolicy) -> Script {
    let pay = Pay { ms: 20, hold_ms: 60_000, policy, micro_dollars: 200_000 };
    let act = Act { pay: Some(pay), ..Act::plain(tag) };
    // What is made again is not held again: the tag of a second try is the same, its wait is not.
    Script { acts: vec![act], ..Script::default() }
}

pub(crate) async fn j05_a_call_in_doubt_is_listed_and_decided_by_policy(mut world: World) {
    let mut first = world.worker().await;
    let policies = [
        ("use", DoubtPolicy::Ask),
        ("again", DoubtPolicy::AskAbove(100_000)),
        ("no", DoubtPolicy::Ask),
        ("fail", DoubtPolicy::Fail),
        ("retry", DoubtPolicy::Retry),
    ];
    for (tag, policy) in policies {
        world.start(tag, &held(tag, policy)).await;
    }
    for (tag, _) in policies {
        world.log.wait_for("paid", tag, 1).await;
    }
    assert_eq!(world.jobs.in_doubt(JobFilter::default()).await.unwrap(), [], "its owner is seen");
    let killed = first.kill();
    let _second = world.worker().await;
    let job = |tag: &str| JobId::new(tag).unwrap();
    for tag in ["use", "again", "no"] {
        let state = world.until(&job(tag), |state| matches!(state, JobState::Waiting { .. })).await;
        let JobState::Waiting { signal } = state else { unreachable!("it waits") };
        assert!(signal.starts_with("resolve."), "{signal}");
    }
    judge::at_most("asked about a dead worker's calls", killed.elapsed(), LEASE + LEASE);
    let (_, seen) = world.log.wait_for("intent", "retry", 2).await;
    judge::at_most("made again by policy", seen - killed, LEASE + Duration::from_secs(2));
    let JobState::Failed { error } = world.ended(&job("fail")).await else {
        panic!("policy fail did not fail")
    };
    assert!(error.to_string().contains("may have been paid"), "{error}");
    let listed = world.jobs.in_doubt(JobFilter::default()).await.unwrap();
    let mut jobs: Vec<_> =
        listed.iter().map(|step| step.job.clone().unwrap().to_string()).collect();
    jobs.sort();
    assert_eq!(jobs, ["again", "fail", "no", "use"]);
    assert!(listed.iter().all(|step| step.worker.contains(&first.name)), "{listed:?}");
    assert!(listed.iter().all(|step| step.worst_micro_dollars == 200_000), "{listed:?}");
    decide_all(&world, &listed).await;
}

async fn decide_all(world: &World, listed: &[InDoubtStep]) {
    let key = |tag: &str| {
        let job = JobId::new(tag).unwrap();
        listed.iter().find(|step| step.job.as_ref() == Some(&job)).unwrap().key.clone()
    };
    let decide = async |tag: &str, decision: Decision| {
        world.jobs.resolve(&key(tag), decision.clone()).await.unwrap();
        world.jobs.resolve(&key(tag), decision).await.unwrap();
    };
    decide("use", Decision::UseResult("mine".to_owned())).await;
    decide("no", Decision::Fail).await;
    decide("again", Decision::Retry).await;
    let output = world.done(&JobId::new("use").unwrap()).await;
    assert_eq!(output[0]["said"], "mine");
    assert_eq!(world.log.count("intent", "use"), 1, "not made again");
    let JobState::Failed { error } = world.ended(&JobId::new("no").unwrap()).await else {
        panic!("it was decided that it fails")
    };
    assert!(error.to_string().contains("not made again"), "{error}");
    let begun = Instant::now();
    let (again, _) = world.log.wait_for("intent", "again", 2).await;
    assert_eq!(again.epoch, 2);
    println!("made again {:.2} s behind the decision", begun.elapsed().as_secs_f64());
    let nobody = salve_jobs::CallKey::new("nobody:1:1:0");
    let refused = world.jobs.resolve(&nobody, Decision::Retry).await;
    assert!(matches!(refused, Err(JobsError::NoSuchCall { .. })), "{refused:?}");
}
