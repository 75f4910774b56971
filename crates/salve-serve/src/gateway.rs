//! The gateway: a client's request goes to the one upstream, and its reply comes back healed.
//!
//! In: requests in the three dialects. Out: replies that are proven whole, or that say what is
//! missing. Never passes on a tool call it had to guess, never lets a client choose the upstream.

mod account;
mod admission;
mod answer;
mod call;
pub(crate) mod config;
mod ending;
pub(crate) mod exchange;
mod forward;
mod headers;
pub mod heal;
mod metrics;
pub(crate) mod route;
mod upstream;

pub use config::{GatewayConfig, Limits, Timeouts, TlsIdentity};
pub use crate::http::listen::Drained;
pub use salve_model::Secret;
pub use salve_types::Mode;

use crate::http::guard::Guard;
use crate::http::rate::Rates;
use crate::http::{listen, tls};
use heal::SchemaCache;
use metrics::Metrics;
use salve_model::Capabilities;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use upstream::UpstreamClient;

/// Why a gateway does not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The upstream's address is none.
    #[error("the upstream's address cannot be used: {why}")]
    Upstream {
        /// What is wrong with it.
        why: String,
    },
    /// Others can reach the address, and nothing protects what is said there.
    #[error("{listen} can be reached by other machines: {why}")]
    Exposed {
        /// The address.
        listen: SocketAddr,
        /// What is missing.
        why: &'static str,
    },
    /// Clients would have to show a key, and there is none.
    #[error(
        "clients must show a key of the gateway, and there is none; make one: `salve keys add`"
    )]
    NoKeys,
    /// The address is taken, or not this machine's.
    #[error("cannot listen on {listen}")]
    Listen {
        /// The address.
        listen: SocketAddr,
        /// Why.
        source: std::io::Error,
    },
    /// The certificate or its key cannot be used.
    #[error("the certificate cannot be used: {why}")]
    Tls {
        /// What is wrong with it.
        why: String,
    },
    /// The HTTP client cannot be made.
    #[error("the client for the upstream cannot be made: {message}")]
    Client {
        /// What is wrong.
        message: String,
    },
}

/// Starts gateways.
#[derive(Debug)]
pub struct Gateway;

impl Gateway {
    /// Starts to listen, in the runtime it is called in.
    ///
    /// # Errors
    /// When the configuration is not safe or not possible; nothing listens then.
    pub async fn start(config: GatewayConfig) -> Result<GatewayHandle, StartError> {
        let listen = config.listen;
        check_keys(&config).await?;
        let tls = config.tls.as_ref().map(tls::acceptor).transpose()?;
        let upstream = UpstreamClient::new(&config)?;
        let listener = TcpListener::bind(listen)
            .await
            .map_err(|source| StartError::Listen { listen, source })?;
        let addr = listener.local_addr().map_err(|source| StartError::Listen { listen, source })?;
        let shared = Arc::new(Shared {
            guard: Guard::new(listen.ip(), &config.hosts, &config.origins),
            upstream,
            metrics: Metrics::new(),
            schemas: Arc::new(SchemaCache::default()),
            rates: Rates::default(),
            capabilities: Capabilities::built_in(),
            config,
        });
        let (stop, stopped) = watch::channel(false);
        let task = tokio::spawn(listen::run(shared, listener, tls, stopped));
        Ok(GatewayHandle { addr, stop, task })
    }
}

/// A gateway that is running. Dropping it stops it without waiting.
#[derive(Debug)]
pub struct GatewayHandle {
    /// Where it listens.
    pub addr: SocketAddr,
    stop: watch::Sender<bool>,
    task: JoinHandle<Drained>,
}

impl GatewayHandle {
    /// Takes no new connection, lets the open ones finish for as long as the configuration says, and
    /// returns when all are closed.
    pub async fn stop(self) -> Drained {
        let _ = self.stop.send(true);
        self.task.await.unwrap_or_default()
    }
}

// What all requests share.
pub(crate) struct Shared {
    pub(crate) config: GatewayConfig,
    pub(crate) guard: Guard,
    pub(crate) upstream: UpstreamClient,
    pub(crate) metrics: Metrics,
    pub(crate) schemas: Arc<SchemaCache>,
    pub(crate) rates: Rates,
    pub(crate) capabilities: Capabilities,
}

// Whoever can reach the gateway can use what it holds; whoever can listen can take the keys.
async fn check_keys(config: &GatewayConfig) -> Result<(), StartError> {
    let listen = config.listen;
    if !listen.ip().is_loopback() && config.tls.is_none() && !config.insecure_bind {
        let why = "give a certificate (--tls-cert, --tls-key), or allow plain HTTP with \
                   --insecure-bind";
        return Err(StartError::Exposed { listen, why });
    }
    if !config.demands_key() {
        return Ok(());
    }
    let keys = match &config.store {
        Some(store) => store.list_keys().await.unwrap_or_default(),
        None => Vec::new(),
    };
    if keys.iter().any(|key| key.revoked_at.is_none()) { Ok(()) } else { Err(StartError::NoKeys) }
}
