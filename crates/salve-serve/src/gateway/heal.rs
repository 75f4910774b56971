//! The healing of replies on their way to a client.
//!
//! In: the bytes of an upstream's reply, what the client asked for, and a way to ask again. Out: the
//! bytes for the client, and a report of what was done. A healthy reply passes byte for byte; what
//! cannot be proven is marked or withheld. Never closes or fills in what is missing.

mod asker;
mod climb;
mod hold;
mod report;
mod rest;
mod salvage;
mod session;
mod stream;
mod upstream;
mod wanted;
mod whole;

#[cfg(test)]
mod tests;

pub use asker::UpstreamAsker;
pub use report::{HealReport, HealVerdict, LimitPassed};
pub use stream::{StreamItem, heal_stream};
pub use upstream::{CallEnd, CallMeter, Upstream, UpstreamBody, UpstreamReply};
pub use wanted::{SchemaCache, wanted_of};
pub use whole::{WholeOutcome, heal_whole};

use salve_engine::answer::Caps;
use salve_model::wire::Asked;
use salve_types::Mode;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// How far healing goes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HealPolicy {
    /// Whether a reply is changed, or only judged.
    pub mode: Mode,
    /// How often the model is asked again.
    pub caps: Caps,
    /// How long a stream may be silent while something is held or healed before a ping is sent.
    pub ping: Duration,
    /// The most bytes that are taken from one stream, and the most memory it may take. No answer is
    /// that long.
    pub most_bytes: usize,
}

impl Default for HealPolicy {
    fn default() -> Self {
        Self {
            mode: Mode::Enforce,
            caps: Caps::default(),
            ping: Duration::from_secs(5),
            most_bytes: 64 << 20,
        }
    }
}

/// One request of a client, and the way to ask on top of it.
#[derive(Debug)]
pub struct Exchange<U> {
    /// What was read from the request.
    pub asked: Asked,
    /// The request as it was sent upstream; follow-ups are made from it.
    pub request: Value,
    /// What answers.
    pub upstream: Arc<U>,
    /// Schemas compiled for earlier requests.
    pub schemas: Arc<SchemaCache>,
    /// How far healing goes.
    pub policy: HealPolicy,
}
