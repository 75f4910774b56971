//! Passes requests on to a real provider and writes down what passed.
//!
//! In: requests, and the address of a provider. Out: its responses, unchanged and as they arrive,
//! and a line of the recording for each that came to its end. Never writes a header of a request:
//! keys are in them.

use super::body::SimBody;
use super::calls::SeenRequest;
use super::stage::whole;
use super::tape::{Exchange, Octets, recordable};
use super::write::write_error;
use crate::wire::Dialect;
use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use http::{HeaderName, HeaderValue, Response, StatusCode};
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// A provider that is being recorded.
pub struct Relay {
    client: reqwest::Client,
    upstream: String,
    sink: Arc<Mutex<Box<dyn Write + Send>>>,
}

impl std::fmt::Debug for Relay {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Relay").field("upstream", &self.upstream).finish_non_exhaustive()
    }
}

impl Relay {
    /// Prepares to record the provider at `upstream`, a URL without the path of an endpoint.
    ///
    /// # Errors
    /// When the URL is none, or TLS cannot be set up.
    pub fn new(upstream: &str, sink: Box<dyn Write + Send>) -> Result<Self, String> {
        let base = upstream.trim_end_matches('/').trim_end_matches("/v1").to_owned();
        let url = reqwest::Url::parse(&base)
            .map_err(|problem| format!("`{upstream}` is no URL: {problem}"))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(format!("`{upstream}` is neither http nor https"));
        }
        // A provider that was installed before is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder()
            // Another crate may have brought a second TLS into the build.
            .tls_backend_rustls()
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|problem| format!("the client cannot be set up: {problem}"))?;
        Ok(Self { client, upstream: base, sink: Arc::new(Mutex::new(sink)) })
    }

    /// Passes a request on.
    pub(super) async fn respond(&self, request: &SeenRequest) -> Response<SimBody> {
        match self.send(request).await {
            Ok(response) => response,
            Err(problem) => {
                let message = format!("the provider cannot be reached: {problem}");
                whole(StatusCode::BAD_GATEWAY, write_error(Dialect::Chat, 502, &message))
            }
        }
    }

    async fn send(&self, request: &SeenRequest) -> Result<Response<SimBody>, reqwest::Error> {
        // Without compression the recording can be read, and is the same for every client.
        let own = ["host", "content-length", "accept-encoding", "connection", "transfer-encoding"];
        let mut headers = request.headers.clone();
        own.iter().for_each(|name| {
            headers.remove(*name);
        });
        let url = format!("{}{}", self.upstream, request.path);
        let asked = self.client.request(request.method.clone(), url).headers(headers);
        let answer = asked.body(request.body.clone()).send().await?;
        let path = request.path.split('?').next().unwrap_or_default().to_owned();
        let exchange = Exchange {
            method: request.method.to_string(),
            path,
            request: Octets::new(&request.body),
            status: answer.status().as_u16(),
            headers: recordable(answer.headers()),
            pieces: Vec::new(),
            broken: false,
        };
        let status = answer.status();
        let headers = exchange.headers.clone();
        let stream = recorded(answer.bytes_stream(), exchange, Arc::clone(&self.sink));
        let mut response = Response::new(SimBody::relay(Box::pin(stream)));
        *response.status_mut() = status;
        put_headers(&mut response, &headers);
        Ok(response)
    }
}

/// Puts recorded headers on a response. The length is left to the caller that sends the body.
pub(super) fn put_headers(response: &mut Response<SimBody>, headers: &[(String, String)]) {
    for (name, value) in headers {
        let name = HeaderName::try_from(name.as_str());
        if let (Ok(name), Ok(value)) = (name, HeaderValue::try_from(value.as_str())) {
            response.headers_mut().append(name, value);
        }
    }
}

// Hands the pieces on as they come, and writes the exchange down when the last one has.
fn recorded(
    body: impl Stream<Item = Result<Bytes, reqwest::Error>> + Send + 'static,
    exchange: Exchange,
    sink: Arc<Mutex<Box<dyn Write + Send>>>,
) -> impl Stream<Item = io::Result<Bytes>> + Send {
    let state = Some((Box::pin(body), exchange, sink));
    futures_util::stream::unfold(state, |state| async move {
        let (mut body, mut exchange, sink) = state?;
        match body.next().await {
            Some(Ok(piece)) => {
                exchange.pieces.push(Octets::new(&piece));
                Some((Ok(piece), Some((body, exchange, sink))))
            }
            Some(Err(problem)) => {
                exchange.broken = true;
                write(&exchange, &sink);
                Some((Err(io::Error::new(io::ErrorKind::ConnectionReset, problem)), None))
            }
            None => {
                write(&exchange, &sink);
                None
            }
        }
    })
}

fn write(exchange: &Exchange, sink: &Mutex<Box<dyn Write + Send>>) {
    let mut sink = sink.lock().unwrap_or_else(PoisonError::into_inner);
    let written = serde_json::to_vec(exchange).map_err(io::Error::from).and_then(|mut line| {
        line.push(b'\n');
        sink.write_all(&line)?;
        sink.flush()
    });
    if let Err(problem) = written {
        tracing::error!(%problem, path = exchange.path, "an exchange could not be written down");
    }
}
