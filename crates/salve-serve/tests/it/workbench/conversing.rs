//! Conversations over the API: asked, answered, decided, gone on with.

use super::stage::{Bench, World, is_over};
use serde_json::{Value, json};

fn script(text: &Value, more: &Value) -> String {
    let mut reply = json!({ "text": text.to_string() });
    if let (Some(reply), Some(more)) = (reply.as_object_mut(), more.as_object()) {
        reply.extend(more.clone());
    }
    json!({ "reply": reply }).to_string()
}

fn talk() -> String {
    script(&json!({ "summary": "It says one, two, three." }), &json!({}))
}

fn edit() -> String {
    let change = json!({ "path": "notes.txt", "content": "one\ntwo\nfour\n", "todoIndex": 0 });
    let answer = json!({
        "summary": "Counts to four.",
        "todos": [{ "text": "Count on", "completed": false }],
        "fileChanges": [change],
    });
    script(&answer, &json!({}))
}

fn names(events: &[Value]) -> Vec<&str> {
    events.iter().filter_map(|event| event["name"].as_str()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn c001_a_message_is_kept_then_answered_and_every_event_is_seen_once() {
    let world = World::new(&talk()).await;
    let bench = Bench::start(&world).await;
    let session = bench.session().await;
    let asked = bench.say(&session, "what does notes.txt say?").await;
    assert_eq!(asked, json!({ "session": session, "turn": 1 }));
    let events = bench.events_until(&format!("after=0&session={session}"), is_over).await;
    let names = names(&events);
    assert_eq!(names.first(), Some(&"newMessagePair"), "{names:?}");
    assert_eq!(names.last(), Some(&"requestComplete"), "{names:?}");
    let last = events.last().unwrap();
    assert_eq!(last["payload"]["status"], "completed", "{last}");
    assert_eq!(last["payload"]["structured"]["summary"], "It says one, two, three.");

    // A reader that names the last event it saw gets each later one once, of all sessions of the workspace.
    let ids: Vec<u64> = events.iter().map(|event| event["id"].as_u64().unwrap()).collect();
    assert!(ids.is_sorted_by(|a, b| a < b), "{ids:?}");
    let rest = bench.events_until(&format!("after={}", ids[1]), is_over).await;
    assert_eq!(rest, events[2..]);

    let (status, shown) = bench.get(&format!("/api/v1/sessions/{session}")).await;
    assert_eq!((status, &shown["turns"][0]["status"]), (200, &json!("completed")), "{shown}");
    let (_, listed) = bench.get("/api/v1/sessions?limit=5").await;
    assert_eq!(listed["sessions"][0]["id"], session.as_str());
    bench.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn c018_edits_wait_and_only_what_was_shown_is_applied_once() {
    let world = World::new(&edit()).await;
    let bench = Bench::start(&world).await;
    let session = bench.session().await;
    bench.say(&session, "count on in notes.txt").await;
    let events = bench.events_until("after=0", is_over).await;
    let held = events.last().unwrap();
    assert_eq!(held["payload"]["ending"], "waiting", "{held}");
    assert_eq!(world.read("notes.txt"), "one\ntwo\nthree\n");

    let (_, shown) = bench.get(&format!("/api/v1/sessions/{session}")).await;
    let approval = shown["waiting"]["approval"].as_str().unwrap().to_owned();
    for wrong in ["", "yes", &approval[1..], &approval.to_uppercase()] {
        let (status, refused) =
            bench.act(&session, &json!({ "type": "apply", "approval": wrong })).await;
        assert_eq!((status, &refused["error"]["code"]), (409, &json!("stale_approval")));
    }
    let (status, refused) = bench
        .act(&session, &json!({ "type": "runCommand", "approval": approval, "choice": "once" }))
        .await;
    assert_eq!((status, &refused["error"]["code"]), (409, &json!("stale_approval")), "{refused}");

    let apply = json!({ "type": "apply", "approval": approval });
    let (status, done) = bench.act(&session, &apply).await;
    assert_eq!((status, &done["outcome"]), (200, &json!("queued")), "{done}");
    let after = held["id"].as_u64().unwrap();
    let events = bench.events_until(&format!("after={after}"), is_over).await;
    assert!(names(&events).contains(&"editsApplied"), "{:?}", names(&events));
    assert_eq!(world.read("notes.txt"), "one\ntwo\nfour\n");
    let (status, _) = bench.act(&session, &apply).await;
    assert_eq!(status, 409, "it was decided");

    // Back to before the turn, and forward again.
    let back = json!({ "type": "rewind", "turn": 1, "scope": "both" });
    let (status, done) = bench.act(&session, &back).await;
    assert_eq!((status, &done["outcome"]), (200, &json!("done")), "{done}");
    assert_eq!(world.read("notes.txt"), "one\ntwo\nthree\n");
    let (status, done) = bench.act(&session, &json!({ "type": "undoRewind" })).await;
    assert_eq!((status, &done["outcome"]), (200, &json!("done")), "{done}");
    assert_eq!(world.read("notes.txt"), "one\ntwo\nfour\n");
    let (status, refused) = bench.act(&session, &json!({ "type": "rewind", "turn": 9 })).await;
    assert_eq!((status, &refused["error"]["code"]), (404, &json!("no_such_turn")));
    bench.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn c018_edits_that_are_rejected_stay_out() {
    let world = World::new(&edit()).await;
    let bench = Bench::start(&world).await;
    let session = bench.session().await;
    bench.say(&session, "count on in notes.txt").await;
    let held = bench.events_until("after=0", is_over).await.pop().unwrap();
    let (_, shown) = bench.get(&format!("/api/v1/sessions/{session}")).await;
    let reject = json!({ "type": "reject", "approval": shown["waiting"]["approval"] });
    assert_eq!(bench.act(&session, &reject).await.0, 200);
    let events = bench.events_until(&format!("after={}", held["id"]), is_over).await;
    let blocked = events.iter().find(|event| event["name"] == "editsBlocked").unwrap();
    assert_eq!(blocked["payload"]["code"], "declined");
    assert_eq!(world.read("notes.txt"), "one\ntwo\nthree\n");
    bench.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn c018_each_file_is_written_when_it_is_taken_and_the_turn_goes_on_with_the_last() {
    let answer = json!({
        "summary": "Counts to four, and in another file.",
        "fileChanges": [
            { "path": "notes.txt", "content": "one\ntwo\nfour\n" },
            { "path": "more.txt", "content": "five\n" },
        ],
    });
    let world = World::new(&script(&answer, &json!({}))).await;
    let bench = Bench::start(&world).await;
    let session = bench.session().await;
    bench.say(&session, "count on in notes.txt and in a new file more.txt").await;
    let held = bench.events_until("after=0", is_over).await.pop().unwrap();
    let (_, shown) = bench.get(&format!("/api/v1/sessions/{session}")).await;
    let approval = shown["waiting"]["approval"].clone();
    let unknown =
        json!({ "type": "keepHunk", "approval": approval, "path": "notes.txt", "hunk": "?" });
    let (status, refused) = bench.act(&session, &unknown).await;
    assert_eq!((status, &refused["error"]["code"]), (404, &json!("no_such_hunk")), "{refused}");

    let keep = json!({ "type": "apply", "approval": approval, "path": "notes.txt" });
    let (status, done) = bench.act(&session, &keep).await;
    assert_eq!((status, &done["outcome"]), (200, &json!("queued")), "{done}");
    let part = bench.events_until(&format!("after={}", held["id"]), is_over).await;
    assert_eq!(part.last().unwrap()["payload"]["ending"], "waiting", "the other file is open");
    assert!(names(&part).contains(&"checkFinished"), "{:?}", names(&part));
    assert_eq!(world.read("notes.txt"), "one\ntwo\nfour\n");
    assert!(!world.root.join("more.txt").exists());
    let (_, shown) = bench.get(&format!("/api/v1/sessions/{session}")).await;
    assert_eq!(shown["waiting"]["approval"], approval, "{shown}");
    assert_eq!(shown["waiting"]["what"]["edits"]["files"], json!(["more.txt"]), "{shown}");
    let (status, _) = bench.act(&session, &keep).await;
    assert_eq!(status, 404, "that file was decided about");

    let leave = json!({ "type": "reject", "approval": approval, "path": "more.txt" });
    let (status, done) = bench.act(&session, &leave).await;
    assert_eq!((status, &done["outcome"]), (200, &json!("queued")), "{done}");
    let last = part.last().unwrap()["id"].clone();
    let events = bench.events_until(&format!("after={last}"), is_over).await;
    let all = part.iter().chain(&events);
    let reviewed = all.filter(|event| event["name"] == "reviewChanged").count();
    assert_eq!(reviewed, 2, "every page is told");
    assert_eq!(events.last().unwrap()["payload"]["status"], "completed");
    assert!(!world.root.join("more.txt").exists());

    // Both go back with the turn.
    let back = json!({ "type": "rewind", "turn": 1, "scope": "both" });
    assert_eq!(bench.act(&session, &back).await.0, 200);
    assert_eq!(world.read("notes.txt"), "one\ntwo\nthree\n");
    bench.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn c018_a_file_that_was_rejected_can_be_opened_again() {
    let answer = json!({
        "summary": "Two files.",
        "fileChanges": [
            { "path": "notes.txt", "content": "one\ntwo\nfour\n" },
            { "path": "more.txt", "content": "five\n" },
        ],
    });
    let world = World::new(&script(&answer, &json!({}))).await;
    let bench = Bench::start(&world).await;
    let session = bench.session().await;
    bench.say(&session, "count on in notes.txt and in a new file more.txt").await;
    let held = bench.events_until("after=0", is_over).await.pop().unwrap();
    let (_, shown) = bench.get(&format!("/api/v1/sessions/{session}")).await;
    let approval = shown["waiting"]["approval"].clone();
    for (kind, outcome) in [("reject", "done"), ("reopen", "done")] {
        let step = json!({ "type": kind, "approval": approval, "path": "more.txt" });
        let (status, done) = bench.act(&session, &step).await;
        assert_eq!((status, &done["outcome"]), (200, &json!(outcome)), "{kind}: {done}");
    }
    let apply = json!({ "type": "apply", "approval": approval });
    assert_eq!(bench.act(&session, &apply).await.1["outcome"], "queued");
    bench.events_until(&format!("after={}", held["id"]), is_over).await;
    assert_eq!(world.read("more.txt"), "five\n", "it was opened again");
    assert_eq!(world.read("notes.txt"), "one\ntwo\nfour\n");
    bench.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn c064_a_command_runs_while_the_changes_before_it_wait() {
    let answer = json!({
        "summary": "A change and a command.",
        "fileChanges": [{ "path": "notes.txt", "content": "one\ntwo\nfour\n" }],
        "commands": [{ "command": "ls" }],
    });
    let world = World::new(&script(&answer, &json!({}))).await;
    let bench = Bench::start(&world).await;
    let session = bench.session().await;
    bench.say(&session, "count on in notes.txt").await;
    let held = bench.events_until("after=0", is_over).await.pop().unwrap();
    let (_, shown) = bench.get(&format!("/api/v1/sessions/{session}")).await;
    let approval = shown["waiting"]["approval"].clone();
    let run = |number: u32| json!({ "type": "runCommand", "approval": approval, "choice": "once", "number": number });
    let (status, refused) = bench.act(&session, &run(7)).await;
    assert_eq!((status, &refused["error"]["code"]), (404, &json!("no_such_command")), "{refused}");
    assert_eq!(bench.act(&session, &run(0)).await.0, 200);
    let events = bench.events_until(&format!("after={}", held["id"]), is_over).await;
    let ended: Vec<&Value> =
        events.iter().filter(|event| event["name"] == "commandFinished").collect();
    assert_eq!(ended.len(), 1, "{:?}", names(&events));
    assert_eq!(ended[0]["payload"]["number"], 0, "{:?}", ended[0]);
    assert_eq!(events.last().unwrap()["payload"]["ending"], "waiting");
    assert_eq!(world.read("notes.txt"), "one\ntwo\nthree\n", "the change waits on");

    // It is not run twice, neither by another press nor when its turn comes.
    let last = events.last().unwrap()["id"].clone();
    assert_eq!(bench.act(&session, &run(0)).await.0, 200);
    let again = bench.events_until(&format!("after={last}"), is_over).await;
    assert!(!names(&again).contains(&"commandFinished"), "{:?}", names(&again));
    bench.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn c022_guidance_enters_the_next_request_and_a_session_is_handed_over() {
    let world = World::new(&talk()).await;
    let bench = Bench::start(&world).await;
    let session = bench.session().await;
    let guide = json!({ "type": "guide", "text": "use tabs" });
    assert_eq!(bench.act(&session, &guide).await.0, 200);
    bench.say(&session, "what does notes.txt say?").await;
    bench.events_until("after=0", is_over).await;
    let (_, shown) = bench.get(&format!("/api/v1/sessions/{session}")).await;
    let asked = shown["turns"][0]["text"].as_str().unwrap();
    assert!(asked.contains("Guidance from the user:\n- use tabs"), "{asked}");
    let (status, done) = bench.act(&session, &json!({ "type": "handoff" })).await;
    assert_eq!(status, 200, "{done}");
    let child = done["detail"]["session"].as_str().unwrap();
    assert_ne!(child, session);
    let (_, shown) = bench.get(&format!("/api/v1/sessions/{child}")).await;
    assert_eq!(shown["session"]["parent"], session.as_str());
    bench.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn turns_of_several_sessions_are_answered_one_after_another() {
    let world = World::new(&talk()).await;
    let bench = Bench::start(&world).await;
    let (first, second) = (bench.session().await, bench.session().await);
    for round in 1..=2 {
        for session in [&first, &second] {
            let asked = bench.say(session, "what does notes.txt say?").await;
            assert_eq!(asked["turn"], round);
        }
    }
    let ended = std::cell::Cell::new(0);
    let events = bench
        .events_until("after=0", |event| {
            ended.set(ended.get() + u32::from(is_over(event)));
            ended.get() == 4
        })
        .await;
    // A turn's own events, from its first step to its end, are not mixed with those of another.
    let mut working: Option<(String, u64)> = None;
    for event in events.iter().filter(|event| event["name"] != "newMessagePair") {
        let place = (event["session"].to_string(), event["turn"].as_u64().unwrap());
        assert_eq!(working.get_or_insert_with(|| place.clone()), &place, "{event}");
        if is_over(event) {
            working = None;
        }
    }
    bench.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn c176_a_turn_that_a_server_left_is_finished_by_the_next() {
    let slow = script(
        &json!({ "summary": "A long answer that takes its time to arrive, word by word." }),
        &json!({ "chunk": 4, "delay_ms": 40 }),
    );
    let world = World::new(&slow).await;
    let bench = Bench::start(&world).await;
    let session = bench.session().await;
    bench.say(&session, "what does notes.txt say?").await;
    bench.say(&session, "and again?").await;
    let is_chunk = |event: &Value| event["name"] == "updateResponseChunk";
    let before = bench.events_until("after=0", is_chunk).await;
    bench.stop().await;

    let bench = Bench::start(&world).await;
    let ended = std::cell::Cell::new(0);
    let all = bench
        .events_until("after=0", |event| {
            ended.set(ended.get() + u32::from(is_over(event)));
            ended.get() == 2
        })
        .await;
    assert_eq!(all[..before.len()], before, "nothing that was seen is seen otherwise");
    let done = all.iter().filter(|event| event["name"] == "requestComplete");
    let done: Vec<&Value> = done.map(|event| &event["payload"]["status"]).collect();
    assert_eq!(done, ["completed", "completed"]);
    bench.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_is_cancelled_while_it_runs_and_while_it_waits_and_can_be_retried() {
    let slow = json!({ "when": { "contains": "slowly" }, "reply": { "text": "never", "hang_ms": 60_000 } });
    let world = World::new(&format!("{slow}\n{}", talk())).await;
    let bench = Bench::start(&world).await;
    let (first, second) = (bench.session().await, bench.session().await);
    bench.say(&first, "answer slowly").await;
    bench.say(&second, "what does notes.txt say?").await;
    // The second waits behind the first; both are given up.
    for session in [&second, &first] {
        let (status, done) = bench.act(session, &json!({ "type": "cancel" })).await;
        assert_eq!((status, &done["outcome"]), (200, &json!("done")), "{done}");
        let (_, shown) = bench.get(&format!("/api/v1/sessions/{session}")).await;
        assert_eq!(shown["turns"][0]["status"], "cancelled", "{shown}");
    }
    let (status, done) = bench.act(&second, &json!({ "type": "retry" })).await;
    assert_eq!((status, &done["outcome"]), (200, &json!("queued")), "{done}");
    let completed = |event: &Value| event["name"] == "requestComplete";
    let events = bench.events_until(&format!("after=0&session={second}"), completed).await;
    let names = names(&events);
    let ends: Vec<&&str> = names.iter().filter(|name| name.starts_with("turnC")).collect();
    assert_eq!(ends, [&"turnCancelled"], "once");
    bench.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_that_do_not_fit_are_told_why() {
    let world = World::new(&talk()).await;
    let bench = Bench::start(&world).await;
    let session = bench.session().await;
    let messages = format!("/api/v1/sessions/{session}/messages");
    let actions = format!("/api/v1/sessions/{session}/actions");
    let unknown = "/api/v1/sessions/0123/messages";
    let message = json!({ "type": "sendMessage", "text": "x" });
    for (path, body, status, code) in [
        (messages.as_str(), json!({ "type": "sendMessage", "text": " " }), 422, "invalid_request"),
        (&messages, json!({ "type": "send", "text": "x" }), 422, "invalid_request"),
        (&messages, json!({ "text": "x" }), 422, "invalid_request"),
        (&messages, json!({ "type": "sendMessage", "images": ["x"] }), 422, "invalid_request"),
        (&messages, json!([]), 422, "invalid_request"),
        (
            &messages,
            json!({ "type": "sendMessage", "text": "x", "more": 1 }),
            422,
            "invalid_request",
        ),
        (unknown, message, 404, "no_such_session"),
        (&actions, json!({ "type": "explode" }), 422, "invalid_request"),
        (&actions, json!({ "type": "apply" }), 422, "invalid_request"),
        (&actions, json!({ "type": "cancel" }), 409, "no_turn"),
        ("/api/v1/reports", json!({ "from": "a" }), 422, "invalid_request"),
        ("/api/v1/nothing", json!({}), 404, "not_found"),
        ("/api/v1/exchange", json!({ "token": "x" }), 401, "wrong_token"),
    ] {
        let (got, said) = bench.post(path, &body).await;
        assert_eq!(
            (got, said["error"]["code"].as_str()),
            (status, Some(code)),
            "{path} {body} {said}"
        );
    }
    let request = bench.request(reqwest::Method::POST, &messages);
    let request = request.header("content-type", "application/json").body("{");
    assert_eq!(request.send().await.unwrap().status(), 400);
    for path in ["/api/v1/events?after=x", "/api/v1/sessions?limit=0", "/api/v1/sessions?limit=-1"]
    {
        assert_eq!(bench.get(path).await.0, 422, "{path}");
    }
    let report = json!({ "from": "reviewer", "kind": "error", "text": "it is red" });
    assert_eq!(
        bench.post("/api/v1/reports", &report).await,
        (200, json!({ "id": "reviewer", "heal": null }))
    );
    bench.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn c139_uploads_are_shown_with_their_end_and_the_second_turn_uses_them_again() {
    let world = World::uploading(&talk()).await;
    let bench = Bench::start(&world).await;
    let session = bench.session().await;
    let path = format!("/api/v1/sessions/{session}");
    let page = || async { bench.get(&format!("/chat/{session}")).await.1.to_string() };
    let mut seen = 0;
    for (turn, words) in [(1, "📤 Uploaded 1, re-used 0"), (2, "📤 Uploaded 0, re-used 1")] {
        bench.say(&session, "what does notes.txt say?").await;
        let query = format!("after={seen}&session={session}");
        let events = bench.events_until(&query, is_over).await;
        seen = events.last().unwrap()["id"].as_u64().unwrap();
        let told = events.iter().find(|event| event["name"] == "filesUploaded").unwrap();
        assert!(told["payload"]["text"].as_str().unwrap().starts_with(words), "{told}");
        let (_, shown) = bench.get(&path).await;
        assert_eq!(shown["turns"][turn - 1]["status"], "completed", "{shown}");
    }
    assert_eq!(world.sim.calls().uploads, 1);
    let asked: Vec<Value> = world
        .sim
        .requests()
        .iter()
        .filter(|seen| seen.path == "/v1/chat/completions")
        .map(|seen| serde_json::from_slice(&seen.body).unwrap())
        .collect();
    let id = world.sim.files()[0].id.clone();
    for request in &asked {
        let last = request["messages"].as_array().unwrap().last().unwrap();
        assert_eq!(last["content"][0], json!({ "type": "file", "file": { "file_id": id } }));
        assert!(!last.to_string().contains("two\\nthree"), "the text is not in the message");
    }
    let html = page().await;
    assert!(html.contains("Uploaded files") && html.contains("kept until"), "{html}");
    assert!(html.contains("Re-used"), "{html}");
    bench.stop().await;
}
