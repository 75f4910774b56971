//! A script on a stage: requests of HTTP in, responses out.
//!
//! In: a request whose body has been read. Out: a response that plays what the script says. Never
//! answers what the script does not provide for: that is an error of the dialect, and counted.

use super::body::SimBody;
use super::calls::{Calls, Counter, InFlight, SeenRequest};
use super::files::Shelf;
use super::heard::Heard;
use super::play::{Act, Performance, Player, Speech};
use super::template::{Step, Template};
use super::write::{Envelope, model, write_error, write_models};
use crate::wire::Dialect;
use http::{HeaderName, HeaderValue, Method, Response, StatusCode, header};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Where a script is played.
#[derive(Debug)]
pub(super) struct Stage {
    player: Player,
    counter: Arc<Counter>,
    created: u64,
    encoded: Mutex<HashMap<Key, Arc<Template>>>,
    // Headers that some rule asks about; the others need not be copied.
    headers: Vec<String>,
    /// The files it was given.
    pub(super) shelf: Shelf,
}

// Everything an encoded answer depends on.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Key {
    rule: usize,
    dialect: Dialect,
    stream: bool,
    include_usage: bool,
    choices: usize,
    model: String,
    input_tokens: u64,
    repeated: String,
}

const MOST_ENCODED: usize = 256;

impl Stage {
    pub(super) fn new(player: Player, counter: Arc<Counter>, created: u64) -> Self {
        let names = player.rules.iter().flat_map(|playing| playing.rule.when.header.keys());
        let headers = names.map(|name| name.to_ascii_lowercase()).collect();
        Self {
            player,
            counter,
            created,
            encoded: Mutex::default(),
            headers,
            shelf: Shelf::default(),
        }
    }

    /// Returns everything that was counted.
    pub(super) fn calls(&self) -> Calls {
        Calls {
            rules: self.player.counts(),
            unmatched: self.player.unmatched.load(Ordering::Relaxed),
            uploads: self.shelf.uploads(),
            ..self.counter.counts()
        }
    }

    /// Answers a request.
    pub(super) async fn respond(&self, request: &SeenRequest) -> Response<SimBody> {
        if let Some(response) = self.shelf.respond(request) {
            return response;
        }
        let path = request.path.split('?').next().unwrap_or_default();
        if request.method == Method::POST {
            if let Some(dialect) = Dialect::ALL.into_iter().find(|it| it.path() == path) {
                return self.answer(dialect, request).await;
            }
            if path == super::draw::PATH {
                return self.draw(request).await;
            }
            if path == "/v1/messages/count_tokens" {
                return count_tokens(&request.body);
            }
        }
        if request.method == Method::GET && path == "/v1/models" {
            return whole(StatusCode::OK, write_models(&self.models(), self.created));
        }
        let named = path.strip_prefix("/v1/models/").filter(|name| !name.is_empty());
        if let Some(name) = named.filter(|_| request.method == Method::GET) {
            return whole(StatusCode::OK, model(name, self.created).to_string().into_bytes());
        }
        let message = format!("there is no `{} {path}` here", request.method);
        whole(StatusCode::NOT_FOUND, write_error(Dialect::Chat, 404, &message))
    }

    async fn answer(&self, dialect: Dialect, request: &SeenRequest) -> Response<SimBody> {
        let call = self.counter.calls.fetch_add(1, Ordering::SeqCst) + 1;
        let read = serde_json::from_slice::<Value>(&request.body)
            .map_err(|problem| format!("the body is not JSON: {problem}"))
            .and_then(|body| {
                let heard = Heard::from_body(dialect, &body).map_err(|error| error.message)?;
                Ok((body, heard))
            });
        let (body, mut heard) = match read {
            Ok(read) => read,
            Err(message) => {
                return whole(StatusCode::BAD_REQUEST, write_error(dialect, 400, &message));
            }
        };
        heard.headers = self.headers_of(request);
        if let Some(id) = self.shelf.missing(&heard.files) {
            let message = format!("there is no file `{id}`");
            return whole(StatusCode::BAD_REQUEST, write_error(dialect, 400, &message));
        }
        let Some(performance) = self.player.play(&heard) else {
            let message = self.player.reason(&heard);
            return whole(StatusCode::NOT_FOUND, write_error(dialect, 404, &message));
        };
        let in_flight = InFlight::new(&self.counter);
        if performance.delay.first > 0 {
            tokio::time::sleep(Duration::from_millis(performance.delay.first)).await;
        }
        let mut response = match &performance.act {
            Act::Refuse { status, body, retry_after } => {
                refusal(dialect, *status, body.as_ref(), *retry_after, in_flight)
            }
            Act::Speak(speech) => {
                self.counter.pay(speech.paid);
                self.speech(dialect, call, &heard, body, &performance, speech, in_flight)
            }
        };
        let rule = &self.player.rules[performance.rule].rule;
        for (name, value) in &rule.reply.headers {
            let name = HeaderName::try_from(name.as_str());
            if let (Ok(name), Ok(value)) = (name, HeaderValue::try_from(value.as_str())) {
                response.headers_mut().insert(name, value);
            }
        }
        response
    }

    // Images: the prompt is heard like words, and a rule that draws answers.
    async fn draw(&self, request: &SeenRequest) -> Response<SimBody> {
        self.counter.calls.fetch_add(1, Ordering::SeqCst);
        let (prompt, mut heard) = match super::draw::hear(&request.body) {
            Ok(heard) => heard,
            Err(message) => {
                return whole(StatusCode::BAD_REQUEST, write_error(Dialect::Chat, 400, &message));
            }
        };
        heard.headers = self.headers_of(request);
        let Some(performance) = self.player.play(&heard) else {
            let message = self.player.reason(&heard);
            return whole(StatusCode::NOT_FOUND, write_error(Dialect::Chat, 404, &message));
        };
        let mut in_flight = InFlight::new(&self.counter);
        tokio::time::sleep(Duration::from_millis(performance.delay.first)).await;
        if let Act::Refuse { status, body, retry_after } = &performance.act {
            return refusal(Dialect::Chat, *status, body.as_ref(), *retry_after, in_flight);
        }
        in_flight.ended();
        let reply = &self.player.rules[performance.rule].rule.reply;
        let (body, count) = super::draw::write(reply, &prompt, heard.choices, self.created);
        self.counter.images.fetch_add(count, Ordering::SeqCst);
        whole(StatusCode::OK, body)
    }

    #[expect(clippy::too_many_arguments, reason = "the facts of one call, used nowhere else")]
    fn speech(
        &self,
        dialect: Dialect,
        call: u64,
        heard: &Heard,
        body: Value,
        performance: &Performance,
        speech: &Speech,
        mut in_flight: InFlight,
    ) -> Response<SimBody> {
        let template = self.template(dialect, heard, body, performance.rule, speech);
        if !heard.stream && speech.faults == super::play::Faults::default() {
            in_flight.ended();
            return whole(StatusCode::OK, template.body(call));
        }
        let between = Duration::from_millis(performance.delay.between);
        let steps = template.steps(call, &speech.faults, between);
        let breaks = steps.last() == Some(&Step::Break);
        let mut response = Response::new(SimBody::steps(steps, in_flight));
        let headers = response.headers_mut();
        if heard.stream {
            headers.insert(header::CONTENT_TYPE, EVENTS);
            headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        } else {
            headers.insert(header::CONTENT_TYPE, JSON);
            // The length that was promised is what tells a reader that something is missing.
            if breaks {
                headers.insert(header::CONTENT_LENGTH, HeaderValue::from(template.len()));
            }
        }
        response
    }

    fn template(
        &self,
        dialect: Dialect,
        heard: &Heard,
        body: Value,
        rule: usize,
        speech: &Speech,
    ) -> Arc<Template> {
        let envelope = |request| Envelope {
            tag: String::new(),
            model: heard.model.clone(),
            created: self.created,
            include_usage: heard.include_usage,
            request,
        };
        let repeated = if dialect == Dialect::Responses { repeated(body) } else { Value::Null };
        if !speech.is_fixed {
            return Arc::new(Template::new(dialect, envelope(repeated), speech, heard.stream));
        }
        let key = Key {
            rule,
            dialect,
            stream: heard.stream,
            include_usage: heard.include_usage,
            choices: heard.choices,
            model: heard.model.clone(),
            input_tokens: heard.input_tokens(),
            repeated: repeated.to_string(),
        };
        let mut encoded = self.encoded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(template) = encoded.get(&key) {
            return Arc::clone(template);
        }
        let template = Arc::new(Template::new(dialect, envelope(repeated), speech, heard.stream));
        if encoded.len() >= MOST_ENCODED {
            encoded.clear();
        }
        encoded.insert(key, Arc::clone(&template));
        template
    }

    fn headers_of(&self, request: &SeenRequest) -> Vec<(String, String)> {
        let names = self.headers.iter();
        let found = names.filter_map(|name| {
            let value = request.headers.get(name.as_str())?.to_str().ok()?;
            Some((name.clone(), value.to_owned()))
        });
        found.collect()
    }

    fn models(&self) -> Vec<String> {
        let rules = self.player.rules.iter();
        let mut names: Vec<String> =
            rules.filter_map(|playing| playing.rule.when.model.clone()).collect();
        names.push("sim".to_owned());
        names.sort();
        names.dedup();
        names
    }
}

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const EVENTS: HeaderValue = HeaderValue::from_static("text/event-stream; charset=utf-8");

/// Makes a response of JSON that is sent in one piece.
pub(super) fn whole(status: StatusCode, body: impl Into<bytes::Bytes>) -> Response<SimBody> {
    let mut response = Response::new(SimBody::whole(body));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, JSON);
    response
}

fn refusal(
    dialect: Dialect,
    status: u16,
    body: Option<&Value>,
    retry_after: Option<u64>,
    mut in_flight: InFlight,
) -> Response<SimBody> {
    in_flight.ended();
    let bytes = match body {
        None => write_error(dialect, status, "the script says so"),
        Some(Value::String(text)) => text.clone().into_bytes(),
        Some(body) => body.to_string().into_bytes(),
    };
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = whole(status, bytes);
    if let Some(seconds) = retry_after {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

fn count_tokens(body: &[u8]) -> Response<SimBody> {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    let heard = Heard::from_body(Dialect::Messages, &body).unwrap_or_default();
    let tokens = heard.input_tokens();
    whole(StatusCode::OK, json!({ "input_tokens": tokens }).to_string().into_bytes())
}

// The settings that a response repeats; not the conversation, which can be long.
fn repeated(body: Value) -> Value {
    match body {
        Value::Object(mut settings) => {
            settings.retain(|name, _| !matches!(name.as_str(), "input" | "model" | "stream"));
            Value::Object(settings)
        }
        _ => Value::Null,
    }
}
