//! What happens when the upstream fails before its first byte.

use super::stage::{Answer, FakeUpstream, client, config, gateway, text};
use http::StatusCode;
use salve_serve::gateway::heal::HealPolicy;
use serde_json::Value;
use std::time::{Duration, Instant};

const WHOLE: &str = r#"{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello."},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}"#;

fn failing(status: u16, wait: Option<&'static str>) -> Answer {
    let mut answer = text(status, r#"{"error":{"message":"the upstream's own words"}}"#);
    if let Some(wait) = wait {
        answer.headers_mut().insert("retry-after", wait.parse().unwrap());
    }
    answer
}

async fn ask(addr: std::net::SocketAddr, heal: &'static str) -> (StatusCode, String) {
    let response = client()
        .post(format!("http://{addr}/v1/chat/completions"))
        .header("content-type", "application/json")
        .header("x-salve-heal", heal)
        .body(r#"{"model":"m","messages":[{"role":"user","content":"Hi"}]}"#)
        .send()
        .await
        .unwrap();
    (response.status(), response.text().await.unwrap())
}

#[tokio::test]
async fn a_failure_that_passes_is_not_seen_by_the_client() {
    for status in [408, 409, 425, 429, 500, 502, 503, 504, 529] {
        let upstream = FakeUpstream::start(move |_, before| {
            if before < 2 { failing(status, Some("0")) } else { text(200, WHOLE) }
        })
        .await;
        let gateway = gateway(config(&upstream)).await;
        assert_eq!(ask(gateway.addr, "enforce").await, (StatusCode::OK, WHOLE.to_owned()));
        assert_eq!(upstream.calls(), 3);
    }
}

#[tokio::test]
async fn a_failure_that_stays_is_passed_on_as_it_came() {
    // Status, the wait it asks for, the mode, and how many calls are made.
    let cases = [
        (500, None, "enforce", 3),
        (500, None, "observe", 1),
        (500, None, "off", 1),
        (429, Some("3600"), "enforce", 1),
        (429, Some("Wed, 21 Oct 2099 07:28:00 GMT"), "enforce", 1),
        (400, None, "enforce", 1),
        (401, None, "enforce", 1),
        (501, None, "enforce", 1),
    ];
    for (status, wait, heal, calls) in cases {
        let upstream = FakeUpstream::start(move |_, _| failing(status, wait)).await;
        let gateway = gateway(config(&upstream)).await;
        let (got, body) = ask(gateway.addr, heal).await;
        assert_eq!(got.as_u16(), status);
        assert!(body.contains("the upstream's own words"), "{body}");
        assert_eq!(upstream.calls(), calls, "{status} {wait:?} {heal}");
    }
}

#[tokio::test]
async fn an_upstream_that_is_not_there_is_an_error_of_the_dialect() {
    let upstream = FakeUpstream::start(|_, _| text(200, "")).await;
    let mut config = config(&upstream);
    config.limits.retries = 1;
    drop(upstream);
    let gateway = gateway(config).await;
    for (path, at) in [("/v1/chat/completions", "/error/code"), ("/v1/messages", "/error/type")] {
        let response = client()
            .post(format!("http://{}{path}", gateway.addr))
            .header("content-type", "application/json")
            .body(r#"{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"Hi"}]}"#)
            .send()
            .await
            .unwrap();
        assert_eq!(response.status(), 502);
        let body: Value = serde_json::from_slice(&response.bytes().await.unwrap()).unwrap();
        let said = body.pointer(at).and_then(Value::as_str);
        let expected =
            if path.ends_with("messages") { "api_error" } else { "upstream_unreachable" };
        assert_eq!(said, Some(expected), "{body}");
    }
}

#[tokio::test]
async fn an_upstream_that_is_silent_is_given_up() {
    let upstream =
        FakeUpstream::start(|_, _| super::stage::events(futures_util::stream::pending())).await;
    let mut config = config(&upstream);
    config.timeouts.idle = Duration::from_millis(200);
    config.policy = HealPolicy::default();
    let gateway = gateway(config).await;
    let begun = Instant::now();
    let response = client()
        .post(format!("http://{}/v1/chat/completions", gateway.addr))
        .header("content-type", "application/json")
        .header("x-salve-heal", "off")
        .body("{}")
        .send()
        .await
        .unwrap();
    assert!(response.bytes().await.is_err(), "a stream that is given up is not ended as if whole");
    assert!(begun.elapsed() < Duration::from_secs(30));
}

#[tokio::test]
async fn a_client_is_told_not_to_repeat_what_the_gateway_has_repeated() {
    // Status, mode, and whether the client is told.
    for (status, heal, told) in [
        (500, "enforce", true),
        (529, "enforce", true),
        (400, "enforce", false),
        (500, "off", false),
    ] {
        let upstream = FakeUpstream::start(move |_, _| failing(status, Some("0"))).await;
        let gateway = gateway(config(&upstream)).await;
        for path in ["chat/completions", "messages", "responses"] {
            let response = client()
                .post(format!("http://{}/v1/{path}", gateway.addr))
                .header("content-type", "application/json")
                .header("x-salve-heal", heal)
                .body(r#"{"model":"m","input":"Hi","messages":[{"role":"user","content":"Hi"}]}"#)
                .send()
                .await
                .unwrap();
            assert_eq!(response.status(), status);
            let said = response.headers().get("x-should-retry").map(|value| value == "false");
            assert_eq!(said, told.then_some(true), "{status} {heal} {path}");
        }
    }
}
