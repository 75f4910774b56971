//! Every fault of the script, over real HTTP, in every dialect.

use super::client::{Answer, ask, loopback, question, send, start};
use crate::sim::{Script, SimServer};
use crate::wire::Dialect;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const TEXT: &str = "fn main() { println!(\"häuser und bäume\"); }";

#[expect(clippy::needless_pass_by_value, reason = "made where it is passed")]
fn rule(reply: Value) -> String {
    json!({ "reply": reply }).to_string()
}

// The reason a body or a stream gives, in the words of its dialect.
fn finish(dialect: Dialect, answer: &Answer, stream: bool) -> Value {
    if !stream {
        let body = answer.json();
        return match dialect {
            Dialect::Chat => body["choices"][0]["finish_reason"].clone(),
            Dialect::Responses => body["status"].clone(),
            Dialect::Messages => body["stop_reason"].clone(),
        };
    }
    let pointer = match dialect {
        Dialect::Chat => "/choices/0/finish_reason",
        Dialect::Responses => "/response/status",
        Dialect::Messages => "/delta/stop_reason",
    };
    let events = answer.events();
    let mut said = events.iter().filter_map(|event| event.pointer(pointer));
    said.rfind(|value| !value.is_null()).cloned().unwrap_or_default()
}

// The text that arrived, in either form.
fn text(dialect: Dialect, answer: &Answer, stream: bool) -> String {
    if !stream {
        let body = answer.json();
        let pointer = match dialect {
            Dialect::Chat => "/choices/0/message/content",
            Dialect::Responses => "/output/0/content/0/text",
            Dialect::Messages => "/content/0/text",
        };
        return body.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
    }
    let pointer = match dialect {
        Dialect::Chat => "/choices/0/delta/content",
        Dialect::Responses => "/delta",
        Dialect::Messages => "/delta/text",
    };
    let events = answer.events();
    let said = events.iter().filter_map(|event| event.pointer(pointer)?.as_str());
    said.collect()
}

#[tokio::test]
async fn a_cut_is_honest_a_lie_or_silent() {
    let forced = [
        (json!("absent"), ["length", "incomplete", "max_tokens"]),
        (json!("stop"), ["stop", "completed", "end_turn"]),
        (json!("tool_calls"), ["tool_calls", "completed", "tool_use"]),
        (json!("content_filter"), ["content_filter", "incomplete", "refusal"]),
        (json!(null), ["", "", ""]),
    ];
    // Byte 24 is in the middle of an `ä`, so the cut falls before it.
    for (said, words) in forced {
        let mut reply = json!({ "text": TEXT, "cut_at": 24, "chunk": [1, 5, 9] });
        if said != "absent" {
            reply["finish"] = said.clone();
        }
        let sim = start(&rule(reply)).await;
        for (dialect, word) in Dialect::ALL.into_iter().zip(words) {
            for stream in [false, true] {
                let answer = ask(&sim, dialect, &question(dialect, "go", stream)).await;
                assert!(answer.is_whole);
                assert_eq!(text(dialect, &answer, stream), &TEXT[..23], "{dialect:?} {stream}");
                let heard = finish(dialect, &answer, stream);
                // A response that never says how it ended is still in progress.
                let silent = [json!(null), json!("in_progress")];
                let fits = if word.is_empty() { silent.contains(&heard) } else { heard == word };
                assert!(fits, "{said} {dialect:?} {stream}: {heard}");
            }
        }
    }
}

#[tokio::test]
async fn arguments_are_cut_in_the_last_call_and_thinking_leaves_nothing_behind() {
    let calls = json!([{ "name": "a", "arguments": { "x": 1 } }, { "name": "b", "arguments": { "path": "ü.rs", "n": 2 } }]);
    let reply = json!({ "text": "ok", "tool_calls": calls, "cut_at": 15 });
    let sim = start(&rule(reply)).await;
    let body = ask(&sim, Dialect::Chat, &question(Dialect::Chat, "go", false)).await.json();
    let calls = &body["choices"][0]["message"]["tool_calls"];
    assert_eq!(calls[0]["function"]["arguments"], r#"{"x":1}"#);
    assert_eq!(calls[1]["function"]["arguments"], "{\"path\":\"ü.rs\"");
    assert_eq!(body["choices"][0]["finish_reason"], "length");
    let body = ask(&sim, Dialect::Messages, &question(Dialect::Messages, "go", false)).await.json();
    assert_eq!(body["content"][2]["input"], json!({}), "no member came whole");

    let reply = json!({ "thinking": "let me see", "text": "ok", "cut_at": { "thinking": 4 } });
    let sim = start(&rule(reply)).await;
    let body =
        ask(&sim, Dialect::Responses, &question(Dialect::Responses, "go", false)).await.json();
    assert_eq!(body["output"][0]["summary"][0]["text"], "let ");
    assert_eq!(body["output"].as_array().unwrap().len(), 1);
    assert_eq!(body["status"], "incomplete");
}

#[tokio::test]
async fn a_connection_breaks_at_any_byte() {
    for dialect in Dialect::ALL {
        for stream in [false, true] {
            let whole = start(&rule(json!({ "text": TEXT }))).await;
            let all = ask(&whole, dialect, &question(dialect, "go", stream)).await;
            for byte in [0, 1, 7, 100, all.body.len() - 1] {
                let sim = start(&rule(json!({ "text": TEXT, "disconnect_at": byte }))).await;
                let answer = ask(&sim, dialect, &question(dialect, "go", stream)).await;
                assert_eq!(answer.status, 200);
                assert!(!answer.is_whole, "{dialect:?} {stream} {byte}");
                assert_eq!(answer.body, all.body[..byte], "{dialect:?} {stream} {byte}");
                assert_eq!(sim.calls().aborted, 0, "the script did it, not the reader");
            }
        }
        let reply = json!({ "text": TEXT, "disconnect_at": { "text": 12 }, "chunk": 5 });
        let sim = start(&rule(reply)).await;
        let answer = ask(&sim, dialect, &question(dialect, "go", true)).await;
        assert!(!answer.is_whole);
        assert_eq!(text(dialect, &answer, true), &TEXT[..12]);
        let ended = ["response.incomplete", "message_stop", "[DONE]", "content_block_stop"];
        assert!(ended.iter().all(|word| !answer.text().contains(word)), "{}", answer.text());
    }
}

#[tokio::test]
async fn statuses_come_with_the_dialects_own_error() {
    let script = [
        r#"{"times":1,"reply":{"status":429,"retry_after":7}}"#,
        r#"{"times":1,"reply":{"status":503,"body":"<html>busy</html>"}}"#,
        r#"{"times":1,"reply":{"status":500,"body":{"oops":true},"headers":{"x-why":"test"}}}"#,
    ]
    .join("\n");
    for dialect in Dialect::ALL {
        let sim = start(&script).await;
        let body = question(dialect, "go", true);
        let limited = ask(&sim, dialect, &body).await;
        assert_eq!((limited.status, limited.header("retry-after")), (429, Some("7")));
        assert_eq!(limited.json()["error"]["type"], "rate_limit_error");
        let busy = ask(&sim, dialect, &body).await;
        assert_eq!((busy.status, busy.text().as_str()), (503, "<html>busy</html>"));
        let failed = ask(&sim, dialect, &body).await;
        assert_eq!(
            (failed.json(), failed.header("x-why")),
            (json!({ "oops": true }), Some("test"))
        );
        let nothing = ask(&sim, dialect, &body).await;
        assert_eq!(nothing.status, 404);
        let message = nothing.json()["error"]["message"].as_str().unwrap().to_owned();
        assert!(message.contains("3 rules, 3 used up") && message.contains("\"go\""), "{message}");
        let calls = sim.calls();
        assert_eq!((calls.calls, calls.unmatched, calls.paid.total()), (4, 1, 0));
        assert!(calls.rules.iter().all(|rule| rule.answered == 1));
    }
}

#[tokio::test]
async fn garbage_replaces_the_body_or_one_frame() {
    let sim =
        start(&rule(json!({ "text": TEXT, "garbage": { "text": "<", "hex": "ff00" } }))).await;
    for stream in [false, true] {
        let answer = ask(&sim, Dialect::Chat, &question(Dialect::Chat, "go", stream)).await;
        assert_eq!(answer.body, b"<\xff\x00");
        assert!(answer.is_whole);
    }
    let garbage = json!({ "text": "data: {\"broken\n\n", "frame": 2 });
    let sim = start(&rule(json!({ "text": "abcdef", "chunk": 2, "garbage": garbage }))).await;
    let answer = ask(&sim, Dialect::Chat, &question(Dialect::Chat, "go", true)).await.text();
    let frames: Vec<&str> = answer.split("\n\n").collect();
    assert_eq!(frames[2], "data: {\"broken");
    assert!(frames[1].contains("\"ab\"") && frames[3].contains("\"ef\""), "{answer}");
}

#[tokio::test]
async fn silence_and_delays_take_their_time() {
    let cases = [
        json!({ "text": "abcdef", "chunk": 2, "delay_ms": { "first": 40 } }),
        json!({ "text": "abcdef", "chunk": 2, "delay_ms": { "between": 10 } }),
        json!({ "text": "abcdef", "chunk": 2, "hang_ms": 40, "hang_at": 3 }),
    ];
    for reply in cases {
        let sim = start(&rule(reply.clone())).await;
        let begun = Instant::now();
        let answer = ask(&sim, Dialect::Chat, &question(Dialect::Chat, "go", true)).await;
        assert!(begun.elapsed() >= Duration::from_millis(40), "{reply}");
        assert_eq!(text(Dialect::Chat, &answer, true), "abcdef");
    }
}

#[tokio::test]
async fn an_empty_reply_is_empty_everywhere() {
    let sim = start(&rule(json!({}))).await;
    for dialect in Dialect::ALL {
        for stream in [false, true] {
            let answer = ask(&sim, dialect, &question(dialect, "go", stream)).await;
            assert_eq!(text(dialect, &answer, stream), "");
            assert!(!finish(dialect, &answer, stream).is_null());
        }
    }
}

#[tokio::test]
async fn usage_is_counted_said_or_left_out() {
    let told = json!({ "input_tokens": 5, "output_tokens": 7, "cached_tokens": 2 });
    let cases = [(json!("absent"), json!(2)), (told, json!(7)), (json!(null), json!(null))];
    for (usage, out) in cases {
        let mut reply = json!({ "text": "abcdefgh" });
        if usage != "absent" {
            reply["usage"] = usage;
        }
        let sim = start(&rule(reply)).await;
        let body = ask(&sim, Dialect::Chat, &question(Dialect::Chat, "go", false)).await.json();
        assert_eq!(body["usage"]["completion_tokens"], out);
        assert_eq!(
            sim.calls().paid.output_tokens,
            2,
            "what is said changes nothing about what is paid"
        );
    }
}

#[tokio::test]
async fn rules_are_chosen_by_everything_a_request_says() {
    let script = [
        r#"{"when":{"header":{"X-Test":"1"}},"reply":{"text":"header"}}"#,
        r#"{"when":{"dialect":"messages"},"reply":{"text":"messages"}}"#,
        r#"{"when":{"model":"big"},"reply":{"text":"model"}}"#,
        r#"{"when":{"contains":"blue"},"reply":{"text":"contains"}}"#,
        r#"{"when":{"stream":true},"reply":{"text":"stream"}}"#,
        r#"{"when":{"nth":[2,3]},"times":1,"reply":{"text":"second"}}"#,
        r#"{"reply":{"text":"rest"}}"#,
    ]
    .join("\n");
    let sim = start(&script).await;
    let chat = |text: &str| question(Dialect::Chat, text, false);
    let body = chat("go").to_string();
    let answer = send(&sim, "POST", Dialect::Chat.path(), &body, "x-test: 1\r\n").await;
    assert_eq!(text(Dialect::Chat, &answer, false), "header");
    let mut big = chat("go");
    big["model"] = json!("big");
    let asked = [
        (Dialect::Messages, question(Dialect::Messages, "go", false), "messages"),
        (Dialect::Chat, big, "model"),
        (Dialect::Chat, chat("a blue one"), "contains"),
        (Dialect::Chat, chat("one"), "rest"),
        (Dialect::Chat, chat("two"), "second"),
        (Dialect::Chat, chat("three"), "rest"),
    ];
    for (dialect, body, expected) in asked {
        let answer = ask(&sim, dialect, &body).await;
        assert_eq!(text(dialect, &answer, false), expected, "{body}");
    }
    let answer = ask(&sim, Dialect::Chat, &question(Dialect::Chat, "go", true)).await;
    assert_eq!(text(Dialect::Chat, &answer, true), "stream");
}

#[tokio::test]
async fn everything_else_a_provider_answers() {
    let sim = start(r#"{"when":{"model":"big"},"reply":{}}"#).await;
    assert_eq!(send(&sim, "GET", "/health", "", "").await.json(), json!({ "status": "ok" }));
    let models = send(&sim, "GET", "/v1/models", "", "").await.json();
    assert_eq!(
        (&models["data"][0]["id"], &models["data"][1]["id"]),
        (&json!("big"), &json!("sim"))
    );
    assert_eq!(send(&sim, "GET", "/v1/models/big", "", "").await.json()["id"], "big");
    assert_eq!(send(&sim, "GET", "/nowhere", "", "").await.status, 404);
    assert_eq!(send(&sim, "POST", "/v1/chat/completions", "{nonsense", "").await.status, 400);
    let odd = "\u{0}\"[{";
    for body in ["[]", "null", "1", "\"x\"", r#"{"messages":{"role":[]}}"#, odd] {
        let answer = send(&sim, "POST", "/v1/messages", body, "").await;
        assert!([400, 404].contains(&answer.status), "{body}");
    }
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(send(&sim, "POST", "/v1/responses", &deep, "").await.status, 400);
    let calls = send(&sim, "GET", "/__sim/calls", "", "").await.json();
    assert_eq!((&calls["calls"], &calls["open_connections"]), (&json!(8), &json!(1)));
    let seen = sim.requests();
    assert_eq!(seen.last().unwrap().body, deep.as_bytes());
    assert_eq!(seen.last().unwrap().headers["host"], "sim");
}

#[tokio::test]
async fn a_reader_that_leaves_is_counted_and_the_server_ends_with_its_handle() {
    let reply = json!({ "text": "abcdef".repeat(1000), "delay_ms": { "between": 20 } });
    let sim = start(&rule(reply)).await;
    let body = question(Dialect::Chat, "go", true);
    let under_way = async {
        while sim.calls().in_flight == 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::select! {
        _ = ask(&sim, Dialect::Chat, &body) => panic!("the whole answer came first"),
        () = under_way => {}
    }
    for _ in 0..3000 {
        if sim.calls().aborted == 1 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let calls = sim.calls();
    assert_eq!((calls.aborted, calls.in_flight, calls.open_connections), (1, 0, 0));
    let addr = sim.addr();
    drop(sim);
    for _ in 0..3000 {
        if tokio::net::TcpStream::connect(addr).await.is_err() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(tokio::net::TcpStream::connect(addr).await.is_err());
}

#[tokio::test]
async fn only_this_machine_is_served() {
    let open = SimServer::start(Script::default(), ([0, 0, 0, 0], 0).into()).await;
    assert!(open.unwrap_err().to_string().contains("127.0.0.1"));
    let sim = SimServer::start(Script::default(), loopback()).await.unwrap();
    let taken = SimServer::start(Script::default(), sim.addr()).await;
    assert!(taken.unwrap_err().to_string().contains(&sim.addr().port().to_string()));
}

#[tokio::test]
async fn several_answers_differ_as_the_script_says() {
    let script = r#"{"reply":{"text":"whole","others":[{"text":"a longer one","cut_at":3}]}}"#;
    let sim = start(script).await;
    let mut body = question(Dialect::Chat, "go", false);
    body["n"] = json!(3);
    let answer = ask(&sim, Dialect::Chat, &body).await.json();
    let choices = answer["choices"].as_array().unwrap();
    let said: Vec<_> = choices
        .iter()
        .map(|one| {
            (one["message"]["content"].as_str().unwrap(), one["finish_reason"].as_str().unwrap())
        })
        .collect();
    assert_eq!(said, [("whole", "stop"), ("a l", "length"), ("a l", "length")]);
}

#[tokio::test]
async fn ids_are_new_for_every_call() {
    let sim = start(r#"{"reply":{"tool_calls":[{"name":"a"},{"name":"b","id":"mine"}]}}"#).await;
    let mut ids = std::collections::HashSet::new();
    for _ in 0..3 {
        let body = ask(&sim, Dialect::Chat, &question(Dialect::Chat, "go", false)).await.json();
        let calls = &body["choices"][0]["message"]["tool_calls"];
        assert!(ids.insert(calls[0]["id"].clone()) && ids.insert(body["id"].clone()), "{body}");
        assert_eq!(calls[1]["id"], "mine");
    }
}
