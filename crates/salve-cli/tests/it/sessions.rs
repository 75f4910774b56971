//! Sessions as people look into them: lists, tasks, files, faults, the audit; back to before a turn and forward.
//!
//! In: a data folder of the test's own, with rows that turns could have written. Out: what each command prints, and
//! the files. Never the user's own store.
#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

use crate::ledger::AsItIs;
use crate::run::{Ended, folder, salve_in, write};
use salve_store::{
    NewAudit, NewSession, NewSessionEvent, NewTurn, SessionUpdate, SessionWrite, Store,
    StoreOptions, TurnUpdate,
};
use salve_types::{
    BugBy, BugKind, BugReport, ChangeState, FileOpBy, FileOpKind, FileOperation, SessionChange,
    SessionId, Timestamp, TodoItem, TurnStatus,
};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

fn at(place: &Path, arguments: &[&str]) -> Ended {
    let data = place.join("data");
    salve_in(arguments, "", place, &[("SALVE_DATA", data.to_str().unwrap())])
}

fn json_at(place: &Path, arguments: &[&str]) -> Value {
    let ended = at(place, &[arguments, &["--format", "json"]].concat());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    ended.json()
}

fn with_store<T>(place: &Path, act: impl AsyncFnOnce(&Store) -> T) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let clock = Arc::new(|| Timestamp(1_700_000_000_000));
        let options = StoreOptions::new(clock, Arc::new(AsItIs), "chat");
        let store = Store::open(&place.join("data/salve.db"), options).await.unwrap();
        let done = act(&store).await;
        store.close().await;
        done
    })
}

fn begin(place: &Path, turns: u32, todos: &[&str]) -> SessionId {
    let workspace = place.to_str().unwrap().to_owned();
    with_store(place, async |store| {
        let new = NewSession { workspace, title: "a parser".to_owned(), ..NewSession::default() };
        let session = store.new_session(new).await.unwrap().id;
        for number in 1..=turns {
            let text = format!("ask {number}");
            let ask = NewTurn { text, images: Vec::new(), key: format!("ask/{number}") };
            store.add_turn(&session, ask).await.unwrap();
            let turn = TurnUpdate {
                index: number,
                status: Some(TurnStatus::Completed),
                result: Some(json!({ "summary": format!("answer {number}") })),
                tokens_in: 100,
                tokens_out: 10,
                micro_dollars: 20_000,
                ..TurnUpdate::default()
            };
            let new = SessionWrite::new(session.clone(), format!("end/{number}"));
            store.write_session(SessionWrite { turn: Some(turn), ..new }).await.unwrap();
        }
        let todo = |text: &&str| TodoItem {
            id: (*text).to_owned(),
            text: format!("do {text}"),
            completed: false,
            completed_by: None,
            claimed: true,
            origin_turn: 1,
        };
        let todos = Some(todos.iter().map(todo).collect());
        let new = SessionWrite::new(session.clone(), "todos");
        store.write_session(SessionWrite { todos, ..new }).await.unwrap();
        session
    })
}

/// Applies an edit and tells the session of it, as a turn does.
fn change(place: &Path, session: &SessionId, turn: u32, edit: &str, todo: &str) -> String {
    let id = applied(place, edit);
    with_store(place, async |store| {
        let change = SessionChange {
            change_id: id.clone(),
            turn,
            state: ChangeState::Applied,
            todos: vec![todo.to_owned()],
            micro_dollars: 0,
            checked: Some(true),
            parent_change: None,
        };
        let new = SessionWrite::new(session.clone(), format!("change/{id}"));
        store.write_session(SessionWrite { changes: vec![change], ..new }).await.unwrap();
        store.set_todo_completed(session, todo, &id).await.unwrap();
    });
    id
}

fn applied(place: &Path, edit: &str) -> String {
    let ended = salve_in(&["apply"], edit, place, &[]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let history = salve_in(&["history", "--format", "json"], "", place, &[]).json();
    history["changeHistory"]["history"][0]["id"].as_str().unwrap().to_owned()
}

fn edit(path: &str, old: &str, new: &str) -> String {
    format!("{path}\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n")
}

fn marks(place: &Path, session: &SessionId) -> String {
    let todos = json_at(place, &["todos", session.as_str()]);
    let mark = |todo: &Value| format!("{}:{}", todo["id"].as_str().unwrap(), todo["completed"]);
    todos["todos"].as_array().unwrap().iter().map(mark).collect::<Vec<_>>().join(" ")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn no_session_is_no_failure_to_list_and_makes_no_database() {
    let place = folder("sessions_none");
    for (arguments, code, words) in [
        (&["sessions"][..], 0, "no sessions"),
        (&["sessions", "list", "--here"], 0, "no sessions"),
        (&["sessions", "bugs"], 0, "no faults"),
        (&["todos"], 2, "`salve chat` begins one"),
        (&["files"], 2, "`salve chat` begins one"),
        (&["sessions", "show", "x"], 2, "there is no session yet"),
        (&["sessions", "rewind", "x"], 2, "--turn"),
    ] {
        let ended = at(&place, arguments);
        assert_eq!(ended.code, Some(code), "{ended:?}");
        assert!(format!("{}{}", ended.out, ended.err).contains(words), "{words}: {ended:?}");
    }
    assert!(!place.join("data/salve.db").exists());
    assert_eq!(at(&place, &["sessions", "list", "--format", "json"]).out, "[]\n");
}

#[test]
fn c043_c263_c264_a_session_is_listed_and_shown_with_its_tasks_files_and_faults() {
    let place = folder("sessions_shown");
    let session = begin(&place, 2, &["a", "b", "c"]);
    write(&place.join("same.txt"), "same\n");
    write(&place.join("other.txt"), "other\n");
    let operation = |path: &str, content: &str, op, turn| FileOperation {
        path: path.to_owned(),
        op,
        hash_before: None,
        hash_after: Some(salve_tree::ContentHash::of(content.as_bytes()).hex()),
        md5: Some("0123".to_owned()),
        size: content.len() as u64,
        by: FileOpBy::Ai,
        at: Timestamp(1000),
        turn,
    };
    with_store(&place, async |store| {
        store.set_todo_completed(&session, "b", "c1").await.unwrap();
        let bug = BugReport {
            kind: BugKind::Json,
            by: BugBy::Script,
            description: "no JSON\nat all".to_owned(),
            turn: 1,
            at: Timestamp(1000),
        };
        let write = SessionWrite {
            file_operations: vec![
                operation("same.txt", "old\n", FileOpKind::Update, 1),
                operation("same.txt", "same\n", FileOpKind::Read, 2),
                operation("other.txt", "what it was\n", FileOpKind::Read, 1),
            ],
            bugs: vec![bug],
            ..SessionWrite::new(session.clone(), "more")
        };
        store.write_session(write).await.unwrap();
    });
    let id = session.as_str();
    let listed = json_at(&place, &["sessions", "list", "--here"]);
    assert_eq!((&listed[0]["id"], &listed[0]["turns"]), (&json!(id), &json!(2)), "{listed}");
    assert_eq!(listed[0]["micro_dollars"], 40_000);
    assert_eq!(listed[0]["created_at"], "2023-11-14T22:13:20.000Z");
    let human = at(&place, &["sessions"]);
    assert!(human.out.contains(id) && human.out.contains("a parser"), "{}", human.out);
    // By its beginning, and as the last one of this workspace.
    for named in [id, &id[..20], "last"] {
        let shown = json_at(&place, &["sessions", "show", named]);
        assert_eq!(shown["id"], json!(id));
        assert_eq!(shown["turns"][1]["text"], "ask 2");
    }
    let shown = at(&place, &["sessions", "show", id]).out;
    for words in ["turn 2  completed", "> ask 1", "< answer 2", "tasks 1/3", "1 fault"] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    let unknown = at(&place, &["sessions", "show", "nothing"]);
    assert_eq!(unknown.code, Some(2), "{unknown:?}");
    assert!(unknown.err.contains("salve sessions list"), "{unknown:?}");

    let todos = at(&place, &["todos"]).out;
    assert!(todos.starts_with("1/3\n") && todos.contains("[x] do b"), "{todos}");
    assert!(todos.contains("[ ] do a  (said to be done)"), "{todos}");
    let open = json_at(&place, &["todos", "--open"]);
    assert_eq!((&open["done"], &open["total"]), (&json!(1), &json!(3)));
    assert_eq!(open["todos"].as_array().unwrap().len(), 2);

    let files = json_at(&place, &["files"]);
    let row = |at: usize| (files[at]["path"].clone(), files[at]["stale"].clone());
    assert_eq!(row(0), (json!("other.txt"), json!(true)), "{files}");
    assert_eq!(row(1), (json!("same.txt"), json!(false)), "{files}");
    assert_eq!(
        (&files[1]["last_seen_turn"], &files[1]["last_modified_turn"]),
        (&json!(2), &json!(1))
    );
    let log = json_at(&place, &["files", id, "--log", "--turn", "1"]);
    assert_eq!(log.as_array().unwrap().len(), 2, "{log}");

    let filed = at(&place, &["sessions", "bugs", id, "--add", "wrong file", "--turn", "2"]);
    assert_eq!(filed.code, Some(0), "{filed:?}");
    let bugs = json_at(&place, &["sessions", "bugs"]);
    let told: Vec<(&str, &str, u64)> = bugs
        .as_array()
        .unwrap()
        .iter()
        .map(|bug| {
            let word = |name: &str| bug[name].as_str().unwrap();
            (word("kind"), word("by"), bug["turn"].as_u64().unwrap())
        })
        .collect();
    assert_eq!(told, [("json", "script", 1), ("other", "user", 2)]);
    let events = at(&place, &["sessions", "show", id, "--events", "--format", "jsonl"]).lines();
    let names: Vec<&str> = events.iter().map(|event| event["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["newMessagePair", "newMessagePair", "bugFiled"]);
    let after = events[1]["id"].to_string();
    let later = ["sessions", "show", id, "--events", "--after", &after, "--format", "jsonl"];
    assert_eq!(at(&place, &later).lines(), events[2..]);
    let beyond = at(&place, &["sessions", "bugs", id, "--add", "x", "--turn", "9"]);
    assert_eq!(beyond.code, Some(2), "{beyond:?}");
}

#[test]
fn c257_c258_the_audit_shows_what_was_kept_or_how_to_keep_it() {
    let place = folder("sessions_audit");
    let session = begin(&place, 2, &[]);
    let id = session.as_str();
    let without = at(&place, &["sessions", "audit", id]).out;
    for words in ["No audit document found.", "1. ", "2. ", "3. "] {
        assert!(without.contains(words), "{words}: {without}");
    }
    let end = format!("Future generations will be saved to debug:{id}\n");
    assert!(without.ends_with(&end), "{without}");
    assert_eq!(at(&place, &["sessions", "audit", id, "--on"]).out, end);
    with_store(&place, async |store| {
        let record = store.session(&session).await.unwrap().unwrap();
        assert!(record.audit);
        let prompt = store.put_text("the system prompt").await.unwrap();
        for turn in 1..=2 {
            let audit = NewAudit {
                turn,
                user_message: format!("ask {turn}"),
                full_generation: store.put_text(&format!("{{\"n\": {turn}}}")).await.unwrap(),
                system_prompt: prompt.clone(),
                model: "some-model".to_owned(),
                finish_reason: Some("stop".to_owned()),
                tokens_in: 6785,
                tokens_out: 296,
            };
            let new = SessionWrite::new(session.clone(), format!("audit/{turn}"));
            store.write_session(SessionWrite { audit: Some(audit), ..new }).await.unwrap();
        }
        store.update_session(&session, SessionUpdate::default()).await.unwrap();
    });
    let shown = at(&place, &["sessions", "audit", id]).out;
    for words in [
        "Generation Audit",
        &format!("Document: debug:{id}"),
        "Entries: 2 | Created: 2023-11-14",
        "6785 in / 296 out",
        "User Message\n  ask 1",
        "Full AI Generation\n  {\"n\": 2}",
    ] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    assert!(shown.find("Pair #1") < shown.find("Pair #0"), "newest first: {shown}");
    let entries = json_at(&place, &["sessions", "audit", id]);
    assert_eq!(entries[0]["system_prompt"], "the system prompt");
    assert_eq!(entries[1]["full_generation"], "{\"n\": 2}");
}

#[test]
fn a_rewind_takes_back_files_and_ticks_and_can_be_taken_back_itself() {
    let place = folder("sessions_rewind");
    write(&place.join("a.txt"), "one\r\ntwo");
    write(&place.join("b.txt"), "b\n");
    let session = begin(&place, 3, &["t1", "t2", "t3"]);
    let id = session.as_str();
    change(&place, &session, 1, &edit("a.txt", "one", "ONE"), "t1");
    let middle = (read(&place.join("a.txt")), read(&place.join("b.txt")));
    change(&place, &session, 2, &edit("b.txt", "b", "bee"), "t2");
    change(&place, &session, 3, &edit("new.txt", "", "fresh"), "t3");
    change(&place, &session, 3, &edit("a.txt", "two", "TWO"), "t3");
    let newest = (read(&place.join("a.txt")), read(&place.join("b.txt")));

    let back = json_at(&place, &["sessions", "rewind", id, "--turn", "2"]);
    assert_eq!(back["outcome"], "moved", "{back}");
    assert_eq!(back["rewind"]["turns"], json!([2, 3]));
    assert_eq!((read(&place.join("a.txt")), read(&place.join("b.txt"))), middle);
    assert!(!place.join("new.txt").exists());
    assert_eq!(marks(&place, &session), "t1:true t2:false t3:false");
    let shown = json_at(&place, &["sessions", "show", id]);
    let states: Vec<&str> = shown["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|change| change["state"].as_str().unwrap())
        .collect();
    assert_eq!(states, ["applied", "reverted", "reverted", "reverted"]);
    assert_eq!(
        (&shown["turns"][0]["rewound"], &shown["turns"][2]["rewound"]),
        (&json!(false), &json!(true))
    );
    let again = json_at(&place, &["sessions", "rewind", id, "--turn", "2"]);
    assert_eq!(again["outcome"], "nothing_to_do");
    // Further back, to the very beginning.
    let back = at(&place, &["sessions", "rewind", id, "--turn", "1", "--files-only"]);
    assert!(back.out.contains("a.txt") && back.out.contains("[ ] do t1"), "{back:?}");
    assert_eq!(
        (read(&place.join("a.txt")), read(&place.join("b.txt"))),
        ("one\r\ntwo".into(), "b\n".into())
    );
    // Each rewind is taken back by itself.
    let forth = json_at(&place, &["sessions", "rewind", id, "--undo"]);
    assert_eq!(forth["outcome"], "moved", "{forth}");
    assert_eq!(marks(&place, &session), "t1:true t2:false t3:false");
    assert_eq!((read(&place.join("a.txt")), read(&place.join("b.txt"))), middle);
    at(&place, &["sessions", "rewind", id, "--undo"]);
    assert_eq!(marks(&place, &session), "t1:true t2:true t3:true");
    assert_eq!((read(&place.join("a.txt")), read(&place.join("b.txt"))), newest);
    assert_eq!(read(&place.join("new.txt")).trim_end(), "fresh");
    let shown = json_at(&place, &["sessions", "show", id]);
    assert_eq!(shown["turns"][2]["rewound"], false, "{shown}");
    let none = json_at(&place, &["sessions", "rewind", id, "--undo"]);
    assert_eq!(none["outcome"], "nothing_to_do");
    let events = at(&place, &["sessions", "show", id, "--events", "--format", "jsonl"]).lines();
    let told: Vec<&str> =
        events.iter().skip(3).map(|event| event["name"].as_str().unwrap()).collect();
    assert_eq!(told, ["sessionRewound", "sessionRewound", "rewindUndone", "rewindUndone"]);
    let beyond = at(&place, &["sessions", "rewind", id, "--turn", "9"]);
    assert!(beyond.code == Some(2) && beyond.err.contains("has no turn 9"), "{beyond:?}");
}

#[test]
fn a_rewind_holds_back_what_is_not_of_the_session() {
    let place = folder("sessions_rewind_others");
    write(&place.join("a.txt"), "one\n");
    write(&place.join("b.txt"), "b\n");
    let session = begin(&place, 1, &["t1"]);
    let id = session.as_str();
    change(&place, &session, 1, &edit("a.txt", "one", "ONE"), "t1");
    // By hand, outside: nothing is overwritten without a word.
    write(&place.join("a.txt"), "mine\n");
    let held = at(&place, &["sessions", "rewind", id, "--turn", "1"]);
    assert_eq!(held.code, Some(4), "{held:?}");
    assert!(held.out.contains("a.txt") && held.out.contains("--force"), "{held:?}");
    assert_eq!(
        (read(&place.join("a.txt")), &*marks(&place, &session)),
        ("mine\n".into(), "t1:true")
    );
    write(&place.join("a.txt"), "ONE\n");
    // A change of somebody else since.
    applied(&place, &edit("b.txt", "b", "other"));
    let held = at(&place, &["sessions", "rewind", id, "--turn", "1"]);
    assert_eq!(held.code, Some(4), "{held:?}");
    assert!(held.out.contains("not of the session") && held.out.contains("#2"), "{held:?}");
    assert_eq!(
        (read(&place.join("a.txt")), read(&place.join("b.txt"))),
        ("ONE\n".into(), "other\n".into())
    );
    let forced = at(&place, &["sessions", "rewind", id, "--turn", "1", "--force"]);
    assert_eq!(forced.code, Some(0), "{forced:?}");
    assert_eq!(
        (read(&place.join("a.txt")), read(&place.join("b.txt"))),
        ("one\n".into(), "b\n".into())
    );
    // After another change, the way forward is no more the one that was left.
    applied(&place, &edit("b.txt", "b", "later"));
    let held = at(&place, &["sessions", "rewind", id, "--undo"]);
    assert!(held.code == Some(4) && held.err.contains("salve rewind"), "{held:?}");
}

#[test]
fn what_the_tree_took_back_already_is_settled_by_a_rewind() {
    let place = folder("sessions_rewind_undone");
    write(&place.join("a.txt"), "one\n");
    let session = begin(&place, 1, &["t1"]);
    let id = session.as_str();
    change(&place, &session, 1, &edit("a.txt", "one", "ONE"), "t1");
    assert_eq!(salve_in(&["undo"], "", &place, &[]).code, Some(0));
    let back = json_at(&place, &["sessions", "rewind", id, "--turn", "1"]);
    assert_eq!((&back["outcome"], &back["rewind"]["moved"]), (&json!("moved"), &json!(false)));
    assert_eq!(
        (read(&place.join("a.txt")), &*marks(&place, &session)),
        ("one\n".into(), "t1:false")
    );
}

#[test]
fn a_fork_goes_on_from_a_turn() {
    let place = folder("sessions_fork");
    let session = begin(&place, 3, &["t1"]);
    with_store(&place, async |store| {
        let event = NewSessionEvent { turn: None, name: "planning".into(), payload: json!({}) };
        let new = SessionWrite::new(session.clone(), "event");
        store.write_session(SessionWrite { events: vec![event], ..new }).await.unwrap();
    });
    let fork = json_at(&place, &["sessions", "fork", session.as_str(), "--turn", "2"]);
    assert_eq!((&fork["parent"], &fork["turns"]), (&json!(session), &json!(2)), "{fork}");
    let child = at(&place, &["sessions", "fork", fork["id"].as_str().unwrap()]);
    assert!(child.code == Some(0) && child.err.contains("2 turns"), "{child:?}");
    let shown = json_at(&place, &["sessions", "show", child.out.trim()]);
    assert_eq!((&shown["parent"], &shown["turns"][1]["text"]), (&fork["id"], &json!("ask 2")));
    let refused = at(&place, &["sessions", "fork", session.as_str(), "--turn", "4"]);
    assert!(refused.code == Some(2) && refused.err.contains("no turn 4"), "{refused:?}");
}

#[test]
fn c023_c256_the_documents_have_their_keys_and_no_secret() {
    const SECRET: &str = "sk-proj-Zx81kQ0vB7mN2cT5yR9wL4hJ6dF3gS8aPqWe";
    let place = folder("sessions_export");
    write(&place.join("a.txt"), "one\n");
    let session = begin(&place, 2, &["t1"]);
    let id = session.as_str();
    change(&place, &session, 1, &edit("a.txt", "one", &format!("key = {SECRET}")), "t1");
    with_store(&place, async |store| {
        let raw = store.put_text("what came").await.unwrap();
        let turn = TurnUpdate { index: 2, raw: Some(raw), ..TurnUpdate::default() };
        let new = SessionWrite::new(session.clone(), "raw");
        store.write_session(SessionWrite { turn: Some(turn), ..new }).await.unwrap();
    });
    let ended = at(&place, &["sessions", "export", id]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(!ended.out.contains(SECRET), "{}", ended.out);
    let document = ended.json();
    for key in [
        "id",
        "docType",
        "pairs",
        "todos",
        "bugs",
        "changeHistory",
        "pairFileHistory",
        "uploadedFiles",
        "fileRegistry",
        "auditGenerating",
        "updatedAt",
    ] {
        assert!(document.get(key).is_some(), "{key}: {document}");
    }
    assert_eq!(
        (&document["docType"], &document["pairs"][1]["pairIndex"]),
        (&json!("chat"), &json!(1))
    );
    assert_eq!(document["pairs"][1]["response"]["text"], "what came");
    assert_eq!(document["changeHistory"]["position"], 0, "{document}");
    assert_eq!(document["changeHistory"]["history"][0]["files"][0]["oldContent"], "one\n");
    let file = place.join("audit.json");
    let written = ["sessions", "export", "last", file.to_str().unwrap(), "--document", "audit"];
    assert_eq!(at(&place, &written).code, Some(0));
    let document: Value = serde_json::from_str(&read(&file)).unwrap();
    let name = format!("debug:{id}");
    assert_eq!((&document["docType"], &document["id"]), (&json!("chatAudit"), &json!(name)));
}
