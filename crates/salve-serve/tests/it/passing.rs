//! What passes untouched, in both directions.

use super::stage::{FakeUpstream, client, config, events, gateway, text, until};
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use http::header::CONTENT_ENCODING;
use salve_serve::gateway::Mode;
use std::sync::atomic::Ordering;
use std::time::Duration;

const DIALECTS: [&str; 3] = ["/v1/chat/completions", "/v1/responses", "/v1/messages"];

#[tokio::test]
async fn headers_and_unknown_fields_pass_both_ways() {
    let reply = r#"{"unknown": [1.0, 1e400, "\u00e9"],  "spaces":   true}"#;
    let upstream = FakeUpstream::start(move |_, _| {
        let mut answer = text(200, reply);
        let headers = answer.headers_mut();
        headers.append("x-request-id", "req_1".parse().unwrap());
        headers.append("set-cookie", "a=1".parse().unwrap());
        headers.append("set-cookie", "b=2".parse().unwrap());
        headers.append("connection", "x-hop".parse().unwrap());
        headers.append("x-hop", "1".parse().unwrap());
        answer
    })
    .await;
    let mut config = config(&upstream);
    config.mode = Mode::Off;
    let gateway = gateway(config).await;
    for path in DIALECTS {
        let sent =
            r#"{"model":"m",  "strange": {"deep": 1e999}, "api_base": "http://evil.example"}"#;
        let response = client()
            .post(format!("http://{}{path}?beta=true", gateway.addr))
            .header("content-type", "application/json")
            .header("authorization", "Bearer sk-client")
            .header("anthropic-version", "2023-06-01")
            .header("x-unknown", "kept")
            .header("x-forwarded-host", "evil.example")
            .header("te", "trailers")
            .body(sent)
            .send()
            .await
            .unwrap();
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["x-request-id"], "req_1");
        assert_eq!(response.headers().get_all("set-cookie").iter().count(), 2);
        assert!(!response.headers().contains_key("x-hop"));
        assert_eq!(response.headers()["x-salve-verdict"], "off");
        assert_eq!(response.headers()["content-length"], reply.len().to_string());
        assert_eq!(response.text().await.unwrap(), reply);
        let seen = upstream.last();
        assert_eq!(seen.uri.to_string(), format!("{path}?beta=true"));
        assert_eq!(seen.body, sent);
        assert_eq!(seen.headers["authorization"], "Bearer sk-client");
        assert_eq!(seen.headers["anthropic-version"], "2023-06-01");
        assert_eq!(seen.headers["x-unknown"], "kept");
        assert_eq!(seen.headers["host"], upstream.addr.to_string());
        assert!(!seen.headers.contains_key("te"));
    }
    assert_eq!(gateway.stop().await.cut, 0);
}

#[tokio::test]
async fn other_paths_of_the_upstream_pass() {
    let upstream =
        FakeUpstream::start(|seen, _| text(200, format!("{} {}", seen.method, seen.uri))).await;
    let gateway = gateway(config(&upstream)).await;
    let cases = [
        ("GET", "/v1/models", "GET /v1/models"),
        ("GET", "/models", "GET /v1/models"),
        ("POST", "/v1/embeddings", "POST /v1/embeddings"),
        ("GET", "/v1/responses/resp_1?include=x", "GET /v1/responses/resp_1?include=x"),
        ("DELETE", "/v1/responses/resp_1", "DELETE /v1/responses/resp_1"),
        ("POST", "/v1/messages/count_tokens", "POST /v1/messages/count_tokens"),
    ];
    for (method, path, reached) in cases {
        let url = format!("http://{}{path}", gateway.addr);
        let response = client().request(method.parse().unwrap(), url).send().await.unwrap();
        assert_eq!(response.text().await.unwrap(), reached);
    }
}

#[tokio::test]
async fn a_redirect_is_neither_followed_nor_passed_on() {
    let upstream = FakeUpstream::start(|_, _| {
        let mut answer = text(307, "");
        answer.headers_mut().insert("location", "http://evil.example/v1".parse().unwrap());
        answer
    })
    .await;
    let gateway = gateway(config(&upstream)).await;
    for path in DIALECTS {
        let response = client()
            .post(format!("http://{}{path}", gateway.addr))
            .header("content-type", "application/json")
            .body(r#"{"model":"m","messages":[]}"#)
            .send()
            .await
            .unwrap();
        assert_eq!(response.status(), 502);
        assert!(!response.headers().contains_key("location"));
        let said = response.text().await.unwrap();
        assert!(said.contains("redirects to http://evil.example,"), "{said}");
    }
}

#[tokio::test]
async fn a_stream_flows_event_by_event_and_ends_with_its_client() {
    let upstream = FakeUpstream::start(|_, _| {
        let first = stream::iter([Ok(Bytes::from("data: {\"n\":1}\n\n"))]);
        // The rest never comes.
        events(first.chain(stream::pending()))
    })
    .await;
    let mut config = config(&upstream);
    config.mode = Mode::Off;
    let gateway = gateway(config).await;
    let response = client()
        .post(format!("http://{}/v1/chat/completions", gateway.addr))
        .header("content-type", "application/json")
        .body(r#"{"model":"m","messages":[],"stream":true}"#)
        .send()
        .await
        .unwrap();
    let mut pieces = response.bytes_stream();
    let first = tokio::time::timeout(Duration::from_secs(30), pieces.next()).await;
    assert_eq!(first.unwrap().unwrap().unwrap(), "data: {\"n\":1}\n\n");
    assert_eq!(upstream.open.load(Ordering::SeqCst), 1);
    drop(pieces);
    let open = upstream.open.clone();
    until("the upstream's stream is ended", || open.load(Ordering::SeqCst) == 0).await;
}

#[tokio::test]
async fn a_packed_reply_passes_packed() {
    let packed: &[u8] = &[
        0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0xab, 0x56, 0x52, 0x50, 0xb2, 0x52, 0x30, 0xac, 0x05,
        0x00,
    ];
    let upstream = FakeUpstream::start(move |_, _| {
        let mut answer = text(200, packed);
        answer.headers_mut().insert(CONTENT_ENCODING, "gzip".parse().unwrap());
        answer
    })
    .await;
    let mut config = config(&upstream);
    config.mode = Mode::Off;
    let gateway = gateway(config).await;
    let response = client()
        .post(format!("http://{}/v1/chat/completions", gateway.addr))
        .header("content-type", "application/json")
        .header("accept-encoding", "gzip, zstd")
        .body("{}")
        .send()
        .await
        .unwrap();
    assert_eq!(upstream.last().headers["accept-encoding"], "gzip, zstd");
    assert_eq!(response.headers()[CONTENT_ENCODING], "gzip");
    assert_eq!(response.bytes().await.unwrap(), packed);
}
