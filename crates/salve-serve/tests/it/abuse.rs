//! Forged and abusive requests: each is refused, each is logged, and no key is in any log.

use super::stage::{FakeUpstream, config, gateway, key, raw, store, talk, text};
use super::tls;
use rustls_pki_types::ServerName;
use salve_serve::gateway::Secret;
use salve_serve::http::{ServerHandle, TlsIdentity};
use salve_store::{NewKey, SpendLimit, Store};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

const UPSTREAM_KEY: &str = "sk-upstream-planted-0123456789abcdef";
const CLIENT_KEY: &str = "sk-client-planted-0123456789abcdef";
const WRONG_KEY: &str = "salve_planted0wrong0123456789abcdef0123456789abcdef0123456789abcdef";
const MOST: usize = 64 << 10;
/// The connection is closed without a word, because the other side speaks something else.
const CLOSED: &str = "";

/// Everything that is logged, of any library, at any level: one line an event.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<String>>);

impl Subscriber for Log {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        span.record(&mut Line(&mut self.0.lock().unwrap()));
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, values: &Record<'_>) {
        values.record(&mut Line(&mut self.0.lock().unwrap()));
    }

    fn event(&self, event: &Event<'_>) {
        let mut text = self.0.lock().unwrap();
        text.push_str(event.metadata().target());
        event.record(&mut Line(&mut text));
        text.push('\n');
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

struct Line<'t>(&'t mut String);

impl Visit for Line<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        self.0.push_str(&format!(" {field}={value:?}"));
    }
}

impl Log {
    fn text(&self) -> String {
        self.0.lock().unwrap().clone()
    }

    fn refusals(&self) -> usize {
        let text = self.text();
        text.lines()
            .filter(|line| line.starts_with("salve::gateway") && line.contains(" reason="))
            .count()
    }
}

struct Scene {
    log: Log,
    upstream: FakeUpstream,
    gateway: ServerHandle,
    key: String,
    revoked: String,
    poor: String,
    slow: String,
    // What trusts the certificate, where there is one.
    trusting: Option<TlsConnector>,
    _store: Store,
}

async fn scene(log: Log, identity: Option<TlsIdentity>) -> Scene {
    let upstream = FakeUpstream::start(|_, _| text(200, "{}")).await;
    let store = store().await;
    let named = |name: &str| NewKey { name: name.to_owned(), ..NewKey::default() };
    let (good, revoked) = (key(&store, named("good")).await, key(&store, named("revoked")).await);
    store.revoke_key("revoked").await.unwrap();
    let per_day = SpendLimit { tokens: Some(10), micro_dollars: None };
    let poor = key(&store, NewKey { per_day, ..named("poor") }).await;
    let slow = key(&store, NewKey { requests_per_minute: Some(0), ..named("slow") }).await;
    let mut config = config(&upstream);
    config.upstream_key = Some(Secret::new(UPSTREAM_KEY).unwrap());
    config.store = Some(store.clone());
    config.server.limits.body = MOST;
    config.server.limits.head = 16 << 10;
    config.server.timeouts.head = Duration::from_millis(400);
    config.server.timeouts.body = Duration::from_millis(400);
    let trusting = identity.is_some().then(tls::trusting);
    config.server.tls = identity;
    let gateway = gateway(config).await;
    Scene { log, upstream, gateway, key: good, revoked, poor, slow, trusting, _store: store }
}

const JSON: &str = "content-type: application/json\r\n";
const BODY: &str = r#"{"model":"m","max_tokens":50,"messages":[{"role":"user","content":"Hi"}]}"#;

/// A request with a body, its length said rightly.
fn post(path: &str, head: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let length = body.len();
    let mut request = format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\n{head}content-length: {length}\r\n\r\n"
    )
    .into_bytes();
    request.extend_from_slice(body);
    request
}

fn bearer(key: &str) -> String {
    format!("authorization: Bearer {key}\r\n")
}

/// The head of a request with a key, and what is said besides.
fn keyed(line: &str, key: &str, more: &str) -> Vec<u8> {
    format!("{line}\r\n{}{more}\r\n", bearer(key)).into_bytes()
}

// `x` repeated, packed so that a few bytes become megabytes.
fn bomb() -> Vec<u8> {
    let mut packed = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
    // Stored blocks of 65,535 bytes are no compression, but enough of them pass the limit.
    for last in [0_u8, 0, 1] {
        packed.extend_from_slice(&[last, 0xff, 0xff, 0, 0]);
        packed.extend(std::iter::repeat_n(b'x', 65_535));
    }
    packed
}

type Case = (&'static str, &'static str, Vec<u8>);

fn forged_keys(scene: &Scene, chat: &str) -> Vec<Case> {
    let with = |key: &str| post(chat, &format!("{JSON}{}", bearer(key)), BODY);
    vec![
        ("no key", "401", post(chat, JSON, BODY)),
        ("no key, messages", "401", post("/v1/messages", JSON, BODY)),
        ("no key, models", "401", b"GET /v1/models HTTP/1.1\r\nhost: localhost\r\n\r\n".to_vec()),
        ("wrong key", "401", with(WRONG_KEY)),
        ("a revoked key", "401", with(&scene.revoked)),
        ("a client's own key", "401", with(CLIENT_KEY)),
        ("the upstream's key", "401", with(UPSTREAM_KEY)),
        ("an empty key", "401", with("")),
        ("a key cut short", "401", with(&scene.key[..scene.key.len() - 1])),
        ("a key with more", "401", with(&format!("{}0", scene.key))),
        (
            "wrong x-api-key",
            "401",
            post("/v1/messages", &format!("{JSON}x-api-key: {WRONG_KEY}\r\n"), BODY),
        ),
        (
            "wrong x-salve-key",
            "401",
            post(chat, &format!("{JSON}x-salve-key: {WRONG_KEY}\r\n{}", bearer(&scene.key)), BODY),
        ),
        (
            "basic authentication",
            "401",
            post(chat, &format!("{JSON}authorization: Basic {}\r\n", scene.key), BODY),
        ),
        ("a key in the query", "401", post(&format!("{chat}?api_key={}", scene.key), JSON, BODY)),
        ("a key in the path", "404", post(&format!("/{}/chat/completions", scene.key), JSON, BODY)),
        ("over budget", "429", with(&scene.poor)),
        ("over its rate", "429", with(&scene.slow)),
    ]
}

fn wrong_places(scene: &Scene) -> Vec<Case> {
    let key = &scene.key;
    let get = |path: &str, more: &str| keyed(&format!("GET {path} HTTP/1.1"), key, more);
    let local = "host: localhost\r\n";
    vec![
        ("another host", "403", get("/v1/models", "host: evil.example\r\n")),
        ("a host that begins well", "403", get("/v1/models", "host: 127.0.0.1.evil.example\r\n")),
        ("another machine's address", "403", get("/v1/models", "host: 10.1.2.3:8790\r\n")),
        ("no host", "400", get("/v1/models", "")),
        ("two hosts", "400", get("/v1/models", &format!("{local}{local}"))),
        ("an absolute address elsewhere", "403", get("http://evil.example/v1/models", local)),
        ("a tunnel", "403", keyed("CONNECT evil.example:443 HTTP/1.1", key, local)),
        (
            "a page of another origin",
            "403",
            get("/v1/models", &format!("{local}origin: https://evil.example\r\n")),
        ),
        ("a page without an origin", "403", get("/v1/models", &format!("{local}origin: null\r\n"))),
        (
            "a page that asks first",
            "403",
            keyed(
                "OPTIONS /v1/chat/completions HTTP/1.1",
                key,
                &format!(
                    "{local}origin: https://evil.example\r\naccess-control-request-method: POST\r\n"
                ),
            ),
        ),
        (
            "metrics for a page",
            "403",
            get("/metrics", &format!("{local}origin: https://evil.example\r\n")),
        ),
        ("a path that climbs", "404", get("/v1/../admin", local)),
        ("a path that climbs escaped", "404", get("/v1/%2e%2e/admin", local)),
        ("two slashes", "404", get("/v1//evil.example/", local)),
        ("another version", "404", get("/v2/models", local)),
        ("no such path", "404", get("/admin", local)),
        ("GET for an answer", "405", get("/v1/chat/completions", local)),
        ("PUT for an answer", "405", keyed("PUT /v1/messages HTTP/1.1", key, local)),
        ("TRACE", "405", keyed("TRACE /v1/models HTTP/1.1", key, local)),
        ("POST for metrics", "405", keyed("POST /metrics HTTP/1.1", key, local)),
    ]
}

fn wrong_bodies(scene: &Scene, chat: &str) -> Vec<Case> {
    let auth = bearer(&scene.key);
    let json = format!("{JSON}{auth}");
    let typed = |kind: &str| post(chat, &format!("content-type: {kind}\r\n{auth}"), BODY);
    let packed = |coding: &str, body: Vec<u8>| {
        post(chat, &format!("{json}content-encoding: {coding}\r\n"), body)
    };
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(10_000), "]".repeat(10_000));
    let chunked = {
        let head = format!(
            "POST {chat} HTTP/1.1\r\nhost: localhost\r\n{json}transfer-encoding: chunked\r\n\r\n"
        );
        let chunk = format!("{:x}\r\n{}\r\n", 32 << 10, "x".repeat(32 << 10));
        [head, chunk.repeat(4), "0\r\n\r\n".to_owned()].concat().into_bytes()
    };
    let huge = format!(
        "POST {chat} HTTP/1.1\r\nhost: localhost\r\n{json}content-length: 999999999999\r\n\r\n{{"
    );
    vec![
        ("plain text", "415", typed("text/plain")),
        ("a form", "415", typed("application/x-www-form-urlencoded")),
        ("a form in parts", "415", typed("multipart/form-data; boundary=x")),
        ("no type", "415", post(chat, &auth, BODY)),
        ("not JSON", "400", post(chat, &json, "{not json")),
        ("no object", "400", post(chat, &json, "[1,2]")),
        ("nothing", "400", post(chat, &json, "")),
        ("deeply nested", "400", post(chat, &json, deep)),
        ("not UTF-8", "400", post(chat, &json, b"{\"model\":\"\xff\xfe\"}")),
        ("a length beyond the limit", "413", huge.into_bytes()),
        ("chunks beyond the limit", "413", chunked),
        ("a body that unpacks beyond the limit", "413", packed("gzip", bomb())[..].to_vec()),
        ("a body that is not packed", "400", packed("gzip", BODY.into())),
        ("an unknown packing", "415", packed("zstd", BODY.into())),
        ("a word for nothing", "400", post(chat, &format!("{json}x-salve-heal: maybe\r\n"), BODY)),
    ]
}

fn malformed(scene: &Scene, path: &str) -> Vec<Case> {
    let head = format!("POST {path} HTTP/1.1\r\nhost: localhost\r\n{JSON}{}", bearer(&scene.key));
    let smuggled = "0\r\n\r\nGET /v1/models HTTP/1.1\r\nhost: localhost\r\n\r\n";
    let with = |more: &str| format!("{head}{more}").into_bytes();
    vec![
        (
            "a length and chunks",
            "400",
            with(&format!("content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n{smuggled}")),
        ),
        (
            "chunks and a length",
            "400",
            with(&format!("transfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n{smuggled}")),
        ),
        ("two lengths", "400", with("content-length: 5\r\ncontent-length: 6\r\n\r\n{}")),
        ("a negative length", "400", with("content-length: -1\r\n\r\n{}")),
        (
            "chunks of another kind",
            "400",
            with(&format!("transfer-encoding: xchunked\r\n\r\n{smuggled}")),
        ),
        (
            "a chunk without a size",
            "400",
            with("transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n"),
        ),
        (
            "two hundred headers",
            "431",
            with(&format!("{}\r\n", (0..200).map(|n| format!("x-{n}: 1\r\n")).collect::<String>())),
        ),
        ("a huge header", "431", with(&format!("x-long: {}\r\n\r\n", "x".repeat(64 << 10)))),
        ("a space before a colon", "400", with("content-length : 2\r\n\r\n{}")),
        ("a zero byte in a header", "400", with("x-odd: a\0b\r\n\r\n")),
        ("no HTTP at all", "400", b"hello there\r\n\r\n".to_vec()),
        (
            "a handshake for TLS",
            "400",
            [&[0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3][..], &[0; 64], b"\r\n\r\n"].concat(),
        ),
        ("HTTP/2 without being asked", CLOSED, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec()),
    ]
}

const CHAT: &str = "/v1/chat/completions";

#[tokio::test]
async fn every_forged_or_abusive_request_is_refused_and_logged_without_a_key() {
    let log = Log::default();
    let _guard = tracing::subscriber::set_default(log.clone());
    let scene = scene(log, None).await;
    let cases = [wrong_places(&scene), of_dialect(&scene, CHAT)].concat();
    assert!(cases.len() >= 60);
    refuse_all(&scene, &cases).await;
    slow_clients(&scene).await;
    hears_nothing(&scene);
}

// What is wrong with a request is wrong in every dialect.
#[tokio::test]
async fn the_same_requests_are_refused_for_messages() {
    in_dialect("/v1/messages").await;
}

#[tokio::test]
async fn the_same_requests_are_refused_for_responses() {
    in_dialect("/v1/responses").await;
}

async fn in_dialect(path: &str) {
    let log = Log::default();
    let _guard = tracing::subscriber::set_default(log.clone());
    let scene = scene(log, None).await;
    refuse_all(&scene, &of_dialect(&scene, path)).await;
    hears_nothing(&scene);
}

#[tokio::test]
async fn the_same_requests_are_refused_over_tls() {
    let log = Log::default();
    let _guard = tracing::subscriber::set_default(log.clone());
    let scene = scene(log, tls::identity(tls::CERTIFICATE, tls::KEY)).await;
    let cases = [wrong_places(&scene), of_dialect(&scene, CHAT)].concat();
    refuse_all(&scene, &cases).await;
    slow_handshakes(&scene).await;
    hears_nothing(&scene);
}

fn of_dialect(scene: &Scene, path: &str) -> Vec<Case> {
    [forged_keys(scene, path), wrong_bodies(scene, path), malformed(scene, path)].concat()
}

async fn refuse_all(scene: &Scene, cases: &[Case]) {
    for (name, status, request) in cases {
        let before = scene.log.refusals();
        let socket = TcpStream::connect(scene.gateway.addr).await.unwrap();
        let answer = match &scene.trusting {
            None => talk(socket, request).await,
            Some(trusting) => {
                let host = ServerName::try_from("localhost").unwrap();
                talk(trusting.connect(host, socket).await.unwrap(), request).await
            }
        };
        if *status == CLOSED {
            assert_eq!(answer, "", "{name}");
        } else {
            assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{name}: {answer}");
            assert_eq!(answer.matches("HTTP/1.1 ").count(), 1, "{name}: answered twice: {answer}");
        }
        super::stage::until(name, || scene.log.refusals() > before).await;
        assert!(!answer.contains("planted") && !answer.contains(&scene.key), "{name}: {answer}");
    }
}

fn hears_nothing(scene: &Scene) {
    assert_eq!(scene.upstream.calls(), 0, "the upstream heard nothing of any of it");
    let logged = scene.log.text();
    for secret in [UPSTREAM_KEY, CLIENT_KEY, WRONG_KEY, &scene.key, &scene.revoked, &scene.poor] {
        assert!(!logged.contains(secret), "a key is in the log");
        assert!(!logged.contains(&secret[..24]), "most of a key is in the log");
    }
}

// Handshakes that do not go on, that end in the middle, and that are none.
async fn slow_handshakes(scene: &Scene) {
    let hello = [&[0x16, 3, 1, 0, 0xf0, 1, 0, 0, 0xec, 3, 3][..], &[7; 32]].concat();
    let cases: [(&str, &[u8]); 4] = [
        ("nothing at all", b""),
        ("half a hello", &hello),
        ("plain HTTP", b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n"),
        ("a hello that is too long", &[0x16, 3, 1, 0xff, 0xff]),
    ];
    for (name, sent) in cases {
        let before = scene.log.refusals();
        let mut socket = TcpStream::connect(scene.gateway.addr).await.unwrap();
        socket.write_all(sent).await.unwrap();
        let mut answer = Vec::new();
        let read = socket.read_to_end(&mut answer);
        let ended = tokio::time::timeout(Duration::from_secs(30), read).await;
        assert!(ended.is_ok(), "{name}: still open");
        assert!(!answer.starts_with(b"HTTP/"), "{name}: {answer:?}");
        super::stage::until(name, || scene.log.refusals() > before).await;
    }
}

async fn slow_clients(scene: &Scene) {
    let addr = scene.gateway.addr;
    let head = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\n{JSON}{}content-length: 500\r\n\r\n{{",
        bearer(&scene.key)
    );
    let cases = [
        ("a head that does not end", "POST /v1/chat/comp".to_owned()),
        ("a body that does not end", head),
    ];
    for (name, request) in cases {
        let begun = Instant::now();
        let before = scene.log.refusals();
        let mut socket = TcpStream::connect(addr).await.unwrap();
        socket.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        let _ =
            tokio::time::timeout(Duration::from_secs(30), socket.read_to_string(&mut answer)).await;
        assert!(begun.elapsed() < Duration::from_secs(30), "{name}: still open");
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 408 "), "{name}: {answer}");
        super::stage::until("it is logged", || scene.log.refusals() > before).await;
    }
}

#[tokio::test]
async fn a_client_cannot_choose_the_upstream() {
    let other = FakeUpstream::start(|_, _| text(200, "{}")).await;
    let upstream = FakeUpstream::start(|_, _| text(200, "{}")).await;
    let gateway = gateway(config(&upstream)).await;
    let url = other.url();
    let body = format!(
        r#"{{"model":"m","messages":[],"api_base":"{url}","base_url":"{url}","extra_body":{{"api_base":"{url}"}}}}"#
    );
    let head = format!(
        "{JSON}x-salve-heal: off\r\nx-forwarded-host: {0}\r\nx-upstream: {url}\r\nforwarded: host={0}\r\nx-original-url: {url}\r\n",
        other.addr
    );
    let answer = raw(gateway.addr, &post("/v1/chat/completions", &head, &body)).await;
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    assert_eq!((upstream.calls(), other.calls()), (1, 0));
    assert_eq!(upstream.last().body, body);
}
