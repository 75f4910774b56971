//! A server that lets a model say only so much at a time.
//!
//! In: requests for a model behind it. Out: its replies, with `max_tokens` lowered on the way, and
//! every piece of text that was given out, in order. Never streams by itself: what the model sends
//! is passed on when it is complete, in the form that was asked for.

use super::client::Client;
use super::reading::{self, Dialect};
use anyhow::Context;
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

/// The pieces given out so far.
pub(super) type Pieces = Arc<Mutex<Vec<String>>>;

/// Listens until the runtime ends; returns its address and what it will note.
pub(super) async fn start(model: SocketAddr, limit: u64) -> anyhow::Result<(SocketAddr, Pieces)> {
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await?;
    let (address, pieces) = (listener.local_addr()?, Pieces::default());
    let noted = pieces.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let noted = noted.clone();
            let answer = service_fn(move |request| pass(request, model, limit, noted.clone()));
            tokio::spawn(
                hyper::server::conn::http1::Builder::new()
                    .serve_connection(TokioIo::new(stream), answer),
            );
        }
    });
    Ok((address, pieces))
}

async fn pass(
    request: http::Request<Incoming>,
    model: SocketAddr,
    limit: u64,
    pieces: Pieces,
) -> anyhow::Result<http::Response<Full<Bytes>>> {
    let path = request.uri().path().to_owned();
    let body = request.into_body().collect().await?.to_bytes();
    let mut body: Value = serde_json::from_slice(&body).context("the request is not JSON")?;
    let asked = body["max_tokens"].as_u64().unwrap_or(limit);
    body["max_tokens"] = json!(asked.min(limit));
    let stream = body["stream"] == true;
    let reply = Client::connect(model).await?.post(&path, &[], &body).await?;
    let read = if stream { reading::streamed } else { reading::whole };
    if let (Ok(seen), Ok(mut pieces)) = (read(Dialect::Chat, &reply.body), pieces.lock()) {
        pieces.push(seen.text);
    }
    Ok(http::Response::builder()
        .status(reply.status)
        .header("content-type", reply.header("content-type"))
        .body(Full::new(Bytes::from(reply.body)))?)
}
