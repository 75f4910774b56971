//! A turn as the store has it, folded into what a page shows.
//!
//! In: records and events. Out: the view data. Never a database.

use super::*;
use salve_types::{SessionId, Timestamp};
use serde_json::json;

fn record(status: TurnStatus, result: Option<Value>) -> TurnRecord {
    TurnRecord {
        session: SessionId("s".into()),
        index: 1,
        text: "raise the limit".into(),
        images: Vec::new(),
        status,
        raw: None,
        partial: false,
        result,
        plan: None,
        tokens_in: 30,
        tokens_out: 12,
        micro_dollars: 0,
        attempt: 1,
        finish_reason: None,
        model: None,
        rewound: false,
        created_at: Timestamp(0),
        updated_at: Timestamp(0),
    }
}

fn folded(record: &TurnRecord, events: &[(EventName, Value)]) -> TurnView {
    let event = |(id, (name, payload)): (u64, &(EventName, Value))| SessionEvent {
        id,
        session: SessionId("s".into()),
        turn: Some(1),
        name: name.name().into(),
        at: Timestamp(0),
        payload: payload.clone(),
    };
    let events: Vec<SessionEvent> = (1..).zip(events).map(event).collect();
    turn_view(&TurnFacts {
        record,
        events: &events,
        approval: Some("hash".into()),
        diffs: &BTreeMap::new(),
        reverted: &BTreeSet::new(),
    })
}

fn chunk(reply: &str, text: &str) -> (EventName, Value) {
    (EventName::UpdateResponseChunk, json!({ "reply": reply, "text": text }))
}

fn words(view: &TurnView) -> Vec<&str> {
    view.done.iter().map(|line| line.words.as_str()).collect()
}

#[test]
fn c016_edits_that_wait_are_files_with_their_hunks() {
    let hunk = |path: &str, id: &str, text: &str| {
        json!({ "path": path, "id": id, "kind": "change", "oldFirstLine": 3, "oldLines": 1,
                "newFirstLine": 3, "newLines": 1, "text": text })
    };
    let hunks = json!([
        hunk("a.py", "one", " same\n-old\n+new\n"),
        hunk("a.py", "two", "+more\n"),
        hunk("b.py", "three", "-gone\n"),
    ]);
    let held = (EventName::EditsHeld, json!({ "files": ["a.py", "b.py"], "hunks": hunks }));
    let view = folded(&record(TurnStatus::Waiting, None), std::slice::from_ref(&held));
    let shown: Vec<_> = view
        .files
        .iter()
        .map(|file| (file.path.as_str(), file.added, file.removed, file.hunks.len()))
        .collect();
    assert_eq!(shown, [("a.py", 2, 1, 2), ("b.py", 0, 1, 1)]);
    assert_eq!(view.files[0].hunks[0].hunk.old_first, 3);
    assert_eq!(words(&view), ["2 changes wait for you"]);
    let applied = (
        EventName::EditsApplied,
        json!({ "change": "c1", "files": [{ "path": "a.py", "added": 2, "removed": 1 }] }),
    );
    let view = folded(&record(TurnStatus::Waiting, None), &[held.clone(), applied]);
    assert_eq!(view.files_in(FileState::Applied), 1);
    assert_eq!(view.files_in(FileState::Waiting), 1);
    let declined = (EventName::EditsBlocked, json!({ "code": "declined" }));
    let view = folded(&record(TurnStatus::Completed, None), &[held, declined]);
    assert_eq!(view.files_in(FileState::Rejected), 2);
}

#[test]
fn c187_an_attempt_that_runs_shows_nothing_of_the_one_before() {
    let first = [
        chunk("one", "{\"summary\": \"Old"),
        (EventName::TurnFailed, json!({ "why": "the line broke" })),
        chunk("two", "{\"summary\": \"N"),
        chunk("two", "ew"),
    ];
    let old = json!({ "summary": "Old." });
    let view = folded(&record(TurnStatus::Running, Some(old.clone())), &first);
    assert_eq!(view.arrived.as_deref(), Some("{\"summary\": \"New"));
    assert_eq!((view.answer, view.why), (None, None));
    let view = folded(&record(TurnStatus::Failed, Some(old)), &first[..2]);
    assert_eq!(view.why.as_deref(), Some("the line broke"));
}

#[test]
fn c189_what_was_recovered_is_only_shown() {
    let answer = json!({
        "stage": "recovered", "recovered": true, "summary": "Half.",
        "fileChanges": [{ "path": "a.py", "content": "x = 1\n" }],
        "commands": [{ "command": "rm x" }],
    });
    let banner =
        (EventName::RecoveryBanner, json!({ "banner": "⚠️ words", "blocked": "🚫 words" }));
    let record = record(TurnStatus::CompletedPartial, Some(answer));
    let view = folded(&record, &[banner]);
    assert_eq!(view.files_in(FileState::Shown), 1);
    assert_eq!(view.open_commands(), 0);
    assert!(view.banner.is_some_and(|banner| banner.can_continue));
}

#[test]
fn c191_an_answer_that_changes_nothing_says_so() {
    let answer = json!({ "summary": "Same.", "fileChanges": [{ "path": "a.py", "content": "x" }] });
    let view = folded(&record(TurnStatus::Completed, Some(answer)), &[]);
    assert!(words(&view)[0].starts_with("No changes needed"), "{:?}", view.done);
}

#[test]
fn c072_commands_keep_their_place_and_how_they_ended() {
    let events = [
        (EventName::CommandSuggested, json!({ "number": 0, "command": "ls" })),
        (EventName::CommandSuggested, json!({ "number": 1, "command": "cat x" })),
        (
            EventName::CommandFinished,
            json!({ "number": 0, "command": "ls", "state": "ran", "ok": true, "output": "a" }),
        ),
        (
            EventName::CommandFinished,
            json!({ "number": 1, "command": "cat x", "state": "ran", "ok": false, "exit": 1 }),
        ),
    ];
    let view = folded(&record(TurnStatus::Completed, None), &events);
    let states: Vec<&CommandState> = view.commands.iter().map(|command| &command.state).collect();
    assert_eq!(states, [&CommandState::Succeeded, &CommandState::Failed]);
}
