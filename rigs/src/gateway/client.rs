//! A client that sees everything: one connection, one request at a time, every chunk with its time.
//!
//! In: an address and a request. Out: the reply as it came. Never retries and never repairs: what a
//! fault does to a client is what is measured.

use anyhow::{Context, bail};
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tokio::net::TcpStream;

const PATIENCE: Duration = Duration::from_secs(60);

/// One kept connection.
pub(crate) struct Client {
    address: SocketAddr,
    sender: SendRequest<Full<Bytes>>,
}

/// What came back.
pub(crate) struct Reply {
    /// The HTTP status.
    pub(crate) status: u16,
    /// The headers that Salve adds, and all others.
    pub(crate) headers: http::HeaderMap,
    /// The whole body.
    pub(crate) body: Vec<u8>,
    /// From the request to the first byte of the body.
    pub(crate) first_byte: Duration,
    /// From the request to the end.
    pub(crate) total: Duration,
    /// Whether the body broke off.
    pub(crate) broken: bool,
}

impl Client {
    /// Connects.
    pub(crate) async fn connect(address: SocketAddr) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(address).await.context("no connection")?;
        stream.set_nodelay(true)?;
        let (sender, connection) = handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        Ok(Self { address, sender })
    }

    /// Sends a JSON body and reads the reply to its end.
    pub(crate) async fn post(
        &mut self,
        path: &str,
        headers: &[(&str, &str)],
        body: &Value,
    ) -> anyhow::Result<Reply> {
        self.post_bytes(path, headers, Bytes::from(serde_json::to_vec(body)?)).await
    }

    /// As [`Self::post`], for a body that was written before.
    pub(crate) async fn post_bytes(
        &mut self,
        path: &str,
        headers: &[(&str, &str)],
        body: Bytes,
    ) -> anyhow::Result<Reply> {
        let mut request = http::Request::post(path)
            .header("host", self.address.to_string())
            .header("content-type", "application/json");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Full::new(body))?;
        let begin = Instant::now();
        match tokio::time::timeout(PATIENCE, self.exchange(request, begin)).await {
            Ok(reply) => reply,
            Err(_) => bail!("no end of the reply within {PATIENCE:?}"),
        }
    }

    async fn exchange(
        &mut self,
        request: http::Request<Full<Bytes>>,
        begin: Instant,
    ) -> anyhow::Result<Reply> {
        self.sender.ready().await?;
        let (parts, mut body) = self.sender.send_request(request).await?.into_parts();
        let (mut bytes, mut first_byte, mut broken) = (Vec::new(), None, false);
        while let Some(frame) = body.frame().await {
            let Ok(frame) = frame else {
                broken = true;
                break;
            };
            if let Some(data) = frame.data_ref() {
                first_byte.get_or_insert_with(|| begin.elapsed());
                bytes.extend_from_slice(data);
            }
        }
        let total = begin.elapsed();
        Ok(Reply {
            status: parts.status.as_u16(),
            headers: parts.headers,
            body: bytes,
            first_byte: first_byte.unwrap_or(total),
            total,
            broken,
        })
    }
}

impl Reply {
    /// Returns a header as text.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }
}
