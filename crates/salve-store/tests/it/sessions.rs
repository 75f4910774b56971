//! Sessions from outside: each step once, each event once, whoever writes and whoever reads.

use crate::place::Place;
use crate::support::*;
use salve_store::{
    NewSession, NewSessionEvent, NewTurn, Retention, SessionWrite, Store, StoreOptions, TurnUpdate,
    WrittenSession,
};
use salve_types::{
    BugBy, BugKind, BugReport, FileOpBy, FileOpKind, FileOperation, SessionEvent, SessionId,
    Timestamp, TodoItem,
};
use serde_json::json;
use std::time::Duration;

/// Begins a session with one turn.
pub(crate) async fn begun(store: &Store) -> SessionId {
    let new = NewSession { workspace: "w".to_owned(), ..NewSession::default() };
    let session = store.new_session(new).await.expect("begun").id;
    let ask = NewTurn { text: "ask".to_owned(), images: Vec::new(), key: "ask".to_owned() };
    assert_eq!(store.add_turn(&session, ask).await.expect("asked").index, 1);
    session
}

/// Writes a step of its first turn: two events, a token, a file, a fault, a task.
pub(crate) async fn write_step(store: &Store, session: &SessionId, number: u64) -> WrittenSession {
    let event = |name: &str| NewSessionEvent {
        turn: Some(1),
        name: name.to_owned(),
        payload: json!({ "step": number }),
    };
    let operation = FileOperation {
        path: format!("file-{number}"),
        op: FileOpKind::Create,
        hash_before: None,
        hash_after: Some("hash".to_owned()),
        md5: None,
        size: 1,
        by: FileOpBy::Ai,
        at: Timestamp(0),
        turn: 1,
    };
    let bug = BugReport {
        kind: BugKind::Other,
        by: BugBy::User,
        description: number.to_string(),
        turn: 1,
        at: Timestamp(0),
    };
    let write = SessionWrite {
        events: vec![event("began"), event("ended")],
        turn: Some(TurnUpdate { index: 1, tokens_in: 1, ..TurnUpdate::default() }),
        file_operations: vec![operation],
        bugs: vec![bug],
        ..SessionWrite::new(session.clone(), format!("step/{number}"))
    };
    store.write_session(write).await.expect("written")
}

/// Checks that each step is there as a whole and once, and returns how many there are.
pub(crate) async fn whole_steps(store: &Store, session: &SessionId) -> usize {
    let events = store.session_events(session, 0, 1_000_000).await.expect("read");
    let steps = |name: &str| {
        let of_name = events.iter().filter(|event| event.name == name);
        let mut steps: Vec<u64> =
            of_name.filter_map(|event| event.payload["step"].as_u64()).collect();
        steps.sort_unstable();
        assert!(steps.is_sorted_by(|a, b| a < b), "a step twice: {steps:?}");
        steps
    };
    let began = steps("began");
    assert_eq!(began, steps("ended"));
    let mut files: Vec<String> = store
        .file_operations(session)
        .await
        .expect("read")
        .into_iter()
        .map(|operation| operation.path)
        .collect();
    files.sort();
    let mut wanted: Vec<String> = began.iter().map(|step| format!("file-{step}")).collect();
    wanted.sort();
    assert_eq!(files, wanted);
    assert_eq!(store.bugs(session).await.expect("read").len(), began.len());
    if let Some(turn) = store.turn(session, 1).await.expect("read") {
        assert_eq!(turn.tokens_in, began.len() as u64);
    }
    began.len()
}

async fn a_reader_that_comes_back_sees_each_event_once(place: Place) {
    const WRITERS: u64 = 4;
    const EACH: u64 = 40;
    let clock = HandClock::new();
    let first = place.open(options(clock.clone())).await;
    let session = begun(&first).await;
    let mut tasks = tokio::task::JoinSet::new();
    for writer in 0..WRITERS {
        // As two processes, each with two writers that also try steps again.
        let store =
            if writer % 2 == 0 { first.clone() } else { place.open(options(clock.clone())).await };
        let session = session.clone();
        tasks.spawn(async move {
            for number in 0..EACH {
                let written = write_step(&store, &session, writer * 1000 + number).await;
                if number % 5 == 0 {
                    let again = write_step(&store, &session, writer * 1000 + number).await;
                    assert_eq!(again, WrittenSession { already: true, ..written });
                }
            }
        });
    }
    // Another session in between takes numbers, too.
    tasks.spawn({
        let store = first.clone();
        async move {
            let other = begun(&store).await;
            for number in 0..EACH {
                write_step(&store, &other, number).await;
            }
        }
    });
    let mut seen: Vec<SessionEvent> = Vec::new();
    let wanted = usize::try_from(1 + 2 * WRITERS * EACH).expect("few");
    let mut rounds = 0;
    while seen.len() < wanted {
        rounds += 1;
        assert!(rounds < 5000, "only {} of {wanted} events came", seen.len());
        // A reader that knows nothing but the number of the last event it saw.
        let reader = if rounds % 7 == 0 && rounds < 70 {
            place.open(options(clock.clone())).await
        } else {
            first.clone()
        };
        let last = seen.last().map_or(0, |event| event.id);
        let page = reader.session_events(&session, last, 16).await.expect("read");
        if page.is_empty() {
            first.wait_for_events(Duration::from_millis(20)).await;
        }
        seen.extend(page);
    }
    while let Some(task) = tasks.join_next().await {
        task.expect("written");
    }
    assert!(seen.is_sorted_by(|a, b| a.id < b.id));
    assert_eq!(seen, first.session_events(&session, 0, 100_000).await.expect("read"));
    assert_eq!(whole_steps(&first, &session).await as u64, WRITERS * EACH);
}

async fn marks_of_two_processes_both_stay(place: Place) {
    let clock = HandClock::new();
    let here = place.open(options(clock.clone())).await;
    let there = place.open(options(clock)).await;
    let session = begun(&here).await;
    let todo = |id: u32| TodoItem {
        id: id.to_string(),
        text: "task".to_owned(),
        completed: false,
        completed_by: None,
        claimed: true,
        origin_turn: 1,
    };
    let list = SessionWrite {
        todos: Some((0..20).map(todo).collect()),
        ..SessionWrite::new(session.clone(), "list")
    };
    here.write_session(list).await.expect("written");
    let mut tasks = tokio::task::JoinSet::new();
    for id in 0..20_u32 {
        let (store, session) = (if id % 2 == 0 { &here } else { &there }.clone(), session.clone());
        tasks.spawn(async move {
            store.set_todo_completed(&session, &id.to_string(), "change").await.expect("marked");
        });
    }
    tasks.join_all().await;
    let todos = there.todos(&session).await.expect("read");
    assert!(todos.len() == 20 && todos.iter().all(|todo| todo.completed), "{todos:?}");
}

async fn a_session_is_there_after_a_restart_with_its_texts(place: Place) {
    let clock = HandClock::new();
    let retention = Retention { text_days: 2, ..Retention::default() };
    let shared = StoreOptions { retention, ..options(clock.clone()) };
    let before = place.open(shared.clone()).await;
    let session = begun(&before).await;
    let held = before.put_text("the answer as it came").await.expect("put");
    let loose = before.put_text("something else").await.expect("put");
    let turn = TurnUpdate { index: 1, raw: Some(held.clone()), ..TurnUpdate::default() };
    let write = SessionWrite { turn: Some(turn), ..SessionWrite::new(session.clone(), "raw") };
    before.write_session(write.clone()).await.expect("written");
    before.close().await;
    for _ in 0..400 {
        clock.next_day();
    }
    let after = place.open(shared).await;
    after.prune().await.expect("pruned");
    let turns = after.turns(&session).await.expect("read");
    assert_eq!(turns[0].raw.as_ref(), Some(&held));
    assert_eq!(after.text(&held).await.expect("read").as_deref(), Some("the answer as it came"));
    assert_eq!(after.text(&loose).await.expect("read"), None);
    assert!(after.write_session(write).await.expect("answered").already);
    assert_eq!(after.session_events(&session, 0, 9).await.expect("read").len(), 1);
}

async fn sessions_are_listed_by_their_last_write(place: Place) {
    let clock = HandClock::new();
    let store = place.open(options(clock.clone())).await;
    let mut made = Vec::new();
    for _ in 0..3 {
        made.push(begun(&store).await);
    }
    assert!(made.is_sorted_by(|a, b| a < b), "made within one moment: {made:?}");
    clock.advance(1);
    write_step(&store, &made[1], 1).await;
    let listed = store.sessions(&salve_store::SessionFilter::default()).await.expect("listed");
    let ids: Vec<&SessionId> = listed.iter().map(|session| &session.id).collect();
    assert_eq!(ids, [&made[1], &made[2], &made[0]]);
}

crate::place::every_store!(
    sessions_are_listed_by_their_last_write
    ; shared
    a_reader_that_comes_back_sees_each_event_once,
    marks_of_two_processes_both_stay,
    a_session_is_there_after_a_restart_with_its_texts
);
