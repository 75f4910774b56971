//! The simulated provider as an HTTP server on this machine.
//!
//! In: a script and a loopback address. Out: a handle that counts, remembers and stops. Never
//! listens where another machine could reach it, never outlives its handle.

use super::body::SimBody;
use super::calls::{Calls, Counter, InFlight, KeptRequests, Open, SeenRequest};
use super::files::SimFile;
use super::play::Player;
use super::relay::{Relay, put_headers};
use super::script::Script;
use super::stage::{Stage, whole};
use super::tape::Tape;
use super::write::write_error;
use crate::wire::Dialect;
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Limited};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};

/// Starts simulated providers.
#[derive(Debug, Clone, Copy, Default)]
pub struct SimServer {
    /// How much of what it sees it keeps.
    pub keep: KeptRequests,
}

/// A simulated provider that is running. It stops when this is dropped.
#[derive(Debug)]
pub struct SimHandle {
    addr: SocketAddr,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

/// Why no simulated provider could be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SimError {
    /// The address is not of this machine alone.
    #[error("{addr} is not a loopback address; a simulated provider listens on 127.0.0.1 only")]
    NotLoopback {
        /// The address.
        addr: SocketAddr,
    },
    /// The port cannot be had.
    #[error("cannot listen on {addr}")]
    Listen {
        /// The address.
        addr: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
}

// Bodies beyond this are refused, as providers do.
const LARGEST_BODY: usize = 64 << 20;
// 2024-01-01; a simulated provider has no clock of day.
const CREATED: u64 = 1_704_067_200;

#[derive(Debug)]
struct Shared {
    source: Source,
    counter: Arc<Counter>,
}

/// Where the answers come from.
#[derive(Debug)]
enum Source {
    Script(Box<Stage>),
    Tape(Tape, AtomicU64),
    Relay(Relay),
}

impl Shared {
    fn calls(&self) -> Calls {
        match &self.source {
            Source::Script(stage) => stage.calls(),
            Source::Tape(_, unmatched) => {
                Calls { unmatched: unmatched.load(Ordering::Relaxed), ..self.counter.counts() }
            }
            Source::Relay(_) => self.counter.counts(),
        }
    }

    async fn respond(&self, request: &SeenRequest) -> Response<SimBody> {
        match &self.source {
            Source::Script(stage) => stage.respond(request).await,
            Source::Tape(tape, unmatched) => self.replay(tape, unmatched, request),
            Source::Relay(relay) => {
                self.counter.calls.fetch_add(1, Ordering::SeqCst);
                relay.respond(request).await
            }
        }
    }

    fn replay(&self, tape: &Tape, unmatched: &AtomicU64, asked: &SeenRequest) -> Response<SimBody> {
        self.counter.calls.fetch_add(1, Ordering::SeqCst);
        let method = asked.method.as_str();
        let path = asked.path.split('?').next().unwrap_or_default();
        let Some(replayed) = tape.find(method, path, &asked.body) else {
            unmatched.fetch_add(1, Ordering::Relaxed);
            let dialect = Dialect::ALL.into_iter().find(|it| it.path() == path);
            let message = tape.reason(method, path, &asked.body);
            let body = write_error(dialect.unwrap_or(Dialect::Chat), 404, &message);
            return whole(StatusCode::NOT_FOUND, body);
        };
        let in_flight = InFlight::new(&self.counter);
        let mut response = Response::new(SimBody::steps(replayed.steps.clone(), in_flight));
        *response.status_mut() = StatusCode::from_u16(replayed.status).unwrap_or_default();
        put_headers(&mut response, &replayed.headers);
        response
    }
}

impl SimServer {
    /// Plays a script on an address; port 0 takes any that is free.
    ///
    /// # Errors
    /// When the address is not a loopback one or cannot be had.
    pub async fn start(script: Script, addr: SocketAddr) -> Result<SimHandle, SimError> {
        Self::default().play(script, addr).await
    }

    /// Plays a script, keeping as much as this server says.
    ///
    /// # Errors
    /// When the address is not a loopback one or cannot be had.
    pub async fn play(self, script: Script, addr: SocketAddr) -> Result<SimHandle, SimError> {
        let counter = Arc::new(Counter::new(self.keep));
        let stage = Stage::new(Player::new(script), Arc::clone(&counter), CREATED);
        serve_from(Source::Script(Box::new(stage)), counter, addr).await
    }

    /// Replays a recording of HTTP on an address.
    ///
    /// # Errors
    /// When the address is not a loopback one or cannot be had.
    pub async fn replay(self, tape: Tape, addr: SocketAddr) -> Result<SimHandle, SimError> {
        let counter = Arc::new(Counter::new(self.keep));
        serve_from(Source::Tape(tape, AtomicU64::new(0)), counter, addr).await
    }

    /// Passes everything on to a provider and records it.
    ///
    /// # Errors
    /// When the address is not a loopback one or cannot be had.
    pub async fn record(self, relay: Relay, addr: SocketAddr) -> Result<SimHandle, SimError> {
        let counter = Arc::new(Counter::new(self.keep));
        serve_from(Source::Relay(relay), counter, addr).await
    }
}

async fn serve_from(
    source: Source,
    counter: Arc<Counter>,
    addr: SocketAddr,
) -> Result<SimHandle, SimError> {
    let shared = Arc::new(Shared { source, counter });
    let listener = listen(addr).await?;
    let addr = listener.local_addr().map_err(|source| SimError::Listen { addr, source })?;
    let task = tokio::spawn(accept(listener, Arc::clone(&shared)));
    Ok(SimHandle { addr, shared, task })
}

impl SimHandle {
    /// Returns where it listens.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Returns its address as clients want it, without a path.
    pub fn url(&self) -> String {
        format!("http://{}", self.addr)
    }

    /// Returns what was counted so far.
    pub fn calls(&self) -> Calls {
        self.shared.calls()
    }

    /// Returns the latest requests, oldest first.
    pub fn requests(&self) -> Vec<SeenRequest> {
        self.shared.counter.requests()
    }

    /// Returns the files it was given and has still, oldest first. Only a script keeps files.
    pub fn files(&self) -> Vec<SimFile> {
        match &self.shared.source {
            Source::Script(stage) => stage.shelf.files(),
            Source::Tape(..) | Source::Relay(_) => Vec::new(),
        }
    }

    /// Stops it and waits until every connection is closed.
    pub async fn stop(mut self) {
        self.task.abort();
        // An aborted task has nothing to report.
        let _ = (&mut self.task).await;
    }
}

impl Drop for SimHandle {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn listen(addr: SocketAddr) -> Result<TcpListener, SimError> {
    if !addr.ip().is_loopback() {
        return Err(SimError::NotLoopback { addr });
    }
    TcpListener::bind(addr).await.map_err(|source| SimError::Listen { addr, source })
}

// The set owns the connections: when this task is stopped, they are too.
async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((socket, _)) => {
                    connections.spawn(serve(socket, Arc::clone(&shared)));
                }
                // Out of file descriptors, or a client that left at once: others may still come.
                Err(problem) => {
                    tracing::warn!(%problem, "a connection could not be accepted");
                    tokio::time::sleep(std::time::Duration::from_millis(20)).await;
                }
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn serve(socket: TcpStream, shared: Arc<Shared>) {
    let _open = Open::new(&shared.counter);
    // Without this a stream stalls for tens of milliseconds; if it fails, it is only slow.
    let _ = socket.set_nodelay(true);
    let service = service_fn(|request| {
        let shared = Arc::clone(&shared);
        async move { Ok::<_, Infallible>(handle(&shared, request).await) }
    });
    let served = hyper::server::conn::http1::Builder::new()
        // Idle connections stay: one that is closed at a bad moment would be a fault no script asked
        // for.
        .header_read_timeout(None)
        .pipeline_flush(true)
        .serve_connection(TokioIo::new(socket), service)
        .await;
    if let Err(problem) = served {
        tracing::debug!(%problem, "a connection ended early");
    }
}

async fn handle(shared: &Shared, request: Request<Incoming>) -> Response<SimBody> {
    let path = request.uri().path();
    if request.method() == Method::GET && path == "/health" {
        return whole(StatusCode::OK, &b"{\"status\":\"ok\"}"[..]);
    }
    if request.method() == Method::GET && path == "/__sim/calls" {
        let calls = serde_json::to_vec(&shared.calls()).unwrap_or_default();
        return whole(StatusCode::OK, calls);
    }
    let (parts, body) = request.into_parts();
    let path = parts.uri.path_and_query().map_or_else(String::new, ToString::to_string);
    let body = match Limited::new(body, LARGEST_BODY).collect().await {
        Ok(body) => body.to_bytes(),
        Err(problem) => {
            let message = format!("the body cannot be read: {problem}");
            return whole(StatusCode::BAD_REQUEST, write_error(Dialect::Chat, 400, &message));
        }
    };
    let seen = Arc::new(SeenRequest { method: parts.method, path, headers: parts.headers, body });
    // Before the answer, so that a test can look while the script still waits.
    shared.counter.see(Arc::clone(&seen));
    shared.respond(&seen).await
}
