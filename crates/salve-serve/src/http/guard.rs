//! The checks every request passes before anything is done for it.
//!
//! In: the head of a request. Out: nothing, or why it is refused. A face holds keys, spends money and
//! writes files, so that neither a page in a browser nor a name that was bound to this address may get
//! through, on loopback neither.

use super::refusal::{Reason, Refusal};
use http::header::{CONTENT_TYPE, HOST, ORIGIN};
use http::uri::Authority;
use http::{HeaderMap, HeaderValue, Uri};
use std::net::IpAddr;

/// Whom requests may be addressed to, and which pages may send them.
#[derive(Debug, Clone)]
pub(crate) struct Guard {
    listen: IpAddr,
    hosts: Vec<String>,
    origins: Vec<HeaderValue>,
    /// The one port of a server whose own pages are the only ones that send it requests.
    own: Option<u16>,
}

impl Guard {
    /// Makes the guard of an address.
    pub(crate) fn new(listen: IpAddr, hosts: &[String], origins: &[String]) -> Self {
        Self {
            listen,
            hosts: hosts.iter().map(|host| host.to_ascii_lowercase()).collect(),
            origins: origins.iter().filter_map(|origin| origin.parse().ok()).collect(),
            own: None,
        }
    }

    /// Makes the guard of a server that has pages: requests name this machine and this port, to the letter, and
    /// come from the server's own pages or from no page.
    pub(crate) const fn of_pages(listen: IpAddr, port: u16) -> Self {
        Self { listen, hosts: Vec::new(), origins: Vec::new(), own: Some(port) }
    }

    /// Checks whom the request is addressed to and who sends it.
    pub(crate) fn check(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Refusal> {
        let mut hosts = headers.get_all(HOST).iter();
        let host = hosts.next();
        if hosts.next().is_some() {
            return Err(Refusal::new(Reason::BAD_REQUEST, "the request has two Host headers"));
        }
        let named = host.and_then(|value| value.to_str().ok()?.parse::<Authority>().ok());
        let named = named.ok_or_else(|| {
            Refusal::new(Reason::BAD_REQUEST, "the request has no Host header that can be read")
        })?;
        if let Some(port) = self.own {
            return of_own_pages(port, named.as_str(), uri, headers);
        }
        let other = uri.authority().is_some_and(|authority| !self.knows(authority.host()));
        if other || !self.knows(named.host()) || named.as_str().contains('@') {
            return Err(Refusal::new(
                Reason::WRONG_HOST,
                "the request is addressed to another host; use the address printed at the start, or \
                 start with --host NAME",
            ));
        }
        self.check_origin(headers)
    }

    /// Returns the origin of a request from a page that may send one.
    pub(crate) fn allowed_origin<'h>(&self, headers: &'h HeaderMap) -> Option<&'h HeaderValue> {
        headers.get(ORIGIN).filter(|origin| self.origins.contains(origin))
    }

    fn check_origin(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        if headers.contains_key(ORIGIN) && self.allowed_origin(headers).is_none() {
            return Err(Refusal::new(
                Reason::WRONG_ORIGIN,
                "pages in a browser may not send requests here; start with --allow-origin ORIGIN",
            ));
        }
        Ok(())
    }

    fn knows(&self, host: &str) -> bool {
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        if host == "localhost" || self.hosts.contains(&host) {
            return true;
        }
        // The owner of a name can bind it to any address; an address cannot be bound.
        let literal = host.trim_start_matches('[').trim_end_matches(']');
        literal.parse::<IpAddr>().is_ok_and(|address| {
            address.is_loopback() || address == self.listen || self.listen.is_unspecified()
        })
    }
}

/// The names of this machine that a request to a server with pages may be addressed to.
const OWN_NAMES: [&str; 2] = ["127.0.0.1", "localhost"];

// Another port of this machine is the same site to a browser, and another origin: only what is ours to the letter
// passes.
fn of_own_pages(port: u16, host: &str, uri: &Uri, headers: &HeaderMap) -> Result<(), Refusal> {
    let is_own = |host: &str| OWN_NAMES.iter().any(|name| format!("{name}:{port}") == host);
    let other = uri.authority().is_some_and(|authority| authority.as_str() != host);
    if other || !is_own(host) {
        let why = "the request is addressed to another host; use the address printed at the start";
        return Err(Refusal::new(Reason::WRONG_HOST, why));
    }
    let foreign = Refusal::new(
        Reason::WRONG_ORIGIN,
        "only pages of this server may send requests from a browser",
    );
    let mut origins = headers.get_all(ORIGIN).iter();
    let origin = origins.next();
    let own = format!("http://{host}");
    if origins.next().is_some() || origin.is_some_and(|origin| origin.as_bytes() != own.as_bytes())
    {
        return Err(foreign);
    }
    // `none` is a person who opened the address; `same-site` is another port of this machine.
    let mut sites = headers.get_all("sec-fetch-site").iter();
    if sites.any(|site| !matches!(site.as_bytes(), b"same-origin" | b"none")) {
        return Err(foreign);
    }
    Ok(())
}

/// Returns whether a body is JSON by its header. A form or plain text is what a page in a browser can
/// send without the server's leave.
pub(crate) fn is_json(headers: &HeaderMap) -> bool {
    let Some(value) = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()) else {
        return false;
    };
    let essence = value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    essence == "application/json"
        || (essence.starts_with("application/") && essence.ends_with("+json"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::Request;

    fn request(uri: &str, headers: &[(&str, &str)]) -> Request<()> {
        let mut request = Request::get(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.body(()).unwrap()
    }

    fn outcome(guard: &Guard, uri: &str, headers: &[(&str, &str)]) -> &'static str {
        let request = request(uri, headers);
        let checked = guard.check(request.uri(), request.headers());
        checked.map_or_else(|refusal| refusal.reason.code, |()| "ok")
    }

    #[test]
    fn only_requests_to_this_machine_and_not_from_pages_pass() {
        let guard = Guard::new(
            IpAddr::from([127, 0, 0, 1]),
            &["salve.internal".to_owned()],
            &["http://localhost:3000".to_owned()],
        );
        type Headers = &'static [(&'static str, &'static str)];
        let cases: &[(&str, Headers, &str)] = &[
            ("/", &[("host", "localhost:8790")], "ok"),
            ("/", &[("host", "LOCALHOST")], "ok"),
            ("/", &[("host", "127.0.0.1:8790")], "ok"),
            ("/", &[("host", "[::1]:8790")], "ok"),
            ("/", &[("host", "salve.internal")], "ok"),
            ("/", &[("host", "evil.example")], "host_not_allowed"),
            ("/", &[("host", "127.0.0.1.evil.example")], "host_not_allowed"),
            ("/", &[("host", "localhost.evil.example")], "host_not_allowed"),
            ("/", &[("host", "localhost@evil.example")], "host_not_allowed"),
            ("/", &[("host", "evil.example@localhost")], "host_not_allowed"),
            ("/", &[("host", "192.168.1.7:8790")], "host_not_allowed"),
            ("/", &[], "bad_request"),
            ("/", &[("host", "a b")], "bad_request"),
            ("/", &[("host", "localhost"), ("host", "localhost")], "bad_request"),
            ("http://evil.example/v1/models", &[("host", "localhost")], "host_not_allowed"),
            (
                "/",
                &[("host", "localhost"), ("origin", "https://evil.example")],
                "origin_not_allowed",
            ),
            ("/", &[("host", "localhost"), ("origin", "null")], "origin_not_allowed"),
            ("/", &[("host", "localhost"), ("origin", "http://localhost:3000")], "ok"),
        ];
        for (uri, headers, expected) in cases {
            assert_eq!(outcome(&guard, uri, headers), *expected, "{uri} {headers:?}");
        }
    }

    #[test]
    fn a_name_is_not_an_address_even_where_all_addresses_are_served() {
        let guard = Guard::new(IpAddr::from([0, 0, 0, 0]), &[], &[]);
        assert_eq!(outcome(&guard, "/", &[("host", "192.168.1.7:8790")]), "ok");
        assert_eq!(outcome(&guard, "/", &[("host", "evil.example")]), "host_not_allowed");
    }
}
