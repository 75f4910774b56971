//! Requests that a foreign page, another program or another user could send: none is accepted.
//!
//! Each row changes one thing of a request that is accepted, which is checked first.

use super::stage::{Bench, World, answered};
use crate::stage::{key, raw};
use salve_store::NewKey;
use serde_json::{Value, json};

/// A request as text: method, path, headers, body.
struct Forged {
    what: &'static str,
    head: String,
    headers: Vec<(String, String)>,
    body: String,
}

impl Forged {
    fn new(what: &'static str, of: &Sound) -> Self {
        Self { what, head: of.head.clone(), headers: of.headers.clone(), body: of.body.clone() }
    }

    fn set(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(known, _)| known != name);
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    fn also(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(known, _)| known != name);
        self
    }

    fn head(mut self, head: &str) -> Self {
        self.head = head.to_owned();
        self
    }

    fn body(mut self, body: &str) -> Self {
        self.body = body.to_owned();
        self
    }

    fn bytes(&self) -> Vec<u8> {
        let mut text = format!("{} HTTP/1.1\r\nconnection: close\r\n", self.head);
        for (name, value) in &self.headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        if !self.body.is_empty() {
            text.push_str(&format!("content-length: {}\r\n", self.body.len()));
        }
        text.push_str(&format!("\r\n{}", self.body));
        text.into_bytes()
    }
}

/// A request that is accepted.
struct Sound {
    head: String,
    headers: Vec<(String, String)>,
    body: String,
}

fn status_of(answer: &str) -> u16 {
    answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0)
}

async fn send(bench: &Bench, request: &Forged) -> (u16, String) {
    let answer = raw(bench.workbench.addr(), &request.bytes()).await;
    (status_of(&answer), answer)
}

// Lets a browser in, and returns its cookie.
async fn cookie(bench: &Bench) -> String {
    let address = bench.workbench.fresh_address();
    let token = address.split("#token=").nth(1).unwrap();
    let request = bench.client.post(bench.url("/api/v1/exchange"));
    let request = request.header("origin", bench.url("").trim_end_matches('/'));
    let request = request.header("content-type", "application/json").header("x-salve", "1");
    let response = request.body(json!({ "token": token }).to_string()).send().await.unwrap();
    assert_eq!(response.status(), 204);
    let set = response.headers()["set-cookie"].to_str().unwrap().to_owned();
    let port = bench.workbench.addr().port();
    assert!(set.starts_with(&format!("salve_{port}=")), "{set}");
    assert!(set.contains("HttpOnly") && set.contains("SameSite=Strict"), "{set}");
    set.split(';').next().unwrap().to_owned()
}

fn by_page(bench: &Bench, cookie: &str) -> Sound {
    let host = bench.workbench.addr().to_string();
    let headers = [
        ("host", host.as_str()),
        ("origin", &format!("http://{host}")),
        ("sec-fetch-site", "same-origin"),
        ("cookie", cookie),
        ("content-type", "application/json"),
        ("x-salve", "1"),
    ];
    Sound {
        head: "POST /api/v1/sessions".to_owned(),
        headers: headers.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec(),
        body: "{}".to_owned(),
    }
}

fn by_program(bench: &Bench) -> Sound {
    let headers = [
        ("host", bench.workbench.addr().to_string()),
        ("authorization", format!("Bearer {}", bench.workbench.api_token())),
        ("content-type", "application/json".to_owned()),
    ];
    Sound {
        head: "POST /api/v1/sessions".to_owned(),
        headers: headers.map(|(name, value)| (name.to_owned(), value)).to_vec(),
        body: "{}".to_owned(),
    }
}

fn forged_pages(bench: &Bench, page: &Sound, other: &str, gateway: &str) -> Vec<Forged> {
    let port = bench.workbench.addr().port();
    let forged = |what| Forged::new(what, page);
    let stream = |what| forged(what).head("GET /stream?after=0").without("content-type").body("");
    let cookie = page.headers.iter().find(|(name, _)| name == "cookie").unwrap().1.clone();
    vec![
        // Another host: a name that was bound to this address.
        forged("rebinding").set("host", &format!("evil.example:{port}")),
        forged("rebinding without a port").set("host", "evil.example"),
        forged("a name that ends in ours").set("host", &format!("127.0.0.1.evil.example:{port}")),
        forged("a name that begins with ours")
            .set("host", &format!("localhost.evil.example:{port}")),
        forged("our name without the port").set("host", "127.0.0.1"),
        forged("our name with another port").set("host", "127.0.0.1:1"),
        forged("all addresses").set("host", &format!("0.0.0.0:{port}")),
        forged("another loopback address").set("host", &format!("127.0.0.2:{port}")),
        forged("the address as a number").set("host", &format!("2130706433:{port}")),
        forged("a user before the host").set("host", &format!("evil@127.0.0.1:{port}")),
        forged("a dot after the name").set("host", &format!("localhost.:{port}")),
        forged("no host").without("host"),
        forged("an empty host").set("host", ""),
        forged("two hosts").also("host", "evil.example"),
        forged("another host in the target")
            .head(&format!("POST http://evil.example:{port}/api/v1/sessions")),
        // Another origin.
        forged("another site").set("origin", "https://evil.example"),
        forged("no origin at all").set("origin", "null"),
        forged("another port of this machine").set("origin", "http://127.0.0.1:3000"),
        forged("our host by another name").set("origin", &format!("http://localhost:{port}")),
        forged("our host over TLS").set("origin", &format!("https://127.0.0.1:{port}")),
        forged("an origin that begins with ours")
            .set("origin", &format!("http://127.0.0.1:{port}.evil.example")),
        forged("an empty origin").set("origin", ""),
        forged("two origins").also("origin", "https://evil.example"),
        forged("no origin beside the cookie").without("origin"),
        forged("a foreign page, by the browser's word").set("sec-fetch-site", "cross-site"),
        forged("a page of another port, by the browser's word").set("sec-fetch-site", "same-site"),
        // What a form can send.
        forged("a form").set("content-type", "application/x-www-form-urlencoded").body("a=b"),
        forged("a form in parts").set("content-type", "multipart/form-data; boundary=x"),
        forged("plain text").set("content-type", "text/plain"),
        forged("no type").without("content-type"),
        forged("no header of ours").without("x-salve"),
        // Other secrets.
        forged("no cookie").without("cookie"),
        forged("a cookie of another server").set("cookie", other),
        forged("our cookie under another port's name")
            .set("cookie", &cookie.replace(&port.to_string(), "1")),
        forged("a guessed cookie").set("cookie", &format!("salve_{port}={}", "0".repeat(64))),
        forged("an empty cookie").set("cookie", &format!("salve_{port}=")),
        forged("our cookie as a token")
            .without("cookie")
            .set("authorization", &format!("Bearer {}", cookie.split_once('=').unwrap().1)),
        forged("a gateway key")
            .without("cookie")
            .set("authorization", &format!("Bearer {gateway}")),
        forged("a gateway key as a header").without("cookie").set("x-api-key", gateway),
        forged("a gateway key as the cookie").set("cookie", &format!("salve_{port}={gateway}")),
        // Reading without leave.
        stream("the stream without a cookie").without("cookie"),
        stream("the stream of another site").set("origin", "https://evil.example"),
        stream("the stream for a page of another port").set("sec-fetch-site", "same-site"),
        stream("the stream by a name that was bound").set("host", "evil.example"),
        stream("events without a cookie").head("GET /api/v1/events?after=0").without("cookie"),
        stream("the token in the address").head("GET /api/v1/events?token=x").without("cookie"),
        stream("sessions without a cookie").head("GET /api/v1/sessions").without("cookie"),
        stream("a page without a cookie").head("GET /").without("cookie"),
        stream("the document without a cookie").head("GET /api/v1/openapi.json").without("cookie"),
        // Effects by a method that should have none, or by one that is not served.
        forged("an effect by GET").head("GET /api/v1/sessions/x/messages"),
        forged("an effect by HEAD").head("HEAD /api/v1/reports"),
        forged("an effect by PUT").head("PUT /api/v1/sessions"),
        forged("an effect by DELETE").head("DELETE /api/v1/sessions"),
        forged("a preflight")
            .head("OPTIONS /api/v1/sessions")
            .set("origin", "https://evil.example"),
        forged("two lengths").also("content-length", "7"),
        forged("a length and chunks").also("transfer-encoding", "chunked"),
    ]
}

fn forged_programs(bench: &Bench, program: &Sound, gateway: &str) -> Vec<Forged> {
    let port = bench.workbench.addr().port();
    let forged = |what| Forged::new(what, program);
    let token = bench.workbench.api_token();
    vec![
        forged("no token").without("authorization"),
        forged("a wrong token").set("authorization", "Bearer 0"),
        forged("a part of the token").set("authorization", &format!("Bearer {}", &token[..63])),
        forged("more than the token").set("authorization", &format!("Bearer {token}0")),
        forged("another scheme").set("authorization", &format!("Basic {token}")),
        forged("no scheme").set("authorization", token),
        forged("two tokens").also("authorization", "Bearer 0"),
        forged("a gateway key").set("authorization", &format!("Bearer {gateway}")),
        forged("the token as a cookie")
            .without("authorization")
            .set("cookie", &format!("salve_{port}={token}")),
        forged("the token by a name that was bound").set("host", &format!("evil.example:{port}")),
        forged("the token from a page").set("origin", "https://evil.example"),
        forged("the token from nowhere").set("origin", "null"),
        forged("the token in a form").set("content-type", "text/plain"),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn threat4_no_forged_request_is_accepted() {
    let world = World::new(r#"{"reply": {"text": "x"}}"#).await;
    let bench = Bench::start(&world).await;
    let elsewhere = World::new(r#"{"reply": {"text": "x"}}"#).await;
    let other = Bench::start(&elsewhere).await;
    let (own, others) = (cookie(&bench).await, cookie(&other).await);
    let gateway = key(&crate::stage::store().await, NewKey::default()).await;
    let (page, program) = (by_page(&bench, &own), by_program(&bench));
    for sound in [&page, &program] {
        let (status, answer) = send(&bench, &Forged::new("nothing is forged", sound)).await;
        assert_eq!(status, 201, "{answer}");
    }
    let (_, before) = bench.get("/api/v1/sessions").await;

    let mut forged = forged_pages(&bench, &page, &others, &gateway);
    forged.extend(forged_programs(&bench, &program, &gateway));
    assert!(forged.len() >= 40, "{}", forged.len());
    for request in &forged {
        let (status, answer) = send(&bench, request).await;
        // 400: it cannot be read as one request; 404, 405: nothing is served by that method.
        let refused = [400, 401, 403, 404, 405, 415, 421, 429].contains(&status);
        assert!(refused, "{}: {status}\n{answer}", request.what);
        let lower = answer.to_ascii_lowercase();
        assert!(!lower.contains("access-control-allow"), "{}: {answer}", request.what);
    }
    let (_, after) = bench.get("/api/v1/sessions").await;
    assert_eq!(after, before, "no forged request had an effect");
    other.stop().await;
    bench.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn threat4_the_token_of_an_address_lets_in_once() {
    let world = World::new(r#"{"reply": {"text": "x"}}"#).await;
    let bench = Bench::start(&world).await;
    let exchange = async |token: &str| {
        let request = bench.client.post(bench.url("/api/v1/exchange"));
        let request = request.header("origin", bench.url("")).header("x-salve", "1");
        let request = request.header("content-type", "application/json");
        answered(request.body(json!({ "token": token }).to_string()).send().await.unwrap()).await
    };
    let old = bench.workbench.fresh_address();
    let new = bench.workbench.fresh_address();
    let token = |address: &str| address.split("#token=").nth(1).unwrap().to_owned();
    assert_eq!(token(&new).len(), 64, "256 bits");
    assert_eq!(exchange(&token(&old)).await.0, 401, "a fresh address replaces the one before");
    assert_eq!(exchange(&token(&new)).await.0, 204);
    let (status, said) = exchange(&token(&new)).await;
    assert_eq!((status, &said["error"]["code"]), (401, &json!("wrong_token")), "it is used up");
    assert_eq!(exchange(bench.workbench.api_token()).await.0, 401, "it is another secret");
    bench.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn threat4_every_answer_keeps_the_browser_in_its_place() {
    let world = World::new(r#"{"reply": {"text": "x"}}"#).await;
    let bench = Bench::start(&world).await;
    let own = cookie(&bench).await;
    let page = bench.client.get(bench.url("/")).header("cookie", &own).send().await.unwrap();
    assert_eq!(page.status(), 200);
    let html = page.text().await.unwrap();
    let asset = html.split('"').find(|text| text.starts_with("/assets/")).unwrap().to_owned();
    for path in ["/", asset.as_str(), "/health", "/api/v1/sessions", "/api/v1/nothing", "/nowhere"]
    {
        for signed_in in [true, false] {
            let request = bench.client.get(bench.url(path));
            let request = if signed_in { request.header("cookie", &own) } else { request };
            let response = request.send().await.unwrap();
            let headers = response.headers();
            let said = |name: &str| headers.get(name).map_or("", |value| value.to_str().unwrap());
            let policy = said("content-security-policy");
            for part in [
                "default-src 'none'",
                "script-src 'self'",
                "style-src 'self'",
                "frame-ancestors 'none'",
                "base-uri 'none'",
                "require-trusted-types-for 'script'",
                "trusted-types salve",
            ] {
                assert!(policy.contains(part), "{path}: {policy}");
            }
            assert!(!policy.contains("unsafe"), "{policy}");
            assert_eq!(said("x-content-type-options"), "nosniff", "{path}");
            assert_eq!(said("referrer-policy"), "no-referrer", "{path}");
            let kept =
                if path == asset { "public, max-age=31536000, immutable" } else { "no-store" };
            assert_eq!(said("cache-control"), kept, "{path}");
            assert!(!headers.contains_key("access-control-allow-origin"), "{path}");
        }
    }
    assert!(!html.contains("style=") && !html.contains("onclick"), "{html}");
    let inline = html.split("<script").skip(1).all(|tag| tag.contains("src="));
    assert!(inline, "every script is a file: {html}");
    let old = asset.replacen("/assets/", "/assets/0", 1);
    assert_eq!(bench.client.get(bench.url(&old)).send().await.unwrap().status(), 404);
    bench.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn threat4_wrong_tokens_are_slowed_down() {
    let world = World::new(r#"{"reply": {"text": "x"}}"#).await;
    let bench = Bench::start(&world).await;
    let wrong = async |number: u32| {
        let request = bench.client.get(bench.url("/api/v1/sessions")).bearer_auth(number);
        answered(request.send().await.unwrap()).await
    };
    let mut last: (u16, Value) = (0, Value::Null);
    for number in 0..40 {
        last = wrong(number).await;
    }
    assert_eq!((last.0, &last.1["error"]["code"]), (429, &json!("rate_limit_exceeded")));
    assert_eq!(bench.get("/api/v1/sessions").await.0, 200, "the right one is let in all the same");
    bench.stop().await;
}
