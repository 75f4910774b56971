//! Power cuts while calls are paid: what the ledger or the spool has acknowledged is there afterwards.
//!
//! In: a process that reserves and settles calls, with a ledger that answers and with one that is away,
//! and says so once each is acknowledged. Out: its files as a power cut may have left them, at every
//! sync and every acknowledgement. In each of them a settled call has its result, a reserved one is not
//! made again without a word, and what was spooled is found.

use super::disk::{Disk, Keep};
use super::trace::{LOG, Seen, read_trace, traced};
use crate::judge::{PAYER, payer_folder};
use crate::world::{LEASE, clock, store_options};
use salve_engine::jobs::{JobsPlace, OpenJobs, open_jobs};
use salve_jobs::{
    CallKey, CallLedger, CallResult, JobId, MemoryLedger, Reserve, Settlement, SpooledLedger,
    StepCall, step_key,
};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

const CALLS: u32 = 3;
/// Random states at each instant, beside the two extremes.
const RANDOM: u64 = 3;
/// The spool of the ledger that is away; it is made by the process that is traced.
const AWAY: &str = "spool-away/below";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_power_cut_loses_no_call_that_was_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let (place, trace) = (folder.path().join("jobs"), folder.path().join("trace"));
    open(&place).await.close(Duration::from_secs(5)).await;
    let begin = Disk::read(&place);
    let told = (PAYER, place.to_str().unwrap());
    let Some(mut payer) = traced(&place, &trace, "power::paid::a_payer_when_started_as_one", told)
    else {
        println!("SKIPPED: a_power_cut_loses_no_call_that_was_acknowledged (no strace)");
        return;
    };
    assert!(payer.wait().unwrap().success(), "{:?}", std::fs::read(place.join("worker.err")));
    let seen = whole_trace(&place, &trace).await;
    let (instants, states) = judge_cuts(begin, &seen).await;
    println!(
        "power cuts: {states} states at {instants} instants of {CALLS} calls in the ledger and \
         {CALLS} in the spool; none that was acknowledged is lost"
    );
}

// The tracer may write the last lines after the end of the process.
async fn whole_trace(place: &Path, trace: &Path) -> Vec<Seen> {
    for _ in 0..200 {
        let seen = read_trace(&std::fs::read_to_string(trace).unwrap(), place);
        if seen.iter().filter(|seen| matches!(seen, Seen::Said(_))).count() == 3 * CALLS as usize {
            return seen;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the trace does not tell what the process said");
}

/// What a traced process does.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_payer_when_started_as_one() {
    let Some(place) = payer_folder() else { return };
    let mut log = OpenOptions::new().append(true).create(true).open(place.join(LOG)).unwrap();
    let mut say = |what: &str, n: u32| log.write_all(format!("{what} {n}").as_bytes()).unwrap();
    let opened = open(&place).await;
    for n in 0..CALLS {
        let epoch = reserved(&*opened.ledger, n).await;
        say("reserved", n);
        let settled = opened.ledger.settle(&key(n), epoch, result(n)).await.unwrap();
        assert_eq!(settled, Settlement::Counted);
        say("settled", n);
    }
    let shared = MemoryLedger::new(clock(), "payer");
    let spool = SpooledLedger::open(Arc::new(shared.clone()), &place.join(AWAY)).await.unwrap();
    let mut epochs = Vec::new();
    for n in 0..CALLS {
        epochs.push(reserved(&spool, n).await);
    }
    shared.cut_off(true);
    for (n, epoch) in (0..CALLS).zip(epochs) {
        let settled = spool.settle(&key(n), epoch, result(n)).await.unwrap();
        assert_eq!(settled, Settlement::Spooled);
        say("spooled", n);
    }
}

async fn open(place: &Path) -> OpenJobs {
    let folder = JobsPlace::Folder(place.to_owned());
    open_jobs(&folder, store_options("payer", LEASE)).await.unwrap()
}

async fn reserved(ledger: &dyn CallLedger, n: u32) -> u32 {
    match ledger.reserve(&key(n), &StepCall::default()).await.unwrap() {
        Reserve::Fresh { epoch, .. } => epoch,
        other => panic!("{other:?}"),
    }
}

fn key(n: u32) -> CallKey {
    step_key(&JobId::new("cut").unwrap(), n, 1, "x")
}

// Long enough to be torn.
fn result(n: u32) -> CallResult {
    let text = format!("answer {n} ").repeat(400);
    CallResult { answered: true, text, ..CallResult::default() }
}

async fn judge_cuts(mut disk: Disk, seen: &[Seen]) -> (u64, u64) {
    let (mut instants, mut states) = (0, 0);
    let mut said: Vec<&str> = Vec::new();
    for what in seen.iter().map(Some).chain([None]) {
        if matches!(what, None | Some(Seen::Synced(_) | Seen::Said(_))) {
            instants += 1;
            let random = (0..RANDOM).map(|n| Keep::Some(instants * RANDOM + n));
            for keep in [Keep::Nothing, Keep::All].into_iter().chain(random) {
                let folder = tempfile::tempdir().unwrap();
                disk.write_to(folder.path(), keep);
                judge(folder.path(), &said, &format!("{keep:?} after {said:?}")).await;
                states += 1;
            }
        }
        match what {
            Some(Seen::Said(line)) => said.push(line),
            Some(what) => disk.apply(what),
            None => {}
        }
    }
    (instants, states)
}

async fn judge(place: &Path, said: &[&str], when: &str) {
    let is_said = |what: &str, n: u32| said.contains(&format!("{what} {n}").as_str());
    let opened = open(place).await;
    // The ledger is away: what is found is what is on this disk.
    let shared = MemoryLedger::new(clock(), "after");
    shared.cut_off(true);
    let spool = SpooledLedger::open(Arc::new(shared), &place.join(AWAY)).await.unwrap();
    for n in 0..CALLS {
        if is_said("reserved", n) {
            let found = opened.ledger.reserve(&key(n), &StepCall::default()).await.unwrap();
            match found {
                Reserve::Done(found) => assert_eq!(found, result(n), "{when}"),
                Reserve::InDoubt { .. } if !is_said("settled", n) => {}
                other => panic!("call {n} is {other:?}: {when}"),
            }
        }
        if is_said("spooled", n) {
            let found = spool.reserve(&key(n), &StepCall::default()).await.unwrap();
            assert_eq!(found, Reserve::Done(result(n)), "the spool: {when}");
        }
    }
    opened.close(Duration::from_secs(5)).await;
}
