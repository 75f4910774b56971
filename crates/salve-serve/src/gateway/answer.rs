//! The upstream's reply becomes the client's response.
//!
//! In: a reply whose head is there. Out: the response, healed or passed on. Bytes that did not change
//! go on as they came, packed or not, with the headers they had.

use super::account::Booking;
use super::call::{Calls, UpstreamHead};
use super::headers;
use super::heal::{CallMeter, Exchange, heal_stream, heal_whole};
use super::record::{ReplyRecord, Watching};
use super::refusal::BROKEN;
use super::scrub::Scrub;
use crate::http::body::{self, Arrived, BodyError, ReplyBody, Unread, full, pieces};
use crate::http::coding;
use crate::http::refusal::Refusal;
use crate::http::sse::is_event_stream;
use bytes::{Bytes, BytesMut};
use futures_util::stream::BoxStream;
use futures_util::{Stream, StreamExt};
use http::header::CONTENT_LENGTH;
use http::response::Parts;
use http::{HeaderValue, Response, Version};
use http_body_util::{BodyExt, Full};
use salve_store::CallId;
use salve_types::Mode;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

/// Heals a reply that comes in one piece.
pub(crate) async fn whole(
    exchange: Exchange<Calls>,
    answer: UpstreamHead,
    record: ReplyRecord,
    accepted: Option<&HeaderValue>,
) -> Result<Response<ReplyBody>, Refusal> {
    let config = &exchange.upstream.shared.config;
    let most = config.limits.reply;
    let UpstreamHead { response, booking, call, repeated } = answer;
    if coding::packed_in(response.headers()).is_some_and(|coding| !coding::is_readable(coding)) {
        record.unread();
        let head = UpstreamHead { response, booking, call, repeated };
        return Ok(passed_on(head, &exchange.upstream.shared.scrub).await);
    }
    let (parts, body) = response.into_parts();
    let broken = |_| {
        record.unread();
        Refusal::new(BROKEN, "the upstream's reply broke off or is too large")
    };
    let Arrived { bytes: packed, broken: cut } =
        body::collect_arrived(body, most).await.map_err(&broken)?;
    // Only healing knows what to do with half a body.
    if cut && exchange.policy.mode != Mode::Enforce {
        return Err(broken(Unread::Broken));
    }
    let arrived = Instant::now();
    let coding = coding::packed_in(&parts.headers).cloned();
    let plain = match &coding {
        None => packed.clone(),
        Some(coding) => {
            let unpacked = coding::unpacked(Full::new(packed.clone()), coding).await;
            body::collect_arrived(unpacked, most).await.map_err(&broken)?.bytes
        }
    };
    let mut outcome = heal_whole(&exchange, plain.clone(), meter(booking)).await;
    let scrub = &exchange.upstream.shared.scrub;
    outcome.body = scrub.bytes(outcome.body);
    let mut head = client_head(parts);
    head.headers.extend(outcome.report.headers());
    scrub.headers(&mut head.headers);
    head.headers.extend(call.map(|call| (headers::SALVE_CALL, HeaderValue::from(call.0))));
    let same = outcome.body.as_ptr() == plain.as_ptr() && outcome.body.len() == plain.len();
    let mut bytes = packed;
    if !same {
        headers::of_changed_body(&mut head.headers);
        bytes = outcome.body;
    }
    let packs =
        if same { coding.is_none() && config.packs() } else { coding.is_some() || config.packs() };
    if packs {
        bytes = coding::pack(bytes, accepted, &mut head.headers).await;
    }
    if !outcome.status.is_success() {
        head.status = outcome.status;
    }
    record.finish(&outcome.report, head.status.as_u16(), arrived.elapsed());
    Ok(Response::from_parts(head, full(bytes)))
}

/// Heals a reply as it streams.
pub(crate) async fn streamed(
    exchange: Exchange<Calls>,
    answer: UpstreamHead,
    record: ReplyRecord,
) -> Response<ReplyBody> {
    let UpstreamHead { response, booking, call, .. } = answer;
    let (parts, body) = response.into_parts();
    let body = match coding::packed_in(&parts.headers) {
        None => pieces(body),
        Some(coding) => pieces(coding::unpacked(body, coding).await),
    };
    let mut head = client_head(parts);
    headers::of_changed_body(&mut head.headers);
    head.headers.extend(call.map(|call| (headers::SALVE_CALL, HeaderValue::from(call.0))));
    let scrub = exchange.upstream.shared.scrub.clone();
    scrub.headers(&mut head.headers);
    let items = heal_stream(exchange, body, meter(booking));
    let items = scrub.spread(Watching::new(items, record));
    Response::from_parts(head, body::streamed(items))
}

/// Passes a reply on as it is, but for the upstream's key, should it be in it.
pub(crate) async fn passed_on(answer: UpstreamHead, scrub: &Scrub) -> Response<ReplyBody> {
    let UpstreamHead { mut response, booking, call, repeated } = answer;
    if repeated && !response.status().is_success() {
        // The gateway has tried again in the client's place.
        headers::say_no_retry(response.headers_mut());
    }
    if scrub.is_needed() {
        return scrubbed(response, booking, call, scrub).await;
    }
    let (parts, body) = response.into_parts();
    // The length the upstream has said holds for a body that is not changed.
    let length = parts.headers.get(CONTENT_LENGTH).cloned();
    let mut head = client_head(parts);
    head.headers.extend(length.map(|length| (CONTENT_LENGTH, length)));
    head.headers.extend(call.map(|call| (headers::SALVE_CALL, HeaderValue::from(call.0))));
    let body = match booking {
        None => body.map_err(Into::into).boxed_unsync(),
        Some(booking) => body::streamed(Booked { pieces: pieces(body), booking: Some(booking) }),
    };
    Response::from_parts(head, body)
}

// What is packed is unpacked, for the key may be inside; what cannot be is a body no one asked for,
// and of a failure it is not passed on.
async fn scrubbed(
    response: Response<reqwest::Body>,
    booking: Option<Booking>,
    call: Option<CallId>,
    scrub: &Scrub,
) -> Response<ReplyBody> {
    let (parts, body) = response.into_parts();
    let coding = coding::packed_in(&parts.headers).cloned();
    let failed = !parts.status.is_success();
    let mut head = client_head(parts);
    let mut pieces = match coding {
        None => pieces(body),
        Some(coding) if coding::is_readable(&coding) => {
            headers::of_changed_body(&mut head.headers);
            pieces(coding::unpacked(body, &coding).await)
        }
        Some(_) if failed => {
            headers::of_changed_body(&mut head.headers);
            futures_util::stream::empty().boxed()
        }
        Some(_) => pieces(body),
    };
    if failed && is_event_stream(&head.headers) {
        // Events are joined by clients: only all of them together show what they tell.
        headers::of_changed_body(&mut head.headers);
        let told = scrub.events(beginning(pieces).await);
        pieces = futures_util::stream::iter([Ok(told)]).boxed();
    }
    head.headers.extend(call.map(|call| (headers::SALVE_CALL, HeaderValue::from(call.0))));
    scrub.headers(&mut head.headers);
    let pieces = Booked { pieces, booking };
    let body = match is_event_stream(&head.headers) {
        true => body::streamed(scrub.spread(pieces)),
        false => body::streamed(scrub.stream(pieces)),
    };
    Response::from_parts(head, body)
}

// More of a failure is not passed on, and its end is not waited for any longer.
const MOST_OF_A_FAILURE: usize = 1 << 20;
const PATIENCE_WITH_A_FAILURE: Duration = Duration::from_secs(30);

async fn beginning(mut pieces: BoxStream<'static, std::io::Result<Bytes>>) -> Bytes {
    let mut all = BytesMut::new();
    let arriving = async {
        while let Some(Ok(piece)) = pieces.next().await {
            all.extend_from_slice(&piece);
            if all.len() > MOST_OF_A_FAILURE {
                break;
            }
        }
    };
    // What came until then is passed on.
    let _ = tokio::time::timeout(PATIENCE_WITH_A_FAILURE, arriving).await;
    all.truncate(MOST_OF_A_FAILURE);
    all.freeze()
}

fn client_head(parts: Parts) -> Parts {
    let mut head = parts;
    head.headers = headers::to_client(head.headers);
    head.version = Version::HTTP_11;
    head
}

fn meter(booking: Option<Booking>) -> Option<Box<dyn CallMeter>> {
    booking.map(|booking| Box::new(booking) as Box<dyn CallMeter>)
}

// A reply that is not read on its way. What it took is not known, so it counts as the most it can
// have taken.
struct Booked<S> {
    pieces: S,
    booking: Option<Booking>,
}

impl<S: Stream<Item = std::io::Result<Bytes>> + Unpin> Stream for Booked<S> {
    type Item = Result<Bytes, BodyError>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        let piece = ready!(Pin::new(&mut this.pieces).poll_next(cx));
        if piece.is_none()
            && let Some(booking) = this.booking.take()
        {
            booking.unread();
        }
        Poll::Ready(piece.map(|piece| piece.map_err(Into::into)))
    }
}
