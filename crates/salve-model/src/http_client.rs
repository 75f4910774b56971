//! The one place where clients for HTTP are made.
//!
//! In: options. Out: a client with its own TLS, its own pool and no surprises: no proxy of the
//! environment, no redirect, no Nagle. Never panics for want of a process-wide TLS provider.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

/// How a client behaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpClientOptions {
    /// How long a connection may take to be made.
    pub connect_timeout: Duration,
    /// How many idle connections are kept for each host.
    pub idle_connections: usize,
    /// How long an idle connection is kept.
    pub idle_timeout: Duration,
}

impl Default for HttpClientOptions {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(10),
            idle_connections: 64,
            idle_timeout: Duration::from_secs(90),
        }
    }
}

/// Why there is no client.
#[derive(Debug, thiserror::Error)]
#[error("cannot make a client for HTTP: {message}")]
pub struct HttpClientError {
    /// What failed.
    message: String,
}

/// Makes a client.
///
/// # Errors
/// When TLS cannot be set up.
pub fn http_client(options: &HttpClientOptions) -> Result<reqwest::Client, HttpClientError> {
    client(&|| builder(options))
}

/// Makes a client that connects to one address, whatever host it is asked for.
pub(crate) fn pinned_client(
    options: &HttpClientOptions,
    to: SocketAddr,
) -> Result<reqwest::Client, HttpClientError> {
    client(&|| builder(options).dns_resolver(Arc::new(OneAddress(to))))
}

// Every name has this one address. An override for a name would leave other names to the system.
struct OneAddress(SocketAddr);

impl reqwest::dns::Resolve for OneAddress {
    fn resolve(&self, _name: reqwest::dns::Name) -> reqwest::dns::Resolving {
        let all: reqwest::dns::Addrs = Box::new(std::iter::once(self.0));
        Box::pin(std::future::ready(Ok(all)))
    }
}

fn client(
    builder: &dyn Fn() -> reqwest::ClientBuilder,
) -> Result<reqwest::Client, HttpClientError> {
    // The client takes the provider of the process when there is one. It is put there once; when
    // another process was faster, theirs is as good.
    if rustls::crypto::CryptoProvider::get_default().is_none() {
        let provider = rustls::crypto::ring::default_provider();
        let _: Result<(), Arc<_>> = provider.install_default();
    }
    builder().build().or_else(|error| {
        // A machine without certificates can still talk to a model of its own over plain HTTP; what
        // needs TLS fails there when it is called, by name.
        let nothing_trusted = builder().tls_certs_only([]).build();
        nothing_trusted.map_err(|_| HttpClientError { message: chain(&error) })
    })
}

fn builder(options: &HttpClientOptions) -> reqwest::ClientBuilder {
    reqwest::Client::builder()
        // Another crate may have brought a second TLS into the build.
        .tls_backend_rustls()
        .tcp_nodelay(true)
        .connect_timeout(options.connect_timeout)
        .pool_max_idle_per_host(options.idle_connections)
        .pool_idle_timeout(options.idle_timeout)
        .tcp_keepalive(Duration::from_secs(30))
        .http2_adaptive_window(true)
        .http2_keep_alive_interval(Duration::from_secs(20))
        // A redirect would carry the key to wherever the answer points.
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .user_agent(concat!("salve/", env!("CARGO_PKG_VERSION")))
}

/// Returns an error with its causes, outermost first.
pub(crate) fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let said = cause.to_string();
        if !text.contains(&said) {
            text.push_str(": ");
            text.push_str(&said);
        }
        next = cause.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_are_made_again_and_again_and_in_parallel() {
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    http_client(&HttpClientOptions::default()).unwrap();
                });
            }
        });
    }
}
