//! Keys, budgets and rates, and where each key goes.

use super::stage::{FakeUpstream, client, config, events, gateway, key, store, text, until};
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use salve_serve::gateway::{Gateway, GatewayConfig, Mode, Secret, StartError};
use salve_store::{CallFilter, CallOutcome, NewKey, SpendLimit, Store};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::time::Duration;

const REPLY: &str = r#"{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello."},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}}"#;

fn named(name: &str) -> NewKey {
    NewKey { name: name.to_owned(), ..NewKey::default() }
}

fn limited(tokens: u64) -> NewKey {
    let per_day = SpendLimit { tokens: Some(tokens), micro_dollars: None };
    NewKey { per_day, ..named("limited") }
}

fn keyed(upstream: &FakeUpstream, store: &Store) -> GatewayConfig {
    let mut config = config(upstream);
    config.upstream_key = Some(Secret::new("sk-upstream").unwrap());
    config.store = Some(store.clone());
    config
}

async fn ask(addr: SocketAddr, key: &str, body: &Value) -> (u16, http::HeaderMap, Value) {
    let response = client()
        .post(format!("http://{addr}/v1/chat/completions"))
        .bearer_auth(key)
        .header("content-type", "application/json")
        .body(body.to_string())
        .send()
        .await
        .unwrap();
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    (status, headers, serde_json::from_slice(&response.bytes().await.unwrap()).unwrap())
}

fn question(max_tokens: Option<u64>) -> Value {
    let mut question = json!({"model": "m", "messages": [{"role": "user", "content": "Hi"}]});
    if let Some(limit) = max_tokens {
        question["max_tokens"] = limit.into();
    }
    question
}

#[tokio::test]
async fn the_gateways_key_is_replaced_by_the_upstreams() {
    let message = r#"{"id":"m","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"Hello."}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}"#;
    let upstream = FakeUpstream::start(move |seen, _| {
        text(200, if seen.uri.path().ends_with("messages") { message } else { REPLY })
    })
    .await;
    let store = store().await;
    let key = key(&store, named("a")).await;
    let gateway = gateway(keyed(&upstream, &store)).await;
    let cases: [(&str, &str, String, &str, &str); 3] = [
        (
            "/v1/chat/completions",
            "authorization",
            format!("Bearer {key}"),
            "authorization",
            "Bearer sk-upstream",
        ),
        ("/v1/messages", "x-api-key", key.clone(), "x-api-key", "sk-upstream"),
        ("/v1/models", "x-salve-key", key.clone(), "authorization", "Bearer sk-upstream"),
    ];
    for (path, header, value, sent_in, sent) in cases {
        let url = format!("http://{}{path}", gateway.addr);
        let request = if path == "/v1/models" { client().get(url) } else { client().post(url) };
        let response = request
            .header(header, &value)
            .header("content-type", "application/json")
            .body(if path == "/v1/models" { String::new() } else { question(Some(9)).to_string() })
            .send()
            .await
            .unwrap();
        assert_eq!(response.status(), 200, "{path}");
        let seen = upstream.last();
        assert_eq!(seen.headers[sent_in], sent);
        assert!(!format!("{:?}", seen.headers).contains(&key), "{:?}", seen.headers);
    }
}

#[tokio::test]
async fn a_clients_own_key_passes_where_the_gateway_holds_none() {
    let upstream = FakeUpstream::start(|_, _| text(200, REPLY)).await;
    let store = store().await;
    let key = key(&store, named("a")).await;
    let mut config = config(&upstream);
    config.store = Some(store);
    let gateway = gateway(config).await;
    assert_eq!(ask(gateway.addr, "sk-own", &question(Some(9))).await.0, 200);
    assert_eq!(upstream.last().headers["authorization"], "Bearer sk-own");
    // A key of the gateway in the place of the upstream's would leak there.
    let calls = upstream.calls();
    assert_eq!(ask(gateway.addr, &key, &question(Some(9))).await.0, 401);
    assert_eq!(upstream.calls(), calls);
}

#[tokio::test]
async fn a_call_over_budget_is_not_made_and_says_so() {
    let upstream = FakeUpstream::start(|_, _| text(200, REPLY)).await;
    let store = store().await;
    let key = key(&store, limited(1000)).await;
    let gateway = gateway(keyed(&upstream, &store)).await;
    let (status, headers, body) = ask(gateway.addr, &key, &question(Some(5000))).await;
    assert_eq!(status, 429);
    assert_eq!(body["error"]["type"], "insufficient_quota");
    assert_eq!(body["error"]["code"], "insufficient_quota");
    assert_eq!(headers["x-should-retry"], "false");
    assert!(headers["retry-after"].to_str().unwrap().parse::<u64>().unwrap() <= 86_400);
    assert_eq!(upstream.calls(), 0);
    assert_eq!(ask(gateway.addr, &key, &question(Some(100))).await.0, 200);
    assert_eq!(upstream.calls(), 1);
}

#[tokio::test]
async fn a_limited_key_without_a_limit_of_its_own_gets_the_gateways() {
    let upstream = FakeUpstream::start(|_, _| text(200, REPLY)).await;
    let store = store().await;
    let key = key(&store, limited(100_000)).await;
    let mut config = keyed(&upstream, &store);
    config.max_output = 777;
    let gateway = gateway(config).await;
    let mut asked = question(None);
    assert_eq!(ask(gateway.addr, &key, &asked).await.0, 200);
    let sent: Value = serde_json::from_slice(&upstream.last().body).unwrap();
    assert_eq!(sent["max_tokens"], 777);
    asked["model"] = "o3-mini".into();
    assert_eq!(ask(gateway.addr, &key, &asked).await.0, 200);
    let sent: Value = serde_json::from_slice(&upstream.last().body).unwrap();
    assert_eq!(sent["max_completion_tokens"], 777);
    // A path whose cost is not known is not for a limited key.
    let response = client()
        .post(format!("http://{}/v1/images/generations", gateway.addr))
        .bearer_auth(&key)
        .send()
        .await
        .unwrap();
    assert_eq!(response.status(), 429);
    assert_eq!(upstream.calls(), 2);
}

// The beginning of an answer in each dialect.
const BEGUN: [(&str, &str); 3] = [
    (
        "chat/completions",
        "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"Hello\"},\"finish_reason\":null}]}\n\n",
    ),
    (
        "messages",
        "data: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\",\"content\":[],\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}}\n\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"Hello\"}}\n\n",
    ),
    (
        "responses",
        "data: {\"type\":\"response.created\",\"response\":{\"id\":\"r\",\"object\":\"response\",\"status\":\"in_progress\",\"output\":[]}}\n\ndata: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"delta\":\"Hello\"}\n\n",
    ),
];

#[tokio::test]
async fn a_client_that_goes_away_ends_its_call_and_frees_its_budget() {
    for (path, begun) in BEGUN {
        let upstream = FakeUpstream::start(move |_, _| {
            events(stream::iter([Ok(Bytes::from(begun))]).chain(stream::pending()))
        })
        .await;
        for mode in [Mode::Enforce, Mode::Observe, Mode::Off] {
            aborted(&upstream, path, mode).await;
        }
    }
}

async fn aborted(upstream: &FakeUpstream, path: &str, mode: Mode) {
    let store = store().await;
    let key = key(&store, limited(10_000)).await;
    let id = store.list_keys().await.unwrap()[0].id;
    let mut config = keyed(upstream, &store);
    config.mode = mode;
    let gateway = gateway(config).await;
    let asked = json!({"model": "m", "max_tokens": 9000, "max_output_tokens": 9000, "stream": true,
        "input": "Hi", "messages": [{"role": "user", "content": "Hi"}]});
    let response = client()
        .post(format!("http://{}/v1/{path}", gateway.addr))
        .bearer_auth(&key)
        .header("content-type", "application/json")
        .body(asked.to_string())
        .send()
        .await
        .unwrap();
    assert_eq!(response.status(), 200);
    let mut pieces = response.bytes_stream();
    pieces.next().await.unwrap().unwrap();
    assert!(store.key_spending(id).await.unwrap().held.tokens >= 9000, "{path} {mode:?}");
    drop(pieces);
    let open = upstream.open.clone();
    until("the call is ended", || open.load(std::sync::atomic::Ordering::SeqCst) == 0).await;
    for _ in 0..3000 {
        if store.key_spending(id).await.unwrap().held.tokens == 0 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    let spending = store.key_spending(id).await.unwrap();
    assert_eq!(spending.held.tokens, 0, "{path} {mode:?}");
    assert!(spending.spent.tokens < 1000, "{path} {mode:?}: {spending:?}");
    let calls = store.calls(&CallFilter::default()).await.unwrap();
    assert_eq!(calls[0].outcome, Some(CallOutcome::Abandoned), "{path} {mode:?}");
}

#[tokio::test]
async fn ledger_and_statistics_use_the_same_words_as_jobs() {
    const WRONG: &str = r#"{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"t","type":"function","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}}"#;
    let upstream = FakeUpstream::start(|_, _| text(200, WRONG)).await;
    let store = store().await;
    let mut config = config(&upstream);
    config.mode = Mode::Observe;
    config.store = Some(store.clone());
    let gateway = gateway(config).await;
    let mut question = question(Some(50));
    let parameters = json!({"type": "object", "required": ["a"]});
    question["tools"] =
        json!([{"type": "function", "function": {"name": "f", "parameters": parameters}}]);
    assert_eq!(ask(gateway.addr, "sk-own", &question).await.0, 200);
    let mut counted = store.stats(None).await.unwrap();
    for _ in 0..3000 {
        if !counted.by_kind.is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
        counted = store.stats(None).await.unwrap();
    }
    let names = [&counted.by_kind, &counted.by_language].map(|names| names[0].name.as_str());
    assert_eq!(names, ["MALFORMED", "json"], "{counted:?}");
    let calls = store.calls(&CallFilter::default()).await.unwrap();
    assert_eq!(calls[0].finish.as_deref(), Some("tool_calls"), "{calls:?}");
}

#[tokio::test]
async fn a_key_has_its_rate() {
    let upstream = FakeUpstream::start(|_, _| text(200, REPLY)).await;
    let store = store().await;
    let key = key(&store, NewKey { requests_per_minute: Some(2), ..named("slow") }).await;
    let gateway = gateway(keyed(&upstream, &store)).await;
    for _ in 0..2 {
        assert_eq!(ask(gateway.addr, &key, &question(Some(9))).await.0, 200);
    }
    let (status, headers, body) = ask(gateway.addr, &key, &question(Some(9))).await;
    assert_eq!(status, 429);
    assert_eq!(body["error"]["type"], "rate_limit_error");
    assert!(headers["retry-after"].to_str().unwrap().parse::<u64>().unwrap() <= 30);
    assert_eq!(upstream.calls(), 2);
}

#[tokio::test]
async fn every_call_is_in_the_ledger_with_what_it_took() {
    let upstream = FakeUpstream::start(|_, before| match before {
        0 => text(503, "{}"),
        _ => text(200, REPLY),
    })
    .await;
    let store = store().await;
    let mut config = config(&upstream);
    config.store = Some(store.clone());
    let gateway = gateway(config).await;
    let (status, headers, _) = ask(gateway.addr, "sk-own", &question(Some(50))).await;
    assert_eq!(status, 200);
    // A call is settled after its reply, not before it.
    let mut calls = store.calls(&CallFilter::default()).await.unwrap();
    for _ in 0..3000 {
        if calls.iter().all(|call| call.outcome.is_some()) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
        calls = store.calls(&CallFilter::default()).await.unwrap();
    }
    assert_eq!(calls.len(), 2);
    assert_eq!(headers["x-salve-call"].to_str().unwrap(), calls[0].id.to_string());
    assert_eq!((calls[1].outcome, calls[1].status), (Some(CallOutcome::Failed), Some(503)));
    let usage = calls[0].usage.unwrap();
    assert_eq!((usage.input_tokens, usage.output_tokens), (10, 5));
    assert_eq!(calls[0].model, "m");
    assert_eq!(calls[0].dialect, "chat");
}

const CUT: &str = "Here:\n\n```rust\nfn main() {\n    let list: HashMap<Stri";
const REST: &str = "ng, u8> = HashMap::new();\n}\n```\n";

fn said(text: &str, finish: &str) -> String {
    json!({"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [{
        "index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}})
    .to_string()
}

// The outcomes of all calls, newest first, once the first of them has the one that is wanted.
async fn outcomes(store: &Store, wanted: CallOutcome) -> Vec<Option<CallOutcome>> {
    let mut found = Vec::new();
    for _ in 0..3000 {
        let calls = store.calls(&CallFilter::default()).await.unwrap();
        found = calls.iter().map(|call| call.outcome).collect();
        if found.last() == Some(&Some(wanted)) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    found
}

#[tokio::test]
async fn an_answer_that_was_cut_is_never_whole_in_the_ledger() {
    for finish in ["stop", "length"] {
        let cases = [(REST, CallOutcome::Healed), ("", CallOutcome::Incomplete)];
        for (rest, wanted) in cases {
            let upstream = FakeUpstream::start(move |seen, before| {
                let heals =
                    !rest.is_empty() || !String::from_utf8_lossy(&seen.body).contains("Stri");
                match before {
                    0 => text(200, said(CUT, finish)),
                    _ if heals => text(200, said(rest, "stop")),
                    _ => text(400, "{}"),
                }
            })
            .await;
            let store = store().await;
            let mut config = config(&upstream);
            config.store = Some(store.clone());
            let gateway = gateway(config).await;
            assert_eq!(ask(gateway.addr, "sk-own", &question(None)).await.0, 200);
            let found = outcomes(&store, wanted).await;
            assert_eq!(found.last(), Some(&Some(wanted)), "{finish} {rest:?}: {found:?}");
            assert!(!found.contains(&Some(CallOutcome::Whole)), "{finish} {rest:?}: {found:?}");
        }
    }
}

#[tokio::test]
async fn the_price_of_the_users_own_model_is_counted_and_limited() {
    let upstream = FakeUpstream::start(|_, _| text(200, REPLY)).await;
    let store = store().await;
    let per_day = SpendLimit { tokens: None, micro_dollars: Some(5_000_000) };
    let key = key(&store, NewKey { per_day, ..named("money") }).await;
    let refused = gateway(keyed(&upstream, &store)).await;
    let (status, _, body) = ask(refused.addr, &key, &question(Some(9))).await;
    assert_eq!(status, 429);
    assert!(body["error"]["message"].as_str().unwrap().contains("[[model]]"), "{body}");
    let mut config = keyed(&upstream, &store);
    let entry: salve_model::ModelEntry =
        serde_json::from_value(json!({"names": ["m"], "price": {"input": "100", "output": "200"}}))
            .unwrap();
    config.capabilities = config.capabilities.with([entry]);
    let gateway = gateway(config).await;
    assert_eq!(ask(gateway.addr, &key, &question(Some(9))).await.0, 200);
    outcomes(&store, CallOutcome::Whole).await;
    let calls = store.calls(&CallFilter::default()).await.unwrap();
    // 10 tokens at 100 dollars a million, and 5 at 200.
    assert_eq!(calls[0].micro_dollars, Some(2000), "{calls:?}");
}

#[tokio::test]
async fn an_upstream_that_echoes_its_key_does_not_tell_it_to_clients() {
    const KEY: &str = "sk-upstream-0123456789";
    let echo = |seen: &crate::stage::Seen| {
        let of =
            |name: &str| seen.headers.get(name).map(|value| value.to_str().unwrap().to_owned());
        of("authorization").or_else(|| of("x-api-key")).unwrap_or_default()
    };
    let upstream = FakeUpstream::start(move |seen, _| {
        let key = echo(seen);
        let body = String::from_utf8_lossy(&seen.body).into_owned();
        let mut answer = if body.contains("\"stream\":true") {
            let event = format!("data: {{\"error\":{{\"message\":\"no such key: {key}\"}}}}\n\n");
            let pieces: Vec<_> =
                event.as_bytes().chunks(5).map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
            events(stream::iter(pieces))
        } else if body.contains("whole") {
            text(200, format!("{{\"error\":{{\"message\":\"no such key: {key}\"}}}}"))
        } else {
            text(401, format!("{{\"error\":{{\"message\":\"no such key: {key}\"}}}}"))
        };
        answer.headers_mut().insert("x-echo", key.parse().unwrap());
        answer
    })
    .await;
    let store = store().await;
    let key = key(&store, named("a")).await;
    for mode in [Mode::Enforce, Mode::Observe, Mode::Off] {
        let mut config = keyed(&upstream, &store);
        config.upstream_key = Some(Secret::new(KEY).unwrap());
        config.mode = mode;
        let gateway = gateway(config).await;
        for path in ["chat/completions", "messages", "responses", "embeddings"] {
            for (kind, stream) in [("failed", false), ("whole", false), ("failed", true)] {
                let asked = json!({"model": "m", "max_tokens": 9, "stream": stream, "input": kind,
                    "messages": [{"role": "user", "content": kind}]});
                let response = client()
                    .post(format!("http://{}/v1/{path}", gateway.addr))
                    .bearer_auth(&key)
                    .header("content-type", "application/json")
                    .body(asked.to_string())
                    .send()
                    .await
                    .unwrap();
                let head = format!("{:?}", response.headers());
                let all = format!("{head}{}", response.text().await.unwrap());
                assert!(!all.contains("sk-upstream"), "{mode:?} {path} {kind}: {all}");
                assert!(all.contains("Bearer ***"), "{mode:?} {path} {kind}: {all}");
            }
        }
    }
}

#[tokio::test]
async fn a_key_that_a_failure_tells_in_pieces_is_taken_out() {
    const KEY: &str = "sk-upstream-0123456789";
    let upstream = FakeUpstream::start(|seen, _| {
        let event = |text: &str| match seen.uri.path() {
            "/v1/chat/completions" => {
                json!({"choices": [{"index": 0, "delta": {"content": text}}]})
            }
            "/v1/messages" => json!({"type": "content_block_delta", "index": 0,
                "delta": {"type": "text_delta", "text": text}}),
            _ => json!({"type": "response.output_text.delta", "delta": text}),
        };
        let (begin, end) = KEY.split_at(9);
        let pieces = [format!("no such key: {begin}"), format!("{end}, sorry")];
        let pieces = pieces.map(|text| Ok(Bytes::from(format!("data: {}\n\n", event(&text)))));
        let mut answer = events(stream::iter(pieces));
        *answer.status_mut() = http::StatusCode::UNAUTHORIZED;
        answer
    })
    .await;
    let store = store().await;
    let key = key(&store, named("a")).await;
    for mode in [Mode::Enforce, Mode::Observe, Mode::Off] {
        let mut config = keyed(&upstream, &store);
        config.upstream_key = Some(Secret::new(KEY).unwrap());
        config.mode = mode;
        let gateway = gateway(config).await;
        for path in ["chat/completions", "messages", "responses"] {
            let asked = json!({"model": "m", "max_tokens": 9, "stream": true, "input": "go",
                "messages": [{"role": "user", "content": "go"}]});
            let response = client()
                .post(format!("http://{}/v1/{path}", gateway.addr))
                .bearer_auth(&key)
                .header("content-type", "application/json")
                .body(asked.to_string())
                .send()
                .await
                .unwrap();
            assert_eq!(response.status(), 401, "{mode:?} {path}");
            let told = response.text().await.unwrap();
            assert!(told.contains("no such key: ***, sorry"), "{mode:?} {path}: {told}");
            assert!(!told.contains("0123456789"), "{mode:?} {path}: {told}");
        }
    }
}

#[tokio::test]
async fn a_gateway_that_asks_for_keys_does_not_start_without_one() {
    let upstream = FakeUpstream::start(|_, _| text(200, REPLY)).await;
    let store = store().await;
    let error = Gateway::start(keyed(&upstream, &store)).await.unwrap_err();
    assert!(matches!(error, StartError::NoKeys), "{error}");
    let mut open = config(&upstream);
    open.server.listen = SocketAddr::from(([0, 0, 0, 0], 0));
    open.server.insecure_bind = true;
    open.store = Some(store);
    let error = Gateway::start(open).await.unwrap_err();
    assert!(matches!(error, StartError::NoKeys), "{error}");
}
