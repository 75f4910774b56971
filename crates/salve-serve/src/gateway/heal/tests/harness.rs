//! Runs one exchange from a canned first reply to what the client got.
//!
//! In: a request, the first reply, and a fake upstream for what follows. Out: the client's bytes,
//! the report, and everything the upstream was asked.

use super::canned::Canned;
use super::client::{Received, read_stream, read_whole};
use super::fake::{Answer, Fake, Request, pieces};
use crate::gateway::heal::{
    Exchange, HealPolicy, HealReport, SchemaCache, StreamItem, heal_stream, heal_whole,
};
use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream;
use salve_model::Purpose;
use salve_model::wire::{Dialect, read_request};
use salve_types::Mode;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// What is asked for besides a plain answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ask {
    Text,
    Tools,
    Schema,
}

/// Makes a client's request.
pub(super) fn request(dialect: Dialect, ask: Ask, stream: bool) -> Value {
    let mut body = match dialect {
        Dialect::Responses => {
            json!({"model": "m", "input": "go", "previous_response_id": "resp_0"})
        }
        _ => json!({"model": "m", "messages": [{"role": "user", "content": "go"}]}),
    };
    body["stream"] = json!(stream);
    if dialect == Dialect::Chat && stream {
        body["stream_options"] = json!({"include_usage": true});
    }
    if dialect == Dialect::Messages {
        body["max_tokens"] = json!(100_000);
    }
    match ask {
        Ask::Text => {}
        Ask::Tools => {
            let schema = tool_schema();
            body["tools"] = match dialect {
                Dialect::Chat => json!([{"type": "function", "function":
                    {"name": "write", "parameters": schema}}]),
                Dialect::Responses => json!([{"type": "function", "name": "write",
                    "parameters": schema}]),
                Dialect::Messages => json!([{"name": "write", "input_schema": schema}]),
            };
        }
        Ask::Schema => match dialect {
            Dialect::Chat => {
                body["response_format"] = json!({"type": "json_schema", "json_schema":
                    {"name": "people", "schema": people_schema()}});
            }
            Dialect::Responses => {
                body["text"] = json!({"format": {"type": "json_schema", "name": "people",
                    "schema": people_schema()}});
            }
            Dialect::Messages => {
                body["output_format"] = json!({"type": "json_schema", "schema": people_schema()});
            }
        },
    }
    body
}

fn tool_schema() -> Value {
    json!({"type": "object", "properties": {"path": {"type": "string"}, "text":
        {"type": "string"}, "mode": {"type": "integer"}}, "required": ["path", "text"]})
}

fn people_schema() -> Value {
    json!({"type": "object", "properties": {"people": {"type": "array", "items":
        {"type": "object", "properties": {"name": {"type": "string"}, "age":
        {"type": "integer"}}, "required": ["name", "age"]}}}, "required": ["people"]})
}

/// The outcome of one exchange.
pub(super) struct Outcome {
    pub(super) bytes: Bytes,
    pub(super) received: Received,
    pub(super) report: HealReport,
    pub(super) asked: Vec<Request>,
    pub(super) status: u16,
}

/// One exchange.
pub(super) struct Setup {
    pub(super) dialect: Dialect,
    pub(super) request: Value,
    pub(super) policy: HealPolicy,
    pub(super) fake: Fake,
}

impl Setup {
    pub(super) fn new(
        dialect: Dialect,
        ask: Ask,
        stream: bool,
        rule: impl Fn(&Request, usize) -> Answer + Send + Sync + 'static,
    ) -> Self {
        Self {
            dialect,
            request: request(dialect, ask, stream),
            policy: HealPolicy { ping: Duration::from_secs(600), ..HealPolicy::default() },
            fake: Fake::new(dialect, rule),
        }
    }

    pub(super) fn observing(mut self) -> Self {
        self.policy.mode = Mode::Observe;
        self
    }

    pub(super) fn exchange(self) -> Exchange<Fake> {
        Exchange {
            asked: read_request(self.dialect, &self.request).unwrap(),
            request: self.request,
            upstream: Arc::new(self.fake),
            schemas: Arc::new(SchemaCache::default()),
            policy: self.policy,
        }
    }

    /// Runs it over a first reply, streamed or not as the request says.
    pub(super) fn run(self, first: &Canned) -> Outcome {
        let stream = self.request["stream"] == true;
        let bytes = if stream { first.stream(self.dialect) } else { first.whole(self.dialect) };
        self.run_bytes(&bytes, usize::MAX)
    }

    /// Runs it over the bytes of a first reply in pieces.
    pub(super) fn run_bytes(self, first: &Bytes, piece: usize) -> Outcome {
        let stream = self.request["stream"] == true;
        let dialect = self.dialect;
        let exchange = self.exchange();
        let upstream = Arc::clone(&exchange.upstream);
        let (bytes, report, status) = runtime().block_on(async {
            if stream {
                let (bytes, report) =
                    collect(exchange, pieces(first, piece.min(first.len().max(1)))).await;
                (bytes, report, 200)
            } else {
                let outcome = heal_whole(&exchange, first.clone(), None).await;
                (outcome.body, outcome.report, outcome.status.as_u16())
            }
        });
        let read = if stream { read_stream } else { read_whole };
        let received = read(dialect, &bytes)
            .unwrap_or_else(|why| panic!("{why}\n{}", String::from_utf8_lossy(&bytes)));
        let asked = upstream.asked.lock().unwrap().clone();
        Outcome { bytes, received, report, asked, status }
    }
}

pub(super) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap()
}

pub(super) async fn collect(
    exchange: Exchange<Fake>,
    pieces: Vec<std::io::Result<Bytes>>,
) -> (Bytes, HealReport) {
    let mut items = Box::pin(heal_stream(exchange, stream::iter(pieces).boxed(), None));
    let mut bytes = Vec::new();
    let mut report = None;
    while let Some(item) = items.next().await {
        match item {
            StreamItem::Bytes(more) => bytes.extend_from_slice(&more),
            StreamItem::Report(last) => report = Some(*last),
        }
    }
    (Bytes::from(bytes), report.expect("a report at the end"))
}

/// An upstream that goes on exactly where the answer was cut, and otherwise gives all of it.
pub(super) fn continuer(
    rest: Canned,
    all: Canned,
) -> impl Fn(&Request, usize) -> Answer + Send + Sync {
    move |request, _| match request.purpose {
        Purpose::Resume => Answer::Reply(rest.clone()),
        _ => Answer::Reply(all.clone()),
    }
}

/// An upstream that must not be asked.
pub(super) fn nobody(request: &Request, _: usize) -> Answer {
    panic!("nobody should be asked: {}", request.body)
}

/// The word of a dialect for a whole answer.
pub(super) fn done(dialect: Dialect, with_calls: bool) -> &'static str {
    match (dialect, with_calls) {
        (Dialect::Chat, false) => "stop",
        (Dialect::Chat, true) => "tool_calls",
        (Dialect::Messages, false) => "end_turn",
        (Dialect::Messages, true) => "tool_use",
        (Dialect::Responses, _) => "completed",
    }
}

/// The word of a dialect for a cut answer.
pub(super) fn cut(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Chat => "length",
        Dialect::Messages => "max_tokens",
        Dialect::Responses => "max_output_tokens",
    }
}
