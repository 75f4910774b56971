//! Where a request goes.
//!
//! In: the path of a request. Out: what is asked for, and the part of the path that comes after the
//! version, to be joined to the upstream's own. Never lets a path climb, whatever it is escaped as.

use crate::http::guard;
use crate::http::refusal::{Reason, Refusal};
use http::{HeaderMap, Method};
use salve_model::wire::Dialect;

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Route {
    /// A model's answer.
    Answer(Dialect),
    /// Anything else the upstream offers; passed on as it is.
    Other,
    /// Whether the gateway is there.
    Health,
    /// What it counted.
    Metrics,
}

impl Route {
    /// Returns the dialect that errors are spelt in.
    pub(crate) fn dialect(self) -> Option<Dialect> {
        match self {
            Self::Answer(dialect) => Some(dialect),
            _ => None,
        }
    }

    /// Returns the word of logs and metrics.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Answer(dialect) => dialect.name(),
            Self::Other => "other",
            Self::Health => "health",
            Self::Metrics => "metrics",
        }
    }
}

/// A route, and what follows the version in its path, with a slash before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Target<'p> {
    pub(crate) route: Route,
    pub(crate) rest: &'p str,
}

// Clients differ in whether their base URL ends in `/v1`. One that leaves it out is understood for
// these; anything else under another name would be a guess.
const WITHOUT_VERSION: [&str; 4] = ["/chat/completions", "/responses", "/messages", "/models"];

/// Finds out what is asked for; `None` when there is no such thing here.
pub(crate) fn find(path: &str) -> Option<Target<'_>> {
    match path {
        "/" | "/health" => return Some(Target { route: Route::Health, rest: path }),
        "/metrics" => return Some(Target { route: Route::Metrics, rest: path }),
        _ => {}
    }
    let rest = after_version(path)?;
    if climbs(rest) {
        return None;
    }
    let route = match rest.trim_end_matches('/') {
        "" => return None,
        "/chat/completions" => Route::Answer(Dialect::Chat),
        "/responses" => Route::Answer(Dialect::Responses),
        "/messages" => Route::Answer(Dialect::Messages),
        _ => Route::Other,
    };
    Some(Target { route, rest })
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
        return Err(Refusal::new(Reason::METHOD, format!("this path takes {takes} only")));
    }
    if matches!(route, Route::Answer(_)) && !guard::is_json(headers) {
        return Err(Refusal::new(
            Reason::CONTENT_TYPE,
            "the body must be JSON, with `content-type: application/json`",
        ));
    }
    Ok(())
}

// A base URL that ends in `/v1` given to a client that adds `/v1` itself makes two of them.
fn after_version(path: &str) -> Option<&str> {
    match path.strip_prefix("/v1") {
        Some(rest) if rest.starts_with("/v1/") => rest.strip_prefix("/v1"),
        Some(rest) if rest.starts_with('/') => Some(rest),
        Some(_) => None,
        None if WITHOUT_VERSION.contains(&path.trim_end_matches('/')) => Some(path),
        None => None,
    }
}

fn climbs(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    let hidden = ["%2e", "%2f", "%5c", "%00", "%25", "\\", "//"];
    hidden.iter().any(|sign| lower.contains(sign))
        || lower.split('/').any(|segment| segment == "." || segment == "..")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_with_and_without_the_version_are_understood() {
        let cases = [
            ("/v1/chat/completions", "chat", "/chat/completions"),
            ("/chat/completions", "chat", "/chat/completions"),
            ("/v1/v1/messages", "messages", "/messages"),
            ("/v1/responses", "responses", "/responses"),
            ("/v1/responses/", "responses", "/responses/"),
            ("/v1/responses/resp_1", "other", "/responses/resp_1"),
            ("/v1/messages/count_tokens", "other", "/messages/count_tokens"),
            ("/v1/models", "other", "/models"),
            ("/models", "other", "/models"),
            ("/v1/embeddings", "other", "/embeddings"),
            ("/health", "health", "/health"),
            ("/metrics", "metrics", "/metrics"),
        ];
        for (path, name, rest) in cases {
            let target = find(path).unwrap();
            assert_eq!((target.route.name(), target.rest), (name, rest), "{path}");
        }
    }

    #[test]
    fn paths_that_climb_or_lead_elsewhere_are_not_found() {
        let cases = [
            "/v1",
            "/v1/",
            "/v2/models",
            "/admin",
            "/embeddings",
            "/v1x/models",
            "",
            "/v1/../admin",
            "/v1/./x",
            "/v1/%2e%2e/admin",
            "/v1/%2E./x",
            "/v1/a%2fb",
            "/v1//evil",
            "/v1/%252e%252e/x",
            "/v1/a\\b",
            "/v1/x%00",
        ];
        for path in cases {
            assert_eq!(find(path), None, "{path}");
        }
    }
}
