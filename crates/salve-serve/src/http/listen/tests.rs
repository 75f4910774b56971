//! A server with a face that is no gateway: what every face may rely on.

use super::super::body::{collect, full};
use super::*;
use bytes::Bytes;
use std::sync::Mutex;
use tokio::io::AsyncReadExt;

/// Answers every request with its path.
#[derive(Default)]
struct Echo {
    heard: Mutex<Vec<ConnectionEvent>>,
}

impl Face for Echo {
    async fn answer(self: Arc<Self>, request: Request<Incoming>) -> Response<ReplyBody> {
        let path = request.uri().path().to_owned();
        let _ = collect(request.into_body(), 1000).await;
        Response::new(full(Bytes::from(path)))
    }

    fn refuse(&self, path: &str, refusal: &Refusal) -> Response<ReplyBody> {
        refusal.response(&serde_json::json!({"path": path, "code": refusal.reason.code}))
    }

    fn hear(&self, event: ConnectionEvent) {
        self.heard.lock().unwrap().push(event);
    }
}

async fn server() -> (ServerHandle, Arc<Echo>) {
    let face = Arc::new(Echo::default());
    let config = ServerConfig { drain: Duration::from_secs(5), ..ServerConfig::default() };
    (Server::bind(config).await.unwrap().serve(face.clone()), face)
}

// All that comes back until the server closes; the last request asks it to.
async fn said(addr: SocketAddr, bytes: &str) -> String {
    let mut socket = TcpStream::connect(addr).await.unwrap();
    socket.write_all(bytes.as_bytes()).await.unwrap();
    let mut answer = String::new();
    let _ = tokio::time::timeout(Duration::from_secs(20), socket.read_to_string(&mut answer)).await;
    answer
}

const LAST: &str = "GET /last HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
const TWO_LENGTHS: &str = "POST /evil HTTP/1.1\r\nhost: localhost\r\n\
    transfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n0\r\n\r\n";

#[tokio::test]
async fn any_face_is_guarded_served_and_stopped() {
    let (server, face) = server().await;
    let addr = server.addr;
    assert!(said(addr, LAST).await.ends_with("\r\n\r\n/last"));
    let refused = said(addr, &LAST.replace("localhost", "evil.example")).await;
    assert!(refused.starts_with("HTTP/1.1 403 "), "{refused}");
    assert!(refused.ends_with("{\"path\":\"/last\",\"code\":\"host_not_allowed\"}"), "{refused}");
    assert_eq!(server.stop().await, Drained { cut: 0 });
    assert!(TcpStream::connect(addr).await.is_err());
    let heard = face.heard.lock().unwrap();
    let count = |event| heard.iter().filter(|heard| **heard == event).count();
    assert_eq!((count(ConnectionEvent::Opened), count(ConnectionEvent::Closed)), (2, 2));
}

// The second request of a connection was once not looked at when the first had no body, or when both
// came in one piece.
#[tokio::test]
async fn two_lengths_are_refused_in_every_request_of_a_connection() {
    let (server, _) = server().await;
    let get = "GET /first HTTP/1.1\r\nhost: localhost\r\n\r\n";
    let post = "POST /first HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\n\r\n{}";
    let chunks = "POST /first HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n\
        2;x=y\r\n{}\r\n0\r\nx: y\r\n\r\n";
    for first in [get, post, chunks] {
        let answer = said(server.addr, &format!("{first}{TWO_LENGTHS}{LAST}")).await;
        assert!(answer.contains("conflicting_lengths"), "{answer}");
        assert!(!answer.contains("/last"), "answered behind it: {answer}");
        // The same in two pieces: the first is answered, and the second refused.
        let mut socket = TcpStream::connect(server.addr).await.unwrap();
        socket.write_all(first.as_bytes()).await.unwrap();
        let mut start = [0; 12];
        socket.read_exact(&mut start).await.unwrap();
        assert_eq!(&start, b"HTTP/1.1 200");
        socket.write_all(format!("{TWO_LENGTHS}{LAST}").as_bytes()).await.unwrap();
        let mut rest = String::new();
        let _ = socket.read_to_string(&mut rest).await;
        assert!(rest.contains("conflicting_lengths") && !rest.contains("/last"), "{rest}");
    }
}
