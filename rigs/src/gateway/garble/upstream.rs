//! An upstream that says the truth, in streams that are damaged on their way.
//!
//! In: requests, whose model names the exchange. Out: what was asked for of the answer: all of it, what
//! follows the words or calls that the request says arrived, or one call again. A model that is asked
//! for a part often gives all, so that half of them do. Never another answer than the truth of the
//! exchange.

use super::super::reading::Dialect;
use super::answers::{Answer, Block};
use super::damage::Damage;
use anyhow::Context;
use bytes::Bytes;
use fastrand::Rng;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::net::TcpListener;

/// One exchange.
#[derive(Debug, Clone)]
pub(super) struct Case {
    pub(super) number: u64,
    pub(super) dialect: Dialect,
    pub(super) truth: Answer,
}

/// The exchanges under way.
#[derive(Default)]
pub(super) struct Truths(Mutex<HashMap<u64, (Case, Damage)>>);

impl Truths {
    /// Begins an exchange of this number.
    pub(super) fn begin(&self, number: u64) -> Case {
        let mut rng = Rng::with_seed(number);
        let dialect = Dialect::ALL[rng.usize(0..3)];
        let case = Case { number, dialect, truth: Answer::any(&mut rng) };
        let left = rng.usize(0..4);
        let damage = Damage::new(rng.fork(), dialect, left);
        self.lock().insert(number, (case.clone(), damage));
        case
    }

    /// Ends it, and returns what was damaged.
    pub(super) fn end(&self, number: u64) -> Option<Damage> {
        self.lock().remove(&number).map(|(_, damage)| damage)
    }

    fn answer(&self, body: &Value) -> Option<Vec<u8>> {
        let number = body["model"].as_str()?.strip_prefix("garbled-")?.parse().ok()?;
        let mut all = self.lock();
        let (case, damage) = all.get_mut(&number)?;
        let all = damage.flip();
        let answer = asked_for(&case.truth, body, all);
        damage.unseen |= is_like_an_echo(&answer, body);
        Some(damage.stream(&answer))
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, (Case, Damage)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Listens on loopback for as long as the runtime runs.
pub(super) async fn start(truths: Arc<Truths>) -> anyhow::Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0").await.context("no port")?;
    let address = listener.local_addr()?;
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            let truths = Arc::clone(&truths);
            let service = service_fn(move |request| answer(request, Arc::clone(&truths)));
            tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(socket), service));
        }
    });
    Ok(address)
}

async fn answer(
    request: Request<Incoming>,
    truths: Arc<Truths>,
) -> anyhow::Result<Response<Full<Bytes>>> {
    let body = request.into_body().collect().await?.to_bytes();
    let body: Value = serde_json::from_slice(&body)?;
    let stream = truths.answer(&body).context("an exchange that is not under way")?;
    Ok(Response::builder()
        .header("content-type", "text/event-stream")
        .body(Full::new(Bytes::from(stream)))?)
}

// The last words of one who speaks, as the request has them.
fn said(body: &Value, role: &str) -> Option<String> {
    let turns = body["messages"].as_array().or_else(|| body["input"].as_array())?;
    let turn = turns.iter().rfind(|turn| turn["role"] == role)?;
    match &turn["content"] {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => {
            Some(parts.iter().filter_map(|part| part["text"].as_str()).collect())
        }
        _ => None,
    }
}

// What a model says to a request: what it is asked for, or all of the answer.
fn asked_for(truth: &Answer, body: &Value, all: bool) -> Answer {
    let Some(came) = said(body, "assistant") else { return truth.clone() };
    let order = said(body, "user").unwrap_or_default();
    let calls = truth.calls();
    if !calls.is_empty() && body["tools"].is_null() {
        // Only words can be answered: the rest of the arguments.
        let rest = calls.iter().find_map(|(_, arguments)| arguments.strip_prefix(&came));
        return Answer(vec![Block::Text(rest.unwrap_or_default().to_owned())]);
    }
    if order.contains("damaged on its way") {
        return if all { truth.clone() } else { rest_of_calls(truth, &came) };
    }
    if order.contains("this one tool call") {
        let shared = |call: &&(String, String)| {
            let rejected = came.split_once(' ').map_or("", |(_, arguments)| arguments);
            rejected.bytes().zip(call.1.bytes()).take_while(|(one, other)| one == other).count()
        };
        let one = calls.iter().max_by_key(shared);
        let one = one.map(|(name, arguments)| Block::Call(name.clone(), arguments.clone()));
        return if all { truth.clone() } else { Answer(one.into_iter().collect()) };
    }
    let text = truth.text();
    let begun = [came.as_str(), came.trim_end()].into_iter().find(|it| text.starts_with(it));
    truth.after_text(begun.map_or(text.len(), str::len))
}

// Whether an answer goes on with all the words that it began with: a server that sends the last turn again
// before what is new does the same, and no reader can tell.
fn is_like_an_echo(answer: &Answer, body: &Value) -> bool {
    let came = said(body, "assistant").unwrap_or_default();
    !came.trim().is_empty() && answer.text().trim_start().starts_with(came.trim())
}

// What follows the calls that arrived, and the words after them that arrived.
fn rest_of_calls(truth: &Answer, came: &str) -> Answer {
    let arrived =
        |(name, arguments): &&(String, String)| came.contains(&format!("{name} {arguments}"));
    let calls = truth.calls().iter().take_while(arrived).count();
    let mut rest = truth.after_calls(calls);
    let all = truth.text();
    let before = all.len() - rest.text().len();
    let shared = all.bytes().zip(came.bytes()).take_while(|(one, other)| one == other);
    if let Some(Block::Text(text)) = rest.0.first_mut() {
        let mut from = shared.count().saturating_sub(before).min(text.len());
        while !text.is_char_boundary(from) {
            from -= 1;
        }
        text.drain(..from);
    }
    if rest.0.is_empty() { Answer(vec![Block::Text("NONE".to_owned())]) } else { rest }
}
