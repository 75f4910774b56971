//! Calls to the upstream on behalf of one request.
//!
//! In: the bytes of a request, and why it is made. Out: the reply, or why there is none. Each call is
//! booked: before it is made where a budget limits it, otherwise while it is made. One that failed before
//! its first byte is made again; what an upstream says in the end is passed on as it came.

use super::Shared;
use super::account::{Account, Booking, NotBooked};
use super::forward::answer_tokens;
use super::heal::{CallMeter, Upstream, UpstreamBody, UpstreamReply};
use super::record::shown_model;
use super::upstream::NoReply;
use crate::http::body::{self, Unread, pieces};
use crate::http::coding;
use crate::http::sse::is_event_stream;
use bytes::Bytes;
use http::header::RETRY_AFTER;
use http::{HeaderMap, Method, Response};
use reqwest::Url;
use salve_engine::answer::AskError;
use salve_model::wire::{Dialect, read_request};
use salve_model::{Purpose, is_transient_status};
use salve_store::{CallId, OverBudget};
use salve_types::WorstCase;
use serde_json::Value;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Whether a call that failed before its first byte is made again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Persistence {
    /// It is, a few times.
    Repeat,
    /// Its failure is passed on.
    Once,
}

/// The calls of one request.
pub(crate) struct Calls {
    pub(crate) shared: Arc<Shared>,
    pub(crate) method: Method,
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
    pub(crate) persistence: Persistence,
    pub(crate) account: Account,
    pub(crate) dialect: Option<Dialect>,
}

/// Why a call brought no reply.
#[derive(Debug)]
pub(crate) enum NotMade {
    NoReply(NoReply),
    OverBudget(OverBudget),
    Ledger,
}

type Sent = Result<Response<reqwest::Body>, NoReply>;

/// A reply whose head is there.
pub(crate) struct UpstreamHead {
    pub(crate) response: Response<reqwest::Body>,
    pub(crate) booking: Option<Booking>,
    pub(crate) call: Option<CallId>,
    /// Whether it was made more than once, because it failed before its first byte.
    pub(crate) repeated: bool,
}

impl Calls {
    /// Makes one call.
    pub(crate) async fn make(
        &self,
        body: Bytes,
        purpose: Purpose,
        worst: WorstCase,
    ) -> Result<UpstreamHead, NotMade> {
        let most = match self.persistence {
            Persistence::Repeat => self.shared.config.limits.retries,
            Persistence::Once => 0,
        };
        let mut attempt = 0;
        loop {
            let (booking, outcome) = self.booked(body.clone(), purpose, worst).await?;
            let wait = if attempt < most { self.wait(&outcome, attempt) } else { None };
            let Some(wait) = wait else { return ended(outcome, booking, attempt > 0) };
            let call = booking.as_ref().map(|booking| booking.id().0);
            if let Some(booking) = booking {
                booking.failed(status_of(&outcome), "failed before its first byte");
            }
            self.shared.metrics.repeated();
            tracing::info!(
                target: "salve::gateway",
                attempt, status = status_of(&outcome), wait = ?wait, call,
                model = shown_model(&self.account.model), "call repeated"
            );
            drop(outcome);
            tokio::time::sleep(wait).await;
            attempt += 1;
        }
    }

    // A budget must hold a call before it is made. Without one the ledger may write the call down
    // while it is being made: nothing of the reply is used before that is done.
    async fn booked(
        &self,
        body: Bytes,
        purpose: Purpose,
        worst: WorstCase,
    ) -> Result<(Option<Booking>, Sent), NotMade> {
        let book = self.account.book(purpose, worst);
        let send = async {
            let begun = Instant::now();
            let (method, url) = (&self.method, &self.url);
            let sent = self.shared.upstream.send(method, url, self.headers.clone(), body).await;
            self.shared.metrics.upstream_took(begun.elapsed());
            sent
        };
        if self.account.budgeted {
            return Ok((book.await.map_err(not_made)?, send.await));
        }
        let (booking, sent) = tokio::join!(book, send);
        Ok((booking.map_err(not_made)?, sent))
    }

    // How long to wait before the call is made again; none when it is not.
    fn wait(&self, outcome: &Sent, attempt: u32) -> Option<Duration> {
        // A pause that differs from caller to caller, so that they do not all come back at once.
        let pause =
            Duration::from_millis(250 << attempt.min(6)).mul_f64(0.5 + fastrand::f64() / 2.0);
        let response = match outcome {
            Err(NoReply::Unreachable) => return Some(pause),
            // An upstream that was silent for that long may have done the work, and is paid for it.
            Err(NoReply::TimedOut) => return None,
            Ok(response) => response,
        };
        if !is_transient_status(response.status().as_u16()) {
            return None;
        }
        match asked_wait(response.headers()) {
            None => Some(pause),
            Some(asked) if asked <= self.shared.config.limits.retry_after => Some(asked.max(pause)),
            Some(_) => None,
        }
    }
}

impl Upstream for Calls {
    async fn send(
        &self,
        body: Bytes,
        purpose: Purpose,
        stream: bool,
    ) -> Result<UpstreamReply, AskError> {
        let worst = self.worst_of(&body);
        let answer = self.make(body, purpose, worst).await.map_err(|not_made| match not_made {
            NotMade::NoReply(NoReply::Unreachable) => {
                AskError::Failed("the upstream cannot be reached".to_owned())
            }
            NotMade::NoReply(NoReply::TimedOut) => {
                AskError::Failed("the upstream did not answer in time".to_owned())
            }
            NotMade::OverBudget(over) => AskError::OverBudget(over.to_string()),
            NotMade::Ledger => AskError::Failed("the ledger cannot be written".to_owned()),
        })?;
        let (parts, body) = answer.response.into_parts();
        let packed_in = coding::packed_in(&parts.headers).cloned();
        let body = if stream && is_event_stream(&parts.headers) {
            UpstreamBody::Stream(match packed_in {
                Some(coding) => pieces(coding::unpacked(body, &coding).await),
                None => pieces(body),
            })
        } else {
            UpstreamBody::Whole(self.whole(body, packed_in.as_ref()).await?)
        };
        let meter = answer.booking.map(|booking| Box::new(booking) as Box<dyn CallMeter>);
        Ok(UpstreamReply { status: parts.status, headers: parts.headers, body, meter })
    }
}

impl Calls {
    // A follow-up carries its own limit.
    fn worst_of(&self, body: &Bytes) -> WorstCase {
        let default = self.shared.config.max_output;
        let asked = self.dialect.and_then(|dialect| {
            let request = serde_json::from_slice::<Value>(body).ok()?;
            read_request(dialect, &request).ok()
        });
        let answer_tokens = asked.map_or(default, |asked| answer_tokens(&asked, default));
        self.account.worst_case(body.len(), answer_tokens)
    }

    async fn whole(
        &self,
        body: reqwest::Body,
        packed_in: Option<&http::HeaderValue>,
    ) -> Result<Bytes, AskError> {
        let most = self.shared.config.limits.reply;
        let read = async {
            let bytes = body::collect(body, most).await?;
            match packed_in {
                Some(coding) => coding::unpack(bytes, coding, most).await,
                None => Ok(bytes),
            }
        };
        read.await.map_err(|unread| match unread {
            Unread::TooLarge => AskError::Failed("the upstream's reply is too large".to_owned()),
            Unread::Broken => AskError::Failed("the upstream's reply broke off".to_owned()),
        })
    }
}

fn ended(outcome: Sent, booking: Option<Booking>, repeated: bool) -> Result<UpstreamHead, NotMade> {
    let call = booking.as_ref().map(Booking::id);
    match (outcome, booking) {
        (Ok(response), Some(mut booking)) if response.status().is_success() => {
            booking.answered(response.status().as_u16());
            Ok(UpstreamHead { response, booking: Some(booking), call, repeated })
        }
        (Ok(response), booking) => {
            if let Some(booking) = booking {
                booking.failed(Some(response.status().as_u16()), "the upstream refused");
            }
            Ok(UpstreamHead { response, booking: None, call, repeated })
        }
        (Err(NoReply::Unreachable), Some(booking)) => {
            booking.failed(None, "the upstream cannot be reached");
            Err(NotMade::NoReply(NoReply::Unreachable))
        }
        // Whether a silent upstream did the work is not known: the booking, dropped, counts its prompt.
        (Err(no_reply), _) => Err(NotMade::NoReply(no_reply)),
    }
}

fn not_made(not_booked: NotBooked) -> NotMade {
    match not_booked {
        NotBooked::OverBudget(over) => NotMade::OverBudget(over),
        NotBooked::Ledger(error) => {
            tracing::error!(target: "salve::gateway", %error, "the ledger cannot be written");
            NotMade::Ledger
        }
    }
}

fn status_of(outcome: &Sent) -> Option<u16> {
    outcome.as_ref().ok().map(|response| response.status().as_u16())
}

fn asked_wait(headers: &HeaderMap) -> Option<Duration> {
    let number = |name: &str| headers.get(name)?.to_str().ok()?.trim().parse::<f64>().ok();
    let millis = number("retry-after-ms").map(|millis| millis / 1000.0);
    let seconds = millis.or_else(|| number(RETRY_AFTER.as_str()));
    match seconds {
        Some(seconds) => Duration::try_from_secs_f64(seconds).ok(),
        // A date, or nonsense: longer than anyone waits here.
        None => headers.contains_key(RETRY_AFTER).then_some(Duration::MAX),
    }
}
