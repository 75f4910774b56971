//! Killed at any moment: every row that was acknowledged is there, and the budgets add up.
#![expect(clippy::panic, reason = "a failure here is a failed test")]

use crate::place::Place;
use crate::support::*;
use salve_store::{
    Call, CallFilter, CallKey, CallOutcome, CallState, NewCall, NewEvent, NewFixOutcome,
    Reservation, SessionFilter, Settled, Store,
};
use salve_types::{SessionId, Usage};
use std::collections::{HashMap, HashSet};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Where the process that is killed has its store: a folder, or a schema.
const FOLDER: &str = "SALVE_TEST_KILL_FOLDER";
#[cfg(feature = "fleet")]
const SCHEMA: &str = "SALVE_TEST_KILL_SCHEMA";
const ROUNDS: u64 = 30;

/// What is started below and killed. Without the variable it has nothing to do.
#[test]
#[expect(clippy::disallowed_methods, reason = "the place comes from the test that starts it")]
fn a_process_that_writes_until_it_is_killed() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    if let Ok(folder) = std::env::var(FOLDER) {
        runtime.block_on(async {
            let path = Path::new(&folder).join("salve.db");
            let store = Store::open(&path, options(HandClock::new())).await;
            write_for_ever(store.expect("opened")).await;
        });
    }
    #[cfg(feature = "fleet")]
    if let (Ok(schema), Some(server)) = (std::env::var(SCHEMA), crate::place::server()) {
        runtime.block_on(async {
            let server = salve_store::PostgresOptions::new(server).schema(schema);
            let store = Store::postgres(&server, options(HandClock::new())).await;
            write_for_ever(store.expect("opened")).await;
        });
    }
}

async fn write_for_ever(store: Store) {
    let session = crate::sessions::begun(&store).await;
    let mut tasks = tokio::task::JoinSet::new();
    for task in 0..6_u64 {
        let (store, session) = (store.clone(), session.clone());
        tasks.spawn(async move {
            // Bounded, in case it is never killed.
            for number in 0..20_000_u64 {
                write_once(&store, &session, task * 100_000 + number).await;
            }
        });
    }
    tasks.join_all().await;
}

async fn write_once(store: &Store, session: &SessionId, number: u64) {
    let new = NewCall { session: Some(format!("s{}", number % 3)), ..call() };
    let key = CallKey::new(format!("{}/{number}", std::process::id()));
    let mut open = fresh_with(store, &key, new).await;
    let id = open.id();
    acknowledged(&format!("reserved {id}"));
    open.append("some text that arrived, ");
    if number.is_multiple_of(3) {
        open.save().await.expect("saved");
        acknowledged(&format!("saved {id}"));
    }
    open.append("and some more");
    match number % 5 {
        0 => drop(open),
        _ => {
            let usage = Usage { input_tokens: 90, output_tokens: number % 70, ..Usage::default() };
            let settled = Settled {
                outcome: CallOutcome::Whole,
                usage: Some(usage),
                micro_dollars: Some(number % 50),
                text: Some(format!("result {id}")),
                ..Settled::default()
            };
            open.settle(settled).await.expect("settled");
            acknowledged(&format!("settled {id}"));
        }
    }
    let body = serde_json::json!({ "call": id });
    let event = NewEvent { kind: "made".to_owned(), subject: String::new(), body };
    let event = store.append_event(event).await.expect("kept");
    acknowledged(&format!("event {event}"));
    if number.is_multiple_of(4) {
        let heal = i64::from(std::process::id()) * 10_000_000 + i64::try_from(number).expect("few");
        store.record_fix_outcome(told(heal)).await.expect("kept");
        acknowledged(&format!("told {heal}"));
    }
    if number.is_multiple_of(3) {
        let written = crate::sessions::write_step(store, session, number).await;
        assert!(!written.already, "{number}");
        acknowledged(&format!("session {}", written.events[1]));
    }
}

fn told(heal: i64) -> NewFixOutcome {
    crate::knowledge::outcome(&heal.to_string(), &format!("error {heal}"), true)
}

// One write each, so that a line is there as a whole or not at all.
fn acknowledged(what: &str) {
    let _ = std::io::stdout().write_all(format!("ack {what}\n").as_bytes());
    let _ = std::io::stdout().flush();
}

async fn no_acknowledged_row_is_lost_to_kill_9(place: Place) {
    let variable = match &place {
        Place::File(folder) => (FOLDER, folder.path().to_string_lossy().into_owned()),
        #[cfg(feature = "fleet")]
        Place::Postgres(server) => (SCHEMA, server.schema_name().to_owned()),
        Place::Memory => unreachable!("nothing of it is left after a kill"),
    };
    let mut acknowledged = 0;
    let mut in_doubt = 0;
    for round in 0..ROUNDS {
        let lines = run_and_kill(&variable, round);
        acknowledged += lines.len();
        let clock = HandClock::new();
        clock.advance(60_000);
        let store = place.open(options(clock)).await;
        in_doubt += check(&store, &lines).await;
        assert_eq!(store.check_integrity().await.expect("checked"), [""; 0], "round {round}");
        store.close().await;
    }
    // Otherwise nothing was tested.
    assert!(acknowledged > 500, "only {acknowledged} rows were acknowledged");
    assert!(in_doubt > 0, "no call was cut short");
}

crate::place::every_store!(; shared no_acknowledged_row_is_lost_to_kill_9);

/// Starts the process above, kills it after a while, and returns what it said was safe.
#[expect(clippy::disallowed_methods, reason = "the process that is killed is this test again")]
fn run_and_kill((name, value): &(&str, String), round: u64) -> Vec<String> {
    let mut child = Command::new(std::env::current_exe().expect("this test"))
        .args(["--exact", "kill::a_process_that_writes_until_it_is_killed", "--nocapture"])
        .env(name, value)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("started");
    let output = BufReader::new(child.stdout.take().expect("piped"));
    let (sender, receiver) = std::sync::mpsc::channel();
    let reader = std::thread::spawn(move || {
        for line in output.lines().map_while(Result::ok) {
            if let Some(what) = line.strip_prefix("ack ") {
                let _ = sender.send(what.to_owned());
            }
        }
    });
    let mut lines = Vec::new();
    // Every fourth is killed while it opens the database, the others at work.
    if !round.is_multiple_of(4) {
        lines.extend(receiver.recv_timeout(Duration::from_secs(30)));
    }
    // A server takes longer for each row.
    let slower = if *name == FOLDER { 1 } else { 4 };
    std::thread::sleep(Duration::from_millis(round * 37 % 101 * slower));
    child.kill().expect("killed");
    child.wait().expect("ended");
    reader.join().expect("read to the end");
    lines.extend(receiver.try_iter());
    lines
}

/// Looks for everything that was acknowledged; returns how many calls were cut short.
async fn check(store: &Store, lines: &[String]) -> usize {
    let everything = CallFilter { limit: 1_000_000, ..CallFilter::default() };
    let calls = store.calls(&everything).await.expect("list");
    let calls: HashMap<i64, &Call> = calls.iter().map(|call| (call.id.0, call)).collect();
    let newest = store.events_after(0, 1_000_000).await.expect("read").last().map(|last| last.id);
    let told_in_sessions = check_sessions(store).await;
    for line in lines {
        let (what, id) = line.split_once(' ').expect("two words");
        let id: i64 = id.parse().expect("a number");
        if what == "event" {
            assert!(newest.is_some_and(|newest| newest >= id), "event {id} was acknowledged");
            continue;
        }
        if what == "session" {
            assert!(told_in_sessions.contains(&id), "event {id} of a session was acknowledged");
            continue;
        }
        if what == "told" {
            // It goes on after the crash and tells it again: it is there, and counted once.
            let counted = store.record_fix_outcome(told(id)).await.expect("an answer");
            assert!(!counted, "heal {id} was told");
            continue;
        }
        let call = calls.get(&id).unwrap_or_else(|| panic!("call {id} was {what}"));
        if what == "settled" {
            assert_eq!(call.outcome, Some(CallOutcome::Whole), "call {id} was settled");
        }
    }
    let events = store.events_after(0, 1_000_000).await.expect("read");
    let mut numbers: Vec<i64> = events.iter().map(|event| event.id).collect();
    numbers.extend(&told_in_sessions);
    numbers.sort_unstable();
    assert!(numbers.iter().zip(1..).all(|(&number, id)| number == id), "events without a gap");
    let cut: Vec<&&Call> = calls.values().filter(|call| call.state != CallState::Settled).collect();
    for call in &cut {
        assert_eq!(call.state, CallState::Unknown, "nobody is alive");
    }
    // The newest of them: a second reservation must not make the call again.
    if let Some(call) = cut.iter().max_by_key(|call| call.id) {
        let key = CallKey::new(call.key.clone().expect("it has a key"));
        let again = store.reserve(&key, crate::support::call()).await.expect("an answer");
        let Reservation::InDoubt { partial, .. } = again else { panic!("{again:?}") };
        assert!("some text that arrived, and some more".starts_with(&partial), "{partial}");
        if lines.contains(&format!("saved {}", call.id)) {
            assert!(partial.starts_with("some text that arrived, "), "{partial}");
        }
    }
    cut.len()
}

/// Every step of a session is there as a whole, once; returns the numbers of all their events.
async fn check_sessions(store: &Store) -> HashSet<i64> {
    let mut numbers = HashSet::new();
    let everything = SessionFilter { limit: 1000, ..SessionFilter::default() };
    for session in store.sessions(&everything).await.expect("listed") {
        let steps = crate::sessions::whole_steps(store, &session.id).await;
        let events = store.session_events(&session.id, 0, 1_000_000).await.expect("read");
        assert_eq!(events.len(), 2 * steps + session.turns as usize, "{session:?}");
        numbers.extend(events.iter().map(|event| i64::try_from(event.id).expect("a number")));
    }
    numbers
}
