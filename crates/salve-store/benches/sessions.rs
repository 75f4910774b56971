//! How fast a long session opens, and whether writing to it takes longer as it grows.
//!
//! In: databases in a temporary folder, filled through the store. Out: one table, each goal line with PASS or
//! BELOW. Never measures a warm store for opening: each time the file is opened anew, and all that is shown of
//! the session is read.
#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

#[path = "unredacted/as_it_is.rs"]
mod unredacted;

use salve_store::{
    NewSession, NewSessionEvent, NewTurn, SessionWrite, Store, StoreOptions, TurnUpdate,
};
use salve_types::{SessionId, Timestamp, TurnStatus};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use unredacted::AsItIs;

const TURNS: u32 = 500;
const EVENTS: usize = 2000;
const OPEN_LIMIT: Duration = Duration::from_millis(200);
/// What this process may take with as many sessions read and held.
const OPEN_SESSIONS: usize = 20;
const MEMORY_LIMIT: u64 = 150 << 20;
const SIZES: [usize; 2] = [1000, 100_000];
const APPENDS: usize = 400;
/// With a hundred times the events, a write takes at most this many times as long.
const FLAT: f64 = 1.5;

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    println!("{:<56} {:>12} {:>12}  verdict", "what", "measured", "limit");
    runtime.block_on(async { tokio::spawn(opening()).await.expect("opened") });
    let mut medians = Vec::new();
    for size in SIZES {
        let median =
            runtime.block_on(async { tokio::spawn(appends(size)).await.expect("written") });
        println!("{:<56} {:>12}", format!("{size} events: p50 of a write"), millis(median));
        medians.push(median.as_secs_f64());
    }
    let ratio = medians.last().unwrap_or(&0.0) / medians.first().unwrap_or(&1.0);
    let verdict = if ratio <= FLAT { "PASS" } else { "BELOW" };
    let (ratio, limit) = (format!("{ratio:.2} x"), format!("{FLAT:.2} x"));
    println!(
        "{:<56} {ratio:>12} {limit:>12}  {verdict}",
        "a hundred times the events: p50 of a write"
    );
}

async fn open(path: &Path) -> Store {
    let options =
        StoreOptions::new(Arc::new(|| Timestamp(1_700_000_000_000)), Arc::new(AsItIs), "bench");
    Store::open(path, options).await.expect("opened")
}

async fn begun(store: &Store) -> SessionId {
    store.new_session(NewSession::default()).await.expect("begun").id
}

fn event(turn: u32, number: usize) -> NewSessionEvent {
    let text = "a piece of an answer, as long as such pieces are";
    NewSessionEvent {
        turn: Some(turn),
        name: "updateResponseChunk".to_owned(),
        payload: json!({ "text": text, "number": number }),
    }
}

async fn opening() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("salve.db");
    let store = open(&path).await;
    let session = begun(&store).await;
    let answer = "x".repeat(2000);
    for index in 1..=TURNS {
        let ask =
            NewTurn { text: "a request".repeat(20), key: index.to_string(), ..Default::default() };
        store.add_turn(&session, ask).await.expect("asked");
        // One event of each turn is there already.
        let events = (1..EVENTS / TURNS as usize).map(|number| event(index, number)).collect();
        let turn = TurnUpdate {
            index,
            status: Some(TurnStatus::Completed),
            result: Some(json!({ "summary": answer })),
            ..TurnUpdate::default()
        };
        let new = SessionWrite::new(session.clone(), format!("{index}/end"));
        let write = SessionWrite { events, turn: Some(turn), ..new };
        store.write_session(write).await.expect("written");
    }
    store.close().await;
    let mut times = Vec::new();
    for _ in 0..11 {
        let started = Instant::now();
        let store = open(&path).await;
        let record = store.session(&session).await.expect("read").expect("there");
        let turns = store.turns(&session).await.expect("read");
        let events = store.session_events(&session, 0, 1_000_000).await.expect("read");
        let todos = store.todos(&session).await.expect("read");
        let files = store.file_operations(&session).await.expect("read");
        let changes = store.session_changes(&session).await.expect("read");
        times.push(started.elapsed());
        assert_eq!((record.turns, turns.len(), events.len()), (TURNS, TURNS as usize, EVENTS));
        assert_eq!((todos.len(), files.len(), changes.len()), (0, 0, 0));
        store.close().await;
    }
    times.sort_unstable();
    for (what, time) in [("p50", times[5]), ("worst of 11", times[10])] {
        let verdict = if time <= OPEN_LIMIT { "PASS" } else { "BELOW" };
        let what = format!("{TURNS} turns, {EVENTS} events: {what} of opening");
        println!("{what:<56} {:>12} {:>12}  {verdict}", millis(time), millis(OPEN_LIMIT));
    }
    memory(&path, &session).await;
}

// Twenty times all that is shown of a session, held at once.
async fn memory(path: &Path, session: &SessionId) {
    let store = open(path).await;
    let mut held = Vec::new();
    for _ in 0..OPEN_SESSIONS {
        let turns = store.turns(session).await.expect("read");
        let events = store.session_events(session, 0, 1_000_000).await.expect("read");
        held.push((turns, events));
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    let kilobytes: u64 =
        line.trim().trim_end_matches("kB").trim().parse().expect("the memory of this process");
    let verdict = if kilobytes << 10 <= MEMORY_LIMIT { "PASS" } else { "BELOW" };
    let what = format!("{} sessions of {TURNS} turns held: memory", held.len());
    let (taken, limit) =
        (format!("{} MiB", kilobytes >> 10), format!("{} MiB", MEMORY_LIMIT >> 20));
    println!("{what:<56} {taken:>12} {limit:>12}  {verdict}");
    store.close().await;
}

async fn appends(size: usize) -> Duration {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(&folder.path().join("salve.db")).await;
    let session = begun(&store).await;
    store.add_turn(&session, NewTurn::default()).await.expect("asked");
    for part in 0..size / 500 {
        let events = (0..500).map(|number| event(1, number)).collect();
        let new = SessionWrite::new(session.clone(), format!("fill/{part}"));
        store.write_session(SessionWrite { events, ..new }).await.expect("written");
    }
    let mut times = Vec::new();
    for number in 0..APPENDS {
        let turn = TurnUpdate { index: 1, tokens_out: 1, ..TurnUpdate::default() };
        let new = SessionWrite::new(session.clone(), format!("step/{number}"));
        let write = SessionWrite { events: vec![event(1, number)], turn: Some(turn), ..new };
        let started = Instant::now();
        store.write_session(write).await.expect("written");
        times.push(started.elapsed());
    }
    store.close().await;
    times.sort_unstable();
    times[APPENDS / 2]
}

fn millis(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1e3)
}
