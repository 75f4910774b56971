//! The one upstream, over HTTP.
//!
//! In: a request that is ready to go. Out: the reply as soon as its head is there. The address comes
//! from the gateway's own configuration alone; a redirect is never followed and never passed on,
//! because a key would go along.

use super::StartError;
use super::config::GatewayConfig;
use bytes::Bytes;
use http::{HeaderMap, Method, Response};
use reqwest::Url;
use std::sync::Arc;

/// The connection pool of the one upstream.
#[derive(Debug, Clone)]
pub(crate) struct UpstreamClient {
    client: reqwest::Client,
    base: String,
    answers: [(&'static str, Url); 3],
    provider: Arc<str>,
}

/// Why there is no reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoReply {
    /// Nothing answers at the address, or the connection broke before the head of a reply.
    Unreachable,
    /// Nothing arrived in time.
    TimedOut,
}

impl UpstreamClient {
    /// Makes the pool. No connection is opened yet.
    pub(crate) fn new(config: &GatewayConfig) -> Result<Self, StartError> {
        let base = base_of(&config.upstream)?;
        // Another part of the program may have chosen already; then that choice holds.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder()
            // Another crate may have brought a second TLS into the build.
            .tls_backend_rustls()
            .no_proxy()
            // What is packed is passed on packed; the code that looks inside unpacks it.
            .no_gzip()
            .no_brotli()
            .no_deflate()
            .no_zstd()
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(config.timeouts.connect)
            .read_timeout(config.timeouts.idle)
            .timeout(config.timeouts.total)
            .tcp_nodelay(true)
            .pool_max_idle_per_host(256)
            .build()
            .map_err(StartError::Client)?;
        let provider = provider_of(&base).into();
        let answers = answers_of(&base)?;
        Ok(Self { client, base, answers, provider })
    }

    /// Returns the name the upstream has in the ledger: its host.
    pub(crate) fn provider(&self) -> Arc<str> {
        self.provider.clone()
    }

    /// Returns the address of what follows the version in a path; `None` when it is no address.
    pub(crate) fn url(&self, rest: &str, query: Option<&str>) -> Option<Url> {
        if query.is_none()
            && let Some((_, url)) = self.answers.iter().find(|(known, _)| *known == rest)
        {
            return Some(url.clone());
        }
        let mut url = Url::parse(&format!("{}{rest}", self.base)).ok()?;
        url.set_query(query);
        Some(url)
    }

    /// Sends one request and waits for the head of the reply.
    pub(crate) async fn send(
        &self,
        method: &Method,
        url: &Url,
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<Response<reqwest::Body>, NoReply> {
        let mut request = reqwest::Request::new(method.clone(), url.clone());
        *request.headers_mut() = headers;
        if !body.is_empty() || method == Method::POST {
            *request.body_mut() = Some(body.into());
        }
        match self.client.execute(request).await {
            Ok(response) => Ok(response.into()),
            Err(error) if error.is_timeout() => Err(NoReply::TimedOut),
            Err(_) => Err(NoReply::Unreachable),
        }
    }
}

/// Returns the address up to and with its version. One that has a version in its path is complete;
/// to any other the version of the three dialects is added, as their own libraries do.
fn base_of(upstream: &str) -> Result<String, StartError> {
    let wrong = |why: &str| StartError::Upstream { why: why.to_owned() };
    let url = Url::parse(upstream).map_err(|error| wrong(&error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(wrong("it must begin with http:// or https://"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(wrong("it must not hold a user or a password; give the key apart"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(wrong("it must not have a query or a fragment"));
    }
    let base = url.as_str().trim_end_matches('/');
    let versioned = url.path_segments().is_some_and(|mut segments| segments.any(is_version));
    Ok(if versioned { base.to_owned() } else { format!("{base}/v1") })
}

// Those of nearly all requests, so that they are not taken apart each time.
fn answers_of(base: &str) -> Result<[(&'static str, Url); 3], StartError> {
    let parsed = |rest| match Url::parse(&format!("{base}{rest}")) {
        Ok(url) => Ok((rest, url)),
        Err(error) => Err(StartError::Upstream { why: error.to_string() }),
    };
    Ok([parsed("/chat/completions")?, parsed("/responses")?, parsed("/messages")?])
}

fn provider_of(base: &str) -> String {
    Url::parse(base).ok().and_then(|url| Some(url.host_str()?.to_owned())).unwrap_or_default()
}

fn is_version(segment: &str) -> bool {
    segment
        .strip_prefix('v')
        .is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_upstream_is_understood_with_and_without_its_version() {
        let cases = [
            ("https://api.openai.com", "https://api.openai.com/v1"),
            ("https://api.openai.com/v1", "https://api.openai.com/v1"),
            ("https://api.openai.com/v1/", "https://api.openai.com/v1"),
            ("http://127.0.0.1:8080/", "http://127.0.0.1:8080/v1"),
            ("https://openrouter.ai/api/v1", "https://openrouter.ai/api/v1"),
            ("https://api.z.ai/api/paas/v4", "https://api.z.ai/api/paas/v4"),
            ("https://api.z.ai/api/anthropic", "https://api.z.ai/api/anthropic/v1"),
            (
                "https://generativelanguage.googleapis.com/v1beta/openai/",
                "https://generativelanguage.googleapis.com/v1beta/openai",
            ),
        ];
        for (given, base) in cases {
            assert_eq!(base_of(given).unwrap(), base);
        }
    }

    #[test]
    fn what_is_no_upstream_is_refused_with_the_reason() {
        let cases = [
            "ftp://example.com",
            "file:///etc/passwd",
            "api.openai.com",
            "",
            "http://",
            "https://user:secret@example.com",
            "https://example.com/?key=secret",
        ];
        for given in cases {
            let error = base_of(given).unwrap_err().to_string();
            assert!(!error.contains("secret"), "{error}");
        }
    }
}
