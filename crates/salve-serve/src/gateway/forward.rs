//! A request that has been read goes to the upstream.
//!
//! In: its bytes. Out: the response. The bytes go on as they came, unless a budget needs an output
//! limit that the client did not set; the reply is healed unless the mode is off.

use super::Shared;
use super::account::{Account, FirstCall};
use super::answer;
use super::call::{Calls, NotMade, Persistence, UpstreamHead};
use super::headers::{self, Packing};
use super::heal::Exchange;
use super::record::{ReplyRecord, shown_model};
use super::refusal;
use super::route::Target;
use super::upstream::NoReply;
use crate::http::body::{ReplyBody, Unread};
use crate::http::coding;
use crate::http::refusal::{Reason, Refusal};
use crate::http::sse::is_event_stream;
use bytes::Bytes;
use http::header::{ACCEPT_ENCODING, LOCATION};
use http::request::Parts;
use http::{HeaderValue, Method, Response};
use reqwest::Url;
use salve_model::Purpose;
use salve_model::wire::{Asked, Dialect, read_request};
use salve_store::GatewayKey;
use salve_types::{Mode, WorstCase};
use serde_json::Value;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// A request that has been read.
pub(crate) struct Forward<'s> {
    pub(crate) shared: &'s Arc<Shared>,
    pub(crate) target: Target<'s>,
    pub(crate) parts: Parts,
    pub(crate) bytes: Bytes,
    pub(crate) begun: Instant,
    pub(crate) key: Option<Arc<GatewayKey>>,
}

// Other paths whose cost is known from the request alone, for keys whose spending is limited.
const COUNTABLE: [&str; 3] = ["/embeddings", "/messages/count_tokens", "/moderations"];

impl Forward<'_> {
    /// Passes on whatever is no model's answer.
    pub(crate) async fn other(self) -> Result<Response<ReplyBody>, Refusal> {
        let free = matches!(self.parts.method, Method::GET | Method::HEAD | Method::DELETE);
        if !free && self.is_budgeted() && !COUNTABLE.contains(&self.target.rest) {
            return Err(Refusal::new(
                refusal::OVER_BUDGET,
                "this key's spending is limited, and what this path can cost is not known",
            ));
        }
        let account = self.account(String::new(), !free);
        let worst = account.worst_case(self.bytes.len(), 0);
        self.pass(account, self.bytes.clone(), worst).await
    }

    /// Asks for a model's answer.
    pub(crate) async fn answer(
        mut self,
        dialect: Dialect,
        mode: Mode,
    ) -> Result<Response<ReplyBody>, Refusal> {
        // Where nothing is healed and nothing is booked, the request is not read.
        if mode == Mode::Off && self.shared.config.store.is_none() {
            let account = self.account(String::new(), false);
            return self.pass(account, self.bytes.clone(), WorstCase::default()).await;
        }
        let mut request = match self.json().await {
            Ok(request) => request,
            // What is not looked into need not be JSON either.
            Err(_) if mode == Mode::Off && !self.is_budgeted() => return self.unreadable().await,
            Err(refusal) => return Err(refusal),
        };
        let Ok(asked) = read_request(dialect, &request) else {
            return self.unreadable().await;
        };
        let asked = self.limited(asked, &mut request)?;
        let account = self.account(asked.model.clone(), true);
        let answer_tokens = answer_tokens(&asked, self.shared.config.max_output);
        let worst = account.worst_case(self.bytes.len(), answer_tokens);
        if mode == Mode::Off {
            return self.pass(account, self.bytes.clone(), worst).await;
        }
        self.heal(asked, request, account, worst, mode).await
    }

    async fn heal(
        self,
        asked: Asked,
        request: Value,
        account: Account,
        worst: WorstCase,
        mode: Mode,
    ) -> Result<Response<ReplyBody>, Refusal> {
        let dialect = asked.dialect;
        let packing = if asked.stream { Packing::None } else { Packing::Readable };
        let calls = Arc::new(self.calls(account, packing, mode)?);
        let waited = Instant::now();
        let answer = self.make(&calls, self.bytes.clone(), worst).await?;
        let status = answer.response.status();
        if !status.is_success() {
            self.shared.metrics.answered(dialect.name(), "failed", status.as_u16());
            tracing::warn!(
                target: "salve::gateway",
                dialect = dialect.name(), status = status.as_u16(),
                model = shown_model(&asked.model), call = answer.call.map(|call| call.0),
                "failed"
            );
            return Ok(answer::passed_on(answer, &self.shared.scrub).await);
        }
        let model = asked.model.clone();
        let mut policy = self.shared.config.policy;
        policy.mode = mode;
        let schemas = self.shared.schemas.clone();
        let first_call = calls.account.first_call.clone();
        let exchange = Exchange { asked, request, upstream: calls, schemas, policy };
        let added = waited.duration_since(self.begun);
        let asked_for = (model, answer.call);
        let record = ReplyRecord::new(
            self.shared.clone(),
            dialect,
            asked_for,
            first_call,
            self.begun,
            added,
        );
        if is_event_stream(answer.response.headers()) {
            return Ok(answer::streamed(exchange, answer, record).await);
        }
        let accepted = self.parts.headers.get(ACCEPT_ENCODING);
        answer::whole(exchange, answer, record, accepted).await
    }

    // The upstream says best what is wrong with a request that is JSON and yet not its own; but what
    // it can cost is not known.
    async fn unreadable(self) -> Result<Response<ReplyBody>, Refusal> {
        if self.is_budgeted() {
            return Err(Refusal::new(
                Reason::BAD_REQUEST,
                "this key's spending is limited, and what this request can cost cannot be read from it",
            ));
        }
        let account = self.account(String::new(), true);
        let worst = account.worst_case(self.bytes.len(), self.shared.config.max_output);
        self.pass(account, self.bytes.clone(), worst).await
    }

    // Passes request and reply on as they are.
    async fn pass(
        &self,
        account: Account,
        bytes: Bytes,
        worst: WorstCase,
    ) -> Result<Response<ReplyBody>, Refusal> {
        // Where a key is held, the gateway looks inside.
        let packing =
            if self.shared.scrub.is_needed() { Packing::Readable } else { Packing::AsAsked };
        let calls = self.calls(account, packing, Mode::Off)?;
        let answer = self.make(&calls, bytes, worst).await?;
        let (name, status) = (self.target.route.name(), answer.response.status().as_u16());
        self.shared.metrics.answered(name, "off", status);
        let mut response = answer::passed_on(answer, &self.shared.scrub).await;
        if self.target.route.dialect().is_some() {
            let off = HeaderValue::from_static("off");
            response.headers_mut().insert(headers::SALVE_VERDICT, off);
        }
        Ok(response)
    }

    async fn make(
        &self,
        calls: &Calls,
        bytes: Bytes,
        worst: WorstCase,
    ) -> Result<UpstreamHead, Refusal> {
        let made = calls.make(bytes, Purpose::First, worst).await;
        let head = made.map_err(|not| self.refusal(&not))?;
        match redirected(&head.response) {
            Some(refusal) => Err(refusal),
            None => Ok(head),
        }
    }

    fn refusal(&self, not_made: &NotMade) -> Refusal {
        match not_made {
            NotMade::NoReply(NoReply::Unreachable) => Refusal::new(
                refusal::UNREACHABLE,
                "the gateway cannot reach its upstream; check the address it was started with",
            ),
            NotMade::NoReply(NoReply::TimedOut) => {
                Refusal::new(refusal::TIMED_OUT, "the upstream did not answer in time")
            }
            NotMade::OverBudget(over) => {
                let tomorrow = (self.shared.config.now().day() + 1) * 86_400_000;
                let wait = u64::try_from(tomorrow - self.shared.config.now().0).unwrap_or(1000);
                Refusal::new(refusal::OVER_BUDGET, format!("{over}; it resets at midnight UTC"))
                    .retry_after(Duration::from_millis(wait))
            }
            NotMade::Ledger => Refusal::new(
                refusal::LEDGER,
                "the ledger cannot be written, so the call was not made; see the gateway's log",
            ),
        }
    }

    fn is_budgeted(&self) -> bool {
        let of_key = self
            .key
            .as_ref()
            .is_some_and(|key| key.tokens_per_day.is_some() || key.micro_dollars_per_day.is_some());
        of_key || self.shared.config.budgeted
    }

    // A budget is held at the worst case, so there must be one: without a limit of the client's own,
    // the gateway's is sent.
    fn limited(&mut self, mut asked: Asked, request: &mut Value) -> Result<Asked, Refusal> {
        if !self.is_budgeted() {
            return Ok(asked);
        }
        let costs = self.key.as_ref().is_some_and(|key| key.micro_dollars_per_day.is_some());
        if costs && self.shared.config.capabilities.of(&asked.model).price.is_none() {
            return Err(Refusal::new(
                refusal::OVER_BUDGET,
                format!(
                    "this key's money is limited, and the price of `{}` is not known; say it in a \
                     `[[model]]` of the gateway's config.toml",
                    asked.model
                ),
            ));
        }
        if asked.max_output_tokens.is_none() {
            let limit = self.shared.config.max_output;
            asked.max_output_tokens = Some(limit);
            request[limit_field(&asked)] = Value::from(limit);
            self.bytes = Bytes::from(request.to_string());
            self.parts.headers.remove(http::header::CONTENT_ENCODING);
        }
        Ok(asked)
    }

    fn account(&self, model: String, booked: bool) -> Account {
        let store = self.shared.config.store.as_ref().filter(|_| booked);
        let price = store.and_then(|_| self.shared.config.capabilities.of(&model).price);
        Account {
            store: store.cloned(),
            budgeted: self.is_budgeted(),
            first_call: FirstCall::default(),
            key: self.key.clone(),
            dialect: self.target.route.name(),
            provider: self.shared.upstream.provider(),
            model,
            price,
            first: OnceLock::new(),
        }
    }

    async fn json(&self) -> Result<Value, Refusal> {
        let plain = match coding::packed_in(&self.parts.headers) {
            None => self.bytes.clone(),
            Some(coding) => unpacked(self.bytes.clone(), coding, self.shared).await?,
        };
        // The parser itself refuses to go deeper than 128 levels.
        match serde_json::from_slice::<Value>(&plain) {
            Ok(value) if value.is_object() => Ok(value),
            Ok(_) => Err(Refusal::new(refusal::BAD_JSON, "the body must be a JSON object")),
            Err(error) => {
                let (line, column) = (error.line(), error.column());
                let message =
                    format!("the body is not JSON that can be read (line {line}, column {column})");
                Err(Refusal::new(refusal::BAD_JSON, message))
            }
        }
    }

    fn calls(&self, account: Account, packing: Packing, mode: Mode) -> Result<Calls, Refusal> {
        let url = self.shared.upstream.url(self.target.rest, self.parts.uri.query());
        let url = url.ok_or_else(|| {
            Refusal::new(Reason::NOT_FOUND, "the path cannot be joined to the upstream's address")
        })?;
        let persistence = match mode {
            Mode::Enforce => Persistence::Repeat,
            Mode::Observe | Mode::Off => Persistence::Once,
        };
        Ok(Calls {
            shared: self.shared.clone(),
            method: self.parts.method.clone(),
            url,
            headers: headers::to_upstream(self.parts.headers.clone(), packing),
            persistence,
            account,
            dialect: self.target.route.dialect(),
        })
    }
}

// A client that follows a redirect sends its key there, which no one has chosen.
fn redirected<B>(response: &Response<B>) -> Option<Refusal> {
    let location = response.headers().get(LOCATION)?;
    if !response.status().is_redirection() {
        return None;
    }
    let place = location.to_str().ok().and_then(|location| Url::parse(location).ok());
    let place = place
        .map_or_else(|| "another path".to_owned(), |place| place.origin().ascii_serialization());
    let message = format!(
        "the upstream redirects to {place}, and a key would go along; if that is right, start the \
         gateway with that address as its upstream"
    );
    Some(Refusal::new(refusal::REDIRECTED, message))
}

/// Returns the most tokens all answers to a request can take.
pub(crate) fn answer_tokens(asked: &Asked, default: u64) -> u64 {
    let each = asked.max_output_tokens.unwrap_or(default);
    each.saturating_mul(u64::from(asked.choices.max(1)))
}

// OpenAI's newer models refuse the old name of the limit, and most other servers know only that one.
fn limit_field(asked: &Asked) -> &'static str {
    let name = asked.model.rsplit('/').next().unwrap_or_default();
    let newer = name.starts_with("gpt-5")
        || name
            .strip_prefix('o')
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    match asked.dialect {
        Dialect::Chat if newer => "max_completion_tokens",
        Dialect::Chat | Dialect::Messages => "max_tokens",
        Dialect::Responses => "max_output_tokens",
    }
}

async fn unpacked(bytes: Bytes, coding: &HeaderValue, shared: &Shared) -> Result<Bytes, Refusal> {
    if !coding::is_readable(coding) {
        return Err(Refusal::new(
            Reason::CONTENT_ENCODING,
            "the body's content-encoding cannot be read; use gzip, br or none",
        ));
    }
    coding::unpack(bytes, coding, shared.config.server.limits.body).await.map_err(|unread| {
        match unread {
            Unread::TooLarge => {
                Refusal::new(Reason::TOO_LARGE, "the decompressed body is too large")
            }
            Unread::Broken => {
                Refusal::new(Reason::BAD_REQUEST, "the body does not match its content-encoding")
            }
        }
    })
}
