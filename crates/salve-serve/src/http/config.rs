//! What a server is started with, whatever it serves.
//!
//! In: values the command line has read. Out: the same, with defaults that are safe on one machine.

use super::listen::ListenError;
use super::tls::TlsIdentity;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

/// Where a server listens, to whom, and how much it takes.
#[derive(Debug, Clone)]
pub struct ServerConfig {
    /// Where it listens; port 0 takes a free one.
    pub listen: SocketAddr,
    /// The certificate it shows; without one it speaks plain HTTP.
    pub tls: Option<TlsIdentity>,
    /// Allows plain HTTP on an address that other machines can reach.
    pub insecure_bind: bool,
    /// Names, besides those of this machine, that a request may be addressed to.
    pub hosts: Vec<String>,
    /// Origins whose pages may send requests from a browser.
    pub origins: Vec<String>,
    /// How long open requests may go on after the server is told to stop.
    pub drain: Duration,
    /// How long a client may take.
    pub timeouts: RequestTimeouts,
    /// How much is taken from a client.
    pub limits: RequestLimits,
}

impl Default for ServerConfig {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            tls: None,
            insecure_bind: false,
            hosts: Vec::new(),
            origins: Vec::new(),
            drain: Duration::from_secs(30),
            timeouts: RequestTimeouts::default(),
            limits: RequestLimits::default(),
        }
    }
}

impl ServerConfig {
    /// Checks that what is said on the address is protected: a client that can reach the server can
    /// use what it holds, and one that can listen in can take keys.
    pub(crate) fn check(&self) -> Result<(), ListenError> {
        if self.is_public() && self.tls.is_none() && !self.insecure_bind {
            return Err(ListenError::Exposed { listen: self.listen });
        }
        Ok(())
    }

    /// Returns whether other machines can reach the address.
    pub(crate) fn is_public(&self) -> bool {
        !self.listen.ip().is_loopback()
    }
}

/// How long a client may take.
#[derive(Debug, Clone, Copy)]
pub struct RequestTimeouts {
    /// To send the head of a request.
    pub head: Duration,
    /// To send the body.
    pub body: Duration,
    /// To take bytes that wait for it.
    pub write: Duration,
}

impl Default for RequestTimeouts {
    fn default() -> Self {
        Self {
            head: Duration::from_secs(10),
            body: Duration::from_secs(60),
            write: Duration::from_secs(60),
        }
    }
}

/// How much is taken from clients.
#[derive(Debug, Clone, Copy)]
pub struct RequestLimits {
    /// Bytes of a request's body, before and after it is unpacked.
    pub body: usize,
    /// Bytes of a request's head.
    pub head: usize,
    /// Headers of a request.
    pub headers: usize,
    /// Connections at a time.
    pub connections: usize,
}

impl Default for RequestLimits {
    fn default() -> Self {
        Self { body: 8 << 20, head: 64 << 10, headers: 100, connections: 1024 }
    }
}
