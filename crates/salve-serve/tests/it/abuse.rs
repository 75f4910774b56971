//! Forged and abusive requests: each is refused, each is logged, and no key is in any log.

use super::stage::{FakeUpstream, config, gateway, raw, text};

#[tokio::test]
async fn two_lengths_are_refused() {
    let upstream = FakeUpstream::start(|_, _| text(200, "{}")).await;
    let gateway = gateway(config(&upstream)).await;
    let request = b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n\
        Content-Type: application/json\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n\
        0\r\n\r\nGET /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let answer = raw(gateway.addr, request).await;
    assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
    assert_eq!(answer.matches("HTTP/1.1 ").count(), 1, "{answer}");
    assert_eq!(upstream.calls(), 0);
}
