//! Limits of time and room.

use super::stage::{FakeUpstream, client, config, events, gateway, raw, text};
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use salve_serve::gateway::{Gateway, Mode, StartError};
use salve_serve::http::ListenError;
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;

#[tokio::test]
async fn more_connections_than_allowed_are_turned_away() {
    let upstream = FakeUpstream::start(|_, _| text(200, "{}")).await;
    let mut config = config(&upstream);
    config.server.limits.connections = 2;
    let gateway = gateway(config).await;
    let first = TcpStream::connect(gateway.addr).await.unwrap();
    let second = TcpStream::connect(gateway.addr).await.unwrap();
    // They are taken in the order they come, so both are held before the third.
    let mut third = TcpStream::connect(gateway.addr).await.unwrap();
    let mut answer = String::new();
    third.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.contains(&format!("content-length: {}", body.len())), "{head}");
    assert!(serde_json::from_str::<serde_json::Value>(body).is_ok());
    drop((first, second));
    // The gateway hears of their leaving in its own time.
    let mut answer = String::new();
    for _ in 0..300 {
        answer = raw(gateway.addr, b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n").await;
        if answer.starts_with("HTTP/1.1 200 ") {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
}

#[tokio::test]
async fn streams_finish_when_the_gateway_is_told_to_stop() {
    let upstream = FakeUpstream::start(|_, _| {
        let slow = stream::iter(0..5).then(|number| async move {
            tokio::time::sleep(Duration::from_millis(100)).await;
            Ok(Bytes::from(format!("data: {number}\n\n")))
        });
        events(slow)
    })
    .await;
    let mut config = config(&upstream);
    config.mode = Mode::Off;
    let gateway = gateway(config).await;
    let addr = gateway.addr;
    let response = client()
        .post(format!("http://{addr}/v1/chat/completions"))
        .header("content-type", "application/json")
        .body("{}")
        .send()
        .await
        .unwrap();
    let reading = tokio::spawn(response.text());
    assert_eq!(gateway.stop().await.cut, 0);
    let whole = reading.await.unwrap().unwrap();
    assert!(whole.ends_with("data: 4\n\n"), "{whole}");
    assert!(TcpStream::connect(addr).await.is_err(), "nothing listens any more");
}

#[tokio::test]
async fn a_stream_that_does_not_end_is_cut_when_time_is_up() {
    let upstream = FakeUpstream::start(|_, _| {
        events(stream::iter([Ok(Bytes::from("data: 1\n\n"))]).chain(stream::pending()))
    })
    .await;
    let mut config = config(&upstream);
    config.mode = Mode::Off;
    config.server.drain = Duration::from_millis(200);
    let gateway = gateway(config).await;
    let response = client()
        .post(format!("http://{}/v1/chat/completions", gateway.addr))
        .header("content-type", "application/json")
        .body("{}")
        .send()
        .await
        .unwrap();
    let begun = Instant::now();
    assert_eq!(gateway.stop().await.cut, 1);
    assert!(begun.elapsed() < Duration::from_secs(20));
    assert!(response.bytes().await.is_err());
}

#[tokio::test]
async fn a_client_that_takes_nothing_is_given_up() {
    let upstream = FakeUpstream::start(|_, _| {
        let piece = Bytes::from("x".repeat(1 << 20));
        events(stream::repeat_with(move || Ok(piece.clone())))
    })
    .await;
    let mut config = config(&upstream);
    config.mode = Mode::Off;
    config.server.timeouts.write = Duration::from_millis(300);
    let gateway = gateway(config).await;
    let mut socket = TcpStream::connect(gateway.addr).await.unwrap();
    let request = "POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\n\
        content-type: application/json\r\ncontent-length: 2\r\n\r\n{}";
    tokio::io::AsyncWriteExt::write_all(&mut socket, request.as_bytes()).await.unwrap();
    let open = upstream.open.clone();
    let some = |count| move || open.load(std::sync::atomic::Ordering::SeqCst) == count;
    super::stage::until("the stream is open", some.clone()(1)).await;
    super::stage::until("the stream is given up", some(0)).await;
}

#[tokio::test]
async fn an_address_others_can_reach_needs_protection() {
    let upstream = FakeUpstream::start(|_, _| text(200, "{}")).await;
    let mut config = config(&upstream);
    config.server.listen = SocketAddr::from(([0, 0, 0, 0], 0));
    let error = Gateway::start(config).await.unwrap_err();
    assert!(matches!(error, StartError::Listen(ListenError::Exposed { .. })), "{error}");
}
