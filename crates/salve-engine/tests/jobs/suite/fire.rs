//! Many jobs, three workers, and someone who kills them.
//!
//! Payments are counted by a simulated provider that knows nothing of jobs. What it was asked twice
//! must have been in doubt, and only what was open when a worker was killed may be in doubt.

use crate::act::Act;
use crate::flows::Script;
use crate::judge;
use crate::world::{Worker, World};
use salve_jobs::{JobFilter, JobState, Retry};
use salve_model::sim::{KeptRequests, Script as SimScript, SimHandle, SimServer};
use salve_store::CallState;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// How many steps one worker does at once.
const AT_ONCE: usize = 6;

/// How much there is to do, and how often someone is killed.
struct Sizes {
    jobs: usize,
    steps: usize,
    kills: usize,
    seed: u64,
}

pub(crate) async fn j09_every_step_is_paid_once_under_fire(mut world: World) {
    let sizes = Sizes {
        jobs: judge::size("SALVE_JOBS_FAULT_JOBS", 10),
        steps: judge::size("SALVE_JOBS_FAULT_STEPS", 4),
        kills: judge::size("SALVE_JOBS_FAULT_KILLS", 6),
        seed: judge::size("SALVE_JOBS_FAULT_SEED", 7),
    };
    let provider = provider(&sizes).await;
    let mut field =
        Field { killed: BTreeSet::new(), doubted: BTreeSet::new(), workers: Vec::new() };
    for _ in 0..3 {
        field.workers.push(soldier(&mut world, &provider).await);
    }
    let mut jobs = Vec::new();
    for n in 0..sizes.jobs {
        let acts = (0..sizes.steps).map(|step| Act::paying(&format!("{n}-{step}"), 0)).collect();
        let retry = Some(Retry { attempts: 5, ..Retry::default() });
        jobs.push(
            world.start(&format!("job-{n}"), &Script { acts, retry, ..Script::default() }).await,
        );
    }
    let begun = Instant::now();
    let mut dice = Dice(sizes.seed);
    while field.killed.len() < sizes.kills {
        tokio::time::sleep(Duration::from_millis(400 + dice.below(1000))).await;
        let target = usize::try_from(dice.below(3)).unwrap();
        field.workers[target].kill();
        field.killed.insert(field.workers[target].name.clone());
        field.workers[target] = soldier(&mut world, &provider).await;
        field.look(&world).await;
    }
    println!("{} kills in {:.1} s", field.killed.len(), begun.elapsed().as_secs_f64());
    for id in &jobs {
        let state = world.ended(id).await;
        assert!(matches!(state, JobState::Done { .. }), "{id} is {state:?}");
        field.look(&world).await;
    }
    println!("all jobs ended in {:.1} s", begun.elapsed().as_secs_f64());
    judge_payments(&world, &sizes, &field, &provider).await;
}

/// A provider that answers after a while and keeps every request.
async fn provider(sizes: &Sizes) -> SimHandle {
    // So slow that there is work for as long as there are kills.
    let rounds = (sizes.steps * sizes.jobs.div_ceil(3 * AT_ONCE)).max(1);
    let delay = 900 * sizes.kills / rounds;
    let script = format!(r#"{{"reply":{{"text":"yes","delay_ms":{delay}}}}}"#);
    let script = SimScript::parse(&script).unwrap();
    let requests = sizes.jobs * sizes.steps * 10 + 1000;
    let server = SimServer { keep: KeptRequests { requests, bytes: 64 << 20 } };
    server.play(script, std::net::SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap()
}

async fn soldier(world: &mut World, provider: &SimHandle) -> Worker {
    let mut config = world.config();
    config.provider = Some(provider.url());
    config.steps_at_once = AT_ONCE;
    // A kill hits whatever is under way; no worker may stay stuck by bad luck.
    config.most_deaths = 50;
    world.start_worker(config).await
}

/// Who was killed, and what was ever in doubt.
struct Field {
    workers: Vec<Worker>,
    killed: BTreeSet<String>,
    doubted: BTreeSet<String>,
}

impl Field {
    async fn look(&mut self, world: &World) {
        for step in world.jobs.in_doubt(JobFilter::default()).await.unwrap() {
            let dead = self.killed.iter().any(|name| is_of(&step.worker, name));
            assert!(dead, "{} is in doubt and {} was not killed", step.key, step.worker);
            self.doubted.insert(step.key.as_str().to_owned());
        }
    }
}

/// Returns whether a worker of the ledger is the one of this name.
fn is_of(worker: &str, name: &str) -> bool {
    worker.split(|c: char| !c.is_ascii_alphanumeric()).any(|part| part == name)
}

async fn judge_payments(world: &World, sizes: &Sizes, field: &Field, provider: &SimHandle) {
    let mut asked: BTreeMap<String, usize> = BTreeMap::new();
    for request in provider.requests() {
        let body = String::from_utf8_lossy(&request.body).into_owned();
        let (_, rest) = body.split_once('<').unwrap();
        *asked.entry(rest.split_once('>').unwrap().0.to_owned()).or_default() += 1;
    }
    assert_eq!(asked.len(), sizes.jobs * sizes.steps, "every step was paid");
    // The ledger's own list of what was in doubt: calls that were taken from the process that had
    // them.
    let mut in_doubt: BTreeMap<String, usize> = BTreeMap::new();
    let calls = world.calls().await;
    for detail in &calls {
        let key = detail.call.key.clone().unwrap_or_default();
        assert_eq!(detail.call.state, CallState::Settled, "{key}");
        for lost in &detail.tries {
            let dead = field.killed.iter().any(|name| is_of(&lost.worker, name));
            assert!(dead, "{key} was taken from {}, which was not killed", lost.worker);
            assert!(lost.late.is_none(), "{key}: the dead do not settle");
        }
        *in_doubt.entry(world.log.tag_of(&key)).or_default() += detail.tries.len();
    }
    in_doubt.retain(|_, times| *times > 0);
    let keys: BTreeSet<_> = calls.iter().map(|detail| &detail.call.key).collect();
    assert_eq!(keys.len(), calls.len(), "each call is settled once");
    let twice: Vec<_> = asked.iter().filter(|(_, count)| **count > 1).collect();
    println!(
        "{} steps, {} requests, {} paid more than once, {} were in doubt, {} seen in the list",
        asked.len(),
        asked.values().sum::<usize>(),
        twice.len(),
        in_doubt.len(),
        field.doubted.len(),
    );
    for (tag, count) in twice {
        let doubts = in_doubt.get(tag).copied().unwrap_or_default();
        assert!(*count <= 1 + doubts, "{tag} was paid {count} times and in doubt {doubts} times");
    }
    assert_eq!(world.jobs.in_doubt(JobFilter::default()).await.unwrap(), [], "all decided");
}

/// Numbers that are the same for the same seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}
