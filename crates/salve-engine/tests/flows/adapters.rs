//! The index and the ledger over the store.

use crate::bench::clock;
use salve_engine::facts::TextRedactor;
use salve_engine::jobs::{StoreJobIndex, StoreLedger};
use salve_jobs::{
    CallLedger, CallResult, Decision, EventId, FlowName, Happened, JobFilter, JobId, JobIndex,
    JobState, JobUpdate, Needs, NewJob, Page, Registered, Reserve, Settlement, Stage, StepCall,
    step_key,
};
use salve_store::{CallOutcome, NewCall, NewEvent, Reservation, Settled, Store, StoreOptions};
use salve_text::RedactOptions;
use salve_types::{Clock, Spend, Timestamp, Usage, WorstCase};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

const SILENCE: Duration = Duration::from_millis(300);

async fn store(folder: &Path, worker: &str, clock: &Arc<dyn Clock>) -> Store {
    let redactor = Arc::new(TextRedactor::new(&RedactOptions::default()));
    let mut options = StoreOptions::new(Arc::clone(clock), redactor, worker);
    options.silence = SILENCE;
    Store::open(&folder.join("salve.db"), options).await.expect("a store")
}

fn job(name: &str) -> JobId {
    JobId::new(name).expect("a name")
}

fn call() -> StepCall {
    let worst = WorstCase {
        prompt: Spend { tokens: 100, micro_dollars: 1000 },
        answer: Spend { tokens: 300, micro_dollars: 3000 },
    };
    StepCall { purpose: "first".into(), model: "small".into(), worst, ..StepCall::default() }
}

fn result(text: &str) -> CallResult {
    CallResult {
        answered: true,
        text: text.into(),
        usage: Some(Usage { input_tokens: 7, output_tokens: 5, ..Usage::default() }),
        micro_dollars: Some(12),
        note: json!({"finish": "length", "model": null, "deep": {"list": [1, "two"]}}),
    }
}

#[tokio::test]
async fn a_settled_call_gives_back_everything_the_step_needs() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path(), "here", &clock()).await;
    let ledger = StoreLedger::new(store.clone());
    let unknown = CallResult { usage: None, micro_dollars: None, ..result("half\0 of it é") };
    let refused = CallResult {
        answered: false,
        text: String::new(),
        usage: Some(Usage::default()),
        micro_dollars: Some(0),
        note: json!({"step_error": {"why": "fatal", "message": "no"}}),
    };
    for (at, result) in (1..).zip([result("whole"), unknown, refused, CallResult::default()]) {
        let key = step_key(&job("a"), at, 1, "x");
        let fresh = ledger.reserve(&key, &call()).await.unwrap();
        assert_eq!(fresh, Reserve::Fresh { epoch: 1, partial: String::new() });
        ledger.append(&key, 1, "some of it").await.unwrap();
        assert_eq!(ledger.settle(&key, 1, result.clone()).await, Ok(Settlement::Counted));
        assert_eq!(ledger.reserve(&key, &call()).await, Ok(Reserve::Done(result.clone())));
        // Delivered once more by a spool that did not hear of it.
        assert_eq!(ledger.settle(&key, 1, result.clone()).await, Ok(Settlement::Counted));
        assert_eq!(ledger.reserve(&key, &call()).await, Ok(Reserve::Done(result)));
    }
    store.close().await;
}

#[tokio::test]
async fn a_note_is_kept_as_it_is_and_read_as_earlier_versions_kept_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path(), "here", &clock()).await;
    let ledger = StoreLedger::new(store.clone());
    let key = step_key(&job("a"), 1, 1, "x");
    let _ = ledger.reserve(&key, &call()).await.unwrap();
    let _ = ledger.settle(&key, 1, result("whole")).await.unwrap();
    let kept = store.reserve(&key, NewCall::default()).await.unwrap();
    let Reservation::Done(kept) = kept else { panic!("{kept:?}") };
    assert_eq!(kept.call.note, Some(result("whole").note));
    for (at, note, answered, expected) in [
        (2, json!({"answered": true, "note": {"finish": "stop"}}), true, json!({"finish": "stop"})),
        (3, json!({"answered": false, "note": {"step_error": 1}}), false, json!({"step_error": 1})),
        (4, json!({"answered": false}), false, json!(null)),
    ] {
        let key = step_key(&job("a"), at, 1, "x");
        let fresh = store.reserve(&key, NewCall::default()).await.unwrap();
        let Reservation::Fresh(open) = fresh else { panic!("{fresh:?}") };
        let outcome = if answered { CallOutcome::Answered } else { CallOutcome::Failed };
        let settled = Settled { outcome, note: Some(note), ..Settled::default() };
        open.settle(settled).await.unwrap();
        let done = ledger.reserve(&key, &call()).await.unwrap();
        let Reserve::Done(done) = done else { panic!("{done:?}") };
        assert_eq!((done.answered, done.note), (answered, expected));
    }
    store.close().await;
}

#[tokio::test]
async fn a_call_of_a_worker_that_is_gone_changes_hands_once() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), clock());
    let key = step_key(&job("a/b"), 1, 1, "x");
    let other = step_key(&job("ab"), 1, 1, "x");
    let text = "what had arrived. ".repeat(200);
    let gone = store(folder.path(), "gone", &clock).await;
    let theirs = StoreLedger::new(gone.clone());
    for key in [&key, &other] {
        assert!(matches!(theirs.reserve(key, &call()).await, Ok(Reserve::Fresh { .. })));
        theirs.append(key, 1, &text).await.unwrap();
    }
    let store_here = store(folder.path(), "here", &clock).await;
    let here = StoreLedger::new(store_here.clone());
    let busy = here.reserve(&key, &call()).await.unwrap();
    assert!(matches!(busy, Reserve::InDoubt { alive: true, .. }), "{busy:?}");
    assert_eq!(here.resolve(&key, Decision::Retry).await, Ok(false), "its owner may yet settle");
    tokio::time::sleep(Duration::from_millis(200)).await;
    drop(theirs);
    gone.close().await;
    tokio::time::sleep(SILENCE + Duration::from_millis(300)).await;
    let within = JobFilter { within: Some(job("a")), ..JobFilter::default() };
    let doubts = here.in_doubt(&within).await.unwrap();
    assert_eq!(doubts.len(), 1, "{doubts:?}");
    assert_eq!((&doubts[0].key, doubts[0].worst_micro_dollars), (&key, 4000));
    assert!(doubts[0].partial_bytes > 1000 && doubts[0].worker.starts_with("gone"), "{doubts:?}");
    assert_eq!(here.in_doubt(&JobFilter::default()).await.unwrap().len(), 2);
    let taken = here.take_over(&key, &call()).await.unwrap();
    let Reserve::Fresh { epoch: 2, partial } = taken else { panic!("{taken:?}") };
    assert!(text.starts_with(&partial) && partial.len() > 1000, "{partial}");
    // The old owner comes back and says how it ended: too late.
    let back = store(folder.path(), "gone", &clock).await;
    let late = StoreLedger::new(back.clone()).settle(&key, 1, result("late")).await;
    assert_eq!(late, Ok(Settlement::Late));
    assert_eq!(here.settle(&key, 2, result("mine")).await, Ok(Settlement::Counted));
    assert_eq!(here.reserve(&key, &call()).await, Ok(Reserve::Done(result("mine"))));
    back.close().await;
    store_here.close().await;
}

#[tokio::test]
async fn a_person_decides_about_a_call_in_doubt() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), clock());
    let keys = [1, 2, 3].map(|at| step_key(&job("a"), at, 1, "x"));
    let gone = store(folder.path(), "gone", &clock).await;
    let theirs = StoreLedger::new(gone.clone());
    for key in &keys {
        let _ = theirs.reserve(key, &call()).await.unwrap();
    }
    drop(theirs);
    gone.close().await;
    tokio::time::sleep(SILENCE + Duration::from_millis(300)).await;
    let open = store(folder.path(), "here", &clock).await;
    let here = StoreLedger::new(open.clone());
    let decisions = [Decision::Retry, Decision::UseResult("this".into()), Decision::Fail];
    for (key, decision) in keys.iter().zip(decisions) {
        assert_eq!(here.resolve(key, decision).await, Ok(true));
    }
    assert_eq!(here.in_doubt(&JobFilter::default()).await, Ok(Vec::new()));
    let again = here.take_over(&keys[0], &call()).await.unwrap();
    assert!(matches!(again, Reserve::Fresh { epoch: 2, .. }), "{again:?}");
    let used = here.reserve(&keys[1], &call()).await.unwrap();
    let Reserve::Done(used) = used else { panic!("{used:?}") };
    assert_eq!((used.answered, used.text.as_str()), (true, "this"));
    let failed = here.reserve(&keys[2], &call()).await.unwrap();
    assert!(
        matches!(&failed, Reserve::Refused(why) if why.contains("not made again")),
        "{failed:?}"
    );
    open.close().await;
}

fn everything_that_happens() -> Vec<Happened> {
    let (step, key) = ("ask".to_owned(), step_key(&job("a"), 1, 1, "x"));
    let stage = Stage { name: "running".into(), detail: json!({"kind": "é\u{1f600}", "n": [1]}) };
    let (position, attempt) = (1, 2);
    vec![
        Happened::Started { flow: "Generate@1".into() },
        Happened::Stage { stage },
        Happened::StepScheduled { step: step.clone(), position, attempt, key },
        Happened::StepDone { step: step.clone(), position, attempt },
        Happened::StepFailed { step, position, attempt, error: "no".into() },
        Happened::ChildStarted { child: job("a/b") },
        Happened::ChildEnded { child: job("a/b"), error: None },
        Happened::Waiting { signal: "retry".into() },
        Happened::Signalled { signal: "retry".into() },
        Happened::Sleeping { until: Timestamp(9) },
        Happened::Woke,
        Happened::CancelRequested { reason: "no".into() },
        Happened::Restarted,
        Happened::Other { kind: "new".into(), detail: json!({"a": 1}) },
        Happened::Ended { state: JobState::Done { output: json!({"status": "completed"}) } },
    ]
}

#[tokio::test]
async fn c222_the_book_reads_back_what_was_written_down_once_and_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path(), "here", &clock()).await;
    let index = StoreJobIndex::new(store.clone());
    let new = |flow: u32, hash: &str| NewJob {
        id: job("a"),
        flow: FlowName::new("Generate", flow).unwrap(),
        input_hash: hash.into(),
        needs: Needs { toolchain: Some("rust".into()), root: None },
    };
    assert_eq!(index.register(new(1, "x")).await.unwrap(), Registered::New);
    assert_eq!(index.register(new(1, "x")).await.unwrap(), Registered::Same);
    assert_eq!(index.register(new(2, "x")).await.unwrap(), Registered::Conflict);
    assert_eq!(index.register(new(1, "y")).await.unwrap(), Registered::Conflict);
    let happened = everything_that_happens();
    let report = JobUpdate { id: job("a"), from: (0, 0), to: (1, 15), happened: happened.clone() };
    assert!(index.report(report.clone()).await.unwrap());
    assert!(!index.report(report).await.unwrap(), "it was reported before");
    let newer = NewEvent { kind: "job.danced".into(), subject: "a".into(), body: json!({"b": 2}) };
    store.append_event(newer).await.unwrap();
    let events = index.events(&job("a"), EventId::default(), 100).await.unwrap();
    let read: Vec<Happened> = events.iter().map(|event| event.what.clone()).collect();
    let danced = Happened::Other { kind: "danced".into(), detail: json!({"b": 2}) };
    assert_eq!(read, [happened, vec![danced]].concat());
    assert!(events.windows(2).all(|two| two[0].id < two[1].id));
    let rest = index.events(&job("a"), events[3].id, 2).await.unwrap();
    assert_eq!(rest, events[4..6]);
    let row = index.find(&job("a")).await.unwrap().unwrap();
    assert_eq!((row.reported, row.needs), ((1, 15), new(1, "x").needs));
    assert_eq!(row.ended, Some(JobState::Done { output: json!({"status": "completed"}) }));
    let ended = JobFilter { ended: Some(true), ..JobFilter::default() };
    assert_eq!(index.list(&ended, &Page::default()).await.unwrap().len(), 1);
    index.forget(&[job("a")]).await.unwrap();
    assert_eq!(index.find(&job("a")).await.unwrap(), None);
    store.close().await;
}
