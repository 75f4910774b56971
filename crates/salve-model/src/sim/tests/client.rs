//! A client that sees the bytes: one request a connection, everything that came back, and whether
//! the end was announced.

use crate::sim::{Script, SimHandle, SimServer};
use crate::wire::Dialect;
use serde_json::{Value, json};
use std::net::{Ipv4Addr, SocketAddr};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// What came back.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) head: String,
    pub(super) body: Vec<u8>,
    /// Whether the body came to its announced end.
    pub(super) is_whole: bool,
}

impl Answer {
    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(super) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("no JSON: {}", self.text()))
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(':'));
        lines
            .into_iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, it)| it.trim())
    }

    /// Returns the data of every event.
    pub(super) fn events(&self) -> Vec<Value> {
        let text = self.text();
        let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
        data.filter(|data| *data != "[DONE]")
            .map(|data| serde_json::from_str(data).unwrap())
            .collect()
    }
}

pub(super) async fn start(script: &str) -> SimHandle {
    SimServer::start(Script::parse(script).unwrap(), loopback()).await.unwrap()
}

pub(super) fn loopback() -> SocketAddr {
    (Ipv4Addr::LOCALHOST, 0).into()
}

/// Asks a question in a dialect.
pub(super) fn question(dialect: Dialect, text: &str, stream: bool) -> Value {
    let turns = json!([{ "role": "user", "content": text }]);
    match dialect {
        Dialect::Chat => json!({ "model": "m", "messages": turns, "stream": stream }),
        Dialect::Responses => json!({ "model": "m", "input": turns, "stream": stream }),
        Dialect::Messages => {
            json!({ "model": "m", "max_tokens": 1000, "messages": turns, "stream": stream })
        }
    }
}

pub(super) async fn ask(sim: &SimHandle, dialect: Dialect, body: &Value) -> Answer {
    send(sim, "POST", dialect.path(), &body.to_string(), "").await
}

pub(super) async fn send(
    sim: &SimHandle,
    method: &str,
    path: &str,
    body: &str,
    headers: &str,
) -> Answer {
    let mut socket = TcpStream::connect(sim.addr()).await.unwrap();
    let length = body.len();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: sim\r\nconnection: close\r\n{headers}content-length: {length}\r\n\r\n"
    );
    socket.write_all(format!("{head}{body}").as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    // A broken connection may also be reported as an error; what came before it is kept.
    let _ = socket.read_to_end(&mut bytes).await;
    answer(&bytes)
}

fn answer(bytes: &[u8]) -> Answer {
    let at = memchr::memmem::find(bytes, b"\r\n\r\n").unwrap_or_else(|| panic!("no head"));
    let head = String::from_utf8_lossy(&bytes[..at]).into_owned();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let mut answer = Answer { status, head, body: Vec::new(), is_whole: false };
    let rest = &bytes[at + 4..];
    if answer.header("transfer-encoding") == Some("chunked") {
        unchunk(rest, &mut answer);
    } else {
        let length: usize = answer.header("content-length").unwrap().parse().unwrap();
        answer.is_whole = rest.len() == length;
        answer.body = rest.to_vec();
    }
    answer
}

fn unchunk(mut rest: &[u8], answer: &mut Answer) {
    while let Some(at) = memchr::memmem::find(rest, b"\r\n") {
        let size = usize::from_str_radix(std::str::from_utf8(&rest[..at]).unwrap(), 16).unwrap();
        if size == 0 {
            answer.is_whole = true;
            return;
        }
        let chunk = &rest[at + 2..];
        answer.body.extend_from_slice(&chunk[..size.min(chunk.len())]);
        rest = chunk.get(size + 2..).unwrap_or_default();
    }
}
