//! What a gateway is started with.
//!
//! In: values the command line has read. Out: the same, with defaults that are safe on one machine.
//! Never reads a file, a variable or a clock of its own.

use super::heal::HealPolicy;
use crate::http::ServerConfig;
use salve_model::{Capabilities, Secret};
use salve_store::Store;
use salve_types::{Clock, Mode, Timestamp};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// How long the upstream may take.
#[derive(Debug, Clone, Copy)]
pub struct UpstreamTimeouts {
    /// To be reached.
    pub connect: Duration,
    /// Between two signs of life, the first one included.
    pub idle: Duration,
    /// For one whole reply.
    pub total: Duration,
}

impl Default for UpstreamTimeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            idle: Duration::from_secs(300),
            total: Duration::from_secs(1800),
        }
    }
}

/// How much is taken from the upstream.
#[derive(Debug, Clone, Copy)]
pub struct UpstreamLimits {
    /// Bytes of a reply that is read whole.
    pub reply: usize,
    /// How often a call is made again after it failed before its first byte.
    pub retries: u32,
    /// The longest wait an upstream may ask for before a call is made again.
    pub retry_after: Duration,
}

impl Default for UpstreamLimits {
    fn default() -> Self {
        Self { reply: 64 << 20, retries: 2, retry_after: Duration::from_secs(10) }
    }
}

/// Everything a gateway needs to know.
#[derive(Clone)]
pub struct GatewayConfig {
    /// Where it listens, to whom, and how much it takes from clients.
    pub server: ServerConfig,
    /// The one upstream, with or without `/v1`.
    pub upstream: String,
    /// The upstream's key, where Salve holds it; clients then show a key of the gateway.
    pub upstream_key: Option<Secret>,
    /// What happens to a reply unless the request says otherwise (`x-salve-heal`).
    pub mode: Mode,
    /// How far healing goes.
    pub policy: HealPolicy,
    /// The output limit counted, and sent, for a budgeted key whose request has none.
    pub max_output: u64,
    /// Where calls are booked, and keys and budgets are kept; without it nothing is booked.
    pub store: Option<Store>,
    /// Whether a budget holds for every request, with a key or without.
    pub budgeted: bool,
    /// Whether whole replies are compressed for clients that accept it; by default only where the
    /// gateway listens to other machines.
    pub compress: Option<bool>,
    /// How long the upstream may take.
    pub timeouts: UpstreamTimeouts,
    /// How much is taken from the upstream.
    pub limits: UpstreamLimits,
    /// What models can do and cost.
    pub capabilities: Capabilities,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
}

impl GatewayConfig {
    /// Returns the configuration that needs nothing but an upstream: loopback, healing, the clients'
    /// own keys.
    pub fn new(upstream: impl Into<String>, clock: Arc<dyn Clock>) -> Self {
        Self {
            server: ServerConfig::default(),
            upstream: upstream.into(),
            upstream_key: None,
            mode: Mode::default(),
            policy: HealPolicy::default(),
            max_output: 8192,
            store: None,
            budgeted: false,
            compress: None,
            timeouts: UpstreamTimeouts::default(),
            limits: UpstreamLimits::default(),
            capabilities: Capabilities::built_in(),
            clock,
        }
    }

    /// Returns whether whole replies are compressed.
    pub(crate) fn packs(&self) -> bool {
        self.compress.unwrap_or(self.server.is_public())
    }

    /// Returns whether a request needs a key of the gateway.
    pub(crate) fn demands_key(&self) -> bool {
        self.upstream_key.is_some() || self.server.is_public()
    }

    /// Returns this moment.
    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }
}

impl fmt::Debug for GatewayConfig {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("GatewayConfig")
            .field("server", &self.server)
            .field("mode", &self.mode)
            .field("limits", &self.limits)
            .field("timeouts", &self.timeouts)
            .finish_non_exhaustive()
    }
}
