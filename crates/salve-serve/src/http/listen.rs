//! The listening side: connections are taken, bounded, served and drained.
//!
//! In: an address, and the face that answers there. Out: every connection is answered, refused or
//! ended. Requests that are being answered when the server is told to stop may finish, for a while.

use super::body::ReplyBody;
use super::config::ServerConfig;
use super::guard::Guard;
use super::refusal::{Reason, Refusal};
use super::socket::{RequestWatch, Watched};
use super::tls::{self, TlsError};
use http::header::ACCESS_CONTROL_ALLOW_ORIGIN;
use http::{Request, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::{JoinHandle, JoinSet};
use tokio_rustls::TlsAcceptor;

/// What answers the requests of one server.
pub(crate) trait Face: Send + Sync + 'static {
    /// Answers a request that passed the guard.
    fn answer(
        self: Arc<Self>,
        request: Request<Incoming>,
    ) -> impl Future<Output = Response<ReplyBody>> + Send;

    /// Says in the shape of this face why the request for a path is not served.
    fn refuse(&self, path: &str, refusal: &Refusal) -> Response<ReplyBody>;

    /// Hears the outcome of a connection, to count and log it.
    fn hear(&self, event: ConnectionEvent);
}

/// The outcome of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConnectionEvent {
    Opened,
    Closed,
    /// It was not served; the word says why.
    Refused(&'static str),
    /// It ended before its request or its response did; the word says why.
    Broken(&'static str),
    /// This many connections were cut at the end of the drain.
    Cut(usize),
}

/// Why a server does not listen.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ListenError {
    /// Other machines can reach the address, and nothing protects what is said there.
    #[error(
        "{listen} can be reached by other machines: give a certificate (--tls-cert, --tls-key), or \
         allow plain HTTP with --insecure-bind"
    )]
    Exposed {
        /// The address.
        listen: SocketAddr,
    },
    /// The address is in use, or is not an address of this machine.
    #[error("cannot listen on {listen}")]
    Bind {
        /// The address.
        listen: SocketAddr,
        /// The system's error.
        source: std::io::Error,
    },
    /// The certificate or its key cannot be used.
    #[error("the certificate cannot be used")]
    Tls(#[source] TlsError),
}

/// How a server ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[must_use]
pub struct Drained {
    /// Connections that were still busy when time was up, and were cut.
    pub cut: usize,
}

/// A server that is running. Dropping it stops it without waiting.
#[derive(Debug)]
pub struct ServerHandle {
    /// Where it listens.
    pub addr: SocketAddr,
    stop: watch::Sender<bool>,
    task: JoinHandle<Drained>,
}

impl ServerHandle {
    /// Takes no new connection, lets the open ones finish for as long as the configuration says,
    /// and returns when all are closed.
    pub async fn stop(self) -> Drained {
        let _ = self.stop.send(true);
        self.task.await.unwrap_or_default()
    }
}

/// An address that is bound, and on which nothing is served yet.
pub(crate) struct Server {
    config: ServerConfig,
    guard: Guard,
    listener: TcpListener,
    addr: SocketAddr,
    tls: Option<TlsAcceptor>,
}

impl Server {
    /// Binds the address.
    pub(crate) async fn bind(config: ServerConfig) -> Result<Self, ListenError> {
        let listen = config.listen;
        config.check()?;
        let tls = config.tls.as_ref().map(tls::acceptor).transpose().map_err(ListenError::Tls)?;
        let taken = |source| ListenError::Bind { listen, source };
        let listener = TcpListener::bind(listen).await.map_err(taken)?;
        let addr = listener.local_addr().map_err(taken)?;
        let guard = Guard::new(listen.ip(), &config.hosts, &config.origins);
        Ok(Self { config, guard, listener, addr, tls })
    }

    /// Returns where it listens.
    pub(crate) const fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Lets only requests through that are addressed to this very port and come from pages of its own, or from no
    /// page.
    pub(crate) fn with_pages(self) -> Self {
        let guard = Guard::of_pages(self.addr.ip(), self.addr.port());
        Self { guard, ..self }
    }

    /// Lets a face answer, in the runtime it is called in.
    pub(crate) fn serve<F: Face>(self, face: Arc<F>) -> ServerHandle {
        let (stop, stopped) = watch::channel(false);
        let Self { config, guard, listener, addr, tls } = self;
        let serving = Arc::new(Serving { face, guard, config });
        ServerHandle { addr, stop, task: tokio::spawn(serving.run(listener, tls, stopped)) }
    }
}

struct Serving<F> {
    face: Arc<F>,
    guard: Guard,
    config: ServerConfig,
}

impl<F: Face> Serving<F> {
    // Serves until told to stop, and then until all is quiet or time is up.
    async fn run(
        self: Arc<Self>,
        listener: TcpListener,
        tls: Option<TlsAcceptor>,
        mut stop: watch::Receiver<bool>,
    ) -> Drained {
        let room = Arc::new(Semaphore::new(self.config.limits.connections));
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
            let Ok(permit) = room.clone().try_acquire_owned() else {
                self.face.hear(ConnectionEvent::Refused("too_many_connections"));
                connections.spawn(turn_away(socket));
                continue;
            };
            let (serving, tls, stop) = (self.clone(), tls.clone(), stop.clone());
            connections.spawn(async move {
                serving.face.hear(ConnectionEvent::Opened);
                serving.connection(socket, tls, stop).await;
                serving.face.hear(ConnectionEvent::Closed);
                drop(permit);
            });
        }
        drop(listener);
        self.drain(connections).await
    }

    async fn drain(&self, mut connections: JoinSet<()>) -> Drained {
        let quiet = async { while connections.join_next().await.is_some() {} };
        if tokio::time::timeout(self.config.drain, quiet).await.is_ok() {
            return Drained::default();
        }
        let cut = connections.len();
        self.face.hear(ConnectionEvent::Cut(cut));
        connections.shutdown().await;
        Drained { cut }
    }

    async fn connection(
        self: &Arc<Self>,
        socket: TcpStream,
        tls: Option<TlsAcceptor>,
        stop: watch::Receiver<bool>,
    ) {
        let Some(tls) = tls else { return self.speak(socket, stop).await };
        let patience = self.config.timeouts.head;
        match tokio::time::timeout(patience, tls.accept(socket)).await {
            Ok(Ok(secured)) => self.speak(secured, stop).await,
            Ok(Err(_)) | Err(_) => self.face.hear(ConnectionEvent::Refused("tls_handshake")),
        }
    }

    async fn speak<S>(self: &Arc<Self>, socket: S, mut stop: watch::Receiver<bool>)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let (timeouts, limits) = (&self.config.timeouts, &self.config.limits);
        let (socket, watch) = Watched::new(socket, timeouts.write);
        let service = service_fn(|request| {
            let (serving, watch) = (self.clone(), watch.clone());
            async move { Ok::<_, Infallible>(serving.answer(&watch, request).await) }
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
            self.face.hear(ConnectionEvent::Broken(reason_of(&error)));
        }
    }

    async fn answer(
        &self,
        watch: &RequestWatch,
        request: Request<Incoming>,
    ) -> Response<ReplyBody> {
        let origin = self.guard.allowed_origin(request.headers()).cloned();
        let checked = if watch.is_ambiguous() {
            let why = "the request has both Content-Length and Transfer-Encoding, or a length that \
                       cannot be read";
            Err(Refusal::new(Reason::AMBIGUOUS_LENGTH, why))
        } else {
            self.guard.check(request.uri(), request.headers())
        };
        let mut response = match checked {
            Ok(()) => self.face.clone().answer(request).await,
            Err(refusal) => self.face.refuse(request.uri().path(), &refusal),
        };
        if let Some(origin) = origin {
            response.headers_mut().insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        }
        response
    }
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

#[cfg(test)]
mod tests;
