//! Sessions: once under a key, in order, marks kept, bytes bounded, nothing secret.

use super::*;
use crate::tables::Conforming;
use crate::testing::{options, redacted};
use crate::{Retention, StoreOptions};
use salve_types::{
    BugBy, BugKind, BugReport, ChangeState, CommandBy, CommandResult, FileOpBy, FileOpKind,
    FileOperation, SessionChange, TodoItem, TurnStatus,
};
use serde_json::json;

pub(super) const ROWS: &str = "
INSERT INTO sessions VALUES ('s', 'w', 't', NULL, 1, 3, 0, 'null', NULL, 0, 1, 5, 7, 9, 1000, 1000);
INSERT INTO session_writes VALUES ('s', 'k', 1, 1, 1);
INSERT INTO session_turns VALUES ('s', 1, 'ask', '[]', 'completed', 't', 0, NULL, NULL, 5, 7, 9, 1,
                                  'stop', 'm', 0, 1000, 1000);
INSERT INTO session_events VALUES (2, 's', 1, 'newMessagePair', 1000, '{}');
INSERT INTO session_todos VALUES ('s', 'a', 1, 'do', 1, 'c', 0, 1);
INSERT INTO session_files VALUES ('s', 1, 'f', 'read', NULL, 'h', NULL, 3, 'ai', 1000, 1);
INSERT INTO session_bugs VALUES ('s', 1, 'json', 'script', 'd', 1, 1000);
INSERT INTO session_commands VALUES ('s', 1, 'ls', '', 0, 5, NULL, 'f', 'ai', 1, 1000);
INSERT INTO session_changes VALUES ('s', 'c', 1, 1, 'applied', '[\"a\"]', 9, 1, NULL);
INSERT INTO session_audit VALUES ('s', 1, 1, 'ask', 't', 't', 'm', 'stop', 5, 7, 3, 1000);
INSERT INTO session_texts VALUES ('t', 's', 'turn:1');
UPDATE ledger SET next_event = 3;";

fn todo(id: &str, text: &str) -> TodoItem {
    TodoItem {
        id: id.to_owned(),
        text: text.to_owned(),
        completed: false,
        completed_by: None,
        claimed: false,
        origin_turn: 1,
    }
}

fn change(id: &str, turn: u32, state: ChangeState, todos: &[&str]) -> SessionChange {
    SessionChange {
        change_id: id.to_owned(),
        turn,
        state,
        todos: todos.iter().map(|&todo| todo.to_owned()).collect(),
        micro_dollars: 3,
        checked: Some(true),
        parent_change: None,
    }
}

fn event(name: &str) -> NewSessionEvent {
    NewSessionEvent { turn: Some(1), name: name.to_owned(), payload: json!({ name: name }) }
}

/// A write that has something of everything, with this text wherever one fits.
fn full(session: &SessionId, key: &str, text: &str) -> SessionWrite {
    let own = || text.to_owned();
    SessionWrite {
        events: vec![event(text), event("requestComplete")],
        turn: Some(TurnUpdate {
            index: 1,
            status: Some(TurnStatus::Completed),
            raw: Some(own()),
            partial: Some(true),
            result: Some(json!({ text: text })),
            plan: Some(json!([text])),
            tokens_in: 5,
            tokens_out: 7,
            micro_dollars: 9,
            attempt: Some(2),
            finish_reason: Some(own()),
            model: Some(own()),
            images: Vec::new(),
            held: vec![own()],
        }),
        todos: Some(vec![TodoItem {
            completed: true,
            completed_by: Some(own()),
            ..todo(text, text)
        }]),
        file_operations: vec![FileOperation {
            path: own(),
            op: FileOpKind::Update,
            hash_before: Some(own()),
            hash_after: Some(own()),
            md5: Some(own()),
            size: 11,
            by: FileOpBy::Ai,
            at: Timestamp(0),
            turn: 1,
        }],
        bugs: vec![BugReport {
            kind: BugKind::Json,
            by: BugBy::Script,
            description: own(),
            turn: 1,
            at: Timestamp(7),
        }],
        commands: vec![CommandResult {
            command: own(),
            cwd: own(),
            exit: Some(-1),
            duration_ms: 13,
            output: Some(own()),
            shown: own(),
            by: CommandBy::Healer,
            turn: 1,
            at: Timestamp(8),
        }],
        changes: vec![SessionChange {
            parent_change: Some(own()),
            ..change(text, 1, ChangeState::Applied, &[text])
        }],
        audit: Some(NewAudit {
            turn: 1,
            user_message: own(),
            full_generation: own(),
            system_prompt: own(),
            model: own(),
            finish_reason: Some(own()),
            tokens_in: 5,
            tokens_out: 7,
        }),
        ..SessionWrite::new(session.clone(), key)
    }
}

async fn begun(store: &Store, text: &str) -> SessionId {
    let new = NewSession {
        workspace: text.to_owned(),
        title: text.to_owned(),
        parent: Some(SessionId(text.to_owned())),
        audit: true,
        limits: json!({ text: text }),
    };
    let session = store.new_session(new).await.expect("begun").id;
    let ask =
        NewTurn { text: text.to_owned(), images: vec![text.to_owned()], key: text.to_owned() };
    store.add_turn(&session, ask).await.expect("asked");
    session
}

pub(super) fn conforms<'a>(store: &'a Store, text: &'a str) -> Conforming<'a> {
    Box::pin(async move {
        let session = begun(store, text).await;
        let key = format!("{text}/step");
        let written = store.write_session(full(&session, &key, text)).await.expect("written");
        let update = SessionUpdate { title: Some(text.to_owned()), ..SessionUpdate::default() };
        store.update_session(&session, update).await.expect("changed");
        let kept = redacted(text);
        let turns = store.turns(&session).await.expect("read");
        let [turn] = &*turns else { panic!("{turns:?}") };
        assert_eq!((turn.index, turn.status, turn.attempt), (1, TurnStatus::Completed, 2));
        assert_eq!((turn.text.as_str(), turn.raw.as_deref()), (&*kept, Some(&*kept)));
        assert_eq!(turn.result, Some(json!({ &*kept: kept })));
        let events = store.session_events(&session, 0, 9).await.expect("read");
        let names: Vec<&str> = events.iter().map(|event| event.name.as_str()).collect();
        assert_eq!(names, ["newMessagePair", &*kept, "requestComplete"]);
        assert_eq!(written.events, [events[1].id, events[2].id]);
        let operations = store.file_operations(&session).await.expect("read");
        assert_eq!((operations[0].path.as_str(), operations[0].at.0), (&*kept, 5 * 86_400_000));
        let bugs = store.bugs(&session).await.expect("read");
        assert_eq!((bugs[0].description.as_str(), bugs[0].at.0), (&*kept, 7));
        let commands = store.command_results(&session).await.expect("read");
        assert_eq!((commands[0].shown.as_str(), commands[0].exit), (&*kept, Some(-1)));
        let audit = store.audit_entries(&session).await.expect("read");
        assert_eq!((audit[0].model.as_str(), audit[0].tokens_out), (&*kept, 7));
        // A name that holds a secret is still the name of that one task and that one change.
        let todos = store.todos(&session).await.expect("read");
        let changes = store.session_changes(&session).await.expect("read");
        assert_eq!(todos[0].completed_by.as_ref(), Some(&changes[0].change_id));
        assert_eq!(changes[0].todos, [todos[0].id.clone()]);
        let filter = SessionFilter { workspace: Some(text.to_owned()), ..SessionFilter::default() };
        let listed = store.sessions(&filter).await.expect("listed");
        let record = listed.first().expect("it is listed");
        assert_eq!((record.turns, record.tokens_in, record.micro_dollars), (1, 5, 9));
        assert_eq!((record.title.as_str(), &record.limits), (&*kept, &json!({ &*kept: kept })));
        assert_eq!(store.session(&session).await.expect("read").as_ref(), Some(record));
    })
}

async fn opened() -> Store {
    Store::memory(options()).await.expect("opened")
}

/// All that is kept of a session, to be compared.
async fn everything(store: &Store, session: &SessionId) -> String {
    format!(
        "{:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?}",
        store.session(session).await,
        store.turns(session).await,
        store.session_events(session, 0, 1000).await,
        store.todos(session).await,
        store.file_operations(session).await,
        store.bugs(session).await,
        store.command_results(session).await,
        store.session_changes(session).await,
        store.audit_entries(session).await,
    )
}

#[tokio::test]
async fn a_key_that_is_known_changes_nothing_and_answers_the_same() {
    let store = opened().await;
    let session = begun(&store, "x").await;
    let other = begun(&store, "y").await;
    let first = store.write_session(full(&session, "job/1", "a")).await.expect("written");
    assert!(!first.already && first.events.len() == 2, "{first:?}");
    let before = everything(&store, &session).await;
    // Whatever it says the second time.
    for text in ["a", "b"] {
        let again = store.write_session(full(&session, "job/1", text)).await.expect("answered");
        assert_eq!(again, WrittenSession { already: true, ..first.clone() });
    }
    let ask = NewTurn { text: "other words".into(), images: Vec::new(), key: "x".into() };
    assert_eq!(store.add_turn(&session, ask).await.expect("answered").text, "x");
    assert_eq!(everything(&store, &session).await, before);
    // The key is the session's own.
    assert!(!store.write_session(full(&other, "job/1", "a")).await.expect("written").already);
    assert!(!store.write_session(full(&session, "job/2", "a")).await.expect("written").already);
}

#[tokio::test]
async fn a_turn_that_was_cancelled_runs_again_only_as_another_attempt() {
    let store = opened().await;
    let session = begun(&store, "x").await;
    let rows = [
        (TurnStatus::Cancelled, None, TurnStatus::Cancelled),
        (TurnStatus::Running, Some(1), TurnStatus::Cancelled),
        (TurnStatus::Running, Some(2), TurnStatus::Running),
        (TurnStatus::Cancelled, None, TurnStatus::Cancelled),
        (TurnStatus::Running, Some(2), TurnStatus::Cancelled),
        (TurnStatus::Completed, Some(2), TurnStatus::Completed),
    ];
    for (number, (status, attempt, expected)) in rows.into_iter().enumerate() {
        let mut write = SessionWrite::new(session.clone(), format!("w{number}"));
        let status = Some(status);
        write.turn = Some(TurnUpdate { index: 1, status, attempt, ..TurnUpdate::default() });
        store.write_session(write).await.expect("written");
        let turn = store.turn(&session, 1).await.expect("read").expect("a turn");
        assert_eq!(turn.status, expected, "{number}");
    }
}

#[tokio::test]
async fn a_write_that_fails_leaves_nothing_and_may_come_again() {
    let store = opened().await;
    let session = begun(&store, "x").await;
    let before = everything(&store, &session).await;
    let mut wrong = full(&session, "job/1", "a");
    wrong.turn = Some(TurnUpdate { index: 9, ..TurnUpdate::default() });
    let refused = store.write_session(wrong).await;
    assert!(matches!(refused, Err(StoreError::NoSuchTurn { turn: 9, .. })), "{refused:?}");
    assert_eq!(everything(&store, &session).await, before);
    assert!(!store.write_session(full(&session, "job/1", "a")).await.expect("written").already);
    let unknown = SessionId("none".to_owned());
    let refused = store.write_session(full(&unknown, "k", "a")).await;
    assert!(matches!(refused, Err(StoreError::NoSuchSession(_))), "{refused:?}");
    let refused = store.add_turn(&unknown, NewTurn::default()).await;
    assert!(matches!(refused, Err(StoreError::NoSuchSession(_))), "{refused:?}");
    let refused = store.update_session(&unknown, SessionUpdate::default()).await;
    assert!(matches!(refused, Err(StoreError::NoSuchSession(_))), "{refused:?}");
    let refused = store.set_todo_completed(&session, "none", "c").await;
    assert!(matches!(refused, Err(StoreError::NoSuchTodo(_))), "{refused:?}");
    assert_eq!(store.session(&unknown).await.expect("read"), None);
    assert_eq!(store.turn(&session, 2).await.expect("read"), None);
}

async fn marks(store: &Store, session: &SessionId) -> String {
    let todos = store.todos(session).await.expect("read");
    let mark = |todo: &TodoItem| {
        let by = todo.completed_by.as_deref().unwrap_or("-");
        assert_eq!(todo.completed, todo.completed_by.is_some(), "{todo:?}");
        format!("{}:{by}", todo.id)
    };
    todos.iter().map(mark).collect::<Vec<_>>().join(" ")
}

async fn put(store: &Store, session: &SessionId, key: &str, list: &[&str]) {
    let todos = Some(list.iter().map(|id| todo(id, id)).collect());
    let write = SessionWrite { todos, ..SessionWrite::new(session.clone(), key) };
    store.write_session(write).await.expect("written");
}

#[tokio::test]
async fn c030_c031_c036_marks_made_at_once_all_stay_also_when_an_old_list_is_written() {
    let store = opened().await;
    let session = begun(&store, "x").await;
    put(&store, &session, "1", &["a", "b", "c"]).await;
    let (a, b) = tokio::join!(
        store.set_todo_completed(&session, "a", "c1"),
        store.set_todo_completed(&session, "b", "c2")
    );
    a.expect("marked");
    b.expect("marked");
    assert_eq!(marks(&store, &session).await, "a:c1 b:c2 c:-");
    // Made from what was read before the marks: another order, one task less, one more.
    put(&store, &session, "2", &["d", "b", "a"]).await;
    assert_eq!(marks(&store, &session).await, "d:- b:c2 a:c1 c:-");
    store.set_todo_completed(&session, "a", "c9").await.expect("marked again");
    assert_eq!(marks(&store, &session).await, "d:- b:c2 a:c1 c:-");
}

#[tokio::test]
async fn a_change_that_is_taken_back_opens_its_tasks_and_going_forward_ticks_them() {
    let store = opened().await;
    let session = begun(&store, "x").await;
    put(&store, &session, "1", &["a", "b", "c"]).await;
    let mut write = SessionWrite::new(session.clone(), "2");
    write.changes = vec![
        change("c1", 1, ChangeState::Applied, &["a", "b"]),
        change("c2", 2, ChangeState::Applied, &["b"]),
        SessionChange { checked: Some(false), ..change("c3", 2, ChangeState::Applied, &["c"]) },
    ];
    store.write_session(write).await.expect("written");
    for (todo, change) in [("a", "c1"), ("b", "c1")] {
        store.set_todo_completed(&session, todo, change).await.expect("marked");
    }
    let back = |key: &str, changes: &[&str], state, turns: &[u32]| SessionMove {
        session: session.clone(),
        key: key.to_owned(),
        changes: changes.iter().map(|&change| change.to_owned()).collect(),
        state,
        turns: turns.to_vec(),
        tree: MovedChanges::default(),
        event: event("sessionRewound"),
    };
    let reverted = ChangeState::Reverted;
    let moved = store.move_session(back("r1", &["c1"], reverted, &[])).await.expect("moved");
    // The other change that is for it still holds.
    assert_eq!(marks(&store, &session).await, "a:- b:c2 c:-");
    let again = store.move_session(back("r1", &["c2"], reverted, &[])).await.expect("answered");
    assert_eq!(again, WrittenSession { already: true, ..moved });
    store.move_session(back("r2", &["c2", "c3"], reverted, &[1])).await.expect("moved");
    assert_eq!(marks(&store, &session).await, "a:- b:- c:-");
    assert!(store.turns(&session).await.expect("read")[0].rewound);
    let all = back("r3", &["c1", "c2", "c3"], ChangeState::Applied, &[1]);
    store.move_session(all).await.expect("moved");
    assert_eq!(marks(&store, &session).await, "a:c1 b:c1 c:-", "a red change ticks nothing");
    assert!(!store.turns(&session).await.expect("read")[0].rewound);
    let unknown = store.move_session(back("r4", &["c9"], reverted, &[])).await;
    assert!(matches!(unknown, Err(StoreError::NoSuchChange(_))), "{unknown:?}");
    // The same by a write.
    let mut write = SessionWrite::new(session.clone(), "3");
    write.changes = vec![change("c1", 1, reverted, &["a", "b"])];
    store.write_session(write).await.expect("written");
    assert_eq!(marks(&store, &session).await, "a:- b:c2 c:-");
    // A turn that waited meanwhile knows the list and the change as they were.
    let done = TodoItem { completed: true, completed_by: Some("c1".to_owned()), ..todo("a", "a") };
    let mut write = SessionWrite::new(session.clone(), "4");
    write.changes = vec![change("c1", 1, ChangeState::Applied, &["a", "b"])];
    write.todos = Some(vec![done, todo("b", "b"), todo("c", "c")]);
    store.write_session(write).await.expect("written");
    assert_eq!(marks(&store, &session).await, "a:- b:c2 c:-");
}

#[tokio::test]
async fn every_session_that_knows_a_change_is_told_when_the_tree_moves() {
    let store = opened().await;
    let session = begun(&store, "x").await;
    put(&store, &session, "1", &["a", "b"]).await;
    let mut write = SessionWrite::new(session.clone(), "2");
    write.changes = vec![
        change("c1", 1, ChangeState::Applied, &["a"]),
        change("c2", 1, ChangeState::Applied, &["b"]),
    ];
    write.turn =
        Some(TurnUpdate { index: 1, status: Some(TurnStatus::Completed), ..Default::default() });
    store.write_session(write).await.expect("written");
    for (todo, change) in [("a", "c1"), ("b", "c2")] {
        store.set_todo_completed(&session, todo, change).await.expect("marked");
    }
    let fork = store.fork_session(&session, None).await.expect("forked").id;
    let file = FileOperation {
        path: "f".to_owned(),
        op: FileOpKind::Update,
        hash_before: Some("h2".to_owned()),
        hash_after: Some("h1".to_owned()),
        md5: None,
        size: 3,
        by: FileOpBy::User,
        at: Timestamp(5),
        turn: 0,
    };
    let tree = MovedChanges {
        taken_back: vec!["c2".to_owned()],
        files: vec![file.clone()],
        ..MovedChanges::default()
    };
    let told = store.move_changes(tree.clone()).await.expect("told");
    assert_eq!(told.len(), 2);
    assert_eq!(store.move_changes(tree).await.expect("told"), [], "it is known");
    for one in [&session, &fork] {
        assert_eq!(marks(&store, one).await, "a:c1 b:-");
        let files = store.file_operations(one).await.expect("read");
        assert_eq!(files, [FileOperation { turn: 1, ..file.clone() }]);
    }
    // A rewind of one is told to the other.
    let moved = SessionMove {
        session: fork.clone(),
        key: "r".to_owned(),
        changes: vec!["c1".to_owned()],
        state: ChangeState::Reverted,
        turns: vec![1],
        tree: MovedChanges { taken_back: vec!["c1".to_owned()], ..MovedChanges::default() },
        event: event("sessionRewound"),
    };
    store.move_session(moved).await.expect("moved");
    assert_eq!(marks(&store, &session).await, "a:- b:-");
    assert_eq!(marks(&store, &fork).await, "a:- b:-");
    assert!(!store.turns(&session).await.expect("read")[0].rewound, "its turns are its own");
    let again = MovedChanges {
        made_again: vec!["c1".to_owned(), "c2".to_owned()],
        ..MovedChanges::default()
    };
    store.move_changes(again).await.expect("told");
    assert_eq!(marks(&store, &session).await, "a:c1 b:c2");
    assert_eq!(marks(&store, &fork).await, "a:c1 b:c2");
}

#[tokio::test]
async fn c255_c260_an_audit_is_asked_for_and_keeps_the_newest_within_its_bytes() {
    let retention = Retention { audit_bytes: 100, ..Retention::default() };
    let store = Store::memory(StoreOptions { retention, ..options() }).await.expect("opened");
    let session = begun(&store, "x").await;
    let write = async |key: u32, bytes: usize| {
        let prompt = store.put_text("prompt").await.expect("put");
        let answer = store.put_text(&format!("{key:0bytes$}")).await.expect("put");
        let audit = NewAudit {
            turn: key,
            full_generation: answer,
            system_prompt: prompt,
            ..NewAudit::default()
        };
        let new = SessionWrite::new(session.clone(), key.to_string());
        store.write_session(SessionWrite { audit: Some(audit), ..new }).await.expect("written");
        let kept = store.audit_entries(&session).await.expect("read");
        let trimmed = store.session(&session).await.expect("read").expect("there").audit_trimmed;
        (kept.iter().map(|entry| entry.turn).collect::<Vec<_>>(), trimmed)
    };
    // Six bytes of prompt each.
    assert_eq!(write(1, 40).await, (vec![1], 0));
    assert_eq!(write(2, 40).await, (vec![1, 2], 0));
    assert_eq!(write(3, 40).await, (vec![2, 3], 1));
    assert_eq!(write(4, 5).await, (vec![3, 4], 2));
    assert_eq!(write(5, 500).await, (vec![5], 4), "the newest stays whatever its size");
    store
        .update_session(&session, SessionUpdate { audit: Some(false), ..Default::default() })
        .await
        .expect("changed");
    assert_eq!(write(6, 5).await, (vec![5], 4), "not asked for");
}

#[tokio::test]
async fn a_fork_has_the_turns_up_to_one_and_ticks_of_its_own_changes_only() {
    let store = opened().await;
    let session = begun(&store, "x").await;
    store.write_session(full(&session, "1", "a")).await.expect("written");
    for number in 2..=3 {
        let ask = NewTurn { key: number.to_string(), ..NewTurn::default() };
        store.add_turn(&session, ask).await.expect("asked");
    }
    put(&store, &session, "t", &["a", "b"]).await;
    let mut write = SessionWrite::new(session.clone(), "w");
    write.changes = vec![change("late", 2, ChangeState::Applied, &["b"])];
    write.turn =
        Some(TurnUpdate { index: 2, status: Some(TurnStatus::Failed), ..TurnUpdate::default() });
    store.write_session(write).await.expect("written");
    store.set_todo_completed(&session, "b", "late").await.expect("marked");
    let fork = store.fork_session(&session, Some(1)).await.expect("forked");
    assert_eq!((fork.turns, fork.parent.as_ref(), fork.tokens_in), (1, Some(&session), 0));
    assert_eq!(marks(&store, &fork.id).await, "a:a b:-");
    assert_eq!(store.session_changes(&fork.id).await.expect("read").len(), 1);
    assert_eq!(store.command_results(&fork.id).await.expect("read").len(), 1);
    // A turn that is still worked on is not taken over.
    let whole = store.fork_session(&session, None).await.expect("forked");
    assert_eq!((whole.turns, &*marks(&store, &whole.id).await), (2, "a:a b:late"));
    assert_eq!(store.session_events(&whole.id, 0, 9).await.expect("read").len(), 1);
    // One that waited when it was rewound is over, and keeps its number.
    let waiting =
        TurnUpdate { index: 3, status: Some(TurnStatus::Waiting), ..TurnUpdate::default() };
    let write = SessionWrite { turn: Some(waiting), ..SessionWrite::new(session.clone(), "waits") };
    store.write_session(write).await.expect("written");
    let back = SessionMove {
        session: session.clone(),
        key: "back".to_owned(),
        changes: Vec::new(),
        state: ChangeState::Reverted,
        turns: vec![3],
        tree: MovedChanges::default(),
        event: event("sessionRewound"),
    };
    store.move_session(back).await.expect("rewound");
    let rewound = store.fork_session(&session, None).await.expect("forked");
    let turns = store.turns(&rewound.id).await.expect("read");
    let states: Vec<_> = turns.iter().map(|turn| (turn.index, turn.status, turn.rewound)).collect();
    assert_eq!(states[2], (3, TurnStatus::Cancelled, true), "{states:?}");
    let refused = store.fork_session(&session, Some(4)).await;
    assert!(matches!(refused, Err(StoreError::NoSuchTurn { turn: 4, .. })), "{refused:?}");
    let children = SessionFilter { parent: Some(session.clone()), ..SessionFilter::default() };
    let listed = store.sessions(&children).await.expect("listed");
    let ids: Vec<&SessionId> = listed.iter().map(|session| &session.id).collect();
    assert_eq!(ids, [&rewound.id, &whole.id, &fork.id], "newest first");
}

#[tokio::test]
async fn c156_c160_a_handoff_is_made_once_and_has_tasks_and_changes_but_no_conversation() {
    let store = opened().await;
    let session = begun(&store, "x").await;
    store.write_session(full(&session, "1", "a")).await.expect("written");
    put(&store, &session, "t", &["a", "b"]).await;
    let context = store.put_text("what was done").await.expect("put");
    let new = || NewHandoff {
        key: "handoff/1".to_owned(),
        context: context.clone(),
        input: "go on".to_owned(),
        modified: vec!["a.rs".to_owned()],
    };
    let child = store.hand_over_session(&session, new()).await.expect("handed over");
    let again = store.hand_over_session(&session, new()).await.expect("handed over");
    assert_eq!(child.id, again.id, "the same key is the same child");
    let parent = store.session(&session).await.expect("read").expect("there");
    assert_eq!((child.parent.as_ref(), child.turns), (Some(&session), parent.turns));
    assert!(store.turns(&child.id).await.expect("read").is_empty());
    assert_eq!(marks(&store, &child.id).await, marks(&store, &session).await);
    assert_eq!(
        store.session_changes(&child.id).await.expect("read"),
        store.session_changes(&session).await.expect("read")
    );
    let next = store.add_turn(&child.id, NewTurn { key: "n".to_owned(), ..NewTurn::default() });
    assert_eq!(next.await.expect("asked").index, parent.turns + 1);
    // A fork of the child goes on after the turns of its parent, too, and knows what it got from it.
    let fork = store.fork_session(&child.id, Some(parent.turns)).await.expect("forked");
    assert_eq!(fork.turns, parent.turns);
    let begun = store.session_events(&fork.id, 0, 1).await.expect("read");
    assert_eq!(
        (&*begun[0].name, &begun[0].payload["context"]),
        (HANDED_OVER, &context.clone().into())
    );
    let next = store.add_turn(&fork.id, NewTurn { key: "n".to_owned(), ..NewTurn::default() });
    assert_eq!(next.await.expect("asked").index, parent.turns + 1);
    let told = store.last_session_event(&session, HANDED_OVER).await.expect("read").expect("told");
    assert_eq!(told.payload["child"], child.id.as_str());
    let children = SessionFilter { parent: Some(session.clone()), ..SessionFilter::default() };
    assert_eq!(store.sessions(&children).await.expect("listed").len(), 1);
    let none = store.hand_over_session(&SessionId("none".to_owned()), new()).await;
    assert!(matches!(none, Err(StoreError::NoSuchSession(_))), "{none:?}");
}
