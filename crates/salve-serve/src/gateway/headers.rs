//! Which headers go on, in both directions.
//!
//! In: headers of a request or a reply. Out: the same without those that belong to one connection.
//! Everything else passes untouched, known or not.

use crate::http::coding::readable;
use http::header::{
    ACCEPT_ENCODING, AUTHORIZATION, CONNECTION, CONTENT_LENGTH, EXPECT, HOST, PROXY_AUTHENTICATE,
    PROXY_AUTHORIZATION, TE, TRAILER, TRANSFER_ENCODING, UPGRADE,
};
use http::{HeaderMap, HeaderName, HeaderValue};

/// The key of the gateway, where the client's own key goes on to the upstream.
pub(crate) const SALVE_KEY: HeaderName = HeaderName::from_static("x-salve-key");
/// What is to be done to the reply.
pub(crate) const SALVE_HEAL: HeaderName = HeaderName::from_static("x-salve-heal");
/// What was done to it.
pub(crate) const SALVE_VERDICT: HeaderName = HeaderName::from_static("x-salve-verdict");
/// The ledger's id of the first call.
pub(crate) const SALVE_CALL: HeaderName = HeaderName::from_static("x-salve-call");
/// Anthropic's header for keys.
pub(crate) const X_API_KEY: HeaderName = HeaderName::from_static("x-api-key");

const OF_ONE_CONNECTION: [HeaderName; 9] = [
    CONNECTION,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
    PROXY_AUTHENTICATE,
    PROXY_AUTHORIZATION,
    TE,
    TRAILER,
    TRANSFER_ENCODING,
    UPGRADE,
];

/// How the reply may be packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Packing {
    /// As the client says: the gateway does not look inside.
    AsAsked,
    /// Only in ways that can be unpacked here.
    Readable,
    /// Not at all: a packed stream arrives in lumps.
    None,
}

/// Makes the headers for the upstream of those of a client.
pub(crate) fn to_upstream(mut headers: HeaderMap, packing: Packing) -> HeaderMap {
    drop_hop_by_hop(&mut headers);
    for name in [HOST, CONTENT_LENGTH, EXPECT, SALVE_KEY, SALVE_HEAL] {
        headers.remove(name);
    }
    let accepted = match packing {
        Packing::AsAsked => return headers,
        Packing::Readable => readable(&headers),
        Packing::None => "identity",
    };
    if headers.contains_key(ACCEPT_ENCODING) {
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(accepted));
    }
    headers
}

/// Makes the headers for a client of those of the upstream. The length is set anew by the server,
/// from the body it is given.
pub(crate) fn to_client(mut headers: HeaderMap) -> HeaderMap {
    drop_hop_by_hop(&mut headers);
    headers.remove(CONTENT_LENGTH);
    headers
}

/// Takes away what only fits the bytes as they came, once they are changed.
pub(crate) fn of_changed_body(headers: &mut HeaderMap) {
    for name in ["content-length", "content-encoding", "content-md5", "digest", "etag"] {
        headers.remove(name);
    }
}

/// Tells the client's library not to try again by itself.
pub(crate) fn say_no_retry(headers: &mut HeaderMap) {
    headers.insert(HeaderName::from_static("x-should-retry"), HeaderValue::from_static("false"));
}

/// Returns the key a client shows, and the header it is in.
pub(crate) fn shown_key(headers: &HeaderMap) -> Option<(HeaderName, &str)> {
    if let Some(key) = headers.get(SALVE_KEY).and_then(|value| value.to_str().ok()) {
        return Some((SALVE_KEY, key.trim()));
    }
    if let Some(key) = headers.get(X_API_KEY).and_then(|value| value.to_str().ok()) {
        return Some((X_API_KEY, key.trim()));
    }
    let value = headers.get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, key) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| (AUTHORIZATION, key.trim()))
}

fn drop_hop_by_hop(headers: &mut HeaderMap) {
    let mut named = Vec::new();
    for value in headers.get_all(CONNECTION) {
        let names = value.to_str().unwrap_or_default().split(',');
        let names = names.filter_map(|name| name.trim().parse::<HeaderName>().ok());
        // A client cannot take away the key that the gateway has put there.
        named.extend(names.filter(|name| *name != AUTHORIZATION && *name != X_API_KEY));
    }
    for name in OF_ONE_CONNECTION.iter().chain(&named) {
        headers.remove(name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, HeaderValue::from_static(value));
        }
        headers
    }

    #[test]
    fn what_belongs_to_one_connection_stays_there() {
        let headers = map(&[
            ("connection", "keep-alive, X-Mine"),
            ("x-mine", "1"),
            ("keep-alive", "timeout=5"),
            ("te", "trailers"),
            ("upgrade", "h2c"),
            ("proxy-authorization", "Basic x"),
            ("transfer-encoding", "chunked"),
            ("content-length", "5"),
            ("host", "localhost"),
            ("x-salve-heal", "off"),
            ("authorization", "Bearer sk"),
            ("openai-beta", "a"),
            ("openai-beta", "b"),
            ("accept-encoding", "gzip, deflate, br, zstd"),
        ]);
        let sent = to_upstream(headers, Packing::Readable);
        let mut left: Vec<_> = sent.iter().map(|(name, value)| (name.as_str(), value)).collect();
        left.sort_by_key(|(name, _)| *name);
        assert_eq!(
            left,
            [
                ("accept-encoding", &HeaderValue::from_static("gzip, br")),
                ("authorization", &HeaderValue::from_static("Bearer sk")),
                ("openai-beta", &HeaderValue::from_static("a")),
                ("openai-beta", &HeaderValue::from_static("b")),
            ]
        );
    }

    #[test]
    fn no_client_can_name_the_key_as_its_connections_own() {
        for (name, value) in [("authorization", "Bearer sk"), ("x-api-key", "sk")] {
            for listed in ["authorization, x-api-key", "Authorization", "X-API-KEY,close"] {
                let headers = map(&[("connection", listed), (name, value)]);
                assert_eq!(to_upstream(headers, Packing::AsAsked)[name], value, "{listed}");
            }
        }
    }

    #[test]
    fn only_readable_codings_are_asked_for() {
        let cases = [
            ("gzip", "gzip"),
            ("br;q=0.9, zstd", "br"),
            ("gzip;q=0, br", "br"),
            ("zstd", "identity"),
            ("deflate, gzip;q=1.0", "gzip"),
        ];
        for (asked, sent) in cases {
            let headers = to_upstream(map(&[("accept-encoding", asked)]), Packing::Readable);
            assert_eq!(headers[ACCEPT_ENCODING], sent, "{asked}");
        }
        assert!(to_upstream(HeaderMap::new(), Packing::Readable).is_empty());
    }

    #[test]
    fn a_key_is_found_where_clients_put_it() {
        type Headers = &'static [(&'static str, &'static str)];
        let cases: [(Headers, Option<&str>); 6] = [
            (&[("authorization", "Bearer salve_a")], Some("salve_a")),
            (&[("authorization", "bearer  salve_a ")], Some("salve_a")),
            (&[("x-api-key", "salve_b")], Some("salve_b")),
            (&[("x-salve-key", "salve_c"), ("authorization", "Bearer sk")], Some("salve_c")),
            (&[("authorization", "Basic dXNlcg==")], None),
            (&[], None),
        ];
        for (pairs, key) in cases {
            assert_eq!(shown_key(&map(pairs)).map(|(_, key)| key.to_owned()).as_deref(), key);
        }
    }
}
