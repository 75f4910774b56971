//! The system's resolver, and connections of Salve's own client.
//!
//! In: a host; an address and where to connect. Out: all its addresses; an answer. The client has no cookies,
//! no proxy and no redirects, and resolves nothing: it is given the one address it may connect to.

use super::{GetPage, PageAnswer, ResolveHost, UrlRefusal};
use salve_model::{PinnedGet, PinnedGetError, get_pinned};
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

/// The resolver of the system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemNames;

impl ResolveHost for SystemNames {
    async fn addresses(&self, host: &str) -> std::io::Result<Vec<IpAddr>> {
        // The port is of no account to the resolver.
        let found = tokio::net::lookup_host((host, 0)).await?;
        Ok(found.map(|address| address.ip()).collect())
    }
}

/// Connections over HTTP to the address that was judged.
#[derive(Debug, Clone, Copy, Default)]
pub struct PinnedConnections;

impl GetPage for PinnedConnections {
    async fn get(
        &self,
        url: &str,
        to: SocketAddr,
        bytes: usize,
        time: Duration,
    ) -> Result<PageAnswer, UrlRefusal> {
        let answer = get_pinned(&PinnedGet { url, to, most_bytes: bytes, deadline: time }).await;
        let answer = answer.map_err(|error| match error {
            PinnedGetError::TooLong => UrlRefusal::TooLong,
            PinnedGetError::NotReached(_) => UrlRefusal::NotReached,
        })?;
        Ok(PageAnswer {
            status: answer.status,
            location: answer.location,
            content_type: answer.content_type,
            body: answer.body,
            cut: answer.cut,
        })
    }
}
