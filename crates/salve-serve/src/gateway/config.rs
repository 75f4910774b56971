//! What a gateway is started with.
//!
//! In: values the command line has read. Out: the same, with defaults that are safe on one machine.
//! Never reads a file, a variable or a clock of its own.

use super::heal::HealPolicy;
use salve_model::Secret;
use salve_store::Store;
use salve_types::{Clock, Mode, Timestamp};
use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

/// A certificate chain and its key, both PEM.
#[derive(Clone)]
pub struct TlsIdentity {
    /// The certificates, the server's own first.
    pub certificates: Vec<u8>,
    /// The private key.
    pub key: Vec<u8>,
}

impl fmt::Debug for TlsIdentity {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("TlsIdentity").finish_non_exhaustive()
    }
}

/// How long each side may take.
#[derive(Debug, Clone, Copy)]
pub struct Timeouts {
    /// For a client to send the head of a request.
    pub head: Duration,
    /// For a client to send the body.
    pub body: Duration,
    /// For a client to take bytes that wait for it.
    pub write: Duration,
    /// To reach the upstream.
    pub connect: Duration,
    /// Between two signs of life of the upstream, the first one included.
    pub idle: Duration,
    /// For one whole reply of the upstream.
    pub total: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            head: Duration::from_secs(10),
            body: Duration::from_secs(60),
            write: Duration::from_secs(60),
            connect: Duration::from_secs(10),
            idle: Duration::from_secs(300),
            total: Duration::from_secs(1800),
        }
    }
}

/// How much is taken from clients and from the upstream.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Bytes of a request's body, before and after it is unpacked.
    pub body: usize,
    /// Bytes of a request's head.
    pub head: usize,
    /// Headers of a request.
    pub headers: usize,
    /// Connections at a time.
    pub connections: usize,
    /// Bytes of a reply that is read whole.
    pub reply: usize,
    /// How often a call is made again after it failed before its first byte.
    pub retries: u32,
    /// The longest wait an upstream may ask for before a call is made again.
    pub retry_after: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body: 8 << 20,
            head: 64 << 10,
            headers: 100,
            connections: 1024,
            reply: 64 << 20,
            retries: 2,
            retry_after: Duration::from_secs(10),
        }
    }
}

/// Everything a gateway needs to know.
#[derive(Clone)]
pub struct GatewayConfig {
    /// Where it listens; port 0 takes a free one.
    pub listen: SocketAddr,
    /// The certificate it shows; without one it speaks plain HTTP.
    pub tls: Option<TlsIdentity>,
    /// Allows plain HTTP on an address others can reach.
    pub insecure_bind: bool,
    /// Names, besides those of this machine, that a request may be addressed to.
    pub hosts: Vec<String>,
    /// Origins whose pages may send requests from a browser.
    pub origins: Vec<String>,
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
    /// How long open exchanges may go on after the gateway is told to stop.
    pub drain: Duration,
    /// How long each side may take.
    pub timeouts: Timeouts,
    /// How much is taken.
    pub limits: Limits,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
}

impl GatewayConfig {
    /// Returns the configuration that needs nothing but an upstream: loopback, healing, the clients'
    /// own keys.
    pub fn new(upstream: impl Into<String>, clock: Arc<dyn Clock>) -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            tls: None,
            insecure_bind: false,
            hosts: Vec::new(),
            origins: Vec::new(),
            upstream: upstream.into(),
            upstream_key: None,
            mode: Mode::default(),
            policy: HealPolicy::default(),
            max_output: 8192,
            store: None,
            budgeted: false,
            compress: None,
            drain: Duration::from_secs(30),
            timeouts: Timeouts::default(),
            limits: Limits::default(),
            clock,
        }
    }

    /// Returns whether whole replies are compressed.
    pub(crate) fn packs(&self) -> bool {
        self.compress.unwrap_or(!self.listen.ip().is_loopback())
    }

    /// Returns whether a request needs a key of the gateway.
    pub(crate) fn demands_key(&self) -> bool {
        self.upstream_key.is_some() || !self.listen.ip().is_loopback()
    }

    /// Returns this moment.
    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }
}

impl fmt::Debug for GatewayConfig {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("GatewayConfig")
            .field("listen", &self.listen)
            .field("mode", &self.mode)
            .field("limits", &self.limits)
            .field("timeouts", &self.timeouts)
            .finish_non_exhaustive()
    }
}
