//! An upstream that says the truth, in streams that are damaged on their way.
//!
//! In: requests, whose model names the exchange. Out: the answer from its beginning, or from where the
//! request says it ended. Never another answer than the truth of the exchange.

use super::super::reading::Dialect;
use super::damage::Damage;
use super::frames::Answer;
use anyhow::Context;
use bytes::Bytes;
use fastrand::Rng;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::net::TcpListener;

/// One exchange.
#[derive(Debug, Clone)]
pub(super) struct Case {
    pub(super) number: u64,
    pub(super) dialect: Dialect,
    pub(super) answer: Answer,
    /// All its words.
    pub(super) truth: String,
}

/// The exchanges under way.
#[derive(Default)]
pub(super) struct Truths(Mutex<HashMap<u64, (Case, Damage)>>);

impl Truths {
    /// Begins an exchange of this number.
    pub(super) fn begin(&self, number: u64) -> Case {
        let mut rng = Rng::with_seed(number);
        let dialect = Dialect::ALL[rng.usize(0..3)];
        let answer = answer_of(&mut rng);
        let case = Case { number, dialect, truth: answer.words(), answer };
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
        if matches!(case.answer, Answer::Calls(_)) {
            // A call is not continued but made again.
            return Some(damage.stream(&case.answer.clone()));
        }
        let begun = said(body).unwrap_or_default();
        let rest = case.truth.strip_prefix(&begun);
        let rest = rest.or_else(|| case.truth.strip_prefix(begun.trim_end())).unwrap_or_default();
        Some(damage.stream(&Answer::Text(rest.to_owned())))
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

// The answer so far, as the request has it.
fn said(body: &Value) -> Option<String> {
    let turns = body["messages"].as_array().or_else(|| body["input"].as_array())?;
    let turn = turns.iter().rfind(|turn| turn["role"] == "assistant")?;
    match &turn["content"] {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => {
            Some(parts.iter().filter_map(|part| part["text"].as_str()).collect())
        }
        _ => None,
    }
}

const PARTS: &[&str] = &[
    "The answer is NOT safe, because the lock is taken twice. ",
    "First we read the file, then we write it back.\n\n",
    "- one item of a list\n- another item, `with code`\n",
    "Überraschung: größer → kleiner, 日本語 too. ",
    "```python\ndef main(path):\n    with open(path) as handle:\n        return [line.strip() for line in handle]\n```\n\n",
    "```rust\nfn main() {\n    let list = vec![1, 2, 3];\n    println!(\"{list:?}\");\n}\n```\n",
    "| a | b |\n|---|---|\n| 1 | 2 |\n\n",
    "It is important that you do not skip this step. ",
    "## Heading\n\nSome words below it. ",
    "See https://example.org/a?b=c for more (or do not). ",
    "> quoted words\n\n",
    "Sure, that works as well: set `a = {\"b\": [1, 2]}` and go on. ",
];

const ENDS: &[&str] = &["Done.", "That is all.\n", "So be it!", "Is that clear?", "the end"];

// A text, or now and then a call.
fn answer_of(rng: &mut Rng) -> Answer {
    if rng.u8(..) >= 64 {
        return Answer::Text(truth(rng));
    }
    Answer::Calls(vec![json!({ "path": "src/a.rs", "text": truth(rng) }).to_string()])
}

fn truth(rng: &mut Rng) -> String {
    let mut text = String::new();
    for _ in 0..rng.usize(1..8) {
        let part = rng.choice(PARTS).copied().unwrap_or_default();
        // What has a line of its own begins one.
        if part.starts_with(['`', '|', '#', '-', '>']) && !text.is_empty() {
            text.push_str("\n\n");
        }
        text.push_str(part);
        if rng.bool() {
            text.push_str(&format!("Number {} is {}. ", rng.u32(..), rng.u8(..)));
        }
        if rng.u8(..) < 40 {
            text.extend((0..rng.usize(1..30)).map(|_| rng.lowercase()));
            text.push(' ');
        }
    }
    text.push_str(rng.choice(ENDS).copied().unwrap_or_default());
    text
}
