//! One request from its head to its response.
//!
//! In: a request. Out: a response: the upstream's reply, healed as far as the mode says, or a refusal.
//! Never logs a header, a body, a query or a path, because each of them may hold a key.

use super::Shared;
use super::body::{self, Unread};
use super::call::{Answer, Calls, Persistence, is_event_stream, pieces};
use super::config::Mode;
use super::ending::{Ending, Watching};
use super::guard;
use super::headers::{self, Packing};
use super::heal::{Exchange, HealMode, heal_stream, heal_whole};
use super::refusal::{Reason, Refusal};
use super::reply::{self, ReplyBody, full};
use super::route::{self, Route, Target};
use super::socket::HeadWatch;
use super::upstream::NoReply;
use bytes::Bytes;
use http::header::{ACCEPT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Request, Response};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use salve_model::Purpose;
use salve_model::wire::{Asked, Dialect};
use serde_json::Value;
use std::sync::Arc;
use std::time::Instant;

/// Answers one request.
pub(crate) async fn serve(
    shared: Arc<Shared>,
    watch: Arc<HeadWatch>,
    request: Request<Incoming>,
) -> Response<ReplyBody> {
    let (parts, body) = request.into_parts();
    let path = parts.uri.path().to_owned();
    let target = route::find(&path);
    let dialect = target.and_then(|target| target.route.dialect());
    let origin = shared.guard.allowed_origin(&parts.headers).cloned();
    let outcome = match check(&shared, &watch, &parts, target) {
        Ok(target) => dispatch(&shared, &watch, target, parts, body).await,
        Err(refusal) => Err(refusal),
    };
    let mut response = outcome.unwrap_or_else(|refusal| {
        let code = refusal.reason.code();
        let status = refusal.status().as_u16();
        shared.metrics.refused(code);
        let route = target.map_or("none", |target| target.route.name());
        tracing::warn!(target: "salve::gateway", route, status, reason = code, "refused");
        refusal.response(dialect)
    });
    if let Some(origin) = origin {
        response.headers_mut().insert(http::header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    }
    response
}

fn check<'p>(
    shared: &Shared,
    watch: &HeadWatch,
    parts: &Parts,
    target: Option<Target<'p>>,
) -> Result<Target<'p>, Refusal> {
    if watch.conflicting() {
        return Err(Refusal::new(
            Reason::Smuggled,
            "the request has both Content-Length and Transfer-Encoding",
        ));
    }
    shared.guard.check(parts)?;
    let target = target.ok_or_else(|| {
        Refusal::new(
            Reason::NotFound,
            "there is no such path; those of the gateway begin with /v1/",
        )
    })?;
    guard::check_kind(target.route, &parts.method, &parts.headers)?;
    Ok(target)
}

async fn dispatch(
    shared: &Arc<Shared>,
    watch: &HeadWatch,
    target: Target<'_>,
    parts: Parts,
    body: Incoming,
) -> Result<Response<ReplyBody>, Refusal> {
    match target.route {
        Route::Health => Ok(page("application/json", r#"{"status":"ok"}"#.to_owned())),
        Route::Metrics => {
            let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
            Ok(page(kind, shared.metrics.page()))
        }
        Route::Other | Route::Answer(_) => {
            let begun = Instant::now();
            let mode = mode_of(&parts.headers, shared.config.mode)?;
            let limits = &shared.config.limits;
            let patience = shared.config.timeouts.body;
            let bytes = body::read(body, &parts.headers, limits.body, patience).await?;
            watch.expect_next();
            let incoming = Incomer { shared, target, parts, bytes, begun };
            match target.route {
                Route::Answer(dialect) if mode != Mode::Off => incoming.heal(dialect, mode).await,
                _ => incoming.pass().await,
            }
        }
    }
}

// A request that has been read.
struct Incomer<'s> {
    shared: &'s Arc<Shared>,
    target: Target<'s>,
    parts: Parts,
    bytes: Bytes,
    begun: Instant,
}

impl Incomer<'_> {
    // Passes request and reply on as they are.
    async fn pass(self) -> Result<Response<ReplyBody>, Refusal> {
        let calls = self.calls(Packing::AsAsked, Persistence::Once)?;
        let answer = calls.make(self.bytes.clone(), Purpose::First).await.map_err(no_reply)?;
        self.shared.metrics.answered(
            self.target.route.name(),
            "off",
            answer.response.status().as_u16(),
        );
        let mut response = passed_on(answer);
        if matches!(self.target.route, Route::Answer(_)) {
            response.headers_mut().insert(headers::SALVE_VERDICT, HeaderValue::from_static("off"));
        }
        Ok(response)
    }

    async fn heal(self, dialect: Dialect, mode: Mode) -> Result<Response<ReplyBody>, Refusal> {
        let request = self.json().await?;
        // The upstream says best what is wrong with a request that is JSON and yet not its own.
        let Ok(asked) = read_request(dialect, &request) else { return self.pass().await };
        let packing = if asked.stream { Packing::None } else { Packing::Readable };
        let persistence = match mode {
            Mode::Enforce => Persistence::Repeat,
            Mode::Observe | Mode::Off => Persistence::Once,
        };
        let calls = Arc::new(self.calls(packing, persistence)?);
        let waited = Instant::now();
        let answer = calls.make(self.bytes.clone(), Purpose::First).await.map_err(no_reply)?;
        if !answer.response.status().is_success() {
            let status = answer.response.status().as_u16();
            self.shared.metrics.answered(dialect.name(), "failed", status);
            return Ok(passed_on(answer));
        }
        let exchange = self.exchange(asked, request, calls, mode);
        let added = waited.duration_since(self.begun);
        let ending = Ending::new(self.shared.clone(), dialect, self.begun, added);
        if is_event_stream(answer.response.headers()) {
            return Ok(streamed(exchange, answer, ending).await);
        }
        let accepted = self.parts.headers.get(ACCEPT_ENCODING);
        whole(exchange, answer, ending, accepted).await
    }

    fn exchange(
        &self,
        asked: Asked,
        request: Value,
        upstream: Arc<Calls>,
        mode: Mode,
    ) -> Exchange<Calls> {
        let mut policy = self.shared.config.policy;
        policy.mode = if mode == Mode::Observe { HealMode::Observe } else { HealMode::Enforce };
        Exchange { asked, request, upstream, schemas: self.shared.schemas.clone(), policy }
    }

    async fn json(&self) -> Result<Value, Refusal> {
        let unpacked = match headers::packed_in(&self.parts.headers) {
            None => self.bytes.clone(),
            Some(coding) => unpacked_request(self.bytes.clone(), coding, self.shared).await?,
        };
        // The parser itself refuses to go deeper than 128 levels.
        match serde_json::from_slice::<Value>(&unpacked) {
            Ok(value) if value.is_object() => Ok(value),
            Ok(_) => Err(Refusal::new(Reason::BadJson, "the body must be a JSON object")),
            Err(error) => Err(Refusal::new(
                Reason::BadJson,
                format!(
                    "the body is not JSON that can be read (line {}, column {})",
                    error.line(),
                    error.column()
                ),
            )),
        }
    }

    fn calls(&self, packing: Packing, persistence: Persistence) -> Result<Calls, Refusal> {
        let url = self.shared.upstream.url(self.target.rest, self.parts.uri.query());
        let url = url.ok_or_else(|| {
            Refusal::new(Reason::NotFound, "the path cannot be joined to the upstream's address")
        })?;
        Ok(Calls {
            shared: self.shared.clone(),
            method: self.parts.method.clone(),
            url,
            headers: headers::to_upstream(self.parts.headers.clone(), packing),
            persistence,
        })
    }
}

async fn unpacked_request(
    bytes: Bytes,
    coding: &HeaderValue,
    shared: &Shared,
) -> Result<Bytes, Refusal> {
    if !body::is_readable(coding) {
        return Err(Refusal::new(
            Reason::ContentEncoding,
            "the body is packed in a way that cannot be read; use gzip, br or none",
        ));
    }
    body::unpack(bytes, coding, shared.config.limits.body).await.map_err(|unread| match unread {
        Unread::TooLarge => Refusal::new(Reason::TooLarge, "the unpacked body is too large"),
        Unread::Broken(_) => {
            Refusal::new(Reason::BadRequest, "the body is not packed as its header says")
        }
    })
}

// Heals a reply that comes in one piece.
async fn whole(
    exchange: Exchange<Calls>,
    answer: Answer,
    ending: Ending,
    accepted: Option<&HeaderValue>,
) -> Result<Response<ReplyBody>, Refusal> {
    let shared = exchange.upstream.shared.clone();
    let most = shared.config.limits.reply;
    let (parts, body) = answer.response.into_parts();
    let broken = |_| Refusal::new(Reason::Broken, "the upstream's reply broke off or is too large");
    let packed = body::collect(body, most).await.map_err(broken)?;
    let arrived = Instant::now();
    let plain = match headers::packed_in(&parts.headers) {
        None => packed.clone(),
        Some(coding) if body::is_readable(coding) => {
            body::unpack(packed.clone(), coding, most).await.map_err(broken)?
        }
        Some(_) => return Ok(Response::from_parts(client_head(parts), full(packed))),
    };
    let was_packed = headers::packed_in(&parts.headers).is_some();
    let outcome = heal_whole(&exchange, plain.clone(), answer.receipt).await;
    let mut head = client_head(parts);
    head.headers.extend(outcome.report.headers());
    let same = outcome.body.as_ptr() == plain.as_ptr() && outcome.body.len() == plain.len();
    let mut bytes = packed;
    if !same {
        headers::of_changed_body(&mut head.headers);
        bytes = outcome.body;
    }
    if shared.config.packs() && !was_packed || was_packed && !same {
        bytes = body::pack(bytes, accepted, &mut head.headers).await;
    }
    head.status = if outcome.status.is_success() { head.status } else { outcome.status };
    ending.finish(&outcome.report, head.status.as_u16(), arrived.elapsed());
    Ok(Response::from_parts(head, full(bytes)))
}

// Heals a reply as it streams.
async fn streamed(
    exchange: Exchange<Calls>,
    answer: Answer,
    ending: Ending,
) -> Response<ReplyBody> {
    let (parts, body) = answer.response.into_parts();
    let body = match headers::packed_in(&parts.headers) {
        None => pieces(body),
        Some(coding) => pieces(body::unpacked(body, coding).await),
    };
    let mut head = client_head(parts);
    headers::of_changed_body(&mut head.headers);
    let items = heal_stream(exchange, body, answer.receipt);
    Response::from_parts(head, reply::streamed(Watching::new(items, ending)))
}

fn client_head(parts: http::response::Parts) -> http::response::Parts {
    let mut head = parts;
    head.headers = headers::to_client(head.headers);
    head.version = http::Version::HTTP_11;
    head
}

// The length an upstream has said holds for a body that is not changed.
fn passed_on(answer: Answer) -> Response<ReplyBody> {
    let (parts, body) = answer.response.into_parts();
    let length = parts.headers.get(CONTENT_LENGTH).cloned();
    let mut head = client_head(parts);
    head.headers.extend(length.map(|length| (CONTENT_LENGTH, length)));
    Response::from_parts(head, body.map_err(Into::into).boxed_unsync())
}

fn mode_of(headers: &HeaderMap, default: Mode) -> Result<Mode, Refusal> {
    let Some(value) = headers.get(headers::SALVE_HEAL) else { return Ok(default) };
    value.to_str().ok().and_then(Mode::from_name).ok_or_else(|| {
        Refusal::new(Reason::BadHeal, "`x-salve-heal` must be one of: off, observe, enforce")
    })
}

fn no_reply(no_reply: NoReply) -> Refusal {
    match no_reply {
        NoReply::Unreachable => Refusal::new(
            Reason::Unreachable,
            "the gateway cannot reach its upstream; check the address it was started with",
        ),
        NoReply::TimedOut => Refusal::new(Reason::TimedOut, "the upstream did not answer in time"),
    }
}

fn page(kind: &'static str, text: String) -> Response<ReplyBody> {
    let mut response = Response::new(full(Bytes::from(text)));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

fn read_request(_: Dialect, _: &Value) -> Result<Asked, ()> {
    Err(())
}
