//! Healing of a reply that is being streamed.
//!
//! In: the bytes of an upstream's event stream. Out: the bytes for the client, and at the end the
//! report. Dropping the stream ends the upstream's connection and every call that is under way.

use super::report::{HealReport, HealVerdict};
use super::upstream::{CallEnd, Receipt};
use super::{Exchange, Upstream};
use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::{BoxStream, Stream};

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
    receipt: Option<Box<dyn Receipt>>,
) -> impl Stream<Item = StreamItem> + Send + 'static {
    let report = HealReport {
        verdict: HealVerdict::Observed,
        resumes: 0,
        reworks: 0,
        retries: 0,
        limit: None,
        usage: None,
        why: None,
        calls: 1,
    };
    body.filter_map(|piece| async { piece.ok().map(StreamItem::Bytes) }).chain(
        futures_util::stream::once(async move {
            let _ = exchange;
            if let Some(receipt) = receipt {
                receipt.settle(CallEnd::default());
            }
            StreamItem::Report(Box::new(report))
        }),
    )
}
