//! Power cuts during a job: what was acknowledged is there afterwards, whatever was not synced yet.
//!
//! In: a worker whose writes and syncs are recorded by `strace`. Out: the database as a power cut may
//! have left it, before and after every sync and every acknowledgement: without what was not synced,
//! with all of it, or with parts of it. Each must open and hold every acknowledged step; from some of
//! them the job is brought to its end, and does no acknowledged step again.

mod disk;
mod paid;
mod trace;

use crate::act::Act;
use crate::flows::{Generation, Script, flows, script_flow, steps};
use crate::judge;
use crate::paid_log::PaidLog;
use crate::worker::WorkerConfig;
use crate::world::{LEASE, store_options};
use disk::{Disk, Keep};
use rustix::process::Pid;
use salve_engine::jobs::{JobsPlace, open_jobs};
use salve_jobs::{JobId, JobRunner, JobState, Jobs, StartOptions, Started};
use sqlx::{Connection, SqliteConnection};
use std::path::Path;
use std::time::Duration;
use trace::Seen;

const JOB: &str = "cut";
const STEPS: usize = 6;
/// Random states at each instant, beside the two extremes.
const RANDOM: u64 = 3;
/// From this many states the job is brought to its end.
const RESUMED: usize = 4;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_power_cut_loses_no_acknowledged_step() {
    let folder = tempfile::tempdir().unwrap();
    let (place, trace) = (folder.path().join("jobs"), folder.path().join("trace"));
    start(&place).await;
    let begin = Disk::read(&place);
    let told = serde_json::to_string(&config(&place)).unwrap();
    let told = (judge::WORKER, told.as_str());
    let Some(mut worker) = trace::traced(&place, &trace, "a_worker_when_started_as_one", told)
    else {
        println!(
            "SKIPPED: a_power_cut_loses_no_acknowledged_step (no strace, or it may not trace)"
        );
        return;
    };
    let log = PaidLog::at(&place.join("paid.log"));
    log.wait_for("end", &format!("s{}", STEPS - 1), 1).await;
    // The last turn is committed after the last step.
    tokio::time::sleep(Duration::from_secs(2)).await;
    worker.kill().unwrap();
    worker.wait().unwrap();
    let seen = trace::read_trace(&std::fs::read_to_string(&trace).unwrap(), &place);
    let syncs = seen.iter().filter(|seen| matches!(seen, Seen::Synced(_))).count();
    assert!(syncs > STEPS, "each step is synced more than once: {syncs} syncs");
    let cuts = judge_cuts(begin, &seen).await;
    println!(
        "power cuts: {} states at {} instants of a job of {STEPS} steps ({syncs} syncs), \
         {} of them resumed; no acknowledged step lost",
        cuts.states, cuts.instants, cuts.resumed
    );
}

async fn start(place: &Path) {
    let folder = JobsPlace::Folder(place.to_owned());
    let opened = open_jobs(&folder, store_options("client", LEASE)).await.unwrap();
    let acts = (0..STEPS).map(|n| Act::plain(&format!("s{n}"))).collect();
    let input = serde_json::to_value(Script { acts, ..Script::default() }).unwrap();
    let id = JobId::new(JOB).unwrap();
    let started = opened.jobs.start(&script_flow(1), id, input, StartOptions::default()).await;
    assert_eq!(started.unwrap(), Started::New);
    opened.close(Duration::from_secs(5)).await;
}

fn config(place: &Path) -> WorkerConfig {
    WorkerConfig {
        name: "traced".to_owned(),
        folder: place.to_owned(),
        address: None,
        log: place.join("paid.log"),
        provider: None,
        generation: Generation::Old,
        lease_ms: u64::try_from(LEASE.as_millis()).unwrap(),
        most_deaths: 10,
        steps_at_once: 2,
        parent: Pid::as_raw_nonzero(rustix::process::getpid()).get(),
    }
}

#[derive(Default)]
struct Cuts {
    instants: usize,
    states: usize,
    resumed: usize,
}

async fn judge_cuts(mut disk: Disk, seen: &[Seen]) -> Cuts {
    let mut cuts = Cuts::default();
    let mut begun = 0;
    let every = (seen.len() / RESUMED).max(1);
    let mut resume_at = every;
    for (at, what) in seen.iter().enumerate() {
        let is_begun = matches!(what, Seen::Said(line) if line.contains("\"begin\""));
        let is_instant = matches!(what, Seen::Synced(_)) || is_begun;
        if is_instant {
            judge_instant(&disk, begun, &mut cuts).await;
        }
        disk.apply(what);
        begun += usize::from(is_begun);
        if is_instant && at >= resume_at {
            resume(&disk, begun).await;
            cuts.resumed += 1;
            resume_at += every;
        }
    }
    judge_instant(&disk, begun, &mut cuts).await;
    cuts
}

async fn judge_instant(disk: &Disk, begun: usize, cuts: &mut Cuts) {
    cuts.instants += 1;
    let seed = cuts.instants as u64 * RANDOM;
    let random = (0..RANDOM).map(|n| Keep::Some(seed + n));
    for keep in [Keep::Nothing, Keep::All].into_iter().chain(random) {
        let folder = tempfile::tempdir().unwrap();
        disk.write_to(folder.path(), keep);
        let completed = completed(&folder.path().join("salve.db")).await;
        // A step that has begun was scheduled after the one before it was completed.
        let acknowledged = begun.saturating_sub(1);
        assert!(
            completed >= acknowledged,
            "{completed} steps are left of {acknowledged} that were acknowledged, with {keep:?}"
        );
        cuts.states += 1;
    }
}

/// Opens the database, which must be whole, and returns how many steps it knows to be done.
async fn completed(path: &Path) -> usize {
    let address = format!("sqlite:{}", path.display());
    let mut database = SqliteConnection::connect(&address).await.unwrap();
    let checked: String =
        sqlx::query_scalar("PRAGMA integrity_check").fetch_one(&mut database).await.unwrap();
    assert_eq!(checked, "ok");
    let count: i64 = sqlx::query_scalar(
        "SELECT (SELECT count(*) FROM engine_history
                  WHERE instance = $1 AND body LIKE '%ActivityCompleted%')
              + (SELECT count(*) FROM engine_messages
                  WHERE instance = $1 AND body LIKE '%ActivityCompleted%')",
    )
    .bind(JOB)
    .fetch_one(&mut database)
    .await
    .unwrap();
    database.close().await.unwrap();
    usize::try_from(count).unwrap()
}

/// Brings the job to its end from what is left without all that was not synced.
async fn resume(disk: &Disk, begun: usize) {
    let folder = tempfile::tempdir().unwrap();
    disk.write_to(folder.path(), Keep::Nothing);
    let config = config(folder.path());
    let opened = open_jobs(&config.place(), store_options("after", LEASE)).await.unwrap();
    let (flows, steps) = (flows(Generation::Old), steps(&config.stage()));
    let runner = opened.jobs.run(flows, steps, config.runner_options()).await.unwrap();
    let id = JobId::new(JOB).unwrap();
    for _ in 0..3000 {
        let state = opened.jobs.state(&id).await.unwrap().unwrap().state;
        if let JobState::Done { output } = state {
            assert_eq!(output.as_array().map(Vec::len), Some(STEPS));
            let log = PaidLog::at(&folder.path().join("paid.log"));
            for n in 0..begun.saturating_sub(1) {
                assert_eq!(log.count("begin", &format!("s{n}")), 0, "s{n} was acknowledged");
            }
            runner.drain(Duration::from_secs(5)).await;
            opened.close(Duration::from_secs(5)).await;
            return;
        }
        assert!(!state.is_terminal(), "{state:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the job did not end after a power cut");
}
