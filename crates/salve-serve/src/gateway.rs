//! The gateway: a client's request goes to the one upstream, and its reply comes back healed.
//!
//! In: requests in the three dialects. Out: replies that are proven whole, or that say what is
//! missing. Never passes on a tool call it had to guess, never lets a client choose the upstream.

mod account;
mod admission;
mod answer;
mod call;
mod config;
mod exchange;
mod forward;
mod headers;
pub mod heal;
mod metrics;
mod record;
mod refusal;
mod route;
mod scrub;
mod upstream;

pub use config::{GatewayConfig, UpstreamLimits, UpstreamTimeouts};
pub use salve_model::Secret;
pub use salve_types::Mode;

use crate::http::rate::Rates;
use crate::http::{ListenError, Server, ServerHandle};
use heal::SchemaCache;
use metrics::Metrics;
use salve_store::KeyId;
use scrub::Scrub;
use std::sync::Arc;
use upstream::UpstreamClient;

/// Why a gateway does not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The upstream's address is not one.
    #[error("the upstream's address cannot be used: {why}")]
    Upstream {
        /// What is wrong with it.
        why: String,
    },
    /// It cannot listen where it should.
    #[error(transparent)]
    Listen(#[from] ListenError),
    /// Clients would have to show a key, and there is none.
    #[error(
        "clients must send a key of the gateway, and no key exists; create one: `salve keys add`"
    )]
    NoKeys,
    /// The HTTP client cannot be made.
    #[error("the client for the upstream cannot be made")]
    Client(#[source] reqwest::Error),
}

/// Starts gateways.
#[derive(Debug)]
pub struct Gateway;

impl Gateway {
    /// Starts to listen, in the runtime it is called in.
    ///
    /// # Errors
    /// When the configuration is not safe or not possible; nothing listens then.
    pub async fn start(config: GatewayConfig) -> Result<ServerHandle, StartError> {
        config.server.check()?;
        check_keys(&config).await?;
        let upstream = UpstreamClient::new(&config)?;
        let server = Server::bind(config.server.clone()).await?;
        let shared = Shared {
            upstream,
            metrics: Metrics::new(),
            schemas: Arc::new(SchemaCache::default()),
            rates: Rates::default(),
            scrub: Scrub::of(config.upstream_key.as_ref().map(Secret::expose)),
            config,
        };
        Ok(server.serve(Arc::new(shared)))
    }
}

// What all requests share.
struct Shared {
    config: GatewayConfig,
    upstream: UpstreamClient,
    metrics: Metrics,
    schemas: Arc<SchemaCache>,
    rates: Rates<KeyId>,
    scrub: Scrub,
}

async fn check_keys(config: &GatewayConfig) -> Result<(), StartError> {
    if !config.demands_key() {
        return Ok(());
    }
    let keys = match &config.store {
        Some(store) => store.list_keys().await.unwrap_or_default(),
        None => Vec::new(),
    };
    if keys.iter().any(|key| key.revoked_at.is_none()) { Ok(()) } else { Err(StartError::NoKeys) }
}
