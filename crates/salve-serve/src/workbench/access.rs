//! Who may come in: a browser by a cookie, a program by a token.
//!
//! In: the heads of requests. Out: who sent them, or why they are not let in. The token in an address is good for one
//! exchange; cookies and tokens die with the process. Never keeps a secret in the clear that it only compares, and
//! never compares by anything but hashes, whose comparison takes the same time for every input.

use crate::http::guard::is_json;
use crate::http::rate::Rates;
use crate::http::refusal::{Reason, Refusal};
use blake3::Hash;
use http::header::{AUTHORIZATION, COOKIE, ORIGIN};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// The header that pages send with everything that has an effect. A form cannot, and a foreign page may not.
pub(crate) const OWN_HEADER: &str = "x-salve";
/// How many failures a minute are answered as such.
const FAILURES: u32 = 30;
/// How many browsers may be let in by one process.
const MOST_COOKIES: usize = 256;

pub(crate) const NOT_SIGNED_IN: Reason = Reason::new("not_signed_in", StatusCode::UNAUTHORIZED);
pub(crate) const WRONG_TOKEN: Reason = Reason::new("wrong_token", StatusCode::UNAUTHORIZED);
pub(crate) const NO_HEADER: Reason = Reason::new("missing_header", StatusCode::FORBIDDEN);

/// Who sent a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Caller {
    /// A page of ours.
    Browser,
    /// A program with the API token.
    Program,
}

/// The secrets of one process.
pub(crate) struct Access {
    cookie: String,
    api_token: String,
    api: Hash,
    // Few writes, and none of them waits for anything.
    known: Mutex<Known>,
    failures: Rates<()>,
}

#[derive(Default)]
struct Known {
    /// The token of the newest address, until it was exchanged.
    address: Option<Hash>,
    cookies: HashSet<Hash>,
}

impl Access {
    /// Makes the secrets of a server on a port.
    pub(crate) fn new(port: u16) -> Self {
        let api_token = random_token();
        Self {
            cookie: format!("salve_{port}"),
            api: blake3::hash(api_token.as_bytes()),
            api_token,
            known: Mutex::default(),
            failures: Rates::default(),
        }
    }

    /// Returns the token of programs.
    pub(crate) fn api_token(&self) -> &str {
        &self.api_token
    }

    /// Makes the token of a fresh address.
    pub(crate) fn fresh_token(&self) -> String {
        let token = random_token();
        self.known().address = Some(blake3::hash(token.as_bytes()));
        token
    }

    /// Exchanges the token of an address, once, for the value of the header that sets a cookie.
    pub(crate) fn exchange(&self, token: &str) -> Result<HeaderValue, Refusal> {
        let said = blake3::hash(token.as_bytes());
        let mut known = self.known();
        if known.address.is_none_or(|address| address != said) {
            drop(known);
            let why = "the token was used already, or is not of this server; press a key in the terminal of \
                       `salve serve` for a fresh address";
            return Err(self.failed(WRONG_TOKEN, why));
        }
        known.address = None;
        if known.cookies.len() >= MOST_COOKIES {
            known.cookies.clear();
        }
        let secret = random_token();
        known.cookies.insert(blake3::hash(secret.as_bytes()));
        let cookie = format!("{}={secret}; HttpOnly; SameSite=Strict; Path=/", self.cookie);
        HeaderValue::from_str(&cookie)
            .map_err(|_| Refusal::new(Reason::BAD_REQUEST, "the cookie cannot be written"))
    }

    /// Says who sent a request. One that has an effect must be JSON and carry a header that forms cannot send.
    pub(crate) fn admit(&self, method: &Method, headers: &HeaderMap) -> Result<Caller, Refusal> {
        let caller = self.known_caller(headers)?;
        if !has_effect(method) {
            return Ok(caller);
        }
        self.proven(headers, caller)?;
        Ok(caller)
    }

    /// Checks what every request with an effect must show, whoever sends it.
    pub(crate) fn proven(&self, headers: &HeaderMap, caller: Caller) -> Result<(), Refusal> {
        if !is_json(headers) {
            let why = "send the body as application/json";
            return Err(Refusal::new(Reason::CONTENT_TYPE, why));
        }
        let by_page = caller == Caller::Browser;
        if by_page && (!headers.contains_key(OWN_HEADER) || !headers.contains_key(ORIGIN)) {
            let why = "pages send `x-salve: 1` and their origin with what has an effect";
            return Err(Refusal::new(NO_HEADER, why));
        }
        Ok(())
    }

    fn known_caller(&self, headers: &HeaderMap) -> Result<Caller, Refusal> {
        let mut said = headers.get_all(AUTHORIZATION).iter();
        if let Some(value) = said.next() {
            let token = value.as_bytes().strip_prefix(b"Bearer ").unwrap_or_default();
            if said.next().is_none() && blake3::hash(token) == self.api {
                return Ok(Caller::Program);
            }
            return Err(self.failed(WRONG_TOKEN, "the token is not the API token of this server"));
        }
        let mut shown = cookies(headers, &self.cookie).peekable();
        if shown.peek().is_none() {
            let why = "open the address that `salve serve` printed, or send `Authorization: Bearer` with the \
                       API token";
            return Err(Refusal::new(NOT_SIGNED_IN, why));
        }
        let known = self.known();
        let is_known = shown.any(|value| known.cookies.contains(&blake3::hash(value)));
        drop(known);
        if is_known { Ok(Caller::Browser) } else { Err(self.failed(WRONG_TOKEN, STALE)) }
    }

    // Wrong secrets are counted; what is right is let in no matter how many were wrong, so that nobody can be locked
    // out.
    fn failed(&self, reason: Reason, why: &str) -> Refusal {
        match self.failures.take((), FAILURES, Instant::now()) {
            Ok(()) => Refusal::new(reason, why),
            Err(wait) => Refusal::new(Reason::RATE_LIMITED, "too many wrong tokens; wait a while")
                .retry_after(wait),
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

const STALE: &str = "the cookie is of a server that has ended; press a key in the terminal of `salve serve` \
                     for a fresh address";

/// Returns whether a method may have an effect.
pub(crate) fn has_effect(method: &Method) -> bool {
    !matches!(*method, Method::GET | Method::HEAD)
}

// The values of a cookie; a page of another port may have set one of the same name for another path.
fn cookies<'h>(headers: &'h HeaderMap, name: &'h str) -> impl Iterator<Item = &'h [u8]> {
    let lines = headers.get_all(COOKIE).iter().map(HeaderValue::as_bytes);
    lines.flat_map(|line| line.split(|byte| *byte == b';')).filter_map(move |pair| {
        let pair = pair.trim_ascii();
        pair.strip_prefix(name.as_bytes())?.strip_prefix(b"=")
    })
}

// Three times 122 random bits, condensed to 256.
fn random_token() -> String {
    let mut hasher = blake3::Hasher::new();
    for _ in 0..3 {
        hasher.update(uuid::Uuid::new_v4().as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_lets_in_once_and_only_the_newest_does() {
        let access = Access::new(4000);
        assert_eq!(access.exchange("x").unwrap_err().reason, WRONG_TOKEN, "none was made yet");
        let old = access.fresh_token();
        let new = access.fresh_token();
        assert!(old != new && new.len() == 64, "{new}");
        assert_eq!(access.exchange(&old).unwrap_err().reason, WRONG_TOKEN);
        let cookie = access.exchange(&new).unwrap();
        let text = cookie.to_str().unwrap();
        let value = text.split(';').next().unwrap().to_owned();
        assert!(value.starts_with("salve_4000="), "{text}");
        assert!(text.ends_with("; HttpOnly; SameSite=Strict; Path=/"), "{text}");
        assert_eq!(access.exchange(&new).unwrap_err().reason, WRONG_TOKEN, "it was used");

        let mut headers = HeaderMap::new();
        let get = |headers: &HeaderMap| access.admit(&Method::GET, headers);
        assert_eq!(get(&headers).unwrap_err().reason, NOT_SIGNED_IN);
        headers.insert(COOKIE, format!("a=b; {value};c=d").parse().unwrap());
        assert_eq!(get(&headers).unwrap(), Caller::Browser);
        let other = value.replace("4000", "4001");
        headers.insert(COOKIE, other.parse().unwrap());
        assert_eq!(get(&headers).unwrap_err().reason, NOT_SIGNED_IN, "of another port");
        headers.insert(COOKIE, "salve_4000=guess".parse().unwrap());
        assert_eq!(get(&headers).unwrap_err().reason, WRONG_TOKEN);
    }

    #[test]
    fn wrong_tokens_are_slowed_down_and_right_ones_are_not() {
        let access = Access::new(4000);
        let wrong = |token: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(AUTHORIZATION, format!("Bearer {token}").parse().unwrap());
            access.admit(&Method::GET, &headers).map_err(|refusal| refusal.reason)
        };
        for number in 0..FAILURES {
            assert_eq!(wrong(&number.to_string()), Err(WRONG_TOKEN));
        }
        assert_eq!(wrong("more"), Err(Reason::RATE_LIMITED));
        assert_eq!(wrong(access.api_token()), Ok(Caller::Program));
    }
}
