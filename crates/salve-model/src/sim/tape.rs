//! HTTP exchanges as they are recorded and replayed: byte for byte, and without keys.
//!
//! In: what passed between a client and a provider; later, the lines that were written. Out: one JSON
//! line an exchange; later, the bytes again. Headers of requests are never written, nor any header of
//! a response that could hold a key or a cookie.

use super::compare::{canonical, nearest};
use super::recorded::RecordingError;
use super::script::from_hex;
use super::template::Step;
use bytes::Bytes;
use http::HeaderMap;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

/// One exchange.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Exchange {
    pub(super) method: String,
    /// Without the query, which can hold a key.
    pub(super) path: String,
    pub(super) request: Octets,
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    /// The body as its pieces arrived.
    pub(super) pieces: Vec<Octets>,
    /// Whether the connection broke before the end.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) broken: bool,
}

/// Bytes, readable where they are text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Octets {
    Text(String),
    Hex(String),
}

impl Octets {
    pub(super) fn new(bytes: &[u8]) -> Self {
        std::str::from_utf8(bytes).map_or_else(
            |_| Self::Hex(bytes.iter().map(|byte| format!("{byte:02x}")).collect()),
            |text| Self::Text(text.to_owned()),
        )
    }

    fn bytes(&self) -> Option<Bytes> {
        match self {
            Self::Text(text) => Some(Bytes::from(text.clone().into_bytes())),
            Self::Hex(digits) => from_hex(digits).map(Bytes::from),
        }
    }
}

// Headers about this one connection, which the next has its own of.
const OF_THE_CONNECTION: &[&str] =
    &["connection", "keep-alive", "transfer-encoding", "upgrade", "trailer", "date", "alt-svc"];
const SECRET_WORDS: &[&str] = &["cookie", "key", "auth", "token", "secret", "organization"];

/// Returns the headers of a response that may be written down. Counts of tokens are no tokens.
pub(super) fn recordable(headers: &HeaderMap) -> Vec<(String, String)> {
    let kept = headers.iter().filter(|(name, _)| {
        let name = name.as_str();
        let is_count = name.contains("ratelimit") || name.contains("rate-limit");
        !OF_THE_CONNECTION.contains(&name)
            && (is_count || !SECRET_WORDS.iter().any(|word| name.contains(word)))
    });
    let text = kept.filter_map(|(name, value)| {
        Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned()))
    });
    text.collect()
}

/// A recording that is being replayed.
#[derive(Debug)]
pub struct Tape {
    exchanges: Vec<Replayed>,
    by_key: HashMap<String, (Vec<usize>, AtomicUsize)>,
}

/// An exchange, ready to be sent.
#[derive(Debug)]
pub(super) struct Replayed {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) steps: Vec<Step>,
    request: Value,
}

impl Tape {
    /// Reads a recording of HTTP.
    ///
    /// # Errors
    /// When a line is none.
    pub fn parse(text: &str) -> Result<Self, RecordingError> {
        let mut tape = Self { exchanges: Vec::new(), by_key: HashMap::new() };
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let error = |message: String| RecordingError { line: at + 1, message };
            let exchange: Exchange =
                serde_json::from_str(line).map_err(|problem| error(problem.to_string()))?;
            let bytes = |octets: &Octets| {
                octets.bytes().ok_or_else(|| error("`hex` holds no pairs of digits".to_owned()))
            };
            let request = bytes(&exchange.request)?;
            let key = key(&exchange.method, &exchange.path, &request);
            let mut steps = Vec::new();
            for piece in &exchange.pieces {
                steps.push(Step::Send(bytes(piece)?));
            }
            if exchange.broken {
                steps.push(Step::Break);
            }
            tape.by_key.entry(key).or_default().0.push(tape.exchanges.len());
            tape.exchanges.push(Replayed {
                status: exchange.status,
                headers: exchange.headers,
                steps,
                request: readable(&exchange.method, &exchange.path, &request),
            });
        }
        Ok(tape)
    }

    /// Returns the next exchange of a request; the last one is repeated.
    pub(super) fn find(&self, method: &str, path: &str, body: &[u8]) -> Option<&Replayed> {
        let (places, replayed) = self.by_key.get(&key(method, path, body))?;
        let at = replayed.fetch_add(1, Ordering::Relaxed).min(places.len() - 1);
        self.exchanges.get(places[at])
    }

    /// Says why a request has no exchange.
    pub(super) fn reason(&self, method: &str, path: &str, body: &[u8]) -> String {
        let known: Vec<Value> =
            self.exchanges.iter().map(|exchange| exchange.request.clone()).collect();
        let asked = readable(method, path, body);
        format!("this request was not recorded; {}", nearest(&asked, &known))
    }
}

fn readable(method: &str, path: &str, body: &[u8]) -> Value {
    let body = serde_json::from_slice(body)
        .unwrap_or_else(|_| Value::from(String::from_utf8_lossy(body).into_owned()));
    serde_json::json!({ "method": method, "path": path, "body": body })
}

fn key(method: &str, path: &str, body: &[u8]) -> String {
    canonical(&readable(method, path, body))
}
