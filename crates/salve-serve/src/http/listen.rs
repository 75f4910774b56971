//! The listening side: connections are taken, bounded, served and drained.
//!
//! In: a listener and a signal to stop. Out: every connection is answered, refused or ended. Streams
//! that are under way when it is told to stop may finish, for a while.

use crate::gateway::Shared;
use crate::gateway::exchange;
use super::socket::Watched;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

/// How a gateway came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[must_use]
pub struct Drained {
    /// Connections that were still busy when time was up, and were cut.
    pub cut: usize,
}

/// Serves until told to stop, and then until all is quiet or time is up.
pub(crate) async fn run(
    shared: Arc<Shared>,
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    mut stop: watch::Receiver<bool>,
) -> Drained {
    let room = Arc::new(Semaphore::new(shared.config.limits.connections));
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            Some(_) = connections.join_next() => continue,
            _ = stop.changed() => break,
        };
        let Ok((socket, _)) = accepted else {
            // No file handles left, most likely: a pause lets some come back.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        // Each event of a stream is a small write that must not wait for the next one.
        let _ = socket.set_nodelay(true);
        match room.clone().try_acquire_owned() {
            Ok(permit) => {
                let (shared, tls, stop) = (shared.clone(), tls.clone(), stop.clone());
                connections.spawn(async move {
                    shared.metrics.connections.inc();
                    connection(&shared, socket, tls, stop).await;
                    shared.metrics.connections.dec();
                    drop(permit);
                });
            }
            Err(_) => {
                shared.metrics.refused("too_many_connections");
                tracing::warn!(target: "salve::gateway", reason = "too_many_connections", "refused");
                connections.spawn(turn_away(socket));
            }
        }
    }
    drop(listener);
    drain(connections, shared.config.drain).await
}

async fn drain(mut connections: JoinSet<()>, patience: Duration) -> Drained {
    let quiet = async { while connections.join_next().await.is_some() {} };
    if tokio::time::timeout(patience, quiet).await.is_ok() {
        return Drained::default();
    }
    let cut = connections.len();
    tracing::warn!(target: "salve::gateway", cut, "connections cut at the end of the drain");
    connections.shutdown().await;
    Drained { cut }
}

const FULL: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\n\
    retry-after: 1\r\nconnection: close\r\ncontent-length: 89\r\n\r\n\
    {\"error\":{\"message\":\"too many connections\",\"type\":\"server_error\",\"code\":\"overloaded\"}}   ";

async fn turn_away(mut socket: TcpStream) {
    let answer = async {
        let _ = socket.write_all(FULL).await;
        let _ = socket.shutdown().await;
    };
    let _ = tokio::time::timeout(Duration::from_secs(1), answer).await;
}

async fn connection(
    shared: &Arc<Shared>,
    socket: TcpStream,
    tls: Option<TlsAcceptor>,
    stop: watch::Receiver<bool>,
) {
    let Some(tls) = tls else { return speak(shared, socket, stop).await };
    let patience = shared.config.timeouts.head;
    match tokio::time::timeout(patience, tls.accept(socket)).await {
        Ok(Ok(secured)) => speak(shared, secured, stop).await,
        Ok(Err(_)) | Err(_) => {
            shared.metrics.refused("tls_handshake");
            tracing::warn!(target: "salve::gateway", reason = "tls_handshake", "refused");
        }
    }
}

async fn speak<S>(shared: &Arc<Shared>, socket: S, mut stop: watch::Receiver<bool>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (timeouts, limits) = (&shared.config.timeouts, &shared.config.limits);
    let (socket, watch) = Watched::new(socket, timeouts.write);
    let service = service_fn(|request| {
        let (shared, watch) = (shared.clone(), watch.clone());
        async move { Ok::<_, Infallible>(exchange::serve(shared, watch, request).await) }
    });
    let mut connection = pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(timeouts.head)
            .max_headers(limits.headers)
            .max_header_size(limits.head)
            .serve_connection(TokioIo::new(socket), service)
    );
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        _ = stop.changed() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        let reason = reason_of(&error);
        shared.metrics.refused(reason);
        tracing::info!(target: "salve::gateway", reason, "connection ended early");
    }
}

// Only our own words: what the library would print may quote the client.
fn reason_of(error: &hyper::Error) -> &'static str {
    if error.is_parse_too_large() {
        "head_too_large"
    } else if error.is_parse() {
        "malformed_request"
    } else if error.is_timeout() {
        "slow_head"
    } else if error.is_incomplete_message() {
        "client_gone"
    } else {
        "connection_broken"
    }
}
