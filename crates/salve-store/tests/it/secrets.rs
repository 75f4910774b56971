//! A planted key is in no byte of any file, and in no export.

use crate::support::*;
use salve_store::{
    AnswerOutcome, AnswerStat, CallFilter, CallKey, CallOutcome, NewCall, NewEvent, NewKey,
    Reservation, Settled, Store,
};
use serde_json::json;
use std::path::Path;

/// Returns the files that hold any of these texts, in full or but for a few characters.
fn holding(folder: &Path, secrets: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let bytes = std::fs::read(&path).expect("readable");
        for secret in secrets {
            let most = &secret.as_bytes()[..secret.len() - 6];
            if bytes.windows(most.len()).any(|window| window == most) {
                found.push(format!("{} holds {secret}", path.display()));
            }
        }
    }
    found
}

#[tokio::test]
async fn x24_a_planted_key_is_in_no_file_and_no_export() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("salve.db");
    let store = Store::open(&path, options(HandClock::new())).await.expect("opened");
    let with = |text: &str| format!("{text} {SECRET} {text}");

    let new = NewCall {
        purpose: with("purpose"),
        dialect: with("dialect"),
        provider: with("provider"),
        model: with("model"),
        session: Some(with("session")),
        prompt_hash: Some(with("hash")),
        ..call()
    };
    let key = CallKey::new(with("key"));
    let mut open = fresh_with(&store, &key, new.clone()).await;
    let id = open.id();
    // Whole, in halves, and one character at a time.
    open.append(&with("at once"));
    let (left, right) = SECRET.split_at(SECRET.len() / 2);
    open.append(left);
    open.save().await.expect("saved");
    assert_eq!(holding(folder.path(), &[SECRET]), [""; 0], "held back until it is certain");
    open.append(right);
    for character in SECRET.chars() {
        open.append(&character.to_string());
    }
    let settled = Settled {
        outcome: CallOutcome::Incomplete,
        finish: Some(with("finish")),
        error: Some(with("error")),
        text: Some(with("text")),
        stat: Some(AnswerStat {
            kind: Some(with("kind")),
            model: with("model"),
            language: with("language"),
            outcome: AnswerOutcome::Incomplete,
        }),
        note: Some(json!({ with("name"): [with("value"), { "deep": with("deep") }] })),
        ..Settled::default()
    };
    open.settle(settled).await.expect("settled");
    let event = NewEvent {
        kind: with("kind"),
        subject: with("subject"),
        body: json!([{ with("name"): with("value") }]),
    };
    store.append_event(event).await.expect("kept");
    let made =
        store.add_key(NewKey { name: with("name"), ..NewKey::default() }).await.expect("a key");
    store.find_key(&made.secret).expect("found");

    // A key with a secret in it is still the key of that one call.
    let again = store.reserve(&key, new).await.expect("a reservation");
    assert!(matches!(&again, Reservation::Done(detail) if detail.call.id == id), "{again:?}");

    let detail = store.call(id).await.expect("read").expect("there");
    assert_eq!(detail.texts.raw, format!("at once {REMOVED} at once{REMOVED}{REMOVED}"));
    let export = [
        serde_json::to_string(&detail).expect("JSON"),
        serde_json::to_string(&store.calls(&CallFilter::default()).await.expect("list"))
            .expect("JSON"),
        serde_json::to_string(&store.events_after(0, 10).await.expect("read")).expect("JSON"),
        serde_json::to_string(&store.stats(None).await.expect("read")).expect("JSON"),
        serde_json::to_string(&store.list_keys().await.expect("list")).expect("JSON"),
    ]
    .concat();
    assert!(export.contains(REMOVED));
    for secret in [SECRET, made.secret.as_str()] {
        assert!(!export.contains(secret), "{secret} was exported");
    }

    let wal = folder.path().join("salve.db-wal");
    assert!(std::fs::metadata(&wal).expect("a write-ahead log").len() > 0);
    assert_eq!(holding(folder.path(), &[SECRET, &made.secret]), [""; 0]);
    store.close().await;
    assert_eq!(holding(folder.path(), &[SECRET, &made.secret]), [""; 0]);
}
