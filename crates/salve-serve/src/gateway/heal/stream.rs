//! Healing of a reply that is being streamed.
//!
//! In: the bytes of an upstream's event stream. Out: the bytes for the client, and at the end the
//! report. While something is held or healed, pings keep the connection awake. Dropping the stream
//! ends the upstream's connection and every call that is under way.

use super::asker::{LINGER, linger};
use super::climb::{climb, given_up, observed};
use super::report::HealReport;
use super::session::{Arrived, ArrivedAnswer, Session, StreamEnd};
use super::upstream::{CallEnd, CallMeter, tell};
use super::{Exchange, Upstream, rest, wanted_of};
use crate::http::sse::{self, KeepAlive};
use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::{BoxStream, Stream, unfold};
use salve_engine::answer::AnswerVerdict;
use salve_model::wire::Dialect;
use salve_types::Mode;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// What a healed stream gives.
#[derive(Debug)]
pub enum StreamItem {
    /// Bytes for the client, to be sent at once; whole events.
    Bytes(Bytes),
    /// What was done; the last item.
    Report(Box<HealReport>),
}

/// Heals the event stream of a successful reply.
pub fn heal_stream<U: Upstream>(
    exchange: Exchange<U>,
    body: BoxStream<'static, std::io::Result<Bytes>>,
    meter: Option<Box<dyn CallMeter>>,
) -> impl Stream<Item = StreamItem> + Send + 'static {
    let wanted = wanted_of(&exchange.asked, &exchange.schemas);
    let pings = keep_alive(exchange.asked.dialect, exchange.policy.ping);
    let session = Session::new(&exchange.asked, wanted, &exchange.policy);
    let reading = Box::new(Reading { exchange, session, body, meter, noted: 0 });
    unfold((Stage::Reading(reading), pings), |(stage, mut pings)| async move {
        let (item, stage) = stage.next(&pings).await?;
        pings.sent();
        Some((item, (stage, pings)))
    })
}

// Where a stream is.
enum Stage<U> {
    Reading(Box<Reading<U>>),
    Healing(BoxFuture<'static, Concluded>),
    Lingering(Lingering),
    Over,
}

// The outcome of a stream.
struct Concluded {
    bytes: Bytes,
    report: HealReport,
    // The upstream's body, where what may still come belongs to the client.
    body: Option<BoxStream<'static, std::io::Result<Bytes>>>,
}

// The client has everything, and the upstream's connection is read to its end so that it can be
// used again. What comes after the last frame is passed on as it is.
struct Lingering {
    body: Option<BoxStream<'static, std::io::Result<Bytes>>>,
    until: Instant,
    report: Box<HealReport>,
}

struct Reading<U> {
    exchange: Exchange<U>,
    session: Session,
    body: BoxStream<'static, std::io::Result<Bytes>>,
    meter: Option<Box<dyn CallMeter>>,
    // Bytes of the text the meter was told of.
    noted: usize,
}

impl<U: Upstream> Stage<U> {
    async fn next(self, pings: &KeepAlive) -> Option<(StreamItem, Self)> {
        match self {
            Self::Reading(mut reading) => match reading.next(pings).await {
                Some(bytes) => Some((StreamItem::Bytes(bytes), Self::Reading(reading))),
                None => Self::heal(Box::pin(conclude(*reading)), pings).await,
            },
            Self::Healing(concluding) => Self::heal(concluding, pings).await,
            Self::Lingering(mut lingering) => match lingering.next().await {
                Some(bytes) => Some((StreamItem::Bytes(bytes), Self::Lingering(lingering))),
                None => Some((StreamItem::Report(lingering.report), Self::Over)),
            },
            Self::Over => None,
        }
    }

    async fn heal(
        mut concluding: BoxFuture<'static, Concluded>,
        pings: &KeepAlive,
    ) -> Option<(StreamItem, Self)> {
        let Ok(concluded) = timeout_at(pings.due(), &mut concluding).await else {
            return Some((StreamItem::Bytes(pings.ping()), Self::Healing(concluding)));
        };
        let Concluded { bytes, report, body } = concluded;
        let until = Instant::now() + LINGER;
        let lingering = Lingering { body, until, report: Box::new(report) };
        Some((StreamItem::Bytes(bytes), Self::Lingering(lingering)))
    }
}

impl Lingering {
    async fn next(&mut self) -> Option<Bytes> {
        let piece = timeout_at(self.until, self.body.as_mut()?.next()).await;
        piece.ok()?.and_then(Result::ok)
    }
}

impl<U: Upstream> Reading<U> {
    // Returns the next bytes for the client, or none when the upstream's stream is over.
    async fn next(&mut self, pings: &KeepAlive) -> Option<Bytes> {
        while !self.session.is_over() {
            let piece = if self.session.is_holding() {
                match timeout_at(pings.due(), self.body.next()).await {
                    Err(_) => return Some(pings.ping()),
                    Ok(piece) => piece,
                }
            } else {
                self.body.next().await
            };
            let bytes = match piece {
                Some(Ok(piece)) => self.session.feed(&piece),
                Some(Err(error)) => self.session.close(Some(error.to_string())),
                None => self.session.close(None),
            };
            self.note();
            if !bytes.is_empty() {
                return Some(bytes);
            }
        }
        None
    }
}

impl<U> Reading<U> {
    // Tells the meter what text arrived.
    fn note(&mut self) {
        if let Some(meter) = &mut self.meter {
            let text = self.session.text_since(self.noted);
            if !text.is_empty() {
                meter.arrived(text);
                self.noted += text.len();
            }
        }
    }
}

async fn conclude<U: Upstream>(reading: Reading<U>) -> Concluded {
    let Reading { exchange, session, mut body, meter, noted } = reading;
    let mut arrived = session.into_arrived();
    if let Some(mut meter) = meter {
        for (choice, answer) in arrived.answers.iter().enumerate() {
            tell(&mut *meter, &answer.reply, if choice == 0 { noted } else { 0 });
        }
        if arrived.too_long {
            meter.arrived_besides(arrived.text.saturating_sub(noted));
        }
        meter.settle(end_of(&arrived));
    }
    if exchange.policy.mode != Mode::Enforce {
        let report = observed(&arrived.answers);
        let bytes = rest::pass_on(&mut arrived.hold, &mut arrived.tail, &report);
        return Concluded { bytes, report, body: Some(body) };
    }
    let answers = std::mem::take(&mut arrived.answers);
    let Arrived { dialect, wanted, mut hold, mut tail, end, too_long, .. } = arrived;
    let whole = |answer: &ArrivedAnswer| matches!(answer.verdict, AnswerVerdict::Whole(_));
    if end == StreamEnd::Ended && !answers.iter().all(whole) {
        linger(&mut body).await;
    }
    let climbed = if too_long {
        given_up(answers, "the stream is longer than any answer")
    } else {
        climb(&exchange, wanted, answers).await
    };
    if climbed.is_untouched() {
        let mut bytes = rest::pass_on(&mut hold, &mut tail, &climbed.report);
        if end != StreamEnd::Ended {
            // The answer is whole, but the last frame of its stream never came.
            bytes = [bytes, tail.end()].concat().into();
        }
        return Concluded { bytes, report: climbed.report, body: Some(body) };
    }
    if end == StreamEnd::Ended {
        linger(&mut body).await;
    }
    let bytes = rest::write(dialect, &mut hold, &mut tail, &climbed, &end);
    Concluded { bytes, report: climbed.report, body: None }
}

fn end_of(arrived: &Arrived) -> CallEnd {
    let first = arrived.answers.first();
    CallEnd {
        usage: first.and_then(|answer| answer.reply.usage),
        finish: first.and_then(|answer| answer.reply.finish.clone()),
    }
}

// Clients of Messages know pings by their name; the others skip a comment.
fn keep_alive(dialect: Dialect, every: Duration) -> KeepAlive {
    match dialect {
        Dialect::Chat | Dialect::Responses => KeepAlive::new(sse::PING, every),
        Dialect::Messages => KeepAlive::new("event: ping\ndata: {\"type\": \"ping\"}\n\n", every),
    }
}
