//! The checks every request passes before anything is done for it.
//!
//! In: the head of a request. Out: nothing, or why it is refused. The gateway holds keys and spends
//! money, so that a page in a browser, a name that was bound to this address, or a request with two
//! meanings must not get through, on loopback neither.

use super::refusal::{Reason, Refusal};
use crate::gateway::route::Route;
use http::header::{CONTENT_TYPE, HOST, ORIGIN};
use http::request::Parts;
use http::uri::Authority;
use http::{HeaderMap, HeaderValue, Method};
use std::net::IpAddr;

/// Whom requests may be addressed to, and which pages may send them.
#[derive(Debug, Clone)]
pub(crate) struct Guard {
    listen: IpAddr,
    hosts: Vec<String>,
    origins: Vec<HeaderValue>,
}

impl Guard {
    /// Makes the guard of an address.
    pub(crate) fn new(listen: IpAddr, hosts: &[String], origins: &[String]) -> Self {
        Self {
            listen,
            hosts: hosts.iter().map(|host| host.to_ascii_lowercase()).collect(),
            origins: origins.iter().filter_map(|origin| origin.parse().ok()).collect(),
        }
    }

    /// Checks whom the request is addressed to and who sends it.
    pub(crate) fn check(&self, parts: &Parts) -> Result<(), Refusal> {
        let mut hosts = parts.headers.get_all(HOST).iter();
        let host = hosts.next();
        if hosts.next().is_some() {
            return Err(Refusal::new(Reason::BadRequest, "the request has two Host headers"));
        }
        let named = host.and_then(|value| value.to_str().ok()?.parse::<Authority>().ok());
        let named = named.ok_or_else(|| {
            Refusal::new(Reason::BadRequest, "the request has no Host header that can be read")
        })?;
        let other = parts.uri.authority().is_some_and(|authority| !self.knows(authority.host()));
        if other || !self.knows(named.host()) || named.as_str().contains('@') {
            return Err(Refusal::new(
                Reason::WrongHost,
                "the request is addressed to another host; use the address the gateway printed, or \
                 start it with --host NAME",
            ));
        }
        self.check_origin(&parts.headers)
    }

    /// Returns the origin of a request from a page that may send one.
    pub(crate) fn allowed_origin<'h>(&self, headers: &'h HeaderMap) -> Option<&'h HeaderValue> {
        headers.get(ORIGIN).filter(|origin| self.origins.contains(origin))
    }

    fn check_origin(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        if headers.contains_key(ORIGIN) && self.allowed_origin(headers).is_none() {
            return Err(Refusal::new(
                Reason::WrongOrigin,
                "pages in a browser may not use the gateway; start it with --allow-origin ORIGIN",
            ));
        }
        Ok(())
    }

    fn knows(&self, host: &str) -> bool {
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        if host == "localhost" || self.hosts.contains(&host) {
            return true;
        }
        // A name can be bound to any address by whoever owns it; an address cannot.
        let literal = host.trim_start_matches('[').trim_end_matches(']');
        literal.parse::<IpAddr>().is_ok_and(|address| {
            address.is_loopback() || address == self.listen || self.listen.is_unspecified()
        })
    }
}

/// Checks that the request is of a kind its route takes.
pub(crate) fn check_kind(
    route: Route,
    method: &Method,
    headers: &HeaderMap,
) -> Result<(), Refusal> {
    let (allowed, takes): (&[Method], _) = match route {
        Route::Answer(_) => (&[Method::POST], "POST"),
        Route::Other => {
            (&[Method::GET, Method::POST, Method::DELETE, Method::HEAD], "GET, POST, DELETE")
        }
        Route::Health | Route::Metrics => (&[Method::GET, Method::HEAD], "GET"),
    };
    if !allowed.contains(method) {
        return Err(Refusal::new(Reason::Method, format!("this path takes {takes} only")));
    }
    if matches!(route, Route::Answer(_)) && !is_json(headers) {
        return Err(Refusal::new(
            Reason::ContentType,
            "the body must be JSON, with `content-type: application/json`",
        ));
    }
    Ok(())
}

// A form or plain text is what a page in a browser can send without being asked by anyone.
fn is_json(headers: &HeaderMap) -> bool {
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

    fn parts(uri: &str, headers: &[(&str, &str)]) -> Parts {
        let mut request = Request::get(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.body(()).unwrap().into_parts().0
    }

    fn outcome(guard: &Guard, uri: &str, headers: &[(&str, &str)]) -> &'static str {
        guard.check(&parts(uri, headers)).map_or_else(|refusal| refusal.reason.code(), |()| "ok")
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
