//! Steps that fail, and steps that kill.

use crate::act::Act;
use crate::flows::Script;
use crate::world::{Worker, World};
use salve_jobs::{Happened, JobState, Retry};
use std::time::{Duration, Instant};

pub(crate) async fn j10_retries_are_counted_and_wait(mut world: World) {
    let _worker = world.worker().await;
    let retry = Retry {
        attempts: 3,
        first_wait: Duration::from_millis(200),
        longest_wait: Duration::from_millis(300),
    };
    let script = |tag: &str, fail_times, fatal| Script {
        acts: vec![Act { fail_times, fatal, ..Act::plain(tag) }],
        retry: Some(retry),
        ..Script::default()
    };
    let begun = Instant::now();
    let passes = world.start("passes", &script("passes", 2, false)).await;
    let never = world.start("never", &script("never", 9, false)).await;
    let fatal = world.start("fatal", &script("fatal", 0, true)).await;
    world.done(&passes).await;
    let waited = begun.elapsed();
    assert!(waited >= Duration::from_millis(500), "200 ms and then 300 ms, not {waited:?}");
    for (id, tries, message) in [(&never, 3, "not yet"), (&fatal, 1, "never")] {
        let JobState::Failed { error } = world.ended(id).await else { panic!("{id} passed") };
        assert_eq!(error.to_string(), message);
        assert_eq!(world.log.count("begin", id.as_str()), tries);
    }
    let tries = world.log.of("begin", "passes");
    assert_eq!(tries.len(), 3);
    assert_ne!(tries[0].key, tries[1].key, "each attempt has a key of its own");
    let events = world.events(&passes).await;
    let failed: Vec<u32> = events
        .iter()
        .filter_map(|event| match &event.what {
            Happened::StepFailed { attempt, error, .. } if error == "not yet" => Some(*attempt),
            _ => None,
        })
        .collect();
    assert_eq!(failed, [1, 2]);
    let woke = events.iter().filter(|event| event.what == Happened::Woke).count();
    assert_eq!(woke, 2, "one wait behind each failure");
}

pub(crate) async fn j11_a_step_that_kills_its_workers_is_stuck_alone(mut world: World) {
    let most_deaths = 3;
    let deadly = Act { die: true, ..Act::plain("deadly") };
    let poison = world.start("poison", &Script { acts: vec![deadly], ..Script::default() }).await;
    let acts = (1..=4).map(|n| Act::paying(&format!("s{n}"), 100)).collect();
    let other = world.start("other", &Script { acts, sleep_ms: 100, ..Script::default() }).await;
    let mut worker: Option<Worker> = None;
    let begun = Instant::now();
    let state = loop {
        if !worker.as_mut().is_some_and(Worker::is_alive) {
            let mut config = world.config();
            config.most_deaths = most_deaths;
            worker = Some(world.start_worker(config).await);
        }
        let state = world.look(&poison).await.state;
        if state.is_terminal() {
            break state;
        }
        assert!(begun.elapsed() < Duration::from_secs(90), "{state:?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    assert_eq!(state, JobState::Stuck { step: "act".to_owned(), attempts: most_deaths });
    assert_eq!(world.log.count("begin", "deadly"), usize::try_from(most_deaths).unwrap());
    world.done(&other).await;
    for n in 1..=4 {
        assert_eq!(world.log.count("settled", &format!("s{n}")), 1, "s{n}");
    }
}
