//! The upstream's reply becomes the client's response.
//!
//! In: a reply whose head is there. Out: the response, healed or passed on. Bytes that did not change
//! go on as they came, packed or not, with the headers they had.

use super::account::Booking;
use super::call::{Calls, UpstreamHead};
use super::headers;
use super::heal::{Exchange, Receipt, heal_stream, heal_whole};
use super::record::{ReplyRecord, Watching};
use super::refusal::BROKEN;
use crate::http::body::{self, Arrived, BodyError, ReplyBody, Unread, full, pieces};
use crate::http::coding;
use crate::http::refusal::Refusal;
use bytes::Bytes;
use futures_util::Stream;
use http::header::CONTENT_LENGTH;
use http::response::Parts;
use http::{HeaderValue, Response, Version};
use http_body_util::{BodyExt, Full};
use salve_types::Mode;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Instant;

/// Heals a reply that comes in one piece.
pub(crate) async fn whole(
    exchange: Exchange<Calls>,
    answer: UpstreamHead,
    record: ReplyRecord,
    accepted: Option<&HeaderValue>,
) -> Result<Response<ReplyBody>, Refusal> {
    let config = &exchange.upstream.shared.config;
    let most = config.limits.reply;
    let UpstreamHead { response, booking, call } = answer;
    if coding::packed_in(response.headers()).is_some_and(|coding| !coding::is_readable(coding)) {
        record.unread();
        return Ok(passed_on(UpstreamHead { response, booking, call }));
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
    let outcome = heal_whole(&exchange, plain.clone(), receipt(booking)).await;
    let mut head = client_head(parts);
    head.headers.extend(outcome.report.headers());
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
    let UpstreamHead { response, booking, call } = answer;
    let (parts, body) = response.into_parts();
    let body = match coding::packed_in(&parts.headers) {
        None => pieces(body),
        Some(coding) => pieces(coding::unpacked(body, coding).await),
    };
    let mut head = client_head(parts);
    headers::of_changed_body(&mut head.headers);
    head.headers.extend(call.map(|call| (headers::SALVE_CALL, HeaderValue::from(call.0))));
    let items = heal_stream(exchange, body, receipt(booking));
    Response::from_parts(head, body::streamed(Watching::new(items, record)))
}

/// Passes a reply on as it is. The length the upstream has said holds for a body that is not changed.
pub(crate) fn passed_on(answer: UpstreamHead) -> Response<ReplyBody> {
    let UpstreamHead { response, booking, call } = answer;
    let (parts, body) = response.into_parts();
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

fn client_head(parts: Parts) -> Parts {
    let mut head = parts;
    head.headers = headers::to_client(head.headers);
    head.version = Version::HTTP_11;
    head
}

fn receipt(booking: Option<Booking>) -> Option<Box<dyn Receipt>> {
    booking.map(|booking| Box::new(booking) as Box<dyn Receipt>)
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
