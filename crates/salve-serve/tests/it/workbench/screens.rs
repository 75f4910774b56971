//! The screens beside the chat: while they are empty, after a conversation, and what is decided on them.

use super::stage::{Bench, World, is_over};
use serde_json::{Value, json};

const SCREENS: [(&str, &str, &str); 9] = [
    ("/", "Home", "Nothing was healed yet"),
    ("/history", "History", "Nothing was changed yet"),
    ("/files", "Files", "No file was read yet"),
    ("/heal", "Heal", "No heal yet"),
    ("/knowledge", "Knowledge", "Nothing was learned yet"),
    ("/plans", "Plans", "No plan yet"),
    ("/jobs", "Jobs", "No job yet"),
    ("/audit", "Audit", "Nothing to look into yet"),
    ("/settings", "Settings", "auto_apply"),
];

fn edit() -> String {
    let change = json!({ "path": "notes.txt", "content": "one\ntwo\nfour\n" });
    let answer = json!({ "summary": "Counts <b>on</b>.", "fileChanges": [change] });
    json!({ "reply": { "text": answer.to_string() } }).to_string()
}

async fn page(bench: &Bench, path: &str) -> String {
    let (status, drawn) = bench.get(path).await;
    assert_eq!(status, 200, "{path}: {drawn}");
    drawn.as_str().unwrap_or_else(|| panic!("{path} is no page")).to_owned()
}

// One turn whose edit is applied.
async fn edited(bench: &Bench) -> String {
    let session = bench.session().await;
    bench.say(&session, "count on in notes.txt").await;
    let held = bench.events_until("after=0", is_over).await.pop().unwrap();
    let (_, shown) = bench.get(&format!("/api/v1/sessions/{session}")).await;
    let apply = json!({ "type": "apply", "approval": shown["waiting"]["approval"] });
    assert_eq!(bench.act(&session, &apply).await.0, 200);
    bench.events_until(&format!("after={}", held["id"]), is_over).await;
    session
}

#[tokio::test(flavor = "multi_thread")]
async fn every_screen_has_a_heading_and_teaches_while_it_is_empty() {
    let world = World::new(r#"{"reply": {"text": "x"}}"#).await;
    let bench = Bench::start(&world).await;
    for (path, name, words) in SCREENS {
        let drawn = page(&bench, path).await;
        assert!(drawn.contains("<main id=\"main\""), "{path}");
        assert!(drawn.contains(&format!("<h1>{name}</h1>")), "{path}: {drawn}");
        assert!(drawn.contains(words), "{path}: {drawn}");
        assert!(!drawn.contains("style="), "{path}");
    }
    assert!(!world.root.join(".salve").exists(), "looking makes nothing");
    for path in ["/history?session=none", "/knowledge?rule=none", "/jobs?call=7"] {
        assert_eq!(bench.get(path).await.0, 404, "{path}");
    }
    bench.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn c116_c246_c257_a_conversation_fills_the_screens() {
    let world = World::new(&edit()).await;
    let bench = Bench::start(&world).await;
    let session = edited(&bench).await;

    let history = page(&bench, "/history").await;
    assert!(history.contains("Change #1</strong> - 1 file"), "{history}");
    assert!(history.contains("aria-label=\"Rewind\""), "{history}");
    let compared = page(&bench, &format!("/history?session={session}&before=1")).await;
    assert!(compared.contains("Compare before restore: turn 1"), "{compared}");
    assert!(compared.contains("role=\"group\" aria-label=\"notes.txt\""), "{compared}");
    assert_eq!(world.read("notes.txt"), "one\ntwo\nfour\n", "comparing moves nothing");

    let files = page(&bench, &format!("/files?session={session}")).await;
    assert!(files.contains("notes.txt") && files.contains("Turn 1: "), "{files}");
    let audit = page(&bench, &format!("/audit?session={session}")).await;
    assert!(audit.contains("Pair #0") && audit.contains("No audit document found."), "{audit}");
    assert!(audit.contains("&lt;b&gt;on&lt;/b&gt;") && !audit.contains("<b>on</b>"), "{audit}");
    assert!(page(&bench, "/jobs").await.contains("/jobs?call=1#call"));
    assert!(page(&bench, "/").await.contains("1 in place"));

    // What the buttons of the page send.
    let back = json!({ "type": "rewind", "turn": 1, "scope": "both" });
    assert_eq!(bench.act(&session, &back).await.0, 200);
    let rewound = page(&bench, "/history").await;
    assert!(rewound.contains("Undo the rewind") && rewound.contains("↩ taken back"), "{rewound}");
    assert_eq!(bench.act(&session, &json!({ "type": "undoRewind" })).await.0, 200);
    assert!(!page(&bench, "/history").await.contains("Undo the rewind"));
    bench.stop().await;
}

async fn decide(bench: &Bench, action: &Value) -> (u16, Value) {
    bench.post("/api/v1/actions", action).await
}

#[tokio::test(flavor = "multi_thread")]
async fn c258_c264_what_is_decided_on_the_screens_is_done() {
    let world = World::new(&edit()).await;
    let bench = Bench::start(&world).await;
    let session = edited(&bench).await;
    let bug = |turn: u32, text: &str| json!({ "type": "reportBug", "session": session, "turn": turn, "text": text });
    assert_eq!(decide(&bench, &bug(1, "it <img src=x> went wrong")).await.0, 200);
    assert_eq!(decide(&bench, &bug(1, " ")).await.0, 422);
    assert_eq!(decide(&bench, &bug(9, "x")).await.0, 404);
    let on = json!({ "type": "setAudit", "session": session, "on": true });
    assert_eq!(decide(&bench, &on).await.0, 200);
    let audit = page(&bench, "/audit").await;
    assert!(audit.contains("It is on; there was no generation since."), "{audit}");
    assert!(audit.contains("it &lt;img src=x&gt; went wrong"), "{audit}");

    let (status, done) = decide(&bench, &json!({ "type": "resetBreaker" })).await;
    assert_eq!((status, &done["outcome"]), (200, &json!("nothing_to_do")), "{done}");
    for (action, expected) in [
        (json!({ "type": "pinRule", "rule": "none", "reason": "fine" }), 404),
        (json!({ "type": "pinRule", "rule": "none", "reason": "" }), 422),
        (json!({ "type": "unpinRule", "rule": "none" }), 404),
        (json!({ "type": "disableRule", "rule": "none" }), 404),
        (json!({ "type": "enableRule", "rule": "none" }), 404),
        (json!({ "type": "cancelJob", "job": "none" }), 404),
        (json!({ "type": "resolveCall", "key": "none", "decision": "retry" }), 404),
        (json!({ "type": "resolveCall", "key": "none", "decision": "pay" }), 422),
        (json!({ "type": "setPattern", "signature": "none", "disabled": true }), 200),
        (json!({ "type": "setAudit", "session": "none", "on": true }), 404),
        (json!({ "type": "format", "disk": "all" }), 422),
    ] {
        let (status, answer) = decide(&bench, &action).await;
        assert_eq!(status, expected, "{action}: {answer}");
    }
    bench.stop().await;
}
