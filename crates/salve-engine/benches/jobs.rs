//! What the engine costs around the work: jobs per second, the time of one, and doing nothing.
//!
//! In: jobs of one step that does nothing, on a file in a temporary folder; with feature `fleet` and
//! the argument `--postgres ADDRESS` on that database instead. Out: one table, each line with the
//! figure asked for and PASS or BELOW.
#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

use futures_util::StreamExt;
use salve_engine::facts::TextRedactor;
use salve_engine::jobs::{JobsPlace, open_jobs};
use salve_jobs::{
    EngineJobs, EventId, FlowName, Flows, JobId, JobRunner, Jobs, Json, Retry, StartOptions,
    StepName, Steps, WorkerOptions,
};
use salve_store::StoreOptions;
use salve_text::RedactOptions;
use salve_types::{Clock, Timestamp};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

const AT_ONCE: usize = 16;
const JOBS: usize = 480;
const ROUNDS: usize = 21;
const IDLE: Duration = Duration::from_secs(5);
const MIB: u64 = 1 << 20;

/// What is asked for: jobs per second, and the time of one.
struct Goals {
    per_second: f64,
    overhead: Duration,
}

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .expect("threads for the benchmark");
    runtime.block_on(measure());
}

async fn measure() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let (jobs, goals, place) = open(folder.path()).await;
    let flow = FlowName::new("One", 1).expect("a name");
    let flows = Flows::default().with(flow, |context, input| async move {
        let step =
            StepName::new("do").map_err(|error| salve_jobs::FlowError::new(error.to_string()))?;
        Ok(context.step(&step, input, Retry::NEVER).await?)
    });
    let step = StepName::new("do").expect("a name");
    let steps = Steps::default().with(step, |_, input| async move { Ok(input) });
    let runner = jobs.run(flows, steps, WorkerOptions::default()).await.expect("a runner");
    println!("{:<52} {:>14} {:>14}  verdict", format!("jobs in {place}"), "measured", "limit");
    idle().await;
    one(&jobs, &goals).await;
    many(&jobs, &goals).await;
    memory("memory after all of it");
    runner.drain(Duration::from_secs(5)).await;
}

async fn open(folder: &Path) -> (Arc<EngineJobs>, Goals, &'static str) {
    #[cfg(feature = "fleet")]
    if let Some(address) = std::env::args().skip_while(|word| word != "--postgres").nth(1) {
        let index = Arc::new(salve_jobs::MemoryJobIndex::new(clock()));
        let ledger = Arc::new(salve_jobs::MemoryLedger::new(clock(), "bench"));
        let jobs = EngineJobs::postgres(&address, index, ledger, clock()).await;
        let goals = Goals { per_second: 100.0, overhead: Duration::from_millis(400) };
        return (Arc::new(jobs.expect("a database")), goals, "Postgres");
    }
    let redactor = Arc::new(TextRedactor::new(&RedactOptions::default()));
    let options = StoreOptions::new(clock(), redactor, "bench");
    let opened = open_jobs(&JobsPlace::Folder(folder.to_owned()), options).await;
    let goals = Goals { per_second: 40.0, overhead: Duration::from_millis(250) };
    (opened.expect("a folder of jobs").jobs, goals, "a file")
}

fn clock() -> Arc<dyn Clock> {
    #[expect(clippy::disallowed_methods, reason = "the engine's timers are set by the time of day")]
    let now = || {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    };
    Arc::new(now)
}

/// A worker that has nothing to do.
async fn idle() {
    tokio::time::sleep(Duration::from_secs(1)).await;
    let before = processor_time();
    tokio::time::sleep(IDLE).await;
    let share = 100.0 * (processor_time() - before).as_secs_f64() / IDLE.as_secs_f64();
    goal("an idle worker, of one core", &format!("{share:.1} %"), "5 %", share <= 5.0);
    memory("memory of an idle worker");
}

fn memory(what: &str) {
    let bytes = resident();
    let shown = format!("{:.1} MiB", bytes as f64 / MIB as f64);
    goal(what, &shown, "40 MiB", bytes <= 40 * MIB);
}

/// One job at a time, from its start until its end is reported.
async fn one(jobs: &EngineJobs, goals: &Goals) {
    let mut times = Vec::new();
    for number in 0..ROUNDS {
        let begun = Instant::now();
        job(jobs, &format!("one{number}")).await;
        times.push(begun.elapsed());
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    times.sort();
    let median = times[times.len() / 2];
    let limit = format!("{:?}", goals.overhead);
    let shown = format!("{:.0} ms", median.as_secs_f64() * 1000.0);
    goal("one job of one step on an idle system, median", &shown, &limit, median <= goals.overhead);
}

async fn many(jobs: &Arc<EngineJobs>, goals: &Goals) {
    let begun = Instant::now();
    let all = futures_util::stream::iter(0..JOBS).map(|number| {
        let jobs = Arc::clone(jobs);
        async move {
            let begun = Instant::now();
            job(&jobs, &format!("many{number}")).await;
            begun.elapsed()
        }
    });
    let mut times: Vec<Duration> = all.buffer_unordered(AT_ONCE).collect().await;
    let rate = JOBS as f64 / begun.elapsed().as_secs_f64();
    times.sort();
    println!("{:<52} {:>14}", "  one of 16, median", format!("{:.0?}", times[times.len() / 2]));
    let limit = format!("{:.0}/s", goals.per_second);
    goal(
        "jobs of one step, 16 at a time",
        &format!("{rate:.0}/s"),
        &limit,
        rate >= goals.per_second,
    );
}

async fn job(jobs: &EngineJobs, name: &str) {
    let flow = FlowName::new("One", 1).expect("a name");
    let run = uuid::Uuid::now_v7().simple();
    let id = JobId::new(&format!("{name}-{run}")).expect("a name");
    let started = jobs.start(&flow, id.clone(), Json::Null, StartOptions::default()).await;
    assert_eq!(started.expect("a start"), salve_jobs::Started::New);
    let last = jobs.watch(&id, EventId(0)).fold(None, |_, event| async { Some(event) }).await;
    let last = last.expect("an end").expect("events");
    assert!(matches!(last.what, salve_jobs::Happened::Ended { .. }), "{last:?}");
}

fn goal(what: &str, measured: &str, limit: &str, reached: bool) {
    let verdict = if reached { "PASS" } else { "BELOW" };
    println!("{what:<52} {measured:>14} {limit:>14}  {verdict}");
}

fn processor_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("what Linux says of a process");
    // After the name in parentheses; user and system time are the 14th and 15th field of all.
    let fields: Vec<&str> =
        stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace().collect();
    let ticks: u64 = fields[11..13].iter().map(|field| field.parse::<u64>().expect("ticks")).sum();
    Duration::from_millis(ticks * 10)
}

fn resident() -> u64 {
    let status =
        std::fs::read_to_string("/proc/self/status").expect("what Linux says of a process");
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).expect("a size");
    let kib: u64 = line.split_whitespace().nth(1).expect("a number").parse().expect("a number");
    kib * 1024
}
