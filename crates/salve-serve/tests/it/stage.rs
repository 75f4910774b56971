//! An upstream that answers as a test says and remembers what it was asked, and a gateway before it.

use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use http::{HeaderMap, Method, Request, Response, Uri};
use http_body::Frame;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use salve_serve::gateway::{Gateway, GatewayConfig};
use salve_serve::http::ServerHandle;
use salve_store::{NewKey, Redact, Store, StoreOptions, StreamRedactor};
use salve_types::Timestamp;
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// One request as it reached the upstream.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) method: Method,
    pub(crate) uri: Uri,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

pub(crate) type Answer = Response<UnsyncBoxBody<Bytes, io::Error>>;

/// An upstream on loopback. Dropping it ends it.
pub(crate) struct FakeUpstream {
    pub(crate) addr: SocketAddr,
    pub(crate) seen: Arc<Mutex<Vec<Seen>>>,
    /// Streams that are being read.
    pub(crate) open: Arc<AtomicUsize>,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for FakeUpstream {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl FakeUpstream {
    /// Starts an upstream; `answer` is given each request and the number of those before it.
    pub(crate) async fn start(
        answer: impl Fn(&Seen, usize) -> Answer + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        let seen: Arc<Mutex<Vec<Seen>>> = Arc::default();
        let open: Arc<AtomicUsize> = Arc::default();
        let (noted, counted, answer) = (seen.clone(), open.clone(), Arc::new(answer));
        let task = tokio::spawn(async move {
            loop {
                let (socket, _) = listener.accept().await.unwrap();
                socket.set_nodelay(true).unwrap();
                let (noted, counted, answer) = (noted.clone(), counted.clone(), answer.clone());
                let service = service_fn(move |request| {
                    answer_one(request, noted.clone(), counted.clone(), answer.clone())
                });
                tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(socket), service));
            }
        });
        Self { addr, seen, open, task }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.addr)
    }

    pub(crate) fn calls(&self) -> usize {
        self.seen.lock().unwrap().len()
    }

    pub(crate) fn last(&self) -> Seen {
        self.seen.lock().unwrap().last().unwrap().clone()
    }
}

async fn answer_one(
    request: Request<hyper::body::Incoming>,
    seen: Arc<Mutex<Vec<Seen>>>,
    open: Arc<AtomicUsize>,
    answer: Arc<impl Fn(&Seen, usize) -> Answer>,
) -> Result<Answer, Infallible> {
    let (parts, body) = request.into_parts();
    let Ok(body) = body.collect().await else { return Ok(text(400, "broken")) };
    let one = Seen {
        method: parts.method,
        uri: parts.uri,
        headers: parts.headers,
        body: body.to_bytes(),
    };
    let before = {
        let mut seen = seen.lock().unwrap();
        seen.push(one.clone());
        seen.len() - 1
    };
    let counted = Counted::new(open);
    Ok(answer(&one, before).map(|body| {
        body.map_frame(move |frame| {
            let _ = &counted;
            frame
        })
        .boxed_unsync()
    }))
}

struct Counted(Arc<AtomicUsize>);

impl Counted {
    fn new(count: Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(count)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A whole answer.
pub(crate) fn text(status: u16, body: impl Into<Bytes>) -> Answer {
    let body = body.into();
    Response::builder()
        .status(status)
        .header("content-type", "application/json")
        .header("content-length", body.len())
        .body(Full::new(body).map_err(|never| match never {}).boxed_unsync())
        .unwrap()
}

/// An answer as a stream of events.
pub(crate) fn events(pieces: impl Stream<Item = io::Result<Bytes>> + Send + 'static) -> Answer {
    let body = StreamBody::new(pieces.map(|piece| piece.map(Frame::data)));
    Response::builder()
        .header("content-type", "text/event-stream")
        .body(BodyExt::boxed_unsync(body))
        .unwrap()
}

/// A gateway on a free port before an upstream.
pub(crate) fn config(upstream: &FakeUpstream) -> GatewayConfig {
    GatewayConfig::new(upstream.url(), Arc::new(|| Timestamp(1_700_000_000_000)))
}

/// Starts a gateway.
pub(crate) async fn gateway(config: GatewayConfig) -> ServerHandle {
    Gateway::start(config).await.unwrap()
}

/// Keeps every text as it is; what secrets look like is not this crate's business.
struct KeepAll;

impl Redact for KeepAll {
    fn redact(&self, text: &str) -> String {
        text.to_owned()
    }

    fn stream(&self) -> Box<dyn StreamRedactor> {
        Box::new(Self)
    }
}

impl StreamRedactor for KeepAll {
    fn push(&mut self, piece: &str) -> String {
        piece.to_owned()
    }

    fn finish(&mut self) -> String {
        String::new()
    }
}

/// A store in memory.
pub(crate) async fn store() -> Store {
    let clock = Arc::new(|| Timestamp(1_700_000_000_000));
    Store::memory(StoreOptions::new(clock, Arc::new(KeepAll), "test")).await.unwrap()
}

/// Makes a key and returns its text.
pub(crate) async fn key(store: &Store, key: NewKey) -> String {
    store.add_key(key).await.unwrap().secret
}

/// A client that changes nothing by itself.
pub(crate) fn client() -> reqwest::Client {
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .no_proxy()
        .no_gzip()
        .no_brotli()
        .no_deflate()
        .no_zstd()
        .redirect(reqwest::redirect::Policy::none())
        .timeout(Duration::from_secs(60))
        .build()
        .unwrap()
}

/// Sends bytes as they are and returns all that comes back until the other side closes, or for a
/// second after it fell silent. The first byte is waited for longer: the machine may be busy.
pub(crate) async fn raw(addr: SocketAddr, request: &[u8]) -> String {
    talk(TcpStream::connect(addr).await.unwrap(), request).await
}

/// The same over a connection that is open.
pub(crate) async fn talk(
    mut socket: impl AsyncRead + AsyncWrite + Unpin,
    request: &[u8],
) -> String {
    let _ = socket.write_all(request).await;
    let mut answer = Vec::new();
    let mut buffer = [0; 4096];
    let mut quiet = Duration::from_secs(20);
    while let Ok(Ok(count)) = tokio::time::timeout(quiet, socket.read(&mut buffer)).await {
        if count == 0 {
            break;
        }
        answer.extend_from_slice(&buffer[..count]);
        quiet = Duration::from_secs(1);
    }
    String::from_utf8_lossy(&answer).into_owned()
}

/// Waits until something is so, for at most thirty seconds.
pub(crate) async fn until(what: &str, so: impl Fn() -> bool) {
    for _ in 0..3000 {
        if so() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("never so: {what}");
}
