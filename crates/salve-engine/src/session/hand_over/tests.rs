//! What a session hands over, once; and the two other choices.

use super::*;
use crate::facts::TextRedactor;
use salve_store::{NewSession, NewTurn, StoreOptions, TurnUpdate};
use salve_types::{
    BugBy, BugKind, BugReport, CommandBy, CommandResult, FileOpBy, FileOperation, Timestamp,
    TodoItem,
};
use serde_json::Value;
use std::sync::Arc;

async fn store() -> Store {
    let clock = Arc::new(|| Timestamp(1_000));
    let options = StoreOptions::new(clock, Arc::new(TextRedactor::default()), "test");
    Store::memory(options).await.expect("a store")
}

fn event(name: EventName, turn: u32, payload: Value) -> NewSessionEvent {
    NewSessionEvent { turn: Some(turn), name: name.name().to_owned(), payload }
}

fn change(id: &str, turn: u32, state: ChangeState) -> SessionChange {
    SessionChange {
        change_id: id.to_owned(),
        turn,
        state,
        todos: Vec::new(),
        micro_dollars: 0,
        checked: None,
        parent_change: None,
    }
}

fn read(path: &str) -> FileOperation {
    FileOperation {
        path: path.to_owned(),
        op: FileOpKind::Read,
        hash_before: None,
        hash_after: None,
        md5: None,
        size: 1,
        by: FileOpBy::Ai,
        at: Timestamp(1),
        turn: 1,
    }
}

// Five exchanges, a change in force, one that was taken back, and one of everything else.
async fn talked(store: &Store) -> SessionRecord {
    let new = NewSession {
        workspace: "/home/me/shop".to_owned(),
        title: "Add prices".to_owned(),
        ..NewSession::default()
    };
    let session = store.new_session(new).await.expect("begun").id;
    for number in 1..=5_u32 {
        let ask = NewTurn {
            text: format!("ask {number}"),
            key: number.to_string(),
            ..NewTurn::default()
        };
        store.add_turn(&session, ask).await.expect("asked");
        let answer =
            ChatAnswer { summary: Some(format!("answer {number}")), ..ChatAnswer::default() };
        let update = TurnUpdate {
            index: number,
            result: serde_json::to_value(answer).ok(),
            ..TurnUpdate::default()
        };
        let write = SessionWrite::new(session.clone(), format!("r{number}"));
        store.write_session(SessionWrite { turn: Some(update), ..write }).await.expect("written");
    }
    let file = |path: &str| json!([{ "path": path, "added": 4, "removed": 1 }]);
    let todo = |id: &str, text: &str, completed| TodoItem {
        id: id.to_owned(),
        text: text.to_owned(),
        completed,
        completed_by: None,
        claimed: false,
        origin_turn: 1,
    };
    let write = SessionWrite {
        events: vec![
            event(EventName::EditsApplied, 1, json!({ "change": "c1", "files": file("src/a.py") })),
            event(
                EventName::EditsApplied,
                2,
                json!({ "change": "c2", "files": file("src/gone.py") }),
            ),
        ],
        changes: vec![
            change("c1", 1, ChangeState::Applied),
            change("c2", 2, ChangeState::Reverted),
        ],
        todos: Some(vec![todo("a", "Write it", true), todo("b", "Test it", false)]),
        file_operations: vec![read("README.md"), read("src/a.py")],
        bugs: vec![BugReport {
            kind: BugKind::Json,
            by: BugBy::Script,
            description: "Auto-detected: Response required JSON cleanup".to_owned(),
            turn: 1,
            at: Timestamp(1),
        }],
        commands: vec![CommandResult {
            command: "python test.py".to_owned(),
            cwd: String::new(),
            exit: Some(127),
            duration_ms: 1,
            output: None,
            shown: "pyenv: python: command not found".to_owned(),
            by: CommandBy::Ai,
            turn: 1,
            at: Timestamp(1),
        }],
        ..SessionWrite::new(session.clone(), "all")
    };
    store.write_session(write).await.expect("written");
    store.session(&session).await.expect("read").expect("there")
}

#[tokio::test]
async fn c157_what_a_session_hands_over() {
    let store = store().await;
    let session = talked(&store).await;
    let done = decide_handoff(&store, &session.id, HandoffChoice::Handoff).await.expect("done");
    let HandoffDone::Handoff { child, input } = done else { panic!("{done:?}") };
    assert_eq!(input, "Continue with the pending tasks:\n1. Test it");
    let got = inherited(&store, &child).await.expect("read").expect("there");
    assert_eq!((got.modified, got.last_turn, got.input), (vec!["src/a.py".to_owned()], 5, input));
    for part in [
        &format!("**Parent Session:** {}\n**Project:** shop\n**Total Exchanges:** 5\n", session.id),
        "### SESSION SUMMARY\nAdd prices\n- answer 1\n- answer 2\n\n",
        "### FILES MODIFIED (1 file)\n- `src/a.py` (+4/-1)\n\n",
        "### FILES REFERENCED (context attached during session)\n- `README.md`\n\n",
        "1. [ ] Test it\n",
        "- [x] Write it\n",
        "### RECENT CONVERSATION\nUser: ask 3\nAI: answer 3\n",
        "- JSON: Auto-detected: Response required JSON cleanup\n",
        "- `python test.py`: pyenv: python: command not found\n",
    ] {
        assert!(got.context.contains(part), "{part} is not in\n{}", got.context);
    }
    assert!(!got.context.contains("ask 2") && !got.context.contains("gone.py"), "{}", got.context);
    let again = decide_handoff(&store, &session.id, HandoffChoice::Handoff).await.expect("done");
    assert!(matches!(again, HandoffDone::Handoff { child: same, .. } if same.id == child.id));
    assert_eq!(inherited(&store, &session).await.expect("read"), None);
    // A child that hands over in its turn has the changes of both.
    let done = decide_handoff(&store, &child.id, HandoffChoice::Handoff).await.expect("done");
    let HandoffDone::Handoff { child: next, .. } = done else { panic!("{done:?}") };
    let got = inherited(&store, &next).await.expect("read").expect("there");
    assert_eq!(got.modified, ["src/a.py"]);
}

#[tokio::test]
async fn c162_c163_the_window_is_doubled_or_nothing_happens() {
    let store = store().await;
    let session = talked(&store).await.id;
    let done = decide_handoff(&store, &session, HandoffChoice::Cancel).await.expect("done");
    assert!(matches!(done, HandoffDone::Cancel { session } if session.handoff_offered));
    for limit in [2 * WINDOW_TOKENS, 4 * WINDOW_TOKENS] {
        let done = decide_handoff(&store, &session, HandoffChoice::Extend).await.expect("done");
        let HandoffDone::Extend { session } = done else { panic!("{done:?}") };
        assert_eq!((session.extended_limit, session.handoff_offered), (Some(limit), false));
    }
}
